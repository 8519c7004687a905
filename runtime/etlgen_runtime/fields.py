"""The field types of generated models: a Python type, the range of its width, and its logical type as metadata.

``schema_of`` (``etlgen_runtime.models``) reads the logical type back, so a model is the one truth about a column's type.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field, NaiveDatetime, Strict

from etlgen_runtime import types as t

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def _canonical_uuid(text: str) -> str:
    if _UUID.fullmatch(text) is None:
        raise ValueError("a UUID is 32 lower-case hexadecimal digits in groups of 8-4-4-4-12")
    return text


def _json_text(text: str) -> str:
    try:
        json.loads(text)
    except ValueError:
        raise ValueError("the text is no JSON") from None
    return text


def _only_date(value: dt.date) -> dt.date:
    if isinstance(value, dt.datetime):
        raise ValueError("a date has no time of day")
    return value


Text = Annotated[str, Strict(), t.STRING]
Boolean = Annotated[bool, Strict(), t.BOOLEAN]
TinyInt = Annotated[int, Strict(), Field(ge=-(2**7), le=2**7 - 1), t.INT8]
SmallInt = Annotated[int, Strict(), Field(ge=-(2**15), le=2**15 - 1), t.INT16]
Integer = Annotated[int, Strict(), Field(ge=-(2**31), le=2**31 - 1), t.INT32]
BigInt = Annotated[int, Strict(), Field(ge=-(2**63), le=2**63 - 1), t.INT64]
HugeInt = Annotated[int, Strict(), Field(ge=-(2**127), le=2**127 - 1), t.INT128]
UTinyInt = Annotated[int, Strict(), Field(ge=0, le=2**8 - 1), t.UINT8]
USmallInt = Annotated[int, Strict(), Field(ge=0, le=2**16 - 1), t.UINT16]
UInteger = Annotated[int, Strict(), Field(ge=0, le=2**32 - 1), t.UINT32]
UBigInt = Annotated[int, Strict(), Field(ge=0, le=2**64 - 1), t.UINT64]
UHugeInt = Annotated[int, Strict(), Field(ge=0, le=2**128 - 1), t.UINT128]
Real = Annotated[float, Strict(), t.FLOAT32]
Double = Annotated[float, Strict(), t.FLOAT64]
Numeric = Annotated[Decimal, Strict(), t.decimal()]
"""A decimal; ``Field(max_digits=p, decimal_places=s)`` beside it says which."""
Date = Annotated[dt.date, Strict(), AfterValidator(_only_date), t.DATE]
Timestamp = Annotated[NaiveDatetime, Strict(), t.TIMESTAMP]
"""Without a zone; text with an offset is converted to UTC unless the field says ``naive_offset_refused``."""
TimestampTz = Annotated[AwareDatetime, Strict(), t.TIMESTAMP_TZ]
Time = Annotated[dt.time, Strict(), t.TIME]
Uuid = Annotated[str, Strict(), AfterValidator(_canonical_uuid), t.UUID]
Binary = Annotated[bytes, Strict(), t.BINARY]
Json = Annotated[str, Strict(), AfterValidator(_json_text), t.JSON]
Unknown = Annotated[object, t.UNKNOWN]
"""A column whose type no one declared; checked against the real schema before any row."""
