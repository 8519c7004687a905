"""A project of one small contract, and what a call of the program gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CONTRACT = """\
version: 1.0.0
info: { title: Orders, table_name: orders, target_layer: silver }
source: { type: landing, path: orders.csv, format: csv }
model:
  fields:
    - { name: order_id, type: long, required: true }
    - { name: qty, type: integer, min: 1 }
    - { name: total, type: integer }
transformations:
  - derive: { field: total, sql: qty * 2 }
materialization: { strategy: overwrite, format: parquet }
quarantine: { format: json, write_mode: overwrite }
"""

DATA = "order_id,qty\n1,2\n2,0\n3,5\n,1\n"
"""Two good rows; one with a quantity out of range, one without number."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call of the program left."""

    code: int
    out: str
    err: str


Etlgen = Callable[..., Outcome]
