"""The program, called in this process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.unit.cli.sample import CONTRACT, DATA, Etlgen, Outcome

from etlgen.cli import main


@pytest.fixture
def etlgen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Etlgen:
    """Call ``etlgen`` with arguments; gives exit code and both streams."""

    def call(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["etlgen", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main()
        streams = capsys.readouterr()
        assert "Traceback" not in streams.err
        return Outcome(done.value.code if isinstance(done.value.code, int) else 0, streams.out, streams.err)

    return call


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one contract; the working folder is there, and its package has a name of its own."""
    package = f"flows_{abs(hash(tmp_path)) % 10**8}"
    (tmp_path / "etlgen.toml").write_text(f'package = "{package}"\n', encoding="utf-8")
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "orders.olc.yaml").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "orders.csv").write_text(DATA, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path
