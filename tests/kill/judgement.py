"""What must hold after a kill, and after the run that follows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from tests.kill.scenarios import Case, Scenario

RUN_ID = re.compile(r"\d{8}T\d{12}-[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class Sight:
    """What stands on the disk, run ids left out where they only name.

    Args:
        target: Rows of the target; ``bad``: keys of the rows in the quarantine.
        files: Every file with its content, or without it where that is the engine's; locks are left out.
        reports: By run.
    """

    target: tuple[tuple[int, int], ...]
    bad: tuple[str, ...]
    files: Mapping[str, str]
    reports: Mapping[str, Any]
    journals: tuple[str, ...]


def look(case: Case) -> Sight:
    """Read everything; half a file of any kind raises."""
    runs = case.state / "runs"
    reports = {path.stem: json.loads(path.read_text()) for path in sorted(runs.glob("*.json"))} if runs.is_dir() else {}
    journals = tuple(path.name for path in case.state.glob("journal/*"))
    return Sight(tuple(sorted(_target(case.root))), tuple(sorted(_bad(case.root))), _files(case), reports, journals)


def _target(root: Path) -> list[Any]:
    rows: list[Any] = []
    for path in sorted((root / "out").glob("*")) if (root / "out").is_dir() else ():
        if path.suffix == ".parquet":
            rows += pl.read_parquet(path, glob=False).select("id", "qty").rows()
        elif path.suffix == ".csv":
            rows += pl.read_csv(path, glob=False).select("id", "qty").rows()
    return rows


def _bad(root: Path) -> list[str]:
    keys: list[str] = []
    for folder in [*root.glob("*__quarantine"), *root.glob("out/*__quarantine")]:
        for path in sorted(folder.iterdir()):
            match path.suffix:
                case ".parquet":
                    frame = pl.read_parquet(path, glob=False)
                case ".csv":
                    frame = pl.read_csv(path, glob=False, infer_schema=False)
                case ".jsonl" if path.stat().st_size:
                    frame = pl.read_ndjson(path)
                case _:
                    continue
            keys += frame.get_column("id").to_list()
    return keys


def _files(case: Case) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder, name in zip(case.folders, ("root", "state", "outside"), strict=True):
        for path in folder.rglob("*"):
            shown = RUN_ID.sub("*", f"{name}/{path.relative_to(folder).as_posix()}")
            if path.is_file() and not shown.startswith("state/locks/"):
                is_input = "/in/" in shown or "archive/" in shown
                found[shown] = found.get(shown, "") + ("." if not is_input else path.read_text())
    return found


def inputs(sight: Sight) -> dict[str, str]:
    return {Path(name).name: text for name, text in sight.files.items() if name.startswith("root/in/")}


def judge_killed(scenario: Scenario, killed: Sight, before: Sight) -> list[str]:
    """What is wrong right after the kill."""
    wrong: list[str] = []
    old, new = scenario.old_target, scenario.new_target
    if killed.target not in (old, new):
        wrong.append(f"the target is a mixture: {_shown(killed.target)}")
    old_bad, new_bad = tuple(sorted(scenario.before[1])), tuple(sorted(scenario.after[1]))
    if killed.bad not in (old_bad, new_bad):
        wrong.append(f"the quarantine is a mixture: {killed.bad}")
    is_new = scenario.publishes and killed.target == new
    if is_new and killed.bad != new_bad:
        wrong.append("the target is new, its quarantine is old")
    if not is_new and inputs(killed) != scenario.new:
        wrong.append(f"nothing is published, and the input is {sorted(inputs(killed))}")
    for run_id in killed.reports.keys() - before.reports.keys():
        report = killed.reports[run_id]
        if report["published"] != is_new or report["status"] != scenario.status:
            wrong.append(f"the report says {report['status']}, published: {report['published']}")
    return wrong


def is_over(killed: Sight, before: Sight) -> bool:
    """The kill came after the last effect of the run: whoever runs again repeats it on purpose."""
    return not killed.journals and len(killed.reports) > len(before.reports)


def judge_end(scenario: Scenario, end: Sight, clean: Sight, outcome: Mapping[str, Any]) -> list[str]:
    """What is wrong after the run that follows, or after a run that was over: the state must be that of one clean run."""
    wrong: list[str] = []
    for name in ("target", "bad", "files"):
        own, other = getattr(end, name), getattr(clean, name)
        if own != other:
            wrong.append(f"{name}: {_shown(own)} is not {_shown(other)}")
    if end.journals:
        wrong.append(f"journals are left: {end.journals}")
    if len(end.reports) != len(clean.reports):
        wrong.append(f"{len(end.reports)} reports, not {len(clean.reports)}")
    last = end.reports[max(end.reports)]
    if last["status"] != scenario.status or last["published"] != scenario.publishes:
        wrong.append(f"the last report says {last['status']}, published: {last['published']}")
    if outcome and (outcome.get("status"), outcome.get("run_id")) != (scenario.status, last["run_id"]):
        wrong.append(f"the run that follows says {outcome}")
    if outcome.get("rows") is not None and scenario.publishes:
        expected = sorted(set(scenario.new_target) - set(scenario.old_target))
        if outcome["rows"] != [len(expected), [list(row) for row in expected[:10]]]:
            wrong.append(f"the result holds {outcome['rows']}")
    return wrong


def _shown(value: object) -> str:
    """As much as a table of results can hold."""
    text = repr(value)
    return text if len(text) < 400 else f"{text[:400]}... ({len(text)} characters)"
