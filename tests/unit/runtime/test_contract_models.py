"""Record validation: strict on typed values, by the cast table on text, without values in its errors."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from etlgen_runtime.fields import (
    BigInt,
    Boolean,
    Date,
    Double,
    Json,
    Numeric,
    Text,
    Timestamp,
    TimestampTz,
    TinyInt,
    Unknown,
    Uuid,
)
from etlgen_runtime.models import ColumnSpec, ContractModel, schema_of
from etlgen_runtime.types import BOOLEAN, DATE, INT64, STRING, TIMESTAMP, UNKNOWN, Kind, LogicalType, decimal


class Row(ContractModel):
    """One of each."""

    id: BigInt
    group_by: Annotated[TinyInt | None, Field(alias="Group By", ge=1)] = None
    status: Literal["new", "paid"] | None = None
    name: Annotated[Text | None, Field(max_length=3, pattern=r"^[a-zé]+\z", repr=False)] = None
    amount: Annotated[
        Numeric | None,
        Field(max_digits=5, decimal_places=2, json_schema_extra={"minimum": "0.10", "step": "0.05"}),
    ] = None
    level: Annotated[BigInt | None, Field(json_schema_extra={"accepted_values": ["1", "3"]})] = None
    born: Annotated[Date | None, Field(json_schema_extra={"minimum": "2020-01-01", "date_formats": ["%d.%m.%Y"]})] = (
        None
    )
    seen: Annotated[Timestamp | None, Field(json_schema_extra={"naive_offset_refused": True})] = None
    at: TimestampTz | None = None
    ratio: Annotated[Double | None, Field(ge=0, lt=1)] = None
    key: Uuid | None = None
    doc: Json | None = None
    flag: Boolean | None = None
    anything: Unknown = None


class Later(Row):
    """The same columns under another name."""


def accepts(**values: object) -> bool:
    try:
        Row.model_validate({"id": 1, **values})
    except ValidationError:
        return False
    return True


def test_a_model_says_its_columns() -> None:
    columns = {column.name: column for column in schema_of(Row)}
    assert list(columns)[:3] == ["id", "Group By", "status"]
    assert columns["id"] == ColumnSpec("id", INT64, required=True, nullable=False, attribute="id")
    assert columns["Group By"].attribute == "group_by"
    assert columns["status"].type == STRING
    assert columns["name"].sensitive
    assert columns["amount"].type == decimal(5, 2)
    assert columns["born"].type == DATE
    assert columns["born"].date_formats == ("%d.%m.%Y",)
    assert columns["seen"].type == LogicalType(Kind.TIMESTAMP, naive_offset_refused=True)
    assert columns["flag"].type == BOOLEAN
    assert columns["anything"].type == UNKNOWN


def test_a_model_that_inherits_has_the_same_columns_and_constraints() -> None:
    assert schema_of(Later) == schema_of(Row)
    with pytest.raises(ValidationError):
        Later(id=1, level=2)


def test_a_plain_annotation_is_no_column() -> None:
    class Loose(ContractModel):
        number: int

    with pytest.raises(TypeError, match=r"Loose\.number: use a type of etlgen_runtime\.fields"):
        schema_of(Loose)


@pytest.mark.parametrize(
    ("column", "good", "bad"),
    [
        ("Group By", [1, 127, None], [0, 128, "1", 1.0, True]),
        ("status", ["new", None], ["New", "", 1]),
        ("name", ["abc", "é", None], ["abcd", "ABC", "ab\n", "", 1]),
        ("amount", [Decimal("0.10"), Decimal("0.100"), Decimal("999.95")], [Decimal("0.09"), Decimal("0.11"), Decimal(1000), 0.1]),
        ("level", [1, 3, None], [2, 1.0]),
        ("born", [dt.date(2020, 1, 1)], [dt.date(2019, 12, 31), dt.datetime(2020, 1, 1), "2020-01-01"]),
        ("seen", [dt.datetime(2020, 1, 1)], [dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.date(2020, 1, 1)]),
        ("at", [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)], [dt.datetime(2020, 1, 1)]),
        ("ratio", [0.0, 0.5, None], [1.0, -0.1, float("nan"), float("inf")]),
        ("key", ["01234567-89ab-cdef-0123-456789abcdef"], ["01234567-89AB-CDEF-0123-456789ABCDEF", "0123"]),
        ("doc", ['{"a": 1}', "1"], ["{", ""]),
        ("flag", [True, False], [1, "true"]),
        ("anything", [object(), None, 1], []),
    ],
)  # fmt: skip
def test_typed_values_are_accepted_or_refused(column: str, good: list[object], bad: list[object]) -> None:
    assert [value for value in good if not accepts(**{column: value})] == []
    assert [value for value in bad if accepts(**{column: value})] == []


def test_required_means_a_value() -> None:
    assert not accepts(id=None)
    with pytest.raises(ValidationError):
        Row.model_validate({})


def test_text_is_read_by_the_cast_table() -> None:
    row = Row.from_text(
        {
            "id": " 12 ",
            "Group By": "",
            "amount": "1.50",
            "born": "02.01.2021",
            "flag": "yes",
            "status": "new",
            "extra": "x",
        }
    )
    assert (row.id, row.group_by, row.amount, row.born, row.flag) == (
        12,
        None,
        Decimal("1.50"),
        dt.date(2021, 1, 2),
        True,
    )
    assert row.model_extra == {"extra": "x"}


def test_all_misfits_are_named_and_no_value_is_shown() -> None:
    with pytest.raises(ValidationError) as caught:
        Row.from_text({"id": "SECRET", "born": "SECRET", "seen": "2020-01-01T00:00:00Z"})
    assert [error["loc"] for error in caught.value.errors()] == [("id",), ("born",), ("seen",)]
    assert "SECRET" not in str(caught.value)


def test_no_error_and_no_repr_shows_a_sensitive_value() -> None:
    with pytest.raises(ValidationError) as caught:
        Row(id=1, name="MARKER")
    assert "MARKER" not in str(caught.value)
    with pytest.raises(ValidationError) as exact:
        Row(id=1, level=987654321)
    assert "987654321" not in str(exact.value)
    assert "ab" not in repr(Row(id=1, name="ab"))


def test_rows_are_frozen() -> None:
    row = Row(id=1)
    with pytest.raises(ValidationError):
        row.id = 2


def test_timestamp_type_is_plain_without_extras() -> None:
    class Plain(ContractModel):
        seen: Timestamp

    assert schema_of(Plain)[0].type == TIMESTAMP
