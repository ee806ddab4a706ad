"""Exact search: a query in our own language, run on one scope. Nothing is ranked, nothing is guessed.

Words are looked up in the table of plain characters, filters in the columns of `entries`. The current ones come
first, then the newest; what was superseded is found too, since people look for what they once wrote. A query without
syntax is run as well, but says so: ranked recall answers those better.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from heapq import nlargest
from sqlite3 import Connection
from typing import Any, assert_never

from store.filters import Asked, Filter, FilterName, Unread, has_tag, interval, is_about
from store.model import AccountID, Entry
from store.query import parse_query
from store.query_tree import And, Node, Not, Or, Query, Term, depth, has_filter, to_fts
from store.sql import marks
from store.text import plain_tokens
from store.view import View

ROWS_MAX = 10
_SHOWN = "hidden = 0 AND held = 0 AND kind <> 'checkpoint'"


@dataclass(frozen=True, slots=True)
class Found:
    """`entries`: one page of `total`. `is_exact`: syntax or filters were used."""

    entries: tuple[Entry, ...]
    total: int
    unread: tuple[Unread, ...]
    is_exact: bool


def read(view: View, text: str, today: date, *, asker: AccountID) -> Query:
    return parse_query(text, Asked(today, asker, view.people()))


def search(view: View, text: str, today: date, *, asker: AccountID, start: int = 0, limit: int = ROWS_MAX) -> Found:
    """`today`, `asker`: what 上周三 and 我 mean."""
    query = read(view, text, today, asker=asker)
    if query.root is None:
        return Found((), 0, query.unread, query.is_exact)
    where, values = _condition(view.conn, query.root)
    # One pass gives the total and the page; counting and sorting apart would read every row twice.
    rows = view.conn.execute(f"SELECT current, at_ms, seq FROM entries WHERE {_SHOWN} AND {where}", values).fetchall()
    page = [seq for _, _, seq in nlargest(start + limit, rows)[start:]]
    ids = dict(view.conn.execute(f"SELECT seq, id FROM entries WHERE seq IN ({marks(page)})", page).fetchall())
    entries = tuple(entry for seq in page if (entry := view.entry(ids[seq])))
    return Found(entries, len(rows), query.unread, query.is_exact)


def _condition(conn: Connection, node: Node) -> tuple[str, list[str]]:
    """A condition on the columns of `entries`, and its values. Words without a filter among them are one MATCH."""
    if not has_filter(node):
        return "seq IN (SELECT rowid FROM plain WHERE plain MATCH ?)", [to_fts(node)]
    match node:
        case Filter():
            return _of_filter(conn, node)
        case And(parts):
            return _joined(conn, " AND ", [*_as_one(And, parts)])
        case Or(parts):
            return _joined(conn, " OR ", [*_as_one(Or, parts)])
        case Not(kept, dropped):
            return _joined(conn, " AND ", [kept, dropped], negated=dropped)
        case Term():
            raise AssertionError("a word holds no filter")
        case _:
            assert_never(node)


def _as_one(kind: type[And] | type[Or], parts: Sequence[Node]) -> Iterator[Node]:
    """The parts without a filter as one, since one MATCH is quicker than several."""
    words = tuple(part for part in parts if not has_filter(part))
    if words:
        yield kind(words) if len(words) > 1 else words[0]
    yield from (part for part in parts if has_filter(part))


def _joined(
    conn: Connection, between: str, parts: Sequence[Node], *, negated: Node | None = None
) -> tuple[str, list[str]]:
    """The deepest part first, which spares the stack of SQLite's parser."""
    conditions: list[str] = []
    values: list[str] = []
    for part in sorted(parts, key=depth, reverse=True):
        sql, more = _condition(conn, part)
        conditions.append(f"NOT {sql}" if part is negated else sql)
        values += more
    return f"({between.join(conditions)})", values


def _of_filter(conn: Connection, one: Filter) -> tuple[str, list[str]]:
    match one.name:
        case FilterName.KIND:
            return _any_of("kind = ?", one.values)
        case FilterName.BY:
            return _any_of("author = ?", one.values)
        case FilterName.BEFORE:
            return _any_of("day < ?", one.values)
        case FilterName.AFTER:
            return _any_of("day > ?", one.values)
        case FilterName.ON:
            sql, _ = _any_of("day BETWEEN ? AND ?", one.values)
            return sql, [day for value in one.values for day in interval(value)]
        case FilterName.TAG:
            return _among(_tagged(conn, one))
        case FilterName.ABOUT:
            rows = conn.execute("SELECT seq, about FROM entries WHERE about <> '[]'")
            return _among(_passing(rows, lambda pairs: is_about(json.loads(pairs), one)))
        case _:
            assert_never(one.name)


def _any_of(condition: str, values: Sequence[str]) -> tuple[str, list[str]]:
    return f"({' OR '.join([condition] * len(values))})", list(values)


def _among(seqs: Sequence[int]) -> tuple[str, list[str]]:
    return "seq IN (SELECT value FROM json_each(?))", [json.dumps(seqs)]


def _tagged(conn: Connection, one: Filter) -> list[int]:
    """Tags are compared folded, which SQLite cannot; the index, which holds their words too, says where to look."""
    (tag,) = one.values
    words = tuple(plain_tokens(tag))
    where, values = "1", []
    if words:
        where, values = "seq IN (SELECT rowid FROM plain WHERE plain MATCH ?)", [to_fts(Term(words))]
    rows = conn.execute(
        f"SELECT seq, tags, more_tags FROM entries WHERE {where} AND (tags <> '[]' OR more_tags <> '[]')", values
    )
    return _passing(rows, lambda *lists: has_tag([tag for tags in lists for tag in json.loads(tags)], one))


def _passing(rows: Iterable[Any], test: Callable[..., bool]) -> list[int]:
    """The first columns of the rows whose others pass; each combination, of which there are few, is tried once."""
    known: dict[tuple[str, ...], bool] = {}
    found: list[int] = []
    for seq, *texts in rows:
        key = tuple(texts)
        if key not in known:
            known[key] = test(*key)
        if known[key]:
            found.append(seq)
    return found
