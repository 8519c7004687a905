"""The faults that ``make mutation`` plants: one at a time, valid Python, and the module is as before afterwards."""

from __future__ import annotations

import ast

import pytest
from tests.mutation.__main__ import ROOT
from tests.mutation.mutants import mutants
from tests.mutation.subjects import SUBJECTS, Subject


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = a is None", ["x = a is not None"]),
        ("x = a and b", ["x = a or b"]),
        ("x = not a", ["x = a"]),
        ("x = a + 1", ["x = a - 1", "x = a + 2"]),
        ("x = True", ["x = False"]),
        ("x = {1.5, 2.5}", ["x = {2.5}", "x = {1.5}"]),
        ("x = {'a': b, 'c': d}", ["x = {'c': d}", "x = {'a': b}"]),
        ("x = [a for a in b if a]", ["x = [a for a in b]"]),
        ("if a:\n    f()", ["if not a:\n    f()", "if a:\n    pass"]),
        (
            "match a:\n    case b.c:\n        x = d\n    case _:\n        x = e",
            ["match a:\n    case _:\n        x = e", "match a:\n    case b.c:\n        x = d"],
        ),
        ("from a import b\nassert a < 1\nx: Literal[1] = 'text'", []),
    ],
)
def test_faults(source: str, faulty: list[str]) -> None:
    assert sorted(mutant.source() for mutant in mutants(source)) == sorted(faulty)


def test_every_fault_of_a_module_is_another_module() -> None:
    path = ROOT / "codegen" / "etlgen" / "ranges.py"
    right = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
    found = mutants(path.read_text(encoding="utf-8"))
    assert len(found) > 50
    assert all(mutant.source() != right for mutant in found)
    assert ast.unparse(found[0].tree) == right


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.pattern)
def test_subjects_and_their_tests_are_there(subject: Subject) -> None:
    assert subject.modules(ROOT)
    assert all((ROOT / test).exists() for test in subject.tests)
