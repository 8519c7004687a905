"""The example contracts on their data: what must come out, worked out a second time.

Flights: in SQL, written by hand from the contract's meaning and run by DuckDB on the same files. Orders and customers are small
enough to be worked out by reading: the reason stands beside every row.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

ROOT = Path(__file__).parents[2]

FLIGHTS = """
    WITH raw AS (
        SELECT * FROM read_csv('contracts/flights/data/flights.csv', header = true, all_varchar = true, nullstr = '')
    ), typed AS (
        SELECT CAST(dep_time AS INT) AS dep_time, CAST(dep_delay AS INT) AS dep_delay, CAST(arr_delay AS INT) AS arr_delay,
               CAST(air_time AS INT) AS air_time, CAST(distance AS INT) AS distance, carrier, dest, tailnum
        FROM raw
    ), judged AS (
        SELECT *,
               dep_time IS NULL                                                AS dep_time_required,
               coalesce(dep_delay > 360, false)                                AS dep_delay_range,
               arr_delay IS NULL                                               AS has_arrived,
               coalesce(dep_delay - arr_delay NOT BETWEEN -180 AND 120, false) AS gain_is_plausible,
               coalesce(air_time < 20, false)                                  AS air_time_range,
               coalesce(distance NOT BETWEEN 1 AND 5000, false)                AS distance_range,
               NOT coalesce(regexp_matches(tailnum, '^N[0-9]+[A-Z]*$'), false) AS tail_number_shape
        FROM typed
    ), good AS (
        SELECT *, NOT coalesce(distance / (air_time / 60.0) BETWEEN 170 AND 650, false) AS speed_is_plausible,
        FROM judged
        WHERE NOT (dep_time_required OR dep_delay_range OR has_arrived OR gain_is_plausible OR air_time_range OR distance_range)
    ), accepted AS (
        SELECT *, CASE WHEN arr_delay < 0 THEN 'early' WHEN arr_delay < 15 THEN 'on time' WHEN arr_delay < 60 THEN 'late'
                       ELSE 'very late' END AS delay_class,
               coalesce(airports.name, 'outside the airport list') AS dest_name, airlines.name AS carrier_name
        FROM good
        LEFT JOIN read_csv('contracts/flights/data/airlines.csv', header = true) AS airlines ON airlines.carrier = good.carrier
        LEFT JOIN read_parquet('contracts/flights/data/airports.parquet') AS airports ON airports.faa = good.dest
        WHERE NOT speed_is_plausible
    )
