"""Keys of failed findings: each row's own, for any number of findings."""

from __future__ import annotations

import polars as pl
import pytest

from etlgen_runtime.engines.polars.checking import Finding
from etlgen_runtime.engines.polars.failures import ErrorTable, failed_in, failure_key


def findings(count: int) -> list[Finding]:
    """Finding ``n`` fails where bit ``n`` of the text column ``bits`` is 1."""
    return [
        Finding("pre", str(n), "PMDATA120", None, "", "error", failed, failed)
        for n in range(count)
        for failed in [pl.col("bits").str.slice(n, 1) == "1"]
    ]


@pytest.mark.parametrize("count", [1, 2, 61, 62, 63, 124, 125, 130])
def test_a_key_names_just_the_failed_findings(count: int) -> None:
    patterns = [{0}, {count - 1}, set(range(count)), set(range(0, count, 3)), {0, count // 2, count - 1}]
    texts = ["".join("1" if n in wanted else "0" for n in range(count)) for wanted in patterns]
    frame = pl.DataFrame({"bits": texts}).lazy().select(key=failure_key(findings(count)))
    for engine in ("in-memory", "streaming"):
        keys = frame.collect(engine=engine).get_column("key")
        assert [set(failed_in(key)) for key in keys] == patterns


def test_no_findings_no_failures() -> None:
    key = pl.DataFrame({"bits": ["x"]}).select(key=failure_key([])).item()
    assert list(failed_in(key)) == []


def test_error_lists_follow_their_keys_also_when_new_keys_come_later() -> None:
    errors = [{"rule": "a"}, {"rule": "b"}, {"rule": "c"}]
    table = ErrorTable(errors, pl.List(pl.Struct({"rule": pl.String})), as_json=False)
    assert table.look_up(pl.Series(["1", "5", "1"])).to_list() == [
        [{"rule": "a"}],
        [{"rule": "a"}, {"rule": "c"}],
        [{"rule": "a"}],
    ]
    assert table.look_up(pl.Series(["2", "1"])).to_list() == [[{"rule": "b"}], [{"rule": "a"}]]


def test_error_lists_as_json_text() -> None:
    table = ErrorTable([{"rule": 'say "é"'}], pl.String(), as_json=True)
    assert table.look_up(pl.Series(["1"])).to_list() == ['[{"rule": "say \\"é\\""}]']
