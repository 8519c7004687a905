"""What is wrong besides the broken parts of a file is told with them; what follows from them is not."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.unit.resolve.plans import CSV, operations, row_rules, text

from etlgen.configuration import Configuration
from etlgen.contract import Contract
from etlgen.diagnostics.model import ContractError
from etlgen.project import analyse, discover
from etlgen.read import PartlyRead, read_text
from etlgen.read.breakage import Breakage
from etlgen.read.nodes import plain_value
from etlgen.read.yaml_source import read_tree
from etlgen.resolve import errors_of_the_rest

CONTRACTS = Path(__file__).parents[3] / "contracts"

FIELDS = """\
    name: id, type: int
    name: city, type: string
    name: qty, type: int
"""
BAD_RULE = 'name: wrong, sql: "city > 5"'
"""TYP-001: a text beside a number."""


def parts_of(yaml_text: str, file: str) -> Sequence[tuple[Contract, Breakage]]:
    """What can be judged of a file with errors; nothing of one that is right, or hopeless."""
    try:
        read_text(yaml_text.encode(), file)
    except PartlyRead as error:
        return error.parts
    except ContractError:
        return ()
    return ()


def besides(yaml_text: str, file: str = "orders.olc.yaml") -> list[str]:
    """Codes of the errors that are told besides those of the reader."""
    return [found.code for part, broken in parts_of(yaml_text, file) for found in errors_of_the_rest(part, broken)]


BROKEN = {
    "a rule": text(FIELDS, row_rules("not_null: {}", BAD_RULE)),
    "a field": text(FIELDS + "    name: price, type: moneyy\n", row_rules(BAD_RULE)),
    "a constraint": text(FIELDS + "    name: price, type: int, maxx: 3\n", row_rules(BAD_RULE)),
    "an operation": text(FIELDS, operations("derive: {field: qty}") + row_rules(BAD_RULE)),
    "a misspelt operation": text(FIELDS, operations("trimm: {fields: [qty]}") + row_rules(BAD_RULE)),
    "a link": text(FIELDS, "links:\n  - {name: rates, path: r.csv, typ: csv}\n" + row_rules(BAD_RULE)),
    "an option of the source": text(
        FIELDS, row_rules(BAD_RULE), source=CSV.replace("csv}", "csv, options: {delimiter: [1]}}")
    ),
    "a value of another block": text(FIELDS, "materialization: {strategy: merge}\n" + row_rules(BAD_RULE)),
    "a key of no meaning": text(FIELDS, "owner_of_it: me\n" + row_rules(BAD_RULE)),
    "the key": text(FIELDS, "primary_key: [id, id]\n" + row_rules(BAD_RULE)),
}


@pytest.mark.parametrize("what", BROKEN)
def test_an_error_that_has_nothing_to_do_with_the_broken_part_is_told(what: str) -> None:
    assert besides(BROKEN[what]) == ["TYP-001"]


FOLLOWING = {
    "a rule over a column of unknown type": text(
        "    name: qty, type: intt\n    name: city, type: string\n", row_rules('name: r, sql: "qty > 5"')
    ),
    "what is computed from it": text(
        "    name: qty, type: intt\n    name: city, type: string\n",
        operations('derive: {field: twice, sql: "qty * 2"}') + row_rules('name: r, sql: "twice > 5"'),
    ),
    "a rule that comes too early for it": text(
        FIELDS,
        operations('derive: {field: total, sql: "qty * 2", round: 1}')
        + row_rules('name: r, sql: "total > 5", phase: pre'),
    ),
    "a field that only it computes": text(
        FIELDS + "    name: total, type: int\n",
        operations("drop: {columns: [total]}", "deriv: {field: total, sql: qty * 2}"),
    ),
    "a lookup in a broken link": text(
        FIELDS,
        "links:\n  - {name: rates, path: r.csv, typ: csv}\n"
        + operations("lookup: {field: rate, reference: rates, on: city, key: city, value: rate}"),
    ),
    "a reference to a broken link": text(
        FIELDS,
        "links:\n  - {name: rates, path: r.csv, typ: csv}\n"
        + row_rules("referential_integrity: {field: city, reference: rates, key: city}"),
    ),
    "a dataset rule": text(
        "    name: qty, type: intt\n",
        'quality:\n  dataset_rules:\n    - {name: r, sql: "SELECT sum(qty) FROM source"}\n',
    ),
}


POLICIES = {
    "a misspelt value": "schema_policy: {evolution: stric}\n",
    "a misspelt key": "schema_policy: {evolutoin: strict}\n",
    "a misspelt block": "schema_polici: {evolution: strict}\n",
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_undeclared_columns_are_left_alone_where_the_policy_for_them_is_broken(policy: str) -> None:
    """Allowed, ``reading`` is text and no number (TYP-006); with ``strict`` there is no such column (SQL-001)."""
    assert besides(text(FIELDS, policy + row_rules('name: r, sql: "reading > 1"', BAD_RULE))) == ["TYP-001"]


@pytest.mark.parametrize(
    "formats", ["date_formats: {day: QQQ}", "date_formats: [dd/MM/yyyy]", "date_format: {day: dd}"]
)
def test_dates_are_left_alone_where_their_formats_are_broken(formats: str) -> None:
    fields = "    name: day, type: date, accepted_values: [31/12/2020]\n"
    assert besides(text(fields, source=CSV.replace("csv}", f"csv, options: {{{formats}}}}}"))) == []


@pytest.mark.parametrize("what", FOLLOWING)
def test_an_error_that_follows_from_the_broken_part_is_not_told(what: str) -> None:
    assert besides(FOLLOWING[what]) == []


UNKNOWN_COLUMNS = {
    "a field without a name": text(FIELDS + "    type: int\n", row_rules(BAD_RULE)),
    "an operation that reshapes the rows": text(
        FIELDS, operations("select: {columnz: [id, city]}") + row_rules(BAD_RULE)
    ),
    "an operation of no known kind": text(FIELDS, operations("frobnicate: {fields: [id]}") + row_rules(BAD_RULE)),
    "a misspelt block of operations": text(FIELDS, "transformation: []\n" + row_rules(BAD_RULE)),
    "a cast of nobody knows what": text(FIELDS, operations("cast: {columns: []} | pre") + row_rules(BAD_RULE)),
    "a derive of nobody knows what": text(FIELDS, operations("derive: {sql: qty + 1}") + row_rules(BAD_RULE)),
    "a format that decides the types": text(FIELDS, row_rules(BAD_RULE), source=CSV.replace("csv}", "cvs}")),
    "a select of a column that is broken": text(
        FIELDS + "    name: price, type: moneyy\n", operations("select: {columns: [city, price]}") + row_rules(BAD_RULE)
    ),
}


@pytest.mark.parametrize("what", UNKNOWN_COLUMNS)
def test_nothing_is_told_where_the_columns_are_not_known(what: str) -> None:
    assert besides(UNKNOWN_COLUMNS[what]) == []


ODCS = """\
apiVersion: v3.1.0
kind: DataContract
version: 1.0.0
id: x
status: active
schema:
  - name: orders
    properties:
      - {name: id, logicalType: integr}
      - {name: city, logicalType: string}
    customProperties:
      - property: etlgen
        value:
          quality: {row_rules: [{name: first, sql: city > 5}, {name: follows, sql: id || 5 > 3}]}
  - name: items
    properties:
      - {name: sku, logicalType: string}
    customProperties:
      - property: etlgen
        value:
          quality: {row_rules: [{name: second, sql: sku > 5}]}
