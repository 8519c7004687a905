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

FILE_NAME = "etlgen-manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Paths are relative to the output folder, ``/`` between parts. Hashes are SHA-256 in hexadecimal digits.

    Args:
        generator: Version of etlgen.
        engines: Engines for which steps were generated.
        pipelines: Contract name and sub-package, in the order in which they run.
        contracts: Hash of each contract file.
        files: Hash of each generated file, the manifest aside.
    """

    generator: str = VERSION
    engines: tuple[str, ...] = ()
    pipelines: tuple[tuple[str, str], ...] = ()
    contracts: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])

    def to_json(self) -> str:
        """Text of the file: keys sorted, one entry a line, so that changes merge well."""
        record = {
            "generator": self.generator,
            "engines": list(self.engines),
            "pipelines": [{"contract": name, "package": package} for name, package in self.pipelines],
            "contracts": dict(sorted(self.contracts.items())),
            "files": dict(sorted(self.files.items())),
        }
        return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def parse_manifest(text: str) -> Manifest | None:
    """The manifest in ``text``; ``None`` when it is damaged (then no file counts as written by etlgen)."""
    try:
        record = cast("object", json.loads(text))
    except ValueError:
        return None
    values = _texts(record)
    contracts, files = _texts(values.get("contracts")), _texts(values.get("files"))
    engines, pipelines = values.get("engines"), values.get("pipelines")
    if not (isinstance(values.get("files"), dict) and isinstance(engines, list) and isinstance(pipelines, list)):
        return None
    entries = [_texts(entry) for entry in cast("list[object]", pipelines)]
    return Manifest(
        generator=str(values.get("generator", "")),
        engines=tuple(str(engine) for engine in cast("list[object]", engines)),
        pipelines=tuple((str(entry.get("contract")), str(entry.get("package"))) for entry in entries),
        contracts={name: str(digest) for name, digest in contracts.items()},
        files={name: str(digest) for name, digest in files.items()},
    )


def _texts(value: object) -> dict[str, object]:
    """An object of JSON; anything else counts as an empty one."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def text_hash(text: str) -> str:
    """SHA-256 of a text file with line feeds, whatever the checkout made of them."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()
