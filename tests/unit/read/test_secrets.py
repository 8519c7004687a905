"""A secret in a contract is refused, and shown nowhere."""

from __future__ import annotations

import pytest

from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.diagnostics.render import json_text, records, render_text
from etlgen.read import read_text
from etlgen.read.secrets import is_secret_name

OLC = """\
version: 1.0.0
info: { title: t, table_name: t }
source: { type: landing, path: in.csv, format: csv }
model:
  fields:
    - { name: a, type: string }
"""
ODCS = """\
apiVersion: v3.1.0
kind: DataContract
id: c
version: "1"
status: active
schema: [{name: t, properties: [{name: a, logicalType: string}]}]
"""


def refused(text: str, name: str = "c.olc.yaml") -> tuple[Diagnostic, ...]:
    with pytest.raises(ContractError) as caught:
        read_text(text.encode(), name)
    return caught.value.diagnostics


@pytest.mark.parametrize(
    "text",
    [
        OLC.replace("path: in.csv", "path: 'postgres://u:hunter2@h/db'"),
        OLC.replace("path: in.csv", "dsn: 'postgres://u:hunter2@h/db'"),
        OLC.replace("path: in.csv, format: csv", "path: in.csv, format: csv, password: hunter2"),
        OLC.replace("path: in.csv, format: csv", "path: in.csv, format: csv, options: { token: hunter2 }"),
        OLC.replace("title: t", "title: 'see https://me:hunter2@example.org'"),
        OLC.replace("type: string", "type: string, description: 'jdbc:postgresql://u:hunter2@h'"),
        OLC.replace("table_name: t", "table_name: 'x://u:hunter2@h'"),
        OLC + "extensions: { com.acme.db_password: hunter2 }\n",
        OLC + "extensions: { com.acme.x: { api: { secretKey: [hunter2] } } }\n",
        OLC + "metadata: { credentials: { user: me, pass: hunter2 } }\n",
        OLC + "metadata:\n  password: >\n    hunter2\n",
        OLC + "notifications: [{ type: slack, target: 'https://x:hunter2@hooks' }]\n",
        OLC + "server: { type: postgres, password: hunter2 }\n",
    ],
)
def test_a_secret_is_refused_and_said_nowhere(text: str) -> None:
    """Whatever else is wrong with the same line: its other findings are shown without it, too."""
    found = refused(text)
    assert "SEC-003" in [each.code for each in found]
    shown = render_text(found, lambda _: text.splitlines()) + json_text(records(found)) + str(ContractError(found))
    assert "hunter2" not in shown
    assert "c.olc.yaml:" in shown


def test_odcs_has_its_own_code() -> None:
    text = ODCS + "servers: [{server: s, type: postgres, host: h, password: hunter2}]\n"
    found = refused(text, "c.odcs.yaml")
    assert {"ODCS-E105", "ODCS-E109"} <= {each.code for each in found}
    assert "hunter2" not in render_text(found, lambda _: text.splitlines())


@pytest.mark.parametrize(
    "more",
    [
        "metadata: { password: 'env:DB_PASSWORD', api_key: null, secret: true }\n",
        "metadata: { password_policy: strict, tokens_per_day: 5, tokenizer: x }\n",
        "metadata: { url: 'https://example.org/a:b@c', mail: 'mailto:me@example.org' }\n",
        "transformations: [{ map_values: { field: a, mapping: { password: x, token: y } } }]\n",
        "transformations: [{ rename: { mappings: { a: token } } }]\n",
        "extensions: { etlgen.fields: { a: { min_length: 8 } } }\n",
    ],
)
def test_what_is_no_secret(more: str) -> None:
    assert read_text((OLC + more).encode(), "c.olc.yaml")[0].name == "t"


def test_columns_may_be_called_like_secrets() -> None:
    text = OLC.replace("name: a", "name: password") + "extensions: { etlgen.fields: { password: { min_length: 8 } } }\n"
    assert read_text(text.encode(), "c.olc.yaml")[0].fields[0].name.value == "password"


def test_names_of_secrets() -> None:
    assert all(map(is_secret_name, ("password", "dbPassword", "API_KEY", "com.acme.db-token", "dsn", "SASToken")))
    assert not any(map(is_secret_name, ("password_policy", "tokens", "key", "secretary", "")))
