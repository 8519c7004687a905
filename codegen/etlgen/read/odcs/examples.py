"""Examples of a property against its own type and constraints (odcs, section 2): W109."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal, localcontext

from etlgen.contract import Field, Scalar
from etlgen.lower.literals import page_text
from etlgen.patterns import PatternError, parse_pattern, to_rust
from etlgen.patterns.formats import FORMAT_PATTERNS
from etlgen.read.nodes import ScalarNode
from etlgen.read.ranges import Sign, in_words, is_empty
from etlgen.read.view import View
from etlgen_runtime.casts import Unfit, cast_value

_DIGITS = 800


def check_examples(view: View, field: Field) -> None:
    """Report each entry of ``examples`` that data of the property could not be."""
    for item, path in view.items("examples"):
        if isinstance(item, ScalarNode):
            problem = _problem(item, field)
            if problem:
                message = f"the example `{item.text}` of `{view.path}` {problem}"
                fix = "correct the example, or the contract"
                view.findings.warning("ODCS-W109", message, item.at, path=path, fix=fix)


def _problem(node: ScalarNode, field: Field) -> str:
    """What is wrong with an example, in words; empty when nothing is."""
    if node.is_null():
        return "is null, and the property is required" if field.required else ""
    try:
        if field.type.is_numeric and node.boolean() is not None:
            raise Unfit("booleans are no numbers")
        value = cast_value(node.text, field.type, field.date_formats)
    except Unfit:
        return f"is no {field.type}"
    if value is None:
        return "is null, and the property is required" if field.required else ""
    return (
        _out_of_range(node, field) or _unlisted(value, field) or _wrong_text(value, field) or _no_multiple(value, field)
    )


def _out_of_range(node: ScalarNode, field: Field) -> str:
    bounds: tuple[tuple[Sign, Scalar], ...] = (
        ("ge", field.minimum),
        ("gt", field.exclusive_minimum),
        ("le", field.maximum),
        ("lt", field.exclusive_maximum),
    )
    number = node.exact_number()
    written: Scalar = node.text if number is None or field.type.is_temporal else number
    outside = is_empty((*bounds, ("eq", written)), field.type, field.date_formats)
    return f"is not {in_words(bounds)}" if outside and not is_empty(bounds, field.type, field.date_formats) else ""


def _unlisted(value: object, field: Field) -> str:
    if field.accepted_values is None:
        return ""
    for accepted in field.accepted_values:
        try:
            if accepted is not None and cast_value(page_text(accepted), field.type, field.date_formats) == value:
                return ""
        except Unfit:
            continue
    return "is not among its own values"


def _wrong_text(value: object, field: Field) -> str:
    if not isinstance(value, str):
        return ""
    if field.min_length is not None and len(value) < field.min_length:
        return f"is shorter than {field.min_length} characters"
    if field.max_length is not None and len(value) > field.max_length:
        return f"is longer than {field.max_length} characters"
    if field.pattern is not None and not _is_found(field.pattern.value, value):
        return "does not match the pattern"
    if field.format is not None and not _is_found(FORMAT_PATTERNS[field.format], value):
        return f"is no {field.format}"
    return ""


def _is_found(pattern: str, text: str) -> bool:
    """Whether the pattern is found; by an engine that takes linear time, since the pattern is a stranger's."""
    from pydantic_core import SchemaValidator, ValidationError, core_schema  # few contracts have such examples

    try:
        portable = to_rust(parse_pattern(pattern))
    except PatternError:
        return True  # reported at the pattern
    validator = SchemaValidator(core_schema.str_schema(pattern=portable, regex_engine="rust-regex"))
    try:
        validator.validate_python(text)
    except ValidationError:
        return False
    return True


def _no_multiple(value: object, field: Field) -> str:
    step = field.multiple_of
    if step is None or isinstance(value, (bool, dt.date)) or not isinstance(value, (int, float, Decimal)):
        return ""
    with localcontext(prec=_DIGITS):
        exact, unit = Decimal(repr(value) if isinstance(value, float) else value), Decimal(page_text(step))
        return "" if unit <= 0 or exact % unit == 0 else f"is no multiple of {page_text(step)}"
