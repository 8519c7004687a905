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
    CodeInfo(
        "SEC-002",
        "a path that leads out of the project",
        "A path of a contract is absolute, leaves the project's folder by `..`, begins with `~`, names a drive or holds a NUL. A "
        "contract reads and writes below the root of the run; other places are named by the profile, whose author runs it. This "
        "holds for source, pattern, links, target, quarantine and archive.",
        "source: { type: landing, path: /etc/passwd, format: csv }",
        "write a relative path; name other places in `assets` and `target` of a profile, or their folder in `allowed_folders`.",
    ),
    CodeInfo(
        "SEC-003",
        "a secret in a contract",
        "Contracts are shared, stored and shown. A key named like a secret (`password`, `db_token`, `dsn`) with a literal value, or a "
        "URL with a password in it, is refused, and its line is not printed. In ODCS documents the code is ODCS-E109.",
        "extensions: { com.acme.db_password: hunter2 }",
        "remove it, change the secret, and give it to the run by `env:NAME`.",
    ),
)

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in _ENTRIES}
