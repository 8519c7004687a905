"""Names in a dataset query: which table each column belongs to, through subqueries, CTEs and joins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from etlgen.diagnostics.findings import Findings
from etlgen.nearest import nearest_column, nearest_name
from etlgen.plan import Schema
from etlgen.spelling import find_column, folded
from etlgen.sql import problems
from etlgen.sql.resolver import RESERVED_PREFIXES
from etlgen.sql.source import SqlSource


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of one table of a scope.

    ``open``: it may have further ones. ``is_source``: they are columns of the judged rows.
    """

    names: tuple[str, ...]
    open: bool
    is_source: bool = False


class ScopeChecker:
    """Resolves every name of a query and renames tables to `source` and the links' own spelling.

    Args:
        links: Columns of every link; ``None`` where unknown.
        aliases: Further names of the source.
    """

    def __init__(
        self,
        place: SqlSource,
        findings: Findings,
        source_name: str,
        source: Schema,
        links: Mapping[str, Schema | None],
        aliases: Sequence[str],
    ) -> None:
        self.place = place
        self.findings = findings
        self.source_name = source_name
        self.source = source
        self.link_schemas = links
        self.source_names = frozenset(folded(name) for name in (source_name, *aliases))
        self._read: set[str] = set()
        self._undeclared: dict[str, str] = {}
        self._links: set[str] = set()

    @property
    def columns(self) -> frozenset[str]:
        return frozenset(self._read)

    @property
    def undeclared(self) -> frozenset[str]:
        return frozenset(self._undeclared.values())

    @property
    def links(self) -> frozenset[str]:
        return frozenset(self._links)

    def check(self, query: exp.Query) -> None:
        """Reports SQL-001, SQL-010, SQL-013, SQL-014; rewrites table names in place."""
        scopes = traverse_scope(query)
        outputs: dict[int, _Columns] = {}
        tables: dict[int, dict[str, _Columns]] = {}
        for scope in scopes:  # inner ones first
            tables[id(scope)] = self._tables(scope, outputs)
            outputs[id(scope)] = self._outputs(scope, tables[id(scope)], outputs)
        if not self.findings.errors:
            for scope in scopes:
                self._check_columns(scope, tables)
        for table in query.find_all(exp.Table):
            self._rename(table)

    # --- tables -------------------------------------------------------------------------------------------------------

    def _tables(self, scope: Scope, outputs: Mapping[int, _Columns]) -> dict[str, _Columns]:
        found: dict[str, _Columns] = {}
        for name, (_, node) in scope.selected_sources.items():
            if isinstance(node, Scope):
                found[folded(name)] = outputs.get(id(node), _Columns((), True))
            else:
                found[folded(name)] = self._table(node)
        return found

    def _table(self, table: exp.Table) -> _Columns:
        name = table.name
        if folded(name) in self.source_names:
            return _Columns(self.source.names, self.source.open, is_source=True)
        link = find_column(name, self.link_schemas)
        if link is None:
            known = (self.source_name, *self.link_schemas)
            finding = problems.unknown_table(name, known, self.place.at(table))
            if any(sign in name for sign in "./\\*:"):
                finding = problems.refused(
                    f"`{name}` as a table", "files are read through `links`", self.place.at(table)
                )
            self.findings.add(finding)
            return _Columns((), True)
        self._links.add(link)
        schema = self.link_schemas[link]
        return _Columns((), True) if schema is None else _Columns(schema.names, schema.open)

    def _rename(self, table: exp.Table) -> None:
        """The name that the engine knows the table by; the old one stays as its alias where columns may use it."""
        if _is_cte(table):
            return
        known = (
            self.source_name if folded(table.name) in self.source_names else find_column(table.name, self.link_schemas)
        )
        if known is None or known == table.name:
            return
        if not table.alias and folded(known) != folded(table.name):
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
        table.set("this", exp.to_identifier(known, quoted=known != self.source_name))

    def _outputs(self, scope: Scope, tables: Mapping[str, _Columns], outputs: Mapping[int, _Columns]) -> _Columns:
        """The columns that a scope gives to the one around it; alias lists (`t(a, b)`) are left to the engine."""
        branches = scope.set_operation_scopes
        if branches:
            return outputs.get(id(branches[0]), _Columns((), True))
        query = scope.expression
        if not isinstance(query, exp.Query):
            return _Columns((), True)
        names: list[str] = []
        is_open = False
        for projection in query.selects:
            if projection.is_star:
                wanted = folded(projection.table) if isinstance(projection, exp.Column) else ""
                for name, columns in tables.items():
                    if not wanted or name == wanted:
                        names.extend(columns.names)
                        is_open = is_open or columns.open
                        self._read.update(columns.names if columns.is_source else ())
            elif projection.alias_or_name:
                names.append(projection.alias_or_name)
        around = query.parent
        renamed = isinstance(around, exp.CTE | exp.Subquery) and around.alias_column_names
        return _Columns((), True) if renamed else _Columns(tuple(names), is_open)

    # --- columns ------------------------------------------------------------------------------------------------------

    def _check_columns(self, scope: Scope, tables: Mapping[int, dict[str, _Columns]]) -> None:
        chain = [tables[id(scope)]]
        inner, outer = scope, scope.parent
        while outer is not None and (inner.is_subquery or inner.is_set_operation):  # a CTE sees nothing around it
            chain.append(tables.get(id(outer), {}))
            inner, outer = outer, outer.parent
        aliases = _aliases(scope)
        shared = self._using(scope, tables[id(scope)])
        for column in scope.find_all(exp.Column):
            if isinstance(column.this, exp.Star):
                continue
            if column.args.get("db") is not None:
                self.findings.add(problems.unsupported_syntax(f"`{column.sql('duckdb')}`", self.place.at(column)))
            elif column.table:
                self._qualified(column, chain)
            else:
                self._plain(column, chain, aliases, shared)

    def _qualified(self, column: exp.Column, chain: Sequence[Mapping[str, _Columns]]) -> None:
        for tables in chain:
            columns = tables.get(folded(column.table))
            if columns is not None:
                self._read_from(column, columns, [column.table])
                return
        known = tuple(name for tables in chain for name in tables)
        self.findings.add(problems.unknown_table(column.table, known, self.place.at(column)))

    def _plain(
        self,
        column: exp.Column,
        chain: Sequence[Mapping[str, _Columns]],
        aliases: frozenset[str],
        shared: frozenset[str],
    ) -> None:
        """DuckDB's order: columns of the tables here, names given in SELECT, then the queries around."""
        name = column.name
        for depth, tables in enumerate(chain):
            having = [table for table, columns in tables.items() if find_column(name, columns.names)]
            if len(having) == 1 or (having and folded(name) in shared):
                for table in having:
                    self._read_from(column, tables[table], [table])
                return
            if having:
                self.findings.add(problems.unqualified_column(name, having, self.place.at(column)))
                return
            if depth == 0 and folded(name) in aliases:
                return
        self._unknown(column, chain)

    def _unknown(self, column: exp.Column, chain: Sequence[Mapping[str, _Columns]]) -> None:
        """No table is known to have it: one open table may; of several, the query must say which."""
        here = chain[0]
        maybe = [table for table, columns in here.items() if columns.open]
        if len(here) > 1 and maybe:
            self.findings.add(problems.unqualified_column(column.name, sorted(here), self.place.at(column)))
        elif maybe:
            self._read_from(column, here[maybe[0]], maybe)
        else:
            every = {table: columns for tables in reversed(chain) for table, columns in tables.items()}
            names = tuple(name for columns in every.values() for name in columns.names)
            nearest = nearest_name(column.name, names)
            at, quoted = self.place.at(column), _is_quoted(column.this)
            self.findings.add(problems.unknown_column(column.name, names, nearest, at, quoted=quoted))

    def _read_from(self, column: exp.Column, columns: _Columns, table: Sequence[str]) -> None:
        """One column of one table: known, undeclared, or in error."""
        name = column.name
        known = find_column(name, columns.names)
        if known is not None:
            if columns.is_source:
                self._read.add(known)
            return
        at, quoted = self.place.at(column), _is_quoted(column.this)
        nearest = nearest_column(name, columns.names, closed=not columns.open)
        if not columns.open or (columns.names and nearest) or folded(name).startswith(RESERVED_PREFIXES):
            where = "" if columns.is_source else f" in `{table[0]}`"
            self.findings.add(problems.unknown_column(name, columns.names, nearest, at, where=where, quoted=quoted))
        elif columns.is_source:
            if folded(name) not in self._undeclared:
                self._undeclared[folded(name)] = name
                self.findings.add(problems.undeclared_column(name, at, quoted=quoted))
            self._read.add(self._undeclared[folded(name)])

    def _using(self, scope: Scope, tables: Mapping[str, _Columns]) -> frozenset[str]:
        """Names of JOIN ... USING: columns of both sides."""
        found: set[str] = set()
        for join in scope.expression.args.get("joins") or ():
            for identifier in join.args.get("using") or ():
                name = identifier.name
                found.add(folded(name))
                having = [table for table in tables.values() if find_column(name, table.names)]
                if len(having) + sum(table.open for table in tables.values() if table not in having) < 2:
                    names = tuple(known for table in tables.values() for known in table.names)
                    self.findings.add(
                        problems.unknown_column(name, names, "", self.place.at(identifier), where=" (USING)")
                    )
                self._read.update(find_column(name, table.names) or name for table in having if table.is_source)
        return frozenset(found)


def _is_quoted(identifier: exp.Expr) -> bool:
    """Whether a name stands in double quotes."""
    return bool(identifier.args.get("quoted"))


def _aliases(scope: Scope) -> frozenset[str]:
    """Names given in SELECT, which DuckDB lets the other clauses use."""
    selects = scope.expression.selects if isinstance(scope.expression, exp.Query) else []
    return frozenset(folded(projection.alias) for projection in selects if projection.alias)


def _is_cte(table: exp.Table) -> bool:
    """Whether the name is a WITH of a query around the table."""
    node = table.parent
    while node is not None:
        with_ = node.args.get("with_")
        if with_ is not None and any(folded(cte.alias) == folded(table.name) for cte in with_.expressions):
            return True
        node = node.parent
    return False
