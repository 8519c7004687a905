"""The places a contract reads and writes, as the runtime will take them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from etlgen.contract import Contract
from etlgen.diagnostics.model import Position
from etlgen_runtime.default_paths import default_target, quarantine_beside

Role = Literal["source", "link", "target", "quarantine", "archive"]


@dataclass(frozen=True, slots=True)
class Place:
    """A path that a contract reads or writes.

    Args:
        what: For people: ``the target``, ``link `countries```.
        path: As written, or the default; relative to the root of the run.
        written: The author wrote it; otherwise it follows from the names.
        suffix: Of the files that a run writes there, with its point; empty: any.
    """

    contract: Contract
    role: Role
    what: str
    path: str
    at: Position
    written: bool = True
    suffix: str = ""


def target_path(contract: Contract) -> str:
    """Where step 8 writes: as written, else ``data/<layer>/<table>`` (materialization, Sources)."""
    return contract.materialization.target_path or default_target(contract.layer, contract.name)


def outputs(contract: Contract) -> Iterator[Place]:
    """The target, the quarantine if there is one, and the folder of archived files."""
    target, quarantine, source = contract.materialization, contract.quarantine, contract.source
    at = target.at or contract.at
    path = target_path(contract)
    yield Place(
        contract, "target", "the target", path, at, written=target.target_path is not None, suffix=f".{target.format}"
    )
    if quarantine.enabled:
        is_file = path.lower().endswith(f".{target.format}")
        beside = str(quarantine_beside(PurePosixPath(path), is_file=is_file))
        yield Place(
            contract,
            "quarantine",
            "the quarantine",
            quarantine.target or beside,
            quarantine.at or at,
            written=quarantine.target is not None,
            suffix=".jsonl" if quarantine.format == "json" else f".{quarantine.format}",
        )
    if source is not None and source.post_ingestion == "archive" and source.archive_path:
        yield Place(contract, "archive", "the archive", source.archive_path, source.at)


def inputs(contract: Contract) -> Iterator[Place]:
    """The source and the links that lie in files."""
    if contract.source is not None and contract.source.path:
        yield Place(contract, "source", "the source", contract.source.path, contract.source.at)
    for link in contract.links:
        if link.path:
            yield Place(contract, "link", f"link `{link.name.value}`", link.path, link.at)
