"""Where a run writes when nobody said where. Names of contracts are any text; in a path each is one plain segment."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePath

_UNFIT = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\[\]=]+')
"""What no file name holds on some system, what a pattern reads as a wildcard, and ``=``, by which folders hold values."""

_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


_LONGEST = 200
"""Bytes of a segment: file systems take 255, and `__quarantine` and the like are added."""


def default_target(layer: str | None, table: str) -> str:
    """``data/<layer>/<table>``, ``/`` between the parts (materialization, Sources).

    >>> default_target("silver", "orders"), default_target(None, "../orders"), default_target("a/b", "..")
    ('data/silver/orders', 'data/.._orders', 'data/a_b/_')
    """
    return "/".join(["data", *(path_segment(part) for part in (layer, table) if part)])


def path_segment(name: str) -> str:
    """One segment of a path that means the same everywhere: ``name`` itself wherever it can be one.

    >>> [path_segment(name) for name in ("Group By", "a/b", "..", "x. ", "nul", "é")]
    ['Group By', 'a_b', '_', 'x', 'nul_', 'é']
    >>> path_segment("é" * 101)[-12:]
    'ééé_96cbf977'
    """
    text = _UNFIT.sub("_", name).strip(" ").rstrip(". ")
    if _DEVICES.fullmatch(text):
        stem, dot, rest = text.partition(".")
        text = f"{stem}_{dot}{rest}"
    return _shortened(text) or "_"


def _shortened(text: str) -> str:
    """A text of more bytes than a name may have, cut and told from others by a hash."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= _LONGEST:
        return text
    return f"{data[: _LONGEST - 9].decode('utf-8', 'ignore')}_{hashlib.sha256(data).hexdigest()[:8]}"


def quarantine_beside(target: PurePath, *, is_file: bool) -> PurePath:
    """``<target>__quarantine`` in the target's folder; the suffix of a target that is one file goes (semantics, section 6).

    A target without a name, such as ``.``, has its quarantine inside; as a place it is refused.
    """
    if not target.name:
        return target / "__quarantine"
    return target.with_name(f"{target.stem if is_file else target.name}__quarantine")
