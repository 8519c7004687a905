"""Memory of a run does not grow with its input, however few of the rows end where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.packages import Builder, contract

STATUS = Path("/proc/self/status")
MEBIBYTE = 1024
SMALL, LARGE = 2_000_000, 8_000_000
TEXT = "a text that is too long to be kept in a view " * 2

PROGRAM = """
import re, sys
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from etlgen_runtime import Profile

done, peak = Event(), 0

def watch():  # pages of files that are read do not count: the system takes them back when it needs them
    global peak
    while not done.wait(0.01):
        held = re.search(r"RssAnon:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
        peak = max(peak, int(held.group(1)))

watcher = Thread(target=watch)
watcher.start()
import_module(sys.argv[1]).run(Profile(root=Path(sys.argv[2])))
done.set()
watcher.join()
print(peak)
"""

FIELDS = ["id: long!", "name: string", "n: integer"]
ONE_SPLIT: dict[str, Any] = {}
TWO_SPLITS: dict[str, Any] = {
    "transformations": [{"filter": {"sql": "n <> -1"}}],
    "quality": {"row_rules": [{"name": "known", "sql": "n <> 7", "phase": "post"}]},
}
FEW_LEFT: dict[str, Any] = {"transformations": [{"filter": {"sql": "id % 20000 = 1"}}]}


def peak(build: Builder, text: str, root: Path, rows: int) -> int:
    """Kibibytes; one row in 20,000 is bad."""
    block = "".join(f"{{}},{TEXT}{number},{'much' if number == 5 else number % 1000 + 8}\n" for number in range(20_000))
    with (root / "in.csv").open("w", encoding="utf-8") as file:
        file.write("id,name,n\n")
        for first in range(0, rows, 20_000):
            file.write(block.format(*range(first, first + 20_000)))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, build(text).package, str(root)],
        env=build.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.skipif(not STATUS.exists(), reason="the system does not tell what memory a program holds")
@pytest.mark.parametrize(
    ("target", "sections"), [("parquet", TWO_SPLITS), ("parquet", FEW_LEFT), ("csv", ONE_SPLIT), ("csv", TWO_SPLITS)]
)
def test_four_times_the_rows(build: Builder, tmp_path: Path, sections: dict[str, Any], target: str) -> None:
    """The large file has 600 MiB more of text than the small one."""
    text = contract(
        FIELDS, materialization={"strategy": "overwrite", "format": target, "target_path": "out"}, **sections
    )
    growth = peak(build, text, tmp_path, LARGE) - peak(build, text, tmp_path, SMALL)
    assert growth < 300 * MEBIBYTE
