"""Looking at frames while a run is stopped in a debugger changes nothing of the run."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.packages import Builder, contract

from etlgen_runtime.engines.polars import frame_of, preview

LOOK = """
        from etlgen_runtime.engines.polars import frame_of, preview
        frame_of(raw).collect(); preview(prepared); frame_of(good).collect(); preview(good, 1)
        # 6 · post-transforms"""


def test_frames_collected_on_the_way_do_not_count(build: Builder, tmp_path: Path) -> None:
    text = contract(["id: long!", "n: integer"], transformations=[{"filter": {"sql": "n > 1"}}])
    (tmp_path / "in.csv").write_text("id,n\n1,1\n2,2\nx,3\n4,4\n")
    looked_at = build(text, ("pipeline", "\n        # 6 · post-transforms", LOOK))
    accounts = looked_at.run(tmp_path).report.accounting
    assert (accounts.read, accounts.bad_pre, accounts.good, accounts.removed("post"), accounts.accepted) == (
        4,
        1,
        3,
        1,
        2,
    )


def test_preview_shows_data_columns_only(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id\n1\n2\n3\n")
    result = build(contract(["id: long!"])).run(tmp_path)
    assert preview(result.accepted, 2).to_dict(as_series=False) == {"id": [1, 2]}
    assert frame_of(result.accepted).collect().height == 3
