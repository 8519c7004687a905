"""Which generated code made rows: the same contract, built again after a change, is another one."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path


def fingerprint_of(package: str) -> str:
    """A hash of the modules of a generated package, the engines' steps among them; empty where they are no files to be read."""
    found = hashlib.sha256()
    folders = getattr(importlib.import_module(package), "__path__", ())
    try:
        modules = sorted(path for folder in folders for path in Path(folder).glob("*.py"))
        for path in modules:
            text = path.read_bytes()
            found.update(f"{path.name} {len(text)}\n".encode() + text)
    except OSError:
        return ""
    return found.hexdigest() if modules else ""
