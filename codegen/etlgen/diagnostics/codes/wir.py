"""WIR: contracts of one project side by side."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_ENTRIES = (
    CodeInfo(
        "WIR-001",
        "two outputs in one place",
        "Two targets or quarantines are one path, or one lies inside the other: of two contracts, or of one. What one run "
        "publishes the other would replace or mix with its own rows. A contract without `target` in `quarantine` writes bad "
        "rows to `<target>__quarantine`. Paths that differ in case alone are one path on some systems.",
        "a.olc.yaml: materialization: { target_path: data/orders }\nb.olc.yaml: materialization: { target_path: data/orders/b }",
        "give every output a place of its own; one job that reads both inputs may also be one contract.",
    ),
    CodeInfo(
        "WIR-002",
        "an output over the contract's own input",
        "The target, quarantine or archive of a contract is the path of its source or of one of its links, holds it, or is "
        "matched by its pattern. The run would replace what it reads, or read its own output the next time.",
        "source: { type: landing, path: data/orders }\nmaterialization: { target_path: data/orders, strategy: overwrite }",
        "write to another path.",
    ),
    CodeInfo(
        "WIR-003",
        "an output outside the project",
        "A path to write to is absolute, or leaves the project's folder by `..`, and a profile allows its folder. The contract means "
        "another place on every machine, and a second checkout writes over the files of the first. This is a warning; where no "
        "profile allows the folder, it is SEC-002.",
        'materialization: { target_path: ../shared/orders }      # and allowed_folders = ["../shared"]',
        "write a path below the project; set places of one machine in a profile.",
    ),
    CodeInfo(
        "WIR-004",
        "an upstream contract that is not there",
        "`upstream` and `upstream_contracts` put the contracts of a project into an order. A name that no contract of the project "
        "has orders nothing: a note, because the contract may belong to another project; a warning where one is called almost so.",
        "upstream: [custmers]      # the contract is called customers",
        "write the name as the project has it (`info.table_name`), or leave it as documentation.",
    ),
)

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in _ENTRIES}
