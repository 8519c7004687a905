"""How large an input may be: beyond these sizes a file is taken for damaged or hostile, and refused."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Size = Annotated[int, Field(strict=True, ge=1)]


class Limits(BaseModel):
    """Sizes at which reading stops (materialization, Sources). Each refusal names its setting.

    Args:
        record_bytes: The longest CSV record in bytes, line end included, and the longest JSON object in characters. A quote or
            bracket that is never closed makes a record of the rest of the file.
        columns: The most columns a file may have; a header without line end, or JSON objects with keys made of data, have more.
            The time of a run grows with the square of them.
        unpacked_bytes: The most bytes that a compressed file may hold.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    record_bytes: Size = 1 << 26
    columns: Size = 2_000
    unpacked_bytes: Size = 1 << 34


DEFAULT_LIMITS = Limits()
LIMIT_KEYS = tuple(Limits.model_fields)


def setting(name: str) -> str:
    """A limit as a refusal names it."""
    return f"`limits.{name}` of the profile"
