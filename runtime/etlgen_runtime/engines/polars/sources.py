"""Step 1 on Polars: files to lazy frames with the declared columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from etlgen_runtime.contract import CsvOptions, Source
from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.engines.polars.casts import logical_type, physical_type, text_expr
from etlgen_runtime.engines.polars.csv_source import scan_csv_file
from etlgen_runtime.engines.polars.frame import PREFIX, SOURCE
from etlgen_runtime.engines.polars.functions.columns import column, columns
from etlgen_runtime.engines.polars.json_source import scan_json_file
from etlgen_runtime.engines.polars.json_spelled import SPELLED
from etlgen_runtime.engines.polars.parquet_source import scan_parquet_file
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.files import InputFiles, shown_path
from etlgen_runtime.models import ColumnSpec, schema_of
from etlgen_runtime.text import fold_case
from etlgen_runtime.types import Kind

RESERVED = "_etlgen_"


def read_source(source: Source[Any], files: InputFiles, root: Path, reading: Reading) -> pl.LazyFrame:
    """The source's files as one lazy frame; with several files ``__etlgen_source`` says which file a row came from.

    Raises:
        DataError: PMDATA105, a file cannot be read; PMDATA101 and PMDATA100, one of several files lacks a required column, or has
            or lacks one under ``evolution: strict``.
    """
    declared = schema_of(source.model)
    if len(files.paths) == 1:
        return scan_files(files, source.csv, declared, reading)
    frames: list[pl.LazyFrame] = []
    for path in files.paths:
        frame = _scan(path, files, source.csv, declared, reading)
        if frame is not None:
            shown = shown_path(path, root)
            _check_names(frame.collect_schema().names(), source, f"`{shown}`")
            frames.append(frame.with_columns(pl.lit(shown).alias(SOURCE)))
    return _one_frame(frames, files, declared)


def scan_files(
    files: InputFiles,
    csv: CsvOptions,
    declared: Sequence[ColumnSpec],
    reading: Reading,
) -> pl.LazyFrame:
    """All files as one lazy frame; columns are matched by name, a column that one file lacks is NULL there.

    Declared columns of JSON are as they are spelled (:mod:`etlgen_runtime.engines.polars.spelled`).

    Raises:
        DataError: PMDATA105, naming the file.
    """
    scanned = (_scan(path, files, csv, declared, reading) for path in files.paths)
    return _one_frame([frame for frame in scanned if frame is not None], files, declared)


def _one_frame(frames: Sequence[pl.LazyFrame], files: InputFiles, declared: Sequence[ColumnSpec]) -> pl.LazyFrame:
    if not frames:
        spelled = _spelled(declared) if files.format in ("json", "jsonl") else ()
        return pl.LazyFrame(schema={c.name: SPELLED if c.name in spelled else pl.String() for c in declared})
    if len(frames) == 1:
        return frames[0]
    schemas = [frame.collect_schema() for frame in frames]
    mixed = {name for name in dict.fromkeys(n for s in schemas for n in s) if len(_types_of(name, schemas)) > 1}
    return pl.concat([_with_texts(f, s, mixed) for f, s in zip(frames, schemas, strict=True)], how="diagonal_relaxed")


def _types_of(name: str, schemas: Sequence[pl.Schema]) -> set[pl.DataType]:
    return {schema[name] for schema in schemas if name in schema and schema[name] != pl.Null}


def _with_texts(frame: pl.LazyFrame, schema: pl.Schema, mixed: Collection[str]) -> pl.LazyFrame:
    """Columns whose files do not agree on a type, as text: a common number type would round some of them."""
    texts = [text_expr(column(n), logical_type(schema[n])).alias(n) for n in schema.names() if n in mixed]
    return frame.with_columns(texts)


def _scan(
    path: Path,
    files: InputFiles,
    csv: CsvOptions,
    declared: Sequence[ColumnSpec],
    reading: Reading,
) -> pl.LazyFrame | None:
    """One file; ``None`` for a JSON file without rows, which has no columns either."""
    content = reading.plain(path, files.format)
    match files.format:
        case "csv":
            return scan_csv_file(path, content, csv, [column.name for column in declared], reading)
        case "parquet":
            return scan_parquet_file(path, content, reading)
        case "json" | "jsonl":
            is_lines = files.format == "jsonl"
            return scan_json_file(path, content, reading, lines=is_lines, declared=_spelled(declared))


def _spelled(declared: Sequence[ColumnSpec]) -> frozenset[str]:
    """The columns whose types are known before the file is read."""
    return frozenset(column.name for column in declared if column.type.kind is not Kind.UNKNOWN)


def empty_frame(source: Source[Any]) -> pl.LazyFrame:
    """No rows, the declared columns."""
    return pl.LazyFrame(schema={c.name: physical_type(c.type) for c in schema_of(source.model)})


def fit_columns(frame: pl.LazyFrame, source: Source[Any]) -> tuple[pl.LazyFrame, tuple[str, ...], tuple[str, ...]]:
    """Check the columns of the source against the declared ones and add missing optional ones as NULL.

    Returns:
        The frame, declared columns first in declared order, the names of the undeclared columns, and those of the declared ones
        that are missing.

    Raises:
        DataError: PMDATA101 a required column is missing (also one that differs in case), PMDATA100 under ``evolution:
            strict`` any undeclared or missing column, PMDATA105 a reserved name. Before any row.
    Source: semantics, section 4, Columns.
    """
    schema = frame.collect_schema()
    found = [name for name in schema.names() if name != SOURCE]
    declared = schema_of(source.model)
    _check_names(found, source, "the source")
    missing = [column for column in declared if column.name not in schema]
    undeclared = tuple(name for name in found if name not in {column.name for column in declared})
    nulls = [pl.lit(None, dtype=physical_type(column.type)).alias(column.name) for column in missing]
    order = [column.name for column in declared] + list(undeclared) + ([SOURCE] if SOURCE in schema else [])
    return frame.with_columns(*nulls).select(columns(order)), undeclared, tuple(c.name for c in missing)


def _check_names(found: Sequence[str], source: Source[Any], place: str) -> None:
    """The columns of ``place``: no reserved name, no two equal but for case, none missing or undeclared that must not be."""
    _refuse_reserved(found)
    _refuse_case_twins(found)
    declared = schema_of(source.model)
    by_fold = {fold_case(name): name for name in found}
    for spec in declared:
        if spec.name in found:
            continue
        if spec.name in source.required or source.strict or fold_case(spec.name) in by_fold:
            raise _missing(spec, found, source, place)
    names = {column.name for column in declared}
    undeclared = next((name for name in found if name not in names), None)
    if undeclared is not None and source.strict:
        raise DataError(
            Diagnostic(
                code="PMDATA100",
                message=f"column `{undeclared}` of {place} is not declared (`evolution: strict`)",
                node="source",
                field=undeclared,
                help="declare it, or loosen `schema_policy.evolution`",
            )
        )


def _refuse_reserved(names: Sequence[str]) -> None:
    reserved = next((name for name in names if name.startswith((PREFIX, RESERVED))), None)
    if reserved is not None:
        raise DataError(
            Diagnostic(
                code="PMDATA105",
                message=f"column `{reserved}`: names that begin with `{RESERVED}` are reserved",
                node="source",
                field=reserved,
                help="rename the column in the source",
            )
        )


def _missing(column: ColumnSpec, found: Sequence[str], source: Source[Any], place: str) -> DataError:
    twin = next((name for name in found if fold_case(name) == fold_case(column.name)), None)
    if twin is not None:
        fix = f"{place} has `{twin}`, which differs only in case; names are compared exactly"
    else:
        fix = f"{place} has: " + ", ".join(f"`{name}`" for name in found[:20])
    kind = "required column" if column.name in source.required else "declared column"
    return DataError(
        Diagnostic(
            code="PMDATA101",
            message=f"{kind} `{column.name}` is missing from {place}",
            node="source",
            field=column.name,
            help=fix,
        )
    )


def _refuse_case_twins(found: Sequence[str]) -> None:
    """Of names that are equal but for case, nobody can say which one is meant."""
    seen: dict[str, str] = {}
    for name in found:
        twin = seen.setdefault(fold_case(name), name)
        if twin != name:
            raise DataError(
                Diagnostic(
                    code="PMDATA105",
                    message=f"the source has columns `{twin}` and `{name}`, equal but for case",
                    node="source",
                    field=name,
                    help="rename one of them",
                )
            )
