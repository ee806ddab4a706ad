"""Where a word stands: in entries, and in talk that nobody kept.

The index only says where to look. What is counted is the stored text, folded, so that a form counts as written.
Of an entry it counts the words and its because, impact, next and verify, earlier versions included: they were said,
too. What is forgotten or held counts nowhere, nor do checkpoints, questions, commands and replies: all those are not
about the word, or are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import NamedTuple

from store.candidates import forgotten, quoting
from store.lemmas import family
from store.model import TALK
from store.text import counts_in, expand, flat, fold, nfc, plain
from store.view import View

TRACK = "track/"
"""Registers of `settings` that hold the words a person keeps in view, under the folded word."""
EVER = (date.min, date.max)
ROWS_AT_ONCE = 500
"""Texts that are folded together; of the longest, 4 MB."""


class Place(NamedTuple):
    """One entry (`number`: its `seq`) or one message of the chat (its id) in which the word stands."""

    at_ms: int
    chat: bool
    number: int


@dataclass(frozen=True, slots=True)
class Occurrences:
    places: Sequence[Place]
    """Newest first."""
    forms: Mapping[str, int]
    """How often each form stands there: the asked one first, then those met most."""

    @property
    def times(self) -> int:
        return sum(self.forms.values())

    @property
    def chats(self) -> int:
        return sum(place.chat for place in self.places)

    @property
    def entries(self) -> int:
        return len(self.places) - self.chats


def tracked_field(term: str) -> str:
    """The register of a word that is kept in view: one spelling for what counts alike."""
    return TRACK + " ".join(nfc(fold(term)).split())


def occurrences(view: View, term: str, days: tuple[date, date] = EVER) -> Occurrences:
    """Everywhere that `term` stands, in any form of its lemma when it is one English word, in any spelling.

    `days`: the first and the last one that counts, as whoever said it saw the calendar.
    """
    forms = family(fold(term).strip())
    times = [0] * len(forms)
    places: list[Place] = []
    for chat, rows in ((False, _entries(view, forms, days)), (True, _talk(view, forms, days))):
        while some := list(islice(rows, ROWS_AT_ONCE)):
            counts = counts_in(forms, [text for _, _, text in some])
            times = [before + sum(more) for before, more in zip(times, counts, strict=True)]
            here = map(any, zip(*counts, strict=True))
            places += [Place(at_ms, chat, number) for (number, at_ms, _), met in zip(some, here, strict=True) if met]
    places.sort(reverse=True)
    (asked, n), *others = zip(forms, times, strict=True)
    met_most = sorted((one for one in others if one[1]), key=lambda one: -one[1])
    return Occurrences(places, {asked: n, **dict(met_most)})


_Rows = Iterator[tuple[int, int, str]]
"""(number, at_ms, text)"""


def _entries(view: View, forms: Iterable[str], days: tuple[date, date]) -> _Rows:
    """Candidates. No phrase reaches over the mark between two fields."""
    where, values = _matching("seq IN (SELECT rowid FROM plain WHERE plain MATCH ?)", (plain(form) for form in forms))
    fields = " || char(3) || ".join(("text", "why", "impact", '"next"', "verify"))
    return view.conn.execute(
        f"SELECT seq, at_ms, {fields} FROM entries WHERE hidden = 0 AND held = 0 AND kind <> 'checkpoint' AND day BETWEEN ? AND ? AND {where}",
        (*_iso(days), *values),
    )


def _talk(view: View, forms: Sequence[str], days: tuple[date, date]) -> _Rows:
    """Candidates that no entry came of, without what a forgotten entry says. The bare word looks for it, and tells nothing."""
    where, values = _matching(
        "id IN (SELECT turn FROM turn_places WHERE place IN (SELECT rowid FROM turn_words WHERE turn_words MATCH ?))",
        (expand(form) for form in forms),
        apart=True,
    )
    quotes = quoting(forgotten(view.conn))
    rows = view.conn.execute(
        f"SELECT id, at_ms, text FROM turns WHERE kind = ? AND entry IS NULL AND day BETWEEN ? AND ? AND {where}",
        (TALK, *_iso(days), *values),
    )
    bare = {flat(form) for form in forms}
    return (row for row in rows if not quotes(row[2]) and flat(row[2]) not in bare)


def _iso(days: tuple[date, date]) -> tuple[str, str]:
    return days[0].isoformat(), days[1].isoformat()


def _matching(where: str, bodies: Iterable[str], *, apart: bool = False) -> tuple[str, tuple[str, ...]]:
    """A condition for rows that hold any of `bodies`, its tokens in a row or `apart`.

    A term of signs alone (an emoji) is not in the index, so every row is a candidate.
    """
    glue = '" AND "' if apart else " "
    phrases = [f'("{glue.join(body.split())}")' for body in bodies if body]
    return (where, (" OR ".join(phrases),)) if phrases else ("1", ())
