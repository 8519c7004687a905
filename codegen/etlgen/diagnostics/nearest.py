"""The nearest valid name, for "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest_name(name: str, available: Iterable[str]) -> str:
    """The most similar of ``available``, case aside; the empty string when none is close.

    >>> nearest_name("contract", ["contracts", "output"])
    'contracts'
    >>> nearest_name("x", ["contracts"])
    ''
    """
    spellings = {candidate.casefold(): candidate for candidate in reversed(list(available))}
    found = get_close_matches(name.casefold(), spellings, n=1, cutoff=0.6)
    return spellings[found[0]] if found else ""
