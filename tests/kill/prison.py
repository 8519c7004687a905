"""Runs a scenario, kills it, looks, runs it again, and looks again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.packages import Builder, Pipeline
from tests.kill.judgement import Sight, is_over, judge_end, judge_killed, look
from tests.kill.scenarios import OLD, Case, Scenario

ROOT = Path(__file__).parents[2]
OTHER_FILE_SYSTEM = Path("/dev/shm")


class Server:
    """The process that forks the victims."""

    def __init__(self, *folders: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.kill.victim", *map(str, folders)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """Run ``package`` under ``profile``; ``at``, ``rows`` and ``delay_s`` say when to kill it.

        Returns:
            ``is_killed``; of a run that ended also what its report and its result say.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer
        return answer

    def close(self) -> None:
        self._process.communicate()


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill and what was wrong after it; ``moment`` says where it hit."""

    moment: str
    phase: str
    wrong: tuple[str, ...]


class Prison:
    """One scenario, ready to be killed.

    Args:
        changes: The changes of files that a clean run makes, in order.
        duration_s: Of a clean run.
    """

    def __init__(self, scenario: Scenario, server: Server, pipeline: Pipeline, case: Case, template: Case) -> None:
        self.scenario = scenario
        self._server = server
        self._package = pipeline.package
        self._case = case
        self._template = template
        self._prepare()
        self.before = look(template)
        self._reset()
        start = time.perf_counter()
        outcome = self._run()
        self.duration_s = time.perf_counter() - start
        assert outcome["status"] == scenario.status, outcome
        self.changes: list[str] = outcome["changes"]
        self.clean = look(case)
        assert self.clean.target == scenario.new_target
        assert self.clean.bad == tuple(sorted(scenario.after[1])), self.clean
        assert (self.clean.files.keys() & {"root/in/a.csv"} == set()) == (scenario.is_consumed and scenario.publishes)

    def _prepare(self) -> None:
        """The state before the run to be killed: an earlier run, and the new input."""
        self._case.clear()
        self._case.put(OLD)
        self._run()
        self._case.put(self.scenario.new)
        self._template.clear()
        for own, kept in zip(self._case.folders, self._template.folders, strict=True):
            shutil.copytree(own, kept, dirs_exist_ok=True)

    def _reset(self) -> None:
        self._case.clear()
        for own, kept in zip(self._case.folders, self._template.folders, strict=True):
            shutil.copytree(kept, own, dirs_exist_ok=True)

    def _run(self, **request: Any) -> dict[str, Any]:
        return self._server.ask(package=self._package, profile=self._case.profile(), **request)

    def kill(self, moment: str, **request: Any) -> Kill:
        """Kill once (``at`` a change, after ``delay_s``, or once so many ``rows`` are read), judge, run again, judge."""
        self._reset()
        first = self._run(**request)
        seen = look(self._case)
        is_dead = first["is_killed"]
        wrong = judge_killed(self.scenario, seen, self.before) if is_dead else []
        outcome: dict[str, Any] = {}
        if is_dead and not is_over(seen, self.before):
            outcome = self._run()
        end = look(self._case)
        wrong += judge_end(self.scenario, end, self.clean, outcome)
        return Kill(moment, self._phase(seen, is_dead), tuple(wrong))

    def _phase(self, seen: Sight, is_dead: bool) -> str:
        if not is_dead:
            return "ended before"
        if is_over(seen, self.before):
            return "over"
        is_new = self.scenario.publishes and seen.target == self.scenario.new_target
        if is_new:
            return "published"
        if seen.bad != self.before.bad:
            return "quarantined"
        return "staged" if seen.journals else "nothing"


@contextmanager
def prison(scenario: Scenario, folder: Path) -> Generator[Prison]:
    """A scenario, built and served; ``folder`` is for everything that it writes.

    Raises:
        LookupError: This system lacks what the scenario needs; the text says what.
    """
    root = folder / "root"
    with tempfile.TemporaryDirectory(dir=_other(folder) if scenario.is_elsewhere else folder) as other:
        if scenario.is_elsewhere:
            root = Path(other) / "root"
        case = Case(root, folder / "state", folder / "outside")
        template = Case(folder / "kept" / "root", folder / "kept" / "state", folder / "kept" / "outside")
        packages = folder / "packages"
        packages.mkdir()
        sys.path.insert(0, str(packages))
        server = Server(packages)
        try:
            builder = Builder(packages)
            yield Prison(scenario, server, builder(scenario.text(case.outside)), case, template)
        finally:
            server.close()
            sys.path.remove(str(packages))


def _other(folder: Path) -> Path:
    if not OTHER_FILE_SYSTEM.is_dir() or OTHER_FILE_SYSTEM.stat().st_dev == folder.stat().st_dev:
        raise LookupError(f"{OTHER_FILE_SYSTEM} is no file system of its own here")
    return OTHER_FILE_SYSTEM
