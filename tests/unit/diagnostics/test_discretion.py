"""Secrets stay out of what is printed, also where reading stops before anybody knows what they are."""

from __future__ import annotations

import pytest

from etlgen.diagnostics import discretion
from etlgen.diagnostics.discretion import holds_secret, without_logins
from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.diagnostics.render import records, render_text


@pytest.mark.parametrize(
    "line",
    [
        "password: hunter22", "metadata: { password: hunter22, password: hunter22 }", '"api_key": "x"', "  pw: postgres://u:pw@h/x",
        "db-token = abc", "password: !hunter22 x", "url: 'http://u:p@h/x.csv'",
    ],
)  # fmt: skip
def test_lines_with_a_secret(line: str) -> None:
    assert holds_secret(line)


@pytest.mark.parametrize(
    "line", ["- { name: token, type: string }", "password:", "title: the token of a user", "path: a@b"]
)
def test_other_lines(line: str) -> None:
    assert not holds_secret(line)


def test_neither_text_nor_json_shows_them() -> None:
    url = "http://u:pw@h/x.csv"
    found = [Diagnostic("CTR-031", f"`{url}` is no local path", Position("c.yaml", 1, 7), label=url, help=f"not {url}")]
    text = render_text(found, lambda _: [f"path: {url}"])
    assert "pw" not in text + str(records(found))
    assert "http://u:[redacted]@h/x.csv" in text


def test_a_login_without_a_password_stays() -> None:
    assert without_logins("ssh://git@host/x") == "ssh://git@host/x"
    assert discretion.REDACTED in without_logins("see postgres://a:b@h and mysql://c:d@h")
