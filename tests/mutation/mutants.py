"""Small faults in a Python module, one at a time.

Texts, annotations, decorators, assertions and imports are left alone: what becomes wrong there says nothing about meaning,
or a type checker says it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

_T = TypeVar("_T")
_N = TypeVar("_N", bound=ast.AST)

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_UNTOUCHED = (ast.Import, ast.ImportFrom, ast.Assert)
_UNTOUCHED_FIELDS = frozenset({"annotation", "returns", "decorator_list"})


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: ``attribute`` of ``node`` becomes ``value``."""

    tree: ast.Module
    node: ast.AST
    attribute: str
    value: object
    line: int
    what: str

    def source(self) -> str:
        """The module with this fault. The tree is as before afterwards."""
        before = getattr(self.node, self.attribute)
        setattr(self.node, self.attribute, self.value)
        try:
            return ast.unparse(ast.fix_missing_locations(self.tree))
        finally:
            setattr(self.node, self.attribute, before)


def mutants(source: str) -> tuple[Mutant, ...]:
    """All faults of a module, in the order of its text."""
    tree = ast.parse(source)
    return tuple(sorted(_below(tree, tree, 0), key=lambda mutant: mutant.line))


def _below(tree: ast.Module, node: ast.AST, line: int) -> Iterator[Mutant]:
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            if name in _UNTOUCHED_FIELDS or not isinstance(child, ast.AST) or isinstance(child, _UNTOUCHED):
                continue
            at = getattr(child, "lineno", line)
            for other, what in _instead(child):
                changed = [*children[:index], other, *children[index + 1 :]] if isinstance(value, list) else other
                yield Mutant(tree, node, name, changed, at, what)
            yield from _below(tree, child, at)


def _instead(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Nodes in the place of this one, each a fault, and what is wrong about it."""
    match node:
        case ast.Compare(ops=[operator]):
            yield _with(node, ops=[_COMPARISONS[type(operator)]()]), f"{_name(operator)} turned"
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in _OPERATORS:
            yield _with(node, op=_OPERATORS[type(operator)]()), f"{_name(operator)} turned"
        case ast.BoolOp(op=operator):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield _with(node, op=other), f"{_name(operator)} turned"
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
            yield operand, "negation removed"
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value), f"{value} turned"
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1), f"{value} -> {value + 1}"
        case ast.If() | ast.IfExp() | ast.While() if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test)), "condition turned"
        case ast.comprehension(ifs=[_, *_]):
            yield _with(node, ifs=[]), "filter removed"
        case ast.Expr(value=ast.Call()) | ast.Continue() | ast.Break():
            yield ast.Pass(), f"`{ast.unparse(node)[:40]}` removed"
        case _:
            yield from _with_one_less(node)


def _with_one_less(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Tables and alternatives without one of their elements."""
    match node:
        case ast.Set(elts=elements) if len(elements) > 1:
            for index, element in enumerate(elements):
                yield _with(node, elts=_without(elements, index)), f"without {ast.unparse(element)}"
        case ast.Dict(keys=keys, values=values) if len(keys) > 1:
            for index, key in enumerate(keys):
                less = _with(node, keys=_without(keys, index), values=_without(values, index))
                yield less, f"without {ast.unparse(key) if key is not None else '**'}"
        case ast.MatchOr(patterns=patterns) if len(patterns) > 2:
            for index, pattern in enumerate(patterns):
                yield _with(node, patterns=_without(patterns, index)), f"without {ast.unparse(pattern)}"
        case ast.Match(cases=cases) if len(cases) > 1:
            for index, case in enumerate(cases):
                yield _with(node, cases=_without(cases, index)), f"without case {ast.unparse(case.pattern)}"
        case _:
            pass


def _with(node: _N, **changes: object) -> _N:
    return type(node)(**{**dict(ast.iter_fields(node)), **changes})


def _without(elements: Sequence[_T], index: int) -> list[_T]:
    return [*elements[:index], *elements[index + 1 :]]


def _name(operator: ast.AST) -> str:
    return type(operator).__name__
