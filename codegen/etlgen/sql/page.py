"""docs/sql.md: the page of supported SQL, written from the tables."""

from __future__ import annotations

from etlgen.sql.aggregates import AGGREGATES, GROUP_FUNCTIONS, WINDOW_FUNCTIONS
from etlgen.sql.functions import FUNCTIONS, Function, Group
from etlgen.sql.refusals import NON_DETERMINISTIC
from etlgen.sql.units import CALENDAR_UNITS, PART_UNITS, STRFTIME_LETTERS, UNPADDED_LETTERS

_INTRODUCTION = """\
# SQL in contracts

<!-- This page is generated from codegen/etlgen/sql by `make docs`. -->

SQL is parsed in the DuckDB dialect. Where this page says nothing else, an expression means what DuckDB computes. What is not
listed is a build error that names it. Names are found without regard to case, quoted or not; the output keeps the declared
spelling.

* **Every scalar expression is total.** Division by zero, a domain error, a result that is not finite, a cast that does not fit,
  text or parts that name no day of the years 0001 to 9999: the value is NULL. No value ends a run.
* **Integers** are exact in 128 bits, also on the way: `a * b / 2`, `a * b > 5` in CASE or in a filter see the number, whatever
  the types of `a` and `b`. In a row rule, arithmetic beyond the type of its operands is NULL.
* **Decimals**: a literal with a point is a decimal; results have precision 38. A literal beside a double is a double. `%` takes
  both operands to the greater scale, where they must have 38 digits too.
* **Out of range.** A derived value is judged by the declared type of its column (`s * s` of two `smallint` fits a `long`), where
  none is declared by the type of the expression. Where it does not fit, the row is bad (`<field>_type`). So it is where a number
  beyond 128 bits, a decimal beyond 38 digits, or a moment that `+ INTERVAL` or `date + n` moves out of the years 0001 to 9999 is
  needed to compute the value, whatever the expression makes of it: `coalesce(a * b * c, 0)` is not 0 then. The same holds for
  aggregates of a rollup. In a row rule and in a filter such a number or moment is NULL.
* **Needed** is what the result depends on: nothing in a branch that is not taken, and nothing beside a NULL or a zero divisor
  that makes the result NULL whatever else there is (`a * b * c + NULL`). AND, OR, greatest, least and concat need all arguments.
* **Text literals** beside a number, date, timestamp or boolean are read when the contract is built, by the cast table.
  A text column beside one of these is an error.
* **CAST** and TRY_CAST are the same: the value exactly, or NULL. Types are those of contracts: `INT` and `INTEGER` have 64
  bits, `FLOAT` is a double, a bare `DECIMAL` is (38, 9). A timestamp casts to a date only at midnight.
* **CASE**, `if()`: the branches get one type.
"""

_ROLLUP = """
Every aggregate takes `FILTER (WHERE condition)`; `count_if(c)` is `count(*) FILTER (WHERE c)`. Around aggregates the functions
above may be used, over them and over the columns of `group_by`: `round(sum(a) / count(*), 2)`. An integer sum is published in
the declared type of its column, in 64 bits where none is declared.
"""


def sql_page() -> str:
    """The Markdown of docs/sql.md."""
    parts = [_INTRODUCTION]
    for group in Group:
        rows = [_row(function) for function in (*FUNCTIONS, *GROUP_FUNCTIONS) if function.group is group]
        parts.append(
            f"\n## {group.value}\n\n| written | arguments | result | NULL | meaning |\n|---|---|---|---|---|\n"
        )
        parts.append("".join(rows))
    parts.append(_ROLLUP)
    parts.append(_words())
    parts.append(_dataset_rules())
    return "".join(parts)


def _row(function: Function) -> str:
    written = "<br>".join(_code(spelling) for spelling in function.spellings)
    arguments = ", ".join(_argument(function, index) for index in range(len(function.parameters)))
    cells = (written, arguments, function.result_text, function.nulls.value, function.meaning)
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |\n"


def _argument(function: Function, index: int) -> str:
    parameter = function.parameters[index]
    text = f"{parameter.name}: {parameter.accepts.value}{'…' if parameter.repeated else ''}"
    return f"[{text}]" if parameter.optional else text


def _code(spelling: str) -> str:
    return f"`{spelling}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _words() -> str:
    units = ", ".join(f"`{unit}`" for unit in CALENDAR_UNITS)
    parts = ", ".join(f"`{unit}`" for unit in PART_UNITS)
    letters = " ".join(f"`%{letter}`" for letter in STRFTIME_LETTERS if letter != "-")
    unpadded = " ".join(f"`%-{letter}`" for letter in UNPADDED_LETTERS)
    return (
        "\n## Words in literals\n\n"
        f"* Units of `date_trunc`, `date_diff` and intervals: {units}. DuckDB's other spellings (`days`, `mon`) are taken.\n"
        f"* Parts of `date_part` and `extract`: {parts}.\n"
        f"* Letters of `strftime` and `strptime`: {letters}; without padding {unpadded}.\n"
        "* Patterns search. They are literals of characters, classes, groups, alternation, repeats up to 1000, anchors and the\n"
        "  flags `i`, `m`, `s`; `\\d`, `\\w`, `\\s`, `\\b` are ASCII, `$` is the end of the text. Look-around, back-references,\n"
        "  possessive repeats, Unicode properties and set operations are refused. Options are `c`, `i`, `s`, and `g` to replace\n"
        "  all matches.\n"
    )


def _dataset_rules() -> str:
    aggregates = ", ".join(f"`{name}`" for name in sorted(AGGREGATES))
    windows = ", ".join(f"`{name}`" for name in sorted(WINDOW_FUNCTIONS))
    refused = ", ".join(f"`{name}`" for name in sorted(NON_DETERMINISTIC))
    return (
        "\n## Dataset rules\n\n"
        "One SELECT over `source` (or `{dataset}`, or the contract's table name) and the links, or one aggregate expression\n"
        "over `source`. It gives one value. Everything above may be used and means the same, and:\n\n"
        f"* aggregates: {aggregates}. `string_agg` and its like need ORDER BY.\n"
        f"* window functions: {windows}.\n\n"
        "## Refused\n\n"
        f"* Not deterministic (SQL-012): {refused}; LIMIT without ORDER BY.\n"
        "* SEC-001: a second statement, DDL, DML, COPY, ATTACH, PRAGMA, SET, table functions, functions that reach files,\n"
        "  network, settings or the catalog.\n"
    )
