"""The tools that keep something, and the one that can only wish: what is there already is never taken away here.

What an agent writes is marked as its own (`Origin.AGENT`). It sets no rules: those are the person's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.agent import shown
from bot.agent.fields import ITEM_CHARACTERS_MAX, Field, FieldType, choice, text
from bot.agent.finding import entry_of, found_by
from bot.agent.tool import Result, Scene, Tool, refuse_secrets
from bot.commands import devices, wishes
from bot.commands.forget import may_forget_as
from store.errors import BadCommand, NotAllowed, NotFound, OverLimit
from store.ids import parse_label
from store.model import Draft, Entry, EntryKind, Origin, Task, TaskState
from store.text import alike

STORED = tuple(kind.value for kind in EntryKind if kind not in (EntryKind.CHECKPOINT, EntryKind.RULE))
LATEST_MAX, DOING_MAX = 3, 20
CHECKPOINT_CHARACTERS_MAX = 3500
"""Of each of its two texts, so that the whole of it fits into an entry."""


def memory_store(scene: Scene, given: dict[str, Any]) -> Result:
    return saved(scene, draft_of(given))


def draft_of(given: dict[str, Any]) -> Draft:
    return Draft(
        text=given["text"],
        kind=EntryKind(given.get("kind", "fact")),
        why=given.get("why", ""),
        impact=given.get("impact", ""),
        next=given.get("next", ""),
        verify=given.get("verify", ""),
        about=given.get("about", ()),
        tags=tuple(tag.lstrip("#") for tag in given.get("tags", ())),
        aliases=given.get("aliases", ()),
    )


def saved(scene: Scene, draft: Draft) -> Result:
    """What is there in the same words already is not kept twice."""
    if (there := _same(scene, draft)) is not None:
        return _receipt(scene, there, "agent-kept-already", already=True)
    return _receipt(scene, keep(scene, draft), "agent-saved")


def _same(scene: Scene, draft: Draft) -> Entry | None:
    where = "same = ? AND kind = ? AND current = 1 AND hidden = 0 AND held = 0"
    found = scene.view.entries(where, (alike(draft.text), draft.kind.value), limit=1)
    if not found:
        return None
    there = found[0].draft
    adds = any(new and new != old for new, old in zip(_fields(draft), _fields(there), strict=True))
    return None if adds else found[0]


def _fields(draft: Draft) -> tuple[object, ...]:
    return draft.why, draft.impact, draft.next, draft.verify, draft.about, draft.tags, draft.aliases


def keep(scene: Scene, draft: Draft, *, supersedes: tuple[str, ...] = ()) -> Entry:
    return scene.writer.remember(
        draft,
        at_ms=scene.now_ms,
        zone=scene.zone,
        author=scene.account,
        source=scene.source,
        origin=Origin.AGENT,
        lang=scene.words.lang,
        supersedes=supersedes,
    )


def memory_update(scene: Scene, given: dict[str, Any]) -> Result:
    """A new entry stands for the old one, which stays to be looked up; what was not given is carried over."""
    return replaced(scene, entry_of(scene, given["ref"]), given)


def replaced(scene: Scene, old: Entry, given: dict[str, Any]) -> Result:
    was = old.draft
    if was.kind is EntryKind.RULE:
        raise NotAllowed("error-agent-rule", ref=old.label)
    new = draft_of({"text": was.text, **given})
    draft = replace(
        new,
        kind=new.kind if "kind" in given else was.kind,
        why=new.why or was.why,
        impact=new.impact or was.impact,
        next=new.next or was.next,
        verify=new.verify or was.verify,
        about=new.about or was.about,
        tags=new.tags or was.tags,
        aliases=new.aliases or was.aliases,
        until=was.until,
        importance=was.importance,
    )
    if draft == replace(was, confidence=None):
        return _receipt(scene, old, "agent-kept-already", already=True)
    refuse_secrets([shown.in_a_row(draft)])  # a name may stand in what is carried over
    stored = keep(scene, draft, supersedes=(old.id,))
    if old.pinned:
        scene.writer.set(stored.id, "pinned", True, by=scene.account)
    return _receipt(scene, stored, "agent-updated", replaces=old.label)


def memory_delete(scene: Scene, given: dict[str, Any]) -> Result:
    """Only a person forgets; this keeps the wish until one says so."""
    tasks, entries = found_by(scene, given["ref"])
    found: list[Entry | Task] = [*entries, *tasks]
    if not found:
        raise NotFound("error-no-such-ref", ref=parse_label(given["ref"]) or shown.quoted(given["ref"]))
    if len(found) > 1:
        raise BadCommand("error-agent-several", refs=", ".join(one.id for one in found))
    return wished(scene, found[0].id, found[0].label)


def wished(scene: Scene, record: str, label: str) -> Result:
    one = scene.view.entry(record) or scene.view.task(record)
    assert one is not None
    if not may_forget_as(scene.account, scene.role, one.author, private=scene.private):
        raise NotAllowed("error-agent-not-yours", ref=label)
    if not wishes.wish(scene.writer, record):
        raise OverLimit("error-agent-wishes", most=wishes.WISHES_MAX)
    say = scene.words("agent-forget-words", ref=label)
    return Result(
        {"ref": label, "deleted": False, "waiting": True, "say": say},
        scene.words("agent-wished", ref=label, say=say),
    )


def checkpoint(scene: Scene, given: dict[str, Any]) -> Result:
    """History with a date: what this program wrote last, how the board stands, and where to go on."""
    view = scene.view
    own = "json_extract(source, '$.platform') = ? AND json_extract(source, '$.chat') = ?"
    shown_now = "hidden = 0 AND held = 0 AND current = 1 AND kind <> 'checkpoint'"
    latest = view.entries(f"{shown_now} AND {own}", (scene.source.platform, scene.source.chat), limit=LATEST_MAX)
    board = view.tasks(done=False)
    by_state = {state: [task.label for task in board if task.state is state] for state in TaskState}
    about = (
        ("latest", " ".join(one.label for one in latest)),
        ("doing", " ".join(by_state[TaskState.DOING][:DOING_MAX])),
        ("ready", str(len(by_state[TaskState.READY]))),
        ("blocked", str(len(by_state[TaskState.BLOCKED]))),
        ("open", "0"),
    )
    draft = Draft(given.get("text", ""), EntryKind.CHECKPOINT, next=given.get("next", ""), about=about)
    return _receipt(scene, keep(scene, draft), "agent-checkpoint")


def _receipt(scene: Scene, entry: Entry, said: str, *, already: bool = False, replaces: str = "") -> Result:
    """Holds no words of the entry: a result is kept to be given again."""
    data: dict[str, Any] = {"ref": entry.label, "kind": entry.draft.kind.value, "memory": scene.memory_name()}
    lines = [scene.words(said, ref=entry.label, memory=scene.memory_name(), old=replaces)]
    if already:
        data["already"] = True
    if replaces:
        data["replaces"] = replaces
    if shown.suspect(entry):
        data["tainted"] = True
        lines.append(scene.words("agent-saved-tainted"))
    if devices.is_removed(scene.view, scene.device_id):
        data["this_device_only"] = True
        lines.append(scene.words("note-this-device-only"))
    return Result(data, "\n".join(lines))


_STRING = {"type": "string"}
_FLAG = {"type": "boolean"}
RECEIPT = shown.object_of(
    ref=_STRING, kind=_STRING, memory=_STRING, already=_FLAG, replaces=_STRING, tainted=_FLAG, this_device_only=_FLAG,
)  # fmt: skip
WISH = shown.object_of(ref=_STRING, deleted=_FLAG, waiting=_FLAG, say=_STRING)
_DETAILS = (
    text("why", "arg-why"),
    text("impact", "arg-impact"),
    text("next", "arg-next"),
    text("verify", "arg-verify"),
    Field("tags", FieldType.LIST, "arg-tags"),
    Field("aliases", FieldType.LIST, "arg-aliases"),
    Field("about", FieldType.PAIRS, "arg-about"),
)
REF = text("ref", "arg-ref", required=True, most=ITEM_CHARACTERS_MAX)

WRITING = (
    Tool(
        "memory_store",
        "tool-memory-store",
        (text("text", "arg-text", required=True), choice("kind", "arg-kind", STORED), *_DETAILS),
        RECEIPT,
        memory_store,
        writes=True,
    ),
    Tool(
        "memory_update",
        "tool-memory-update",
        (REF, text("text", "arg-text-new", required=True), choice("kind", "arg-kind", STORED), *_DETAILS),
        RECEIPT,
        memory_update,
        writes=True,
        destructive=True,
    ),
    Tool(
        "memory_delete",
        "tool-memory-delete",
        (REF,),
        WISH,
        memory_delete,
        writes=True,
        destructive=True,
    ),
    Tool(
        "checkpoint",
        "tool-checkpoint",
        (
            text("text", "arg-checkpoint", most=CHECKPOINT_CHARACTERS_MAX),
            text("next", "arg-next", most=CHECKPOINT_CHARACTERS_MAX),
        ),
        RECEIPT,
        checkpoint,
        writes=True,
        idempotent=False,
    ),
)
