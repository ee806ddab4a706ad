"""How memory was searched, and where to look when it held nothing: the offers, the chat itself, the trail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot import render
from bot.commands import archived, devices
from bot.commands.evidence import EVIDENCE_MAX
from bot.commands.receipts import LINES_MAX
from bot.message import Button, Line, Reply
from bot.turn import Turn
from store.archive import is_cold
from store.changes import Json, canonical
from store.chat import Heard
from store.chat import search_chat as heard_in_chat
from store.model import Entry
from store.own_rows import Turn as Said
from store.ports import Embedder, EmbedderPhase
from store.recall import Answer, Question
from store.trail import Outcome

MOSTLY = 0.95
"""From this share on, what still lacks a vector is not worth a word."""
MISSED_MS = 60 * 60 * 1000
"""A "you forgot" that comes later is not about the last question any more."""


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
    found = heard_in_chat(turn.writer, topic, turn.today, meaning=turn.meaning)
    turn.notes.kind = "question"
    if not found.passing:
        turn.notes.empty = True
        nothing = turn.words("chat-nothing", topic=render.quoted(topic))
        return noted(turn, turn.say(nothing, buttons=offers_to_keep(turn, topic)[1:]))
    name = "chat-found" if found.outcome is Outcome.ANSWER else "chat-closest"
    return noted(turn, heard(turn, found, turn.words(name, n=len(found.passing))))


def heard(turn: Turn, found: Heard, title: str) -> Reply:
    """Messages of the chat, the best first, with an offer to keep the first. Each is evidence by itself."""
    keep = turn.button("button-save-first", turn.offer(do="save", text=found.passing[0].text))
    return turn.say(title, *chat_lines(turn, found.passing[:EVIDENCE_MAX]), buttons=(keep,))


def chat_lines(turn: Turn, turns: Sequence[Said]) -> tuple[Line, ...]:
    """The words of each, then who said it and when."""
    lines: list[Line] = []
    for kept in turns:
        at = render.full_moment(turn.words, render.local(kept.at_ms, turn.zone), turn.today)
        lines += render.stored_lines(turn.words, kept.text, lines_max=LINES_MAX)[0]
        lines.append(Line(turn.words("chat-line", who=turn.who(kept.account), when=at)))
    return tuple(lines)


def noted(turn: Turn, reply: Reply) -> Reply:
    """With a line that meaning did not help, where it should have."""
    note = _words_only(turn)
    return replace(reply, lines=(*reply.lines, Line(note))) if note else reply


def _words_only(turn: Turn) -> str:
    """That a question was answered by its words alone, and why; "" where meaning helped, or is not wanted."""
    if turn.embedder is None or not turn.meant:
        return ""
    if turn.meaning is None:
        return turn.words("words-only", reason=trouble(turn, turn.embedder))
    done, total = turn.writer.vectors_progress(turn.embedder.name)
    if done < MOSTLY * total:
        return turn.words("words-mostly", done=turn.number(done), total=turn.number(total))
    return ""


def trouble(turn: Turn, embedder: Embedder) -> str:
    """Why there is no meaning now, with what to do where a person can do something."""
    if embedder.state.trouble is not None:
        return turn.words(f"embedder-{embedder.state.trouble}", kind=embedder.kind)
    return turn.words("embedder-starting" if embedder.state.phase is EmbedderPhase.STARTING else "embedder-late")


def keep_trail(turn: Turn, question: Question, answer: Answer) -> None:
    """The trail of this person's last answer here, for /trail and for the next "you forgot". Numbers and ids only."""
    steps: list[Json] = [
        [
            step.layer, step.looked_at, step.found, step.enough, round(100 * step.coverage),
            round(100 * step.said), round(100 * step.needed),
            [[one.record, round(100 * one.score), round(100 * one.coverage), None if one.near is None else round(100 * one.near)]
             for one in step.candidates],
        ]
        for step in answer.trail
    ]  # fmt: skip
    body: dict[str, Json] = {
        "steps": steps,
        "outcome": answer.outcome.value,
        "shown": [str(entry.id) for entry in answer.entries],
        "at": turn.now_ms,
        "kind": question.kind.value if question.kind else "",
        "authors": list(question.authors),
        "spans": [[one.first, one.last] for one in answer.spans],
        "words": turn.meaning is None,
    }
    turn.writer.keep_note(_trail_name(turn), canonical(body))


def trail(turn: Turn) -> Reply:
    kept = turn.writer.note(_trail_name(turn))
    if kept is None:
        return turn.say(turn.words("trail-none"))
    lines: list[Line | str | tuple[Line, ...]] = []
    layers = [step[0] for step in kept["steps"]]
    for layer, looked, found, enough, coverage, said, needed, candidates in kept["steps"]:
        is_listed = enough and not candidates
        lines.append(
            turn.words(
                "trail-listed" if is_listed else "trail-step",
                layer=turn.words(f"layer-{layer.lower()}"),
                looked=turn.number(looked),
                found=turn.number(found),
                enough=turn.words("trail-enough" if enough else "trail-not-enough"),
                coverage=coverage,
            )
        )
        if layer == "L1" and "L2" in layers:
            continue  # all entries are ranked once, for both layers
        if needed:
            lines.append(turn.words("trail-gate", said=_hundredths(said), needed=_hundredths(needed)))
        lines += [_candidate(turn, layer, *one) for one in candidates]
    title = turn.words("trail-title", outcome=turn.words(f"outcome-{kept['outcome']}"))
    return turn.say(title, *lines, turn.words("trail-words-only") if kept["words"] and turn.embedder else "")


def _candidate(turn: Turn, layer: str, record: str, score: int, coverage: int, near: int | None) -> str:
    if layer == "L3":
        name = turn.words("trail-message")
    else:
        entry = turn.writer.entry(record)
        if entry is None or entry.hidden:
            return ""
        name = entry.label
        turn.cite(name)
    if near is None:
        return turn.words("trail-candidate", name=name, score=_hundredths(score), coverage=coverage)
    return turn.words(
        "trail-candidate-near", name=name, score=_hundredths(score), coverage=coverage, near=_hundredths(near)
    )


def _hundredths(value: int) -> str:
    return f"{value / 100:.2f}"


def why_missed(turn: Turn, entry: Entry) -> str:
    """Why this person's last question here, just before, did not bring up `entry`; "" when it did, or none was asked."""
    kept = turn.writer.note(_trail_name(turn))
    if kept is None or entry.id in kept["shown"] or turn.now_ms - kept["at"] > MISSED_MS:
        return ""
    return turn.words(f"missed-{_reason(turn, kept, entry)}")


def _reason(turn: Turn, kept: dict[str, Any], entry: Entry) -> str:
    candidates = {one[0] for step in kept["steps"] for one in step[7]}
    if entry.at_ms > kept["at"]:
        return "later"
    if kept["kind"] and entry.draft.kind.value != kept["kind"]:
        return "kind"
    if kept["authors"] and entry.author not in kept["authors"]:
        return "author"
    if kept["spans"] and not any(first <= entry.day <= last for first, last in kept["spans"]):
        return "time"
    if is_cold(entry, turn.today):
        return "away"
    if not entry.current:
        return "earlier"
    if entry.id in candidates:
        return "gate"
    return "words" if kept["words"] else "rank"


def _trail_name(turn: Turn) -> str:
    return f"trail/{turn.chat}/{turn.account}"
