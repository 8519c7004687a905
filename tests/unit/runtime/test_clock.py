"""The run's clock is one instant in UTC."""

from __future__ import annotations

import contextvars
import datetime as dt

from etlgen_runtime import clock


def test_without_a_run_the_first_question_fixes_the_time() -> None:
    def ask_twice() -> tuple[dt.datetime, dt.datetime]:
        return clock.as_of(), clock.as_of()

    first, second = contextvars.Context().run(ask_twice)
    assert first == second
    assert first.tzinfo is dt.UTC


def test_a_set_start_is_kept_in_utc_and_reset_restores() -> None:
    outer = clock.set_as_of(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
    inner = clock.set_as_of(dt.datetime(2026, 3, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2))))
    assert clock.as_of().isoformat() == "2026-02-28T23:00:00+00:00"
    clock.reset(inner)
    assert clock.as_of().isoformat() == "2020-01-01T00:00:00+00:00"
    clock.reset(outer)


def test_a_naive_start_is_taken_as_utc() -> None:
    token = clock.set_as_of(dt.datetime(2026, 1, 1, 12))
    assert clock.as_of() == dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
    clock.reset(token)
