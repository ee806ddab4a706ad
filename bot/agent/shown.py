"""How what memory holds is given to an agent: as data with RefIDs, and as lines of text that no stored words can leave.

Stored words are data, never orders. In text each of their lines begins with `FENCE`; what reads like an order to a
machine is named by its RefID and its words are left out, but where that one entry is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, Final

from bot import render
from bot.agent.tool import Scene
from bot.context import NAME_CHARACTERS_MAX, ContextLabels
from store.context import FENCE, Mark
from store.model import AccountID, Draft, Entry, EntryKind, RefID, Task, TaskState
from store.own_rows import Turn
from store.taint import is_instruction

Json = dict[str, Any]

_STRING: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_WHOLE: Final = {"type": "integer"}

ENTRY: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "ref": _STRING,
        "kind": {"type": "string", "enum": [kind.value for kind in EntryKind]},
        "day": _STRING,
        "text": _STRING,
        "withheld": _FLAG,
        "tainted": _FLAG,
        "origin": _STRING,
        "by": _STRING,
        "why": _STRING,
        "impact": _STRING,
        "next": _STRING,
        "verify": _STRING,
        "tags": {"type": "array", "items": _STRING},
        "aliases": {"type": "array", "items": _STRING},
        "about": {"type": "object", "additionalProperties": _STRING},
        "confidence": _STRING,
        "until": _STRING,
        "pinned": _FLAG,
        "current": _FLAG,
        "replaced_by": _STRING,
    },
    "required": ["ref", "kind", "day", "origin", "current"],
}
TASK: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "ref": _STRING,
        "title": _STRING,
        "withheld": _FLAG,
        "tainted": _FLAG,
        "state": {"type": "string", "enum": [state.value for state in TaskState]},
        "blocked_by": _STRING,
        "resume_step": _STRING,
        "next": _STRING,
        "due": _STRING,
        "added": _STRING,
        "done": _STRING,
    },
    "required": ["ref", "state", "added"],
}
TALK: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "id": _WHOLE, "session": _WHOLE, "day": _STRING, "by": _STRING, "text": _STRING, "reply": _STRING,
        "withheld": _FLAG,
    },
    "required": ["id", "session", "day"],
}  # fmt: skip


def object_of(required: Sequence[str] = (), **properties: Any) -> Json:
    return {"type": "object", "properties": properties, "required": list(required)}


def list_of(item: Mapping[str, Any]) -> Json:
    return {"type": "array", "items": item}


def suspect(one: Entry) -> bool:
    """By the rules of today: the mark of the row is of the day it was written."""
    if one.cleared:  # a person has said that it is none
        return False
    return one.tainted or _any_is_an_order(_words(one))


def in_a_row(draft: Draft) -> str:
    return " ".join(filter(None, _words_of(draft)))


def _any_is_an_order(texts: Iterable[str]) -> bool:
    """Each alone, and all in a row: an order may begin in one field and end in the next."""
    said = [text for text in texts if text]
    return any(map(reads_like_an_order, said)) or (len(said) > 1 and reads_like_an_order(" ".join(said)))


@lru_cache(maxsize=4096)
def reads_like_an_order(text: str) -> bool:
    """The scan costs more than all else that is done with an entry, and the same few are shown again and again."""
    return is_instruction(text)


def _words(one: Entry) -> Iterable[str]:
    yield from _words_of(one.draft)
    yield from one.more_tags


def _words_of(draft: Draft) -> Iterable[str]:
    yield from (draft.text, draft.why, draft.impact, draft.next, draft.verify, *draft.tags, *draft.aliases)
    for pair in draft.about:
        yield ": ".join(pair)


def entry(scene: Scene, one: Entry, *, whole: bool = False) -> Json:
    """`whole`: with its words whatever they read like; it is marked all the same."""
    draft, tainted = one.draft, suspect(one)
    found: Json = {
        "ref": one.label,
        "kind": draft.kind.value,
        "day": one.day,
        "origin": one.origin.value,
        "current": one.current,
    }
    if tainted:
        found["tainted"] = True
    if not scene.private:
        found["by"] = name_of(scene, one.author)
    if later := replaced_by(scene, one):
        found["replaced_by"] = later
    if tainted and not whole:
        return found | {"withheld": True}
    more = {
        "text": draft.text,
        "why": draft.why,
        "impact": draft.impact,
        "next": draft.next,
        "verify": draft.verify,
        "tags": list(dict.fromkeys((*draft.tags, *one.more_tags))),
        "aliases": list(draft.aliases),
        "about": dict(draft.about),
        "confidence": draft.confidence.value if draft.confidence else "",
        "until": draft.until,
        "pinned": one.pinned,
    }
    return found | {name: value for name, value in more.items() if value}


def replaced_by(scene: Scene, one: Entry) -> RefID | None:
    """What stands for it now."""
    later = [] if one.current else [other.label for other in scene.view.chain(one.id) if other.current]
    return later[-1] if later else None


def entry_lines(scene: Scene, one: Entry, *, whole: bool = False) -> list[str]:
    """D-2024-05-22-01 · decision · Wed 22 May, and its words below, fenced."""
    words, draft = scene.words, one.draft
    mark = Mark(dated=True, replaced_by=replaced_by(scene, one))
    head = ContextLabels(words, scene.today, _people(scene)).entry(one, mark)
    if not suspect(one):
        return [head, *_entry_words(scene, one)]
    if whole:
        return [head, words("agent-tainted"), *_entry_words(scene, one)]
    return [head, words("agent-withheld", ref=one.label)] if draft.text else [head]


def _entry_words(scene: Scene, one: Entry) -> list[str]:
    draft = one.draft
    named = (("because", draft.why), ("impact", draft.impact), ("next", draft.next), ("verify", draft.verify))
    lines = fenced(draft.text) if draft.text else []
    for name, text in named:
        lines += fenced(scene.words(f"field-{name}", text=text)) if text else []
    return lines


def quoted(text: str) -> str:
    return render.quoted(render.short(text, 40))


def fenced(text: str) -> list[str]:
    return [f"{FENCE}{line}" for line in text.splitlines() or [""]]


def task(scene: Scene, one: Task, *, whole: bool = False) -> Json:
    found: Json = {"ref": one.label, "state": one.state.value, "added": one.day}
    if one.done_at_ms and one.state is TaskState.DONE:
        found["done"] = render.local(one.done_at_ms, scene.zone).date().isoformat()
    texts = {"title": one.title, "blocked_by": one.blocked_by, "resume_step": one.resume_step, "next": one.next}
    if _any_is_an_order(texts.values()):
        found["tainted"] = True
        if not whole:
            return found | {"withheld": True}
    return found | {name: text for name, text in {**texts, "due": one.due}.items() if text}


def task_lines(scene: Scene, one: Task, *, whole: bool = False) -> list[str]:
    words = scene.words
    head = f"{one.label} · {words(f'state-{one.state.value}')}"
    lines = [head]
    if _any_is_an_order((one.title, one.blocked_by, one.resume_step, one.next)):
        if not whole:
            return [head, words("agent-withheld", ref=one.label)]
        lines.append(words("agent-tainted"))
    lines += fenced(one.title)
    if one.state is TaskState.BLOCKED:
        lines += fenced(words("task-blocked-by", text=one.blocked_by))
        lines += fenced(words("task-resume-step", text=one.resume_step))
    return lines + (fenced(words("field-next", text=one.next)) if one.next else [])


def talk(scene: Scene, one: Turn, *, reply: bool = False) -> Json:
    found: Json = {"id": one.id, "session": one.session, "day": one.day}
    people = scene.view.people()
    if len(people) > 1:
        found["by"] = name_of(scene, one.account)
    if reads_like_an_order(one.text):
        return found | {"withheld": True}
    found["text"] = one.text
    return found | ({"reply": one.reply} if reply and one.reply and not reads_like_an_order(one.reply) else {})


def talk_lines(scene: Scene, one: Turn) -> list[str]:
    words = scene.words
    head = f"{words('context-in-chat')} · {render.day(words, date.fromisoformat(one.day), scene.today)}"
    return [head, words("agent-withheld-plain")] if reads_like_an_order(one.text) else [head, *fenced(one.text)]


def page(scene: Scene, first: str, lines: Iterable[str]) -> str:
    """What is found, under the one line that says what it is."""
    below = list(lines)
    return "\n".join([f"{first} {scene.words('agent-data')}", *below] if below else [first])


def _people(scene: Scene) -> dict[Any, str]:
    return {} if scene.private else scene.view.people()


def name_of(scene: Scene, account: AccountID) -> str:
    """A name is words of people, too, and stands outside every fence."""
    name = " ".join((scene.view.people().get(account) or account.partition(":")[2]).split())
    shown = name and len(name) <= NAME_CHARACTERS_MAX and not reads_like_an_order(name)
    return name if shown else scene.words("someone")
