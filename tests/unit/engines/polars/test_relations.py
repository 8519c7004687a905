"""Each relational operation as Polars source, run on a small frame: the values are worked out by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from tests.unit.emit.hand_built_plans import orders_plan

import etlgen_runtime.engines.polars as engine
from etlgen.engines.polars.relations import emit_relation
from etlgen.expr import Call, Column, Literal
from etlgen.plan import (
    Assign,
    CastColumns,
    DeduplicateRows,
    FilterRows,
    JoinLink,
    Keep,
    Relation,
    RenameColumns,
)
from etlgen.python_source.names import contract_names
from etlgen_runtime import types
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.engines.polars.ledger import RowLedger
from etlgen_runtime.types import BOOLEAN, INT64, STRING

NAMES = contract_names(orders_plan(), "orders", frozenset())
A, B = Column("a", INT64), Column("b", INT64)
FRAME = pl.LazyFrame({"a": [1, 2, None], "b": [10, 20, 30], "s": ["x", "y", "1"]})
COUNTRIES = pl.LazyFrame({"code": ["x", "y", None], "name": ["Xland", None, "Nowhere"]})


def run(relation: Relation, frame: pl.LazyFrame = FRAME, ledger: RowLedger | None = None) -> dict[str, list[Any]]:
    """The data columns after the emitted code."""
    lines = emit_relation(relation, 2, NAMES)
    scope: dict[str, object] = (
        {name: getattr(engine, name) for name in engine.__all__} | vars(types) | {"pl": pl, "fn": fn}
    )
    scope |= {"frame": frame, "countries": COUNTRIES, "rows": (ledger or RowLedger()).section("post")}
    result: pl.LazyFrame = eval("(frame\n" + "\n".join(lines) + ")", scope)
    found = result.collect()
    return found.select([name for name in found.columns if not name.startswith("__etlgen_")]).to_dict(as_series=False)


def test_assign_reads_the_frame_before_it() -> None:
    swapped = run(Assign((("a", B), ("b", A))))
    assert (swapped["a"], swapped["b"]) == ([10, 20, 30], [1, 2, None])


def test_assign_appends_a_new_column() -> None:
    total = Call("add", (A, B), INT64)
    assert run(Assign((("c", total),)))["c"] == [11, 22, None]


def test_a_checked_value_that_does_not_fit_is_null_and_remembered() -> None:
    frame = pl.LazyFrame({"a": [2**62, 1], "b": [4, 4]})
    line = emit_relation(Assign((("c", Call("mul", (A, B), INT64)),), checked=True), 1, NAMES)
    assert line[0].startswith(".pipe(fit, 'c', ")
    assert run(Assign((("c", Call("mul", (A, B), INT64)),), checked=True), frame)["c"] == [None, 4]


def test_checked_values_that_read_each_other_are_refused() -> None:
    product = Call("mul", (A, B), INT64)
    with pytest.raises(ValueError, match="lower it to one assignment each"):
        emit_relation(Assign((("a", product), ("b", product)), checked=True), 1, NAMES)


def test_cast_keeps_what_fits() -> None:
    assert run(CastColumns((("s", STRING, INT64, ()),)))["s"] == [None, None, 1]


def test_keep_in_the_order_given_and_drop_what_may_be_absent() -> None:
    assert list(run(Keep(("s", "a")))) == ["s", "a"]
    assert list(run(Keep(("a", "b"), dropped=("s", "absent")))) == ["a", "b"]


def test_rename_swaps() -> None:
    renamed = run(RenameColumns((("a", "b"), ("b", "a"))))
    assert (renamed["b"], renamed["a"]) == ([1, 2, None], [10, 20, 30])


def test_filter_keeps_true_and_counts_the_others() -> None:
    ledger = RowLedger()
    kept = run(FilterRows(Call("gt", (A, Literal(1, INT64)), BOOLEAN)), ledger=ledger)
    assert kept["a"] == [2]
    assert [(each.operation, each.removed, each.added) for each in ledger.operations()] == [("2", 2, 0)]


def test_lookup_with_a_default_for_no_match_and_for_a_null_value() -> None:
    lookup = JoinLink("countries", "s", "code", (("name", "country", STRING, Literal("?", STRING)),), unique_key=True)
    assert run(lookup)["country"] == ["Xland", "?", "?"]


def test_inner_join_counts_the_rows_that_go() -> None:
    ledger = RowLedger()
    join = JoinLink("countries", "s", "code", (("name", "country", STRING, None),), how="inner")
    assert sorted(run(join, ledger=ledger)["s"]) == ["x", "y"]
    assert [(each.operation, each.removed, each.added) for each in ledger.operations()] == [("2", 1, 0)]


def test_join_defaults_replace_null() -> None:
    join = JoinLink("countries", "s", "code", (("name", "country", STRING, Literal("none", STRING)),))
    found = run(join)
    assert dict(zip(found["s"], found["country"], strict=True)) == {"x": "Xland", "y": "none", "1": "none"}


def test_deduplicate_keeps_the_latest_and_every_row_without_key() -> None:
    frame = pl.LazyFrame({"a": [1, 1, None, None], "b": [5, 7, 1, 2], "s": ["p", "q", "r", "t"]})
    kept = run(DeduplicateRows(("a",), (("b", True),), ("s",)), frame)
    assert sorted(kept["s"]) == ["q", "r", "t"]


def test_names_and_constants_of_the_contract_are_literals() -> None:
    hostile = "\"); import os; ('"
    frame = pl.LazyFrame({hostile: ["x"]})
    assert run(RenameColumns(((hostile, "ok"),)), frame) == {"ok": ["x"]}
    assert run(Keep((hostile,)), frame) == {hostile: ["x"]}
    assert run(CastColumns(((hostile, STRING, INT64, ()),)), frame) == {hostile: [None]}
