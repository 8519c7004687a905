"""Plans and findings of contracts written in the tests."""

from __future__ import annotations

from textwrap import dedent, indent

from etlgen.contract import Contract
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.plan import Plan, PlannedDatasetCheck, PlannedRowCheck
from etlgen.read import read_text
from etlgen.resolve import resolve

HEAD = "version: 1.0.0\ninfo: {title: Orders, table_name: orders}\n"
CSV = "source: {type: landing, path: data/orders.csv, format: csv}\n"
PARQUET = "source: {type: landing, path: data/orders.parquet, format: parquet}\n"


def text(fields: str, rest: str = "", *, source: str = CSV) -> str:
    """The YAML of a contract: ``fields`` one flow mapping a line without the dash, ``rest`` the other blocks."""
    items = "".join(f"    - {{ {line.strip()} }}\n" for line in fields.strip().splitlines())
    return f"{HEAD}{source}model:\n  fields:\n{items}{dedent(rest)}"


def operations(*entries: str) -> str:
    """A ``transformations`` block; each entry is ``trim: {...}``, with ``| pre`` or ``| post`` behind it for a phase."""
    lines = ["transformations:"]
    for entry in entries:
        body, _, phase = entry.partition(" | ")
        lines.append(f"  - {body}")
        if phase:
            lines.append(f"    phase: {phase}")
    return "\n".join(lines) + "\n"


def row_rules(*entries: str) -> str:
    """A ``quality.row_rules`` block of flow mappings."""
    return "quality:\n  row_rules:\n" + "".join(f"    - {{ {entry} }}\n" for entry in entries)


def dataset_rules(*entries: str) -> str:
    return "quality:\n  dataset_rules:\n" + "".join(f"    - {{ {entry} }}\n" for entry in entries)


def source_fields(*entries: str) -> str:
    return "extensions:\n  etlgen.source_fields:\n" + indent("".join(f"- {{ {one} }}\n" for one in entries), "    ")


def countries(*columns: str, kind: str = "parquet") -> str:
    """A link ``countries``; with ``columns`` its types are declared."""
    block = f"links:\n  - {{ name: countries, path: data/countries.{kind}, type: {kind} }}\n"
    if columns:
        block += "extensions:\n  etlgen.link_fields:\n    countries:\n"
        block += "".join(f"      - {{ {column} }}\n" for column in columns)
    return block


def read(yaml: str) -> Contract:
    (contract,) = read_text(yaml.encode(), "orders.olc.yaml")
    return contract


def plan_of(yaml: str) -> Plan:
    return resolve(read(yaml))


def errors_of(yaml: str) -> tuple[Diagnostic, ...]:
    """The errors of resolution; fails when there are none."""
    contract = read(yaml)
    try:
        resolve(contract)
    except ContractError as error:
        return tuple(found for found in error.diagnostics if found.is_error)
    raise AssertionError("the contract resolves")


def codes_of(yaml: str) -> list[str]:
    return [found.code for found in errors_of(yaml)]


def notes_of(plan: Plan) -> list[str]:
    return [found.code for found in plan.diagnostics]


def row_check(plan: Plan, name: str) -> PlannedRowCheck:
    return next(check for check in (*plan.pre_checks, *plan.post_checks) if check.name == name)


def dataset_check(plan: Plan, name: str) -> PlannedDatasetCheck:
    return next(check for check in (*plan.pre_dataset_checks, *plan.dataset_checks) if check.name == name)


def names(checks: tuple[PlannedRowCheck, ...]) -> list[str]:
    return [check.name for check in checks]
