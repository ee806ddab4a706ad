"""Words in and out of one memory, in the process that holds the home: errands of `niannian words import` and `export`.

What comes in is refused before anything is written, or is written a part at a time, so that a chat goes on meanwhile; cut
off, it is made again and goes on from there. What goes out is everything there is,
with the dictionary's senses where a card has none of its own and the person's own sentence where it has no example, so
that another program can go on from there.
"""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from bot.commands import words_shown
from bot.exchange import SHOWN_MAX, Arguments, Place, progress, write_new
from bot.secret_scan import find_secrets, mask
from bot.words_leaving import FORMATS, NEW_LINE, SENSES_APART, written
from store import cards, word_import, word_runs
from store.dictionary import Definition, Dictionary
from store.errors import Damaged, NotFound, OverLimit, Rejected, Unavailable
from store.formats import apkg, encoding, word_lists
from store.formats.word_lists import WordPiece
from store.model import CARD_TEXT_CHARACTERS_MAX, Review
from store.pieces import File, Trouble
from store.view import View
from store.word_import import Plan
from store.word_runs import Brought
from store.writer import Writer

TEXT_BYTES_MAX = 32 << 20
LINES_MAX = 500_000
"""Each may be told of as one that cannot be read."""
_PACKED = (b"PK\x03\x04", b"PK\x05\x06")


# in


async def bring_in(place: Place, arguments: Arguments, key: str) -> dict[str, Any]:
    """`path`, `dry` → what was found and done. Raises what reading, planning and the store raise."""
    path, dry = Path(arguments["path"]), bool(arguments["dry"])
    read, troubles = await asyncio.to_thread(_read, path)
    await asyncio.to_thread(word_import.check, read)
    pieces, hidden, masked = await asyncio.to_thread(_without_secrets, read)
    troubles = [*troubles, *hidden]
    pieces = await asyncio.to_thread(word_import.merged, pieces)
    said, missing = await asyncio.to_thread(_looked_up, place, pieces)

    def shown(piece: WordPiece) -> WordPiece:
        return _own(piece, said.get(cards.card_id(piece.word)))

    def part(view: View, at: int) -> Plan:
        some = pieces[at : at + word_import.WORDS_AT_ONCE]
        return word_import.plan(view, some, now_ms=place.now_ms, shown=shown, taken_back=back)

    back = await place.memory.read(word_runs.taken_back)
    whole = Plan()
    starts = range(0, len(pieces), word_import.WORDS_AT_ONCE)
    if dry:
        for at in starts:
            whole.take(await place.memory.read(partial(part, at=at)))
        return _report(whole, troubles, masked, missing)
    if (before := await place.memory.read(lambda view: view.handled(key))) is not None:
        again: dict[str, Any] = json.loads(before)
        return again
    moved = progress.get() or _silent
    run = await place.memory.read(lambda view: word_runs.run_of(view, key))
    earlier = await place.memory.read(lambda view: word_runs.brought(view, run))

    def report() -> dict[str, Any]:
        return _report(_with_earlier(whole, pieces, earlier), troubles, masked, missing)

    def end(writer: Writer) -> dict[str, Any]:
        told = report()
        if writer.handled(key) is None:
            writer.keep_handled(key, json.dumps(told))
        return told

    try:
        for at in starts:
            await _part_in(place, run, partial(part, at=at), at, whole)
            moved(min(at + word_import.WORDS_AT_ONCE, len(pieces)), len(pieces))
        return await place.memory.turn(end)
    except Unavailable:
        if not (whole.new or whole.filled or whole.answers):
            raise
    # What is there is told of, and is no answer for good: the same call goes on.
    return report() | {"stopped": True}


def _with_earlier(made: Plan, pieces: Sequence[WordPiece], earlier: Brought) -> Plan:
    """What the same call had brought before it was cut off is told as new, and not as here already."""
    if not (earlier.cards or earlier.fields or earlier.answers):
        return made
    new, filled = set(earlier.cards), {card for card, _ in earlier.fields}
    of = {cards.card_id(piece.word): piece for piece in pieces}
    return replace(
        made,
        new=[piece for record, piece in of.items() if record in new] + made.new,
        known=made.known - len(new),
        filled_before=len(filled),
        answers_before=len(earlier.answers),
    )


async def _part_in(place: Place, run: str, part: Callable[[View], Plan], at: int, whole: Plan) -> None:
    """Each transaction is short, for a chat may be waiting; `whole` hears of each when it is through."""

    def words_in(writer: Writer) -> Plan:
        made = part(writer)
        done = word_import.apply(writer, made, by=place.account, at_ms=place.now_ms, first=at)
        word_runs.keep(writer, run, done)
        return made

    def answers_in(writer: Writer, answers: Sequence[Review]) -> None:
        word_runs.keep(writer, run, word_import.keep_answers(writer, answers))

    made = await place.memory.turn(words_in)
    whole.take(replace(made, answers=[]))
    for start in range(0, len(made.answers), word_import.ANSWERS_AT_ONCE):
        answers = made.answers[start : start + word_import.ANSWERS_AT_ONCE]
        await place.memory.turn(partial(answers_in, answers=answers))
        whole.answers += answers


async def take_back(place: Place, arguments: Arguments, key: str) -> dict[str, Any]:
    """The newest import of words is undone, a part at a time; `found`: whether there is one."""
    before, run = await place.memory.read(lambda view: (view.handled(key), word_runs.last_run(view)))
    if before is not None:
        again: dict[str, Any] = json.loads(before)
        return again
    undone = word_runs.Undone()

    def part(writer: Writer) -> bool:
        there = run is not None and word_runs.undo_part(writer, run, by=place.account, undone=undone)
        if not there:
            writer.keep_handled(key, json.dumps({"found": run is not None, **asdict(undone)}))
        return there

    while await place.memory.turn(part):
        pass
    return {"found": run is not None, **asdict(undone)}


