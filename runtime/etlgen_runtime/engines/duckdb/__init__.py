"""DuckDB: SQL over staged files, for engines that have no SQL of their own. It runs no pipelines (see ``ENGINES``)."""
