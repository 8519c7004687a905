"""Contracts whose runs are killed: one for each way in which rows, bad rows and input can end."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.packages import contract

FIELDS = ["id: long!", "qty: integer"]

OLD = {"a.csv": "id,qty\n1,1\nold,1\n"}
"""The input of the run that goes before."""

NEW = {"a.csv": "id,qty\n10,1\n11,2\nbad,3\n", "b.csv": "id,qty\n12,3\n", "c.csv": "id,qty\nworse,4\n13,5\n"}
"""The input of the run that is killed."""

OLD_ROWS = ((1, 1),)
NEW_ROWS = ((10, 1), (11, 2), (12, 3), (13, 5))
OLD_BAD = ("old",)
NEW_BAD = ("bad", "worse")


@dataclass(frozen=True, slots=True)
class Case:
    """The folders of one run to be killed.

    Args:
        root: Of the run.
        state: The state folder; on another file system than ``root`` where the scenario says so.
        outside: A folder outside of the root that the profile allows.
    """

    root: Path
    state: Path
    outside: Path

    @property
    def folders(self) -> tuple[Path, ...]:
        return (self.root, self.state, self.outside)

    def profile(self) -> dict[str, Any]:
        """Settings of the profile as JSON values."""
        return {"root": str(self.root), "state_dir": str(self.state), "allowed_folders": [str(self.outside)]}

    def put(self, files: Mapping[str, str]) -> None:
        """Replace the input."""
        shutil.rmtree(self.root / "in", ignore_errors=True)
        (self.root / "in").mkdir()
        for name, text in files.items():
            (self.root / "in" / name).write_text(text)

    def clear(self) -> None:
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A contract and what is expected of it.

    Args:
        before: Rows of the target, and keys of the bad rows, before the run; ``after``: once it is over.
        status: Of the run when it is over.
        is_consumed: Its input is archived or deleted.
        has_target: The run publishes its accepted rows.
        is_elsewhere: Target and input lie on another file system than state and archive.
        many_rows: So many more good rows, that the scan can be killed half-way.
    """

    name: str
    sections: Mapping[str, Any]
    before: tuple[tuple[tuple[int, int], ...], tuple[str, ...]] = (OLD_ROWS, OLD_BAD)
    after: tuple[tuple[tuple[int, int], ...], tuple[str, ...]] = (NEW_ROWS, (*OLD_BAD, *NEW_BAD))
    status: str = "succeeded_with_quarantine"
    source: Mapping[str, Any] = field(default_factory=dict)
    is_elsewhere: bool = False
    many_rows: int = 0

    @property
    def new(self) -> dict[str, str]:
        """The input of the run that is killed."""
        many = "id,qty\n" + "".join(f"{number},0\n" for number in _many(self.many_rows))
        return {**NEW, "d.csv": many} if self.many_rows else NEW

    @property
    def old_target(self) -> tuple[tuple[int, int], ...]:
        """Rows of the target before the run, in order; ``new_target``: once it is over."""
        return tuple(sorted(self.before[0]))

    @property
    def new_target(self) -> tuple[tuple[int, int], ...]:
        return tuple(sorted((*self.after[0], *((number, 0) for number in _many(self.many_rows)))))

    @property
    def is_consumed(self) -> bool:
        return "post_ingestion" in self.source

    @property
    def publishes(self) -> bool:
        return self.before[0] != self.after[0]

    def text(self, outside: Path) -> str:
        source = {"pattern": "*.csv", **self.source}
        if self.is_elsewhere:
            source["post_ingestion"] = {"action": "archive", "archive_path": str(outside / "archive")}
        return contract(FIELDS, path="in", source=source, **self.sections)


def _many(rows: int) -> range:
    return range(1000, 1000 + rows)


def _target(path: str = "out", format: str = "parquet", strategy: str = "overwrite") -> dict[str, Any]:
    return {"materialization": {"strategy": strategy, "format": format, "target_path": path}}


_ARCHIVE = {"post_ingestion": {"action": "archive", "archive_path": "archive"}}
_DELETE = {"post_ingestion": {"action": "delete"}}
_FAILING_RULE = {"fail_pipeline_on_dataset_error": True, "dataset_rules": [{"row_count_between": {"max": 2}}]}

SCENARIOS = (
    Scenario(name="overwrite_folder", sections=_target()),
    Scenario(name="overwrite_file", sections=_target("out/all.parquet")),
    Scenario(name="append", sections=_target(strategy="append"), after=((*OLD_ROWS, *NEW_ROWS), (*OLD_BAD, *NEW_BAD))),
    Scenario(name="csv_target", sections=_target(format="csv")),
    Scenario(
        name="quarantine_replaced",
        sections={**_target(), "quarantine": {"format": "csv", "write_mode": "overwrite"}},
        after=(NEW_ROWS, NEW_BAD),
    ),
    Scenario(
        name="append_archive",
        sections={**_target(strategy="append"), "quarantine": {"format": "json"}},
        source=_ARCHIVE,
        after=((*OLD_ROWS, *NEW_ROWS), (*OLD_BAD, *NEW_BAD)),
    ),
    Scenario(
        name="append_delete",
        sections=_target(strategy="append"),
        source=_DELETE,
        after=((*OLD_ROWS, *NEW_ROWS), (*OLD_BAD, *NEW_BAD)),
    ),
    Scenario(
        name="fail_on_quarantine",
        sections={**_target(), "quarantine": {"fail_on_quarantine": True}},
        source=_DELETE,
        before=((), OLD_BAD),
        after=((), (*OLD_BAD, *NEW_BAD)),
        status="failed",
    ),
    Scenario(
        name="failed_checks",
        sections={**_target(), "quality": _FAILING_RULE},
        source=_DELETE,
        after=(OLD_ROWS, (*OLD_BAD, *NEW_BAD)),
        status="failed_checks",
    ),
    Scenario(
        name="many_rows",
        sections=_target(strategy="append"),
        source=_DELETE,
        after=((*OLD_ROWS, *NEW_ROWS), (*OLD_BAD, *NEW_BAD)),
        many_rows=200_000,
    ),
    Scenario(
        name="another_file_system",
        sections=_target(strategy="append"),
        source=_ARCHIVE,
        is_elsewhere=True,
        after=((*OLD_ROWS, *NEW_ROWS), (*OLD_BAD, *NEW_BAD)),
    ),
)
