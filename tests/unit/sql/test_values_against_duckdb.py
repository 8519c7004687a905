"""From SQL text to values: what the Polars emitter makes of the resolved tree is what DuckDB computes from the text."""

from __future__ import annotations

import pytest
from tests.unit.engines.polars.duckdb_oracle import COLUMNS, outcomes, same
from tests.unit.sql.expressions import resolve

from etlgen.plan import Schema, SchemaColumn

SCHEMA = Schema(tuple(SchemaColumn(name, types[0]) for name, types in COLUMNS.items()), open=False)

EXPRESSIONS = """
i > 1.5 | i >= 100.0 | n = f | i < f | n IN (1, 2.5, NULL) | n NOT IN (5, -3) | p = 1.25 | p > 1 | p + n | p * 1.19 | p - 0.005
f * 0.5 | n * 2 + 1 | n / 2 | n // m | n % m | f % 2 | p % 3 | -p | (n + 1) * (n - 1) | 5 - n | 1.5 + 2 | n BETWEEN 0 AND 3
i IS NOT DISTINCT FROM 7 | d IS DISTINCT FROM NULL | n = '3' | b = 'yes' | b AND n > 0 OR s IS NULL | NOT b | b IS NOT TRUE | b IS FALSE
CASE WHEN b THEN p ELSE n END | CASE WHEN n > 0 THEN 'x' WHEN b THEN s END | CASE s WHEN 'a' THEN 1 WHEN '' THEN 2 ELSE 3 END
if(b, n, f) | coalesce(n, 0) | coalesce(p, 0) | coalesce(f, n) | coalesce(n, 1.5) | nullif(s, '') | nullif(n, 1.5) | greatest(n, p)
s || n | concat(s, n, p) | s LIKE '%a%' | s NOT LIKE 'a_' | s LIKE 'a!%%' ESCAPE '!' | split_part(s, ',', -1) | right(s, -1)
substring(s, -2) | lpad(s, 5, 'xy') | position('b' IN s) | s ~ '(?i)A' | regexp_matches(s, '^\\w+$') | s SIMILAR TO '[a-z]+'
regexp_extract(s, '([a-z])([,a-z])', 2) | regexp_replace(s, '[a-z]', '<\\0>') | regexp_replace(s, '([a-z])', '\\1\\1', 'g')
round(f, 1) | round(p, 1) | round(n, -1) | floor(f) | ceil(p) | floor(n) | sqrt(n) | n ** 2 | sign(p) | sign(f)
d = '2020-02-29' | d < u | u <= z | d = z | coalesce(u, d) | d + 3 | d - 3 | d - e | d + INTERVAL 1 MONTH | u - INTERVAL '1 month 2 hours'
z + INTERVAL 3 DAYS | date_trunc('week', u) | date_trunc('hour', z) | date_diff('month', u, z) | date_diff('week', '2020-01-01', d)
extract(dow FROM u) | weekofyear(d) | isodow(d) | strftime(u, '%Y-%m-%d %H:%M') | make_date(2020, n, 1) | u BETWEEN '2020-02-29' AND '2021-01-01'
d IN ('2020-02-29', NULL) | CAST(date_trunc('day', u) AS DATE) | d::TIMESTAMP | CAST(n AS VARCHAR) || '!' | b::VARCHAR | s || NULL
"""
CASES = [part.strip() for line in EXPRESSIONS.strip().splitlines() for part in line.split(" | ")]


@pytest.mark.parametrize("sql", CASES)
def test_same_values(sql: str) -> None:
    resolved = resolve(sql, SCHEMA)
    assert resolved.expr is not None, resolved.diagnostics
    wrong = [
        found
        for found in outcomes(resolved.expr, sql, sorted(resolved.reads))
        if not same(found.polars, found.duckdb, 1e-9)
    ]
    assert wrong == []
