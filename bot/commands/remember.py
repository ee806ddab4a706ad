"""Keeping what a person says: new entries, and long texts in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from bot import render
from bot.commands import receipts
from bot.intents import Correct, Remember
from bot.message import Reply, Shape
from bot.phrases.lasting import last_day, remember_of
from bot.turn import Turn
from store.dates import local_day
from store.errors import BadCommand, OverLimit
from store.ids import message_ulid
from store.model import ENTRY_CHARACTERS_MAX, Draft, Entry, EntryID, EntryKind, Origin

PARTS_MAX = 20
"""More parts than this are no message but a file."""


def remember(turn: Turn, intent: Remember, *, first: str = "", note: str = "", origin: Origin = Origin.SAID) -> Reply:
    draft = intent.draft
    quoted = ""
    if not draft.text:
        reply_to = turn.inbound.reply_to
        if reply_to is None or not reply_to.text.strip():
            raise BadCommand("error-nothing-to-remember")
        if reply_to.ours:
            raise BadCommand("error-own-words")
        draft, quoted = replace(draft, text=reply_to.text), reply_to.author
    if _length(draft) > ENTRY_CHARACTERS_MAX:
        return _too_long(turn, draft)
    entry = store(turn, draft, origin=origin, quoted=quoted)
    return receipts.saved(turn, entry, first=first, note=note)


def keep(turn: Turn, text: str) -> Reply:
    """What a button or an open question asked for, kept as if it had been said with the command word before it."""
    return remember(turn, with_last_day(turn, remember_of(text)), origin=Origin.CONFIRMED)


Lasted = TypeVar("Lasted", bound=Remember | Correct)


def with_last_day(turn: Turn, intent: Lasted) -> Lasted:
    """The words that name a last day, read on the day of the message. Where they name none to come, all is kept as said."""
    if intent.lasting is None:
        return intent
    until = last_day(intent.lasting.words, local_day(turn.at_ms, turn.zone))
    draft = replace(intent.lasting.draft, until=until) if until else intent.draft
    return replace(intent, draft=draft, lasting=None)


def store(
    turn: Turn,
    draft: Draft,
    *,
    supersedes: tuple[str, ...] = (),
    origin: Origin = Origin.SAID,
    quoted: str = "",
    part: int = 0,
    record: EntryID | None = None,
) -> Entry:
    """`record`: an id of its own, where what is kept is more than this message."""
    return turn.writer.remember(
        draft,
        at_ms=turn.at_ms,
        zone=turn.zone,
        author=turn.account,
        source=replace(turn.source, quoted=quoted),
        origin=origin,
        lang=turn.words.lang,
        supersedes=supersedes,
        record=record or record_of(turn, part),
    )


def record_of(turn: Turn, part: int = 0) -> EntryID | None:
    """The id this message always gets; None (a fresh one) where a message cannot come twice."""
    inbound = turn.inbound
    if not inbound.key:
        return None
    return message_ulid(turn.at_ms, inbound.chat.platform, inbound.chat.id, inbound.key, str(part))


def _length(draft: Draft) -> int:
    return sum(len(text) for text in (draft.text, draft.why, draft.impact, draft.next, draft.verify))


def _too_long(turn: Turn, draft: Draft) -> Reply:
    length, most, parts = _length(draft), ENTRY_CHARACTERS_MAX, len(_parts(draft.text))
    if length > len(draft.text) or parts > PARTS_MAX:
        raise OverLimit("error-entry-too-long", length=turn.number(length), most=turn.number(most))
    text = turn.words("not-saved-too-long", length=turn.number(length), most=turn.number(most), parts=parts)
    split_up = turn.button("button-split", turn.offer(do="split", draft=pack(draft)), parts=parts)
    return turn.say(text, buttons=(split_up, turn.button("button-how-to-import", "how-to-import")))


def split(turn: Turn, draft: Draft) -> Reply:
    """Keeps one long text as several entries, cut where a sentence ends."""
    entries = [store(turn, replace(draft, text=text), part=part) for part, text in enumerate(_parts(draft.text))]
    turn.notes.stored = True
    turn.cite(*(entry.label for entry in entries))
    what = f"{turn.listed(entry.label for entry in entries)} · {turn.memory_name()}"
    return turn.say(
        turn.words("receipt-saved", what=what),
        receipts.quote(turn, entries[0], lines_max=receipts.LINES_MAX),
        buttons=(receipts.undo_save(turn, *entries),),
        shape=Shape.EDIT,
    )


def _parts(text: str) -> list[str]:
    """`text` in pieces of at most 8,000 characters that join up to it again but for outer spaces."""
    out: list[str] = []
    while len(text) > ENTRY_CHARACTERS_MAX:
        head = text[:ENTRY_CHARACTERS_MAX]
        cut = max((head.rfind(end) + 1 for end in render.SENTENCE_ENDS), default=0)
        cut = cut if cut > ENTRY_CHARACTERS_MAX // 2 else ENTRY_CHARACTERS_MAX
        out.append(text[:cut].strip())
        text = text[cut:]
    return [part for part in (*out, text.strip()) if part]


# a draft that waits for a button


def pack(draft: Draft) -> dict[str, Any]:
    """A draft as JSON, for an offer."""
    return {
        "text": draft.text,
        "kind": draft.kind.value,
        "why": draft.why,
        "impact": draft.impact,
        "next": draft.next,
        "verify": draft.verify,
        "about": [list(pair) for pair in draft.about],
        "tags": list(draft.tags),
        "aliases": list(draft.aliases),
        "until": draft.until,
        "importance": draft.importance,
    }


def unpack(body: dict[str, Any]) -> Draft:
    return Draft(
        text=body["text"],
        kind=EntryKind(body["kind"]),
        why=body["why"],
        impact=body["impact"],
        next=body["next"],
        verify=body["verify"],
        about=tuple((key, value) for key, value in body["about"]),
        tags=tuple(body["tags"]),
        aliases=tuple(body["aliases"]),
        until=body["until"],
        importance=body["importance"],
    )
