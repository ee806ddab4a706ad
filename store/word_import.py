"""Words from a file → cards, a part at a time: what would come of it, then that in one transaction.

A memory that a chat waits for is held for a part only, so an import may be cut off between two. Made again it goes on:
a card has the id of its word, an answer the id of its moment, and one that was given here is known again by it. So a
second import of the same file changes nothing, and neither does one of what we wrote ourselves. A card that is there
keeps what it says, and only gets what it lacks; one that a person took out, or erased, stays out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from store import cards
from store.errors import OverLimit
from store.fold import BAN
from store.formats.word_lists import Answer, WordPiece
from store.model import AccountID, Card, CardState, EntryID, Review, ReviewKind
from store.view import View
from store.word_runs import Brought, TakenBack
from store.writer import Writer

WORDS_MAX = 20_000
WORDS_AT_ONCE = 50
ANSWERS_AT_ONCE = 200
"""In one transaction: everybody else waits for it, and it is over in a third of a second on a slow machine."""
AHEAD_MS = 24 * 60 * 60 * 1000
SAME_ANSWER_MS = 50
"""Nobody answers one card twice in so short a time; another program may have moved an answer by a few ms."""
_ADDED_MS_MIN = 946_684_800_000
_FIELDS = ("meaning", "ipa", "pos", "example", "tags")
_STATES = {state.value: state for state in (CardState.KNOWN, CardState.SUSPENDED)}

Shown = Callable[[WordPiece], WordPiece]
"""The piece without what our own dictionary says of its word: that is nobody's own note."""


@dataclass(slots=True)
class Plan:
    """What an import would do."""

    new: list[WordPiece] = field(default_factory=list)
    again: set[str] = field(default_factory=set)
    """Cards of `new` that an import had brought before it was taken back."""
    filled: list[tuple[Card, WordPiece]] = field(default_factory=list)
    """Cards that are there, and get what they lack."""
    known: int = 0
    """Words that are there already."""
    removed: int = 0
    """Words that a person took out or erased."""
    answers: list[Review] = field(default_factory=list)
    """Those that are not there yet."""
    filled_before: int = 0
    answers_before: int = 0
    """By the same import, before it was cut off."""

    def take(self, other: Plan) -> None:
        """What another part of the same file would do."""
        self.new += other.new
        self.again |= other.again
        self.filled += other.filled
        self.answers += other.answers
        self.known += other.known
        self.removed += other.removed


def check(pieces: Iterable[WordPiece]) -> None:
    """Raises OverLimit for more words than can be taken in at once."""
    n = len({cards.card_id(piece.word) for piece in pieces})
    if n > WORDS_MAX:
        raise OverLimit("error-words-many", n=n, most=WORDS_MAX)


def plan(
    view: View,
    pieces: Iterable[WordPiece],
    *,
    now_ms: int,
    shown: Shown = lambda piece: piece,
    taken_back: TakenBack | None = None,
) -> Plan:
    """`pieces`: each of a card of its own, as `merged` gives them. `taken_back`: as `word_runs` gives it."""
    made = Plan()
    back = taken_back or {}
    for piece in pieces:
        record = cards.card_id(piece.word)
        there = cards.card(view, record)
        is_out = there.state is CardState.REMOVED if there else view.register("meta", f"{BAN}{record}") is not None
        is_back = is_out and there is not None and _is_as_taken_back(view, record, back)
        if is_out and not is_back:
            made.removed += 1
            continue
        if is_back:
            made.again.add(record)
        if there is None or is_back:
            made.new.append(piece)
        else:
            made.known += 1
            lacking = shown(piece)
            if any(getattr(lacking, name) and not getattr(there, name) for name in _FIELDS):
                made.filled.append((there, lacking))
        made.answers += _new_answers(view, record, piece.answers, now_ms, back)
    return made


def merged(pieces: Iterable[WordPiece]) -> list[WordPiece]:
    """One for each card: of a word that comes twice the first, with what only the other one says."""
    found: dict[str, WordPiece] = {}
    for piece in pieces:
        record = cards.card_id(piece.word)
        there = found.get(record)
        found[record] = piece if there is None else _joined(there, piece)
    return list(found.values())


