"""Scalar SQL to typed trees: names, literals, conversions (semantics, sections 4 and 5)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.sql.expressions import AT, CLOSED, OPEN, codes, resolve, show, shown

from etlgen.contract import Text
from etlgen.diagnostics.model import Position, Severity
from etlgen.engines.polars.expressions import emit
from etlgen.expr import Column, Literal
from etlgen.plan import Schema, SchemaColumn
from etlgen.sql import resolve_dataset_sql, resolve_scalar
from etlgen_runtime.types import (
    BOOLEAN,
    DATE,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    TIMESTAMP_TZ,
    UNKNOWN,
    Kind,
    LogicalType,
    decimal,
)

# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", ["i64", "I64", '"I64"', "source.i64", "SOURCE.I64", "{dataset}.i64", "(i64)"])
def test_names_are_found_without_regard_to_case_and_keep_the_declared_spelling(written: str) -> None:
    resolved = resolve(written)
    assert resolved.expr == Column("i64", INT64)
    assert resolved.reads == {"i64"}
    assert resolved.diagnostics == ()


def test_further_qualifiers() -> None:
    assert resolve_scalar(Text("flights.i64", AT), CLOSED, context="derive", qualifiers=("source", "flights")).expr
    assert codes("flights.i64") == ["SQL-013"]


def test_placeholder_inside_a_text_is_text() -> None:
    assert shown("s = '{dataset}'") == "eq(s, {dataset}:string)"


def test_unknown_column_of_a_closed_schema_names_the_nearest() -> None:
    prices = Schema((SchemaColumn("quantity", INT64), SchemaColumn("unit_price", FLOAT64)), open=False)
    (found,) = resolve("unit_prise + 1", prices).diagnostics
    assert (found.code, found.severity, found.nearest) == ("SQL-001", Severity.ERROR, "unit_price")


def test_every_unknown_column_is_reported_at_once() -> None:
    assert codes("nope = 1 AND lower(nada) = 'x' OR b") == ["SQL-001", "SQL-001"]


def test_open_schema_takes_an_unknown_name_as_undeclared_text() -> None:
    resolved = resolve("region = 'EU' AND REGION <> 'x'", OPEN)
    assert resolved.undeclared == {"region"}
    assert resolved.reads == {"region"}
    assert [(found.code, found.severity) for found in resolved.diagnostics] == [("SQL-010", Severity.WARNING)]


def test_undeclared_columns_of_a_typed_source_have_an_unknown_type() -> None:
    resolved = resolve("region > 3 AND upper(region) = 'X'", OPEN, undeclared_type=None)
    assert resolved.expr is not None
    assert resolve("region", OPEN, undeclared_type=None).expr == Column("region", UNKNOWN)


@pytest.mark.parametrize("name", ["f46", "i46"])
def test_near_misses_are_errors_in_open_schemas_too(name: str) -> None:
    resolved = resolve(name, OPEN)
    assert [found.code for found in resolved.diagnostics] == ["SQL-001"]
    assert resolved.expr is None


@pytest.mark.parametrize("name", ["__etlgen_raw", "_etlgen_errors"])
def test_bookkeeping_columns_cannot_be_read(name: str) -> None:
    assert codes(name, OPEN) == ["SQL-001"]


@pytest.mark.parametrize(
    ("sql", "context"),
    [("age > 17", "filter"), ("age + 1", "derive"), ("age", "filter"), ("age", "rule_value"), ("year(age)", "derive"),
     ("age = DATE '2024-01-31'", "filter"), ("age IS TRUE", "filter"), ("abs(age)", "derive")],
)  # fmt: skip
def test_undeclared_text_used_as_something_else_names_the_fix(sql: str, context: str) -> None:
    resolved = resolve(sql, OPEN, context)  # type: ignore[arg-type]
    errors = [found for found in resolved.diagnostics if found.is_error]
    assert [found.code for found in errors] == ["TYP-006"]
    assert "source_fields" in errors[0].help


def test_the_type_that_a_text_is_used_as_has_its_article() -> None:
    errors = [found for found in resolve("age > i32", OPEN, "filter").diagnostics if found.is_error]
    assert [found.expected for found in errors] == ["an int32"]


# --- literals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "tree"),
    [
        ("dt >= '2024-02-29'", "ge(dt, 2024-02-29:date)"),
        ("'2024-02-29' = dt", "eq(2024-02-29:date, dt)"),
        ("ts < '2024-02-29T10:00'", "lt(ts, 2024-02-29 10:00:00:timestamp)"),
        ("tz < '2024-02-29T10:00+02:00'", "lt(tz, 2024-02-29 08:00:00+00:00:timestamp_tz)"),
        ("i64 = ' 7 '", "eq(i64, 7:int64)"),
        ("d > '1.5'", "gt(d, 1.50:decimal(10,2))"),
        ("b = 'yes'", "eq(b, True:boolean)"),
        ("b = 1", "eq(b, True:boolean)"),
        ("f64 = 0.1", "eq(f64, 0.1:float64)"),
        ("i64 BETWEEN 0 AND 100000", "and(ge(i64, 0:int64), le(i64, 100000:int64))"),
        ("i64 > 100.0", "gt(i64, 100:int64)"),
        ("f32 = 1e-1", "eq((f32->float64), 0.1:float64)"),
        ("i64 > 1e3", "gt(i64, 1000:int64)"),
        ("i64 > 1.5", "gt((i64->decimal(20,1)), 1.5:decimal(20,1))"),
        ("i8 > 300", "gt((i8->int32), 300:int32)"),
        ("d = 5", "eq(d, 5.00:decimal(10,2))"),
        ("d = 1.555", "eq((d->decimal(11,3)), 1.555:decimal(11,3))"),
        ("i64 IN (1, '2', NULL)", "in(i64, 1:int64, 2:int64, None:int64)"),
        ("s IN ('a', 'b')", "in(s, a:string, b:string)"),
        ("uu = '6F9619FF-8B86-D011-B42D-00C04FC964FF'", "eq(uu, 6f9619ff-8b86-d011-b42d-00c04fc964ff:uuid)"),
        ("tm < '10:30'", "lt(tm, 10:30:00:time)"),
        ("s = 'it''s'", "eq(s, it's:string)"),
        ("$$a'b$$", "a'b:string"),
        ("- 5", "-5:int32"),
        ("-2147483649", "-2147483649:int64"),
        ("1_000", "1000:int32"),
    ],
)
def test_literals_take_the_type_of_what_they_meet(sql: str, tree: str) -> None:
    assert shown(sql) == tree


@pytest.mark.parametrize(
    "sql",
    ["dt = '2024-02-30'", "dt = '31.01.2024'", "i64 = 'x'", "i64 = '1.5'", "i64 = ''", "b = 'maybe'", "ts = 'now'",
     "tz = '2024-01-01'", "i8 = '300'", "uu = 'abc'", "coalesce(dt, 'never')", "i64 + 'x'"],
)  # fmt: skip
def test_a_literal_that_does_not_read_as_the_type(sql: str) -> None:
    assert codes(sql) == ["TYP-002"]


@pytest.mark.parametrize(
    "sql",
    ["s > 3", "s = i64", "uu = s", "s = dt", "b = i64", "dt = i64", "bl = 'x'", "s IN (1, 2)", "s BETWEEN 1 AND 2", "s + 1", "s * s",
     "dt + s", "ts - ts", "dt + i64", "dt * 2", "tm + INTERVAL 1 HOUR", "b + 1", "-dt"],
)  # fmt: skip
def test_operands_that_do_not_go_together(sql: str) -> None:
    found = resolve(sql).diagnostics
    assert {one.code for one in found} == {"TYP-001"}


def test_formats_of_the_source_do_not_bind_literals() -> None:
    day = replace(DATE, formats_only=True)
    schema = Schema((SchemaColumn("day", day), SchemaColumn("other", DATE)), open=False)
    assert shown("day = '2024-01-31'", schema) == "eq(day, 2024-01-31:date)"
    assert shown("day = other", schema) == "eq(day, other)"


def test_the_fix_of_a_text_column_is_the_cast() -> None:
    (found,) = resolve("s > 3").diagnostics
    assert found.help == "cast the text: `CAST(s AS BIGINT)`"


# --- arithmetic -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "tree"),
    [
        ("i64 * 2 + i32", "add(mul(i64, 2:int64), i32)"),
        ("i64 / 2", "div(nearest(i64), 2.0:float64)"),
        ("i32 / i16", "div((i32->float64), (i16->float64))"),
        ("f64 * 1.1", "mul(f64, 1.1:float64)"),
        ("f64 + i64", "add(f64, nearest(i64))"),
        ("f64 + i32", "add(f64, (i32->float64))"),
        ("d * 1.19", "mul(d, 1.19:decimal(3,2))"),
        ("d + i64", "add(d, (i64->decimal(19,0)))"),
        ("d * f64", "mul((d->float64), f64)"),
        ("f64 < i64", "lt(f64, nearest(i64))"),
        ("dt + 7", "(date_add(dt, Interval(months=0, days=7, microseconds=0):interval)->date)"),
        ("dt - 7", "(date_add(dt, Interval(months=0, days=-7, microseconds=0):interval)->date)"),
        ("dt - dt", "date_diff(day:string, dt, dt)"),
        ("'2024-12-31' - dt", "date_diff(day:string, dt, 2024-12-31:date)"),
        ("ts - INTERVAL '1 month 2 hours'", "date_add(ts, Interval(months=-1, days=0, microseconds=-7200000000):interval)"),
        ("INTERVAL 2 WEEKS + ts", "date_add(ts, Interval(months=0, days=14, microseconds=0):interval)"),
        ("ts < now() - INTERVAL 1 DAY",
         "lt(ts, (date_add(current_timestamp(), Interval(months=0, days=-1, microseconds=0):interval)->timestamp))"),
    ],
)  # fmt: skip
def test_arithmetic(sql: str, tree: str) -> None:
    assert shown(sql) == tree


def test_decimal_products_add_scales_up_to_38() -> None:
    product = resolve("d2 * d2 * d2 * d2").expr
    assert product is not None
    assert product.type == decimal(38, 36)
    assert codes("d2 * d2 * d2 * d2 * d") == []
    assert codes("d2 * d2 * d2 * d2 * d2") == ["TYP-008"]


def test_a_naive_timestamp_meets_an_instant_as_utc() -> None:
    assert shown("ts = tz") == "eq(ts, (tz->timestamp))"
    assert shown("dt < tz") == "lt((dt->timestamp), (tz->timestamp))"
    chosen = resolve("coalesce(ts, tz)").expr
    assert chosen is not None
    assert chosen.type == TIMESTAMP_TZ
    assert [node.type.assumed_zone for node in getattr(chosen, "args", ())] == ["UTC", ""]


# --- conditions, choice, casts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "tree"),
    [
        ("b AND i64 > 1 AND s IS NOT NULL", "and(b, gt(i64, 1:int64), is_not_null(s))"),
        ("NOT b OR NULL", "or(not(b), None:boolean)"),
        ("b IS NOT TRUE", "not(is_true(b))"),
        ("b IS FALSE", "is_false(b)"),
        ("s NOT IN ('a')", "not(in(s, a:string))"),
        ("i64 NOT BETWEEN 1 AND 2", "not(and(ge(i64, 1:int64), le(i64, 2:int64)))"),
        ("i64 IS NOT DISTINCT FROM NULL", "not_distinct_from(i64, None:int64)"),
        ("s NOT LIKE 'a%'", "not(like(s, a%:string, :string))"),
        ("s ILIKE 'a!%' ESCAPE '!'", "ilike(s, a!%:string, !:string)"),
        ("CASE WHEN b THEN 'x' ELSE s END", "case(b ? x:string ; s)"),
        ("CASE WHEN b THEN 1 END", "case(b ? 1:int32 ; None:int32)"),
        ("CASE s WHEN 'a' THEN 1 ELSE i64 END", "case(eq(s, a:string) ? 1:int64 ; i64)"),
        ("if(b, dt, ts)", "case(b ? (dt->timestamp) ; ts)"),
        ("nullif(s, '')", "nullif(s, :string)"),
        ("nullif(i8, 300)", "case(eq((i8->int32), 300:int32) ? None:int8 ; i8)"),
        ("ifnull(i64, 0)", "coalesce(i64, 0:int64)"),
        ("CAST(s AS INT)", "(s->int64)"),
        ("TRY_CAST(s AS DECIMAL(5, 1))", "(s->decimal(5,1))"),
        ("s::DECIMAL(5)", "(s->decimal(5,0))"),
        ("CAST(i64 AS BIGINT)", "i64"),
        ("CAST(NULL AS DATE)", "(None:null->date)"),
        ("DATE '2024-02-29'", "2024-02-29:date"),
        ("DATE '2024-02-29'::TIMESTAMP", "(2024-02-29:date->timestamp)"),
        ("CAST('12' AS INT)", "(12:string->int64)"),
        ("s || i64", "concat_op(s, (i64->string))"),
        ("concat(s, 1, dt)", "concat(s, 1:string, (dt->string))"),
    ],
)
def test_conditions_choice_and_casts(sql: str, tree: str) -> None:
    assert shown(sql) == tree


@pytest.mark.parametrize("sql", ["i64", "s", "1", "NULL", "s || 'x'", "dt"])
def test_conditions_are_boolean(sql: str) -> None:
    assert codes(sql, context="filter") == ["TYP-003"]
    assert codes(sql, context="row_rule") == ["TYP-003"]


@pytest.mark.parametrize("sql", ["i64 AND b", "NOT s", "CASE WHEN i64 THEN 1 END", "s IS TRUE"])
def test_operands_of_logic_are_boolean(sql: str) -> None:
    assert codes(sql) == ["TYP-003"]


def test_bounded_values_are_numeric() -> None:
    assert codes("length(s) * 2", context="rule_value") == []
    assert codes("s", context="rule_value") == ["TYP-007"]
    assert codes("b", context="rule_value") == ["TYP-007"]


@pytest.mark.parametrize(
    "sql", ["coalesce(s, i64)", "CASE WHEN b THEN 1 ELSE 'x' END", "greatest(dt, i64)", "coalesce(b, 1)"]
)
def test_branches_without_a_common_type(sql: str) -> None:
    # A text literal beside a number is read as one first, which 'x' is not.
    expected = "TYP-002" if "'x'" in sql else "TYP-005"
    assert codes(sql) == [expected]


def test_casts_that_cannot_work() -> None:
    assert codes("CAST(b AS INT)") == ["TYP-009"]
    assert codes("CAST(dt AS BIGINT)") == ["TYP-009"]
    assert codes("CAST(s AS INTEGER[])") == ["SQL-006"]
    assert codes("CAST(s AS DECIMAL(40, 2))") == ["SQL-006"]


def test_a_cast_of_a_literal_that_does_not_fit_is_null_with_a_warning() -> None:
    resolved = resolve("CAST('abc' AS INT)")
    assert [(found.code, found.severity) for found in resolved.diagnostics] == [("SQL-017", Severity.WARNING)]
    assert resolved.expr is not None


def test_a_timestamp_cast_to_a_date_is_warned_about_unless_truncated() -> None:
    assert codes("CAST(ts AS DATE)") == ["SQL-011"]
    assert codes("CAST(date_trunc('day', ts) AS DATE)") == []


def test_equality_on_exp_is_warned_about() -> None:
    assert codes("exp(f64) = 1.0") == ["SQL-016"]
    assert codes("exp(f64) > 1.0") == []


def test_types_of_numbers_as_written() -> None:
    assert resolve("1").expr == Literal(1, INT32)
    assert resolve("TRUE").expr == Literal(True, BOOLEAN)
    number = resolve("1.50").expr
    assert isinstance(number, Literal)
    assert (str(number.value), number.type) == ("1.50", decimal(3, 2))
    assert resolve("1.5e0").expr == Literal(1.5, FLOAT64)
    assert codes("1e400") == ["TYP-002"]


def test_unusual_column_names() -> None:
    names = ("order", "two words", 'quo"te', "müller", "2fast", "{dataset}")
    schema = Schema(tuple(SchemaColumn(name, STRING) for name in names), open=False)
    for name in names:
        quoted = '"' + name.replace('"', '""') + '"'
        assert resolve(f"{quoted} = 'x'", schema).reads == {name}


READ_BY_FORMAT = {
    "dt": LogicalType(Kind.DATE, formats_only=True),
    "ts": LogicalType(Kind.TIMESTAMP, formats_only=True, naive_offset_refused=True),
    "tz": LogicalType(Kind.TIMESTAMP_TZ, formats_only=True, assumed_zone="Europe/Berlin"),
}


@pytest.mark.parametrize(
    "sql",
    [
        "dt + 1",
        "dt - 1",
        "dt - dt",
        "dt - '2024-01-01'",
        "dt = '2024-01-01'",
        "dt = ts",
        "ts = tz",
        "coalesce(ts, tz)",
        "coalesce(dt, ts)",
        "CASE WHEN b THEN dt ELSE ts END",
        "greatest(ts, tz)",
        "ts IN ('2024-01-01', dt)",
        "dt BETWEEN '2024-01-01' AND ts",
        "ts + INTERVAL 1 DAY",
        "tz - INTERVAL 1 HOUR",
        "date_diff('day', dt, ts)",
        "date_trunc('month', tz)",
        "strftime(tz, '%Y-%m-%d %H')",
        "CAST(tz AS DATE)",
        "CAST(dt AS TIMESTAMP)",
    ],
)
def test_how_text_is_read_changes_nothing_after_it_is_read(sql: str) -> None:
    """odcs, 3.3: `format` and the zone say how text becomes a moment; a typed moment means the same."""
    columns = tuple(replace(one, type=READ_BY_FORMAT.get(one.name, one.type)) for one in CLOSED.columns)
    by_format, plain = resolve(sql, replace(CLOSED, columns=columns)), resolve(sql)
    assert by_format.expr is not None, by_format.diagnostics
    assert plain.expr is not None, plain.diagnostics
    assert show(by_format.expr) == show(plain.expr)
    assert emit(by_format.expr) == emit(plain.expr)


@pytest.mark.parametrize(
    ("sql", "help_"),
    [
        ("i64 = NULL", "write `i64 IS NULL`"),
        ("NULL = i64", "write `i64 IS NULL`"),
        ("i64 != (NULL)", "write `i64 IS NOT NULL`"),
        ("i64 <> NULL", "write `i64 IS NOT NULL`"),
        ("i64 > NULL", "compare with a value; `IS NULL` tests for NULL"),
    ],
)
def test_a_comparison_with_null_is_warned_about(sql: str, help_: str) -> None:
    """It is NULL for every row (semantics, section 5: SQL's three-valued logic)."""
    (found,) = resolve(sql, context="filter").diagnostics
    assert (found.code, found.severity, found.help) == ("SQL-020", Severity.WARNING, help_)


@pytest.mark.parametrize(
    ("sql", "outcome"),
    [
        ("i64 IN (1, NULL)", "instead of FALSE"),  # 2: 2 = 1 OR 2 = NULL is NULL
        ("i64 NOT IN (1, NULL)", "never true"),  # its opposite: FALSE for 1, NULL for all others
        ("i64 BETWEEN 1 AND NULL", "never true"),  # FALSE below 1, else NULL
        ("i64 BETWEEN NULL AND 1", "never true"),
        ("CASE i64 WHEN NULL THEN true ELSE false END", "never true"),
    ],
)
def test_null_among_what_is_compared_is_warned_about(sql: str, outcome: str) -> None:
    (found,) = resolve(sql, context="filter").diagnostics
    assert (found.code, found.severity, outcome in found.message) == ("SQL-020", Severity.WARNING, True)


@pytest.mark.parametrize("sql", ["i64 IS NULL", "i64 IS NOT DISTINCT FROM NULL", "coalesce(i64, NULL) = 1"])
def test_null_elsewhere_is_no_comparison(sql: str) -> None:
    assert codes(sql, context="filter") == []


@pytest.mark.parametrize(("schema", "code"), [(OPEN, "SQL-010"), (CLOSED, "SQL-001")])
def test_an_unknown_name_in_double_quotes_is_likely_a_text(schema: Schema, code: str) -> None:
    (found,) = resolve('s = "it is open"', schema, "filter").diagnostics
    assert found.code == code
    assert found.help == "double quotes make it a column: text takes single quotes, `'it is open'`"
    (plain,) = resolve("s = closed", schema, "filter").diagnostics
    assert "single quotes" not in plain.help


@pytest.mark.parametrize(("sql", "is_quoted"), [("mm + 1 > i64", False), ('"mm" + 1 > i64', True)])
@pytest.mark.parametrize("length", [2, 4])
def test_the_sql_tells_whether_a_name_is_in_double_quotes(sql: str, is_quoted: bool, length: int) -> None:
    """Not the place of the text: where offsets are unknown it is as long as the first line happens to be."""
    text = Text(sql, Position("c.yaml", 3, 5, length), exact=False)
    (found,) = resolve_scalar(text, CLOSED, context="filter").diagnostics
    assert ("single quotes" in found.help) is is_quoted
    (found,) = resolve_dataset_sql(
        Text(f"SELECT count(*) > 1 FROM {{dataset}} WHERE {sql}", text.at, exact=False), CLOSED, {}
    ).diagnostics
    assert ("single quotes" in found.help) is is_quoted


@pytest.mark.parametrize(
    ("sql", "pair", "column"),
    [
        ("f64 * * i64 > 1", "between `*` and `*`", 12 + 4),
        ("f64 * * i64", "between `*` and `*`", 12 + 4),
        ("f64 + / i64", "between `+` and `/`", 12 + 4),
        ("f64 = = 1", "between `=` and `=`", 12 + 4),
    ],
)
def test_a_missing_operand_is_named(sql: str, pair: str, column: int) -> None:
    (found,) = resolve(sql).diagnostics
    assert (found.code, found.message) == ("SQL-002", f"the SQL cannot be read: an operand is missing {pair}")
    assert found.at is not None
    assert (found.at.column, found.at.length) == (column, 3)


def test_a_text_from_a_link_without_types_names_the_link() -> None:
    schema = Schema((SchemaColumn("rate", STRING, untyped_link="rates"), SchemaColumn("x", FLOAT64)), open=False)
    for sql in ("rate * x", "rate > x"):
        (found,) = resolve(sql, schema).diagnostics
        assert found.code == "TYP-001"
        assert (
            found.help == "declare the columns of link `rates` with their types under `extensions: etlgen.link_fields`"
        )
