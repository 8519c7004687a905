"""The nine steps as one list, which ``etlgen plan`` prints and the emitter walks (semantics, section 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from etlgen.contract import Contract
from etlgen.plan import PlannedDatasetCheck, PlannedOperation, PlannedRowCheck, Schema, Section, Step
from etlgen.spelling import code, codes


def nine_steps(
    contract: Contract,
    schemas: Sequence[Schema],
    sections: tuple[Section, Section],
    checks: tuple[Sequence[PlannedRowCheck], Sequence[PlannedRowCheck]],
    dataset_checks: tuple[Sequence[PlannedDatasetCheck], Sequence[PlannedDatasetCheck]],
) -> tuple[Step, ...]:
    """The steps in order.

    Args:
        schemas: source, prepared, typed, enriched, output, published.
        sections: Steps 2 and 6.
        checks: Row checks of steps 4 and 7.
        dataset_checks: Those over the good rows after step 5, and over the accepted rows after step 7.
    """
    source, prepared, typed, enriched, output, published = schemas
    pre, post = sections
    return (
        _step(1, "source", "source", _source(contract, source), source, source),
        _step(2, "pre_transforms", "pre-transforms", _operations(pre), source, prepared),
        _step(3, "schema", "schema", _casts(prepared, typed), prepared, typed),
        _step(4, "pre_quality", "pre-quality", [_row_check(check) for check in checks[0]], typed, typed),
        _step(5, "split", "good / bad", _split(contract, dataset_checks[0]), typed, typed),
        _step(6, "post_transforms", "post-transforms", [*_operations(post), *_casts(enriched, output)], typed, output),
        _step(7, "post_quality", "post-quality", _post_quality(checks[1], dataset_checks[1]), output, output),
        _step(8, "materialize", "materialize", _target(contract), output, published),
        _step(9, "cleanup", "cleanup", _cleanup(contract), published, published),
    )


def _step(number: int, key: str, title: str, details: Iterable[str], before: Schema, after: Schema) -> Step:
    return Step(number, key, title, tuple(details), before.names, after.names)


def _source(contract: Contract, rows: Schema) -> list[str]:
    source = contract.source
    if source is None:
        details = ["rows given by the caller, or the asset that the profile names"]
    else:
        where = f" {code(source.path)}" if source.path else ""
        pattern = f", files {code(source.pattern)}" if source.pattern else ""
        details = [f"read {source.format or source.type}{where}{pattern}"]
    undeclared = [column.name for column in rows.columns if column.origin == "undeclared"]
    if undeclared:
        details.append(f"undeclared columns that are read: {codes(undeclared)}")
    if contract.unknown_fields != "allow":
        details.append(f"other undeclared columns: {contract.unknown_fields}")
    return details


def _operations(section: Section) -> list[str]:
    return [_operation(operation) for operation in section.operations]


def _operation(operation: PlannedOperation) -> str:
    return f"{operation.number}. {operation.title} ({operation.reason})"


def _casts(before: Schema, after: Schema) -> list[str]:
    types = {column.name: column.type for column in before.columns}
    return [
        f"cast {code(column.name)} from {types[column.name]} to {column.type}"
        for column in after.columns
        if column.name in types and types[column.name] != column.type
    ]


def _row_check(check: PlannedRowCheck) -> str:
    return f"{code(check.name)} ({check.severity}): {code(check.sql)} ({check.reason})"


def _dataset_check(check: PlannedDatasetCheck) -> str:
    return f"dataset rule {code(check.name)} ({check.severity}): {code(check.sql)} ({check.reason})"


def _split(contract: Contract, dataset_checks: Sequence[PlannedDatasetCheck]) -> list[str]:
    quarantine = contract.quarantine
    if quarantine.enabled:
        where = code(quarantine.target) if quarantine.target else "the quarantine beside the target"
        details = [f"bad rows go to {where} ({quarantine.format}, {quarantine.write_mode}) with rule and reason"]
    else:
        details = ["quarantine is not enabled: a bad row fails the run"]
    return details + [_dataset_check(check) for check in dataset_checks]


def _post_quality(checks: Sequence[PlannedRowCheck], dataset_checks: Sequence[PlannedDatasetCheck]) -> list[str]:
    return [_row_check(check) for check in checks] + [_dataset_check(check) for check in dataset_checks]


def _target(contract: Contract) -> list[str]:
    target = contract.materialization
    where = code(target.target_path) if target.target_path else f"the default target of {code(contract.name)}"
    details = [f"{target.strategy} to {where} ({target.format})"]
    if contract.unknown_fields == "drop":
        details.append("undeclared source columns are not written")
    return details


def _cleanup(contract: Contract) -> list[str]:
    source = contract.source
    if source is None or source.post_ingestion == "retain":
        return ["retain the input"]
    where = f" to {code(source.archive_path)}" if source.archive_path else ""
    return [f"{source.post_ingestion} the files that were read{where}"]
