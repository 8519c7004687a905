"""The packages that the benchmarks run."""

from __future__ import annotations

from pathlib import Path

from etlgen.emit import build_project
from etlgen.read import read_contract
from etlgen.resolve import resolve

HERE = Path(__file__).parent


def generate(job: str, folder: Path, *, text: str | None = None) -> None:
    """The package ``<job>_benchmark`` below ``folder``, from the contract of that name, or from another ``text`` of it."""
    path = HERE / f"{job}.olc.yaml"
    if text is not None:
        path = folder / f"{job}.olc.yaml"
        path.write_text(text, encoding="utf-8")
    (contract,) = read_contract(path, display=path.name)
    for name, module in build_project([resolve(contract)], package=f"{job}_benchmark").items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(module, encoding="utf-8")
