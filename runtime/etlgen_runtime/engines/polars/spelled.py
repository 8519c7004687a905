"""Rows whose declared columns came as they are spelled: typed for the steps, the spelling remembered for the quarantine.

In step 1 each value is read as its declared type; one that does not fit is NULL from there on, remembered as a cast that failed.
The spelling travels in a struct beside the rows. Step 3 shows it for every value that still is the one of the source (semantics,
sections 4 and 6).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import polars as pl

from etlgen_runtime.casts import canonical_json
from etlgen_runtime.engines.polars.casts import logical_type, physical_type, text_expr, unfit_series
from etlgen_runtime.engines.polars.checking import unfit_marker
from etlgen_runtime.engines.polars.frame import data_columns, replaced
from etlgen_runtime.engines.polars.functions.columns import column, columns, member
from etlgen_runtime.engines.polars.json_casts import cast_spelled
from etlgen_runtime.engines.polars.json_spelled import KIND, SPELLED, TEXT, JsonKind
from etlgen_runtime.models import ColumnSpec
from etlgen_runtime.types import STRING, Kind

VALUE = "__etlgen_value"
"""Third member of a spelled value that an operation may have replaced: the value now; its text is then NULL."""


def spelled_columns(frame: pl.LazyFrame) -> tuple[str, ...]:
    """The columns that are to be read as their declared types."""
    return tuple(name for name, dtype in frame.collect_schema().items() if dtype == SPELLED)


def as_declared(frame: pl.LazyFrame, specs: Iterable[ColumnSpec]) -> pl.LazyFrame:
    """Spelled columns as their declared types, with ``__etlgen_unfit_<column>`` for what does not fit."""
    schema = frame.collect_schema()
    read = [spec for spec in specs if schema.get(spec.name) == SPELLED]
    values = {spec.name: physical_type(spec.type) for spec in read}
    markers = {unfit_marker(spec.name): pl.String() for spec in read if spec.type.kind is not Kind.STRING}

    def made(batch: pl.DataFrame) -> Iterator[pl.Series]:
        for spec in read:
            yield from _typed(batch.get_column(spec.name), spec)

    return replaced(frame, made, {**values, **markers}) if read else frame


def _typed(spelled: pl.Series, spec: ColumnSpec) -> Iterator[pl.Series]:
    parts = spelled.struct.unnest()  # methods of a series take names such as `*` for patterns
    texts, kinds = parts.get_column(TEXT), parts.get_column(KIND)
    values = cast_spelled(texts, kinds, spec.type, spec.date_formats)
    yield values.alias(spec.name)
    if spec.type.kind is not Kind.STRING:
        yield unfit_series(texts, values, STRING, spec.type).alias(unfit_marker(spec.name))


def remembered(
    frame: pl.LazyFrame,
    name: str,
    *,
    spelled: str | None = None,
    before: str | None = None,
    without: Collection[str] = (),
) -> pl.LazyFrame:
    """Keep the data columns as they are now in one struct ``name``; columns are shared, not copied.

    Args:
        spelled: The struct that holds the spelling of columns; ``None`` where no column has one.
        before: The struct of the values that were spelled so; ``None`` where they are the values of now.
        without: Columns that are left out.
    """
    names = [name for name in data_columns(frame) if name not in without]
    if not names:
        return frame
    schema = frame.collect_schema()
    origin = _members(schema, spelled)
    then = _members(schema, before)
    members: list[pl.Expr] = []
    for one in names:
        expr = column(one)
        if origin.get(one) == SPELLED and spelled is not None:
            expr = member(spelled, one, SPELLED)
            if before is not None:
                same_type = then.get(one) == schema[one]
                now_as_then = column(one).eq_missing(member(before, one, schema[one])) if same_type else pl.lit(False)
                expr = _with_value(expr, column(one), now_as_then)
        members.append(expr.alias(one))
    return frame.with_columns(pl.struct(members).alias(name))


def together(frame: pl.LazyFrame, names: Sequence[str], into: str) -> pl.LazyFrame:
    """These columns once more, in one struct: operations change the columns, not the struct."""
    return frame.with_columns(pl.struct(columns(names)).alias(into))


def _members(schema: pl.Schema, struct: str | None) -> pl.Schema:
    dtype = schema.get(struct) if struct is not None else None
    return pl.Schema(dtype.to_schema()) if isinstance(dtype, pl.Struct) else pl.Schema()


def _with_value(spelled: pl.Expr, now: pl.Expr, is_as_read: pl.Expr) -> pl.Expr:
    text = pl.when(is_as_read).then(spelled.struct.field(TEXT))
    return pl.struct(text.alias(TEXT), spelled.struct.field(KIND).alias(KIND), now.alias(VALUE))


def is_spelled(dtype: pl.DataType) -> bool:
    """Values of :func:`remembered` that carry their spelling."""
    return isinstance(dtype, pl.Struct) and [field.name for field in dtype.fields][:2] == [TEXT, KIND]


def found_text(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A remembered value as text: its spelling where it has one, else its canonical text."""
    if not is_spelled(dtype):
        return text_expr(value, logical_type(dtype))
    text = value.struct.field(TEXT)
    replaced = _value_type(dtype)
    if replaced is None:
        return text
    return pl.coalesce(text, text_expr(value.struct.field(VALUE), logical_type(replaced)))


def _value_type(dtype: pl.DataType) -> pl.DataType | None:
    return pl.Schema(dtype.to_schema()).get(VALUE) if isinstance(dtype, pl.Struct) else None


def row_as_json(members: Mapping[str, tuple[pl.Expr, pl.DataType]]) -> pl.Expr:
    """Remembered values as one JSON object, members in the given order; spelled ones as they stood in the file."""
    parts: list[pl.Expr] = []
    for number, (name, (value, dtype)) in enumerate(members.items()):
        key = ("," if number else "{") + json.dumps(name, ensure_ascii=False) + ":"
        parts += [pl.lit(key), _json(value, dtype)]
    return pl.concat_str([*parts, pl.lit("}")])


def _json(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if not is_spelled(dtype):
        return _typed_json(value, dtype)
    text = value.struct.field(TEXT)
    quoted = _typed_json(text, pl.String())
    spelled = pl.when(text.is_null() | (value.struct.field(KIND) == JsonKind.TEXT.value)).then(quoted).otherwise(text)
    replaced = _value_type(dtype)
    if replaced is None:
        return spelled
    return pl.when(text.is_null()).then(_typed_json(value.struct.field(VALUE), replaced)).otherwise(spelled)


def _typed_json(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    def write(values: pl.Series) -> pl.Series:
        return pl.Series([canonical_json(each) for each in values.to_list()], dtype=pl.String())

    return value.map_batches(write, return_dtype=pl.String(), is_elementwise=True)
