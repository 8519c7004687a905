"""Some contracts of a project: what a build of them writes, what a run of them needs, what goes with the last one."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

import pytest
from tests.unit.cli.sample import CONTRACT, Etlgen
from tests.unit.cli.test_build_command import package_of

BROKEN = "version: [\n"
MISTYPED = CONTRACT.replace("table_name: orders", "table_name: bad").replace("sql: qty * 2", "sql: qyt * 2")


def add(project: Path, name: str, text: str) -> None:
    (project / "contracts" / f"{name}.olc.yaml").write_text(text, encoding="utf-8")


def named(name: str, more: str = "") -> str:
    return CONTRACT.replace("table_name: orders", f"table_name: {name}") + more


def pipelines_of(project: Path) -> list[str]:
    manifest = json.loads((package_of(project) / "etlgen-manifest.json").read_text(encoding="utf-8"))
    return [entry["contract"] for entry in manifest["pipelines"]]


def import_pipeline(project: Path) -> None:
    """As the user's program would; the fixture gives ``sys.path`` back."""
    sys.path.insert(0, str(project))
    importlib.invalidate_caches()
    importlib.import_module(f"{package_of(project).name}.pipeline")


@pytest.mark.parametrize("bad", [BROKEN, MISTYPED], ids=["unparsable", "unknown column"])
@pytest.mark.parametrize("argument", ["orders", "contracts/orders.olc.yaml"])
def test_a_run_does_not_need_an_unrelated_contract(project: Path, etlgen: Etlgen, bad: str, argument: str) -> None:
    add(project, "bad", bad)
    done = etlgen("run", argument, "--json")
    assert done.code == 0, done.err
    assert [report["contract"] for report in json.loads(done.out)] == ["orders"]
    assert etlgen("run", "all").code == 2


def test_an_edited_file_of_another_package_does_not_stop_a_run(project: Path, etlgen: Etlgen) -> None:
    add(project, "other", named("other"))
    etlgen("build")
    models = package_of(project) / "other" / "models.py"
    models.write_text("# mine\n", encoding="utf-8")
    add(project, "orders", CONTRACT.replace("min: 1", "min: 3"))
    assert etlgen("run", "orders").code == 0
    assert models.read_text(encoding="utf-8") == "# mine\n"
    assert "error[GEN-006]" in etlgen("run", "other").err


def test_a_run_needs_what_the_contract_reads(project: Path, etlgen: Etlgen) -> None:
    add(project, "bad", MISTYPED)
    add(project, "middle", named("middle", "upstream: [bad]\n"))
    add(project, "orders", CONTRACT + "upstream: [middle]\n")
    done = etlgen("run", "orders")
    assert done.code == 2
    assert "contracts/bad.olc.yaml:10:" in done.err


def test_a_run_of_the_broken_contract_shows_its_errors_alone(project: Path, etlgen: Etlgen) -> None:
    add(project, "bad", MISTYPED)
    add(project, "worse", BROKEN)
    done = etlgen("run", "bad")
    assert done.code == 2
    assert "contracts/bad.olc.yaml:10:" in done.err
    assert "worse" not in done.err


def test_a_misspelt_name_is_told_beside_files_that_cannot_be_read(project: Path, etlgen: Etlgen) -> None:
    add(project, "bad", BROKEN)
    for command in ("run", "plan"):
        done = etlgen(command, "ordres")
        assert done.code == 2
        assert "error[GEN-010]" in done.err
        assert "did you mean `orders`?" in done.err
        assert "contracts/bad.olc.yaml:" in done.err


def test_of_a_contract_in_a_broken_file_the_errors_come_alone(project: Path, etlgen: Etlgen) -> None:
    """It may well be in the file that says its name; what is wrong with others is no matter of it."""
    add(project, "bad", BROKEN)
    add(project, "unlike", "# tables: people\n" + BROKEN)
    for command in ("run", "plan"):
        done = etlgen(command, "people")
        assert done.code == 2
        assert "GEN-010" not in done.err
        assert "contracts/unlike.olc.yaml:" in done.err
        assert "contracts/bad.olc.yaml:" not in done.err


def test_assets_may_name_a_contract_that_cannot_be_read(project: Path, etlgen: Etlgen) -> None:
    with (project / "etlgen.toml").open("a", encoding="utf-8") as file:
        file.write('[profiles.development.assets]\nbad = "bad.csv"\n')
    assert "error[PMPLAN103]" in etlgen("run", "orders").err
    add(project, "bad", BROKEN)
    assert etlgen("run", "orders").code == 0


def test_a_build_beside_a_broken_contract_can_be_imported_and_run(project: Path, etlgen: Etlgen) -> None:
    add(project, "bad", BROKEN)
    assert etlgen("build", "--check", "contracts/orders.olc.yaml").code == 1
    assert etlgen("build", "contracts/orders.olc.yaml").code == 0
    package = package_of(project)
    assert {"__init__.py", "pipeline.py", "py.typed", "orders"} <= {path.name for path in package.iterdir()}
    assert etlgen("build", "--check", "contracts/orders.olc.yaml").code == 0
    import_pipeline(project)
    (package / "py.typed").unlink()
    assert "py.typed" in etlgen("build", "--check", "contracts/orders.olc.yaml").out