"""


def counted(query: str) -> dict[str, int]:
    """(name, count) rows of a query over the tables of ``FLIGHTS``."""
    with duckdb.connect() as connection:
        return {str(name): int(count) for name, count in connection.sql(FLIGHTS + query).fetchall()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example project, built and run."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(ROOT / "contracts", folder / "contracts")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@pytest.fixture(scope="module")
def reports(project: Path) -> Mapping[str, Mapping[str, Any]]:
    """The report of each contract of ``etlgen run all --json``."""
    done = subprocess.run(
        [sys.executable, "-m", "etlgen.cli", "run", "all", "--json"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {report["contract"]: report for report in json.loads(done.stdout)}


@pytest.fixture(autouse=True)
def _in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def rules(report: Mapping[str, Any], kind: str = "failed_rules") -> dict[str, int]:
    return {rule["rule"]: rule["failed"] for rule in report[kind]}


def rows(query: str, folder: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.execute(f"SET file_search_path = '{folder}'")
        return connection.sql(query).fetchall()


def test_contracts_run_in_the_order_of_their_data(reports: Mapping[str, Mapping[str, Any]]) -> None:
    names = list(reports)
    assert sorted(names) == ["customers", "flights", "latest_orders", "orders"]
    assert names.index("orders") < names.index("latest_orders")


def test_flights_are_accepted_and_quarantined_as_sql_says(reports: Mapping[str, Mapping[str, Any]]) -> None:
    expected = counted(
        "SELECT 'read', count(*) FROM raw UNION ALL SELECT 'bad_pre', (SELECT count(*) FROM judged) - (SELECT count(*) FROM good)"
        " UNION ALL SELECT 'bad_post', count(*) FROM good WHERE speed_is_plausible"
        " UNION ALL SELECT 'accepted', count(*) FROM accepted"
    )
    # By hand: 22 cancelled and 18 diverted flights, 3 that left over six hours late; then 3 slower than 170 miles an hour.
    assert expected == {"read": 2699, "bad_pre": 43, "bad_post": 3, "accepted": 2653}
    accounting = reports["flights"]["accounting"]
    assert {name: accounting[name] for name in expected} == expected
    assert reports["flights"]["status"] == "succeeded_with_quarantine"


def test_flights_fail_the_rules_that_sql_says(reports: Mapping[str, Mapping[str, Any]]) -> None:
    pre = (
        "dep_time_required",
        "dep_delay_range",
        "has_arrived",
        "gain_is_plausible",
        "air_time_range",
        "distance_range",
    )
    query = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM judged WHERE {name}" for name in pre)
    query += " UNION ALL SELECT 'speed_is_plausible', count(*) FROM good WHERE speed_is_plausible"
    expected = {name: count for name, count in counted(query).items() if count}
    assert rules(reports["flights"]) == expected
    assert expected["has_arrived"] == 40
    warned = counted("SELECT 'tail_number_shape', count(*) FROM judged WHERE tail_number_shape")
    assert rules(reports["flights"], "warned_rules") == warned


def test_flights_are_published_with_classes_and_names(project: Path, reports: Mapping[str, Mapping[str, Any]]) -> None:
    assert reports["flights"]["dataset_rules"] != []
    target = "read_parquet('data/silver/flights/*.parquet')"
    for column in ("delay_class", "dest_name", "carrier_name"):
        expected = counted(f"SELECT {column}, count(*) FROM accepted GROUP BY ALL")
        assert dict(rows(f"SELECT {column}, count(*) FROM {target} GROUP BY ALL", project)) == expected
    ((first, last, with_offset),) = rows(
        f"SELECT min(flight_date)::TEXT, max(flight_date)::TEXT, min(scheduled_hour)::TEXT FROM {target}", project
    )
    assert (first, last) == ("2013-01-01", "2013-01-03")
    assert with_offset.startswith("2013-01-01")


ORDERS_QUARANTINED = {
    1006: {"email_regex_match"},
    1007: {"quantity_type"},  # quantity in words
    1008: {"quantity_range"},
    1009: {"country_referential_integrity"},  # the link's filter leaves inactive countries out
    1010: {"country_not_null", "country_referential_integrity"},  # rules fail on NULL
    None: {"order_id_required"},
    1012: {"status_accepted_values"},  # not in the mapping, so the value itself
    1013: {"channel_accepted_values"},
    1014: {"sku_min_length", "sku_pattern"},
    1015: {"unit_price_type"},  # a third digit after the point
    1017: {"discount_range"},
    1018: {"voucher_multiple_of"},
    1019: {"ships_after_order"},  # -2 days
    1020: {"total_is_positive"},
    1023: {"total_is_positive"},  # no price, so no total: a rule fails on NULL
    1024: {"ordered_at_type"},
    1025: {"ordered_at_type"},
    1026: {"email_max_length"},
}
"""Order number (``None``: blank) and the rules that it fails."""


def test_orders_add_up(reports: Mapping[str, Mapping[str, Any]]) -> None:
    accounting = reports["orders"]["accounting"]
    # 27 lines: a test order filtered, an older state of 1002 deduplicated, 15 bad before and 3 after the split, 7 accepted.
    counts = {name: accounting[name] for name in ("read", "prepared", "bad_pre", "good", "bad_post", "accepted")}
    assert counts == {"read": 27, "prepared": 25, "bad_pre": 15, "good": 10, "bad_post": 3, "accepted": 7}


def test_orders_fail_for_the_reasons_written_beside_them(
    project: Path, reports: Mapping[str, Mapping[str, Any]]
) -> None:
    assert rules(reports["orders"]) == Counter(rule for found in ORDERS_QUARANTINED.values() for rule in found)
    # 30 days before 1 March is 31 January; 14 orders of January reach the check, bad ones included.
    assert rules(reports["orders"], "warned_rules") == {"ordered_at_lifecycle_window": 14}
    lines = [
        json.loads(line)
        for file in sorted((project / "data/silver/orders__quarantine").iterdir())
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    found = {
        int(row["order_id"]) if row["order_id"] else None: {error["rule"] for error in row["_etlgen_errors"]}
        for row in lines
    }
    assert found == ORDERS_QUARANTINED


def test_accepted_orders_are_published_as_the_contract_says(
    project: Path, reports: Mapping[str, Mapping[str, Any]]
) -> None:
    assert reports["orders"]["status"] == "succeeded_with_quarantine"
    columns = (
        "order_id, email, status, channel, quantity, line_total::TEXT, order_size, days_to_ship, product, country_name"
    )
    found = rows(f"SELECT {columns} FROM read_parquet('data/silver/orders/*.parquet') ORDER BY 1", project)
    assert found == [
        (1001, "ada@example.org", "paid", "web", 2, "39.80", "small", 2, "Desk lamp", "Germany"),
        (1002, "bob@example.com", "shipped", "shop", 1, "249.00", "medium", 2, "Office chair", "United States"),
        (1003, "cleo@example.com", "new", "phone", 12, "42.00", "small", None, "Notebook", "France"),
        (1004, "dan@example.com", "cancelled", "web", 100, "120.00", "medium", None, "Pen", "United Kingdom"),
        (1016, "pat@example.com", "paid", "web", 4, "50.00", "medium", 0, "unlisted", "United States"),
        (1021, "ada@example.org", "paid", "web", 20, "70.00", "medium", 1, "Notebook", "Germany"),
        (1022, "uma@example.com", "shipped", "phone", 4, "996.00", "large", 1, "Office chair", "United States"),
    ]


def test_latest_orders_read_what_orders_published(project: Path, reports: Mapping[str, Mapping[str, Any]]) -> None:
    assert reports["latest_orders"]["accounting"]["read"] == 7
    found = rows(
        "SELECT order_id, line_total FROM read_csv('data/gold/latest_orders.csv', all_varchar = true) ORDER BY 1",
        project,
    )
    # 1004 is cancelled; Ada's second order is her newest.
    assert found == [("1002", "249.00"), ("1003", "42.00"), ("1016", "50.00"), ("1021", "70.00"), ("1022", "996.00")]


def test_customers_follow_their_odcs_contract(reports: Mapping[str, Mapping[str, Any]]) -> None:
    report = reports["customers"]
    assert report["accounting"]["read"] == 10
    assert report["accounting"]["accepted"] == 3  # C0001, C0002, C0010
    assert rules(report) == {
        "credit_limit_multiple_of": 1,  # 250.5
        "born_on_type": 1,  # 30 February
        "customer_id_pattern": 1,  # X0005
        "email_format": 1,  # frank@example
        "country_max_length": 1,  # USA
        "credit_limit_range": 1,  # 5050
        "email_required": 1,
        "newsletter_type": 1,  # maybe, in the row without an email
    }


def test_a_second_run_of_customers_publishes_the_same(project: Path, reports: Mapping[str, Mapping[str, Any]]) -> None:
    query = "SELECT customer_id FROM read_parquet('data/customers/*.parquet') ORDER BY 1"
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-m", "etlgen.cli", "run", "customers"],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert rows(query, project) == [("C0001",), ("C0002",), ("C0010",)]


def test_the_summary_names_every_place(project: Path, reports: Mapping[str, Mapping[str, Any]]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "etlgen.cli", "run", "flights", "--dry-run"],
        cwd=project,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "2,653" in done.stdout
    assert "(dry run: nothing published)" in done.stdout
    for report in reports.values():
        for key in ("target", "quarantine", "report_path"):
            assert (project / report[key]).exists()


def test_committed_output_is_what_a_build_writes(project: Path, reports: Mapping[str, Mapping[str, Any]]) -> None:
    made = {
        path.relative_to(project)
        for path in (project / "generated_example").rglob("*")
        if "__pycache__" not in path.parts
    }
    committed = {
        path.relative_to(ROOT) for path in (ROOT / "generated_example").rglob("*") if "__pycache__" not in path.parts
    }
    assert made == committed
    assert {
        str(p) for p in made if (project / p).is_file() and (project / p).read_bytes() != (ROOT / p).read_bytes()
    } == set()
