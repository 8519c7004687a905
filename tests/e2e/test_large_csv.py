"""CSV files large enough to be validated while they are read: the same rows, the same refusals, nothing published too early."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.e2e.packages import Builder, contract, files, table

from etlgen_runtime import Callbacks
from etlgen_runtime.engines.polars.csv_source import WORTH_A_THREAD

TEXT = "x" * 90
ROWS = WORTH_A_THREAD // 80
PEOPLE = contract(["id: long!", "name: string", "n: integer"], source={"format": "csv"})
MIDDLE = ROWS // 2


def write(path: Path, *, line_end: str = "\n", extra: str = "") -> None:
    """``ROWS`` rows with an ``extra`` line before the one in the middle, which is line ``MIDDLE + 2`` then."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"id,name,n{line_end}")
        file.writelines(f"{number},{TEXT},{number % 5}{line_end}" for number in range(MIDDLE))
        file.write(extra)
        file.writelines(f"{number},{TEXT},{number % 5}{line_end}" for number in range(MIDDLE, ROWS))
    assert path.stat().st_size > WORTH_A_THREAD


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_row_is_read(build: Builder, tmp_path: Path, line_end: str) -> None:
    write(tmp_path / "in.csv", line_end=line_end)
    links: set[bool] = set()

    def look(number: int, name: str) -> None:
        links.update(path.is_symlink() for path in (tmp_path / ".etlgen").rglob("*-in.csv"))

    result = build(PEOPLE).run(tmp_path, callbacks=Callbacks(on_step_start=look))
    assert links == {True}  # Polars read the file itself, by a link
    assert result.report.accounting.read == ROWS
    assert table(result.accepted).rows() == [(number, TEXT, number % 5) for number in range(ROWS)]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("7,short\n", "2 fields, expected 3"),
        ("7,long,1,1\n", "4 fields, expected 3"),
        (f'7,{TEXT}"{TEXT},1\n', "a quote inside field 2, which does not begin with one"),
        ('7,"open,1\n', "the quote that opens field 2 is never closed"),
        ("7,nul\0byte,1\n", "a NUL byte"),
    ],
)
def test_a_malformed_line_far_down_fails_the_run(build: Builder, tmp_path: Path, line: str, fault: str) -> None:
    write(tmp_path / "in.csv")
    build(PEOPLE).run(tmp_path)
    before = files(tmp_path)
    write(tmp_path / "in.csv", extra=line)
    (diagnostic,) = build(PEOPLE).fail(tmp_path).diagnostics
    assert (diagnostic.code, diagnostic.message) == ("PMDATA105", f"`in.csv`, line {MIDDLE + 2}: {fault}")
    assert files(tmp_path) == before


@pytest.mark.parametrize("first", ["", f"8,{TEXT},\n"], ids=["no NULL", "NULL first"])
@pytest.mark.parametrize("extra", ["", "7,short\n"], ids=["whole", "short"])
@pytest.mark.parametrize(
    ("last", "fault"),
    [
        (f"9,{TEXT},1,", "4 fields, expected 3"),
        (f"9,{TEXT},1\r", "a carriage return without line feed"),
        (f"9,{TEXT},\r", "a carriage return without line feed"),
    ],
)
def test_an_end_that_makes_up_for_a_short_line(
    build: Builder, tmp_path: Path, first: str, extra: str, last: str, fault: str
) -> None:
    """Polars drops one delimiter or carriage return too many at the very end of a file: the bytes of a short line before it."""
    write(tmp_path / "in.csv", extra=extra)
    head, _, rest = (tmp_path / "in.csv").read_text().partition("\n")
    (tmp_path / "in.csv").write_text(f"{head}\n{first}{rest}{last}", newline="")
    line = MIDDLE + 2 + bool(first) if extra else ROWS + 2 + bool(first)
    (diagnostic,) = build(PEOPLE).fail(tmp_path).diagnostics
    said = "2 fields, expected 3" if extra else fault
    assert (diagnostic.code, diagnostic.message) == ("PMDATA105", f"`in.csv`, line {line}: {said}")


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\n\n\n"])
def test_blank_lines_far_down_are_no_rows(build: Builder, tmp_path: Path, gap: str) -> None:
    """The file is read again, from a copy without them; every row counts once."""
    write(tmp_path / "in.csv", extra=gap)
    result = build(PEOPLE).run(tmp_path)
    counts = result.report.accounting
    assert (counts.read, counts.accepted, counts.quarantined) == (ROWS, ROWS, 0)
    assert table(result.accepted)["id"].to_list() == list(range(ROWS))


@pytest.mark.parametrize("end", ["\n", "\n\n"])
def test_blank_lines_at_the_end_are_no_rows(build: Builder, tmp_path: Path, end: str) -> None:
    write(tmp_path / "in.csv")
    with (tmp_path / "in.csv").open("a") as file:
        file.write(end)
    assert build(PEOPLE).run(tmp_path).report.accounting.read == ROWS


def test_several_large_files(build: Builder, tmp_path: Path) -> None:
    """One of them holds a blank line."""
    folder = tmp_path / "in"
    folder.mkdir()
    write(folder / "a.csv")
    write(folder / "b.csv", extra="\n")
    text = contract(
        ["id: long!", "name: string", "n: integer"], path="in", source={"format": "csv", "pattern": "*.csv"}
    )
    counts = build(text).run(tmp_path).report.accounting
    assert (counts.read, counts.accepted) == (2 * ROWS, 2 * ROWS)


def test_a_system_without_symbolic_links(build: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is validated first, then."""

    def refuse(link: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    write(tmp_path / "in.csv", extra="\n")
    assert build(PEOPLE).run(tmp_path).report.accounting.read == ROWS
