"""The table of supported scalar functions and operators: names, argument types, result types, NULLs, meaning.

It exists once. Name resolution and typing (``etlgen.sql.scalar``), the allow-list of SEC-001, the page docs/sql.md, the
engines' capability lists and the comparison with DuckDB's DESCRIBE all read it. It imports no SQL parser.

``Call.function`` holds a ``Function.name``. Arguments stand in the order given here. Meaning: semantics, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from etlgen.sql.result_types import (
    ResultRule,
    constant,
    moved_moment_type,
    parsed_moment_type,
    part_type,
    product_type,
    round_type,
    same_as_first,
    sum_type,
    truncated_moment_type,
    unified,
    whole_division_type,
    whole_number_type,
)
from etlgen_runtime.types import BOOLEAN, DATE, FLOAT64, INT8, INT64, STRING, TIMESTAMP, TIMESTAMP_TZ


class Accepts(StrEnum):
    """What an argument may be. Conversions that the front end makes are explicit nodes of the tree."""

    ANY = "any"
    TEXT = "text"  # a string; json is taken as its text
    AS_TEXT = "as text"  # anything, cast to string
    NUMBER = "number"
    DOUBLE = "double"  # a number, made a double
    INTEGER = "integer"
    BOOLEAN = "boolean"
    MOMENT = "date or timestamp"
    UNIT = "unit"  # a text literal of a closed list, canonical singular (`day`)
    PATTERN = "pattern"  # a text literal, already rewritten to the portable form
    TEXT_LITERAL = "text literal"
    INTEGER_LITERAL = "integer literal"
    INTERVAL = "interval"  # a literal holding etlgen.expr.Interval


class Nulls(StrEnum):
    """What a NULL argument makes of the result."""

    PROPAGATE = "NULL when an argument is NULL"
    LOGIC = "three-valued logic"
    SKIPPED = "NULL arguments are skipped; NULL only when all are NULL"
    NEVER = "never NULL"
    EMPTY = "NULL arguments count as empty text"
    OWN = "as described"


class Group(StrEnum):
    """Sections of docs/sql.md."""

    ARITHMETIC = "Arithmetic"
    COMPARISON = "Comparison"
    LOGIC = "Boolean logic"
    NULLS = "NULL and choice"
    TEXT = "Text"
    PATTERNS = "Patterns"
    MATHS = "Mathematics"
    DATES = "Dates and times"
    CONVERSION = "Conversion"
    AGGREGATES = "Aggregates of a rollup"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument: its name for people and what it may be."""

    name: str
    accepts: Accepts
    optional: bool = False
    repeated: bool = False
    same: bool = False
    """Converted to one type with every other parameter so marked (comparison, COALESCE)."""


@dataclass(frozen=True, slots=True)
class Function:
    """A supported function or operator.

    Args:
        name: Canonical name, as in ``Call.function``.
        parameters: In the order of ``Call.args``.
        result: Result type from the converted arguments.
        result_text: The rule in words.
        meaning: One line for docs/sql.md.
        spellings: How it is written in DuckDB SQL; function spellings end in ``()``, the rest are operator templates.
    """

    name: str
    group: Group
    parameters: tuple[Parameter, ...]
    result: ResultRule
    result_text: str
    nulls: Nulls
    meaning: str
    spellings: tuple[str, ...]

    @property
    def least_arguments(self) -> int:
        return sum(not parameter.optional for parameter in self.parameters)

    @property
    def most_arguments(self) -> int | None:
        """``None`` when the last parameter repeats."""
        return None if self.parameters and self.parameters[-1].repeated else len(self.parameters)

    def parameter(self, index: int) -> Parameter:
        """The parameter that argument ``index`` (from 0) is for."""
        return self.parameters[min(index, len(self.parameters) - 1)]