def test_a_build_of_one_of_two_names_that_one_only(project: Path, etlgen: Etlgen) -> None:
    """``pipeline.py`` imports what is there, so that the package works before the other is built."""
    add(project, "other", named("other"))
    assert etlgen("build", "contracts/orders.olc.yaml").code == 0
    assert pipelines_of(project) == ["orders"]
    import_pipeline(project)
    assert "other/models.py" in etlgen("build", "--check").out
    assert etlgen("build").code == 0
    assert pipelines_of(project) == ["orders", "other"]


def test_a_new_contract_joins_those_of_which_one_is_broken(project: Path, etlgen: Etlgen) -> None:
    """The broken one keeps its package and its place; the new one stands before what reads it."""
    add(project, "report", named("report", "upstream: [orders]\n"))
    etlgen("build")
    assert pipelines_of(project) == ["orders", "report"]
    add(project, "report", BROKEN)
    add(project, "zebra", named("zebra"))
    assert etlgen("build", "contracts/zebra.olc.yaml").code == 0
    assert pipelines_of(project) == ["orders", "report", "zebra"]
    text = (package_of(project) / "pipeline.py").read_text(encoding="utf-8")
    assert "from .report.models import Report" in text
    assert "from .zebra.models import Zebra" in text


def test_a_broken_contract_keeps_its_package_name(project: Path, etlgen: Etlgen) -> None:
    """``order-lines`` would be ``order_lines`` were there no contract of that name."""
    add(project, "orders", named("order_lines"))
    etlgen("build")
    add(project, "orders", BROKEN)
    add(project, "lines", named("order-lines"))
    done = etlgen("build", "contracts/lines.olc.yaml")
    assert done.code == 0, done.err
    assert f"created  {package_of(project).name}/order_lines_2/models.py" in done.out.splitlines()
    assert f"{package_of(project).name}/order_lines/" not in done.out


def test_a_ring_of_others_stops_a_build_of_everything_only(project: Path, etlgen: Etlgen) -> None:
    etlgen("build")
    add(project, "a", named("a", "upstream: [b]\n"))
    add(project, "b", named("b", "upstream: [a]\n"))
    add(project, "orders", CONTRACT.replace("min: 1", "min: 3"))
    assert etlgen("build", "contracts/orders.olc.yaml").code == 0
    assert etlgen("run", "orders").code == 0
    assert "error[GEN-017]" in etlgen("build").err
    assert "error[GEN-017]" in etlgen("run", "a").err


def test_a_contract_that_is_changed_back_after_a_build_of_it_alone(project: Path, etlgen: Etlgen) -> None:
    etlgen("build")
    add(project, "orders", CONTRACT.replace("min: 1", "min: 3"))
    etlgen("build", "contracts/orders.olc.yaml")
    add(project, "orders", CONTRACT)
    assert f"updated  {package_of(project).name}/orders/models.py" in etlgen("build").out.splitlines()


def test_the_last_contract_takes_its_files_along(project: Path, etlgen: Etlgen) -> None:
    etlgen("build")
    package = package_of(project)
    (project / "contracts" / "orders.olc.yaml").unlink()
    stale = etlgen("build", "--check")
    assert stale.code == 1
    assert f"--- a/{package.name}/orders/models.py\n+++ /dev/null\n" in stale.out
    done = etlgen("build")
    assert done.code == 0
    assert f"removed  {package.name}/__init__.py" in done.out.splitlines()
    assert f"removed  {package.name}/etlgen-manifest.json" in done.out.splitlines()
    assert done.err.startswith("no contract is left: ")
    assert not package.exists()
    assert "error[GEN-001]" in etlgen("build").err


def test_files_of_the_user_stay_when_the_last_contract_goes(project: Path, etlgen: Etlgen) -> None:
    etlgen("build")
    package = package_of(project)
    (package / "mine.py").write_text("x = 1\n", encoding="utf-8")
    (project / "contracts" / "orders.olc.yaml").unlink()
    assert etlgen("build").code == 0
    assert [path.name for path in package.iterdir()] == ["mine.py"]


def test_without_any_contract_nothing_can_run(project: Path, etlgen: Etlgen) -> None:
    etlgen("build")
    (project / "contracts" / "orders.olc.yaml").unlink()
    done = etlgen("run", "all")
    assert done.code == 2
    assert "error[GEN-001]" in done.err


def test_a_contract_named_all_runs_by_its_file(project: Path, etlgen: Etlgen) -> None:
    add(project, "all", named("all"))
    (report,) = json.loads(etlgen("run", "./contracts/all.olc.yaml", "--json").out)
    assert report["contract"] == "all"
    reports = json.loads(etlgen("run", "all", "--json").out)
    assert [report["contract"] for report in reports] == ["all", "orders"]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_to_nothing_is_told(project: Path, etlgen: Etlgen) -> None:
    (project / "contracts" / "gone.olc.yaml").symlink_to(project / "nothing.yaml")
    done = etlgen("lint")
    assert done.code == 1
    assert "error[CTR-014]" in done.out
    assert "--> contracts/gone.olc.yaml:" in done.out
    assert etlgen("run", "orders").code == 0
    assert "error[CTR-014]" in etlgen("lint", "contracts/gone.olc.yaml").out
