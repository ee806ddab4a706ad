"""`fault words …`: a small dictionary, two notes from May, cards with their reviews, and a push at 13:00.

They are put into the home while no device's process holds it, as if the past weeks had been lived.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.app import App
from bot.config import load
from bot.habits import change
from store import cards
from store.grants import PrivateClaim, grant
from store.model import AccountID, Draft, EntryKind, Origin, Review, Source
from store.writer import Writer
from tests.fakes import FakeClock, FakeEntropy
from tests.golden.faults import moment
from tests.store import tiny_dictionary

ZONE = "Asia/Shanghai"
NOTES = (
    ("05-03 21:00", "the paradigm shift Kuhn described", EntryKind.QUOTE),
    ("05-12 21:00", "today I read about two rival paradigms", EntryKind.FACT),
)
ADDED, ANSWERED = "05-15 10:00", "05-20 13:05"
SINCE = "2024-05-20"
"""When daily words were switched on."""


@dataclass(frozen=True, slots=True)
class Words:
    """What a fault asks for: words by name, or so many that are due; when they were last answered, and the time."""

    due: tuple[str, ...]
    new: tuple[str, ...]
    answered: str
    at: str

    @classmethod
    def of(cls, argument: str) -> Words:
        """`paradigm due, serendipity new` · `38 due, away since 05-18` · `5 due, time 20:00`"""
        due, new, answered, at = list[str](), list[str](), ANSWERED, "13:00"
        for part in argument.split(", "):
            if found := re.fullmatch(r"(\d+) due", part):
                due += _some(int(found[1]))
            elif found := re.fullmatch(r"(\w+) (due|new)", part):
                (due if found[2] == "due" else new).append(found[1])
            elif found := re.fullmatch(r"away since (\d\d)-(\d\d)", part):
                answered = f"{found[1]}-{int(found[2]) - 1:02} 13:05"
            elif found := re.fullmatch(r"time (\d\d:\d\d)", part):
                at = found[1]
            else:
                raise AssertionError(f"no such words: {part}")
        return cls(tuple(due), tuple(new), answered, at)


def _some(number: int) -> Iterator[str]:
    for one in range(number):
        yield tiny_dictionary.WORDS[one].word if one < len(tiny_dictionary.WORDS) else f"word{chr(97 + one % 26)}"


def put(home: Path, environment: dict[str, str], argument: str, *, account: AccountID, chat: str) -> None:
    """Into a home that nobody holds, and in which `account` is known. `chat`: where the words are to come."""
    asyncio.run(_put(home, environment, Words.of(argument), account, chat))


async def _put(home: Path, environment: dict[str, str], words: Words, account: AccountID, chat: str) -> None:
    tiny_dictionary.put(home)
    clock = FakeClock(moment(ADDED))
    app = await App.start(home, load(home / "niannian.toml", environment), clock, FakeEntropy("words"))
    try:
        memory = await app.home.memory(grant(PrivateClaim(account), app.home.device))
        place = [chat, "", app.home.device_id[:8].hex()]

        def write(writer: Writer) -> None:
            for number, (at, text, kind) in enumerate(NOTES):
                writer.remember(
                    Draft(text, kind), at_ms=_ms(at), zone=ZONE, author=account,
                    source=Source(*chat.split(":", 1), f"note {number}"), origin=Origin.SAID, lang="en",
                )  # fmt: skip
            for word in (*words.due, *words.new):
                card, _ = cards.add_card(
                    writer, word, by=account, at_ms=_ms(ADDED), meaning="" if word in _KNOWN else word
                )
                if word in words.due:
                    cards.grade(writer, _answer(card.id, words.answered, account))
            change(
                writer, account, words_on=True, words_at=words.at, words_place=place, words_since=SINCE
            )  # fmt: skip

        await memory.turn(write)
    finally:
        await app.close()


_KNOWN = {one.word for one in tiny_dictionary.WORDS}


def _answer(card: str, at: str, account: AccountID) -> Review:
    day = f"2024-{at[:5]}"
    return Review(cards.answer_id(card, day, 1), card, 3, _ms(at), zone=ZONE, slot=day, by=account)  # type: ignore[arg-type]


def _ms(at: str) -> int:
    return int(moment(at).timestamp() * 1000)
