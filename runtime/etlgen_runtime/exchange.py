"""Two folders change places in one step, where the operating system can do that."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2

_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)
"""The system, or the file system, does not know the call."""


def exchange(left: Path, right: Path) -> bool:
    """Exchange two folders of one file system (Linux ``renameat2``, macOS ``renamex_np``); ``False`` where that cannot be done.

    Raises:
        OSError: It can be done, and was refused; both folders are where they were.
    """
    one, other = os.fsencode(left), os.fsencode(right)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            done: int = library.renamex_np(one, other, _RENAME_SWAP)
        else:
            done = library.renameat2(_AT_FDCWD, one, _AT_FDCWD, other, _RENAME_EXCHANGE)
    except (AttributeError, OSError, TypeError):
        return False
    if done == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(right))
