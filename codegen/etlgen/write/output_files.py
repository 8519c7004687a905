"""From ``{path: text}`` to files: what changed, what is in the way, what is left over; then writing, all or nothing.

Emission is :mod:`etlgen.emit`; nothing here knows what the files mean. ``etlgen build``, ``build --check``, ``etlgen run`` and
the tests share this module.
"""

from __future__ import annotations

import difflib
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.write.manifest import FILE_NAME, Manifest, parse_manifest, text_hash

Kind = Literal["created", "updated", "removed"]
Conflict = Literal["edited", "foreign"]


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a build would touch.

    Args:
        kind: What happens to it.
        path: Relative to the output folder.
        old: Its text on disk; ``None`` when there is none.
        new: Its text after the build; ``None`` when it goes.
        conflict: ``edited``: a generated file was changed by hand; ``foreign``: etlgen did not write it.
    """

    kind: Kind
    path: str
    old: str | None
    new: str | None
    conflict: Conflict | None = None


def changes(output: Path, package: str, texts: Mapping[str, str], manifest: Manifest | None) -> tuple[Change, ...]:
    """What differs between the disk and the texts, sorted by path. Files that neither names are not looked at.

    Args:
        output: Folder of the generated package.
        package: Folder of the package below ``output``.
        texts: Every generated file, the manifest included.
        manifest: The manifest on disk: which files etlgen wrote last time, and with what content.
    """
    written = dict(manifest.files) if manifest else {}
    found: list[Change] = []
    for path in sorted({*texts, *(path for path in written if _is_inside(path, package))}):
        old, new = _read(output, path), texts.get(path)
        if old == new:
            continue
        kind: Kind = "removed" if new is None else "created" if old is None else "updated"
        found.append(Change(kind, path, old, new, _conflict(path, old, written)))
    return tuple(found)


def stale(found: Iterable[Change]) -> tuple[Change, ...]:
    """The changes that count for ``--check``: a new version stamp alone is no drift."""
    return tuple(c for c in found if c.old is None or c.new is None or _without_stamps(c.old) != _without_stamps(c.new))


def conflicts(found: Iterable[Change]) -> tuple[Diagnostic, ...]:
    """GEN-006 and GEN-007: the files that only ``--force`` overwrites."""
    return tuple(_conflict_diagnostic(change) for change in found if change.conflict)


def unified_diff(found: Iterable[Change]) -> str:
    """The changes as one patch: the disk against what a build would write."""
    out: list[str] = []
    for change in found:
        old = (change.old or "").splitlines(keepends=True)
        new = (change.new or "").splitlines(keepends=True)
        before = "/dev/null" if change.old is None else f"a/{change.path}"
        after = "/dev/null" if change.new is None else f"b/{change.path}"
        lines = list(difflib.unified_diff(old, new, before, after)) or [f"--- {before}\n", f"+++ {after}\n"]
        out.extend(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(out)


def apply(output: Path, package: str, found: Sequence[Change]) -> None:
    """Carry out the changes: every file is replaced as a whole, the manifest last; empty folders go.

    Raises:
        ContractError: GEN-009, the system refused; files not yet replaced are as they were.
    """
    last = manifest_path(package)
    writes = sorted((c for c in found if c.new is not None), key=lambda c: (c.path == last, c.path))
    staged: list[tuple[Path, Path]] = []
    try:
        for change in writes:
            target = output / change.path
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.append((_stage(target, change.new or ""), target))
        for change in found:
            if change.new is None:
                (output / change.path).unlink(missing_ok=True)
                _remove_empty(output / change.path, output)
        while staged:
            temporary, target = staged[0]
            os.replace(temporary, target)
            staged.pop(0)
    except OSError as error:
        raise ContractError((unwritable(error),)) from None
    finally:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)


def manifest_on_disk(output: Path, package: str) -> Manifest | None:
    """The manifest of the last build; ``None`` when there is none or it is damaged."""
    text = _read(output, manifest_path(package))
    return None if text is None else parse_manifest(text)


def manifest_path(package: str) -> str:
    """Where the manifest lies, relative to the output folder."""
    return f"{package}/{FILE_NAME}"


def with_manifest(package: str, texts: Mapping[str, str], manifest: Manifest) -> dict[str, str]:
    """The texts and the manifest with their hashes added to those it holds."""
    files = {**manifest.files, **{path: text_hash(text) for path, text in texts.items()}}
    return {**texts, manifest_path(package): replace(manifest, files=files).to_json()}


def with_itself(package: str, manifest: Manifest) -> Manifest:
    """The manifest with its own file among those it names, for the removal of everything."""
    return replace(manifest, files={**manifest.files, manifest_path(package): ""})


def is_as_written(output: Path, manifest: Manifest) -> bool:
    """Every file of the manifest is on disk with the content that etlgen wrote."""
    return all(
        (text := _read(output, path)) is not None and text_hash(text) == digest
        for path, digest in manifest.files.items()
    )


def unwritable(error: OSError) -> Diagnostic:
    """GEN-009 for an error of the file system."""
    where = f"`{Path(error.filename).name}` " if isinstance(error.filename, str) else ""
    message = f"{where}cannot be written: {(error.strerror or str(error)).lower()}"
    return Diagnostic("GEN-009", message, help="give etlgen write access to the output folder")


def _conflict(path: str, old: str | None, written: Mapping[str, str]) -> Conflict | None:
    if old is None or path.endswith(f"/{FILE_NAME}"):
        return None
    if path not in written:
        return None if _is_sealed(old) else "foreign"
    return None if text_hash(old) == written[path] else "edited"


def _is_sealed(text: str) -> bool:
    """A file whose own header says that etlgen wrote it just so: the manifest was lost, not the file edited."""
    from etlgen.emit import is_untouched

    return is_untouched(text)


def _conflict_diagnostic(change: Change) -> Diagnostic:
    fix = "overwrite it with `etlgen build --force`"
    if change.conflict == "foreign":
        return Diagnostic(
            "GEN-007", f"`{change.path}` is in the way: etlgen did not write it", help=f"move it, or {fix}"
        )
    verb = "would be removed" if change.new is None else "is out of step with its contract"
    message = f"generated file `{change.path}` was edited by hand and {verb}"
    return Diagnostic("GEN-006", message, help=f"move the change into the contract or code of your own, then {fix}")


def _is_inside(path: str, package: str) -> bool:
    """A damaged or hostile manifest must not name a file elsewhere for removal."""
    parts = PurePosixPath(path).parts
    return len(parts) > 1 and parts[0] == package and ".." not in parts


def _read(output: Path, path: str) -> str | None:
    try:
        return (output / path).read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ContractError((unwritable(error),)) from None


def _stage(target: Path, text: str) -> Path:
    handle, name = tempfile.mkstemp(prefix=".etlgen-", dir=target.parent)
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    os.chmod(name, 0o644)
    return Path(name)


def _remove_empty(path: Path, top: Path) -> None:
    """Remove the folders that a removed file leaves empty but for bytecode, the package itself included."""
    for folder in path.parents:
        if folder == top or top not in folder.parents or not folder.is_dir():
            return
        cache = folder / "__pycache__"
        if {entry.name for entry in folder.iterdir()} <= {"__pycache__"}:
            if cache.is_dir():
                for entry in cache.iterdir():
                    entry.unlink()
                cache.rmdir()
            folder.rmdir()


def _without_stamps(text: str) -> str:
    """Text without the generator's version and the hashes that follow from it."""
    text = re.sub(r"etlgen \d+(\.\d+)+\S*", "etlgen", text)
    text = re.sub(r'"generator": "[^"]*"', '"generator"', text)
    return re.sub(r"\b[0-9a-f]{64}\b", "hash", text) if '"generator"' in text else text
