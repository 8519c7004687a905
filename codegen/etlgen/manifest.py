"""The manifest of a generated package: from which contracts it came, and the hash of every file as it was written.

It is committed with the package. With it, a build tells its own files from the user's, an edit by hand from a stale file,
and which files are left over from contracts that are gone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from etlgen.version import VERSION

FILE_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Paths are relative to the output folder, ``/`` between parts. Hashes are SHA-256 in hexadecimal digits.

    Args:
        generator: Version of etlgen.
        engines: Engines for which steps were generated.
        contracts: Hash of each contract file.
        files: Hash of each generated file, the manifest aside.
    """

    generator: str = VERSION
    engines: tuple[str, ...] = ()
    contracts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """Text of the file: keys sorted, one entry a line, so that changes merge well."""
        record = {
            "generator": self.generator,
            "engines": list(self.engines),
            "contracts": dict(sorted(self.contracts.items())),
            "files": dict(sorted(self.files.items())),
        }
        return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def parse_manifest(text: str) -> Manifest | None:
    """The manifest in ``text``; ``None`` when it is damaged (then no file counts as written by etlgen)."""
    try:
        record = json.loads(text)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    values = cast("dict[str, object]", record)
    contracts, files, engines = values.get("contracts"), values.get("files"), values.get("engines")
    if not (isinstance(contracts, dict) and isinstance(files, dict) and isinstance(engines, list)):
        return None
    return Manifest(
        generator=str(values.get("generator", "")),
        engines=tuple(str(engine) for engine in cast("list[object]", engines)),
        contracts={str(k): str(v) for k, v in cast("dict[object, object]", contracts).items()},
        files={str(k): str(v) for k, v in cast("dict[object, object]", files).items()},
    )


def text_hash(text: str) -> str:
    """SHA-256 of a text file with line feeds, whatever the checkout made of them."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()
