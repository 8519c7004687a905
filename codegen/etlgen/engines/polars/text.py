"""Text functions: Polars' own where arguments known at build make it exact, else the runtime's."""

from __future__ import annotations

import re

from etlgen.engines.polars.comparisons import predicate
from etlgen.engines.polars.fragments import Binding, Fragment, quoted, typed
from etlgen.engines.polars.integers import typed_integer
from etlgen.engines.polars.likeness import like_call
from etlgen.engines.polars.literals import expression, null_fragment
from etlgen.expr import Call, Literal
from etlgen_runtime.types import INT64, STRING, UINT32

_STRIPS = {"trim": "strip_chars", "ltrim": "strip_chars_start", "rtrim": "strip_chars_end"}
_METHODS = {"lower": "str.to_lowercase()", "upper": "str.to_uppercase()"}
_SIMPLE = {
    "reverse": "fn.reverse",
    "substring": "fn.substring",
    "split_part": "fn.split_part",
    "lpad": "fn.lpad",
    "rpad": "fn.rpad",
    "repeat": "fn.repeat",
}
_REWRITE = re.compile(r"\\(.?)|\$", re.DOTALL)


def text_call(call: Call, args: tuple[Fragment, ...]) -> Fragment:
    """A text function by its canonical name."""
    value = expression(args[0])
    match call.function:
        case "length":
            return typed_integer(f"{value.receiver}.str.len_chars()", UINT32, (0, 2**32 - 1))
        case "lower" | "upper":
            return _text(f"{value.receiver}.{_METHODS[call.function]}")
        case "trim" | "ltrim" | "rtrim":
            return _trimmed(call, value, args[1:])
        case "starts_with" | "ends_with":
            return predicate(f"{value.receiver}.str.{call.function}({args[1].text})")
        case "contains":
            return predicate(f"{value.receiver}.str.contains({args[1].text}, literal=True)")
        case "left" | "right":
            return _end(call.function, value, args[1])
        case "position":
            return typed_integer(f"fn.position({value.text}, {args[1].text})", INT64, (0, 2**32))
        case "replace":
            return _replaced(call, value, args)
        case "concat" | "concat_op":
            return _joined(call.function, args)
        case "substring" if _is_plain_slice(call):
            return _slice(call, value)
        case "like" | "ilike":
            escape = str(literal_value(call, 2) or "")
            constant = literal_text(call, 1)
            return like_call(value, args[1], constant, escape, ignore_case=call.function == "ilike")
        case name if name.startswith("regexp"):
            return _pattern(call, value)
        case name:
            return _text(f"{_SIMPLE[name]}({', '.join([value.text, *(item.text for item in args[1:])])})")


def literal_value(call: Call, index: int) -> object:
    """The constant argument at ``index``; ``None`` when it is missing or computed."""
    argument = call.args[index] if index < len(call.args) else None
    return argument.value if isinstance(argument, Literal) else None


def literal_text(call: Call, index: int) -> str | None:
    """The constant text at ``index``, or ``None``."""
    value = literal_value(call, index)
    return value if isinstance(value, str) else None


def literal_integer(call: Call, index: int) -> int | None:
    """The constant whole number at ``index``, or ``None``."""
    value = literal_value(call, index)
    return value if isinstance(value, int) else None


def _text(text: str) -> Fragment:
    return typed(text, STRING)


def _trimmed(call: Call, value: Fragment, chars: tuple[Fragment, ...]) -> Fragment:
    method = _STRIPS[call.function]
    if not chars:
        return _text(f"{value.receiver}.str.{method}(fn.SPACES)")
    if chars[0].bare:
        return _text(f"{value.receiver}.str.{method}({chars[0].text})")
    return _text(f"fn.{call.function}({value.text}, {chars[0].text})")


def _end(function: str, value: Fragment, count: Fragment) -> Fragment:
    if count.bare:
        return _text(f"{value.receiver}.str.{'head' if function == 'left' else 'tail'}({count.text})")
    return _text(f"fn.{function}({value.text}, {count.text})")


def _replaced(call: Call, value: Fragment, args: tuple[Fragment, ...]) -> Fragment:
    search, by = args[1], args[2]
    if literal_text(call, 1) and by.bare:
        return _text(f"{value.receiver}.str.replace_all({search.text}, {by.text}, literal=True)")
    return _text(f"fn.replace({value.text}, {search.text}, {by.text})")


def _is_plain_slice(call: Call) -> bool:
    start, length = literal_integer(call, 1), literal_integer(call, 2)
    return start is not None and start >= 1 and (len(call.args) == 2 or (length is not None and length >= 0))


def _slice(call: Call, value: Fragment) -> Fragment:
    start, length = literal_integer(call, 1), literal_integer(call, 2)
    bounds = f"{(start or 1) - 1}" + ("" if length is None else f", {length}")
    return _text(f"{value.receiver}.str.slice({bounds})")


def _joined(function: str, args: tuple[Fragment, ...]) -> Fragment:
    """``||`` gives NULL for a NULL, ``concat`` skips it."""
    if function == "concat":
        texts = ", ".join(expression(arg).text for arg in args)
        return _text(f"pl.concat_str({texts}, ignore_nulls=True)")
    left, right = args
    if left.bare and right.bare:
        left = expression(left)
    text = f"{left.at(Binding.SUM)} + {right.above(Binding.SUM)}"
    return typed(text, STRING, binding=Binding.SUM)


def _pattern(call: Call, value: Fragment) -> Fragment:
    """Patterns arrive rewritten to the portable form, which the crate regex reads."""
    pattern = literal_text(call, 1)
    if pattern is None:
        return null_fragment(call.type)
    if call.function == "regexp_matches":
        return predicate(f"{value.receiver}.str.contains({_flagged(pattern, call, 2)})")
    if call.function == "regexp_extract":
        group = literal_integer(call, 2) or 0
        return _text(f"fn.regexp_extract({value.text}, {quoted(pattern)}{f', {group}' if group else ''})")
    by = _replacement(literal_text(call, 2))
    if by is None:
        return null_fragment(STRING)
    method = "replace_all" if "g" in (literal_text(call, 3) or "") else "replace"
    return _text(f"{value.receiver}.str.{method}({_flagged(pattern, call, 3)}, {quoted(by)})")


def _flagged(pattern: str, call: Call, options_at: int) -> str:
    """The pattern with the flags i, m and s of the options argument."""
    flags = "".join(flag for flag in "ims" if flag in (literal_text(call, options_at) or ""))
    return quoted(f"(?{flags}){pattern}" if flags else pattern)


def _replacement(text: str | None) -> str | None:
    r"""DuckDB's ``\1`` and ``\\`` as the crate's ``${1}`` and ``\``; ``None`` for what DuckDB refuses."""
    if text is None:
        return None
    refused = [match[1] for match in _REWRITE.finditer(text) if match[0] != "$" and not re.match(r"[0-9\\]", match[1])]
    return None if refused else _REWRITE.sub(_rewritten, text)


def _rewritten(match: re.Match[str]) -> str:
    if match[0] == "$":
        return "$$"
    return "\\" if match[1] == "\\" else f"${{{match[1]}}}"
