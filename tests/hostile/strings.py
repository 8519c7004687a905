"""Texts and names that try to be more than texts and names."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from random import Random

MARKER = "HOSTILE_MARKER"
"""Name of the file that appears in the working folder where planted code ran."""

CALL = f"__import__('pathlib').Path('{MARKER}').touch()"

PLANTED: tuple[str, ...] = (
    CALL,
    f'"""\n{CALL}\n"""',
    f"'''\n{CALL}\n'''",
    f"\n{CALL}\n#",
    f"\r{CALL}\r#",
    f'"); {CALL}; ("',
    f"'); {CALL}; ('",
    f'\\"""; {CALL}; """',
    f"{{{CALL}}}",
    f"{{{{ {CALL} }}}}",
    "{{ cycler.__init__.__globals__.os.system('touch " + MARKER + "') }}",
    "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "{% import 'os' as os %}{{ os.system('touch " + MARKER + "') }}",
    "{0.__class__.__init__.__globals__}",
    "%(x)s %s %n",
    f"'; COPY (SELECT 1) TO '{MARKER}'; --",
    f"\"; COPY (SELECT 1) TO '{MARKER}'; --",
    f"*/; ATTACH '{MARKER}'; /*",
    f"') UNION SELECT content FROM read_text('{MARKER}') --",
    f"$(touch {MARKER})",
    f"`touch {MARKER}`",
    f"; touch {MARKER} #",
    f"| touch {MARKER}",
    f"!!python/object/apply:os.system ['touch {MARKER}']",
    f"!!python/name:{MARKER}",
    f"&a [*a] {CALL}",
    f"# type: ignore\n{CALL}",
    f"coding: utf-7\n+ACI-{CALL}",
    f"\u2028{CALL}\u2029",
    f"\x0c{CALL}\x85",
    f"\x1b]0;{MARKER}\x07\x1b[2J",
    f"\u202e{CALL}\u2066",
)
"""One for each language that a text of a contract might be taken for."""

PIECES: tuple[str, ...] = (
    "'", '"', '"""', "'''", "\n", "\r\n", "\t", "\\", "\\n", "\\N{DIGIT ONE}", "\\x41", "{", "}", "{{ 7 * 7 }}", "{% raw %}", "{# c #}",
    "${HOME}", "$1", "%s", "#", "--", "/*", "*/", ";", ",", ":", ": ", "- ", "|", ">", "&a", "*a", "!", "@", "`", "<<", "~", "=", "?", "[", "]", "(", ")",
    "\u202e", "\u2066", "\u200b", "\u2028", "\x85", "\x1b[31m", "\x7f", "é", "e\u0301", "ß", "ﬁ", "İ", "数量", "𝒙", "👍🏽", "\ue000", "\ufffd", "a", "B", "0", " ", "x y",
    "null", "true", "NO", "1e5", "0x1", "2024-01-31", "nan", "\\d+", "^a$", ".*", "(?i)", "read_csv('x')", "SELECT 1", "COLUMNS(*)",
)  # fmt: skip

NAMES: tuple[str, ...] = (
    *keyword.kwlist, *keyword.softkwlist, "self", "cls", "print", "list", "dict", "str", "type", "id", "len", "object", "super", "property",
    "select", "from", "group", "order", "table", "SELECT", "Group", "user", "date", "timestamp", "values", "rows", "index", "current_date", "all",
    "model_config", "model_fields", "copy", "json", "schema", "validate", "__init__", "__class__", "__dict__", "__slots__", "_x", "__x", "x__", "_",
    "pl", "fn", "run", "raw", "good", "typed", "checked", "accepted", "prepared", "enriched", "output", "result", "profile", "callbacks", "source",
    "CONTRACT", "SOURCE", "TARGET", "TYPED", "OUTPUT", "PRE_RULES", "POST_RULES", "STEPS", "Run", "Dataset", "Field", "Annotated", "Literal", "Text",
    "Contract", "models", "checks", "contract", "pipeline", "transformations", "polars_steps", "annotations", "dataset", "frames", "lit", "col", "polars",
    "2fast", "0", "1.5", "-1", "Group By", "group-by", "group_by", "a b", "a_b", "a-b", "a.b", "a,b", "a;b", "a'b", 'say "x"', "back\\slash", "two\nlines",
    "*", "^a$", "^.*$", "^", "$", "#", "%", "{x}", "{{ 7 * 7 }}", "{% raw %}", "${x}", "`x`", "--", "/* */", "é", "e\u0301", "ß", "İ", "数量", "👍", "𝒙", "ﬁ",
    "\u202ex", "x\u200by", "\u00a0", "n" * 200, "ü" * 100, "数" * 200, "class " * 33, '"' * 40, "literal", "null", "None", "True", "NaN", "con", "nul", "a:b", "a/b", "a\\b",
)  # fmt: skip


def text(random: Random, *, planted: float = 0.2) -> str:
    """Some pieces in a row; now and then with planted code."""
    found = "".join(random.choices(PIECES, k=random.randint(1, 5)))
    return found + random.choice(PLANTED) if random.random() < planted else found


def name(random: Random) -> str:
    """A name that a column, table, link or rule may have: any text with a visible character that is not kept for the runtime."""
    while True:
        found = random.choice(NAMES) if random.random() < 0.7 else text(random)
        if found.strip() and not found.lower().startswith(("__etlgen", "_etlgen")) and "\ufeff" not in found:
            return found


def names(random: Random, count: int, taken: tuple[str, ...] = ()) -> list[str]:
    """Names that differ also without case."""
    return distinct(lambda: name(random), count, taken)


def texts(random: Random, count: int) -> list[str]:
    """Different texts."""
    return distinct(lambda: text(random), count)


def distinct(make: Callable[[], str], count: int, taken: tuple[str, ...] = ()) -> list[str]:
    found: dict[str, str] = {each.lower(): each for each in taken}
    while len(found) < count + len(taken):
        one = make()
        found.setdefault(one.lower(), one)
    return list(found.values())[len(taken) :]


def segment(random: Random) -> str:
    """A file or folder name that is one segment of a relative path on this system, and is not refused for its looks."""
    while True:
        found = name(random).replace("/", "_")
        fits = len(found.encode()) < 150 and found not in (".", "..") and found.strip(". ")
        if (
            fits
            and not found.startswith(("~", "\\"))
            and found[1:2] != ":"
            and not found.startswith(("table:", "env:"))
        ):
            return found
