"""Links: reference data with its columns, as far as they are known at build (transformations, "links")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from etlgen import problems
from etlgen.contract import Contract, Link, Text
from etlgen.diagnostics.findings import Findings
from etlgen.expr import Expr
from etlgen.nearest import nearest_name
from etlgen.plan import PlannedLink, Schema, SchemaColumn
from etlgen.spelling import folded
from etlgen.sql import problems as sql_problems
from etlgen.sql import resolve_scalar
from etlgen_runtime.contract import Format
from etlgen_runtime.files import format_of_name
from etlgen_runtime.types import STRING, UNKNOWN


def plan_links(contract: Contract, findings: Findings) -> dict[str, PlannedLink]:
    """All links by name; their columns are those of ``etlgen.link_fields`` that ``columns`` keeps."""
    planned: dict[str, PlannedLink] = {}
    seen: set[str] = {"source"}
    for link in contract.links:
        name = link.name.value
        if folded(name) in seen:
            what = "link" if folded(name) != "source" else "the name of the rows themselves,"
            findings.add(problems.duplicate_name(name, what, link.name.at))
            continue
        seen.add(folded(name))
        planned[name] = _planned(link, findings)
        if link.fields is None:
            findings.add(problems.undeclared_link(link.name, planned[name].format == "csv"))
    return planned


def _planned(link: Link, findings: Findings) -> PlannedLink:
    form = link_format(link)
    declared = _declared(link, form)
    columns = tuple(dict.fromkeys(column.value for column in link.columns))
    schema = declared
    if declared is not None:
        _check_columns(link, declared, findings)
        kept = tuple(column for column in declared.columns if not columns or column.name in columns)
        schema = replace(declared, columns=kept)
    predicate = _filter(link, form, declared, findings)
    text = link.filter.value if link.filter is not None else ""
    return PlannedLink(link.name.value, link.path or "", form, columns, schema, predicate, text, ())


def link_format(link: Link) -> Format:
    """``type`` where it is written, with lines told from documents by the suffix; else the suffix; else parquet."""
    by_suffix = format_of_name(link.path or "")
    match link.type:
        case "csv" | "parquet" | "jsonl":
            return link.type
        case "json":
            return by_suffix if by_suffix == "jsonl" else "json"
        case _:
            return by_suffix or "parquet"


def _declared(link: Link, form: Format) -> Schema | None:
    if link.fields is None:
        return None
    origin = f"link {link.name.value}"
    columns = tuple(
        SchemaColumn(
            column.name.value,
            column.type,
            nullable=not column.required,
            origin=origin,
            declared=column,
            sensitive=column.sensitive,
        )
        for column in link.fields
    )
    return Schema(columns, open=False)


def _check_columns(link: Link, declared: Schema, findings: Findings) -> None:
    where = f" of link `{link.name.value}`"
    for column in link.columns:
        if declared.get(column.value) is None:
            nearest = nearest_name(column.value, declared.names)
            findings.add(
                sql_problems.unknown_link_column(column.value, declared.names, nearest, column.at, where=where)
            )


def _filter(link: Link, form: Format, declared: Schema | None, findings: Findings) -> Expr | None:
    """The link's predicate over its columns before ``columns`` applies."""
    if link.filter is None:
        return None
    undeclared = STRING if form == "csv" else UNKNOWN
    schema = declared or Schema(tuple(SchemaColumn(column.value, undeclared) for column in link.columns), open=True)
    resolved = resolve_scalar(link.filter, schema, context="filter", undeclared_type=undeclared)
    # Without link_fields every column is undeclared: the note about the link says so once.
    findings.add(*(found for found in resolved.diagnostics if found.code != "SQL-010"))
    return resolved.expr


def with_users(
    contract: Contract, links: Mapping[str, PlannedLink], users: Mapping[str, list[str]], findings: Findings
) -> tuple[PlannedLink, ...]:
    """The links with where they are used; a link that nothing uses gets a note."""
    names: dict[str, Text] = {link.name.value: link.name for link in contract.links}
    for name in links:
        if not users.get(name) and not findings.errors:
            findings.add(problems.unused_link(names[name]))
    return tuple(replace(link, used_by=tuple(dict.fromkeys(users.get(name, ())))) for name, link in links.items())
