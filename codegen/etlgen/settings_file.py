"""A file of settings, TOML or JSON: its values, and where each key is written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from etlgen.diagnostics.model import ContractError, Diagnostic, Position


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """``display``: the path as diagnostics show it."""

    display: str
    text: str
    values: Mapping[str, object]

    def place_of(self, key: str, section: str = "") -> Position:
        """Where ``key`` of a table (``tool.etlgen``; ``""``: the top) is written; else that table, else the top of the file."""
        if self.display.endswith(".json"):
            return self._place_in_json(key)
        dotted = f"{section}.{key}" if section else key
        inside, table = not section, Position(self.display)
        for number, line in enumerate(self.text.splitlines(), start=1):
            header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
            if header:
                at = Position(self.display, number, line.index("[") + 1, len(line.strip()))
                inside = header[1] == section
                if header[1] == dotted or header[1].startswith(f"{dotted}."):
                    return at
                table = at if inside else table
            written = re.match(rf"\s*([\"']?){re.escape(key)}\1\s*[.=]", line)
            if inside and written:
                return Position(self.display, number, len(line) - len(line.lstrip()) + 1, len(key))
        return table

    def _place_in_json(self, key: str) -> Position:
        quoted = json.dumps(key)
        for number, line in enumerate(self.text.splitlines(), start=1):
            written = re.search(rf"{re.escape(quoted)}\s*:", line)
            if written:
                return Position(self.display, number, written.start() + 1, len(quoted))
        return Position(self.display)


def read_settings_file(path: Path, display: str) -> SettingsFile:
    """Read a file; ``.json`` is JSON, anything else TOML.

    Raises:
        ContractError: GEN-009, the system refuses; GEN-002, it is no TOML or JSON, or JSON that is no object.
    """
    kind = "JSON" if display.endswith(".json") else "TOML"
    try:
        text = path.read_bytes().decode("utf-8-sig" if kind == "JSON" else "utf-8")
        values = cast("object", json.loads(text) if kind == "JSON" else tomllib.loads(text))
    except OSError as error:
        problem = f"`{display}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise ContractError((Diagnostic("GEN-009", problem, help="give etlgen the right to read it"),)) from None
    except UnicodeDecodeError:
        raise _unparsable(display, kind, "it is not UTF-8 text") from None
    except RecursionError:
        raise _unparsable(display, kind, "it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _unparsable(display, kind, error.msg, Position(display, error.lineno, error.colno)) from None
    except ValueError as error:
        raise _unparsable(display, kind, *_said_by_tomllib(error, display)) from None
    if not isinstance(values, dict):
        raise _unparsable(display, kind, "it is not an object of keys and values")
    return SettingsFile(display, text, cast("dict[str, object]", values))


def _said_by_tomllib(error: ValueError, display: str) -> tuple[str, Position]:
    """The reason, and the place that stands at the end of it. A number of thousands of digits is refused without a place."""
    reason = str(error)
    found = re.search(r"\(at line (\d+), column (\d+)\)", reason)
    at = Position(display, int(found[1]), int(found[2])) if found else Position(display)
    return re.sub(r"\s*\(at [^)]*\)", "", reason), at


def _unparsable(display: str, kind: str, reason: str, at: Position | None = None) -> ContractError:
    message = f"`{display}` is not valid {kind}: {reason[:1].lower()}{reason[1:]}"
    return ContractError((Diagnostic("GEN-002", message, at or Position(display), help="correct it"),))
