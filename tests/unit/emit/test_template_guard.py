"""A template cannot print contract text plainly."""

from __future__ import annotations

from pathlib import Path

import pytest

from etlgen.diagnostics.model import ContractError
from etlgen.emit.formatting import formatted
from etlgen.emit.templates import render

HOSTILE = '"""; import os; """'


def rendered(tmp_path: Path, template: str, **context: object) -> str:
    (tmp_path / "own.jinja").write_text(template)
    return render("own.jinja", context, tmp_path)


def test_plain_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match=r"GEN-019.*prints text that is not code"):
        rendered(tmp_path, "title = {{ title }}", title=HOSTILE)


def test_filters_make_text_safe(tmp_path: Path) -> None:
    text = rendered(
        tmp_path,
        '"""{{ title | doc }}"""\n# {{ title | line }}\ntitle = {{ title | literal }}\n',
        title=f"{HOSTILE}\n{{{{ 7 * 7 }}}}",
    )
    namespace: dict[str, object] = {}
    exec(text, namespace)
    assert namespace["title"] == f"{HOSTILE}\n{{{{ 7 * 7 }}}}"
    assert "49" not in text


def test_identifiers_and_numbers_print_as_they_are(tmp_path: Path) -> None:
    assert rendered(tmp_path, "{{ name }} = {{ number }}", name="order", number=3) == "order = 3"


def test_lists_take_identifiers_alone(tmp_path: Path) -> None:
    assert rendered(tmp_path, "{{ names | listed }}", names=["a", "b"]) == "a, b"
    with pytest.raises(ContractError, match="GEN-019"):
        rendered(tmp_path, "{{ names | listed }}", names=["a", "b; import os"])


def test_an_unknown_variable_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match=r"GEN-019.*'nothing' is undefined"):
        rendered(tmp_path, "{{ nothing }}")


def test_a_mistake_in_a_template_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match=r"GEN-019.*own[.]jinja"):
        rendered(tmp_path, "{% if %}")


@pytest.mark.parametrize("template", ["{{ 1 // 0 }}", "{{ 'a' + 1 }}", "{{ [][3].name }}", "{{ 'x'.encode('none') }}"])
def test_a_template_that_computes_wrongly_is_an_error(tmp_path: Path, template: str) -> None:
    with pytest.raises(ContractError, match=r"GEN-019.*own[.]jinja"):
        rendered(tmp_path, template)


def test_a_template_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "latin.jinja").write_bytes("# \u00e9".encode("latin-1"))
    with pytest.raises(ContractError, match=r"GEN-019.*latin[.]jinja"):
        render("latin.jinja", {}, tmp_path)


def test_text_that_is_no_python_is_an_error() -> None:
    with pytest.raises(ContractError, match="GEN-019"):
        formatted({"a.py": "x = = 1\n"})


def test_own_templates_come_before_the_built_in_ones(tmp_path: Path) -> None:
    (tmp_path / "project.py.jinja").write_text("ours = {{ runtime_range | literal }}\n")
    assert render("project.py.jinja", {"runtime_range": ">=1"}, tmp_path) == "ours = '>=1'\n"
    assert render("project.py.jinja", {"runtime_range": ">=1"}).startswith('"""Pipelines generated')
