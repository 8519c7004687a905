"""Generated code says which runtime it was made for; a wrong one is refused at import, not in the middle of a run."""

from __future__ import annotations

import re

VERSION = "0.1.0"


class IncompatibleRuntime(ImportError):
    """The installed runtime is outside the range that generated code needs."""


def require_runtime(specifier: str) -> None:
    """Check the installed runtime against a range such as ``">=0.1,<0.2"``.

    Raises:
        IncompatibleRuntime: The installed version is outside the range.
        ValueError: The specifier is not a comma-separated list of ``>=X.Y`` and ``<X.Y``.
    """
    for part in specifier.split(","):
        match = re.fullmatch(r"\s*(>=|<)\s*(\d+(?:\.\d+)*)\s*", part)
        if match is None:
            raise ValueError(f"unreadable runtime range {specifier!r}")
        wanted = _numbers(match[2])
        installed = _numbers(VERSION)
        fits = installed >= wanted if match[1] == ">=" else installed < wanted
        if not fits:
            raise IncompatibleRuntime(
                f"this generated code needs etlgen-runtime {specifier}, installed is {VERSION}; "
                "run `etlgen build` again, or install a matching etlgen-runtime"
            )


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
