"""Exact search in a real memory: words and filters together, pages, what must never come back, and a fuzz."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from store.filters import FILTER_NAMES, Unread, UnreadReason
from store.memory import Memory
from store.model import AccountID, Draft, Entry, EntryKind, Origin
from store.query import DEPTH_MAX
from store.query_tree import matches
from store.search import Found, read, search
from store.text import TERMS_MAX
from store.view import View
from store.writer import Writer
from tests.store.memories import HERE, LIN, Box, forget, remember
from tests.store.test_query import NO_INDEX_CAN_TELL, PAIRS, random_text

TODAY = date(2024, 5, 27)  # a Monday, as FakeClock stands
NOOR, WEI = AccountID("terminal:noor"), AccountID("terminal:wei")


async def fill(memory: Memory, texts: Sequence[str]) -> list[Entry]:
    return await memory.turn(lambda writer: [remember(writer, text) for text in texts])


def find(view: View, text: str, *, today: date = TODAY, start: int = 0, limit: int = 100) -> Found:
    return search(view, text, today, asker=LIN, start=start, limit=limit)


async def found(memory: Memory, text: str, today: date = TODAY) -> list[str]:
    got = await memory.read(lambda view: find(view, text, today=today))
    assert got.total == len(got.entries)
    return [entry.draft.text for entry in got.entries]


def said_by(writer: Writer, account: AccountID, text: str, **fields: object) -> Entry:
    return writer.remember(
        Draft(text, **fields),  # type: ignore[arg-type]
        at_ms=writer.now_ms, zone="UTC", author=account, source=HERE, origin=Origin.SAID, lang="en",
    )  # fmt: skip


def team(writer: Writer) -> None:
    for account, name in ((NOOR, "Noor"), (WEI, "Wei"), (LIN, "Lin")):
        writer.set("meta", f"account/{account}", {"name": name}, by=LIN)


async def fill_team(box: Box, memory: Memory) -> None:
    """Five entries on 20, 22, 24, 26 and 27 May 2024."""
    await memory.turn(team)
    box.clock.advance(timedelta(days=-7))
    said = [
        (2, NOOR, "预算先批一半", {"kind": EntryKind.DECISION, "tags": ("财务", "Budget")}),
        (2, WEI, "差旅预算另算", {"kind": EntryKind.DECISION, "tags": ("财务", "差旅")}),
        (2, LIN, "the budget meeting moved", {"about": (("project", "Apollo 11"),)}),
        (1, NOOR, "I like the window seat", {"kind": EntryKind.PREFERENCE, "about": (("about", "差旅"),)}),
        (0, LIN, "预算和差旅都问财务", {"tags": ("budget",)}),
    ]
    for days, account, text, fields in said:
        await memory.turn(lambda writer, who=account, one=text, more=fields: said_by(writer, who, one, **more))  # type: ignore[misc]
        box.clock.advance(timedelta(days=days))


# words and filters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("预算 kind:decision NOT 差旅 after:2024-05-01", [1]),
        ("类型：决定", [2, 1]),
        ("kind:decision kind:preference", [4, 2, 1]),
        ("kind:decision OR window", [4, 2, 1]),
        ("NOT kind:decision", []),
        ("预算 NOT kind:decision", [5]),
        ("tag:财务", [2, 1]),
        ("tag:财务 标签：差旅", [2]),
        ("tag:财务 NOT tag:差旅", [1]),
        ("(tag:差旅 OR tag:budget) 预算", [5, 2, 1]),
        ("tag:BUDGET", [5, 1]),
        ("tag:bud", []),
        ("about:apollo", [3]),
        ('关于:"apollo 11"', [3]),
        ("about:project", [3]),
        ("about:差旅", [4]),
        ("about:apoll", []),
        ("by:Noor", [4, 1]),
        ("by:noor by:Wei", [4, 2, 1]),
        ("by:Noor by:Wei 预算", [2, 1]),
        ("by:me", [5, 3]),
        ("作者：我 预算", [5]),
        ("on:上周三", [2]),
        ('on:"last Wednesday"', [2]),
        ("on:2024-05-20 on:2024-05-22", [2, 1]),
        ("on:上周", [4, 3, 2, 1]),
        ("before:2024-05-22", [1]),
        ("after:2024-05-24", [5, 4]),
        ("之后：2024年5月20日 之前：2024-05-26", [3, 2]),
        ("after:2024-05-20 before:yesterday budget", [3]),
        ("date:May kind:preference", [4]),
    ],
)
async def test_filters_with_words_and_operators(tmp_path: Path, text: str, expected: list[int]) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await fill_team(box, memory)
        got = await memory.read(lambda view: find(view, text))
        assert [entry.label for entry in got.entries] == [LABELS[number] for number in expected]
        assert got.total == len(expected)


LABELS = {n: f"D-2024-05-{day}-01" for n, day in enumerate((20, 22, 24, 26, 27), start=1)}


async def test_what_the_asker_and_today_mean_is_the_askers(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await fill_team(box, memory)
        got = await memory.read(lambda view: search(view, "by:me on:yesterday", date(2024, 5, 21), asker=NOOR))
        assert [entry.draft.text for entry in got.entries] == ["预算先批一半"]


async def test_a_person_who_is_not_among_us_is_read_as_words(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await fill_team(box, memory)
        got = await memory.read(lambda view: find(view, "by:Zed"))
        assert got == Found((), 0, (Unread("by:Zed", UnreadReason.PERSON),), is_exact=False)


async def test_twins_of_one_spelling_are_one_tag(tmp_path: Path) -> None:
    """Case B64."""
    async with Box(tmp_path).opened() as memory:
        await memory.turn(lambda writer: remember(writer, "one", tags=("caf\u00e9",)))
        await memory.turn(lambda writer: remember(writer, "two", tags=("cafe\u0301",)))
        await memory.turn(lambda writer: remember(writer, "three", tags=("cafe",)))
        for tag in ("caf\u00e9", "cafe\u0301", "CAFE\u0301"):
            assert await found(memory, f"tag:{tag}") == ["two", "one"]
        assert await found(memory, "\u00c5ngstr\u00f6m OR A\u030angstro\u0308m") == []
        await fill(memory, ["\u00c5ngstr\u00f6m is a unit", "A\u030angstro\u0308m was a person"])
        for typed in ('"\u00c5ngstr\u00f6m"', '"A\u030angstro\u0308m"'):
            assert len(await found(memory, typed)) == 2


async def test_a_tag_of_signs_alone_is_found(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await memory.turn(lambda writer: remember(writer, "lit", tags=("🔥",)))
        await memory.turn(lambda writer: remember(writer, "wet", tags=("💧",)))
        assert await found(memory, "tag:🔥") == ["lit"]


# the 22 pairs, and B57


@pytest.mark.parametrize(("text", "must", "must_not"), PAIRS)
async def test_twenty_one_of_the_twenty_two_pairs(tmp_path: Path, text: str, must: str, must_not: str) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, [must, must_not])
        assert await found(memory, text) == ([must_not, must] if text == NO_INDEX_CAN_TELL else [must])


@pytest.mark.parametrize(
    ("text", "said"),
    [("早报", "早报 7点发"), ("C盘", "C盘满了"), ("盘", "C盘满了"), ('"盘"', "C盘满了"), ("你好", "你好")],
)
async def test_words_of_one_or_two_characters_are_found(tmp_path: Path, text: str, said: str) -> None:
    """Case B57."""
    async with Box(tmp_path).opened() as memory:
        await fill(memory, ["早报 7点发", "C盘满了", "你好"])
        assert await found(memory, text) == [said]


# order, pages, and what never shows


async def test_pages_are_newest_first_and_the_total_stands(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        for number in range(23):
            await fill(memory, [f"note {number}"])
            box.clock.advance(timedelta(minutes=1))
        for start in (0, 10, 20, 30):
            got = await memory.read(lambda view, at=start: find(view, "kind:fact", start=at, limit=10))  # type: ignore[misc]
            assert got.total == 23
            assert [e.draft.text for e in got.entries] == [f"note {n}" for n in range(22 - start, -1, -1)][:10]


async def test_what_was_superseded_is_found_behind_what_is_current(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await fill(memory, ["the key is small"])
        box.clock.advance(timedelta(minutes=1))
        (old,) = await fill(memory, ["the key is blue"])
        box.clock.advance(timedelta(minutes=1))
        await memory.turn(lambda writer: remember(writer, "the key is red", supersedes=(old.id,)))
        got = await memory.read(lambda view: find(view, '"key is"'))
        assert [(e.draft.text, e.current) for e in got.entries] == [
            ("the key is red", True), ("the key is small", True), ("the key is blue", False),
        ]  # fmt: skip


async def test_each_repeat_is_found_by_itself(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, ["the key is blue", "The key is blue."])
        assert await found(memory, '"key is"') == ["The key is blue.", "the key is blue"]


async def test_what_was_put_away_is_found(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        (entry,) = await fill(memory, ["the key is blue"])
        await memory.turn(lambda writer: writer.set(entry.id, "until", "2024-05-28", by=LIN))
        box.clock.advance(timedelta(days=9))
        assert await found(memory, '"key is"', date(2024, 6, 5)) == ["the key is blue"]


async def test_hidden_entries_and_checkpoints_never_show(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        gone = await memory.turn(lambda writer: remember(writer, "zeppelin one", tags=("air",)))
        await memory.turn(lambda writer: remember(writer, "zeppelin two", kind=EntryKind.CHECKPOINT, tags=("air",)))
        await memory.turn(lambda writer: forget(writer, gone.id))
        for text in (
            "zeppelin",
            '"zeppelin"',
            "tag:air",
            "on:today",
            "by:me",
            "zeppelin OR tag:air",
            "by:me NOT tag:x",
        ):
            assert await found(memory, text) == []


# no text is an error


@pytest.mark.parametrize(
    "text",
    [
        "pre-edit", "memory:safe", 'say "hi', "foo AND", "(x", "GB/s", "don't", "*", "", "x" * 5000, "tag:" * 20_000,
        "kind:decision " * 5000, "by:" + "好" * 60_000, "on:" * 65_536, "before:" + "9" * 60_000, "tag:a OR " * 7000,
        "tag:a NOT (" * 5000, "\0tag:\0", "kind:\ud800", "tag:'; DROP TABLE entries; --", "about:%", 'tag:"', "by:\u202eLin",
        "(" * 60_000 + "kind:fact", "after:0000-00-00", "on:9999-12-31", "before:10000-01-01",
    ],
)  # fmt: skip
async def test_no_search_is_an_error(tmp_path: Path, text: str) -> None:
    """Case B58."""
    async with Box(tmp_path).opened() as memory:
        await fill(memory, ["the key is under the mat"])
        got = await memory.read(lambda view: find(view, text))
        assert got.total <= 1


@pytest.mark.parametrize(
    "opening",
    ["kind:fact NOT (", "key OR (by:me ", "(tag:a OR ", "(key NOT (tag:a NOT ", "tag:a OR key kind:fact NOT ("],
)
async def test_brackets_full_of_filters_fit_into_sqlite(tmp_path: Path, opening: str) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, ["the key is under the mat"])
        for depth in (1, DEPTH_MAX, DEPTH_MAX + 1, TERMS_MAX, 4000):
            text = opening * depth + "kind:fact" + ")" * opening.count("(") * depth
            await memory.read(lambda view, one=text: find(view, one))  # type: ignore[misc]


_PIECES = [
    *(f"{name}:{value}" for name in sorted(FILTER_NAMES) for value in ("me", "Noor", "decision", "决定", "财务", "2024-05-22", "")),
    "tag:budget", "about:apollo", "kind:fact", "by:Wei", "on:上周", "after:2024-05-20", "before:昨天", "NOT", "OR", "AND", "(", ")",
    '"', " ", " ", "：", "预算", "差旅", "budget", "window",
]  # fmt: skip


def _texts(seed: int, count: int) -> Iterator[str]:
    source = random.Random(seed)
    for _ in range(count):
        if source.random() < 0.5:
            yield random_text(source)
        else:
            yield " ".join(source.choice(_PIECES) for _ in range(source.randrange(9)))


async def _fuzz(folder: Path, seed: int, count: int) -> None:
    box = Box(folder)

    def compare(view: View) -> int:
        everything = view.entries("1")
        hits = 0
        for text in _texts(seed, count):
            got = find(view, text)
            query = read(view, text, TODAY, asker=LIN)
            assert {e.id for e in got.entries} == {e.id for e in everything if matches(query, _indexed(e), e)}, repr(
                text
            )
            hits += 0 < got.total < len(everything)
        return hits

    async with box.opened() as memory:
        await fill_team(box, memory)
        await fill(memory, ["foo bar and food", "花 bar or not", "C++ 1 台", "e near foo 预 算"])
        assert await memory.read(compare) > count // 20, "a fuzz that finds nothing compares nothing"


def _indexed(entry: Entry) -> str:
    draft = entry.draft
    return "\n".join([draft.text, draft.why, draft.next, draft.verify, *draft.tags, *draft.aliases, *entry.more_tags])


async def test_sqlite_and_the_oracle_find_the_same(tmp_path: Path) -> None:
    await _fuzz(tmp_path, seed=1, count=800)


@pytest.mark.slow
async def test_sqlite_and_the_oracle_find_the_same_many_times(tmp_path: Path) -> None:
    await _fuzz(tmp_path, seed=2, count=50_000)
