"""Texts that readers of dates and numbers trip over, and strategies for more of them."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st
from tests.unit.runtime.cast_cases import BLANK_TEXT, TEXT_CASES

from etlgen_runtime.types import LogicalType

_DAYS = ("2026-01-31", "2024-02-29", "2023-02-29", "0001-01-01")
_SEPARATORS = ("T", " ", "")
_TIMES = (
    "10:20", "10:20:30", "00:00:00", "24:00:00", "23:59:60", "10:60:00", "1:20:30", "10:20: 0", " 1:20:30", "10:20:30.",
    "00:00:00.0000001", "10:20:30.5", "10:20:30.123", "10:20:30.123456", "10:20:30.1234567", "10:20:30.123456789123", "10",
)  # fmt: skip
_ZONES = ("", "Z", "z", "+02:00", "-0530", "+14", "+23:59", "+24:00", "+02:60", " Z", "+2:00")

TEXTS: tuple[str, ...] = tuple(
    dict.fromkeys(
        [
            *BLANK_TEXT,
            *(text for _, _, accepted, refused in TEXT_CASES for text in (*accepted, *refused)),
            *map("".join, product(_DAYS, _SEPARATORS, _TIMES, _ZONES)),
            *(f" {day}{time}\t" for day, time in product(_DAYS, ("", "T10:20:30", " 00:00:00Z"))),
        ]
    )
)
"""Several thousand texts: the hand-made cases of every target, and dates and times put together in wrong ways too."""

_ALPHABET = "0123456789+-.eE:TZ/ \t\r\n_xtrufalsn\u00a0٣１\ufeff"


def texts(target: LogicalType) -> st.SearchStrategy[str]:
    """Text near what ``target`` accepts: patterns of numbers and dates with faults, its own cases changed a little."""
    numbers = st.from_regex(r"\A[ \t]?[+-]?0{0,3}[0-9]{0,40}(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,4})?[ \n]?\Z")
    short_numbers = st.from_regex(r"\A-?[0-9]{1,5}(\.[0-9]{1,3}0{0,3})?(e-?[0-9])?\Z")
    moments = st.from_regex(
        r"\A[ 0-9]{4}-[01 ][0-9]-[0-3][0-9]([T ][0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,9})?)?(Z|[+-][0-2][0-9](:?[0-6][0-9])?)?)?\Z"
    )
    times = st.from_regex(r"\A[0-2 ][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{0,9})?)?\Z")
    words = st.sampled_from(
        [text for case, _, accepted, refused in TEXT_CASES if case == target for text in (*accepted, *refused)] or ["?"]
    )
    changed = st.builds(
        lambda word, place, letter: word[:place] + letter + word[place + 1 :],
        words,
        st.integers(0, 30),
        st.sampled_from(_ALPHABET),
    )
    return numbers | short_numbers | moments | times | words | changed | st.text(_ALPHABET, max_size=24)
