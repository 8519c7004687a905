"""Step 9: what happens to the files that a run has read, after its rows are published (materialization, Cleanup)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from etlgen_runtime.contract import Source
from etlgen_runtime.diagnostics import Diagnostic
from etlgen_runtime.files import InputFiles, shown_path


def clean_up(source: Source[Any], files: InputFiles, root: Path) -> tuple[tuple[str, ...], Diagnostic | None]:
    """Archive or delete the files that were read.

    Returns:
        The files that were cleaned, and a PMEXEC105 diagnostic naming those that remain, if any.
    """
    if source.post_ingestion == "retain":
        return (), None
    done: list[str] = []
    remaining: list[str] = []
    base = _base_folder(root, source)
    for path in files.paths:
        try:
            if source.post_ingestion == "delete":
                path.unlink()
            else:
                _archive(path, base, root / (source.archive_path or "archive"))
            done.append(shown_path(path, root))
        except OSError as error:
            remaining.append(f"{shown_path(path, root)} ({error.strerror or type(error).__name__})")
    if not remaining:
        return tuple(done), None
    return tuple(done), Diagnostic(
        code="PMEXEC105",
        message=f"cleanup ({source.post_ingestion}) left files where they were: {', '.join(remaining)}",
        severity="error" if source.cleanup_is_blocking else "warning",
        node="cleanup",
        help="the data are published; move or delete the files by hand before the next run reads them again",
    )


def _base_folder(root: Path, source: Source[Any]) -> Path:
    """The folder whose layout the archive keeps."""
    path = root / (source.path or "")
    return path if path.is_dir() else path.parent


def _archive(path: Path, base: Path, archive: Path) -> None:
    """Move to the same relative place below ``archive``; an archived file is never overwritten."""
    relative = path.relative_to(base) if path.is_relative_to(base) else Path(path.name)
    target = archive / relative
    target.parent.mkdir(parents=True, exist_ok=True)
    for number in range(10_000):
        candidate = target if number == 0 else target.with_name(f"{target.stem}.{number}{target.suffix}")
        try:
            os.link(path, candidate)
        except FileExistsError:
            continue
        except OSError:
            if candidate.exists():
                continue
            shutil.copy2(path, candidate)
        path.unlink()
        return
    raise OSError("too many archived files of that name")