"""


def test_objects_of_odcs_are_judged_each_by_its_own_errors() -> None:
    assert besides(ODCS, "orders.odcs.yaml") == ["TYP-001", "TYP-001"]
    assert besides(ODCS.replace("apiVersion: v3.1.0", "apiVersion: v9"), "orders.odcs.yaml") == []


def test_both_stages_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "orders.olc.yaml").write_text(BROKEN["a rule"], encoding="utf-8")
    configuration = Configuration(root=tmp_path)
    codes = [found.code for found in analyse(discover(configuration), configuration).errors]
    assert codes == ["CTR-021", "TYP-001"]


# --- no noise ---------------------------------------------------------------------------------------------------------


def nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield from nodes(child, (*path, key))


def broken_once(document: Any) -> Iterator[Any]:
    """The document with one key added, removed or misspelt, or one value of another kind, at every place in turn."""
    for path, value in nodes(document):
        for change in ("add", "remove", "misspell", "nest") if path else ():
            whole = copy.deepcopy(document)
            owner = whole
            for key in path[:-1]:
                owner = owner[key]
            last = path[-1]
            if change == "add" and isinstance(value, dict):
                owner[last]["zzz"] = 1
            elif change == "remove" and isinstance(owner, dict):
                del owner[last]
            elif change == "misspell" and isinstance(owner, dict):
                owner[f"{last}z"] = owner.pop(last)
            elif change == "nest":
                owner[last] = [{"y": "z"}]
            else:
                continue
            yield whole


@pytest.mark.parametrize("file", sorted(path.name for path in CONTRACTS.rglob("*.o*.yaml")))
def test_a_contract_that_is_right_but_for_one_part_has_no_other_errors(file: str) -> None:
    (path,) = CONTRACTS.rglob(file)
    document = plain_value(read_tree(path.read_bytes(), file))
    partly = 0
    for changed in islice(broken_once(document), 0, None, 17):
        parts = parts_of(yaml.safe_dump(changed, sort_keys=False), file)
        partly += len(parts)
        assert [found for part, broken in parts for found in errors_of_the_rest(part, broken)] == []
    assert partly > 2
