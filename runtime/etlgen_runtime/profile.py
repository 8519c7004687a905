"""Profiles: how and where a contract runs. Declarative, frozen, printable; no code inside."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from etlgen_runtime.diagnostics import Diagnostic, PlanError


class Profile(BaseModel):
    """How and where a contract runs.

    Args:
        name: For reports.
        engine: ``polars``.
        root: Folder that relative paths of contracts are relative to.
        state_dir: Reports and staging, relative to ``root``.
        assets: Path of a source by contract name, or of a link as ``<contract>.<link>`` or ``<link>``; overrides the contract.
        target: Path of the target, overriding the contract; only for a run of one contract.
        as_of: Start of the run as the expressions see it (``current_timestamp``), aware; default: now.
        dry_run: Execute everything but steps 8 and 9.
        allow_empty_overwrite: An overwrite may replace data although every row was quarantined.
        drop_bad_rows: With ``quarantine.enabled: false``: drop bad rows instead of failing.
        sensitive: What the quarantine holds of sensitive columns: ``redact`` them, ``omit`` (NULL), or ``keep``.

    Raises:
        PlanError: PMPLAN103, from :meth:`load`, a key is unknown or a value has the wrong type.
    Source: validation, Profiles; semantics, section 6.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    name: str = "development"
    engine: str = "polars"
    root: Path = Path(".")
    state_dir: Path = Path(".etlgen")
    assets: Mapping[str, str] = {}
    target: str | None = None
    as_of: dt.datetime | None = None
    dry_run: bool = False
    allow_empty_overwrite: bool = False
    drop_bad_rows: bool = False
    sensitive: Literal["redact", "omit", "keep"] = "redact"

    @field_validator("as_of")
    @classmethod
    def _in_utc(cls, value: dt.datetime | None) -> dt.datetime | None:
        if value is None:
            return None
        return (value if value.tzinfo else value.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)

    @classmethod
    def load(cls, name: str, values: Mapping[str, object]) -> Self:
        """A profile from configuration values (a table of TOML or an object of JSON)."""
        try:
            return cls.model_validate({"name": name, **values})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            raise PlanError(
                Diagnostic(
                    code="PMPLAN103",
                    message=f"profile `{name}`: `{key}`: {first['msg']}",
                    help="known keys: " + ", ".join(key for key in cls.model_fields if key != "name"),
                )
            ) from None

    @property
    def state(self) -> Path:
        """The state folder, resolved against ``root``."""
        return self.root / self.state_dir

    def risks(self) -> tuple[str, ...]:
        """What this profile loosens; printed first by ``etlgen plan``."""
        found: list[str] = []
        if self.allow_empty_overwrite:
            found.append("an overwrite may replace data although every row was quarantined (allow_empty_overwrite)")
        if self.drop_bad_rows:
            found.append("bad rows are dropped where quarantine is disabled (drop_bad_rows)")
        if self.sensitive == "keep":
            found.append("the quarantine holds sensitive values (sensitive: keep)")
        return tuple(found)


DEVELOPMENT = Profile()
"""Polars, paths relative to the working directory."""
