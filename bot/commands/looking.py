"""How memory was searched, and where to look when it held nothing: the offers, the chat itself, the trail."""

from __future__ import annotations

from bot import render
from bot.commands import archived, devices
from bot.commands.evidence import EVIDENCE_MAX
from bot.message import Button, Line, Reply
from bot.turn import Turn
from store.changes import Json, canonical
from store.chat import search_chat as heard_in_chat
from store.recall import Answer


def nothing_found(turn: Turn, answer: Answer, topic: str, *, everywhere: bool = False) -> Reply:
    """`everywhere`: what was put away was searched as well."""
    if devices.is_removed(turn.writer, turn.device_id):
        name = "nothing-removed" if topic else "nothing-removed-plain"
        total = turn.number(answer.total)
        return turn.say(turn.words(name, topic=render.quoted(topic), n=answer.total, shown=total))
    searched = answer.total - (0 if everywhere else turn.writer.count_cold(turn.today))
    looked = turn.words("looked-in", n=searched, shown=turn.number(searched))
    looked = looked if everywhere else render.spaced(turn.words, looked, archived.left_out(turn))
    memory = "private" if turn.private else "group"
    name = f"nothing-{memory}" if topic else f"nothing-{memory}-plain"
    text = turn.words(name, topic=render.quoted(topic), memory=turn.memory_name(), looked=looked)
    offer = turn.words("nothing-offer") if turn.private else ""
    return turn.say(text, offer, buttons=(*archived.button(turn, topic), *offers_to_keep(turn, topic)))


def offers_to_keep(turn: Turn, topic: str) -> tuple[Button, ...]:
    """[Search chat], in a direct chat only, and [Save this]; neither where nothing can be completed any more."""
    if devices.is_removed(turn.writer, turn.device_id):
        return ()
    keep = turn.button("button-save-this", turn.offer(do="tell", topic=topic))
    if not turn.private or not topic:
        return (keep,)
    return (turn.button("button-search-chat", turn.offer(do="chat", topic=topic)), keep)


def search_chat(turn: Turn, topic: str) -> Reply:
    """Layer 3: what was said in the chat and never kept."""
    found = heard_in_chat(turn.writer, topic, turn.today).turns
    turn.notes.kind = "question"
    if not found:
        turn.notes.empty = True
        return turn.say(turn.words("chat-nothing", topic=render.quoted(topic)), buttons=offers_to_keep(turn, topic)[1:])
    lines: list[Line | str | tuple[Line, ...]] = [turn.words("chat-found", n=len(found))]
    for kept in found[:EVIDENCE_MAX]:
        at = render.full_moment(turn.words, render.local(kept.at_ms, turn.zone), turn.today)
        lines.append(render.stored_lines(turn.words, kept.text, lines_max=2)[0])
        lines.append(turn.words("chat-line", who=turn.who(kept.account), when=at))
    first = turn.button("button-save-first", turn.offer(do="save", text=found[0].text))
    return turn.say(*lines, buttons=(first,))


def keep_trail(turn: Turn, answer: Answer) -> None:
    """The trail of this person's last answer here, for /trail."""
    steps: list[Json] = [[s.layer, s.looked_at, s.found, s.enough, round(100 * s.coverage)] for s in answer.trail]
    body = canonical({"steps": steps, "outcome": answer.outcome.value})
    turn.writer.keep_note(_trail_name(turn), body)


def trail(turn: Turn) -> Reply:
    kept = turn.writer.note(_trail_name(turn))
    if kept is None:
        return turn.say(turn.words("trail-none"))
    lines = [
        turn.words(
            "trail-step",
            layer=turn.words(f"layer-{layer.lower()}"),
            looked=turn.number(looked),
            found=turn.number(found),
            enough=turn.words("trail-enough" if enough else "trail-not-enough"),
            coverage=coverage,
        )
        for layer, looked, found, enough, coverage in kept["steps"]
    ]
    return turn.say(turn.words("trail-title", outcome=turn.words(f"outcome-{kept['outcome']}")), *lines)


def _trail_name(turn: Turn) -> str:
    return f"trail/{turn.chat}/{turn.account}"
