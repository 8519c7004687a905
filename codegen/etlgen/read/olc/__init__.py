"""The reader of the Open Lakehouse Contract: a checked node tree to a :class:`~etlgen.contract.Contract`."""
