"""``[tool.etlgen]``: what is read, and what is refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from etlgen.configuration import Configuration, find_configuration
from etlgen.contract_limits import Limits
from etlgen.diagnostics.model import ContractError, Diagnostic, Position


def read(folder: Path, text: str, name: str = "pyproject.toml") -> Configuration:
    (folder / name).write_text(text, encoding="utf-8")
    return find_configuration(folder)


def problems(folder: Path, text: str, name: str = "pyproject.toml") -> tuple[Diagnostic, ...]:
    with pytest.raises(ContractError) as caught:
        read(folder, text, name)
    return caught.value.diagnostics


def test_all_keys_are_read(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        '[tool.etlgen]\ncontracts = ["c", "d/*.yaml"]\noutput = "src"\npackage = "flows"\nengines = ["polars"]\n'
        'templates = "t"\nexclude = ["c/old"]\nlimits.contract_bytes = 2_000_000\n'
        '[tool.etlgen.profiles.prod]\nengine = "polars"\n',
    )
    assert found.contracts == ("c", "d/*.yaml")
    assert (found.output, found.package, found.engines) == ("src", "flows", ("polars",))
    assert (found.templates, found.exclude) == ("t", ("c/old",))
    assert found.limits == Limits(contract_bytes=2_000_000)
    assert found.profiles == {"prod": {"engine": "polars"}}
    assert found.root == tmp_path


def test_defaults_apply_without_configuration(tmp_path: Path) -> None:
    assert find_configuration(tmp_path) == Configuration(root=tmp_path)


def test_the_nearest_folder_above_wins(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.etlgen]\npackage = "outer"\n', encoding="utf-8")
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    assert find_configuration(inner).package == "outer"


def test_etlgen_toml_needs_no_section(tmp_path: Path) -> None:
    assert read(tmp_path, 'package = "flows"\n', "etlgen.toml").package == "flows"


def test_one_text_stands_for_a_list_of_one(tmp_path: Path) -> None:
    assert read(tmp_path, 'contracts = "mine"\n', "etlgen.toml").contracts == ("mine",)


def test_an_unknown_key_is_refused_with_its_place_and_the_nearest(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, '[project]\nname = "x"\n\n[tool.etlgen]\ncontract = ["c"]\n')
    assert found.code == "GEN-003"
    assert found.nearest == "contracts"
    assert found.at is not None
    assert (found.at.file, found.at.line, found.at.column) == ("pyproject.toml", 5, 1)


def test_an_unknown_table_is_refused_with_its_place(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "[tool.etlgen]\n[tool.etlgen.profile.prod]\nengine = 'polars'\n")
    assert found.code == "GEN-003"
    assert found.nearest == "profiles"
    assert found.at is not None
    assert found.at.line == 2


@pytest.mark.parametrize(
    "line",
    [
        "contracts = 3",
        "engines = [1]",
        'package = "my-flows"',
        'package = "class"',
        "output = true",
        r'output = "a\u0000b"',
        "profiles = 1",
        'contracts = [""]',
        "limits = 3",
        "limits = { nesting = 0 }",
        "limits.values = true",
        'limits.contract_bytes = "1 MB"',
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(tmp_path: Path, line: str) -> None:
    (found,) = problems(tmp_path, f"[tool.etlgen]\n{line}\n")
    assert found.code == "GEN-004"
    assert found.at is not None
    assert found.at.line == 2


@pytest.mark.parametrize(("line", "code"), [("text_lenght = 5", "GEN-003"), ("text_length = -5", "GEN-004")])
def test_a_limit_that_cannot_be_stands_in_its_table(tmp_path: Path, line: str, code: str) -> None:
    (found,) = problems(tmp_path, f"[tool.etlgen]\n[tool.etlgen.limits]\nnesting = 9\n{line}\n")
    assert (found.code, found.nearest) == (code, "text_length" if code == "GEN-003" else "")
    assert found.at is not None
    assert found.at.line == 4


def test_the_folders_that_contracts_may_use_are_those_of_every_profile(tmp_path: Path) -> None:
    text = '[profiles.a]\nallowed_folders = ["/data", "../in"]\n[profiles.b]\nroot = "/b"\nallowed_folders = ["x"]\n'
    (tmp_path / "etlgen.toml").write_text(text, encoding="utf-8")
    found = find_configuration(tmp_path)
    expected = (tmp_path, Path("/data"), tmp_path / "../in", Path("/b"), Path("/b/x"))
    assert found.open_folders == expected
    assert found.with_profile("c", {"allowed_folders": ["/c"]}).open_folders == (*expected, Path("/c"))


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    assert [d.code for d in problems(tmp_path, "contracts = 3\nfoo = 1\nbar = 2\n", "etlgen.toml")] == [
        "GEN-003",
        "GEN-003",
        "GEN-004",
    ]


def test_text_that_is_no_toml_is_refused_with_its_place(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "[tool.etlgen]\ncontracts = [contracts]\n")
    assert found.code == "GEN-002"
    assert found.at is not None
    assert (found.at.line, found.at.column) == (2, 14)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "etlgen.toml").write_bytes(b'package = "\xff"\n')
    with pytest.raises(ContractError) as caught:
        find_configuration(tmp_path)
    assert [d.code for d in caught.value.diagnostics] == ["GEN-002"]


@pytest.mark.parametrize("name", ["polars", "json", "etlgen_runtime", "sys"])
def test_a_package_that_python_has_already_is_refused(tmp_path: Path, name: str) -> None:
    """Imports of the generated package would find the other one, or the other way about."""
    (found,) = problems(tmp_path, f'package = "{name}"\n', "etlgen.toml")
    assert (found.code, found.at and found.at.line) == ("GEN-004", 1)
    assert f"`{name}`" in found.message


def test_a_package_of_ones_own_may_be_importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A source folder on the path, as with an editable installation; and a copy of generated code elsewhere."""
    mine, installed = tmp_path / "src", tmp_path / "installed"
    for folder, name, text in ((mine, "flows_here", ""), (installed, "flows_there", "# Generated by etlgen 0.1.0\n")):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(folder))
    for name in ("flows_here", "flows_there"):
        assert read(tmp_path, f'output = "src"\npackage = "{name}"\n', "etlgen.toml").package == name
    (installed / "flows_there" / "__init__.py").write_text("", encoding="utf-8")
    assert [d.code for d in problems(tmp_path, 'output = "src"\npackage = "flows_there"\n', "etlgen.toml")] == [
        "GEN-004"
    ]


@pytest.mark.parametrize("key", ["engines", "contracts"])
def test_an_empty_list_is_refused(tmp_path: Path, key: str) -> None:
    (found,) = problems(tmp_path, f"{key} = []\n", "etlgen.toml")
    assert (found.code, found.at) == ("GEN-004", Position("etlgen.toml", 1, 1, len(key)))
    assert found.expected.startswith("at least one: ")
