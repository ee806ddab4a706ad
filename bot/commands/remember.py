"""Keeping what a person says: new entries, corrections, reasons filled in, long texts in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot import render
from bot.commands import receipts
from bot.intents import Correct, Remember
from bot.message import Reply, Shape
from bot.turn import Turn
from store.errors import BadCommand, NotFound, OverLimit
from store.ids import message_ulid, parse_label
from store.model import ENTRY_CHARACTERS_MAX, Draft, Entry, EntryID, EntryKind, Origin
from store.text import subject

CHOICES_MAX = 3


def remember(turn: Turn, intent: Remember, *, first: str = "", note: str = "", origin: Origin = Origin.SAID) -> Reply:
    draft = intent.draft
    quoted = ""
    if not draft.text:
        reply_to = turn.inbound.reply_to
        if reply_to is None or not reply_to.text.strip():
            raise BadCommand("error-nothing-to-remember")
        draft, quoted = replace(draft, text=reply_to.text), reply_to.author
    if _length(draft) > ENTRY_CHARACTERS_MAX:
        return _too_long(turn, draft)
    entry = store(turn, draft, origin=origin, quoted=quoted)
    return receipts.saved(turn, entry, first=first, note=note)


def store(
    turn: Turn,
    draft: Draft,
    *,
    supersedes: tuple[str, ...] = (),
    origin: Origin = Origin.SAID,
    quoted: str = "",
    part: int = 0,
) -> Entry:
    return turn.writer.remember(
        draft,
        at_ms=turn.at_ms,
        zone=turn.zone,
        author=turn.account,
        source=replace(turn.source, quoted=quoted),
        origin=origin,
        lang=turn.words.lang,
        supersedes=supersedes,
        record=record_of(turn, part),
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
    length, most = _length(draft), ENTRY_CHARACTERS_MAX
    if length > len(draft.text) or len(_parts(draft.text)) > receipts_max():
        raise OverLimit(
            "error-entry-too-long", length=render.number(turn.words, length), most=render.number(turn.words, most)
        )
    offer = turn.writer.make_offer(turn.chat, turn.account, {"do": "split", "draft": pack(draft)})
    parts = len(_parts(draft.text))
    text = turn.words(
        "not-saved-too-long",
        length=render.number(turn.words, length),
        most=render.number(turn.words, most),
        parts=parts,
    )
    return turn.say(text, buttons=(turn.button("button-split", f"offer {offer}", parts=parts),))


def receipts_max() -> int:
    """More parts than this are no message but a file."""
    return 20


def split(turn: Turn, draft: Draft) -> Reply:
    """Keeps one long text as several entries, cut where a sentence ends."""
    entries = [store(turn, replace(draft, text=text), part=part) for part, text in enumerate(_parts(draft.text))]
    turn.notes.stored = True
    turn.cite(*(entry.label for entry in entries))
    separator = "、" if turn.words.lang == "zh" else ", "
    what = f"{separator.join(entry.label for entry in entries)} · {turn.memory_name()}"
    return turn.say(
        turn.words("receipt-saved", what=what),
        receipts.quote(turn, entries[0]),
        buttons=(receipts.undo_save(turn, *entries),),
        shape=Shape.EDIT,
    )


def _parts(text: str) -> list[str]:
    """`text` in pieces of at most 8,000 characters that join up to it again but for outer spaces."""
    out: list[str] = []
    while len(text) > ENTRY_CHARACTERS_MAX:
        head = text[:ENTRY_CHARACTERS_MAX]
        cut = max((head.rfind(end) + 1 for end in "\n。！？.!?；; "), default=0)
        cut = cut if cut > ENTRY_CHARACTERS_MAX // 2 else ENTRY_CHARACTERS_MAX
        out.append(text[:cut].strip())
        text = text[cut:]
    return [part for part in (*out, text.strip()) if part]


# corrections


def correct(turn: Turn, intent: Correct) -> Reply:
    """A correction without a RefID means what was last shown, else the one entry on the same subject."""
    if intent.ref:
        old = entry_of(turn, intent.ref)
        return replace_entry(turn, old, intent.draft) if intent.draft.text else ask_for_words(turn, old)
    found = _meant(turn, intent.draft)
    if len(found) == 1:
        return replace_entry(turn, found[0], intent.draft)
    if not found:
        return remember(turn, Remember(intent.draft), note=turn.words("note-nothing-to-correct"))
    return ask_which(turn, found[:CHOICES_MAX], {"do": "correct", "draft": pack(intent.draft)}, "ask-which-correct")


def ask_for_words(turn: Turn, old: Entry) -> Reply:
    turn.writer.ask(turn.chat, turn.account, {"ask": "correct", "id": old.id})
    turn.cite(old.label)
    return turn.say(turn.words("ask-edit"), buttons=(turn.button("button-leave", "close"),))


def _meant(turn: Turn, draft: Draft) -> list[Entry]:
    view = turn.writer
    last = view.last_turn(turn.chat)
    cited = [record for label in dict.fromkeys(last.cited) for record in view.labelled(label)] if last else []
    shown = [entry for record in cited if (entry := view.entry(record)) and entry.current and not entry.hidden]
    parts = subject(draft.text)
    same = view.same_subject(parts[0]) if parts else []
    if len(shown) == 1 and (not same or shown[0] in same or _close(shown[0].draft.text, draft.text)):
        return shown
    return same or shown


def _close(old: str, new: str) -> bool:
    return bool(set(old) & set(new))


def replace_entry(turn: Turn, old: Entry, draft: Draft, *, keep: bool = False) -> Reply:
    """`draft` takes the place of `old`. `keep`: the reasons stay too (only the words were edited)."""
    if old.draft.kind is EntryKind.CHECKPOINT:
        raise BadCommand("error-checkpoint-fixed")
    old = _newest(turn, old)
    kind = draft.kind if draft.kind is not EntryKind.FACT else old.draft.kind
    new = replace(draft, kind=kind, tags=draft.tags or old.draft.tags, about=draft.about or old.draft.about,
                  aliases=draft.aliases or old.draft.aliases)  # fmt: skip
    if keep:
        new = replace(
            new,
            why=new.why or old.draft.why,
            impact=new.impact or old.draft.impact,
            next=new.next or old.draft.next,
            verify=new.verify or old.draft.verify,
        )
    entry = store(turn, new, supersedes=(old.id,), quoted=old.source.quoted if keep else "")
    return receipts.replaced(turn, entry, old, "receipt-corrected", show_old=True)


def fill_in_because(turn: Turn, old: Entry, why: str) -> Reply:
    old = _newest(turn, old)
    entry = store(turn, replace(old.draft, why=why), supersedes=(old.id,), quoted=old.source.quoted)
    return receipts.replaced(turn, entry, old, "receipt-filled", show_old=False)


def _newest(turn: Turn, entry: Entry) -> Entry:
    """What stands for `entry` now, so that a late correction does not fork the chain."""
    if entry.current:
        return entry
    later = [one for one in turn.writer.chain(entry.id) if one.current and not one.hidden]
    return later[-1] if len(later) == 1 else entry


def entry_of(turn: Turn, ref: str) -> Entry:
    """The entry a typed RefID leads to. Raises NotFound, with what became of it."""
    label = parse_label(ref)
    found = [e for record in turn.writer.labelled(ref) if (e := turn.writer.entry(record)) and not e.hidden]
    if found:
        return found[0]
    if turn.writer.erased(ref):
        raise NotFound("error-erased", ref=str(label))
    raise NotFound("error-no-such-ref", ref=str(label or render.short(ref, 40)))


def ask_which(turn: Turn, entries: list[Entry], body: dict[str, Any], question: str) -> Reply:
    """Shows at most three entries and a button for each."""
    offer = turn.writer.make_offer(turn.chat, turn.account, {**body, "choices": [entry.id for entry in entries]})
    lines = [
        turn.words("choice", number=number, ref=entry.label, text=render.quoted(render.short(entry.draft.text, 60)))
        for number, entry in enumerate(entries, 1)
    ]
    turn.cite(*(entry.label for entry in entries))
    buttons = tuple(
        turn.button("button-choice", f"offer {offer} {number}", number=number + 1) for number in range(len(entries))
    )
    return turn.say(turn.words(question), *lines, buttons=buttons)


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
    )
