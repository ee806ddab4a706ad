"""Three homes and what people ask of them, read from the tables in `questions/` and written into a memory.

The questions were written before looking at what recall makes of them, but for those of the type `chatty`, which were
added after a first run had found the others easy. `gold` names the entries that answer; any of them will do. A question
of the type `none` is answered by no entry; one of the type `meaning` shares no word with its entry, or is in another
language, so that only an embedder can find it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from store.model import AccountID, Draft, Entry, EntryKind, Origin
from store.writer import Writer
from tests.store.memories import HERE

HOMES = ("private", "team", "family")
NO_ANSWER = "none"
NEEDS_MEANING = "meaning"
_FOLDER = Path(__file__).parent / "questions"
_MORE = {"why", "next", "verify", "tags", "about", "supersedes"}


@dataclass(frozen=True, slots=True)
class Statement:
    """`name` is how the questions refer to it; `supersedes` the name of the one it replaces, or ""."""

    name: str
    day: str
    author: str
    draft: Draft
    supersedes: str


@dataclass(frozen=True, slots=True)
class HomeQuestion:
    home: str
    type: str
    lang: str
    gold: frozenset[str]
    words: str

    @property
    def answerable(self) -> bool:
        """Words are enough to find it."""
        return self.type not in (NO_ANSWER, NEEDS_MEANING)


def statements(home: str) -> list[Statement]:
    out = []
    for row in _rows(f"{home}.entries.tsv"):
        more = dict(item.split("=", 1) for item in row["more"].split("|") if item)
        assert more.keys() <= _MORE, f"{home}: {row['id']} has {more.keys() - _MORE}"
        draft = Draft(
            row["text"],
            EntryKind(row["kind"]),
            why=more.get("why", ""),
            next=more.get("next", ""),
            verify=more.get("verify", ""),
            tags=tuple(more.get("tags", "").split()),
            about=(_pair(more["about"]),) if "about" in more else (),
        )
        out.append(Statement(row["id"], row["day"], row["author"], draft, more.get("supersedes", "")))
    return out


def questions(home: str) -> list[HomeQuestion]:
    return [
        HomeQuestion(home, row["type"], row["lang"], frozenset(row["gold"].split()) - {"-"}, row["question"])
        for row in _rows(f"{home}.questions.tsv")
    ]


def remember_home(writer: Writer, said: Sequence[Statement]) -> dict[str, Entry]:
    """Writes what was said at ten in the morning and later of its day, a minute apart; gives the entries by name."""
    out: dict[str, Entry] = {}
    for number, one in enumerate(said):
        at = datetime.fromisoformat(one.day).replace(hour=10, tzinfo=UTC) + timedelta(minutes=number)
        out[one.name] = writer.remember(
            one.draft,
            at_ms=int(at.timestamp() * 1000),
            zone="UTC",
            author=AccountID(f"terminal:{one.author}"),
            source=HERE,
            origin=Origin.SAID,
            lang="en" if one.draft.text.isascii() else "zh",
            supersedes=[out[one.supersedes].id] if one.supersedes else (),
        )
    return out


def _rows(name: str) -> list[Mapping[str, str]]:
    with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""))


def _pair(about: str) -> tuple[str, str]:
    key, _, value = about.partition("=")
    return key, value
