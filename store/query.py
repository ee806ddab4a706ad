"""Our own query language for exact search: AND OR NOT, "phrase", prefix*, brackets, filters. Every text is a query.

FTS5 has such a language too, but it raises on `pre-edit` or `(x`; ours has no errors. What cannot be read as syntax
(a bracket without its twin, an AND with nothing behind it, a quote left open, `kind:banana`) is read as words and
named in `unread`. Operators are capitals only; `-word` is a word, since people look for `rm -rf` and -5 度. What stands
without an operator between is joined by AND; NOT binds tighter than AND, AND tighter than OR. A word is a phrase of
its tokens, so 预算 and pre-edit are found where they stand together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from store.filters import (
    EXCLUSIVE,
    FILTER_NAMES,
    Asked,
    Filter,
    FilterName,
    Unread,
    UnreadReason,
    read_filter,
)
from store.model import ENTRY_CHARACTERS_MAX
from store.query_tree import And, Node, Not, Or, Query, Term
from store.text import TERMS_MAX, clean, fold, plain_tokens

DEPTH_MAX = 12
"""A bracket takes up to four places on the stack of SQLite's parser and three on that of FTS5, which have a hundred."""
TOKENS_IN_TERM_MAX = 64


def parse_query(text: str, asked: Asked | None = None) -> Query:
    """Filters are read only with `asked`, since what they name depends on it."""
    items, unread = _lex(text, asked)
    items = _with_real_operators(_balanced(items, unread), unread)
    is_exact = any(isinstance(item, _Operator) or (isinstance(item, _Operand) and item.is_exact) for item in items)
    return Query(_Parser(items).either(), is_exact, tuple(unread))


@dataclass(frozen=True, slots=True)
class _Operand:
    node: Term | Filter
    is_exact: bool


@dataclass(frozen=True, slots=True)
class _Operator:
    name: str


@dataclass(frozen=True, slots=True)
class _Bracket:
    opens: bool


_Item: TypeAlias = _Operand | _Operator | _Bracket

_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』", '"'))
_WORD = r'[^\s"(),;!?。、…]+'
_FILTERS = "|".join(sorted(FILTER_NAMES, key=len, reverse=True))
_LEX = re.compile(
    r'"(?P<phrase>[^"]*)"(?P<more>\*?)|(?P<quote>")|(?P<bracket>[()])'
    rf'|(?P<filter>(?i:{_FILTERS})):[ ]?(?:"(?P<quoted>[^"]*)"|(?P<value>(?!(?:AND|OR|NOT)(?!\S)){_WORD})|)'
    rf"|(?P<word>{_WORD})"
)
_NAMES = ("AND", "OR", "NOT")


def _lex(text: str, asked: Asked | None) -> tuple[list[_Item], list[Unread]]:
    """Words without a letter or digit are left out here, so that an operator beside one dangles."""
    same = unicodedata.normalize("NFKC", clean(text[:ENTRY_CHARACTERS_MAX])).translate(_QUOTES)
    items: list[_Item] = []
    unread: list[Unread] = []
    words = operators = 0
    for match in _LEX.finditer(same):
        if match["bracket"]:
            items.append(_Bracket(match["bracket"] == "("))
        elif match["quote"]:
            unread.append(Unread(same[match.start() :], UnreadReason.QUOTE))
        elif match["word"] in _NAMES:
            items.append(_Operator(match["word"]))
            operators += 1
        elif word := _read_filter(match, asked, unread) or _read_word(match):
            items.append(word)
            words += 1
        if words == TERMS_MAX or operators == TERMS_MAX:
            break
    return items, unread


def _read_filter(match: re.Match[str], asked: Asked | None, unread: list[Unread]) -> _Operand | None:
    """A filter that cannot be read is noted and stays a word."""
    if match["filter"] is None or asked is None:
        return None
    read = read_filter(match["filter"], match["quoted"] or match["value"] or "", asked)
    if isinstance(read, Filter):
        return _Operand(read, is_exact=True)
    unread.append(read)
    return None


def _read_word(match: re.Match[str]) -> _Operand | None:
    phrase = match["phrase"]
    written = phrase if phrase is not None else match["word"] or match[0]
    if not any(map(str.isalnum, written)):
        return None  # thousands of quotation marks need no folding
    tokens = tuple(plain_tokens(fold(written))[:TOKENS_IN_TERM_MAX])
    if not tokens:
        return None
    prefix = written.endswith("*") if phrase is None else bool(match["more"])
    return _Operand(Term(tokens, prefix), prefix or phrase is not None)