def _parameters(text: str) -> tuple[Parameter, ...]:
    """Read the table's notation: ``value:text [, chars:text_literal?] [, more:any*]``; ``=`` marks one common type."""
    found: list[Parameter] = []
    for part in filter(None, text.split()):
        name, _, rest = part.partition(":")
        word = rest.rstrip("?*=")
        marks = rest[len(word) :]
        found.append(Parameter(name, Accepts[word.upper()], "?" in marks, "*" in marks, "=" in marks))
    return tuple(found)


def _function(
    group: Group,
    name: str,
    parameters: str,
    result: ResultRule,
    result_text: str,
    nulls: Nulls,
    spellings: str,
    meaning: str,
) -> Function:
    return Function(
        name, group, _parameters(parameters), result, result_text, nulls, meaning, tuple(spellings.split("; "))
    )


_BOOL, _TEXT, _INT, _DOUBLE = constant(BOOLEAN), constant(STRING), constant(INT64), constant(FLOAT64)
_P, _L, _S, _N, _O = Nulls.PROPAGATE, Nulls.LOGIC, Nulls.SKIPPED, Nulls.NEVER, Nulls.OWN
_AR, _CO, _LO, _NU = Group.ARITHMETIC, Group.COMPARISON, Group.LOGIC, Group.NULLS
_TX, _PA, _MA, _DA, _CV = Group.TEXT, Group.PATTERNS, Group.MATHS, Group.DATES, Group.CONVERSION
_NUM = "integer as DuckDB, decimal(38, {}), double when one is double"

# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    # Integer operands keep their own widths; decimals keep their own scales; with a double all operands are doubles.
    _function(_AR, "add", "left:number right:number", sum_type, _NUM.format("max(s1, s2)"), _P, "a + b",
              "Sum. Integers are exact in 128 bits."),
    _function(_AR, "sub", "left:number right:number", sum_type, _NUM.format("max(s1, s2)"), _P, "a - b",
              "Difference. Integers are exact in 128 bits."),
    _function(_AR, "mul", "left:number right:number", product_type, _NUM.format("s1 + s2"), _P, "a * b",
              "Product. Integers are exact in 128 bits."),
    _function(_AR, "div", "left:double right:double", _DOUBLE, "double", _P, "a / b; divide()",
              "Real division; by zero NULL."),
    _function(_AR, "intdiv", "left:number right:number", whole_division_type, "integer for integers, else double", _P,
              "a // b", "Division truncated toward zero (doubles too); by zero NULL."),
    _function(_AR, "mod", "left:number right:number", sum_type, _NUM.format("max(s1, s2)"), _P, "a % b; mod()",
              "Remainder with the sign of the dividend; by zero NULL."),
    _function(_AR, "neg", "value:number", same_as_first, "as value", _P, "-a", "Negation."),

    _function(_CO, "eq", "left:any= right:any=", _BOOL, "boolean", _P, "a = b; a == b",
              "Equal. NaN equals NaN; text by code point."),
    _function(_CO, "ne", "left:any= right:any=", _BOOL, "boolean", _P, "a <> b; a != b", "Not equal."),
    _function(_CO, "lt", "left:any= right:any=", _BOOL, "boolean", _P, "a < b",
              "Less. NaN is above every number; text by code point."),
    _function(_CO, "le", "left:any= right:any=", _BOOL, "boolean", _P, "a <= b", "Less or equal."),
    _function(_CO, "gt", "left:any= right:any=", _BOOL, "boolean", _P, "a > b", "Greater."),
    _function(_CO, "ge", "left:any= right:any=", _BOOL, "boolean", _P,
              "a >= b; a BETWEEN low AND high", "Greater or equal. BETWEEN is `ge` and `le`."),
    _function(_CO, "distinct_from", "left:any= right:any=", _BOOL, "boolean", _N, "a IS DISTINCT FROM b",
              "Not equal, NULL taken as a value."),
    _function(_CO, "not_distinct_from", "left:any= right:any=", _BOOL, "boolean", _N, "a IS NOT DISTINCT FROM b",
              "Equal, NULL taken as a value."),
    _function(_CO, "in", "value:any= item:any*=", _BOOL, "boolean", _L, "a IN (b, c); a NOT IN (b, c)",
              "Equal to one of the items; NULL when none matches and the value or an item is NULL."),

    _function(_LO, "and", "left:boolean right:boolean*", _BOOL, "boolean", _L, "a AND b",
              "TRUE when all are TRUE. Takes two or more arguments."),
    _function(_LO, "or", "left:boolean right:boolean*", _BOOL, "boolean", _L, "a OR b",
              "TRUE when one is TRUE. Takes two or more arguments."),
    _function(_LO, "not", "value:boolean", _BOOL, "boolean", _P, "NOT a", "Negation."),
    _function(_LO, "is_true", "value:boolean", _BOOL, "boolean", _N, "a IS TRUE; a IS NOT TRUE",
              "TRUE only when TRUE. IS NOT TRUE is `not` of it."),
    _function(_LO, "is_false", "value:boolean", _BOOL, "boolean", _N, "a IS FALSE; a IS NOT FALSE",
              "TRUE only when FALSE. IS NOT FALSE is `not` of it."),

    _function(_NU, "is_null", "value:any", _BOOL, "boolean", _N, "a IS NULL; a ISNULL", "The value is NULL."),
    _function(_NU, "is_not_null", "value:any", _BOOL, "boolean", _N, "a IS NOT NULL; a NOTNULL",
              "The value is not NULL."),
    _function(_NU, "coalesce", "value:any*=", unified, "common type", _S, "coalesce(); ifnull()",
              "First non-NULL argument."),
    _function(_NU, "nullif", "value:any other:any", same_as_first, "as value", _O, "nullif()",
              "NULL when both are equal, else the value."),
    _function(_NU, "greatest", "value:any*=", unified, "common type", _S, "greatest()",
              "Greatest of the non-NULL arguments; NaN is above every number."),
    _function(_NU, "least", "value:any*=", unified, "common type", _S, "least()", "Least of the non-NULL arguments."),

    _function(_TX, "length", "value:text", _INT, "int64", _P, "length(); len(); char_length(); character_length()",
              "Number of code points."),
    _function(_TX, "lower", "value:text", _TEXT, "string", _P, "lower(); lcase()",
              "Full Unicode lower case, no locale."),
    _function(_TX, "upper", "value:text", _TEXT, "string", _P, "upper(); ucase()",
              "Full Unicode upper case, no locale."),
    _function(_TX, "trim", "value:text chars:text?", _TEXT, "string", _P, "trim(); trim(BOTH chars FROM a)",
              "Without leading and trailing spaces, or characters of `chars`."),
    _function(_TX, "ltrim", "value:text chars:text?", _TEXT, "string", _P, "ltrim(); trim(LEADING chars FROM a)",
              "Without leading spaces, or characters of `chars`."),
    _function(_TX, "rtrim", "value:text chars:text?", _TEXT, "string", _P, "rtrim(); trim(TRAILING chars FROM a)",
              "Without trailing spaces, or characters of `chars`."),
    _function(_TX, "substring", "value:text start:integer length:integer?", _TEXT, "string", _P,
              "substring(); substr(); substring(a FROM start FOR length)",
              "Code points from `start` (from 1; negative: from the end); a negative length takes those before."),
    _function(_TX, "replace", "value:text search:text by:text", _TEXT, "string", _P, "replace()",
              "Every occurrence of `search` replaced; an empty `search` changes nothing."),
    _function(_TX, "concat", "value:as_text*", _TEXT, "string", Nulls.EMPTY, "concat()", "Texts joined."),
    _function(_TX, "concat_op", "left:as_text right:as_text", _TEXT, "string", _P, "a || b", "Texts joined."),
    _function(_TX, "split_part", "value:text delimiter:text index:integer", _TEXT, "string", _P,
              "split_part()",
              "Part `index` (from 1; negative: from the end); empty text beyond the ends."),
    _function(_TX, "starts_with", "value:text search:text", _BOOL, "boolean", _P, "starts_with(); prefix(); a ^@ b",
              "The text begins so."),
    _function(_TX, "ends_with", "value:text search:text", _BOOL, "boolean", _P, "ends_with(); suffix()",
              "The text ends so."),
    _function(_TX, "contains", "value:text search:text", _BOOL, "boolean", _P, "contains()", "The text occurs in it."),
    _function(_TX, "left", "value:text count:integer", _TEXT, "string", _P, "left()",
              "First `count` code points; negative: all but the last ones."),
    _function(_TX, "right", "value:text count:integer", _TEXT, "string", _P, "right()",
              "Last `count` code points; negative: all but the first ones."),
    _function(_TX, "lpad", "value:text count:integer fill:text", _TEXT, "string", _P, "lpad()",
              "Filled on the left to `count` code points, or cut at the right to them."),
    _function(_TX, "rpad", "value:text count:integer fill:text", _TEXT, "string", _P, "rpad()",
              "Filled on the right to `count` code points, or cut to them."),
    _function(_TX, "reverse", "value:text", _TEXT, "string", _P, "reverse()", "Characters in reverse order, as DuckDB."),
    _function(_TX, "position", "value:text search:text", _INT, "int64", _P,
              "position(search IN a); strpos(); instr()", "Where `search` first occurs, from 1; 0 when it does not."),
    _function(_TX, "repeat", "value:text count:integer", _TEXT, "string", _P, "repeat()", "The text `count` times."),

    _function(_PA, "like", "value:text pattern:text escape:text_literal", _BOOL, "boolean", _P,
              "a LIKE p; a NOT LIKE p; a LIKE p ESCAPE e; a ~~ p",
              "`%` any text, `_` one code point, line breaks included. `escape` is one character or empty."),
    _function(_PA, "ilike", "value:text pattern:text escape:text_literal", _BOOL, "boolean", _P,
              "a ILIKE p; a NOT ILIKE p; a ILIKE p ESCAPE e; a ~~* p", "LIKE without regard to case."),
    _function(_PA, "regexp_matches", "value:text pattern:pattern options:text_literal?", _BOOL, "boolean", _P,
              "regexp_matches(); regexp_full_match(); a ~ p; a SIMILAR TO p",
              "The pattern is found in the text. `~`, SIMILAR TO and regexp_full_match ask for the whole text."),
    _function(_PA, "regexp_extract", "value:text pattern:pattern group:integer_literal?", _TEXT, "string", _P,
              "regexp_extract()", "The first match, or its group; empty text when there is none."),
    _function(_PA, "regexp_replace", "value:text pattern:pattern replacement:text_literal options:text_literal?", _TEXT,
              "string", _P, "regexp_replace()",
              r"The first match replaced, with option `g` all; `\1` to `\9` are groups, `\0` the match."),

    _function(_MA, "abs", "value:number", same_as_first, "as value", _P, "abs(); @a", "Absolute value."),
    _function(_MA, "round", "value:number digits:integer?", round_type,
              "as value; decimal(p, digits) for decimals", _P, "round()", "Rounded half away from zero."),
    _function(_MA, "floor", "value:number", whole_number_type, "double; decimal(p, 0) for decimals", _P, "floor()",
              "Greatest whole number not above."),
    _function(_MA, "ceil", "value:number", whole_number_type, "double; decimal(p, 0) for decimals", _P,
              "ceil(); ceiling()", "Least whole number not below."),
    _function(_MA, "sqrt", "value:double", _DOUBLE, "double", _P, "sqrt()", "Square root; of a negative number NULL."),
    _function(_MA, "power", "base:double exponent:double", _DOUBLE, "double", _P, "power(); pow(); a ** b; a ^ b",
              "Power; NULL where it is not a finite number."),
    _function(_MA, "ln", "value:double", _DOUBLE, "double", _P, "ln()", "Natural logarithm; NULL at and below zero."),
    _function(_MA, "log", "base_or_value:double value:double?", _DOUBLE, "double", _P, "log(); log10()",
              "Logarithm to base 10 of one argument; of two, to base `base` (first argument); NULL at and below zero."),
    _function(_MA, "log2", "value:double", _DOUBLE, "double", _P, "log2()", "Logarithm to base 2."),
    _function(_MA, "exp", "value:double", _DOUBLE, "double", _P, "exp()", "e to the power; NULL on overflow."),
    _function(_MA, "sign", "value:number", constant(INT8), "int8", _P, "sign()", "-1, 0 or 1; of NaN 0."),

    _function(_DA, "current_date", "", constant(DATE), "date", _N, "current_date; current_date(); today()",
              "Date of the run's start, UTC."),
    _function(_DA, "current_timestamp", "", constant(TIMESTAMP_TZ), "timestamp_tz", _N,
              "current_timestamp; now(); get_current_timestamp(); transaction_timestamp()",
              "Instant of the run's start, UTC."),
    _function(_DA, "date_trunc", "unit:unit value:moment", truncated_moment_type,
              "timestamp; timestamp_tz for instants", _P, "date_trunc(); datetrunc()",
              "Start of the unit it lies in (weeks begin Monday)."),
    _function(_DA, "date_diff", "unit:unit start:moment= end:moment=", _INT, "int64", _P,
              "date_diff(); datediff(); date - date",
              "Unit boundaries crossed from start to end; `date - date` is days."),
    _function(_DA, "date_part", "unit:unit value:moment", part_type, "int64; double for epoch and julian", _P,
              "date_part(); datepart(); extract(unit FROM a); year(); month(); day(); dayofmonth(); quarter(); week(); "
              "weekofyear(); dayofweek(); weekday(); isodow(); dayofyear(); hour(); minute(); second(); millisecond(); "
              "microsecond(); epoch(); isoyear(); julian()",
              "Part of a date or time; `dow` counts from Sunday 0, `isodow` from Monday 1."),
    _function(_DA, "date_add", "value:moment by:interval", moved_moment_type,
              "timestamp; timestamp_tz for instants", _P, "a + INTERVAL n unit; a - INTERVAL n unit; date_add()",
              "Moved by the interval: months first (day clipped to the month's last), then days, then time. "
              "`date + n`, n a whole literal, is the date n days later, cast back to date. "
              "Beyond the years 0001 to 9999 it is out of range."),
    _function(_DA, "strftime", "value:moment format:text_literal", _TEXT, "string", _P, "strftime()",
              "Formatted with DuckDB's letters."),
    _function(_DA, "strptime", "value:text format:text_literal", parsed_moment_type,
              "timestamp; timestamp_tz with %z", _P, "strptime(); try_strptime()",
              "Read with DuckDB's letters; NULL when it does not match, or names no day of the years 0001 to 9999."),
    _function(_DA, "make_date", "year:integer month:integer day:integer", constant(DATE), "date", _P, "make_date()",
              "Date of its parts; NULL when there is no such day in the years 0001 to 9999."),
    _function(_DA, "make_timestamp", "year:integer month:integer day:integer hour:integer minute:integer second:double",
              constant(TIMESTAMP), "timestamp", _P, "make_timestamp()",
              "Timestamp of its parts; NULL when there is none in the years 0001 to 9999."),

    # The implicit conversion that may round, which CAST may not: made by the front end only, never written.
    _function(_CV, "nearest", "value:number", same_as_first, "float64 or float32 (``Call.type``)", _P,
              "(implicit)", "The nearest double of an integer of 64 bits or more, or nearest float: in arithmetic, "
              "comparison and functions that take a double."),
)
# fmt: on

BY_NAME: dict[str, Function] = {function.name: function for function in FUNCTIONS}
"""The table by canonical name."""

BY_SPELLING: dict[str, Function] = {
    spelling.removesuffix("()"): function
    for function in FUNCTIONS
    for spelling in function.spellings
    if spelling.endswith("()")
}
"""The table by lower-case function name as written in DuckDB SQL."""
