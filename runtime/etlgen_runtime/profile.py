"""Profiles: how and where a contract runs. Declarative, frozen, printable; no code inside."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    field_validator,
    model_validator,
)

from etlgen_runtime.diagnostics import Diagnostic, PlanError
from etlgen_runtime.limits import LIMIT_KEYS, Limits

_YES_OR_NO = "true or false"
_EXPECTED = {
    "name": "a text",
    "engine": "the name of an engine in quotes",
    "root": "a folder in quotes",
    "state_dir": "a folder in quotes",
    "assets": "a table of paths in quotes, by the name of a contract or link",
    "target": "a path in quotes",
    "allowed_folders": 'a list of folders in quotes: allowed_folders = ["/data/shared"]',
    "as_of": "a time in ISO 8601, such as 2024-03-01T12:00:00Z",
    "dry_run": _YES_OR_NO,
    "allow_empty_overwrite": _YES_OR_NO,
    "drop_bad_rows": _YES_OR_NO,
    "sensitive": "`redact`, `omit` or `keep`",
    "limits": "a table of whole numbers above 0 with the keys " + ", ".join(f"`{key}`" for key in LIMIT_KEYS),
}
"""What each key of a profile holds."""

KEYS = tuple(key for key in _EXPECTED if key != "name")
"""What a table of a configuration may set; its name stands above it."""


@dataclass(frozen=True, slots=True)
class ProfileFault:
    """A key of a profile that does not fit.

    Args:
        profile: The profile's name.
        key: As written; of a value inside a table the path to it (``assets.orders``); ``""``: the profile is no table.
        known: There is such a key, and its value is wrong.
    """

    profile: str
    key: str
    known: bool

    @property
    def message(self) -> str:
        if not self.key:
            return f"profile `{self.profile}` is no table of keys and values"
        if self.known:
            return f"the value of `{self.key}` in profile `{self.profile}` does not fit"
        return f"profile `{self.profile}` has the unknown key `{self.key}`"

    @property
    def expected(self) -> str:
        if not self.key:
            return "a table of TOML, or an object of JSON"
        if self.known:
            return _EXPECTED[self.key.partition(".")[0]]
        keys = LIMIT_KEYS if self.key.startswith("limits.") else KEYS
        return f"one of {', '.join(f'`{key}`' for key in keys)}"

    @property
    def help(self) -> str:
        if not self.key:
            return "write `key = value` lines, or an object in braces"
        return "correct the value, or remove the key" if self.known else "rename it, or remove it"


class ProfileError(PlanError):
    """A profile does not fit: PMPLAN103. ``diagnostic`` is that of the first of ``faults``, the text says all of them."""

    def __init__(self, faults: tuple[ProfileFault, ...]) -> None:
        self.faults = faults
        first, *others = (f"{fault.message}: expected {fault.expected}" for fault in faults)
        super().__init__(Diagnostic(code="PMPLAN103", message="; ".join((first, *others)), help=faults[0].help))


class Profile(BaseModel):
    """How and where a contract runs.

    Args:
        name: For reports.
        engine: ``polars``.
        root: Folder that relative paths of contracts are relative to.
        state_dir: Reports, journal and staging, relative to ``root``.
        assets: Path of a source by contract name, or of a link as ``<contract>.<link>`` or ``<link>``; overrides the contract.
        target: Path of the target, overriding the contract; only for a run of one contract.
        allowed_folders: Folders outside of ``root`` in which paths of contracts may lie; what ``assets`` and ``target`` name is
            allowed by being named there.
        as_of: Start of the run as the expressions see it (``current_timestamp``), aware; default: now.
        dry_run: Execute everything but steps 8 and 9.
        allow_empty_overwrite: An overwrite may replace data although every row was quarantined.
        drop_bad_rows: With ``quarantine.enabled: false``: drop bad rows instead of failing.
        sensitive: What the quarantine holds of sensitive columns: ``redact`` them, ``omit`` (NULL), or ``keep``.
        limits: How large an input may be before it is refused.

    Raises:
        ProfileError: PMPLAN103, keys are unknown or values have the wrong type.
    Source: validation, Profiles; semantics, section 6.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    name: str = "development"
    engine: str = "polars"
    root: Path = Path(".")
    state_dir: Path = Path(".etlgen")
    assets: Mapping[str, str] = {}
    target: str | None = None
    allowed_folders: tuple[str, ...] = ()
    as_of: dt.datetime | None = None
    dry_run: bool = False
    allow_empty_overwrite: bool = False
    drop_bad_rows: bool = False
    sensitive: Literal["redact", "omit", "keep"] = "redact"
    limits: Limits = Limits()

    @field_validator("root", "state_dir", "target")
    @classmethod
    def _can_be_a_path(cls, value: Path | str | None) -> Path | str | None:
        if value is not None and "\0" in str(value):
            raise ValueError("no file system has the character NUL in a path")
        return value

    @field_validator("allowed_folders")
    @classmethod
    def _are_folders(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if any(not value or "\0" in value for value in values):
            raise ValueError("an empty text or one with the character NUL is no folder")
        return values

    @field_validator("as_of")
    @classmethod
    def _in_utc(cls, value: dt.datetime | None) -> dt.datetime | None:
        if value is None:
            return None
        try:
            return (value if value.tzinfo else value.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
        except OverflowError:
            raise ValueError("in UTC the time lies outside the years 1 to 9999") from None

    @model_validator(mode="wrap")
    @classmethod
    def _said_in_words(cls, values: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Pydantic's findings as those of a profile."""
        try:
            return handler(values)
        except ValidationError as error:
            name = cast("Mapping[object, object]", values).get("name") if isinstance(values, Mapping) else None
            raise ProfileError(_faults(name if isinstance(name, str) else "development", error)) from None

    @classmethod
    def load(cls, name: str, values: Mapping[str, object]) -> Self:
        """A profile from configuration values (a table of TOML or an object of JSON).

        Raises:
            ProfileError: PMPLAN103, keys are unknown or values have the wrong type.
        """
        if "name" in values:
            raise ProfileError((ProfileFault(name, "name", known=False),))
        return cls.model_validate({"name": name, **values})

    @property
    def state(self) -> Path:
        """The state folder, resolved against ``root``."""
        return self.root / self.state_dir

    def require_own_targets(self) -> None:
        """For a run of several contracts: each writes to its own target.

        Raises:
            PlanError: PMPLAN111, ``target`` would send all of them to one place, each overwriting the one before.
        """
        if self.target is not None:
            raise PlanError(
                Diagnostic(
                    code="PMPLAN111",
                    message=f"`target` of profile `{self.name}` means one contract, and several would run",
                    help="remove `target` from the profile, or run one contract",
                )
            )

    def risks(self) -> tuple[str, ...]:
        """What this profile loosens; printed first by ``etlgen plan``."""
        found: list[str] = []
        if self.allowed_folders:
            found.append(f"contracts may also read and write in {', '.join(self.allowed_folders)} (allowed_folders)")
        if self.allow_empty_overwrite:
            found.append("an overwrite may replace data although every row was quarantined (allow_empty_overwrite)")
        if self.drop_bad_rows:
            found.append("bad rows are dropped where quarantine is disabled (drop_bad_rows)")
        if self.sensitive == "keep":
            found.append("the quarantine holds sensitive values (sensitive: keep)")
        return tuple(found)


def _faults(profile: str, error: ValidationError) -> tuple[ProfileFault, ...]:
    """One fault for each key: a union and the entries of a table give Pydantic several findings about one value."""
    found: dict[ProfileFault, None] = {}
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        key = ".".join(str(part) for part in fault["loc"])
        known = fault["type"] != "extra_forbidden"
        found[ProfileFault(profile, key, known)] = None
    return tuple(found)


DEVELOPMENT = Profile()
"""Polars, paths relative to the working directory."""
