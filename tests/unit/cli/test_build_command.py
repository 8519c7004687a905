"""``etlgen build`` on a project: what it writes, checks and refuses."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from tests.unit.cli.sample import CONTRACT, Etlgen


def package_of(project: Path) -> Path:
    return project / tomllib.loads((project / "etlgen.toml").read_text(encoding="utf-8"))["package"]


def test_a_build_writes_a_package_and_a_second_one_nothing(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("build")
    assert done.code == 0
    package = package_of(project)
    assert f"created  {package.name}/orders/pipeline.py" in done.out.splitlines()
    before = {path: path.stat().st_mtime_ns for path in package.rglob("*")}
    again = etlgen("build")
    assert (again.code, again.out) == (0, "")
    assert again.err == f"1 contract: `{package.name}` is up to date\n"
    assert {path: path.stat().st_mtime_ns for path in package.rglob("*")} == before


def test_a_missing_state_folder_costs_time_only(project: Path, etlgen: Etlgen) -> None:
    etlgen("build")
    (project / ".etlgen" / "build.json").write_text("{", encoding="utf-8")
    assert etlgen("build").out == ""


def test_check_is_silent_when_fresh_and_prints_a_diff_when_stale(project: Path, etlgen: Etlgen) -> None:
    etlgen("build")
    done = etlgen("build", "--check")
    assert (done.code, done.out, done.err) == (0, "", "")
    contract = project / "contracts" / "orders.olc.yaml"
    contract.write_text(CONTRACT.replace("min: 1", "min: 3"), encoding="utf-8")
    stale = etlgen("build", "--check")
    assert stale.code == 1
    assert f"--- a/{package_of(project).name}/orders/models.py\n" in stale.out
    assert "min: 3" not in (package_of(project) / "orders" / "models.py").read_text(encoding="utf-8")


def test_check_sees_missing_left_over_and_edited_files(project: Path, etlgen: Etlgen) -> None:
    package = package_of(project)
    assert etlgen("build", "--check").code == 1
    assert not package.exists()
    other = project / "contracts" / "other.olc.yaml"
    other.write_text(CONTRACT.replace("table_name: orders", "table_name: other"), encoding="utf-8")
    etlgen("build")
    other.unlink()
    assert f"--- a/{package.name}/other/models.py\n+++ /dev/null\n" in etlgen("build", "--check").out
    etlgen("build")
    models = package / "orders" / "models.py"
    models.write_text(models.read_text(encoding="utf-8") + "\n# mine\n", encoding="utf-8")
    assert "-# mine\n" in etlgen("build", "--check").out


def test_files_of_a_contract_that_is_gone_are_removed(project: Path, etlgen: Etlgen) -> None:
    other = project / "contracts" / "other.olc.yaml"
    other.write_text(CONTRACT.replace("table_name: orders", "table_name: other"), encoding="utf-8")
    etlgen("build")
    assert (package_of(project) / "other").is_dir()
    other.unlink()
    done = etlgen("build")
    assert f"removed  {package_of(project).name}/other/pipeline.py" in done.out.splitlines()
    assert not (package_of(project) / "other").exists()
    assert (package_of(project) / "orders").is_dir()


def test_a_file_edited_by_hand_is_only_overwritten_with_force(project: Path, etlgen: Etlgen) -> None:
    etlgen("build")
    models = package_of(project) / "orders" / "models.py"
    text = models.read_text(encoding="utf-8")
    models.write_text(text + "\n# mine\n", encoding="utf-8")
    done = etlgen("build")
    assert done.code == 2
    assert "error[GEN-006]" in done.err
    assert models.read_text(encoding="utf-8").endswith("# mine\n")
    assert etlgen("build", "--force").code == 0
    assert models.read_text(encoding="utf-8") == text


def test_a_build_of_one_contract_leaves_the_others_alone(project: Path, etlgen: Etlgen) -> None:
    other = project / "contracts" / "other.olc.yaml"
    other.write_text(CONTRACT.replace("table_name: orders", "table_name: other"), encoding="utf-8")
    etlgen("build")
    package = package_of(project)
    before = (package / "other" / "models.py").read_text(encoding="utf-8")
    other.write_text("version: [", encoding="utf-8")
    orders = project / "contracts" / "orders.olc.yaml"
    orders.write_text(CONTRACT.replace("min: 1", "min: 3"), encoding="utf-8")
    done = etlgen("build", "contracts/orders.olc.yaml")
    assert done.code == 0, done.err
    assert f"updated  {package.name}/orders/models.py" in done.out.splitlines()
    assert (package / "other" / "models.py").read_text(encoding="utf-8") == before
    manifest = json.loads((package / "etlgen-manifest.json").read_text(encoding="utf-8"))
    assert f"{package.name}/other/models.py" in manifest["files"]
    assert [entry["contract"] for entry in manifest["pipelines"]] == ["orders", "other"]


def test_two_contracts_with_one_slug_keep_their_packages(project: Path, etlgen: Etlgen) -> None:
    """``order-lines`` sorts before ``order_lines``, which is a package name already and keeps it."""
    other = project / "contracts" / "lines.olc.yaml"
    (project / "contracts" / "orders.olc.yaml").write_text(
        CONTRACT.replace("table_name: orders", "table_name: order_lines"), encoding="utf-8"
    )
    dashed = CONTRACT.replace("table_name: orders", "table_name: order-lines")
    other.write_text(dashed, encoding="utf-8")
    assert etlgen("build").code == 0
    package = package_of(project)
    manifest = json.loads((package / "etlgen-manifest.json").read_text(encoding="utf-8"))
    folders = {entry["contract"]: entry["package"] for entry in manifest["pipelines"]}
    assert folders == {"order_lines": "order_lines", "order-lines": "order_lines_2"}
    other.write_text(dashed.replace("min: 1", "min: 3"), encoding="utf-8")
    changed = etlgen("build", "contracts/lines.olc.yaml").out.splitlines()
    assert f"updated  {package.name}/order_lines_2/models.py" in changed
    assert [line for line in changed if "/order_lines/" in line] == []
    assert etlgen("build", "--check").code == 0


def test_output_and_package_come_from_flags(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("build", "--output", "src", "--package", "elsewhere", "--json")
    assert done.code == 0
    created = json.loads(done.out)["changes"]
    assert {"kind": "created", "path": "src/elsewhere/orders/models.py"} in created
    assert (project / "src" / "elsewhere" / "orders" / "models.py").is_file()
    assert etlgen("build", "--package", "not-a-name").code == 2


def test_the_same_contract_elsewhere_gives_the_same_bytes(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("build", "--output", "one", "--package", "flows")
    assert "created  one/flows/orders/models.py" in done.out.splitlines()
    etlgen("build", "--output", "two", "--package", "flows")
    one, two = project / "one", project / "two"
    texts = {path.relative_to(one): path.read_bytes() for path in one.rglob("*") if path.is_file()}
    assert texts == {path.relative_to(two): path.read_bytes() for path in two.rglob("*") if path.is_file()}
    assert str(project).encode() not in b"".join(texts.values())


def add_contract(project: Path, name: str) -> None:
    text = CONTRACT.replace("table_name: orders", f"table_name: {name}")
    (project / "contracts" / f"{name}.olc.yaml").write_text(text, encoding="utf-8")


def test_arguments_are_checked_when_nothing_has_changed(project: Path, etlgen: Etlgen) -> None:
    etlgen("build")
    for arguments in (["nosuch.yaml"], ["--check", "nosuch.yaml"]):
        done = etlgen("build", *arguments)
        assert done.code == 2
        assert "error[GEN-005]: `nosuch.yaml` does not exist" in done.err


def test_a_build_of_one_contract_counts_that_one(project: Path, etlgen: Etlgen) -> None:
    add_contract(project, "other")
    etlgen("build")
    package = package_of(project).name
    assert etlgen("build", "contracts/other.olc.yaml").err == f"1 contract: `{package}` is up to date\n"
    (project / "contracts" / "orders.olc.yaml").write_text("version: [", encoding="utf-8")
    assert etlgen("build", "contracts/other.olc.yaml").err == f"1 contract: `{package}` is up to date\n"
    assert etlgen("build", "contracts/orders.olc.yaml").code == 2


def test_warnings_of_other_contracts_are_not_repeated(project: Path, etlgen: Etlgen) -> None:
    text = CONTRACT.replace("table_name: orders", "table_name: other") + "natural_key: [order_id]\n"
    (project / "contracts" / "other.olc.yaml").write_text(text, encoding="utf-8")
    assert "CTR-032" not in etlgen("build", "contracts/orders.olc.yaml").err
    assert "warning[CTR-032]" in etlgen("build", "contracts/other.olc.yaml").err


def test_a_file_outside_the_project_is_refused(project: Path, etlgen: Etlgen) -> None:
    (project / "drafts").mkdir()
    (project / "drafts" / "draft.olc.yaml").write_text(CONTRACT, encoding="utf-8")
    for arguments in ([], ["--check"]):
        done = etlgen("build", "drafts/draft.olc.yaml", *arguments)
        assert done.code == 2
        assert "error[GEN-020]: `drafts/draft.olc.yaml` is no contract of this project" in done.err
    with (project / "etlgen.toml").open("a", encoding="utf-8") as file:
        file.write('exclude = ["contracts/old"]\n')
    (project / "contracts" / "old").mkdir()
    (project / "contracts" / "old" / "old.olc.yaml").write_text("version: [", encoding="utf-8")
    assert etlgen("build", "contracts").code == 0
    assert "error[GEN-020]" in etlgen("build", "contracts/old").err
