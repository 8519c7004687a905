"""Run a part of a test as a user for whom file permissions count: the superuser may write everywhere."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def unprivileged_folder() -> Iterator[Path]:
    """A folder of its own; inside the block the process has the rights of its owner and no others."""
    folder = Path(tempfile.mkdtemp(prefix="etlgen-unprivileged-"))
    is_root = os.geteuid() == 0
    try:
        if is_root:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        for path in folder.rglob("*"):
            if path.is_dir():
                path.chmod(0o700)
        folder.chmod(0o700)
        shutil.rmtree(folder)
