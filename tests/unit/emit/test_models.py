"""Which constraint stands in which model, and that records and batches are judged alike."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from types import ModuleType

import polars as pl
import pytest
from datamodel_code_generator.model.field_name import PYDANTIC_BASE_MODEL_ATTRIBUTES
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.unit.emit.hand_built_plans import FIELDS, accepted, check, field, in_range, orders_plan, required, small_plan

from etlgen.contract import Field
from etlgen.emit.model_schema import models_of, required_source_columns
from etlgen.emit.models import generate_models
from etlgen.engines.polars.expressions import emit_predicate
from etlgen.expr import Call, Column, Literal
from etlgen.plan import JoinLink, Plan, PlannedRowCheck
from etlgen.python_source.names import contract_names
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.engines.polars.casts import physical_type
from etlgen_runtime.models import ContractModel, schema_of
from etlgen_runtime.types import BOOLEAN, FLOAT64, INT8, INT64, STRING, decimal

Models = dict[str, type[ContractModel]]
_NUMBERS = itertools.count()


def models(plan: Plan) -> Models:
    """The generated classes of a plan, executed."""
    names = contract_names(plan, plan.contract.name, frozenset())
    text = generate_models({names.package: models_of(plan, names)})[names.package]
    module = ModuleType(f"generated_{plan.contract.name}_{next(_NUMBERS)}")
    sys.modules[module.__name__] = module  # where Pydantic resolves the annotations
    exec(compile(text, "models.py", "exec", dont_inherit=True), vars(module))
    found = {key: value for key, value in vars(module).items() if isinstance(value, type)}
    return {key: value for key, value in found.items() if issubclass(value, ContractModel)}


ORDERS = models(orders_plan())
GOOD = {"order_id": 1, "customer_id": 2, "email": "a@b.c"}


def accepts(model: type[ContractModel], **values: object) -> bool:
    try:
        model.model_validate(values)
    except ValidationError:
        return False
    return True


PYDANTIC_OWN = sorted(
    {*PYDANTIC_BASE_MODEL_ATTRIBUTES, *dir(ContractModel), *dir(type(ContractModel))} | {"Field", "Text", "Date"}
)


@pytest.mark.parametrize(
    "columns", [PYDANTIC_OWN, ["हिन्दी", "a·b", "é", "数量", "ก็", "e\u0301", "x̱", "ไทย"], ["etlgen_0", "etlgen_1", "0"]]
)
def test_any_name_can_be_a_column(columns: list[str]) -> None:
    """Names that Pydantic or the generator of models keeps for itself, or takes for no identifier."""
    usable = [name for name in columns if not name.startswith(("__etlgen_", "_etlgen_"))]
    plan = small_plan("named", [field(name, STRING) for name in usable])
    row = {name: f"value of {name}" for name in usable}
    assert models(plan)["Named"].model_validate(row).model_dump(by_alias=True) == row


def test_six_models_and_one_per_link_are_distinct_classes() -> None:
    assert set(ORDERS) - {"ContractModel"} == {
        "OrderSource", "OrderPrepared", "OrderTyped", "OrderEnriched", "Order", "OrderPublished", "Countries"
    }  # fmt: skip
    assert len({id(model) for model in ORDERS.values()}) == len(ORDERS)


def test_source_rows_need_the_required_columns_but_may_hold_null() -> None:
    source = ORDERS["OrderSource"]
    assert required_source_columns(orders_plan()) == ("order_id", "customer_id", "email")
    assert accepts(source, order_id=None, customer_id="x", email=None)
    assert not accepts(source, order_id=None, customer_id="x")
    assert not accepts(source, order_id=1, customer_id="x", email="x")


def test_typed_rows_meet_the_pre_constraints() -> None:
    typed = ORDERS["OrderTyped"]
    assert accepts(typed, **GOOD)
    assert accepts(typed, **GOOD, status="paid", qty=1, unit_price=100000.0)
    assert not accepts(typed, **{**GOOD, "email": None})
    assert not accepts(typed, **GOOD, status="PAID")
    assert not accepts(typed, **GOOD, qty=0)
    assert not accepts(typed, **GOOD, unit_price=math.nan)


def test_rows_between_the_checks_have_types_alone() -> None:
    assert accepts(ORDERS["OrderEnriched"], order_id=None, status="PAID", qty=0)
    assert not accepts(ORDERS["OrderEnriched"], order_id="1")


def test_a_pre_constraint_is_kept_after_step_6_unless_the_column_was_rewritten() -> None:
    assert not accepts(ORDERS["Order"], **GOOD, qty=0)
    plan = orders_plan()
    first, *others = plan.post.operations
    rewriting = replace(plan, post=replace(plan.post, operations=(replace(first, rewrites=("qty",)), *others)))
    found = models(rewriting)
    assert not accepts(found["OrderTyped"], **GOOD, qty=0)
    assert accepts(found["Order"], **GOOD, qty=0)
    assert not accepts(found["Order"], **GOOD, status="PAID")


def test_rows_of_a_full_join_may_lack_what_step_4_required() -> None:
    plan = orders_plan()
    *others, lookup = plan.post.operations
    join = JoinLink("countries", "country_code", "code", (("name", "country_name", STRING, None),), how="full")
    joined = replace(plan, post=replace(plan.post, operations=(*others, replace(lookup, relations=(join,)))))
    assert accepts(models(joined)["Order"], order_id=None, customer_id=None, email=None)
    assert not accepts(ORDERS["Order"], **{**GOOD, "email": None})


def test_a_rule_or_a_constraint_that_warns_is_no_constraint_of_the_model() -> None:
    name = FIELDS[2]
    rule = check(name, "range", Call("gt", (Column("email", STRING), Literal("m", STRING)), BOOLEAN), nulls_pass=False)
    warning = replace(required(name), severity="warning")
    found = models(small_plan("mails", [replace(name, minimum="m")], [rule, warning]))
    assert accepts(found["Mail"], email="a")
    assert accepts(found["Mail"], email=None)


def test_masked_columns_lose_their_constraints_when_published() -> None:
    card = field("card", STRING, max_length=4, masking="redact")
    longest = check(
        card, "max_length", Call("le", (Call("length", (Column("card", STRING),), INT64), Literal(4, INT64)), BOOLEAN)
    )
    found = models(small_plan("cards", [card], [longest]))
    assert not accepts(found["Card"], card="12345")
    assert accepts(found["CardPublished"], card="[redacted]")


def test_sensitive_columns_are_marked_in_every_model() -> None:
    for name in ("OrderSource", "OrderTyped", "Order", "OrderPublished"):
        assert [column.name for column in schema_of(ORDERS[name]) if column.sensitive] == ["email"]


def test_strict_evolution_closes_the_source() -> None:
    found = models(small_plan("strict", FIELDS[3:4], evolution="strict"))
    assert not accepts(found["StrictSource"], status="new", other="x")
    assert accepts(models(small_plan("open", FIELDS[3:4]))["OpenSource"], status="new", other="x")


# --- two paths, one meaning (validation) ------------------------------------------------------------------------------

BOUNDED = field("n", INT64, minimum=-3, maximum=5)
SMALL = field("n", INT8, accepted_values=(1, 3))
RATIO = field("n", FLOAT64, minimum=0, maximum=1)
AMOUNT = field("n", decimal(6, 2), minimum="0.10")
WORD = field("n", STRING, accepted_values=("a", "it's", "b\n"))
LETTERS = field("n", STRING, pattern=None)


def amount_check() -> PlannedRowCheck:
    bound = Literal(Decimal("0.10"), decimal(6, 2))
    return check(AMOUNT, "range", Call("ge", (Column("n", decimal(6, 2)), bound), BOOLEAN))


def pattern_check() -> PlannedRowCheck:
    pattern = Literal(r"^[a-c]+\z", STRING)
    return check(LETTERS, "pattern", Call("regexp_matches", (Column("n", STRING), pattern), BOOLEAN))


CASES = {
    "integer range": (BOUNDED, in_range(BOUNDED), st.integers(-6, 8)),
    "integer values": (SMALL, accepted(SMALL), st.integers(-1, 5)),
    "double range": (RATIO, in_range(RATIO), st.floats(-1, 2) | st.sampled_from([math.nan, math.inf, 0.0, -0.0, 1.0])),
    "decimal bound": (AMOUNT, amount_check(), st.decimals("-1", "1", places=2)),
    "text values": (WORD, accepted(WORD), st.sampled_from(["a", "A", "it's", "b", "b\n", "", "ab"])),
    "pattern": (LETTERS, pattern_check(), st.text("abcd\n", max_size=3)),
}


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_records_and_batches_are_judged_alike(case: str, data: st.DataObject) -> None:
    own, judged, values = CASES[case]
    column: Sequence[object] = [None, *data.draw(st.lists(values, min_size=1, max_size=8))]
    assert judged.predicate is not None
    predicate = eval(emit_predicate(judged.predicate), {"pl": pl, "fn": fn, "Decimal": Decimal})
    frame = pl.DataFrame({"n": pl.Series(column, dtype=physical_type(own.type), strict=True)})
    batch = frame.select(predicate.alias("n").fill_null(True))["n"].to_list()
    model = _model_of(case, own, judged)
    assert [accepts(model, n=value) for value in column] == batch


_CACHE: Models = {}


def _model_of(case: str, own: Field, judged: PlannedRowCheck) -> type[ContractModel]:
    if case not in _CACHE:
        _CACHE[case] = models(small_plan("cases", [own], [judged]))["CaseTyped"]
    return _CACHE[case]


def test_an_alias_stands_beside_title_and_description() -> None:
    """The generator writes keywords in the order of their names, and texts may look like keywords."""
    trap = "x, serialization_alias='y', validation_alias='y')"
    found = models(small_plan("traps", [field("Group By", STRING, title="Group", description=trap)]))
    assert found
    for model in found.values():
        for info in model.model_fields.values():
            assert (info.alias, info.title, info.description) == ("Group By", "Group", trap)
