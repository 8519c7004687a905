"""How many small faults in the modules that hold the semantics the tests find: ``python -m tests.mutation``."""
