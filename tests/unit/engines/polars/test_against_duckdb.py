"""Where the specification fixes nothing else, an emitted expression means what DuckDB computes (semantics, section 5)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.unit.engines.polars.duckdb_oracle import PRICE, WIDE, column, outcomes, same

from etlgen.engines.polars.capabilities import SUPPORTED
from etlgen.expr import Call, Case, Cast, Expr, Interval, Literal, walk
from etlgen.sql.conversion import UTC_INSTANT
from etlgen_runtime.types import (
    BOOLEAN,
    DATE,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    INT128,
    INTERVAL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_TZ,
    LogicalType,
    decimal,
)

s, t, f, g, i, j, n, m, k, h = map(column, "stfgijnmkh")
d, e, u, v, z, p, q, w, x, b, c = map(column, "deuvzpqwxbc")


def call(function: str, of: LogicalType, *args: Expr) -> Call:
    return Call(function, args, of)


def number(value: int) -> Literal:
    return Literal(value, INT32)


def double(value: float) -> Literal:
    return Literal(value, FLOAT64)


def text(value: str | None) -> Literal:
    return Literal(value, STRING)


def boolean(function: str, *args: Expr) -> Call:
    return call(function, BOOLEAN, *args)


def move(of: LogicalType, moment: Expr, **parts: int) -> Call:
    return call("date_add", of, moment, Literal(Interval(**parts), INTERVAL))


@dataclass(frozen=True, slots=True)
class Case_:
    """One expression in both forms, and the relative difference allowed between doubles."""

    expr: Expr
    sql: str
    tolerance: float = 0.0


def cases() -> list[Case_]:
    return [*arithmetic(), *logic(), *texts(), *maths(), *dates(), *choices()]


def arithmetic() -> list[Case_]:
    found = [
        Case_(call(name, of, left, right), f"{left.name} {sign} {right.name}")
        for name, sign in {"add": "+", "sub": "-", "mul": "*"}.items()
        for left, right, of in ((i, j, INT64), (n, m, INT32), (k, k, INT8), (h, h, INT128), (f, g, FLOAT64))
        if left != right or name == "add"
    ]
    found += [
        Case_(call("mod", of, left, right), f"{left.name} % {right.name}")
        for left, right, of in ((i, j, INT64), (n, m, INT32), (p, q, decimal(38, 2)))
    ]
    found += [
        Case_(call("intdiv", of, left, right), f"{left.name} // {right.name}")
        for left, right, of in ((i, j, INT64), (n, m, INT32))
    ]
    found += [
        Case_(call("add", INT64, i, number(5)), "i + 5"),
        Case_(call("sub", INT64, number(5), i), "5 - i"),
        Case_(call("intdiv", INT64, i, number(3)), "i // 3"),
        Case_(call("mod", INT64, i, number(-3)), "i % (-3)"),
        Case_(call("mul", INT64, call("add", INT64, n, m), i), "((n::HUGEINT + m) * i)::BIGINT"),
        Case_(call("neg", INT64, i), "-i"),
        Case_(call("neg", FLOAT64, f), "-f"),
        Case_(call("neg", PRICE, p), "-p"),
        Case_(call("add", decimal(38, 2), p, q), "p + q"),
        Case_(call("sub", decimal(38, 2), p, q), "p - q"),
        Case_(call("mul", decimal(38, 4), p, q), "p::DECIMAL(19, 2) * q::DECIMAL(19, 2)"),
        Case_(call("add", decimal(38, 2), p, number(3)), "p + 3"),
        Case_(call("mul", decimal(38, 2), p, n), "p * n"),
        Case_(call("add", decimal(38, 9), w, x), "w + x"),
        Case_(call("sub", decimal(38, 9), w, x), "w - x"),
        Case_(call("div", FLOAT64, f, double(4.0)), "f / 4"),
        Case_(call("div", FLOAT64, f, double(10.0)), "f / 10"),
        Case_(call("div", FLOAT64, call("nearest", FLOAT64, n), double(49.0)), "n / 49"),
        Case_(call("div", FLOAT64, double(1.0), f), "1 / nullif(f, 0)"),
        Case_(call("div", FLOAT64, f, call("sqrt", FLOAT64, double(9.0))), "f / sqrt(9)"),
        Case_(call("mul", decimal(38, 18), w, x), "w::DECIMAL(38, 9) * x::DECIMAL(38, 9)"),
        Case_(call("mod", decimal(38, 9), w, x), "w % x"),
        Case_(call("neg", decimal(38, 9), call("add", decimal(38, 9), w, x)), "-(w + x)"),
        Case_(Case(((b, call("add", decimal(38, 9), w, x)),), w, WIDE), "CASE WHEN b THEN w + x ELSE w END"),
        Case_(call("add", decimal(38, 9), call("sub", decimal(38, 9), w, x), w), "w - x + w"),
        Case_(call("mul", FLOAT64, call("nearest", FLOAT64, i), f), "i * f"),
        Case_(call("add", FLOAT64, call("mul", FLOAT64, f, g), double(1.0)), "f * g + 1.0::DOUBLE"),
    ]
    return found


def logic() -> list[Case_]:
    signs = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    pairs = ((i, j), (f, g), (s, t), (d, e), (u, v), (p, q), (w, x), (b, c), (h, h))
    found = [
        Case_(boolean(name, left, right), f"{left.name} {sign} {right.name}")
        for name, sign in signs.items()
        for left, right in pairs
    ]
    found += [
        Case_(boolean(name, left, right), f"{left.name} {sign} {right.name}")
        for name, sign in {"distinct_from": "IS DISTINCT FROM", "not_distinct_from": "IS NOT DISTINCT FROM"}.items()
        for left, right in pairs
    ]
    found += [
        Case_(boolean("gt", call("nearest", FLOAT64, i), f), "i > f"),
        Case_(boolean("eq", s, text("abc")), "s = 'abc'"),
        Case_(boolean("lt", number(3), n), "3 < n"),
        Case_(boolean("gt", f, double(1.5)), "f > 1.5::DOUBLE"),
        Case_(boolean("in", s, text("abc"), text("a")), "s IN ('abc', 'a')"),
        Case_(boolean("in", s, text("abc"), text(None)), "s IN ('abc', NULL)"),
        Case_(boolean("in", i, Literal(7, INT64), Literal(2**63 - 1, INT64)), "i IN (7, 9223372036854775807)"),
        Case_(boolean("in", f, double(1.5), double(float("nan"))), "f IN (1.5, 'nan'::DOUBLE)"),
        Case_(boolean("in", s, t, text("a")), "s IN (t, 'a')"),
        Case_(boolean("and", boolean("ge", f, double(0.0)), boolean("le", f, double(3.0))), "f BETWEEN 0 AND 3"),
        Case_(boolean("and", b, c), "b AND c"),
        Case_(boolean("or", b, c), "b OR c"),
        Case_(boolean("not", boolean("or", b, c)), "NOT (b OR c)"),
        Case_(boolean("and", b, boolean("or", c, boolean("is_null", b))), "b AND (c OR b IS NULL)"),
        Case_(boolean("is_true", b), "b IS TRUE"),
        Case_(boolean("is_false", b), "b IS FALSE"),
        Case_(boolean("not", boolean("is_true", b)), "b IS NOT TRUE"),
        Case_(boolean("eq", b, Literal(False, BOOLEAN)), "b = false"),
        Case_(boolean("is_null", s), "s IS NULL"),
        Case_(boolean("not", boolean("is_null", s)), "NOT (s IS NULL)"),
        Case_(boolean("is_not_null", i), "i IS NOT NULL"),
    ]
    return found


def texts() -> list[Case_]:
    empty = text("")
    found = [Case_(call("length", INT64, s), "length(s)"), Case_(call("reverse", STRING, s), "reverse(s)")]
    for name in ("trim", "ltrim", "rtrim"):
        found += [
            Case_(call(name, STRING, s), f"{name}(s)"),
            Case_(call(name, STRING, s, text("xa\u00e9")), f"{name}(s, 'xa\u00e9')"),
            Case_(call(name, STRING, s, empty), f"{name}(s, '')"),
            Case_(call(name, STRING, s, t), f"{name}(s, t)"),
        ]
    found += [Case_(boolean(name, s, t), f"{name}(s, t)") for name in ("starts_with", "ends_with", "contains")]
    found += [
        Case_(boolean(name, s, text("a")), f"{name}(s, 'a')") for name in ("starts_with", "ends_with", "contains")
    ]
    for name in ("left", "right"):
        found.append(Case_(call(name, STRING, s, n), f"{name}(s, n)"))
        found += [Case_(call(name, STRING, s, number(at)), f"{name}(s, {at})") for at in (-9, -1, 0, 2, 99)]
    for name in ("lpad", "rpad"):
        found.append(Case_(call(name, STRING, s, n, t), f"{name}(s, n, t)"))
        found += [
            Case_(call(name, STRING, s, number(size), text(fill)), f"{name}(s, {size}, '{fill}')")
            for size in (-1, 0, 2, 7)
            for fill in ("", "x", "\u00e9y")
        ]
    found += [
        Case_(call("substring", STRING, s, n, m), "substring(s, n, m)"),
        Case_(call("substring", STRING, s, n), "substring(s, n)"),
    ]
    found += [
        Case_(call("substring", STRING, s, number(start), number(length)), f"substring(s, {start}, {length})")
        for start in (-2, 0, 1, 2, 9)
        for length in (-1, 0, 2, 9)
    ]
    found += [
        Case_(call("replace", STRING, s, text("X"), text("$1")), "replace(s, 'X', '$1')"),
        Case_(call("replace", STRING, s, empty, text("y")), "replace(s, '', 'y')"),
        Case_(call("replace", STRING, s, t, text("y")), "replace(s, t, 'y')"),
        Case_(call("concat", STRING, s, text("-"), t), "concat(s, '-', t)"),
        Case_(call("concat_op", STRING, call("concat_op", STRING, s, text("-")), t), "s || '-' || t"),
        Case_(call("position", INT64, s, text("b")), "position('b' IN s)"),
        Case_(call("position", INT64, s, empty), "position('' IN s)"),
        Case_(call("position", INT64, s, t), "position(t IN s)"),
        Case_(call("repeat", STRING, s, n), "repeat(s, n)"),
        Case_(call("repeat", STRING, s, number(2)), "repeat(s, 2)"),
        Case_(call("split_part", STRING, s, t, number(1)), "split_part(s, t, 1)"),
    ]
    found += [
        Case_(call("split_part", STRING, s, text(mark), n), f"split_part(s, '{mark}', n)")
        for mark in (",", "X", "ab", "")
    ]
    return found + patterns()


def patterns() -> list[Case_]:
    found = [
        Case_(boolean(name, s, text(form), text("")), f"s {name.upper()} '{form}'")
        for name in ("like", "ilike")
        for form in (
            "",
            "%",
            "_",
            "a%",
            "%B",
            "%b%",
            "a_b",
            "abc",
            "a%c",
            "__",
            "%s%",
            "\u00e9%",
            "%\u212a",
            "i_",
            "$%",
            "a.c",
        )
    ]
    found += [
        Case_(boolean("like", s, text("a$%b%"), text("$")), "s LIKE 'a$%b%' ESCAPE '$'"),
        Case_(boolean("like", s, t, text("")), "s LIKE t"),
        Case_(boolean("ilike", s, t, text("")), "s ILIKE t"),
        Case_(boolean("regexp_matches", s, text("[a-c]b")), "regexp_matches(s, '[a-c]b')"),
        Case_(boolean("regexp_matches", s, text(r"^a\z")), r"regexp_matches(s, '^a\z')"),
        Case_(call("regexp_extract", STRING, s, text("[xX](.)")), "regexp_extract(s, '[xX](.)')"),
        Case_(call("regexp_extract", STRING, s, text("[xX](.)"), number(1)), "regexp_extract(s, '[xX](.)', 1)"),
        Case_(call("regexp_extract", STRING, s, text("X"), number(4)), "regexp_extract(s, 'X', 4)"),
        Case_(
            call("regexp_replace", STRING, s, text("([xX])"), text(r"<\1$1>")), r"regexp_replace(s, '([xX])', '<\1$1>')"
        ),
        Case_(
            call("regexp_replace", STRING, s, text("[xX,]"), text(r"\\\0"), text("g")),
            r"regexp_replace(s, '[xX,]', '\\\0', 'g')",
        ),
        Case_(call("regexp_replace", STRING, s, text("a"), text("")), "regexp_replace(s, 'a', '')"),
    ]
    return found


def maths() -> list[Case_]:
    found = [Case_(call("abs", of.type, of), f"abs({of.name})") for of in (i, n, f, p)]
    found += [Case_(call(name, FLOAT64, f), f"{name}(f)") for name in ("floor", "ceil")]
    found += [
        Case_(call(name, decimal(p_.type.precision, 0), p_), f"{name}({p_.name})")
        for name in ("floor", "ceil")
        for p_ in (p, w)
    ]
    found += [
        Case_(call("round", FLOAT64, f, number(digits)), f"round(f, {digits})", 1e-15) for digits in (0, 1, 2, -1, 5)
    ]
    found += [Case_(call("round", INT64, i, number(digits)), f"round(i, {digits})") for digits in (0, 2, -1, -2)]
    found += [
        Case_(call("round", decimal(38, digits), w, number(digits)), f"round(w, {digits})") for digits in (0, 2, 8)
    ]
    found += [Case_(call("round", decimal(10, 1), p, number(1)), "round(p, 1)")]
    found += [Case_(call("sign", INT8, of), f"sign({of.name})") for of in (i, f, p)]
    found += [Case_(call(name, FLOAT64, f), f"{name}(f)", 1e-9) for name in ("sqrt", "ln", "log", "log2", "exp")]
    found += [
        Case_(call("power", FLOAT64, f, g), "power(f, g)", 1e-9),
        Case_(call("log", FLOAT64, f, g), "log(f, g)", 1e-9),
        Case_(call("sqrt", FLOAT64, call("nearest", FLOAT64, i)), "sqrt(i)"),
    ]
    return found


def dates() -> list[Case_]:
    units = ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond")
    parts = (*units, "dow", "isodow", "doy", "isoyear", "epoch", "julian")
    found = [
        Case_(call("date_trunc", of, text(unit), moment), f"date_trunc('{unit}', {moment.name})")
        for unit in units
        for moment, of in ((d, TIMESTAMP), (u, TIMESTAMP), (z, TIMESTAMP_TZ))
    ]
    found += [
        Case_(call("date_diff", INT64, text(unit), start, end), f"date_diff('{unit}', {start.name}, {end.name})")
        for unit in units
        for start, end in ((d, e), (u, v), (d, v))
    ]
    found += [
        Case_(
            call("date_part", FLOAT64 if unit in ("epoch", "julian") else INT64, text(unit), moment),
            f"date_part('{unit}', {moment.name})",
            1e-15,
        )
        for unit in parts
        for moment in (d, u, z)
    ]
    found += [
        Case_(move(TIMESTAMP, u, months=1), "u + INTERVAL 1 MONTH"),
        Case_(move(TIMESTAMP, u, months=-12), "u - INTERVAL 1 YEAR"),
        Case_(move(TIMESTAMP, d, months=1), "d + INTERVAL 1 MONTH"),
        Case_(move(TIMESTAMP, u, months=1, days=-2, microseconds=5), "u + INTERVAL '1 month -2 days 5 microseconds'"),
        Case_(move(TIMESTAMP_TZ, z, days=3), "z + INTERVAL 3 DAY"),
        Case_(Cast(move(TIMESTAMP, d, days=5), DATE), "d + 5"),
        Case_(call("make_date", DATE, Literal(2020, INT32), number(2), n), "make_date(2020, 2, n)"),
        Case_(call("make_date", DATE, Literal(2020, INT32), n, m), "make_date(2020, n, m)"),
        Case_(
            call("make_timestamp", TIMESTAMP, Literal(2020, INT32), number(2), number(3), n, m, double(1.5)),
            "make_timestamp(2020, 2, 3, n, m, 1.5)",
        ),
    ]
    return found + formats()


def formats() -> list[Case_]:
    letters = (
        "%a|%A|%b|%B|%d|%-d|%f|%g|%H|%-H|%I|%-I|%j|%-j|%m|%-m|%M|%-M|%n|%p|%S|%-S|%u|%U|%V|%w|%W|%y|%-y|%Y|%z|%Z|%%"
    )
    found = [
        Case_(call("strftime", STRING, moment, text(form)), f"strftime({moment.name}, '{form}')")
        for moment in (d, u, z)
        for form in (letters, "%Y-%m-%d", "iso", "100%% %H")
    ]
    found += [
        Case_(call("strptime", TIMESTAMP, text(value), text(form)), f"try_strptime('{value}', '{form}')")
        for form, values in PARSED.items()
        for value in values
    ]
    found += [
        Case_(call("strptime", TIMESTAMP_TZ, text(value), text(form)), f"try_strptime('{value}', '{form}')")
        for form, values in PARSED_WITH_OFFSET.items()
        for value in values
    ]
    return found


PARSED = {
    "%Y-%m-%d": ("2020-01-05", "2020-1-5", " 2020-01-05\t", "2020-02-30", "2020-13-01", "99999-01-01", "+202-01-01", "2020-01-05x", ""),
    "%Y%m%d": ("20200105", "2020015", "2020010"),
    "%d/%m/%y": ("5/1/20", "05/01/69", "05/01/68", "5/1/0"),
    "%b %d, %Y": ("Jan 5, 2020", "JAN 05, 2020", "January 5, 2020", "Jan  5, 2020"),
    "%B %d %Y": ("may 5 2020", "Jan 5 2020"),
    "%a %Y-%m-%d": ("Mon 2020-01-05", "Monday 2020-01-05", "xyz 2020-01-05"),
    "%H:%M:%S.%f": ("12:30:05.1", "12:30:05.", "12:30:05.123456", "12:30:05.1234567", "24:00:00.0", "12:60:00.0", "12:00:60.0"),
    "%I:%M %p": ("10:30 PM", "10:30 pm", "12:00 AM", "12:00 PM", "00:00 AM", "13:00 PM", "10:30 p"),
    "%H %p": ("10 PM", "23 PM", "00 PM", "12 AM", "13 AM"),
    "%I": ("12", "10", "0", "13"),
    "%Y %j": ("2020 366", "2019 366", "2020 060", "2020 0"),
    "%S.%g": ("5.067", "5.6", "5.0671"),
    "%Y x%%": ("2020 x%", "2020\tx%", "2020x%", "2020 X%"),
    "%Y-%-m-%-d": ("2020-1-5", "2020-01-05"),
}  # fmt: skip
PARSED_WITH_OFFSET = {
    "%Y-%m-%d %z": (
        "2020-01-01 +02:00", "2020-01-01 +0230", "2020-01-01 +02", "2020-01-01 -02:30", "2020-01-01 Z", "2020-01-01 +2",
        "2020-01-01 +02:", "2020-01-01 +020", "2020-01-01 +02:00:30", "2020-01-01 +99",
    )
}  # fmt: skip


def choices() -> list[Case_]:
    found = [
        Case_(call(name, of.type, of, other), f"{name}({of.name}, {other.name})")
        for name in ("greatest", "least", "coalesce", "nullif")
        for of, other in ((i, j), (f, g), (s, t), (d, e), (u, v), (p, q), (b, c), (n, m))
    ]
    found += [
        Case_(call("coalesce", STRING, s, text("none")), "coalesce(s, 'none')"),
        Case_(call("coalesce", INT64, i, Literal(0, INT64)), "coalesce(i, 0)"),
        Case_(call("coalesce", FLOAT64, f, g, double(0.0)), "coalesce(f, g, 0.0::DOUBLE)"),
        Case_(
            Case(
                ((boolean("gt", i, number(0)), text("plus")), (boolean("lt", i, number(0)), text("minus"))),
                text("none"),
                STRING,
            ),
            "CASE WHEN i > 0 THEN 'plus' WHEN i < 0 THEN 'minus' ELSE 'none' END",
        ),
        Case_(Case(((b, Literal(1, INT64)),), Literal(None, INT64), INT64), "CASE WHEN b THEN 1::BIGINT END"),
        Case_(Case(((b, f),), g, FLOAT64), "CASE WHEN b THEN f ELSE g END"),
        Case_(Case(((b, call("add", INT64, i, j)),), i, INT64), "CASE WHEN b THEN i + j ELSE i END"),
        Case_(Cast(n, INT64), "n::BIGINT"),
        Case_(Cast(i, INT32), "i::INTEGER"),
        Case_(Cast(i, STRING), "i::VARCHAR"),
        Case_(Cast(d, STRING), "d::VARCHAR"),
        Case_(Cast(b, STRING), "b::VARCHAR"),
        Case_(Cast(d, TIMESTAMP), "d::TIMESTAMP"),
        Case_(Cast(n, FLOAT64), "n::DOUBLE"),
        Case_(Cast(p, FLOAT64), "p::DOUBLE"),
        Case_(Cast(w, FLOAT64), "w::DOUBLE", 1e-15),
        Case_(Cast(p, WIDE), "p::DECIMAL(38,9)"),
        Case_(Cast(n, decimal(10, 2)), "n::DECIMAL(10,2)"),
        Case_(call("nearest", FLOAT64, i), "i::DOUBLE"),
        Case_(Cast(u, UTC_INSTANT), "u::TIMESTAMPTZ"),
        Case_(call("coalesce", TIMESTAMP_TZ, Cast(u, UTC_INSTANT), z), "coalesce(u, z)"),
        Case_(call("greatest", TIMESTAMP_TZ, Cast(d, UTC_INSTANT), z), "greatest(d, z)"),
        Case_(Case(((b, z),), Cast(u, UTC_INSTANT), TIMESTAMP_TZ), "CASE WHEN b THEN z ELSE u END"),
        Case_(
            Cast(call("concat", STRING, s, text("2020-01-05 10:00")), UTC_INSTANT),
            "TRY_CAST(concat(s, '2020-01-05 10:00') AS TIMESTAMPTZ)",
        ),
    ]
    return found


CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=[case.sql for case in CASES])
def test_emitted_expression_equals_duckdb(case: Case_) -> None:
    names = sorted({node.name for node in walk(case.expr) if hasattr(node, "name")}) or ["b"]
    wrong = [
        found for found in outcomes(case.expr, case.sql, names) if not same(found.polars, found.duckdb, case.tolerance)
    ]
    assert not wrong, wrong[:8]


def test_every_function_is_compared() -> None:
    compared = {node.function for case in CASES for node in walk(case.expr) if isinstance(node, Call)}
    by_hand = {"lower", "upper", "current_date", "current_timestamp"}
    assert SUPPORTED - compared == by_hand
