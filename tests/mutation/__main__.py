"""A sample of the faults, each beside the tests of its module: ``python -m tests.mutation [--sample N] [--seed N] [--only TEXT]``.

The faults are written to a copy of the project, so that the tree can be worked in meanwhile. Printed are the faults that no
test found, and the share of those found; it exits 1 below ``BAR``.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutants import Mutant, mutants
from tests.mutation.subjects import SUBJECTS, Subject

ROOT = Path(__file__).parents[2]
COPIED = ("codegen", "runtime", "templates", "tests", "contracts", "docs", "conformance", "generated_example")
BAR = 0.8
TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Trial:
    """A fault, the module that has it (relative to the project) and what ought to find it."""

    path: str
    subject: Subject
    mutant: Mutant

    def __str__(self) -> str:
        return f"{self.path}:{self.mutant.line}: {self.mutant.what}"


def trials(root: Path) -> list[Trial]:
    """Every fault of every module."""
    return [
        Trial(path, subject, mutant)
        for subject in SUBJECTS
        for path in subject.modules(root)
        for mutant in mutants((root / path).read_text(encoding="utf-8"))
    ]


def is_found(trial: Trial, copy: Path) -> bool:
    """Whether a test fails, or does not end."""
    file = copy / trial.path
    right, times = file.read_text(encoding="utf-8"), file.stat()
    file.write_text(trial.mutant.source(), encoding="utf-8")
    try:
        return not passes(trial.subject, copy)
    finally:
        file.write_text(right, encoding="utf-8")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # its bytecode stays good


def passes(subject: Subject, copy: Path) -> bool:
    """Whether the tests of a subject pass in the copy."""
    paths = os.pathsep.join(str(copy / folder) for folder in ("codegen", "runtime"))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--timeout", str(TIMEOUT_S)]
    done = subprocess.run(
        [*command, *subject.tests],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def copied(folder: Path) -> Path:
    """A copy of the project with its bytecode, for the modules that are right."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def main() -> int:
    """Try a sample and print what was not found."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--sample", type=int, default=150, help="how many faults are tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="modules whose path holds this text")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="etlgen-mutation-") as name:
        copy = copied(Path(name))
        every = [trial for trial in trials(copy) if asked.only in trial.path]
        sample = random.Random(asked.seed).sample(every, min(asked.sample, len(every)))
        for subject in dict.fromkeys(trial.subject for trial in sample):
            if not passes(subject, copy):
                print(f"without a fault the tests of {subject.pattern} do not pass", file=sys.stderr)
                return 2
        missed, tried = 0, 0
        try:
            for trial in sample:
                found = is_found(trial, copy)
                tried += 1
                if not found:
                    missed += 1
                    print(f"{tried}: not found: {trial}", flush=True)
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
    share = 1 - missed / max(tried, 1)
    print(f"{tried - missed} of {tried} found ({share:.0%}), of {len(every)}; seed {asked.seed}")
    return 0 if share >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
