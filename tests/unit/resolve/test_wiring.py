"""Who writes where: outputs that meet, outputs over inputs, outputs outside the project."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from etlgen.contract import Contract, Link, Materialization, Quarantine, Source, Text
from etlgen.diagnostics.model import Diagnostic, Position, Severity
from etlgen.resolve import wiring_problems

ROOT = Path("/project")


def contract(
    name: str,
    target: str | None = None,
    *,
    quarantine: str | None = None,
    source: str | None = None,
    link: str | None = None,
    archive: str | None = None,
    layer: str | None = None,
    enabled: bool = True,
) -> Contract:
    """A contract of which each block has a line of its own: source 2, target 3, quarantine 4, link 5."""
    file = f"{name}.olc.yaml"
    read = Source(
        "landing",
        Position(file, 2),
        path=source,
        post_ingestion="archive" if archive else "retain",
        archive_path=archive,
    )
    links = (Link(Text("ref", Position(file, 5)), link, "parquet", Position(file, 5)),) if link else ()
    return Contract(
        vocabulary="olc",
        file=file,
        digest="",
        at=Position(file, 1),
        name=name,
        version="1",
        layer=layer,
        source=read,
        links=links,
        materialization=Materialization(target_path=target, at=Position(file, 3) if target else None),
        quarantine=Quarantine(enabled=enabled, target=quarantine, at=Position(file, 4) if quarantine else None),
    )


def found(*contracts: Contract) -> tuple[Diagnostic, ...]:
    return wiring_problems(contracts, ROOT)


def codes(*contracts: Contract) -> list[str]:
    return [each.code for each in found(*contracts)]


def test_contracts_with_places_of_their_own_are_right() -> None:
    assert codes(contract("a"), contract("b"), contract("c", "out/c"), contract("d", "out/d.parquet")) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("out/x", "out/x"),
        ("out/x", "./out//x/"),
        ("out/x", "out/y/../x"),
        ("out/x", "/project/out/x"),
        ("out/x", "out/X"),
        ("out/\u00e9", "out/e\u0301"),
        ("out", "out/x"),
        ("out/x/y", "out/x"),
    ],
)
def test_targets_that_meet_are_an_error_with_both_places(one: str, other: str) -> None:
    (problem, *more) = [each for each in found(contract("a", one), contract("b", other)) if each.code == "WIR-001"][:1]
    assert more == []
    assert problem.is_error
    assert problem.at == Position("b.olc.yaml", 3)
    assert "a.olc.yaml:3" in problem.label
    assert "`a`" in problem.message
    assert "`b`" in problem.message


def test_names_alike_to_their_ends_do_not_meet() -> None:
    assert codes(contract("a", "out/x"), contract("b", "out/xy"), contract("c", "out/xz.parquet")) == []


def test_a_table_can_have_the_name_of_a_quarantine() -> None:
    (problem,) = found(contract("orders"), contract("orders__quarantine"))
    assert problem.code == "WIR-001"
    assert codes(contract("orders", enabled=False), contract("orders__quarantine")) == []


def test_two_quarantines_in_one_folder_meet() -> None:
    (problem,) = found(contract("a", quarantine="bad"), contract("b", quarantine="bad"))
    assert (problem.code, problem.at) == ("WIR-001", Position("b.olc.yaml", 4))


def test_the_quarantine_of_one_file_lies_beside_it_without_its_suffix() -> None:
    assert codes(contract("a", "out/x.parquet"), contract("b", "out/x__quarantine")) == ["WIR-001"]
    assert codes(contract("a", "out/x.parquet"), contract("b", "out/x.parquet__quarantine")) == []


def test_a_contract_s_own_quarantine_is_not_in_its_target() -> None:
    assert codes(contract("a", "out/a", quarantine="out/a/bad")) == ["WIR-001"]


def test_archives_may_be_shared_but_not_lie_in_a_target() -> None:
    assert codes(contract("a", archive="old"), contract("b", archive="old")) == []
    assert codes(contract("a", archive="data/b"), contract("b")) == ["WIR-001"]


@pytest.mark.parametrize(
    ("target", "read"),
    [
        ("in/x", "in/x"),
        ("in", "in/x.csv"),
        ("in/x.parquet", "in"),
        ("in/x.parquet", "in/*.parquet"),
        ("in/x/y", "in/**/*.parquet"),
    ],
)
def test_a_target_over_the_own_input_is_an_error(target: str, read: str) -> None:
    for own in (contract("a", target, source=read), contract("a", target, link=read)):
        problems = [each for each in found(own) if each.at == Position("a.olc.yaml", 3)]
        assert "WIR-002" in {each.code for each in problems}
        assert all(each.is_error for each in problems)


@pytest.mark.parametrize(
    ("target", "read"),
    [
        ("in/out", "in/x.csv"),
        ("in/out", "in/*.csv"),
        ("in/out", "in"),
        ("in/x.parquet", "in/*.csv"),
        ("in/x", "in/**/*.csv"),
    ],
)
def test_a_target_beside_the_own_input_is_right(target: str, read: str) -> None:
    assert codes(contract("a", target, source=read)) == []


def test_reading_the_output_of_another_contract_is_right() -> None:
    assert codes(contract("a", "out/a"), contract("b", "out/b", source="out/a", link="out/a__quarantine")) == []


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "/elsewhere/x", "/allowedx", r"a\..\..\x", "~/x", "C:x", "//host/x", "a\0"]
)
def test_a_target_outside_the_project_is_refused(path: str) -> None:
    (problem,) = wiring_problems([contract("a", path)], ROOT, [Path("/allowed")])
    assert (problem.code, problem.is_error, problem.at) == ("SEC-002", True, Position("a.olc.yaml", 3))


@pytest.mark.parametrize("path", [".", "./", "a/..", "/", "//"])
def test_a_target_that_is_the_whole_project_or_everything_is_refused(path: str) -> None:
    """Its quarantine would have no place beside it."""
    problems = wiring_problems([contract("a", path)], ROOT, [Path("/")])
    assert {(problem.code, problem.is_error) for problem in problems if problem.at == Position("a.olc.yaml", 3)} >= {
        ("SEC-002", True)
    }


@pytest.mark.parametrize("path", ["../allowed/x", "/allowed/x", "/allowed", "/project/x"])
def test_one_in_a_folder_that_a_profile_allows_is_a_warning(path: str) -> None:
    (problem,) = wiring_problems([contract("a", path)], ROOT, [Path("/allowed")])
    assert (problem.code, problem.severity, problem.at) == ("WIR-003", Severity.WARNING, Position("a.olc.yaml", 3))


@pytest.mark.parametrize(("role", "line"), [("source", 2), ("quarantine", 4), ("link", 5), ("archive", 2)])
def test_every_path_of_a_contract_is_judged(role: str, line: int) -> None:
    places = {role: "../x"}
    (problem,) = found(contract("a", **places))
    assert (problem.code, problem.at) == ("SEC-002", Position("a.olc.yaml", line))


@pytest.mark.parametrize(
    ("pattern", "expected"), [("../../*.csv", ["SEC-002"]), ("/*.csv", ["SEC-002"]), ("../b/*", []), ("**/x", [])]
)
def test_a_pattern_stays_in_the_project(pattern: str, expected: list[str]) -> None:
    one = contract("a", source="in")
    assert one.source is not None
    assert codes(replace(one, source=replace(one.source, pattern=pattern))) == expected


@pytest.mark.parametrize("path", ["a~", "a/~b", 'it\'s "x"\n{{ y }}', r"a\b", "ab:c", "a/../b", "..x"])
def test_unusual_paths_inside_are_right(path: str) -> None:
    assert codes(contract("a", source=path)) == []


@pytest.mark.parametrize(
    ("layer", "name"), [("..", "x"), ("../..", "x"), ("/etc", "x"), (None, "../x"), (None, "/x"), (None, "..")]
)
def test_names_never_lead_out_of_the_project(layer: str | None, name: str) -> None:
    assert codes(contract(name, layer=layer)) == []


def test_names_that_give_one_path_meet() -> None:
    assert codes(contract("a/b"), contract("a_b"))[0] == "WIR-001"


UPSTREAM = Position("a.olc.yaml", 6, 12)


def after(*names: str) -> Contract:
    return replace(contract("a"), upstream=tuple(Text(name, UPSTREAM) for name in names))


def test_an_upstream_contract_of_the_project_is_right() -> None:
    assert codes(after("b"), contract("b")) == []


def test_an_upstream_contract_that_is_not_there_is_a_note() -> None:
    """It may belong to another project."""
    (problem,) = found(after("sales.web.payments"), contract("orders"))
    assert (problem.code, problem.severity, problem.at) == ("WIR-004", Severity.NOTE, UPSTREAM)


@pytest.mark.parametrize("written", ["ordres", "sales.web.orders"])
def test_one_that_is_called_almost_so_is_a_warning(written: str) -> None:
    (problem,) = found(after(written), contract("orders"))
    assert (problem.code, problem.severity, problem.nearest) == ("WIR-004", Severity.WARNING, "orders")


def test_nothing_is_said_of_absent_ones_where_a_file_could_not_be_read() -> None:
    assert wiring_problems([after("orders")], ROOT, all_read=False) == ()


def test_a_contract_that_is_its_own_upstream_is_an_error() -> None:
    (problem,) = found(after("a"), contract("b"))
    assert (problem.code, problem.is_error, problem.at) == ("GEN-017", True, UPSTREAM)