def _silent(done: int, total: int) -> None:
    """Nobody looks."""


def _read(path: Path) -> tuple[list[WordPiece], list[Trouble]]:
    """Raises NotFound, Rejected, OverLimit."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise Rejected("error-import-special", path=path.name)
        with path.open("rb") as file:
            head = file.read(len(_PACKED[0]))
        if head in _PACKED or path.suffix.lower() in apkg.SUFFIXES:
            return apkg.read(path)
        if found.st_size > TEXT_BYTES_MAX:
            raise Rejected("error-import-large", most=TEXT_BYTES_MAX >> 20)
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound("error-import-missing", path=path.name) from error
    except (OSError, ValueError) as error:
        raise Rejected("error-import-unreadable", path=path.name) from error
    text, trouble = encoding.text_of(File(path.name, data))
    if trouble is not None:
        raise Rejected("error-words-text", path=path.name, line=trouble.line)
    if (lines := text.count("\n")) > LINES_MAX:
        raise OverLimit("error-words-many", n=lines, most=word_import.WORDS_MAX)
    return word_lists.read(path.name, text)


def _without_secrets(pieces: Iterable[WordPiece]) -> tuple[list[WordPiece], list[Trouble], int]:
    """The same with passwords and the like masked; what is a secret for a word is left out."""
    kept: list[WordPiece] = []
    troubles: list[Trouble] = []
    masked = 0
    for piece in pieces:
        if find_secrets(piece.word):
            troubles.append(Trouble(piece.path, piece.line, "trouble-secret"))
            continue
        clean = replace(
            piece, meaning=_masked(piece.meaning), ipa=_masked(piece.ipa), pos=_masked(piece.pos),
            example=_masked(piece.example), tags=_fitting(map(_masked, piece.tags)),
        )  # fmt: skip
        masked += clean != piece
        kept.append(clean)
    return kept, troubles, masked


def _masked(text: str) -> str:
    """A mask may be longer than what it hides."""
    return mask(text)[:CARD_TEXT_CHARACTERS_MAX]


def _fitting(tags: Iterable[str]) -> tuple[str, ...]:
    """As many as a card holds together."""
    kept: list[str] = []
    for tag in tags:
        if sum(map(len, kept)) + len(tag) <= CARD_TEXT_CHARACTERS_MAX:
            kept.append(tag)
    return tuple(kept)


def _looked_up(place: Place, pieces: Sequence[WordPiece]) -> tuple[dict[str, Definition], set[str] | None]:
    """(by card what the dictionary says, cards of which it says nothing); None where there is no dictionary."""
    found = place.dictionary()
    if found is None:
        return {}, None
    said: dict[str, Definition] = {}
    missing: set[str] = set()
    with found:
        for piece in pieces:
            definition = _defined(found, piece.word)
            if definition is None:
                missing.add(cards.card_id(piece.word))
            else:
                said[cards.card_id(piece.word)] = definition
    return said, missing


def _defined(found: Dictionary, word: str) -> Definition | None:
    try:
        return words_shown.defined(found, word)
    except Damaged:  # a page of it: words go in and out without
        return None


def _own(piece: WordPiece, said: Definition | None) -> WordPiece:
    """What our own file has out of the dictionary, or out of the person's entries, is no note on a card."""
    if said is not None:
        apart = (NEW_LINE, SENSES_APART)
        senses = {way.join(lines)[:CARD_TEXT_CHARACTERS_MAX] for lines in (said.zh, said.en) for way in apart}
        piece = replace(
            piece,
            meaning="" if piece.meaning in senses else piece.meaning,
            ipa="" if piece.ipa == said.ipa else piece.ipa,
            pos="" if piece.pos == said.pos else piece.pos,
        )
    return replace(piece, example="")


def _report(made: Plan, troubles: Sequence[Trouble], masked: int, missing: set[str] | None) -> dict[str, Any]:
    wanting = [piece for piece in made.new if missing is None or cards.card_id(piece.word) in missing]
    return {
        "new": len(made.new),
        "known": made.known - len(made.filled) - made.filled_before,
        "filled": len(made.filled) + made.filled_before,
        "removed": made.removed,
        "answers": len(made.answers) + made.answers_before,
        "has_dictionary": missing is not None,
        "unknown": len(wanting),
        "bare": sum(not piece.meaning for piece in wanting),
        "masked": masked,
        "stopped": False,
        "trouble_count": len(troubles),
        "troubles": [
            {"path": one.path, "line": one.line, "code": one.code, "facts": one.facts} for one in troubles[:SHOWN_MAX]
        ],
    }


# out


async def take_out(place: Place, arguments: Arguments, key: str) -> dict[str, Any]:
    """`path` → how many words and answers were written. Raises Rejected for a place that cannot be used."""
    path = Path(arguments["path"])
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise Rejected("error-words-format", formats=", ".join(FORMATS))
    found = place.dictionary()
    try:
        made = await place.memory.read(
            lambda view: written(
                view, kind, zone=place.zone, lang=place.lang, now_ms=place.now_ms,
                define=lambda word: _defined(found, word) if found is not None else None,
            )
        )  # fmt: skip
    finally:
        if found is not None:
            found.close()
    await asyncio.to_thread(write_new, path.parent, {path.name: made.data})
    return {"words": made.words, "answers": made.answers}
