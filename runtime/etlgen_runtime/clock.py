"""The run's clock: the one instant that ``current_date`` and ``current_timestamp`` mean.

It is the start of the run in UTC, fixed once and settable by ``--as-of`` (semantics, section 5). Outside a run it is
the time of the first question, so that two expressions of one plan never see different days.
"""

from __future__ import annotations

import contextvars
import datetime as dt
from typing import TypeAlias

Token: TypeAlias = "contextvars.Token[dt.datetime | None]"
"""What :func:`reset` needs to restore the clock as it was."""

_START: contextvars.ContextVar[dt.datetime | None] = contextvars.ContextVar("etlgen_run_start", default=None)


def as_of() -> dt.datetime:
    """The run's start: aware, UTC."""
    start = _START.get()
    if start is None:
        start = dt.datetime.now(dt.UTC)
        _START.set(start)
    return start


def set_as_of(start: dt.datetime) -> Token:
    """Fix the run's start for this context; a naive ``start`` is taken as UTC."""
    return _START.set(start.replace(tzinfo=dt.UTC) if start.tzinfo is None else start.astimezone(dt.UTC))


def reset(token: Token) -> None:
    """Restore the clock to what it was before the :func:`set_as_of` that gave ``token``."""
    _START.reset(token)