def _balanced(items: Sequence[_Item], unread: list[Unread]) -> list[_Item]:
    """Without brackets that have no twin, hold nothing or lie deeper than `DEPTH_MAX`."""
    kept: list[_Item | None] = []
    open_at: list[int] = []
    too_deep = 0
    for item in items:
        if not isinstance(item, _Bracket):
            kept.append(item)
        elif item.opens:
            if len(open_at) < DEPTH_MAX:
                open_at.append(len(kept))
                kept.append(item)
            else:
                too_deep += 1
        elif too_deep:
            too_deep -= 1
        elif open_at:
            start = open_at.pop()
            if start == len(kept) - 1:
                kept.pop()
            else:
                kept.append(item)
        else:
            unread.append(Unread(")", UnreadReason.BRACKET))
    for start in open_at:
        kept[start] = None
    unread += [Unread("(", UnreadReason.BRACKET)] * len(open_at)
    return [item for item in kept if item is not None]


def _with_real_operators(items: Sequence[_Item], unread: list[Unread]) -> list[_Item]:
    """An operator has something on both sides, else it is the word it looks like. AND NOT is NOT."""
    spare = TERMS_MAX - sum(isinstance(item, _Operand) for item in items)
    out: list[_Item] = []
    for i, item in enumerate(items):
        if not isinstance(item, _Operator):
            out.append(item)
            continue
        follows = bool(out) and (isinstance(out[-1], _Operand) or out[-1] == _Bracket(opens=False))
        if follows and _starts_operand(items, i + 1):
            out.append(item)
        elif follows and item.name == "AND" and _is_not(items, i + 1) and _starts_operand(items, i + 2):
            continue
        else:
            unread.append(Unread(item.name, UnreadReason.OPERATOR))
            if spare > 0:
                out.append(_Operand(Term((item.name.lower(),)), is_exact=False))
                spare -= 1
    return out


def _starts_operand(items: Sequence[_Item], i: int) -> bool:
    return i < len(items) and (isinstance(items[i], _Operand) or items[i] == _Bracket(opens=True))


def _is_not(items: Sequence[_Item], i: int) -> bool:
    return i < len(items) and items[i] == _Operator("NOT")


def _joined(parts: Sequence[Node]) -> tuple[Node, ...]:
    """by:Noor by:Wei is by either: filters that exclude each other become one, also the kept side of a NOT."""
    values: dict[FilterName, dict[str, None]] = {}
    for part in parts:
        one = part.kept if isinstance(part, Not) else part
        if isinstance(one, Filter) and one.name in EXCLUSIVE:
            values.setdefault(one.name, {}).update(dict.fromkeys(one.values))
    if not values:
        return tuple(parts)

    def whole(one: Node) -> Node:
        return Filter(one.name, tuple(values[one.name])) if isinstance(one, Filter) and one.name in values else one

    joined = [Not(whole(part.kept), part.dropped) if isinstance(part, Not) else whole(part) for part in parts]
    return tuple(dict.fromkeys(joined))


class _Parser:
    """either: both (OR both)* · both: without (AND? without)* · without: one (NOT one)* · one: word or ( either )"""

    def __init__(self, items: Sequence[_Item]) -> None:
        self._items = items
        self._at = 0

    def either(self) -> Node | None:
        parts = [self._both()]
        while self._take("OR"):
            parts.append(self._both())
        found = tuple(part for part in parts if part)
        return Or(found) if len(found) > 1 else next(iter(found), None)

    def _both(self) -> Node | None:
        parts = [self._without()]
        while self._take("AND") or _starts_operand(self._items, self._at):
            parts.append(self._without())
        found = _joined([part for part in parts if part])
        return And(found) if len(found) > 1 else next(iter(found), None)

    def _without(self) -> Node | None:
        kept = self._one()
        dropped: list[Node] = []
        while self._take("NOT"):
            if part := self._one():
                dropped.append(part)
        if kept is None or not dropped:
            return kept
        return Not(kept, Or(tuple(dropped)) if len(dropped) > 1 else dropped[0])

    def _one(self) -> Node | None:
        if not _starts_operand(self._items, self._at):
            return None
        item = self._items[self._at]
        self._at += 1
        if isinstance(item, _Operand):
            return item.node
        inside = self.either()
        self._at += 1  # Brackets are balanced, so what ends `either` is the twin.
        return inside

    def _take(self, operator: str) -> bool:
        if self._at < len(self._items) and self._items[self._at] == _Operator(operator):
            self._at += 1
            return True
        return False
