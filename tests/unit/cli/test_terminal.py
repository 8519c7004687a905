"""A real terminal: progress and colour; and streams that are none."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.cli.sample import Etlgen

from etlgen.cli import terminal
from etlgen_runtime.callbacks import Callbacks

pty = pytest.importorskip("pty", reason="Windows has no pseudo-terminals")


def on_a_terminal(project: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """Exit code, and what a person sees on stderr; stdout goes elsewhere."""
    control, stderr = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "etlgen.cli", *arguments],
        cwd=project,
        env={**os.environ, "TERM": "xterm", **environment},
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    )
    os.close(stderr)
    seen = b""
    try:
        while block := os.read(control, 65536):
            seen += block
    except OSError:  # how Linux tells that the last writer has gone
        pass
    finally:
        os.close(control)
    return done.wait(), seen.decode()


def test_run_shows_its_steps_in_one_line_that_is_gone_in_the_end(project: Path) -> None:
    code, seen = on_a_terminal(project, "run", "orders")
    assert code == 0
    clear = "\r\x1b[2K"
    lines = seen.split(clear)
    steps = [int(found[1]) for line in lines if (found := re.match(r"orders: (\d) · ", line))]
    assert steps[0] == 1
    assert steps == sorted(steps)
    assert 8 in steps
    assert "orders:" not in lines[-1]


def test_diagnostics_are_coloured_on_a_terminal_alone(project: Path) -> None:
    _, coloured = on_a_terminal(project, "plan", "ordres")
    assert "\x1b[" in coloured
    _, plain = on_a_terminal(project, "plan", "ordres", NO_COLOR="1")
    assert "error[GEN-010]" in plain
    assert "\x1b[" not in plain


def test_dumb_terminal_gets_no_escapes(project: Path) -> None:
    code, seen = on_a_terminal(project, "run", "orders", TERM="dumb")
    assert code == 0
    assert "\x1b" not in seen


def test_character_that_the_terminal_lacks_is_written_as_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(written, encoding="ascii", newline="\n"))
    terminal.say("Größe")
    assert written.getvalue() == b"Gr\\xf6\\xdfe\n"


def test_large_file_is_not_read_again_to_show_a_line(tmp_path: Path) -> None:
    terminal.set_root(tmp_path)
    (tmp_path / "small.yaml").write_bytes(b"a: 1\nb: 2\n")
    (tmp_path / "large.yaml").write_bytes(b"#" * (terminal.MAX_SHOWN_BYTES + 1))
    assert list(terminal.lines_of("small.yaml")) == ["a: 1", "b: 2"]
    assert list(terminal.lines_of("large.yaml")) == []
    assert list(terminal.lines_of("none.yaml")) == []


def test_reader_that_leaves_early_ends_the_program_without_a_word(project: Path) -> None:
    command = f'"{sys.executable}" -m etlgen.cli explain CTR-001 | true; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.strip() in ("0", "1")  # 0 where all was written before the reader left


def test_callbacks_do_nothing_where_nobody_looks(etlgen: Etlgen, project: Path) -> None:
    from etlgen.cli.progress import watched

    with watched("orders") as callbacks:
        assert callbacks == Callbacks()
