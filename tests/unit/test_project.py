"""Which files are contracts, and what a command-line argument means."""

from __future__ import annotations

from pathlib import Path

import pytest

from etlgen.configuration import Configuration
from etlgen.contract_limits import Limits
from etlgen.diagnostics.model import ContractError
from etlgen.project import analyse, discover, plan_of
from etlgen.write import Workspace

CONTRACT = (
    "version: 1.0.0\ninfo: { title: T, table_name: NAME }\nsource: { type: landing, path: a.csv, format: csv }\n"
    "model: { fields: [{ name: a, type: string }] }\n"
)


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CONTRACT.replace("NAME", path.name.split(".")[0]), encoding="utf-8")


def found(folder: Path, contracts: tuple[str, ...] = ("contracts",), exclude: tuple[str, ...] = ()) -> list[str]:
    return [f.display for f in discover(Configuration(root=folder, contracts=contracts, exclude=exclude))]


def test_folders_are_searched_to_the_bottom_for_contract_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        "contracts/b.olc.yaml",
        "contracts/x/y/a.odcs.yml",
        "contracts/other.yaml",
        "contracts/olc.yaml",
        "c.olc.yaml",
    )
    assert found(tmp_path) == ["contracts/b.olc.yaml", "contracts/x/y/a.odcs.yml"]


def test_a_named_file_may_be_called_anything(tmp_path: Path) -> None:
    write(tmp_path, "contracts/other.yaml")
    assert found(tmp_path, ("contracts/other.yaml",)) == ["contracts/other.yaml"]


def test_patterns_and_folders_that_overlap_count_once(tmp_path: Path) -> None:
    write(tmp_path, "contracts/a.olc.yaml", "contracts/b.olc.yaml")
    assert found(tmp_path, ("contracts", "contracts/*.olc.yaml")) == ["contracts/a.olc.yaml", "contracts/b.olc.yaml"]


@pytest.mark.parametrize("pattern", ["contracts/old", "contracts/old/", "contracts/old/*", "*/a.olc.yaml"])
def test_excluded_contracts_are_left_out(tmp_path: Path, pattern: str) -> None:
    write(tmp_path, "contracts/old/a.olc.yaml", "contracts/b.olc.yaml")
    assert found(tmp_path, exclude=(pattern,)) == ["contracts/b.olc.yaml"]


def test_excluding_all_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "contracts/a.olc.yaml")
    with pytest.raises(ContractError) as caught:
        found(tmp_path, exclude=("contracts",))
    assert [d.code for d in caught.value.diagnostics] == ["GEN-001"]


def test_a_configured_folder_that_is_missing_is_an_error_that_names_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, "contracts/a.olc.yaml")
    with pytest.raises(ContractError) as caught:
        found(tmp_path, ("contract",))
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.nearest) == ("GEN-005", "contracts")


def test_an_argument_is_a_path_or_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "contracts/a.olc.yaml", "contracts/b.olc.yaml")
    monkeypatch.chdir(tmp_path / "contracts")
    analysis = analyse(discover(Configuration(root=tmp_path)), Configuration(root=tmp_path))
    assert plan_of(analysis, "b", tmp_path).contract.name == "b"
    assert plan_of(analysis, "a.olc.yaml", tmp_path).contract.name == "a"


def test_errors_of_another_contract_do_not_hide_this_one(tmp_path: Path) -> None:
    write(tmp_path, "contracts/a.olc.yaml")
    (tmp_path / "contracts" / "b.olc.yaml").write_text("version: [\n", encoding="utf-8")
    analysis = analyse(discover(Configuration(root=tmp_path)), Configuration(root=tmp_path))
    assert plan_of(analysis, "a", tmp_path).contract.name == "a"
    with pytest.raises(ContractError):
        plan_of(analysis, "b", tmp_path)


def test_the_configuration_says_how_large_a_contract_may_be(tmp_path: Path) -> None:
    text = CONTRACT.encode()
    folder = tmp_path / "contracts"
    folder.mkdir()
    (folder / "orders.olc.yaml").write_bytes(text)
    exact = Configuration(root=tmp_path, limits=Limits(contract_bytes=len(text)))
    assert analyse(discover(exact), exact).errors == ()
    below = Configuration(root=tmp_path, limits=Limits(contract_bytes=len(text) - 1))
    assert [d.code for d in analyse(discover(below), below).errors] == ["CTR-001"]


@pytest.mark.parametrize("schema", ["", "schema: []\n", "schema: [{name: t}]\n"])
def test_a_document_without_a_table_is_valid_and_cannot_be_built(tmp_path: Path, schema: str) -> None:
    """W110 for lint, E201 for the build (odcs, section 1)."""
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: '1'\nstatus: active\n"
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "c.odcs.yaml").write_text(head + schema, encoding="utf-8")
    analysis = analyse(discover(Configuration(tmp_path)), Configuration(tmp_path))
    assert [d.code for d in analysis.diagnostics] == ["ODCS-W110"]
    assert [d.code for d in analysis.blocking] == ["ODCS-E201"]
    with pytest.raises(ContractError) as caught:
        Workspace(Configuration(tmp_path)).pending()
    assert [d.code for d in caught.value.diagnostics] == ["ODCS-E201"]
