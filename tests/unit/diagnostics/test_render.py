"""The look of a diagnostic, and its JSON."""

from __future__ import annotations

import json

from etlgen.diagnostics.model import Diagnostic, Position, Severity
from etlgen.diagnostics.render import Style, json_text, printable, records, render_text, summary

LINES = {
    "contracts/orders.olc.yaml": ["version: 1.0.0"] * 30 + ["    phase: pre", "  - trim: { fields: [emial] }"],
    "wide.yaml": ["名前: ｘ, bad"],
}


def lines_of(file: str) -> list[str]:
    return LINES.get(file, [])


def phase_error() -> Diagnostic:
    return Diagnostic(
        "PHS-001",
        "check `total_cap` runs before the column it reads exists",
        Position("contracts/orders.olc.yaml", 31, 5, 10),
        label="reads `total`, created in phase post by derive #2 (line 22)",
        expected="phase post, or no phase",
        help="remove `phase: pre`",
    )


def test_a_diagnostic_looks_like_a_compilers() -> None:
    assert render_text([phase_error()], lines_of) == (
        "error[PHS-001]: check `total_cap` runs before the column it reads exists\n"
        "  --> contracts/orders.olc.yaml:31:5\n"
        "31 |     phase: pre\n"
        "   |     ^^^^^^^^^^ reads `total`, created in phase post by derive #2 (line 22)\n"
        "   = expected: phase post, or no phase\n"
        "   = help: remove `phase: pre`\n"
        "   = more: etlgen explain PHS-001\n"
    )


def test_the_nearest_name_is_asked_for() -> None:
    found = Diagnostic("SQL-001", "unknown column `emial`", nearest="email")
    assert "   = did you mean `email`?\n" in render_text([found], lines_of)


def test_a_nearest_name_that_the_help_holds_is_not_said_twice() -> None:
    found = Diagnostic("GEN-003", "unknown key `contract`", nearest="contracts", help="write `contracts`")
    assert "did you mean" not in render_text([found], lines_of)


def test_a_nearest_name_that_is_a_part_of_another_word_of_the_help_is_asked_for() -> None:
    found = Diagnostic("SQL-001", "unknown column `rats`", nearest="rate", help="see the generated list, or `rated`")
    assert "   = did you mean `rate`?\n" in render_text([found], lines_of)


def test_the_line_of_a_secret_is_not_printed() -> None:
    found = Diagnostic("ODCS-E109", "a secret", Position("wide.yaml", 1, 5, 1), label="here", line_shown=False)
    text = render_text([found], lines_of)
    assert "bad" not in text
    assert "--> wide.yaml:1:5\n" in text


def test_the_caret_stands_under_wide_characters() -> None:
    text = render_text([Diagnostic("CTR-001", "no", Position("wide.yaml", 1, 5, 1))], lines_of)
    # Before the marked character stand two wide ones (4 columns), a colon and a blank.
    assert "\n   |       ^^\n" in text  # the marked one is wide itself


def test_a_long_line_is_cut_around_the_place() -> None:
    line = "a" * 500 + "HERE" + "b" * 500
    text = render_text([Diagnostic("CTR-001", "no", Position("f", 1, 501, 4))], lambda _: [line])
    shown, caret = text.splitlines()[2:4]
    assert len(shown) < 130
    assert shown[caret.index("^") : caret.index("^") + 4] == "HERE"


def test_control_and_direction_characters_do_not_reach_the_terminal() -> None:
    assert printable("a\x1b[31mb\u202ec\td") == "a\\x1b[31mb\\u202ec d"
    text = render_text([Diagnostic("CTR-001", "name `\x1b]0;owned\x07`")], lines_of)
    assert "\x1b" not in text
    assert "\x07" not in text


def test_a_place_past_the_end_of_the_file_is_named_without_an_excerpt() -> None:
    text = render_text([Diagnostic("CTR-001", "no", Position("wide.yaml", 9, 1), label="here")], lines_of)
    assert text == "error[CTR-001]: no\n  --> wide.yaml:9:1\n   = found: here\n   = more: etlgen explain CTR-001\n"


def test_diagnostics_come_by_place_without_duplicates() -> None:
    late, early = Diagnostic("A-1", "late", Position("f", 9)), Diagnostic("A-2", "early", Position("f", 2))
    text = render_text([late, early, late], lambda _: [])
    assert text.index("early") < text.index("late")
    assert text.count("late") == 1


def test_colour_is_only_written_when_asked_for() -> None:
    assert "\x1b[" not in render_text([phase_error()], lines_of)
    assert "\x1b[1;31merror[PHS-001]\x1b[0m" in render_text([phase_error()], lines_of, Style(colour=True))


def test_json_holds_the_same_facts() -> None:
    (record,) = json.loads(json_text(records([phase_error()])))
    assert record["code"] == "PHS-001"
    assert record["severity"] == "error"
    assert (record["file"], record["line"], record["column"], record["length"]) == (
        "contracts/orders.olc.yaml",
        31,
        5,
        10,
    )
    assert record["expected"] == "phase post, or no phase"


def test_json_escapes_what_steers_a_terminal_and_keeps_its_meaning() -> None:
    value = {"name": "a\x9b\x7f\u202eé\n"}
    assert json_text(value) == '{\n  "name": "a\\u009b\\u007f\\u202eé\\n"\n}'
    assert json.loads(json_text(value)) == value


def test_the_summary_counts_by_severity() -> None:
    warning = Diagnostic("B-1", "w", severity=Severity.WARNING)
    assert summary([phase_error(), warning, Diagnostic("A-1", "e")]) == "2 errors, 1 warning"
    assert summary([]) == "no problems"
