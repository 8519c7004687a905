"""Lookups and joins with reference data. A link is read once, before any row of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.engines.polars.casts import logical_type
from etlgen_runtime.engines.polars.frame import PREFIX, data_columns, holds_unfit
from etlgen_runtime.engines.polars.functions.columns import column, columns
from etlgen_runtime.engines.polars.ledger import JoinHow, SectionLedger
from etlgen_runtime.engines.polars.typed_moments import far_counts

SMALL_TABLE_ROWS = 32
"""A lookup table up to this size becomes a when/then chain, which is faster than a join (measured on the orders job)."""

_KEY = f"{PREFIX}key"


def look_up(
    frame: pl.LazyFrame,
    link: pl.LazyFrame,
    *,
    name: str,
    on: str,
    key: str,
    value: str,
    into: str,
    default: object = None,
) -> pl.LazyFrame:
    """Left join of one value: ``into`` is ``value`` of the row of ``link`` whose ``key`` equals ``on``, else ``default``.

    NULL never matches; the default also replaces a NULL that was found.

    Raises:
        DataError: PMDATA106, before any row: the link lacks a column, a key occurs twice in it, or the key types differ.
    Source: transformations, lookup.
    """
    require_columns(link, name, [key, value])
    table = link.select(column(key).alias(_KEY), column(value).alias(into)).filter(pl.col(_KEY).is_not_null()).collect()
    _check_key_types(frame, on, table.schema[_KEY], name, key)
    duplicate = table.get_column(_KEY).is_duplicated()
    if duplicate.any():
        raise DataError(
            Diagnostic(
                code="PMDATA106",
                message=f"lookup of `{into}`: {duplicate.sum()} rows of `{name}` share a value of the key column `{key}`; "
                "the lookup would multiply rows",
                node="post-transforms",
                field=into,
                help=f"make `{key}` unique in `{name}`, or use `join`",
            )
        )
    if table.height <= SMALL_TABLE_ROWS:
        return frame.with_columns(_as_case(table, on, into, default))
    joined = _left_join(frame, table, on, into)
    if default is None:
        return joined
    return joined.with_columns(column(into).fill_null(pl.lit(default, dtype=table.schema[into])))


def _left_join(frame: pl.LazyFrame, table: pl.DataFrame, on: str, into: str) -> pl.LazyFrame:
    """The join itself; ``into`` may overwrite a column of the frame, which then keeps its place."""
    names = frame.collect_schema().names()
    found = f"{PREFIX}found_value"
    joined = frame.join(
        table.lazy().rename({into: found}), left_on=column(on), right_on=_KEY, how="left", maintain_order="left"
    )
    if into in names:
        return joined.with_columns(pl.col(found).alias(into)).drop(found)
    return joined.rename({found: into})


def _as_case(table: pl.DataFrame, on: str, into: str, default: object) -> pl.Expr:
    dtype = table.schema[into]
    otherwise = pl.lit(default, dtype=dtype)
    value: pl.Expr = otherwise
    for found_key, found in reversed(table.rows()):
        if found is not None:
            matches = column(on) == pl.lit(found_key, dtype=table.schema[_KEY])
            value = pl.when(matches).then(pl.lit(found, dtype=dtype)).otherwise(value)
    return value.alias(into)


def join_link(
    frame: pl.LazyFrame,
    link: pl.LazyFrame,
    rows: SectionLedger,
    operation: str,
    *,
    name: str,
    on: str,
    key: str,
    fields: Mapping[str, str],
    how: JoinHow,
    defaults: Mapping[str, object] | None = None,
    unfit: Sequence[str] = (),
) -> pl.LazyFrame:
    """Join fields of a link; rows that it adds or removes are counted.

    Args:
        fields: Column of the link -> output column.
        how: In a right or full join the frame's columns are NULL for rows of the link without a partner.
        defaults: Value by output column that replaces NULL.
        unfit: Columns that ``on`` depends on and that may hold a value that did not fit. A row with one has no partner, and stays
            in every kind of join: it is known to be bad.

    Raises:
        DataError: PMDATA106, before any row: the link lacks a column, the key types differ, or an output would overwrite a
            column.
    Source: transformations, join.
    """
    names = data_columns(frame)
    _refuse_clash(names, list(fields.values()), name)
    require_columns(link, name, [key, *fields])
    right = link.select(column(key).alias(_KEY), *(column(name).alias(output) for name, output in fields.items()))
    schema = right.collect_schema()
    _check_key_types(frame, on, schema[_KEY], name, key)
    bookkeeping = [one for one in frame.collect_schema().names() if one.startswith(PREFIX)]
    known = holds_unfit(frame, unfit)
    joined = rows.join(frame, right, operation, on=column(on), key=_KEY, how=how, kept=known)
    joined = joined.select(columns([*names, *fields.values(), *bookkeeping]))
    filled = [
        column(output).fill_null(pl.lit(value, dtype=schema[output])) for output, value in (defaults or {}).items()
    ]
    return joined.with_columns(*filled) if filled else joined


def require_columns(link: pl.LazyFrame, name: str, needed: Sequence[str]) -> None:
    """Columns of a link that is not declared are known only now, and what they hold.

    Raises:
        DataError: PMDATA106, one of them is missing, or has dates that no contract type has: reference data have no quarantine.
    """
    found = link.collect_schema().names()
    absent = next((one for one in needed if one not in found), None)
    if absent is not None:
        raise DataError(
            Diagnostic(
                code="PMDATA106",
                message=f"link `{name}`: column `{absent}` is missing from its data; it has: {', '.join(found[:20])}",
                node="source",
                field=absent,
                help="correct the name in the contract, or the data",
            )
        )
    for far, count in far_counts(link, needed).items():
        raise DataError(
            Diagnostic(
                code="PMDATA106",
                message=f"link `{name}`: column `{far}` holds {count} dates or timestamps outside the years 0001 to 9999",
                node="source",
                field=far,
                help="correct the data",
            )
        )


def key_values(link: pl.LazyFrame, name: str, key: str) -> pl.Series:
    """The distinct non-NULL values of a key column, for ``referential_integrity``.

    Raises:
        DataError: PMDATA106, the link lacks the column.
    """
    require_columns(link, name, [key])
    return link.select(column(key).drop_nulls().unique()).collect().get_column(key)


def _refuse_clash(names: Sequence[str], outputs: Sequence[str], link: str) -> None:
    clash = sorted(set(names) & set(outputs))
    if clash:
        raise DataError(
            Diagnostic(
                code="PMDATA106",
                message=f"join with `{link}`: column `{clash[0]}` exists already",
                node="post-transforms",
                field=clash[0],
                help="give the join a `prefix`",
            )
        )


def _check_key_types(frame: pl.LazyFrame, on: str, key_type: pl.DataType, link: str, key: str) -> None:
    """Key types must be equal, or both integers: comparing text with a number would silently match nothing."""
    left, right = logical_type(frame.collect_schema()[on]), logical_type(key_type)
    same = left.kind == right.kind or (left.is_integer and right.is_integer) or (left.is_text and right.is_text)
    if not same:
        raise DataError(
            Diagnostic(
                code="PMDATA106",
                message=f"`{on}` ({left}) cannot be compared with `{key}` ({right}) of `{link}`",
                node="transformations",
                field=on,
                help="cast one of them in the contract so that both have one type",
            )
        )
