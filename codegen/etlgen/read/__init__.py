"""Stage 1, Read: YAML text to a :class:`~etlgen.contract.Contract`; every node keeps its place in the file."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

from etlgen.contract import Contract
from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.read.nodes import MappingNode
from etlgen.read.yaml_source import DEFAULT_LIMITS, Limits, check_size, read_tree

__all__ = ["Limits", "read_contract", "read_text"]


def read_contract(path: Path, *, display: str | None = None, limits: Limits = DEFAULT_LIMITS) -> tuple[Contract, ...]:
    """The contracts of one file: one for OLC, one for each schema object of ODCS.

    Args:
        path: The file.
        display: The path shown in diagnostics and kept in ``Contract.file`` (relative, with ``/``); default ``path``.
        limits: What the file may cost.

    Raises:
        ContractError: All errors of the file (CTR, TYP, ODCS); CTR-014 when it cannot be read.
    """
    shown = display if display is not None else path.as_posix()
    try:
        check_size(path.stat().st_size, shown, limits)
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        message = f"the contract cannot be read: {reason}"
        raise ContractError((Diagnostic("CTR-014", message, Position(shown), help="check the path"),)) from None
    return read_text(data, shown, limits=limits)


def read_text(data: bytes, display: str, *, limits: Limits = DEFAULT_LIMITS) -> tuple[Contract, ...]:
    """As :func:`read_contract`, from the bytes of the file."""
    tree = read_tree(data, display, limits)
    digest = hashlib.sha256(data).hexdigest()
    if _is_odcs(tree, display):
        from etlgen.read.odcs.document import read_odcs  # most projects hold one vocabulary

        return read_odcs(tree, display, digest)
    from etlgen.read.olc.document import read_olc

    return (read_olc(tree, display, digest),)


def _is_odcs(tree: MappingNode, display: str) -> bool:
    """The name ``*.odcs.yaml``, or ``apiVersion`` with ``kind``, which OLC does not have: then the name does not count."""
    name = PurePosixPath(display).name.lower()
    if name.endswith((".odcs.yaml", ".odcs.yml", ".odcs.json")):
        return True
    return "apiVersion" in tree.entries and "kind" in tree.entries
