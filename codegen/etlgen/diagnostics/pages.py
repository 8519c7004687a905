"""The documentation of diagnostics, for ``etlgen explain`` and docs/diagnostics.md, from one table."""

from __future__ import annotations

from difflib import get_close_matches

from etlgen.diagnostics.codes import FAMILIES, CodeInfo, all_codes, family


def explanation(code: str) -> str | None:
    """What ``etlgen explain`` prints: Markdown of one code; ``None`` for an unknown one. Case does not matter."""
    info = find(code)
    return None if info is None else "\n".join([f"# {info.code}: {info.title}", *_body(info)])


def find(code: str) -> CodeInfo | None:
    """The entry of a code, written in any case, with or without its hyphen."""
    wanted = _key(code)
    return next((info for name, info in all_codes().items() if _key(name) == wanted), None)


def nearest_codes(code: str) -> tuple[str, ...]:
    """Up to three known codes that look like ``code``."""
    return tuple(get_close_matches(code.strip().upper(), all_codes(), n=3, cutoff=0.5))


def diagnostics_page() -> str:
    """docs/diagnostics.md: every code with cause, example and fix; the anchor is the code in lower case."""
    out = [
        "# Diagnostics",
        "",
        "Every code that etlgen and its runtime report. `etlgen explain CODE` prints one entry. Codes are stable: they are",
        "not given a new meaning.",
        "",
        "<!-- This page is generated from codegen/etlgen/diagnostics/codes by `make docs`. -->",
    ]
    for module, prefix, title in FAMILIES:
        codes = family(module)
        if not codes:
            continue
        out += ["", f"## {prefix}: {title}", "", "| code | finding |", "|---|---|"]
        out += [f"| [{info.code}](#{info.code.lower()}) | {_cell(info.title)} |" for info in codes.values()]
        for info in codes.values():
            out += ["", f'<a id="{info.code.lower()}"></a>', "", f"### {info.code}: {info.title}", *_body(info)]
    return "\n".join(out) + "\n"


def _body(info: CodeInfo) -> list[str]:
    return ["", info.cause, "", "```text", *info.example.strip("\n").splitlines(), "```", "", f"Fix: {info.fix}"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _key(code: str) -> str:
    return code.strip().upper().replace("-", "")