def _joined(one: WordPiece, other: WordPiece) -> WordPiece:
    lacking = {name: getattr(other, name) for name in (*_FIELDS, "state", "added") if not getattr(one, name)}
    numbers = {answer.number for answer in one.answers}
    more = tuple(answer for answer in other.answers if answer.number not in numbers)
    return replace(one, **lacking, answers=one.answers + more)


def _is_as_taken_back(view: View, record: str, back: TakenBack) -> bool:
    """Whether nobody has taken it out again since."""
    register = view.register(record, "card_state") if record in back else None
    return register is not None and register.at_ms == back[record]


def _new_answers(view: View, record: str, answers: Sequence[Answer], now_ms: int, back: TakenBack) -> list[Review]:
    if not answers:
        return []
    there = sorted(
        (one.rating, one.at_ms) for one in cards.events(view, record) if one.kind in cards.TRIES and one.id not in back
    )
    new = [one for one in answers if _ADDED_MS_MIN <= one.number <= now_ms + AHEAD_MS and not _is_there(there, one)]
    moments = [(one, _moment(record, one.number, back)) for one in new]
    return [
        Review(
            cards.import_id(record, at_ms), EntryID(record), one.rating, at_ms, took_ms=one.took_ms,
            kind=ReviewKind.IMPORT,
        )
        for one, at_ms in moments
    ]  # fmt: skip


def _moment(record: str, number: int, back: TakenBack) -> int:
    """What was taken back stays so: an answer that comes again is another one, a moment later."""
    return next(
        (at for at in range(number, number + SAME_ANSWER_MS) if cards.import_id(record, at) not in back), number
    )


def _is_there(there: Sequence[tuple[int, int]], one: Answer) -> bool:
    at = bisect_left(there, (one.rating, one.number - SAME_ANSWER_MS))
    return at < len(there) and there[at] <= (one.rating, one.number + SAME_ANSWER_MS)


def apply(writer: Writer, made: Plan, *, by: AccountID, at_ms: int, first: int = 0) -> Brought:
    """Carries out what `made` says of cards. Raises what the writer raises.

    `at_ms`: when the file's first word is added, each other one a moment later: they are learned in the order of the
    file. `first`: the place in it of what is here.
    """
    done = Brought()
    for place, piece in enumerate(made.new, start=first):
        done.cards.append(_add(writer, piece, by=by, at_ms=at_ms + place, place=place, again=made.again))
    for card, piece in made.filled:
        lacking = {name: getattr(piece, name) for name in _FIELDS if getattr(piece, name) and not getattr(card, name)}
        done.fields += [(card.id, register) for register in cards.set_card(writer, card.id, by=by, **lacking)]
    return done


def keep_answers(writer: Writer, answers: Sequence[Review]) -> Brought:
    new = [one for one in answers if cards.review(writer, one.id) is None]
    cards.keep_reviews(writer, new)
    return Brought(answers=[one.id for one in new])


def _add(writer: Writer, piece: WordPiece, *, by: AccountID, at_ms: int, place: int, again: Collection[str]) -> str:
    day_ms = _day_ms(piece.added)
    added_ms = at_ms if day_ms is None else min(day_ms + place, at_ms)
    record = cards.card_id(piece.word)
    state = _STATES.get(piece.state, CardState.ACTIVE)
    if record in again:  # as this file has it, whatever the one before said
        writer.set(record, "added", added_ms, by=by)
        cards.set_card(writer, record, by=by, state=state, **{name: getattr(piece, name) for name in _FIELDS})
        return record
    cards.add_card(
        writer, piece.word, by=by, at_ms=added_ms,
        meaning=piece.meaning, ipa=piece.ipa, pos=piece.pos, example=piece.example, tags=piece.tags,
    )  # fmt: skip
    if state is not CardState.ACTIVE:
        cards.set_card(writer, record, by=by, state=state)
    return record


def _day_ms(day: str) -> int | None:
    try:
        found = datetime.fromisoformat(day).replace(tzinfo=UTC)
    except ValueError:
        return None
    at_ms = int(found.timestamp() * 1000)
    return at_ms if at_ms >= _ADDED_MS_MIN else None
