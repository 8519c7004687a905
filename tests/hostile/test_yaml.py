"""Files that are hostile as YAML: each ends in a place and a fix, or is the contract it looks like; quickly, in little memory."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from etlgen.contract import Contract
from etlgen.contract_limits import Limits
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.read import read_text

OLC = """\
version: 1.0.0
info: { title: "Ünïcode", table_name: t }
source: { type: landing, path: in.csv, format: csv }
model:
  fields:
    - { name: a, type: string }
"""
ODCS = """\
apiVersion: v3.1.0
kind: DataContract
id: c
version: "1"
status: active
schema:
  - name: t
    properties:
      - { name: a, logicalType: string }
"""


def read(data: bytes, name: str = "c.olc.yaml", **limits: int) -> tuple[Contract, ...]:
    return read_text(data, name, limits=Limits(**limits))


def refusal(data: bytes, name: str = "c.olc.yaml", **limits: int) -> Diagnostic:
    """The first error; reading ends in one at once."""
    started = time.process_time()
    with pytest.raises(ContractError) as caught:
        read(data, name, **limits)
    assert time.process_time() - started < 20  # half a second; more where lines are traced
    found = next(each for each in caught.value.diagnostics if each.is_error)
    assert found.at is not None
    assert found.at.file == name
    return found


def codes(data: bytes, **limits: int) -> list[str]:
    """What is wrong with a file, if anything is."""
    try:
        read(data, **limits)
    except ContractError as error:
        return [each.code for each in error.diagnostics]
    return []


def bomb(levels: int, width: int, leaf: str = "x") -> str:
    """Mappings of lists of aliases: ``width ** levels`` values."""
    lines = [f"l0: &l0 [{', '.join([leaf] * width)}]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "change",
    [lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n"), lambda t: t + "\n\n# end", lambda t: "---\n" + t],
)
@pytest.mark.parametrize(("text", "name"), [(OLC, "c.olc.yaml"), (ODCS, "c.odcs.yaml")])
def test_marks_and_line_ends_change_nothing(change: Callable[[str], str], text: str, name: str) -> None:
    (plain,), (changed,) = read(text.encode(), name), read(change(text).encode(), name)
    assert (changed.name, changed.title, [f.name.value for f in changed.fields]) == ("t", plain.title, ["a"])


REFUSED: list[tuple[str, bytes, str]] = [
    ("a bomb of aliases", (OLC + bomb(9, 9)).encode(), "CTR-012"),
    ("a bomb of few long texts", (OLC + f"x: &x '{'y' * 90_000}'\n" + bomb(3, 20, "*x")).encode(), "CTR-012"),
    ("an alias in itself", (OLC + "x: &x {y: *x}\n").encode(), "CTR-012"),
    ("an alias to nothing", (OLC + "x: *y\n").encode(), "CTR-012"),
    ("deep lists", (OLC + "x: " + "[" * 70 + "]" * 70).encode(), "CTR-008"),
    ("deep mappings", (OLC + "x: " + "{a: " * 70 + "1" + "}" * 70).encode(), "CTR-008"),
    ("very deep lists", (OLC + "x: " + "[" * 400_000).encode(), "CTR-005"),  # libyaml has a limit of its own
    ("a huge text", (OLC + f"x: {'y' * 100_001}\n").encode(), "CTR-016"),
    ("a huge key", (OLC + f"? {'y' * 100_001}\n: 1\n").encode(), "CTR-016"),
    ("a huge number", (OLC + f"x: {'9' * 100_001}\n").encode(), "CTR-016"),
    ("a huge comment", (OLC + "#" * 1_000_001).encode(), "CTR-001"),
    ("many keys", (OLC + "".join(f"k{n}: 1\n" for n in range(100_001))).encode(), "CTR-012"),
    ("many short values", (OLC + "x: [" + "1," * 200_001 + "]\n").encode(), "CTR-012"),
    ("a key twice", (OLC + "version: 2.0.0\n").encode(), "CTR-011"),
    ("a list as key", (OLC + "? [a]\n: 1\n").encode(), "CTR-009"),
    ("a mapping as key", (OLC + "{a: 1}: 1\n").encode(), "CTR-009"),
    ("a number as key", (OLC + "1: x\n").encode(), "CTR-020"),
    ("a boolean as key", (OLC + "true: x\n").encode(), "CTR-020"),
    ("null as key", (OLC + "~: x\n").encode(), "CTR-020"),
    ("NUL", OLC.replace("t }", "t\0 }").encode(), "CTR-003"),
    ("half a character, escaped", OLC.replace("t }", 't, description: "\\ud800" }').encode(), "CTR-005"),
    ("half a character, in bytes", OLC.encode().replace(b"t }", b"t, description: \xed\xa0\x80 }"), "CTR-002"),
    ("UTF-16, little end first", OLC.encode("utf-16"), "CTR-002"),
    ("UTF-16, big end first", OLC.encode("utf-16-be"), "CTR-002"),
    ("UTF-32", OLC.encode("utf-32"), "CTR-002"),
    ("Latin-1", OLC.encode("latin-1"), "CTR-002"),
    ("overlong bytes", OLC.encode() + b"x: \xc0\xaf\n", "CTR-002"),
    ("a tab for blanks", OLC.replace("    - {", "\t- {").encode(), "CTR-004"),
    ("a tag of Python", (OLC + "x: !!python/object/apply:os.system ['true']\n").encode(), "CTR-013"),
    ("a tag of one's own", (OLC + "x: !include /etc/passwd\n").encode(), "CTR-013"),
    ("a binary tag", (OLC + "x: !!binary aGk=\n").encode(), "CTR-013"),
    ("a merge key", (OLC + "x: &x {a: 1}\ny: {<<: *x}\n").encode(), "CTR-010"),
    ("two documents", (OLC + "---\n" + OLC).encode(), "CTR-006"),
    ("another version of YAML", ("%YAML 3.0\n---\n" + OLC).encode(), "CTR-005"),
    ("a carriage return alone", OLC.replace("\n", "\r").encode(), "CTR-003"),
    ("a line separator", OLC.replace("t }", "t\u2028 }").encode(), "CTR-003"),
    ("an escape to a terminal", OLC.replace("t }", "t\x1b[2J }").encode(), "CTR-003"),
    ("nothing", b"", "CTR-007"),
    ("a list", b"- a\n", "CTR-007"),
    ("noise", bytes(range(256)), "CTR-002"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "data", "code"), REFUSED, ids=[what for what, _, _ in REFUSED])
def test_it_is_refused_with_its_place(what: str, data: bytes, code: str) -> None:
    assert what
    found = refusal(data)
    assert found.code == code
    as_odcs = refusal(data, "c.odcs.yaml").code
    assert as_odcs.startswith("ODCS-") or as_odcs == "CTR-001"


@pytest.mark.parametrize(
    ("data", "setting", "most"),
    [
        (OLC.encode(), "contract_bytes", len(OLC.encode()) - 1),
        (OLC.encode(), "nesting", 3),
        (OLC.encode(), "values", 20),
        ((OLC + "x: " + "y" * 50).encode(), "text_length", 49),
    ],
)
def test_every_limit_names_its_setting_and_can_be_raised(data: bytes, setting: str, most: int) -> None:
    found = refusal(data, **{setting: most})
    assert f"`{setting}` under `[tool.etlgen.limits]`" in found.help
    later = codes(data, **{setting: 10 * most})
    assert found.code not in later


def test_an_escaped_nul_in_a_path_is_refused_before_the_system_sees_it() -> None:
    """It passes YAML as a character like any other."""
    from pathlib import Path

    from etlgen.resolve import wiring_problems

    (contract,) = read(OLC.replace("in.csv", '"a\\0.csv"').encode())
    assert [each.code for each in wiring_problems([contract], Path("/p"))] == ["SEC-002"]
