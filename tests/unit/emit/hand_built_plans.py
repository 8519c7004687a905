"""Plans written by hand, for tests of emission alone: the orders job, and plans of a few columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from etlgen.contract import Contract, Field, Materialization, Scalar, Source, Text
from etlgen.diagnostics.model import Position
from etlgen.expr import Call, Column, Expr, Literal
from etlgen.plan import (
    Assign,
    JoinLink,
    Plan,
    PlannedDatasetCheck,
    PlannedLink,
    PlannedOperation,
    PlannedRowCheck,
    Relation,
    Schema,
    SchemaColumn,
    Section,
)
from etlgen_runtime.types import BOOLEAN, FLOAT64, INT64, STRING, TIMESTAMP, LogicalType

AT = Position("contracts/orders.olc.yaml", 1, 1)


def text(value: str) -> Text:
    return Text(value, AT)


def field(name: str, type_: LogicalType, **values: object) -> Field:
    return Field(text(name), type_, AT, str(type_), **values)  # type: ignore[arg-type]


def literal(value: str | int | float, type_: LogicalType) -> Literal:
    return Literal(value, type_)


def check(
    field_: Field | None,
    kind: str,
    predicate: Expr | None,
    *,
    name: str = "",
    phase: str = "pre",
    nulls_pass: bool = True,
    columns: Sequence[str] = (),
) -> PlannedRowCheck:
    """A row check of severity error; the name is ``<field>_<kind>`` unless given."""
    own = field_.name.value if field_ is not None else None
    return PlannedRowCheck(
        name=name or f"{own}_{kind}",
        kind=kind,
        phase=phase,  # type: ignore[arg-type]
        reason="default: its columns exist in step 4" if phase == "pre" else "reads line_total, created by derive #3",
        severity="error",
        predicate=predicate,
        nulls_pass=nulls_pass,
        columns=tuple(columns) or ((own,) if own is not None else ()),
        field=own,
        code="PMDATA110" if kind == "required" else "PMDATA120",
        message=f"{own} fails {kind}",
        sql="",
        description="",
        at=AT,
    )


def required(field_: Field) -> PlannedRowCheck:
    column = Column(field_.name.value, field_.type)
    return check(field_, "required", Call("is_not_null", (column,), BOOLEAN), nulls_pass=False)


def in_range(field_: Field) -> PlannedRowCheck:
    column = Column(field_.name.value, field_.type)
    bounds = [("ge", field_.minimum), ("le", field_.maximum)]
    tests = [
        Call(name, (column, literal(bound, field_.type)), BOOLEAN)
        for name, bound in bounds
        if isinstance(bound, int | float)
    ]
    return check(field_, "range", tests[0] if len(tests) == 1 else Call("and", tuple(tests), BOOLEAN))


def accepted(field_: Field) -> PlannedRowCheck:
    values = tuple(
        literal(value, field_.type) for value in field_.accepted_values or () if isinstance(value, str | int)
    )
    return check(field_, "accepted_values", Call("in", (Column(field_.name.value, field_.type), *values), BOOLEAN))


def column(field_: Field, type_: LogicalType | None = None) -> SchemaColumn:
    return SchemaColumn(field_.name.value, type_ or field_.type, declared=field_, sensitive=field_.sensitive)


def operation(
    kind: str, number: int, title: str, phase: str, relations: Sequence[Relation], before: Schema, after: Schema,
    *, creates: tuple[str, ...] = (), rewrites: tuple[str, ...] = (), links: tuple[str, ...] = (),
) -> PlannedOperation:  # fmt: skip
    return PlannedOperation(
        kind=kind, number=number, title=title, phase=phase, reason="written",  # type: ignore[arg-type]
        relations=tuple(relations), before=before, after=after, reads=frozenset(), creates=creates, rewrites=rewrites,
        drops=(), row_wise=True, links=links, at=AT,
    )  # fmt: skip


def small_plan(name: str, fields: Sequence[Field], checks: Sequence[PlannedRowCheck] = (), **contract: object) -> Plan:
    """A contract without transformations: CSV columns of the given types."""
    made = Contract("olc", f"contracts/{name}.olc.yaml", "0" * 64, AT, name, "1.0.0", fields=tuple(fields), **contract)  # type: ignore[arg-type]
    found = Schema(tuple(column(each, STRING) for each in fields))
    typed = Schema(tuple(column(each) for each in fields))
    return Plan(
        contract=made, source=found, prepared=found, typed=typed, enriched=typed, output=typed, published=typed,
        pre=Section("pre", ()), post=Section("post", ()), pre_checks=tuple(checks), post_checks=(), pre_dataset_checks=(),
        dataset_checks=(), links=(), raw_step=1, raw_kept_in_post=True, unread_undeclared_are_bad=None, steps=(),
        diagnostics=(),
    )  # fmt: skip


STATUSES: tuple[Scalar, ...] = ("new", "paid", "shipped", "cancelled")
FIELDS = (
    field("order_id", INT64, required=True),
    field("customer_id", INT64, required=True),
    field("email", STRING, required=True, sensitive=True),
    field("status", STRING, accepted_values=STATUSES),
    field("qty", INT64, minimum=1),
    field("unit_price", FLOAT64, minimum=0, maximum=100000),
    field("country_code", STRING),
    field("created_at", TIMESTAMP),
)
COUNTRIES = PlannedLink(
    name="countries",
    path="data/countries.parquet",
    format="parquet",
    columns=(),
    schema=Schema(
        (SchemaColumn("code", STRING, nullable=False), SchemaColumn("name", STRING, nullable=False)), open=False
    ),
    filter=None,
    filter_sql="",
    used_by=("post",),
)


def orders_plan() -> Plan:
    """The benchmark contract: two pre operations, two post operations, seven field constraints, a rule in each phase."""
    order_id, customer_id, email, status, qty, unit_price, _, _ = FIELDS
    plan = small_plan("orders", FIELDS, title="Orders", layer="silver")
    address = Column("email", STRING)
    trimmed = Assign((("email", Call("trim_whitespace", (address, literal("both", STRING)), STRING)),))
    lowered = Assign((("email", Call("lower", (address,), STRING)),))
    total = Call("mul", (Column("qty", INT64), Column("unit_price", FLOAT64)), FLOAT64)
    with_total = Schema((*plan.typed.columns, SchemaColumn("line_total", FLOAT64, origin="derive #3")))
    with_name = Schema((*with_total.columns, SchemaColumn("country_name", STRING, origin="lookup #4")))
    country = JoinLink(
        "countries",
        "country_code",
        "code",
        (("name", "country_name", STRING, literal("Unknown", STRING)),),
        unique_key=True,
    )
    shape = Call("regexp_matches", (address, literal(r"^[^@ ]+@[^@ ]+\.[a-z]+\z", STRING)), BOOLEAN)
    return replace(
        plan,
        contract=replace(
            plan.contract,
            source=Source("landing", AT, path="data/orders_1000000.csv", format="csv"),
            materialization=Materialization("overwrite", "parquet", written=True),
        ),
        enriched=with_name, output=with_name, published=with_name,
        pre=Section("pre", (
            operation("trim", 1, "trim `email` on both sides", "pre", [trimmed], plan.source, plan.source, rewrites=("email",)),
            operation("lower", 2, "lower-case `email`", "pre", [lowered], plan.source, plan.source, rewrites=("email",)),
        )),
        post=Section("post", (
            operation("derive", 3, "derive `line_total` = `qty * unit_price`", "post", [Assign((("line_total", total),))],
                      plan.typed, with_total, creates=("line_total",)),
            operation("lookup", 4, "look up `country_name` in `countries` by `country_code`", "post", [country],
                      with_total, with_name, creates=("country_name",), links=("countries",)),
        )),
        pre_checks=(
            required(order_id), required(customer_id), required(email), accepted(status), in_range(qty), in_range(unit_price),
            check(email, "regex_match", shape, name="email_shape", nulls_pass=False),
        ),
        post_checks=(
            check(None, "sql", Call("gt", (Column("line_total", FLOAT64), literal(0, FLOAT64)), BOOLEAN), name="total_positive",
                  phase="post", nulls_pass=False, columns=("line_total",)),
        ),
        dataset_checks=(
            PlannedDatasetCheck("row_count_between", "row_count_between", None, "default", "error", (), "", 1, 10_000_000, None, None, (), "", AT),
            PlannedDatasetCheck("order_id_unique", "unique", None, "primary_key", "error", ("order_id",), "", None, None, None, None, (), "", AT),
        ),
        links=(COUNTRIES,),
    )  # fmt: skip
