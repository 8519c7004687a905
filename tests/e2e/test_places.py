"""A run reads and writes below its root, and where the profile says; whatever a contract names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.e2e.packages import Builder, contract, files, published

FIELDS = ["id: long!"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two rows, one of them bad; beside the root, what is not the contract's to touch."""
    for name in ("root/in.csv", "root/land/in.csv", "else/in.csv", "else/ref.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("id\n1\n" if name == "else/ref.csv" else "id\n1\nx\n")
    return tmp_path / "root"


def landing(path: str, **more: Any) -> dict[str, Any]:
    return {"type": "landing", "path": path, "format": "csv", **more}


SECTIONS: list[dict[str, Any]] = [
    {"source": landing("../else/in.csv")},
    {"source": landing("{else}/in.csv")},
    {"source": landing("link/in.csv")},
    {"source": landing("land", pattern="../../else/i*.csv")},
    {"materialization": {"strategy": "append", "target_path": "../else/out"}},
    {"materialization": {"strategy": "overwrite", "target_path": "{else}/out"}},
    {"materialization": {"strategy": "append", "target_path": "link/out"}},
    {"materialization": {"strategy": "append", "target_path": "link"}},
    {"quarantine": {"target": "../else/bad"}},
    {"quarantine": {"target": "link/bad"}},
    {"source": landing("land", post_ingestion={"action": "archive", "archive_path": "../else/old"})},
    {"source": landing("land", post_ingestion={"action": "archive", "archive_path": "link/old"})},
    {"links": [{"name": "ref", "path": "../else/ref.csv", "type": "csv"}]},
    {"links": [{"name": "ref", "path": "link/ref.csv", "type": "csv"}]},
]


def filled(value: Any, root: Path) -> Any:
    """``{else}``: the folder beside the root, as an absolute path."""
    if isinstance(value, dict):
        return {key: filled(each, root) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, root) for each in value]
    return value.replace("{else}", str(root.parent / "else")) if isinstance(value, str) else value


def written(section: dict[str, Any], root: Path) -> str:
    joined: dict[str, Any] = {}
    if "links" in section:
        rule = {"referential_integrity": {"field": "id", "reference": "ref", "key": "id"}}
        joined["extensions"] = {"etlgen.link_fields": {"ref": [{"name": "id", "type": "long"}]}}
        joined["quality"] = {"row_rules": [rule]}
    return contract(FIELDS, **filled({**joined, **section}, root))


@pytest.mark.parametrize("section", SECTIONS, ids=str)
def test_a_contract_leads_nowhere_outside(build: Builder, root: Path, section: dict[str, Any]) -> None:
    """Refused before any row: nothing is published, moved or made, here or there."""
    (root / "link").symlink_to(root.parent / "else")
    before = files(root.parent)
    report = build(written(section, root)).fail(root)
    assert [d.code for d in report.diagnostics] == ["PMPLAN120"]
    assert {name for name in files(root.parent) if ".etlgen" not in name} == before
    assert not (root / "out").exists()


@pytest.mark.parametrize("section", SECTIONS, ids=str)
def test_the_profile_may_allow_it(build: Builder, root: Path, section: dict[str, Any]) -> None:
    """The bad row of each file stays out, the good one is published where the contract says."""
    (root / "link").symlink_to(root.parent / "else")
    result = build(written(section, root)).run(root, allowed_folders=["../else"])
    assert (result.report.accounting.accepted, result.report.accounting.quarantined) == (1, 1)


def test_places_of_the_profile_are_allowed(build: Builder, root: Path) -> None:
    """Target and quarantine beside it, source and state: all outside of the root, by the word of the profile."""
    places = {name: root.parent / name for name in ("else/in.csv", "warehouse/orders", "state")}
    pipeline = build(contract(FIELDS))
    source, target, state = map(str, places.values())
    result = pipeline.run(root, assets={pipeline.name: source}, target=target, state_dir=state)
    assert result.report.status == "succeeded_with_quarantine"
    assert published(places["warehouse/orders"]) == [(1,)]
    assert len(list((root.parent / "warehouse" / "orders__quarantine").iterdir())) == 1
    assert (places["state"] / "runs").is_dir()


def test_a_link_made_before_publication_is_noticed(build: Builder, root: Path) -> None:
    """Places are resolved again just before they are used."""
    from etlgen_runtime import Callbacks

    other = root.parent / "else"

    def swap(*_: object) -> None:
        if not (root / "data").is_symlink():
            (root / "data").symlink_to(other)

    text = contract(FIELDS, materialization={"strategy": "append", "target_path": "data/out"})
    report = build(text).fail(root, callbacks=Callbacks(on_rows=swap))
    assert [d.code for d in report.diagnostics] == ["PMPLAN120"]
    assert not (other / "out").exists()


def test_an_archive_with_a_link_inside_keeps_the_file(build: Builder, root: Path) -> None:
    """The layout below the archive is that of the source; a link there would lead a file out."""
    (root / "land" / "day").mkdir()
    (root / "land" / "in.csv").rename(root / "land" / "day" / "in.csv")
    (root / "old").mkdir()
    (root / "old" / "day").symlink_to(root.parent / "else")
    source = landing("land", pattern="**/*.csv", post_ingestion={"action": "archive", "archive_path": "old"})
    report = build(contract(FIELDS, source=source)).run(root).report
    assert "PMEXEC105" in [d.code for d in report.diagnostics]
    assert (root / "land" / "day" / "in.csv").is_file()
    assert sorted(path.name for path in (root.parent / "else").iterdir()) == ["in.csv", "ref.csv"]
