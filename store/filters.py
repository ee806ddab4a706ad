"""The filters of an exact search: `tag:` `about:` `before:` `after:` `on:` `kind:` `by:`, and which entries they let through.

A filter that cannot be read (`kind:banana`, `before:blah`) is no error: it stays words, and `Unread` says why. Days are
those on which something was said; before and after leave the named time itself out, on is that time.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from store.dates import find_dates
from store.model import AccountID, Entry, EntryKind
from store.text import fold, plain_tokens


class FilterName(StrEnum):
    TAG = "tag"
    ABOUT = "about"
    BEFORE = "before"
    AFTER = "after"
    ON = "on"
    KIND = "kind"
    BY = "by"


EXCLUSIVE = frozenset({FilterName.ON, FilterName.KIND, FilterName.BY})
"""An entry has one day, one kind and one author, so two such filters side by side mean either."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Lets through what meets any of `values`.

    They are folded words (tag, about), kinds, accounts, ISO dates (before, after) or ISO intervals (on).
    """

    name: FilterName
    values: tuple[str, ...]


class UnreadReason(StrEnum):
    OPERATOR = "operator"
    BRACKET = "bracket"
    QUOTE = "quote"
    VALUE = "value"
    """A filter with nothing behind its colon."""
    KIND = "kind"
    DATE = "date"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Unread:
    """A piece of a query that looks like syntax and could only be read as words."""

    piece: str
    reason: UnreadReason


@dataclass(frozen=True, slots=True)
class Asked:
    """By whom and when a query was written, among whom: what 我, 上周三 and a name mean."""

    today: date
    asker: AccountID
    people: Mapping[AccountID, str]


FILTER_NAMES: Mapping[str, FilterName] = {
    written: name
    for name, spellings in {
        FilterName.TAG: "tag tags 标签 標籤",
        FilterName.ABOUT: "about scope 关于 關於 作用域",
        FilterName.BEFORE: "before 之前 以前",
        FilterName.AFTER: "after 之后 之後 以后 以後",
        FilterName.ON: "on date 日期 当天 當天",
        FilterName.KIND: "kind type 类型 類型 种类 種類",
        FilterName.BY: "by 作者 谁说的 誰說的",
    }.items()
    for written in spellings.split()
}
_KINDS: Mapping[str, EntryKind] = {
    written: kind
    for kind, spellings in {
        EntryKind.DECISION: "decision decisions 决定 决策",
        EntryKind.FACT: "fact facts 事实",
        EntryKind.PREFERENCE: "preference preferences 偏好",
        EntryKind.QUOTE: "quote quotes 摘录 引用",
        EntryKind.RULE: "rule rules 规则",
        EntryKind.NOTE: "note notes 笔记",
    }.items()
    for written in spellings.split()
}
_ME = frozenset("me myself 我 自己 本人".split())


def read_filter(written: str, value: str, asked: Asked) -> Filter | Unread:
    """`written` is one of `FILTER_NAMES`, in any case; `value` what stands behind the colon, without its quotes."""
    name = FILTER_NAMES[written.lower()]
    piece = f"{written}:{value}"
    sought = " ".join(fold(value).split())
    if name is FilterName.TAG:
        sought = sought.lstrip("#").lstrip()
    if not any(map(str.isalnum, sought)) and not (name is FilterName.TAG and sought):
        return Unread(piece, UnreadReason.VALUE)
    match name:
        case FilterName.TAG | FilterName.ABOUT:
            return Filter(name, (sought,))
        case FilterName.KIND:
            kind = _KINDS.get(sought)
            return Filter(name, (kind.value,)) if kind else Unread(piece, UnreadReason.KIND)
        case FilterName.BY:
            accounts = _accounts(sought, asked)
            return Filter(name, accounts) if accounts else Unread(piece, UnreadReason.PERSON)
        case _:
            days = _days(value, asked.today)
            return Filter(name, (_bound(name, *days),)) if days else Unread(piece, UnreadReason.DATE)


def _accounts(sought: str, asked: Asked) -> tuple[str, ...]:
    if sought in _ME:
        return (asked.asker,)
    shown = {account: name or account.partition(":")[2] for account, name in asked.people.items()}
    return tuple(sorted(account for account, name in shown.items() if " ".join(fold(name).split()) == sought))


def _days(value: str, today: date) -> tuple[date, date] | None:
    """The one time that `value` names, if it names nothing else. A bare May or 2024 is a date in here."""
    for text in (value, f"in {value}"):
        found = find_dates(text, today, prefer_past=True)
        if len(found) == 1:
            rest = text[: found[0].start].removeprefix("in ") + text[found[0].end :]
            if not any(map(str.isalnum, rest)):
                return found[0].first, found[0].last
    return None


def _bound(name: FilterName, first: date, last: date) -> str:
    if name is FilterName.ON:
        return f"{first.isoformat()}/{last.isoformat()}"
    return (first if name is FilterName.BEFORE else last).isoformat()


def lets_through(one: Filter, entry: Entry) -> bool:
    """What `store.search` asks SQLite, said without it."""
    match one.name:
        case FilterName.TAG:
            return has_tag([*entry.draft.tags, *entry.more_tags], one)
        case FilterName.ABOUT:
            return is_about(entry.draft.about, one)
        case FilterName.KIND:
            return entry.draft.kind in one.values
        case FilterName.BY:
            return entry.author in one.values
        case FilterName.BEFORE:
            return any(entry.day < value for value in one.values)
        case FilterName.AFTER:
            return any(entry.day > value for value in one.values)
        case FilterName.ON:
            return any(first <= entry.day <= last for first, last in map(interval, one.values))


def interval(value: str) -> tuple[str, str]:
    first, _, last = value.partition("/")
    return first, last


def has_tag(tags: Iterable[str], one: Filter) -> bool:
    return any(" ".join(fold(tag).split()) in one.values for tag in tags)


def is_about(pairs: Iterable[Sequence[str]], one: Filter) -> bool:
    """Whether the words stand in the name or the value of a pair of the field “about”."""
    held = [[bare(token) for token in plain_tokens(fold(f"{name} {value}"))] for name, value in pairs]
    sought = [[bare(token) for token in plain_tokens(value)] for value in one.values]
    return any(stands_in(words, tokens) for words in sought for tokens in held)


def stands_in(words: Sequence[str], tokens: Sequence[str], *, prefix: bool = False) -> bool:
    """Whether `words` stand side by side in `tokens`; with `prefix` the last may go on."""
    if not words:
        return False
    *head, last = words
    return any(
        (tokens[end].startswith(last) if prefix else tokens[end] == last) and tokens[end - len(head) : end] == head
        for end in range(len(head), len(tokens))
    )


def bare(token: str) -> str:
    """As the tokenizer sees it: without accents."""
    if token.isascii():
        return token
    return "".join(c for c in unicodedata.normalize("NFD", token) if not unicodedata.combining(c))
