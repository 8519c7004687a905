"""Bad input of every kind: a diagnostic, the right exit code, nothing written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.cli.sample import CONTRACT, Etlgen


def replace(project: Path, old: str, new: str) -> None:
    path = project / "contracts" / "orders.olc.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_project_without_contracts_is_an_error(project: Path, etlgen: Etlgen) -> None:
    (project / "contracts" / "orders.olc.yaml").unlink()
    for command in ("lint", "build"):
        done = etlgen(command)
        assert done.code == 2
        assert "error[GEN-001]: no contract found in `contracts`" in done.err


def test_a_contract_folder_that_is_missing(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("lint", "contract")
    assert done.code == 2
    assert "error[GEN-005]: `contract` does not exist" in done.err
    assert "did you mean `contracts`?" in done.err


def test_a_misspelt_contract_name(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("plan", "ordres")
    assert done.code == 2
    assert "error[GEN-010]" in done.err
    assert "did you mean `orders`?" in done.err


def test_an_unknown_engine(project: Path, etlgen: Etlgen) -> None:
    for arguments in (
        ["build", "--engine", "polar"],
        ["run", "orders", "--engine", "polar"],
        ["plan", "orders", "-e", "polar"],
    ):
        done = etlgen(*arguments)
        assert done.code == 2
        assert "error[PMPLAN101]: unknown engine `polar`" in done.err
        assert "did you mean `polars`?" in done.err
    assert sorted(path.name for path in project.iterdir()) == ["contracts", "etlgen.toml", "orders.csv"]


def test_an_unknown_profile(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("run", "orders", "--profile", "prod")
    assert done.code == 2
    assert "error[PMPLAN110]: unknown profile `prod`" in done.err
    assert "add [tool.etlgen.profiles.prod]" in done.err


@pytest.mark.parametrize("name", ["nope.toml", "nope.json", "profiles/nope"])
def test_a_profile_in_a_file_that_does_not_exist(project: Path, etlgen: Etlgen, name: str) -> None:
    done = etlgen("run", "orders", "--profile", name)
    assert done.code == 2
    assert f"error[PMPLAN110]: the profile `{name}` does not exist" in done.err
    assert "tool.etlgen.profiles" not in done.err


def test_a_profile_in_what_is_no_profile(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("run", "orders", "--profile", "./orders.csv")
    assert done.code == 2
    assert "error[PMPLAN110]: the profile `./orders.csv` is no TOML or JSON file" in done.err


def test_a_profile_with_an_unknown_key(project: Path, etlgen: Etlgen) -> None:
    with (project / "etlgen.toml").open("a", encoding="utf-8") as file:
        file.write("[profiles.prod]\nasof = 1\n")
    done = etlgen("run", "orders", "--profile", "prod")
    assert done.code == 2
    assert "error[PMPLAN103]" in done.err
    assert "asof" in done.err


def test_a_profile_from_a_file(project: Path, etlgen: Etlgen) -> None:
    (project / "prod.json").write_text('{"dry_run": true}', encoding="utf-8")
    done = etlgen("run", "orders", "--profile", "prod.json")
    assert done.code == 0
    assert "dry run" in done.out
    assert etlgen("run", "orders", "--profile", "etlgen.toml").code == 2


def test_a_time_that_is_none(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("run", "orders", "--as-of", "yesterday")
    assert done.code == 2
    assert "error[GEN-014]: `yesterday` is no time" in done.err


def test_one_source_for_several_contracts(project: Path, etlgen: Etlgen) -> None:
    other = CONTRACT.replace("table_name: orders", "table_name: other")
    (project / "contracts" / "other.olc.yaml").write_text(other, encoding="utf-8")
    done = etlgen("run", "all", "--source", "orders.csv")
    assert done.code == 2
    assert "error[GEN-014]: `--source` means one contract, and 2 would run" in done.err


def test_one_target_for_several_contracts(project: Path, etlgen: Etlgen) -> None:
    """Each would overwrite the one before, so none runs; one contract alone does."""
    with (project / "etlgen.toml").open("a", encoding="utf-8") as file:
        file.write('[profiles.prod]\ntarget = "out"\n')
    assert etlgen("run", "all", "--profile", "prod").code == 0, "one contract is all that there is"
    assert (project / "out").is_dir()
    other = CONTRACT.replace("table_name: orders", "table_name: other")
    (project / "contracts" / "other.olc.yaml").write_text(other, encoding="utf-8")
    before = {path: path.stat().st_mtime_ns for path in (project / "out").rglob("*")}
    done = etlgen("run", "all", "--profile", "prod")
    assert done.code == 2
    assert "error[GEN-014]: `target` of profile `prod` means one contract, and 2 would run" in done.err
    assert "remove `target` from the profile" in done.err
    assert {path: path.stat().st_mtime_ns for path in (project / "out").rglob("*")} == before
    assert etlgen("run", "other", "--profile", "prod").code == 0


def test_a_configuration_error_shows_its_line(project: Path, etlgen: Etlgen) -> None:
    (project / "etlgen.toml").write_text("engine = 1\n", encoding="utf-8")
    done = etlgen("build")
    assert done.code == 2
    assert (
        "error[GEN-003]: unknown key `engine` in the configuration\n  --> etlgen.toml:1:1\n 1 | engine = 1\n"
        in done.err
    )


def test_a_missing_project_folder(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("lint", "--project", "nowhere")
    assert done.code == 2
    assert "error[GEN-005]" in done.err


def test_errors_of_all_contracts_come_in_one_go(project: Path, etlgen: Etlgen) -> None:
    replace(project, "type: integer, min: 1", "type: intger, min: 1")
    other = CONTRACT.replace("table_name: orders", "table_name: other").replace("sql: qty * 2", "sql: qyt * 2")
    (project / "contracts" / "other.olc.yaml").write_text(other, encoding="utf-8")
    done = etlgen("build")
    assert done.code == 2
    assert "contracts/orders.olc.yaml:7:" in done.err
    assert "contracts/other.olc.yaml:10:" in done.err
    assert done.err.rstrip().endswith("2 errors")
    assert not (project / ".etlgen").exists()


def test_two_contracts_of_one_name(project: Path, etlgen: Etlgen) -> None:
    (project / "contracts" / "again.olc.yaml").write_text(CONTRACT, encoding="utf-8")
    done = etlgen("lint")
    assert done.code == 1
    assert "error[GEN-008]" in done.out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--fail-on", "none"], 0),
        (["--select", "PHS"], 0),
        (["--ignore", "TYP,CTR,SQL"], 0),
        (["--select", "XYZ"], 2),
    ],
)
def test_lint_exits_by_what_is_selected(project: Path, etlgen: Etlgen, options: list[str], code: int) -> None:
    replace(project, "type: integer, min: 1", "type: intger, min: 1")
    assert etlgen("lint", *options).code == code


def test_lint_finds_what_only_generation_finds(project: Path, etlgen: Etlgen) -> None:
    (project / "etlgen.toml").write_text('package = "p"\ntemplates = "own"\n', encoding="utf-8")
    missing = etlgen("lint")
    assert (missing.code, "GEN-005" in missing.out) == (1, True)
    (project / "own").mkdir()
    (project / "own" / "package.py.jinja").write_text("{{ contract.version }}", encoding="utf-8")
    unsafe = etlgen("lint")
    assert (unsafe.code, "GEN-019" in unsafe.out) == (1, True)
    assert not (project / "p").exists()


def test_lint_finds_a_ring(project: Path, etlgen: Etlgen) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        text = CONTRACT.replace("table_name: orders", f"table_name: {name}").replace(
            "version", f"upstream: [{other}]\nversion"
        )
        (project / "contracts" / f"{name}.olc.yaml").write_text(text, encoding="utf-8")
    done = etlgen("lint")
    assert (done.code, "GEN-017" in done.out) == (1, True)


def test_lint_prints_json(project: Path, etlgen: Etlgen) -> None:
    assert json.loads(etlgen("lint", "--format", "json").out) == {"diagnostics": []}
    replace(project, "type: integer, min: 1", "type: intger, min: 1")
    done = etlgen("lint", "--format", "json")
    assert done.code == 1
    (found,) = json.loads(done.out)["diagnostics"]
    assert (found["severity"], found["file"], found["line"]) == ("error", "contracts/orders.olc.yaml", 7)


def test_lint_of_a_clean_project_says_so_on_stderr_alone(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("lint")
    assert (done.code, done.out) == (0, "")
    assert done.err == "1 contract file: no problems\n"


def test_explain_of_an_unknown_code_names_codes_that_look_alike(etlgen: Etlgen) -> None:
    done = etlgen("explain", "GEN-099")
    assert done.code == 2
    assert "error[GEN-011]" in done.err
    assert "GEN-009" in done.err


def test_explain(etlgen: Etlgen) -> None:
    done = etlgen("explain", "gen005")
    assert done.code == 0
    assert done.out.startswith("# GEN-005: file or folder not found\n")


def test_doctor_names_what_is_wrong(project: Path, etlgen: Etlgen) -> None:
    assert etlgen("doctor").code == 0
    (project / "contracts" / "orders.olc.yaml").unlink()
    done = etlgen("doctor")
    assert done.code == 1
    assert any(line.startswith("FAIL contracts") for line in done.out.splitlines())


def test_engines(etlgen: Etlgen) -> None:
    (polars,) = [entry for entry in json.loads(etlgen("engines", "--json").out) if entry["engine"] == "polars"]
    assert polars["installed"] is True


def test_a_conformance_folder_that_is_missing(etlgen: Etlgen, tmp_path: Path) -> None:
    done = etlgen("conformance", "run", str(tmp_path / "nothing"))
    assert done.code == 2
    assert "error[GEN-005]" in done.err


def test_usage_errors_exit_2(etlgen: Etlgen) -> None:
    assert etlgen("plan").code == 2
    assert etlgen("bulid").code == 2


def test_a_contract_without_fields(project: Path, etlgen: Etlgen) -> None:
    path = project / "contracts" / "orders.olc.yaml"
    path.write_text(
        "version: 1.0.0\ninfo: { title: Empty, table_name: empty }\nmodel: { fields: [] }\n", encoding="utf-8"
    )
    done = etlgen("build")
    assert done.code == 2
    assert "contracts/orders.olc.yaml:" in done.err


def test_errors_are_the_result_with_json(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("build", "--json", "--engine", "polar")
    assert (done.code, done.err) == (2, "")
    assert [d["code"] for d in json.loads(done.out)["diagnostics"]] == ["PMPLAN101"]


@pytest.mark.parametrize(
    "command", [("lint",), ("plan", "orders"), ("conformance", "run", "contracts")], ids=lambda command: command[0]
)
def test_json_means_the_json_format(project: Path, etlgen: Etlgen, command: tuple[str, ...]) -> None:
    short, long = etlgen(*command, "--json"), etlgen(*command, "--format", "json")
    assert short == long
    json.loads(short.out)
    assert etlgen(*command) != short


@pytest.mark.parametrize("form", [("--json",), ("--format", "json"), ("--format=json",)])
def test_errors_are_the_result_with_every_spelling_of_json(
    project: Path, etlgen: Etlgen, form: tuple[str, ...]
) -> None:
    done = etlgen("lint", "nothing.olc.yaml", *form)
    assert (done.code, done.err) == (2, "")
    assert [d["code"] for d in json.loads(done.out)["diagnostics"]] == ["GEN-005"]


def test_plain_streams_carry_no_colour(project: Path, etlgen: Etlgen) -> None:
    assert "\x1b" not in etlgen("build", "--engine", "polar").err


def add_profile(project: Path, text: str) -> None:
    with (project / "etlgen.toml").open("a", encoding="utf-8") as file:
        file.write(f"[profiles.prod]\n{text}\n")


def test_a_misspelt_key_of_a_profile_names_the_nearest(project: Path, etlgen: Etlgen) -> None:
    add_profile(project, "dryrun = true\nasof = 1")
    done = etlgen("plan", "orders", "--profile", "prod")
    assert done.code == 2
    assert "error[PMPLAN103]: profile `prod` has the unknown key `dryrun`" in done.err
    assert "help: rename it to `dry_run`" in done.err
    assert "help: rename it to `as_of`" in done.err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('dry_run = "maybe"', "true or false"),
        ('sensitive = "kept"', "`redact`, `omit` or `keep`"),
        ('as_of = "yesterday"', "a time in ISO 8601, such as 2024-03-01T12:00:00Z"),
        ("target = 5", "a path in quotes"),
        ("assets = { orders = 1 }", "a table of paths in quotes, by the name of a contract or link"),
    ],
)
def test_a_value_of_a_profile_says_what_it_must_be(project: Path, etlgen: Etlgen, text: str, expected: str) -> None:
    add_profile(project, text)
    done = etlgen("run", "orders", "--profile", "prod")
    assert done.code == 2
    assert "error[PMPLAN103]: the value of `" in done.err
    assert f"expected: {expected}" in done.err
    assert "Input should be" not in done.err


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("prod.toml", "engine = 'polars'\ndry_run = 'maybe'\n", "prod.toml:2:1"),
        ("prod.json", '{"engine": "polars",\n "dry_run": "maybe"}', "prod.json:2:2"),
    ],
)
def test_a_profile_file_is_refused_at_its_key(project: Path, etlgen: Etlgen, name: str, text: str, place: str) -> None:
    (project / name).write_text(text, encoding="utf-8")
    done = etlgen("run", "orders", "--profile", name)
    assert done.code == 2
    assert "error[PMPLAN103]: the value of `dry_run` in profile `prod` does not fit" in done.err
    assert f"--> {place}" in done.err


def test_a_profile_of_the_configuration_is_refused_at_its_key(project: Path, etlgen: Etlgen) -> None:
    add_profile(project, "engine = 'polars'\nasof = 1")  # below the line of `package`
    assert "--> etlgen.toml:4:1" in etlgen("run", "orders", "--profile", "prod").err


@pytest.mark.parametrize(
    ("name", "text", "code", "said"),
    [
        ("p.json", b'{"engine": }', "GEN-002", "`p.json` is not valid JSON: expecting value"),
        ("p.json", b"[1]", "GEN-002", "`p.json` is not valid JSON: it is not an object"),
        ("p.json", b"[" * 100_000, "GEN-002", "`p.json` is not valid JSON: it is nested too deeply"),
        ("p.json", b"\xff", "GEN-002", "`p.json` is not valid JSON: it is not UTF-8 text"),
        ("p.toml", b"engine = polars", "GEN-002", "`p.toml` is not valid TOML: invalid value"),
        ("p.toml", b"x = " + b"1" * 5000, "GEN-002", "`p.toml` is not valid TOML"),
        ("p.toml", b"x = " + b"[" * 100_000, "GEN-002", "`p.toml` is not valid TOML"),
    ],
)
def test_a_profile_file_that_cannot_be_parsed(
    project: Path, etlgen: Etlgen, name: str, text: bytes, code: str, said: str
) -> None:
    (project / name).write_bytes(text)
    done = etlgen("run", "orders", "--profile", name)
    assert done.code == 2
    assert f"error[{code}]: {said}" in done.err


@pytest.mark.parametrize("value", ["1" * 5000, "[" * 100_000])
def test_a_configuration_beyond_what_is_parsed(project: Path, etlgen: Etlgen, value: str) -> None:
    (project / "etlgen.toml").write_text(f"contracts = {value}\n", encoding="utf-8")
    done = etlgen("lint")
    assert done.code == 2
    assert "error[GEN-002]: `etlgen.toml` is not valid TOML" in done.err


def test_a_time_of_the_run_outside_all_years(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("run", "orders", "--as-of", "9999-12-31T23:00:00-02:00")
    assert done.code == 2
    assert "error[GEN-014]" in done.err


LINKED = "links:\n  - { name: rates, path: rates.csv }\n"


def test_an_asset_of_nothing_names_the_nearest(project: Path, etlgen: Etlgen) -> None:
    (project / "contracts" / "orders.olc.yaml").write_text(CONTRACT + LINKED, encoding="utf-8")
    (project / "rates.csv").write_text("a\n1\n", encoding="utf-8")
    add_profile(project, 'assets = { ordres = "x.csv", "orders.rate" = "x.csv" }')
    done = etlgen("run", "orders", "--profile", "prod")
    assert done.code == 2
    assert "names `ordres`, which is no contract and no link" in done.err
    assert "help: rename it to `orders`" in done.err
    assert "help: rename it to `orders.rates`" in done.err


@pytest.mark.parametrize("key", ["orders", "rates", "orders.rates"])
def test_assets_of_contracts_and_links(project: Path, etlgen: Etlgen, key: str) -> None:
    (project / "contracts" / "orders.olc.yaml").write_text(CONTRACT + LINKED, encoding="utf-8")
    add_profile(project, f'assets = {{ "{key}" = "orders.csv" }}')
    assert etlgen("run", "orders", "--profile", "prod").code == 0


def test_a_package_name_that_is_taken(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("build", "--package", "polars")
    assert done.code == 2
    assert "error[GEN-004]: `polars` cannot be the generated package" in done.err
