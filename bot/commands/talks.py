"""Conversations: beginning anew with a checkpoint, and finding back to one.

A checkpoint is written without a model and holds ids only: the last RefIDs, the board, what was left
unanswered. It is history with a date; nothing is continued from it.
"""

from __future__ import annotations

from bot import render
from bot.commands.remember import store
from bot.intents import NewSession
from bot.message import Line, Reply
from bot.turn import Turn
from store.model import Draft, Entry, EntryKind, TaskState
from store.text import fold

LATEST_MAX = 3
LIST_MAX = 10
TURNS_LOOKED_AT = 1000


def new_session(turn: Turn, intent: NewSession) -> Reply:
    """The checkpoint is stored before the new conversation is said to have begun."""
    session = turn.writer.open_session(turn.chat)
    checkpoint = store(turn, _checkpoint(turn, session))
    turn.writer.end_session(session, checkpoint.id)
    turn.writer.close_question(turn.chat, turn.account)
    turn.notes.entry = checkpoint.id
    turn.cite(checkpoint.label)
    about = dict(checkpoint.draft.about)
    latest = about["latest"].split() if about["latest"] else []
    words = turn.words
    separator = "、" if words.lang == "zh" else ", "
    doing = about["doing"].split()
    return turn.say(
        words("session-new", ref=checkpoint.label),
        words("checkpoint-latest", refs=separator.join(latest)) if latest else words("checkpoint-latest-none"),
        words(
            "checkpoint-board",
            doing=len(doing),
            refs=words("in-brackets", text=separator.join(doing)) if doing else " ",
            ready=int(about["ready"]),
            blocked=int(about["blocked"]),
        ),
        words("checkpoint-open", n=int(about["open"])),
    )


def _checkpoint(turn: Turn, session: int) -> Draft:
    view = turn.writer
    turns = view.turns("session = ?", (session,), limit=TURNS_LOOKED_AT)
    labels = dict.fromkeys(
        entry.label
        for one in turns
        if one.entry and (entry := view.entry(one.entry)) and not entry.hidden and entry.current
    )
    board = view.tasks(done=False)
    by_state = {state: [task.label for task in board if task.state is state] for state in TaskState}
    return Draft(
        text="",
        kind=EntryKind.CHECKPOINT,
        about=(
            ("latest", " ".join(list(labels)[:LATEST_MAX])),
            ("doing", " ".join(by_state[TaskState.DOING])),
            ("ready", str(len(by_state[TaskState.READY]))),
            ("blocked", str(len(by_state[TaskState.BLOCKED]))),
            ("open", str(_open_questions(turn, session))),
        ),
    )


def _open_questions(turn: Turn, session: int) -> int:
    """Questions answered *nothing found* and neither asked again with a result nor saved since."""
    view = turn.writer
    turns = list(reversed(view.turns("session = ?", (session,), limit=TURNS_LOOKED_AT)))
    waiting: dict[str, None] = {}
    for one in turns:
        topic = fold(one.topic)
        if one.kind == "nothing":
            waiting[topic] = None
        elif one.kind == "question":
            waiting.pop(topic, None)
        elif one.entry:
            entry = view.entry(one.entry)
            said = fold(entry.draft.text) if entry else ""
            waiting = {asked: None for asked in waiting if not (asked and asked in said)}
    return len(waiting)


def where_were_we(turn: Turn) -> Reply:
    session = turn.writer.last_checkpoint(turn.chat)
    entry = turn.writer.entry(session.checkpoint) if session and session.checkpoint else None
    if entry is None:
        return turn.say(turn.words("checkpoint-none"))
    return _shown(turn, entry)


def checkpoints(turn: Turn) -> Reply:
    found = turn.writer.entries("kind = 'checkpoint' AND hidden = 0", limit=LIST_MAX)
    if not found:
        return turn.say(turn.words("checkpoint-none"))
    turn.cite(*(entry.label for entry in found))
    lines = [f"{e.label} · {render.full_moment(turn.words, turn.when(e), turn.today)}" for e in found]
    return turn.say(turn.words("checkpoints-title", n=len(found)), *lines)


def _shown(turn: Turn, checkpoint: Entry) -> Reply:
    words = turn.words
    about = dict(checkpoint.draft.about)
    lines: list[Line | str] = []
    for label in about.get("latest", "").split():
        for record in turn.writer.labelled(label):
            entry = turn.writer.entry(record)
            if entry and not entry.hidden:
                lines.append(Line(f"{label} {render.quoted(render.short(entry.draft.text, 80))}", stored=True))
                turn.cite(label)
    for label in about.get("doing", "").split():
        for record in turn.writer.labelled(label):
            task = turn.writer.task(record)
            if task and not task.hidden:
                title = render.quoted(render.short(task.title, 80))
                lines.append(Line(words("checkpoint-doing", ref=label, title=title), stored=True))
                turn.cite(label)
    at = turn.when(checkpoint)
    when = render.full_moment(words, at, turn.today)
    turn.cite(checkpoint.label)
    return turn.say(
        words("checkpoint-shown", ref=checkpoint.label, when=when),
        *lines,
        buttons=(turn.button("button-board", "board"),),
    )
