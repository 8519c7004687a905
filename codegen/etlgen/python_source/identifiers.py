"""Names of contracts as Python identifiers: every name has one defined outcome (docs/naming.md).

A name that already is a usable identifier keeps its spelling. The others are slugged, and numbered when the slug is
taken; names that keep their spelling are placed first, so a slug never takes the place of a real name.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping

MODEL_ATTRIBUTES = frozenset(
    [
        "construct",
        "copy",
        "dict",
        "fields",
        "fields_set",
        "from_orm",
        "from_text",
        "json",
        "mro",
        "parse_file",
        "parse_obj",
        "parse_raw",
        "register",
        "schema",
        "schema_json",
        "update_forward_refs",
        "validate",
        "etlgen_constraints__",
    ]
)
"""Attributes of ``pydantic.BaseModel``, its metaclass and ``ContractModel``; names that begin with ``model_`` are Pydantic's as well."""

MODEL_IMPORTS = frozenset(
    [
        "Annotated",
        "Any",
        "BigInt",
        "Binary",
        "Boolean",
        "ConfigDict",
        "ContractModel",
        "Date",
        "Double",
        "Field",
        "HugeInt",
        "Integer",
        "Json",
        "Literal",
        "Numeric",
        "Real",
        "SmallInt",
        "Text",
        "Time",
        "Timestamp",
        "TimestampTz",
        "TinyInt",
        "UBigInt",
        "UHugeInt",
        "UInteger",
        "USmallInt",
        "UTinyInt",
        "Unknown",
        "Uuid",
        "annotations",
    ]
)
"""What ``models.py`` imports: a field of that name would hide the type in the class body."""

_LONGEST_MODULE = 200
"""Characters of a module's name: file systems take 255, and a number may follow."""

_WINDOWS_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))})


def attribute_names(columns: Iterable[str]) -> Mapping[str, str]:
    """The attribute of each column, for all models of a contract.

    >>> dict(attribute_names(["order_id", "Group By", "group_by", "class", "2fast"]))
    {'group_by': 'group_by', 'order_id': 'order_id', '2fast': 'field_2fast', 'Group By': 'group_by_2', 'class': 'class_'}
    """
    known = sorted(set(columns))
    kept = [name for name in known if is_attribute(name)]
    slugs = ((name, attribute_slug(name)) for name in known if not is_attribute(name))
    found = {name: name for name in kept}
    return found | number_names(slugs, taken=set(kept))


def is_attribute(name: str) -> bool:
    """Whether a column's name can be its attribute as it is written."""
    return (
        name.isidentifier()
        and unicodedata.normalize("NFKC", name) == name
        and not name.startswith("_")
        and not _is_reserved_attribute(name)
    )


def attribute_slug(name: str) -> str:
    """A usable attribute made from any text; Unicode letters stay, everything else becomes ``_``."""
    text = unicodedata.normalize("NFKC", name)
    if not text.isidentifier():
        text = unicodedata.normalize("NFKC", text.lower())
        text = re.sub("_+", "_", "".join(char if f"a{char}".isidentifier() else "_" for char in text))
        text = text.rstrip("_")
    text = text.lstrip("_")
    if not text:
        return "field"
    if not text[0].isidentifier():
        text = f"field_{text}"
    return f"{text}_" if _is_reserved_attribute(text) else text


def _is_reserved_attribute(name: str) -> bool:
    return (
        keyword.iskeyword(name)
        or name in MODEL_ATTRIBUTES
        or name in MODEL_IMPORTS
        or name.startswith(("model_", "etlgen_"))
    )


def module_slug(name: str, fallback: str = "contract") -> str:
    """A lower-case ASCII name for a module, parameter or function, made from any text."""
    text = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode("ascii")
    text = re.sub("[^a-z0-9]+", "_", text).strip("_")
    if not text:
        return "_".join([fallback, *(f"{ord(char):x}" for char in name[:8])])
    if text[0].isdigit():
        text = f"{fallback}_{text}"
    text = text[:_LONGEST_MODULE].rstrip("_")
    return f"{text}_" if keyword.iskeyword(text) or text in _WINDOWS_DEVICES else text


def number_names(slugs: Iterable[tuple[str, str]], taken: Iterable[str], *, joint: str = "_") -> dict[str, str]:
    """One distinct name per key: the slug, or the slug with the first free number from 2.

    Args:
        slugs: (key, slug) in the order in which they choose.
        taken: Names that no key gets.
        joint: What stands before a number: ``group_by_2``; nothing in the names of classes: ``GroupBy2``.
    """
    used = set(taken)
    found: dict[str, str] = {}
    for key, slug in slugs:
        name, number = slug, 2
        while name in used:
            name, number = f"{slug.rstrip('_')}{joint}{number}", number + 1
        used.add(name)
        found[key] = name
    return found


def class_name(slug: str) -> str:
    """``order_items`` -> ``OrderItems``."""
    return "".join(part[:1].upper() + part[1:] for part in slug.split("_") if part)


_UNCHANGED = ("ss", "us", "is")
_SINGULARS = (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("zzes", "zz"), ("s", ""))


def singular(slug: str) -> str:
    """The slug with its last word in the singular, by endings alone, the same on every machine.

    >>> [singular(word) for word in ("orders", "order_countries", "addresses", "status", "movies", "series", "news")]
    ['order', 'order_country', 'address', 'status', 'movie', 'series', 'news']
    """
    *head, last = slug.split("_")
    if last in _IRREGULAR:
        return "_".join([*head, _IRREGULAR[last]])
    if last.endswith(_UNCHANGED) or len(last) < 4:
        return slug
    for ending, replacement in _SINGULARS:
        if last.endswith(ending):
            return "_".join([*head, last.removesuffix(ending) + replacement])
    return slug


_IRREGULAR = {
    "movies": "movie",
    "series": "series",
    "species": "species",
    "news": "news",
    "people": "person",
    "children": "child",
    "buses": "bus",
    "statuses": "status",
    "indices": "index",
    "analyses": "analysis",
    "ids": "id",
}
