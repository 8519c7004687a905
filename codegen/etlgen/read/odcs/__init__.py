"""The reader of the Open Data Contract Standard v3.0 to v3.2: its schema parts become contracts, the rest is reported."""
