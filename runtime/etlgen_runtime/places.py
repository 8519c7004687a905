"""How a journal writes paths: below the root of the run as relative ones, so that a project that was moved still finds its files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ValidationInfo


@dataclass(frozen=True, slots=True)
class Places:
    """The root that relative paths of one journal start from.

    Args:
        root: Absolute; symbolic links in it stay as the run has them.
        state: The state folder, in which the journal lies.
    """

    root: Path
    state: Path

    def written(self, path: Path) -> str:
        """A path as the journal has it."""
        full = path.absolute()
        return (full.relative_to(self.root) if full.is_relative_to(self.root) else full).as_posix()

    def written_root(self) -> str:
        """The root as the journal has it: relative to the state folder where that lies in it."""
        root, state = Path(os.path.realpath(self.root)), Path(os.path.realpath(self.state))
        return os.path.relpath(root, state) if state.is_relative_to(root) else str(root)

    def at(self, written_root: str) -> Places:
        """Those of a journal that was begun with another root; the same ones where both are one folder."""
        found = Path(os.path.normpath(os.path.join(os.path.realpath(self.state), written_root)))
        return self if found == Path(os.path.realpath(self.root)) else Places(found, self.state)


def _found(path: Path, info: ValidationInfo) -> Path:
    places = info.context
    if not isinstance(places, Places):
        raise ValueError("a path of a journal is read with the places that it starts from")
    return places.root / path


Place = Annotated[Path, AfterValidator(_found)]
"""A path that a journal holds; absolute once it is read."""
