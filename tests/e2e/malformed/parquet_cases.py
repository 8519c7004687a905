"""Parquet files with another schema than the contract, and files that are none."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import polars as pl
from tests.e2e.malformed.archives import gz, zipped
from tests.e2e.malformed.cases import ONE_TWO, Case, Refused, Rows, folder, said

from etlgen_runtime.limits import Limits

FILE = "in.parquet"


def parquet(columns: Mapping[str, Sequence[Any]], **types: Any) -> bytes:
    """A Parquet file of these columns."""
    file = io.BytesIO()
    pl.DataFrame(columns, schema_overrides=types).write_parquet(file)
    return file.getvalue()


def case(name: str, columns: Mapping[str, Sequence[Any]], outcome: Rows | Refused, **types: Any) -> Case:
    return Case(name, parquet(columns, **types), outcome, FILE)


def ids(*values: Any, **types: Any) -> bytes:
    return parquet({"id": values, "v": ["a"] * len(values)}, **types)


GOOD = parquet({"id": [1, 2], "v": ["a", "b"]})
PACKED = parquet({"id": list(range(1000)), "v": ["a"] * 1000})
NO_PARQUET = said("is not a readable Parquet file", file=FILE)

PARQUET = (
    case("Parquet", {"id": [1, 2], "v": ["a", "b"]}, ONE_TWO),
    case(
        "text for numbers", {"id": ["1", " 2 ", "x"], "v": ["a", "b", "c"]}, Rows(ONE_TWO.accepted, (("x", "id_type"),))
    ),
    case(
        "floats for integers",
        {"id": [1.0, 2.0, 2.5, float("nan")], "v": ["a", "b", "c", "d"]},
        Rows(ONE_TWO.accepted, (("2.5", "id_type"), ("nan", "id_type"))),
    ),
    case(
        "decimals for integers",
        {"id": [Decimal("1.0"), Decimal("2.5")], "v": ["a", "b"]},
        Rows(((1, "a"),), (("2.5", "id_type"),)),
    ),
    case("booleans for integers", {"id": [True], "v": ["a"]}, Rows((), (("true", "id_type"),))),
    case(
        "unsigned integers beyond 64 bits",
        {"id": [1, 2**63], "v": ["a", "b"]},
        Rows(((1, "a"),), (("9223372036854775808", "id_type"),)),
        id=pl.UInt64,
    ),
    case("small integers", {"id": [1, 2], "v": ["a", "b"]}, ONE_TWO, id=pl.UInt8),
    case(
        "dates for integers",
        {"id": [dt.date(2024, 3, 1)], "v": ["a"]},
        Rows((), (("2024-03-01", "id_type"),)),
    ),
    case(
        "lists for integers",
        {"id": [[1], [2, 3]], "v": ["a", "b"]},
        Rows((), (("[1]", "id_type"), ("[2,3]", "id_type"))),
    ),
    case("structs for integers", {"id": [{"x": 1}], "v": ["a"]}, Rows((), (('{"x":1}', "id_type"),))),
    case("lists for text", {"id": [1], "v": [["a", None]]}, Rows(((1, '["a",null]'),))),
    case("structs for text", {"id": [1], "v": [{"y": 1.5, "x": "b"}]}, Rows(((1, '{"x":"b","y":1.5}'),))),
    case("dates for text", {"id": [1], "v": [dt.date(2024, 3, 1)]}, Rows(((1, "2024-03-01"),))),
    case(
        "durations for text",
        {"id": [1], "v": [dt.timedelta(1)]},
        Refused("column `v` is of type Duration(time_unit='us'), which cannot be read as string", code="PMDATA126"),
    ),
    case("times for text", {"id": [1], "v": [dt.time(1, 2, 3)]}, Rows(((1, "01:02:03"),))),
    case(
        "integers of 128 bits",
        {"id": [1, 2**100], "v": ["a", "b"]},
        Rows(((1, "a"),), ((str(2**100), "id_type"),)),
        id=pl.Int128,
    ),
    case("categories for text", {"id": [1, 2], "v": ["a", "b"]}, ONE_TWO, v=pl.Categorical),
    case("NULL alone", {"id": [1], "v": [None]}, Rows(((1, None),))),
    case("NULL alone, required", {"id": [None], "v": ["a"]}, Rows((), ((None, "id_required"),))),
    case("optional column missing in Parquet", {"id": [1]}, Rows(((1, None),))),
    case(
        "required column missing in Parquet",
        {"v": ["a"]},
        Refused("required column `id` is missing from the source", code="PMDATA101"),
    ),
    case(
        "names equal but for case in Parquet",
        {"id": [1], "ID": [2], "v": ["a"]},
        Refused("the source has columns `id` and `ID`, equal but for case"),
    ),
    case(
        "declared name in another case in Parquet",
        {"Id": [1], "v": ["a"]},
        Refused("required column `id` is missing from the source", code="PMDATA101"),
    ),
    case("no rows", {"id": [], "v": []}, Rows(), id=pl.Int64, v=pl.String),
    Case("too many columns", GOOD, said("has more than 1 columns", file=FILE), FILE, limits=Limits(columns=1)),
    Case("Parquet of 0 bytes", b"", NO_PARQUET, FILE),
    Case("text named Parquet", b"id,v\n1,a\n", NO_PARQUET, FILE),
    Case("Parquet, truncated", GOOD[:-20], NO_PARQUET, FILE),
    Case("Parquet without its begin", GOOD[8:], NO_PARQUET, FILE),
    Case("Parquet with another mark at the end", GOOD[:-4] + b"PAR2", NO_PARQUET, FILE),
    Case("Parquet with a wrong footer length", GOOD[:-8] + b"\xff\xff\xff\x7fPAR1", NO_PARQUET, FILE),
    Case(
        "Parquet with an encrypted footer", GOOD[:-4] + b"PARE", said("is an encrypted Parquet file", file=FILE), FILE
    ),
    Case(
        "Parquet with a damaged page",
        PACKED[:4] + b"\xff" * 60 + PACKED[64:],
        said("is malformed, or changed while it was read", file=FILE),
        FILE,
    ),
    Case("Parquet in gzip", gz(GOOD), ONE_TWO, "in.parquet.gz"),
    Case("Parquet in zip", zipped(("x.parquet", GOOD)), ONE_TWO, "in.parquet.zip"),
    folder(".parquet", "files that disagree", ids(1), ids("2", "x"), Rows(((1, "a"), (2, "a")), (("x", "id_type"),))),
    folder(
        ".parquet",
        "integers and floats",
        ids(2**53 + 1),
        ids(1.0, 2.5),
        Rows(((2**53 + 1, "a"), (1, "a")), (("2.5", "id_type"),)),
    ),
    folder(".parquet", "lists in one file", ids(1), ids([2]), Rows(((1, "a"),), (("[2]", "id_type"),))),
)
