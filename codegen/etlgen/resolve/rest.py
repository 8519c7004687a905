"""What a contract with broken parts says wrong besides: errors that hold whatever the broken parts mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from etlgen.contract import Contract, DatasetRule, Field, Join, Link, Lookup, RowRule, Text
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.read.breakage import RESHAPING, Breakage
from etlgen.resolve.flows import Flow, flows_of
from etlgen.resolve.resolution import resolve
from etlgen.resolve.sql_names import names_in
from etlgen.spelling import folded, words_in
from etlgen_runtime.types import UNKNOWN


def errors_of_the_rest(of: Contract, broken: Breakage) -> tuple[Diagnostic, ...]:
    """The errors of resolution in the parts that no broken one bears on; none where that cannot be told.

    Args:
        of: What the reader made of the file, the broken parts included.
    """
    rest = _rest(of, broken)
    if rest is None:
        return ()
    found = _errors(rest)
    if broken.policy:
        strictly = frozenset(_errors(replace(rest, evolution="strict")))
        return tuple(error for error in found if error in strictly)
    return found


def _errors(of: Contract) -> tuple[Diagnostic, ...]:
    try:
        resolve(of)
    except ContractError as error:
        return tuple(found for found in error.diagnostics if found.is_error)
    return ()


def _rest(of: Contract, broken: Breakage) -> Contract | None:
    """The contract without its broken parts and without what speaks of the same columns or links.

    Declared fields stay, those that are broken without type and constraints: the others' reads still find them. ``None``: columns
    would be missing, or be there, for which no name is known.
    """
    doubtful = _Doubtful(broken)
    links = tuple(link for link in of.links if not doubtful.is_broken_link(link))
    kept = doubtful.sound_flows(flows_of(of))
    if kept is None or not of.fields:
        return None
    numbers = {flow.operation.number for flow in kept}
    quality = replace(
        of.quality,
        row_rules=tuple(rule for rule in of.quality.row_rules if not doubtful.touches_row_rule(rule)),
        dataset_rules=tuple(rule for rule in of.quality.dataset_rules if not doubtful.touches_dataset_rule(rule)),
    )
    return replace(
        of,
        fields=doubtful.fields(of.fields),
        source_fields=None if of.source_fields is None else doubtful.fields(of.source_fields),
        links=links,
        primary_key=tuple(key for key in of.primary_key if not doubtful.touches((key,))),
        transformations=tuple(one for one in of.transformations if one.number in numbers),
        quality=quality,
        diagnostics=(),
    )


class _Doubtful:
    """Names of columns and links about which nothing is known; they grow by what operations compute from them."""

    def __init__(self, broken: Breakage) -> None:
        self.broken = broken
        self.names = set(broken.names)

    def touches(self, names: Iterable[Text]) -> bool:
        return any(folded(name.value) in self.names for name in names)

    def is_broken_link(self, link: Link) -> bool:
        return self.broken.holds(link.at) or folded(link.name.value) in self.broken.names

    def sound_flows(self, flows: Sequence[Flow]) -> tuple[Flow, ...] | None:
        """The operations that are not broken and speak of no doubtful name.

        ``None`` when another one reshapes the rows, or does not say what it writes.
        """
        kept = list(flows)
        while True:
            lost = [flow for flow in kept if self.broken.holds(flow.operation.at) or self.touches(_spoken_of(flow))]
            if not lost:
                return tuple(kept)
            for flow in lost:
                written = _written(flow)
                if flow.operation.kind in RESHAPING or not all(name.strip() for name in written or ("",)):
                    return None
                self.names.update(folded(name) for name in written)
                kept.remove(flow)

    def fields(self, fields: Sequence[Field]) -> tuple[Field, ...]:
        found: dict[str, Field] = {}
        for one in fields:
            name = folded(one.name.value)
            if name in self.broken.names or self.broken.holds(one.name.at):
                found.setdefault(name, Field(one.name, UNKNOWN, one.type_at, one.type_text))
            else:
                sound = tuple(rule for rule in one.rules if not self.touches_row_rule(rule))
                found[name if name not in found else one.name.value] = replace(one, rules=sound)
        return tuple(found.values())

    def touches_row_rule(self, rule: RowRule) -> bool:
        names = [name for name in (rule.field, rule.reference) if name is not None]
        names += names_in(rule.sql) if rule.sql is not None else ()
        words = _words(rule.sql) if rule.sql is not None else ()
        words = (*words, *(_words(rule.window) if rule.window is not None else ()))
        return self.broken.holds(rule.at) or self.touches(names) or not self.names.isdisjoint(words)

    def touches_dataset_rule(self, rule: DatasetRule) -> bool:
        words = _words(rule.sql) if rule.sql is not None else ()
        return self.broken.holds(rule.at) or self.touches(rule.columns) or not self.names.isdisjoint(words)


def _words(text: Text) -> tuple[str, ...]:
    return tuple(folded(word) for word in words_in(text.value))


def _spoken_of(flow: Flow) -> tuple[Text, ...]:
    removed = tuple(Text(name, flow.operation.at) for name in flow.removed)
    body = flow.operation.body
    reference = (body.reference,) if isinstance(body, Lookup | Join) else ()
    return (*flow.reads, *flow.outputs, *removed, *reference)


def _written(flow: Flow) -> tuple[str, ...]:
    """Columns that are others after the operation; of those that only choose rows, the ones that they look at."""
    names = flow.reads if not flow.outputs and not flow.removed else flow.outputs
    return (*(name.value for name in names), *flow.removed)
