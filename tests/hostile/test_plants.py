"""A marker call in every place of both vocabularies where a text may stand: it never runs, and steers no terminal.

The official JSON Schemas name the places. Here each place gets one of the planted texts, ``python -m tests.hostile`` gives it several.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.hostile.plants import plants
from tests.hostile.positions import ITEM, KEY, odcs, olc, planted, positions
from tests.hostile.project import outcomes, read_aloud
from tests.hostile.strings import CALL, MARKER, PLANTED
from tests.unit.cli.conftest import etlgen as etlgen  # the program, called in this process
from tests.unit.cli.sample import Etlgen


def test_the_walk_finds_the_places() -> None:
    """A walk that finds little would make this module pass for nothing."""
    of_olc, of_odcs = positions(olc()), positions(odcs())
    assert len(of_olc) > 400
    assert len(of_odcs) > 400
    assert {
        ("info", "title"),
        ("model", "fields", ITEM, "description"),
        ("transformations", ITEM, "map_values", "mapping", KEY),
    } <= set(of_olc)
    assert {
        ("description", "purpose"),
        ("schema", ITEM, "properties", ITEM, "businessName"),
        ("servers", ITEM, "server"),
    } <= set(of_odcs)


@pytest.mark.parametrize("vocabulary", [olc(), odcs()], ids=["olc", "odcs"])
def test_a_plant_stands_where_it_should(vocabulary: object) -> None:
    from tests.hostile.positions import Vocabulary

    assert isinstance(vocabulary, Vocabulary)
    for path in positions(vocabulary):
        assert "<<here>>" in repr(planted(vocabulary, path, "<<here>>")), path


def test_the_marker_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted call does what is looked for."""
    monkeypatch.chdir(tmp_path)
    exec(CALL)
    assert (tmp_path / MARKER).exists()
    assert sum(CALL in text or f"touch {MARKER}" in text for text in PLANTED) > 20


def test_what_is_planted_never_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "in.csv").write_text("a,b\nx,1\n", encoding="utf-8")
    cases = [plant.case(number) for number, plant in enumerate(plants(1))]
    found = outcomes(cases, tmp_path, "planted")
    assert [(one.case.document, one.detail) for one in found if one.is_failure] == []
    kinds = [one.kind for one in found]
    assert kinds.count("ran") > len(cases) // 4, "most places hold documentation, and their contracts run"
    assert [steer for case in cases if (steer := read_aloud(case, tmp_path))] == []
    assert not (tmp_path / MARKER).exists()


@pytest.mark.parametrize("text", PLANTED[::3])
def test_commands_show_a_contract_without_obeying_it(
    etlgen: Etlgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """In title, description, names, values and SQL at once; lint, plan, build, run, in text and JSON."""
    import yaml

    monkeypatch.chdir(tmp_path)
    (tmp_path / "etlgen.toml").write_text(f'package = "shown_{PLANTED.index(text)}"\n', encoding="utf-8")
    (tmp_path / "contracts").mkdir()
    document = {
        "version": "1.0.0",
        "info": {"title": text, "table_name": text, "description": text, "owner": text},
        "source": {"type": "landing", "path": "in.csv", "format": "csv"},
        "model": {"fields": [{"name": text, "type": "string", "description": text, "accepted_values": [text]}]},
        "transformations": [{"derive": {"field": f"{text} 2", "sql": "'" + text.replace("'", "''") + "'"}}],
        "quality": {"row_rules": [{"name": f"{text} 3", "sql": "'" + text.replace("'", "''") + "' = ''"}]},
        "materialization": {"strategy": "overwrite", "format": "parquet", "target_path": "out"},
    }
    (tmp_path / "contracts" / "c.olc.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    cell = '"' + text.replace('"', '""') + '"'
    (tmp_path / "in.csv").write_text(f"{cell}\n{cell}\n", encoding="utf-8", newline="")
    for arguments in (
        ["lint"], ["lint", "--json"], ["plan", "contracts/c.olc.yaml"], ["plan", "contracts/c.olc.yaml", "--json"], ["build"],
        ["build", "--check"], ["run", "all"], ["run", "all", "--json"], ["doctor"],
    ):  # fmt: skip
        done = etlgen(*arguments)
        assert done.code in (0, 1), (arguments, done.err)
        for stream in (done.out, done.err):
            assert all(char.isprintable() or char == "\n" for char in stream), arguments
    assert [path.name for path in tmp_path.rglob(MARKER)] == []
