"""What a query is once it is read: a tree of words and filters, what FTS5 is asked for it, and what it finds.

`matches` says without SQLite what SQLite finds, so each can be held against the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from store.filters import Filter, Unread, bare, lets_through, stands_in
from store.model import Entry
from store.text import fold, plain_tokens


@dataclass(frozen=True, slots=True)
class Term:
    """Tokens that stand side by side; with `prefix` the last may go on."""

    tokens: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """What `kept` finds and `dropped` does not."""

    kept: Node
    dropped: Node


Node: TypeAlias = Term | Filter | And | Or | Not


@dataclass(frozen=True, slots=True)
class Query:
    """`root` is None when nothing in the text is a word; `is_exact` when syntax was used, so ranking would not do."""

    root: Node | None
    is_exact: bool
    unread: tuple[Unread, ...] = ()


def has_filter(node: Node) -> bool:
    match node:
        case Term():
            return False
        case Filter():
            return True
        case And(parts) | Or(parts):
            return any(map(has_filter, parts))
        case Not(kept, dropped):
            return has_filter(kept) or has_filter(dropped)
        case _:
            assert_never(node)


def to_fts(node: Node | None) -> str:
    """A part without filters, for FTS5's MATCH on the table of plain characters; `""` matches nothing."""
    return _format(node, 0) if node else '""'


def matches(query: Query, text: str, entry: Entry | None = None) -> bool:
    """What SQLite finds, said without it. `text` is what the index holds of `entry`; filters need the entry."""
    return query.root is not None and _holds(query.root, [bare(token) for token in plain_tokens(fold(text))], entry)


def _format(node: Node, binding: int) -> str:
    """Brackets only where `binding` asks for them, and the deepest part first: both spare FTS5's stack."""
    match node:
        case Term(tokens, prefix):
            return f'"{" ".join(tokens)}"{" *" if prefix else ""}'
        case And(parts):
            own, formatted = 2, " AND ".join(_format(part, 2) for part in sorted(parts, key=depth, reverse=True))
        case Or(parts):
            own, formatted = 1, " OR ".join(_format(part, 1) for part in sorted(parts, key=depth, reverse=True))
        case Not(kept, dropped):
            own, formatted = 3, f"{_format(kept, 4)} NOT {_format(dropped, 4)}"
        case Filter():
            raise AssertionError("a filter is no matter of FTS5")
        case _:
            assert_never(node)
    return formatted if own >= binding else f"({formatted})"


def depth(node: Node) -> int:
    """How many nodes lie below one another in it."""
    match node:
        case Term() | Filter():
            return 0
        case And(parts) | Or(parts):
            return 1 + max(map(depth, parts))
        case Not(kept, dropped):
            return 1 + max(depth(kept), depth(dropped))
        case _:
            assert_never(node)


def _holds(node: Node, tokens: Sequence[str], entry: Entry | None) -> bool:
    match node:
        case Term():
            return stands_in([bare(token) for token in node.tokens], tokens, prefix=node.prefix)
        case Filter():
            return entry is not None and lets_through(node, entry)
        case And(parts):
            return all(_holds(part, tokens, entry) for part in parts)
        case Or(parts):
            return any(_holds(part, tokens, entry) for part in parts)
        case Not(kept, dropped):
            return _holds(kept, tokens, entry) and not _holds(dropped, tokens, entry)
        case _:
            assert_never(node)
