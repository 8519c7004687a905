"""The jobs by hand that are the bar of the generated pipelines give the same rows and the same quarantine, value for value."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.benchmarks import by_hand_full, orders_data, payments_by_hand, payments_data
from tests.benchmarks.generated import generate

from etlgen_runtime import Profile, RunResult
from etlgen_runtime.engines.polars import frame_of

OF_THE_RUN = ("_etlgen_run_id", "_etlgen_quarantined_at")
HEADER = "order_id,customer_id,email,status,qty,unit_price,country_code,created_at"
GOOD = ("1", "7", "a@b.c", "new", "2", "3.5", "GB", "2026-01-01T10:00:00")
Runner = Callable[[str, Path], "RunResult[object]"]

ODD = {
    "order_id": [
        " 12\t", "+5", "-0", "13.0", "14.00000", "15.", "16.5", "1e3", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "", '" "', "\u00a021", "0x10", "1_000", "\u0661",
    ],
    "email": [
        "  A@B.C ", "\u2003x@y.z\u3000", "\ufeffq@w.e\ufeff", "\ufeff \u00a0M@n.OP \ufeff", '""', "", "a b@c.d", "\u00c9@\u00c9.fr",
        "a@b", "\u1e9e@b.c", "\u200bz@b.c",
    ],
    "status": ["", "paid", "PAID", '""', " new", "cancelled"],
    "qty": ["", '""', '"  "', "0", "1", "-1", "1.0", "9223372036854775807", "abc", "2.5"],
    "unit_price": [
        "0", "-0", "-0.0", "100000", "100000.00000000001", "100000.1", "1e5", "1E+2", ".5", "5.", ".", "nan", "inf", "-inf",
        "infinity", "1e400", "1e-400", "4.9e-324", "\t7 ", "", '"1,5"', "1e-7", "0.1", "1_0", "+.5e1",
    ],
    "country_code": ["", "XX", "gb", "DE", '""'],
    "created_at": [
        "2026-01-01", "2026-01-01 10:00:00", " 2026-01-01T10:00 ", "2026-01-01T10:00:00.1234567", "2026-01-01T10:00:00Z",
        "2026-01-01T10:00:00+02:00", "2026-01-01T10:00:00-0530", "2026-01-01T24:00:00", "2026-01-01T10:00:60",
        "2026-02-29T10:00:00", "2024-02-29T10:00:00", "2026-13-01T10:00:00", "2026- 1-01T10:00:00", "0000-01-01T00:00:00",
        "0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", "0001-01-01T00:00:00+01:00", "now", "", '""',
        "2026-1-1T10:00:00", "+2026-01-01T10:00:00", "2026-01-01T10", "2026-01-01T10:00:00+24:00", "2026-01-01t10:00:00",
        '"2026-01-01T10:00:00,5"', "20260101T100000", "2026-01-01T10:00:00z", "2026-01-01T10:00:00+02", "2026-01-01T10:00Z",
    ],
}  # fmt: skip


PAYMENTS = "payment_id,account_id,receipt,state,amount,updated_at"
ODD_AMOUNTS = [
    "1", "1.", ".5", "1.5", "1.50", "1.500", "1.505", "1e2", "1.5E1", "1e-3", "9999999999.99", "10000000000", "9999999999.990",
    "9999999999.991", "0", "-0.00", "+3.10", " 4 ", "", '" "', "nan", "inf", "1e400", "0.000000000001", "1e-400", "-5", "0.1", "x",
    "123456789012345678", "0000000000000000000001.50", "1,0".replace(",", "_"),
]  # fmt: skip


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """The generated jobs, by name, run below a folder."""
    folder = tmp_path_factory.mktemp("generated")
    generate("orders", folder)
    generate("payments", folder)
    sys.path.insert(0, str(folder))
    try:
        yield lambda job, root: import_module(f"{job}_benchmark.{job}").run(Profile(root=root))
    finally:
        sys.path.remove(str(folder))


def test_the_same_tables_of_generated_orders(tmp_path: Path, generated: Runner) -> None:
    orders_data.write(tmp_path, 100_000)
    assert _compare("orders", tmp_path, generated) == (87_868, 12_132)


def test_the_same_tables_of_odd_orders(tmp_path: Path, generated: Runner) -> None:
    """Every text that a cast, the trim or a rule may take the wrong way, one a row, and all of them in one row."""
    orders_data.write(tmp_path, 0)
    names = HEADER.split(",")
    lines = [HEADER]
    for position, texts in enumerate(ODD.get(name, []) for name in names):
        for number, text in enumerate(texts):
            row = [str(1000 * position + number + 1), *GOOD[1:]]
            row[position] = text
            lines.append(",".join(row))
    longest = max(map(len, ODD.values()))
    lines += [",".join(ODD[n][i % len(ODD[n])] if n in ODD else "x" * (i % 3) for n in names) for i in range(longest)]
    (tmp_path / "orders.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    accepted, quarantined = _compare("orders", tmp_path, generated)
    assert accepted > 20
    assert quarantined > 40


def test_the_same_tables_of_generated_payments(tmp_path: Path, generated: Runner) -> None:
    payments_data.write(tmp_path, 100_000)
    accepted, quarantined = _compare("payments", tmp_path, generated)
    assert accepted > 80_000
    assert quarantined > 1_000


def test_the_same_tables_of_odd_payments(tmp_path: Path, generated: Runner) -> None:
    """Odd amounts and times among many plain ones, several states of one payment, some of them at one time."""
    payments_data.write(tmp_path, 0)
    times = [f"2026-03-{1 + n % 28:02}T{n % 24:02}:{n % 60:02}:{n % 60:02}" for n in range(4000)]
    times += ["2026- 1-01T10:00:00", "+2026-1-01T10:00:00", "0000-01-01T10:00:00", *ODD["created_at"]]
    lines = [PAYMENTS]
    for number, time in enumerate(times):
        amount = ODD_AMOUNTS[number % len(ODD_AMOUNTS)] if number % 7 == 0 else f"{number % 9}.25"
        state = ("open", "settled", "void")[number % 3]
        lines.append(f"{number % 1500},{number % 1500},R{number % 1500},{state},{amount},{time}")
    lines += [f"{number},{number},R{number},open,{number % 3}.00,2026-03-30T00:00:00" for number in range(300)] * 2
    lines += [f"{number},{number},R{number},open,{2 - number % 3}.00,2026-03-30T00:00:00" for number in range(300)]
    (tmp_path / "payments.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    accepted, quarantined = _compare("payments", tmp_path, generated)
    assert accepted > 1000
    assert quarantined > 200


def _compare(job: str, folder: Path, generated: Runner) -> tuple[int, int]:
    result = generated(job, folder)
    {"orders": by_hand_full, "payments": payments_by_hand}[job].run(folder)
    out = folder / "by_hand_full"
    accepted, by_hand = frame_of(result.accepted).collect(), pl.read_parquet(out / job)
    assert_frame_equal(accepted, by_hand, check_row_order=job == "orders")
    bad, by_hand = frame_of(result.quarantined).collect(), pl.read_parquet(out / f"{job}__quarantine")
    order = ["_etlgen_raw", *bad.columns[:9]]
    assert_frame_equal(*(each.drop(OF_THE_RUN).sort(order, nulls_last=True) for each in (bad, by_hand)))
    accounts = result.report.accounting
    return accounts.accepted, accounts.quarantined
