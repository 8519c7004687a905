"""Input files with their records in another order."""

from __future__ import annotations

import random
from typing import Literal

SEED = 20240229


def reordered(text: str, order: Literal["reversed", "shuffled"], *, csv: bool) -> str:
    r"""The same records in another order; of a CSV file the header stays first, and quoted line breaks stay inside fields.

    >>> reordered('a,b\n1,"x\ny"\n2,z\n', "reversed", csv=True)
    'a,b\n2,z\n1,"x\ny"\n'
    """
    lines = _records(text) if csv else [line for line in text.split("\n") if line.strip()]
    header, records = (lines[:1], lines[1:]) if csv else ([], lines)
    if order == "reversed":
        records = records[::-1]
    else:
        records = list(records)
        random.Random(SEED).shuffle(records)
    return "".join(f"{line}\n" for line in (*header, *records))


def _records(text: str) -> list[str]:
    """Lines of a CSV text; a line with an open quote goes on in the next."""
    records: list[str] = []
    pending = ""
    for line in text.removesuffix("\n").split("\n"):
        pending = f"{pending}\n{line}" if pending else line
        if pending.count('"') % 2 == 0:
            records.append(pending)
            pending = ""
    return [*records, *([pending] if pending else [])]
