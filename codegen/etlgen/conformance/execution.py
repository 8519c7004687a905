"""What running a case brought to light: plain values, so that judging needs no engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from etlgen.conformance.case import Stage
from etlgen.conformance.compare import RowSet
from etlgen.conformance.rule_names import RuleNames


class EngineMissing(Exception):
    """The engine's library is not installed; the message names the ``pip install``."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a stop, with its line in the contract if it has one."""

    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """The case did not come to its end.

    Args:
        stage: Where it stopped.
        messages: All diagnostics; for a crash the text of the exception.
        refused: A diagnostic said why. ``False``: something broke.
        is_gap: All that stopped it is a declared gap: something that this version or engine does not execute.
    """

    stage: Stage
    messages: tuple[Message, ...]
    refused: bool = True
    is_gap: bool = False

    @property
    def text(self) -> str:
        return "\n".join(message.text for message in self.messages)


EMPTY = RowSet((), ())


@dataclass(frozen=True, slots=True)
class Execution:
    """The outcome of one run.

    Args:
        declared: Fields of the contract's model.
        target: The target as a reader finds it afterwards; empty when nothing was ever published.
        target_repeated: The target after the input was loaded again (``idempotent``), else ``None``.
        rows_accepted: As the run counted them; ``None``: as many as ``accepted`` holds. They differ where nothing was published.
        rows_quarantined: Likewise.
        rules: Names that the contract's rules have; ``None``: nothing was run.
        default_names_failed: What failed ``unique`` rules with a written name would be called without it: the public corpus
            calls them so.
        reordered: Accepted rows of further runs with the input reversed and shuffled.
        texts: Reasons, report and log, in which ``messages_must_contain`` looks.
    """

    declared: tuple[str, ...] = ()
    accepted: RowSet = EMPTY
    quarantined: RowSet = EMPTY
    target: RowSet = EMPTY
    target_repeated: RowSet | None = None
    reordered: tuple[RowSet, ...] = ()
    rows_input: int = 0
    rows_accepted: int | None = None
    rows_quarantined: int | None = None
    failed_rules: Mapping[str, int] = field(default_factory=dict[str, int])
    warned_rules: Mapping[str, int] = field(default_factory=dict[str, int])
    dataset_rules_failed: tuple[str, ...] = ()
    default_names_failed: tuple[str, ...] = ()
    rules: RuleNames | None = None
    texts: tuple[str, ...] = ()
    stop: Stop | None = None
