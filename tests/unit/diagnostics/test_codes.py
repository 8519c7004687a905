"""Every code that the sources use is documented, and every documented code is used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from etlgen.diagnostics import codes as codes_package
from etlgen.diagnostics.codes import FAMILIES, CodeInfo, all_codes, family
from etlgen.diagnostics.pages import diagnostics_page, explanation, find

ROOT = Path(__file__).parents[3]
PREFIXES = "|".join(prefix for _, prefix, _ in FAMILIES)
QUOTED = re.compile(rf"[\"']((?:{PREFIXES})-?(?:[A-Z]?)\d{{3}})[\"']")


def sources() -> Iterator[Path]:
    documentation = Path(codes_package.__file__).parent
    for top in ("codegen/etlgen", "runtime/etlgen_runtime"):
        for path in sorted((ROOT / top).rglob("*.py")):
            if documentation not in path.parents:
                yield path


def used_codes() -> set[str]:
    return {code for path in sources() for code in QUOTED.findall(path.read_text(encoding="utf-8"))}


def test_every_used_code_is_documented() -> None:
    assert used_codes() - set(all_codes()) == set()


def test_every_documented_code_is_used() -> None:
    assert set(all_codes()) - used_codes() == set()


def test_every_module_of_the_folder_is_a_family() -> None:
    modules = {path.stem for path in Path(codes_package.__file__).parent.glob("*.py")} - {"__init__"}
    assert modules == {module for module, _, _ in FAMILIES}


@pytest.mark.parametrize(("module", "prefix"), [(module, prefix) for module, prefix, _ in FAMILIES])
def test_a_family_holds_codes_of_its_prefix_only(module: str, prefix: str) -> None:
    assert family(module)
    for code, info in family(module).items():
        assert code == info.code
        assert re.fullmatch(rf"{prefix}-?[A-Z]?\d{{3}}", code)


@pytest.mark.parametrize("info", all_codes().values(), ids=lambda info: info.code)
def test_an_entry_says_cause_example_and_fix(info: CodeInfo) -> None:
    assert info.title.strip()
    assert "\n" not in info.title
    assert len(info.cause) > 20
    assert info.example.strip()
    assert info.fix.strip()


def test_a_code_is_found_in_any_spelling() -> None:
    assert find("gen001") is find("GEN-001") is all_codes()["GEN-001"]
    assert find("GEN-999") is None


def test_explain_prints_the_entry() -> None:
    text = explanation("gen-005")
    assert text is not None
    assert text.startswith("# GEN-005: file or folder not found\n")
    assert "Fix: check the spelling" in text


def test_the_page_is_fresh() -> None:
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    assert page == diagnostics_page(), "run `make docs`"


def test_the_page_has_an_anchor_for_every_code() -> None:
    page = diagnostics_page()
    for code in all_codes():
        assert f'<a id="{code.lower()}"></a>' in page
