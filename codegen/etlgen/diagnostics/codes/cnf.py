"""CNF: conformance case folders."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_ENTRIES = (
    CodeInfo(
        code="CNF-001",
        title="case.yaml cannot be read",
        cause="The file is not UTF-8, not YAML, holds a key twice, or holds something else than a mapping.",
        example="id: OLC-T-001\nid: OLC-T-002",
        fix="Correct the syntax at the place shown.",
    ),
    CodeInfo(
        code="CNF-002",
        title="unknown key in case.yaml",
        cause="A key outside the vocabulary of cases would be ignored, and the case would test less than its author thinks.",
        example="assertions:\n  rows_acepted: 2",
        fix="Use the key that is suggested, or remove this one. docs/conformance.md lists all of them.",
    ),
    CodeInfo(
        code="CNF-003",
        title="wrong or missing value in case.yaml",
        cause="The value has another type than the key takes, is outside its words, or a required key (id, level) is missing.",
        example="level: core",
        fix="Write a value of the kind shown as expected.",
    ),
    CodeInfo(
        code="CNF-004",
        title="a file of the case is missing",
        cause="case.yaml names a file that is not in the case folder, or the folder holds no contract.",
        example="expected:\n  accepted: expected/acepted.jsonl",
        fix="Correct the name, relative to the case folder, or add the file. A result without rows is an empty file.",
    ),
    CodeInfo(
        code="CNF-005",
        title="a row file cannot be read",
        cause="Each line of a .jsonl file is one JSON object.",
        example='{"id": 1}\n[2]',
        fix="Correct the line shown.",
    ),
    CodeInfo(
        code="CNF-006",
        title="no conformance case found",
        cause="The folder and those below it hold no case.yaml. A run of nothing would look like a success.",
        example="etlgen conformance run conformance/case",
        fix="Name a folder that holds case folders, such as conformance/cases.",
    ),
    CodeInfo(
        code="CNF-007",
        title="a case that asserts nothing",
        cause="Neither `expected` nor `assertions` say what must come out, or one of `also_passes` is empty: every run that finishes "
        "would pass. `refusal_conforms` alone allows an outcome and demands none, and `error_must_not_contain` says nothing of "
        "a run without an error.",
        example="id: OLC-T-001\nlevel: core-runtime",
        fix="Name the expected rows or the error under `expected`, or counts under `assertions`. A result without rows is an empty file.",
    ),
)

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in _ENTRIES}
