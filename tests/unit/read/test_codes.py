"""Every code that the readers use is documented, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import etlgen.read
from etlgen.diagnostics.codes import CodeInfo, ctr, odcs, typ


def used() -> set[str]:
    folder = Path(etlgen.read.__file__).parent
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py")))
    return set(re.findall(r'"((?:CTR|ODCS|TYP)-[EW]?\d{3})"', text))


def test_used_codes_are_documented() -> None:
    assert used() - set(ctr.CODES) - set(odcs.CODES) - set(typ.CODES) == set()


def test_documented_odcs_codes_are_used() -> None:
    assert set(odcs.CODES) - used() == set()


@pytest.mark.parametrize("info", [*ctr.CODES.values(), *odcs.CODES.values()], ids=lambda info: info.code)
def test_each_entry_says_something(info: CodeInfo) -> None:
    assert all((info.title, info.cause, info.example, info.fix))
