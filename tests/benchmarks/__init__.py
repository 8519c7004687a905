"""Speed and memory against the same job written by hand; see docs/benchmarks.md."""
