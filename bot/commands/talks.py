"""Conversations: beginning anew with a checkpoint, and finding back to one.

A checkpoint is written without a model and holds ids only: the last RefIDs, the board, what was left
unanswered. It is history with a date; nothing is continued from it.
"""

from __future__ import annotations

from bot import render
from bot.commands import cases, evidence
from bot.commands.remember import store
from bot.intents import NewSession
from bot.message import Line, Reply
from bot.turn import Turn
from store.model import Draft, Entry, EntryKind, TaskState
from store.text import fold

LATEST_MAX = 3
LIST_MAX = 10
BEGINNING = "new"
"""The kind of a turn that began a conversation, or tried to."""
TURNS_LOOKED_AT = 1000


def new_session(turn: Turn, intent: NewSession) -> Reply:
    """The checkpoint is stored before the new conversation is said to have begun; where nothing was said, none is."""
    turn.notes.kind = BEGINNING
    session = turn.writer.open_session(turn.chat)
    if not _happened(turn, session):
        return _new_already(turn)
    checkpoint = store(turn, _checkpoint(turn, session))
    turn.writer.end_session(session, checkpoint.id)
    turn.writer.close_question(turn.chat, turn.account)
    turn.notes.entry = checkpoint.id
    turn.cite(checkpoint.label)
    about = dict(checkpoint.draft.about)
    latest = about["latest"].split() if about["latest"] else []
    words = turn.words
    doing = about["doing"].split()
    return turn.say(
        words("session-new", ref=checkpoint.label),
        words("checkpoint-latest", refs=turn.listed(latest)) if latest else words("checkpoint-latest-none"),
        words(
            "checkpoint-board",
            doing=len(doing),
            refs=words("in-brackets", text=turn.listed(doing)) if doing else " ",
            ready=int(about["ready"]),
            blocked=int(about["blocked"]),
        ),
        words("checkpoint-open", n=int(about["open"])),
        buttons=cases.offered(turn, session),
    )


def checkpoint(turn: Turn, session: int) -> bool:
    """Keeps one of a conversation that goes on; False where nothing has changed since the last."""
    last = turn.writer.last_checkpoint(turn.chat)
    before = turn.writer.entry(last.checkpoint) if last and last.checkpoint else None
    now = _checkpoint(turn, session)
    if before is not None and dict(before.draft.about) == dict(now.about):
        return False
    turn.writer.keep_checkpoint(session, store(turn, now).id)
    return True


def _happened(turn: Turn, session: int) -> bool:
    """Whether anything was said in this conversation, but for beginning it."""
    return bool(turn.writer.turns("session = ? AND kind <> ?", (session, BEGINNING), limit=1))


def _is_checkpoint(entry: Entry) -> bool:
    return entry.draft.kind is EntryKind.CHECKPOINT


def _new_already(turn: Turn) -> Reply:
    last = turn.writer.last_checkpoint(turn.chat)
    entry = turn.writer.entry(last.checkpoint) if last and last.checkpoint else None
    if entry is None:
        return turn.say(turn.words("session-new-first"))
    turn.cite(entry.label)
    return turn.say(turn.words("session-new-already", ref=entry.label))


def _checkpoint(turn: Turn, session: int) -> Draft:
    view = turn.writer
    turns = view.turns("session = ?", (session,), limit=TURNS_LOOKED_AT)
    labels = dict.fromkeys(
        entry.label
        for one in turns
        if one.entry and (entry := view.entry(one.entry)) and entry.current and not _is_checkpoint(entry)
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
        turn.notes.empty = True
        return turn.say(turn.words("checkpoint-none"))
    return show(turn, entry)


def checkpoints(turn: Turn) -> Reply:
    found = turn.writer.entries("kind = 'checkpoint' AND hidden = 0", limit=LIST_MAX)
    if not found:
        turn.notes.empty = True
        return turn.say(turn.words("checkpoint-none"))
    turn.cite(*(entry.label for entry in found))
    lines = [f"{e.label} · {render.full_moment(turn.words, turn.when(e), turn.today)}" for e in found]
    newest = turn.button("button-show-newest", f"why {found[0].label}")
    return turn.say(turn.words("checkpoints-title", n=len(found)), *lines, buttons=(newest,))


def show(turn: Turn, checkpoint: Entry) -> Reply:
    """What it holds that is still there: an erased entry leaves no words behind here either."""
    words = turn.words
    about = dict(checkpoint.draft.about)
    view = turn.writer
    entries = [e for label in about["latest"].split() for r in view.labelled(label) if (e := view.entry(r))]
    lines = list(evidence.rows(turn, [entry for entry in entries if not (entry.hidden or entry.held)]))
    tasks = [t for label in about["doing"].split() for r in view.labelled(label) if (t := view.task(r))]
    for task in tasks:
        if not task.hidden:
            title = render.quoted(render.short(task.title, 80))
            lines.append(Line(words("checkpoint-doing", ref=task.label, title=title), stored=True))
            turn.cite(task.label)
    when = render.full_moment(words, turn.when(checkpoint), turn.today)
    turn.cite(checkpoint.label)
    return turn.say(
        words("checkpoint-shown", ref=checkpoint.label, when=when),
        *(lines or (words("checkpoint-bare"),)),
        buttons=(turn.button("button-board", "board"),),
    )
