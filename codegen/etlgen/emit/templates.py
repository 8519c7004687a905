"""The templates of generated modules. What a template prints is code that a filter wrote, or an identifier; nothing else.

Text of a contract is a value to a template: ``{{ contract.title | literal }}``. Printing it plainly is an error, also in
templates of the user's own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, Undefined

from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.python_source.literals import docstring_text, one_line, python_literal

LINE_LENGTH = 118


_FAULTS = (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError)
"""What else a template of the user's own can raise: it computes, and its file may be unreadable or no UTF-8."""


class UnsafeTemplate(Exception):
    """A template printed text that no filter has made safe."""


class Code(str):
    """Python source text, written by the generator."""

    __slots__ = ()


def shipped_templates() -> Path:
    """The folder of the built-in templates: in the package when installed, beside ``codegen/`` in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "templates"
    return installed if installed.is_dir() else package.parent.parent / "templates"


@cache
def environment(folder: Path | None = None) -> Environment:
    """The template environment; templates in ``folder`` replace the built-in ones of the same name."""
    folders = [folder, shipped_templates()] if folder is not None else [shipped_templates()]
    made = Environment(
        loader=FileSystemLoader(folders),
        autoescape=False,  # the output is Python, not HTML; ``finalize`` guards it
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=_guarded,
    )
    made.filters.update(
        code=_code, literal=_literal, text=_text, doc=_doc, line=_line, paragraph=_paragraph, listed=_listed
    )
    return made


def render(template: str, context: dict[str, object], folder: Path | None = None) -> str:
    """The text of a module.

    Args:
        template: File name in ``templates/``.

    Raises:
        ContractError: GEN-019, the template is wrong, or prints a value that no filter has made safe.
    """
    try:
        return environment(folder).get_template(template).render(context)
    except (TemplateError, UnsafeTemplate, *_FAULTS) as error:
        if isinstance(error, _FAULTS) and (folder is None or not (folder / template).is_file()):
            raise  # a built-in template: no fault of the user
        reason = error.message if isinstance(error, TemplateError) else str(error)
        message = f"template `{template}` cannot be rendered: {reason}"
        raise ContractError((Diagnostic("GEN-019", message, help="start from the built-in template"),)) from error


def _guarded(value: object) -> object:
    if isinstance(value, Code | int | Undefined) or (isinstance(value, str) and (value.isidentifier() or not value)):
        return value
    raise UnsafeTemplate(
        "a template prints text that is not code: use one of the filters literal, text, doc, line, paragraph, listed"
    )


def _code(value: str) -> Code:
    """Text that the generator itself wrote."""
    return Code(value)


def _listed(values: Iterable[str]) -> Code:
    """Identifiers, with commas between them."""
    parts = list(values)
    if not all(part.isidentifier() for part in parts):
        raise UnsafeTemplate("only identifiers can be listed")
    return Code(", ".join(parts))


def _literal(value: object) -> Code:
    return Code(python_literal(value))


def _text(value: str) -> Code:
    """Inside a docstring, on its line."""
    return Code(docstring_text(value))


def _doc(value: str) -> Code:
    """Inside a docstring, as a literal in double backquotes."""
    return Code(f"``{docstring_text(value)}``")


def _line(value: str) -> Code:
    """The rest of a comment line."""
    return Code(one_line(value))


def _paragraph(value: str, indent: int) -> Code:
    """Inside a docstring, wrapped, the following lines indented."""
    lines = textwrap.wrap(docstring_text(value), LINE_LENGTH - indent, break_long_words=False, break_on_hyphens=False)
    return Code(f"\n{' ' * indent}".join(lines))
