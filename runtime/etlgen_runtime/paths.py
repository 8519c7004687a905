"""Where a contract may read and write: below the root of the run, and in the folders that the profile allows.

A contract is somebody's text; the profile is the operator's. So a path of a contract is judged where it leads, symbolic links
resolved, and a path that the profile names is allowed by being named there (materialization, Sources).
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Protocol, Self

from etlgen_runtime.diagnostics import Diagnostic, PlanError

_DRIVE = re.compile(r"[A-Za-z]:|\\\\|//")


class NamesFolders(Protocol):
    """What a profile says about places."""

    @property
    def root(self) -> Path: ...
    @property
    def allowed_folders(self) -> tuple[str, ...]: ...
    @property
    def state(self) -> Path: ...


def unfit_path(written: str) -> str:
    """Why a path of a contract can mean no file, or another one on another system; empty where nothing is wrong with it.

    >>> unfit_path("data/orders.csv"), unfit_path("~/orders.csv")
    ('', 'begins with `~`, which some programs take for a home folder')
    >>> unfit_path("C:/orders.csv")
    'names a drive or a host'
    """
    if "\0" in written:
        return "holds the character NUL, which no file system has in a name"
    if written.startswith("~"):
        return "begins with `~`, which some programs take for a home folder"
    if _DRIVE.match(written):
        return "names a drive or a host"
    return ""


def leaves(written: str) -> bool:
    r"""Whether the words of a path lead out of the folder that it starts from; ``\`` separates too, as on Windows.

    >>> leaves("a/../b"), leaves("a/../../b"), leaves("/etc"), leaves("..\\b")
    (False, True, True, True)
    """
    if written.startswith(("/", "\\")):
        return True
    depth = 0
    for part in PurePosixPath(written.replace("\\", "/")).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


@dataclass(frozen=True, slots=True)
class AllowedFolders:
    """The places that a run may read and write.

    Args:
        root: Folder of the run; relative paths start from it.
        others: Further folders, or single files, by the word of the profile.
        state: The state folder, which is no place for data: what lies there finishes a run that died.
        by_contract: The path to be judged is the contract's; one of the profile may hold ``~`` and the like.
    """

    root: Path
    others: tuple[Path, ...] = ()
    state: Path | None = None
    by_contract: bool = True

    @classmethod
    def of(cls, profile: NamesFolders) -> Self:
        """Those of a profile."""
        return cls(profile.root, tuple(profile.root / folder for folder in profile.allowed_folders), profile.state)

    def named_by_profile(self, path: str, *, with_neighbours: bool = False) -> AllowedFolders:
        """These, and what ``path`` of the profile names: a file, a folder with all in it, or the folder before a wildcard.

        ``with_neighbours``: its own folder as well, where the quarantine stands beside a target.
        """
        full = self.root / path
        named = full if full.exists() or not glob.has_magic(path) else self.root / _before_wildcard(path)
        added = (named, full.parent) if with_neighbours else (named,)
        return replace(self, others=(*self.others, *added), by_contract=False)

    def require(self, path: Path, what: str, written: str) -> None:
        """Refuse ``path`` where it leads out of these places. Call it just before use: a link may have changed.

        Args:
            path: The path itself, or something found by it.
            what: For people: ``source `orders```, ``the target``.
            written: As the contract or the profile has it.

        Raises:
            PlanError: PMPLAN120.
        """
        fault = unfit_path(written) if self.by_contract or "\0" in written else ""
        if fault:
            raise _refused(f"`{written}` of {what} {fault}", "write a path below the root, or set it in the profile")
        if all(leads_out(path, folder) for folder in (self.root, *self.others)):
            raise self._outside(path, what, written)
        if self.state is not None and not leads_out(path, self.state):
            raise _refused(
                f"`{written}` of {what} lies in the state folder, which is no place for data", "choose another place"
            )

    def require_all(self, paths: Iterable[Path], what: str, written: str) -> None:
        """:meth:`require` for everything that was found by one path."""
        for path in paths:
            self.require(path, what, written)

    def _outside(self, path: Path, what: str, written: str) -> PlanError:
        real = _real(path)
        led = f" by a symbolic link, to `{real}`" if real != Path(os.path.abspath(path)) else ""
        return _refused(
            f"`{written}` of {what} leads out of the root of the run{led}",
            "write a path below the root; where the place is meant, name it in `assets` or `target` of the profile, or its "
            "folder in `allowed_folders`",
        )


def leads_out(path: Path, folder: Path) -> bool:
    """Whether ``path`` lies elsewhere than in ``folder`` once symbolic links are resolved."""
    return not _real(path).is_relative_to(_real(folder))


def _before_wildcard(path: str) -> str:
    """The folder above the first part that is a pattern.

    >>> _before_wildcard("/data/2024/*/a.csv"), _before_wildcard("*.csv")
    ('/data/2024', '.')
    """
    parts = PurePosixPath(path).parts
    first = next(number for number, part in enumerate(parts) if glob.has_magic(part))
    return str(PurePosixPath(*parts[:first]))


def _real(path: Path) -> Path:
    """Where a path leads, whether it exists or not."""
    return Path(os.path.realpath(path))


def _refused(message: str, fix: str) -> PlanError:
    return PlanError(Diagnostic(code="PMPLAN120", message=message, node="paths", help=fix))
