"""SEC: what a contract may not make an engine do (semantics, section 5)."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_ENTRIES = (
    CodeInfo(
        "SEC-001",
        "SQL that is refused",
        "The SQL of a contract reads `source` and the links, nothing else: no second statement, no DDL or DML, no COPY, ATTACH, PRAGMA or SET, no table function, no function that reaches files, network, settings or the catalog.",
        "dataset_rules:\n  - {name: leak, sql: \"SELECT count(*) FROM read_csv('/etc/passwd')\"}",
        "remove it; declare other data under `links`.",
    ),
)

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in _ENTRIES}
