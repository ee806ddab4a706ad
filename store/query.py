"""Our own query language for exact search: AND OR NOT, "phrase", prefix*, brackets. Every text is a query.

FTS5 has such a language too, but it raises on `pre-edit` or `(x`; ours has no errors. What cannot be read as syntax
(a bracket without its twin, an AND with nothing behind it, a quote left open) is read as words. Operators are
capitals only. What stands without an operator between is joined by AND; NOT binds tighter than AND, AND tighter
than OR. A word is a phrase of its tokens, so 预算 and pre-edit are found where they stand together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from store.model import ENTRY_CHARACTERS_MAX
from store.text import TERMS_MAX, clean, fold, plain_tokens

DEPTH_MAX = 28
"""A bracket behind NOT takes three places on the stack of FTS5's parser, which has a hundred."""
TOKENS_IN_TERM_MAX = 64


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


Node: TypeAlias = Term | And | Or | Not


@dataclass(frozen=True, slots=True)
class Query:
    """`root` is None when nothing in the text is a word; `is_exact` when syntax was used, so ranking would not do."""

    root: Node | None
    is_exact: bool


def parse_query(text: str) -> Query:
    items = _with_real_operators(_balanced(_lex(text)))
    is_exact = any(isinstance(item, _Operator) or (isinstance(item, _Word) and item.is_exact) for item in items)
    return Query(_Parser(items).either(), is_exact)


def to_fts(query: Query) -> str:
    """The query for FTS5's MATCH on the table of plain characters; `""` matches nothing."""
    return _format(query.root, 0) if query.root else '""'


def matches(query: Query, text: str) -> bool:
    """What `to_fts` finds, said without SQLite."""
    return query.root is not None and _holds(query.root, [_bare(token) for token in plain_tokens(fold(text))])


def _format(node: Node, binding: int) -> str:
    """Brackets only where `binding` asks for them, and the deepest part first: both spare FTS5's stack."""
    match node:
        case Term(tokens, prefix):
            return f'"{" ".join(tokens)}"{" *" if prefix else ""}'
        case And(parts):
            own, formatted = 2, " AND ".join(_format(part, 2) for part in sorted(parts, key=_depth, reverse=True))
        case Or(parts):
            own, formatted = 1, " OR ".join(_format(part, 1) for part in sorted(parts, key=_depth, reverse=True))
        case Not(kept, dropped):
            own, formatted = 3, f"{_format(kept, 4)} NOT {_format(dropped, 4)}"
        case _:
            assert_never(node)
    return formatted if own >= binding else f"({formatted})"


def _depth(node: Node) -> int:
    match node:
        case Term():
            return 0
        case And(parts) | Or(parts):
            return 1 + max(map(_depth, parts))
        case Not(kept, dropped):
            return 1 + max(_depth(kept), _depth(dropped))
        case _:
            assert_never(node)


def _holds(node: Node, tokens: Sequence[str]) -> bool:
    match node:
        case Term():
            return _stands_in(node, tokens)
        case And(parts):
            return all(_holds(part, tokens) for part in parts)
        case Or(parts):
            return any(_holds(part, tokens) for part in parts)
        case Not(kept, dropped):
            return _holds(kept, tokens) and not _holds(dropped, tokens)
        case _:
            assert_never(node)


def _stands_in(term: Term, tokens: Sequence[str]) -> bool:
    *head, last = [_bare(token) for token in term.tokens]
    for end in range(len(head), len(tokens)):
        if (tokens[end].startswith(last) if term.prefix else tokens[end] == last) and (
            tokens[end - len(head) : end] == head
        ):
            return True
    return False


def _bare(token: str) -> str:
    """As the tokenizer sees it: without accents."""
    if token.isascii():
        return token
    return "".join(c for c in unicodedata.normalize("NFD", token) if not unicodedata.combining(c))


# ---------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class _Word:
    term: Term
    is_exact: bool


@dataclass(frozen=True, slots=True)
class _Operator:
    name: str


@dataclass(frozen=True, slots=True)
class _Bracket:
    opens: bool


_Item: TypeAlias = _Word | _Operator | _Bracket

_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』", '"'))
_LEX = re.compile(r'"(?P<phrase>[^"]*)"(?P<more>\*?)|(?P<bracket>[()])|(?P<word>[^\s"(),;!?。、…]+)')
_NAMES = ("AND", "OR", "NOT")


def _lex(text: str) -> list[_Item]:
    """Words without a letter or digit are left out here, so that an operator beside one dangles."""
    same = unicodedata.normalize("NFKC", clean(text[:ENTRY_CHARACTERS_MAX])).translate(_QUOTES)
    items: list[_Item] = []
    words = operators = 0
    for match in _LEX.finditer(same):
        if match["bracket"]:
            items.append(_Bracket(match["bracket"] == "("))
        elif match["word"] in _NAMES:
            items.append(_Operator(match["word"]))
            operators += 1
        elif word := _read_word(match):
            items.append(word)
            words += 1
        if words == TERMS_MAX or operators == TERMS_MAX:
            break
    return items


def _read_word(match: re.Match[str]) -> _Word | None:
    phrase = match["phrase"]
    written = match["word"] if phrase is None else phrase
    if not any(map(str.isalnum, written)):
        return None  # thousands of quotation marks need no folding
    tokens = tuple(plain_tokens(fold(written))[:TOKENS_IN_TERM_MAX])
    if not tokens:
        return None
    prefix = written.endswith("*") if phrase is None else bool(match["more"])
    return _Word(Term(tokens, prefix), prefix or phrase is not None)


def _balanced(items: Sequence[_Item]) -> list[_Item]:
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
    for start in open_at:
        kept[start] = None
    return [item for item in kept if item is not None]


def _with_real_operators(items: Sequence[_Item]) -> list[_Item]:
    """An operator has something on both sides, else it is the word it looks like. AND NOT is NOT."""
    spare = TERMS_MAX - sum(isinstance(item, _Word) for item in items)
    out: list[_Item] = []
    for i, item in enumerate(items):
        if not isinstance(item, _Operator):
            out.append(item)
            continue
        follows = bool(out) and (isinstance(out[-1], _Word) or out[-1] == _Bracket(opens=False))
        if follows and _starts_operand(items, i + 1):
            out.append(item)
        elif follows and item.name == "AND" and _is_not(items, i + 1) and _starts_operand(items, i + 2):
            continue
        elif spare > 0:
            out.append(_Word(Term((item.name.lower(),)), is_exact=False))
            spare -= 1
    return out


def _starts_operand(items: Sequence[_Item], i: int) -> bool:
    return i < len(items) and (isinstance(items[i], _Word) or items[i] == _Bracket(opens=True))


def _is_not(items: Sequence[_Item], i: int) -> bool:
    return i < len(items) and items[i] == _Operator("NOT")


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
        found = tuple(part for part in parts if part)
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
        if isinstance(item, _Word):
            return item.term
        inside = self.either()
        self._at += 1  # Brackets are balanced, so what ends `either` is the twin.
        return inside

    def _take(self, operator: str) -> bool:
        if self._at < len(self._items) and self._items[self._at] == _Operator(operator):
            self._at += 1
            return True
        return False
