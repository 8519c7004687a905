"""Stage 1, Read: YAML text to a :class:`~etlgen.contract.Contract`; every node keeps its place in the file."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path, PurePosixPath

from etlgen.contract import Contract
from etlgen.contract_limits import DEFAULT_LIMITS, Limits
from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.read.breakage import PartlyRead
from etlgen.read.nodes import MappingNode
from etlgen.read.secrets import refusals, secrets_of, without_secrets
from etlgen.read.yaml_source import check_size, read_tree

__all__ = ["NOTHING", "PartlyRead", "read_contract", "read_text"]

NOTHING = "ODCS-E201"
"""Code of valid documents of which nothing can be built: an error of the build, not of lint (odcs, section 1)."""


def read_contract(path: Path, *, display: str | None = None, limits: Limits = DEFAULT_LIMITS) -> tuple[Contract, ...]:
    """The contracts of one file: one for OLC, one for each schema object of ODCS.

    Args:
        path: The file.
        display: The path shown in diagnostics and kept in ``Contract.file`` (relative, with ``/``); default ``path``.
        limits: What the file may cost.

    Raises:
        ContractError: All errors of the file (CTR, TYP, ODCS, SEC-003), as ``PartlyRead`` where it is YAML; CTR-014 when it cannot be read.
    """
    shown = display if display is not None else path.as_posix()
    try:
        check_size(path.stat().st_size, shown, limits)
        with path.open("rb") as file:
            data = file.read(limits.contract_bytes + 1)  # the file may have grown since
    except OSError as error:
        reason = error.strerror or type(error).__name__
        message = f"the contract cannot be read: {reason}"
        raise ContractError((Diagnostic("CTR-014", message, Position(shown), help="check the path"),)) from None
    return read_text(data, shown, limits=limits)


def read_text(data: bytes, display: str, *, limits: Limits = DEFAULT_LIMITS) -> tuple[Contract, ...]:
    """As :func:`read_contract`, from the bytes of the file."""
    try:
        tree = read_tree(data, display, limits)
    except ContractError as error:
        if not _looks_like_odcs(data, display):
            raise
        raise ContractError(tuple(_of_odcs(found) for found in error.diagnostics)) from None
    secrets = tuple(secrets_of(tree))
    if not secrets:
        return _contracts(tree, data, display)
    found: tuple[Diagnostic, ...] = ()
    try:
        found = tuple(each for one in _contracts(tree, data, display) for each in one.diagnostics)
    except ContractError as error:
        found = error.diagnostics
    code = "ODCS-E109" if _is_odcs(tree, display) else "SEC-003"
    raise ContractError(without_secrets((*found, *refusals(secrets, code)), secrets))


def _contracts(tree: MappingNode, data: bytes, display: str) -> tuple[Contract, ...]:
    digest = hashlib.sha256(data).hexdigest()
    if _is_odcs(tree, display):
        from etlgen.read.odcs.document import read_odcs  # most projects hold one vocabulary

        return read_odcs(tree, display, digest)
    from etlgen.read.olc.document import read_olc

    return (read_olc(tree, display, digest),)


def _is_odcs(tree: MappingNode, display: str) -> bool:
    """The name ``*.odcs.yaml``, or ``apiVersion`` with ``kind``, which OLC does not have: then the name does not count."""
    return _named_odcs(display) or ("apiVersion" in tree.entries and "kind" in tree.entries)


def _named_odcs(display: str) -> bool:
    return PurePosixPath(display).name.lower().endswith((".odcs.yaml", ".odcs.yml", ".odcs.json"))


def _looks_like_odcs(data: bytes, display: str) -> bool:
    """As :func:`_is_odcs`, where there is no tree."""
    keys = (rb"""(?:^|[{,])[ ]*["']?%s["']?[ ]*:""" % key for key in (b"apiVersion", b"kind"))
    return _named_odcs(display) or all(re.search(key, data, re.MULTILINE) for key in keys)


def _of_odcs(found: Diagnostic) -> Diagnostic:
    """What keeps YAML from being read is one code there (odcs, section 11); the size of a file is no matter of the format."""
    return found if found.code == "CTR-001" else replace(found, code="ODCS-E101")
