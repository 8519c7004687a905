"""What a run reads: the files of the source and of the links, by the contract or by the profile in its place."""

from __future__ import annotations

from typing import Any

from etlgen_runtime.contract import Contract, Link, Source
from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.files import InputFiles, find_files, format_of_asset
from etlgen_runtime.paths import AllowedFolders
from etlgen_runtime.profile import Profile


def source_files(
    contract: Contract, profile: Profile, source: Source[Any]
) -> tuple[InputFiles | None, Diagnostic | None]:
    """The files of step 1; none, with the reason, where the run is skipped.

    Raises:
        DataError: PMPLAN104, there is no path; PMDATA103, it does not exist; PMDATA109, nothing matches and
            ``empty_behavior`` is ``fail``.
        PlanError: PMPLAN105, PMPLAN120, PMPLAN121.
    """
    node = f"source `{source.name}`"
    is_asset = contract.name in profile.assets
    path = profile.assets.get(contract.name, source.path)
    if path is None:
        raise DataError(_no_path(node, contract.name))
    allowed = AllowedFolders.of(profile)
    if source.post_ingestion == "archive":
        archive = source.archive_path or "archive"
        allowed.require(profile.root / archive, f"the archive of {node}", archive)
    files = find_files(
        profile.root,
        path,
        pattern=None if is_asset else source.pattern,
        format=format_of_asset(path, source.format) if is_asset else source.format,
        node=node,
        allowed=allowed if not is_asset else allowed.named_by_profile(path),
    )
    if files is not None:
        return files, None
    if source.empty_behavior == "fail":
        raise DataError(_nothing_matches(node, path, source))
    message = f"{node}: nothing matches `{path}`; the run is skipped"
    return None, Diagnostic(code="PMDATA109", message=message, severity="info", node="source")


def link_files(contract: Contract, profile: Profile, link: Link[Any]) -> InputFiles:
    """The files of reference data.

    Raises:
        DataError: PMDATA103, there are none.
        PlanError: PMPLAN105, PMPLAN120, PMPLAN121.
    """
    asset = profile.assets.get(f"{contract.name}.{link.name}", profile.assets.get(link.name))
    path = link.path if asset is None else asset
    allowed = AllowedFolders.of(profile)
    files = find_files(
        profile.root,
        path,
        pattern=None,
        format=link.format if path == link.path else format_of_asset(path, link.format),
        node=f"link `{link.name}`",
        allowed=allowed if asset is None else allowed.named_by_profile(asset),
    )
    if files is None:
        message = f"link `{link.name}`: nothing matches `{path}`"
        raise DataError(Diagnostic(code="PMDATA103", message=message, node="source"))
    return files


def _no_path(node: str, asset: str) -> Diagnostic:
    return Diagnostic(
        code="PMPLAN104",
        message=f"{node} has no path",
        node="source",
        help=f"write `source.path`, or name the asset `{asset}` in the profile",
    )


def _nothing_matches(node: str, path: str, source: Source[Any]) -> Diagnostic:
    return Diagnostic(
        code="PMDATA109",
        message=f"{node}: nothing matches `{path}`" + (f" / `{source.pattern}`" if source.pattern else ""),
        node="source",
        help="`empty_behavior: skip` skips such a run",
    )
