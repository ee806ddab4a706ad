"""The shapes that agents of the Hermes family know: `memory` with three actions, `session_search` with four.

`memory` finds an entry by a piece of its words that stands in no other. A batch is all or nothing. `remove` only wishes,
like `memory_delete`: a person says yes. `session_search` looks at what was said in the chat and never kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bot import render
from bot.agent import shown
from bot.agent.fields import Field, FieldType, choice, text, whole
from bot.agent.tool import Refused, Result, Scene, Tool
from bot.agent.writing import replaced, saved, wished
from store.candidates import forgotten, quoting
from store.chat import TURNS_MAX, search_chat
from store.errors import BadCommand
from store.filters import stands_in
from store.model import Draft, Entry, EntryKind
from store.own_rows import LISTED_MAX, Turn
from store.query import parse_query
from store.query_tree import And, Node, Not, Or, Term
from store.text import fold, plain_tokens

ACTIONS = ("add", "replace", "remove")
INVENTORY_MAX = 20
CANDIDATES_MAX = 5
PREVIEW_CHARACTERS_MAX = 80
SESSIONS_MAX = 10
TURNS_LOOKED_AT = 5000
"""A query with syntax is held against so many of the newest messages."""
_VISIBLE = "hidden = 0 AND held = 0 AND current = 1 AND kind NOT IN ('checkpoint', 'rule')"


def memory(scene: Scene, given: dict[str, Any]) -> Result:
    operations: Sequence[dict[str, Any]] = given.get("operations", ())
    if operations:
        if given.keys() - {"operations", "target"}:
            raise BadCommand("error-argument-operations")
    elif "action" not in given:
        raise BadCommand("error-argument-missing", name="action")
    target = given.get("target", "memory")
    results = [_one(scene, target, one) for one in operations or [given]]
    data = {
        "success": True,
        "results": [result.data for result in results],
    }
    return Result(data, "\n".join(result.text for result in results))


def _one(scene: Scene, target: str, given: dict[str, Any]) -> Result:
    action = given.get("action")
    if action is None:
        raise BadCommand("error-argument-missing", name="action")
    if action != "remove" and not given.get("content"):
        raise BadCommand("error-argument-missing", name="content")
    if action == "add":
        return saved(scene, Draft(given["content"], EntryKind.PREFERENCE if target == "user" else EntryKind.FACT))
    entry = _found(scene, target, given.get("old_text", ""))
    if action == "replace":
        return replaced(scene, entry, {"text": given["content"]})
    return wished(scene, entry.id, entry.label)


def _found(scene: Scene, target: str, old_text: str) -> Entry:
    """The one entry in which these words stand. Raises Refused, with what there is to choose from."""
    wanted = fold(old_text).strip()
    if not wanted:
        raise Refused(lambda now: _choices(now, target, "agent-old-text-missing"))
    found = _with(scene, target, wanted)
    exact = [one for one in found if fold(one.draft.text).strip() == wanted]
    found = exact if len(exact) == 1 else found
    if not found:
        raise Refused(lambda now: _choices(now, target, "agent-old-text-nowhere"))
    if len(found) > 1:
        raise Refused(lambda now: _choices(now, target, "agent-old-text-several", wanted))
    return found[0]


def _newest(scene: Scene, target: str, limit: int) -> list[Entry]:
    kind = "kind = 'preference'" if target == "user" else "kind <> 'preference'"
    return scene.view.entries(f"{_VISIBLE} AND {kind}", limit=limit)


def _with(scene: Scene, target: str, wanted: str) -> list[Entry]:
    """Those of this target in which this folded piece stands: whole words wherever they are, a part of one among the
    newest."""
    whole = [one for one in scene.view.with_words(wanted) if one.current and _is_for(target, one.draft.kind)]
    found = {one.id: one for one in (*_newest(scene, target, LISTED_MAX), *whole)}
    return [one for one in found.values() if wanted in fold(one.draft.text)]


def _is_for(target: str, kind: EntryKind) -> bool:
    if target == "user":
        return kind is EntryKind.PREFERENCE
    return kind not in (EntryKind.PREFERENCE, EntryKind.CHECKPOINT, EntryKind.RULE)


def _choices(scene: Scene, target: str, why: str, wanted: str = "") -> Result:
    """Why nothing was done, and what there is: the candidates for `wanted`, or the newest of all."""
    name = "candidates" if wanted else "entries"
    entries = _with(scene, target, wanted)[:CANDIDATES_MAX] if wanted else _newest(scene, target, INVENTORY_MAX)
    rows = [
        {"ref": one.label, "withheld": True}
        if shown.suspect(one)
        else {"ref": one.label, "text": render.short(one.draft.text, PREVIEW_CHARACTERS_MAX)}
        for one in entries
    ]
    lines = [line for row in rows for line in (str(row["ref"]), *shown.fenced(str(row.get("text", "…"))))]
    first = scene.words(why)
    return Result({"success": False, "error": first, name: rows}, shown.page(scene, first, lines))


def session_search(scene: Scene, given: dict[str, Any]) -> Result:
    """Found by words; or the messages around one; or one conversation; or, with nothing asked, the newest of them."""
    limit, window = given.get("limit", 3), given.get("window", 5)
    session = _number(given, "session_id")
    around = _number(given, "around_message_id")
    if given.get("query"):
        turns = _said(scene, given["query"], limit, session, given)
    elif around is not None:
        before = scene.view.turns(*_of(session, "id <= ?", around), limit=window + 1)
        after = scene.view.turns(*_of(session, f"id > ? AND id <= ({_AFTER})", around, around, window), limit=window)
        turns = [*reversed(before), *reversed(after)]
    elif session is not None:
        turns = list(reversed(scene.view.turns(*_of(session, "1"), limit=20 * limit)))
    else:
        turns = scene.view.newest_of_each_session(limit)
    quotes = quoting(forgotten(scene.view.conn))
    turns = [one for one in turns if not quotes(f"{one.text}\n{one.reply}")]
    whole_talk = not given.get("query")
    wanted = given.get("role_filter", "")
    rows = [shown.talk(scene, one, reply=whole_talk and "assistant" in (wanted or "assistant")) for one in turns]
    if wanted == "assistant":
        rows = [{name: value for name, value in row.items() if name != "text"} for row in rows if "reply" in row]
    lines = [line for one in turns if wanted != "assistant" for line in shown.talk_lines(scene, one)]
    first = scene.words("agent-listed", n=len(rows), total=len(rows))
    return Result({"success": True, "results": rows}, shown.page(scene, first, lines))


_AFTER = "SELECT max(id) FROM (SELECT id FROM turns WHERE id > ? ORDER BY id LIMIT ?)"


def _of(session: int | None, where: str, *values: Any) -> tuple[str, tuple[Any, ...]]:
    return (where, values) if session is None else (f"{where} AND session = ?", (*values, session))


def _number(given: dict[str, Any], name: str) -> int | None:
    text_of = given.get(name, "")
    if not text_of:
        return None
    if not (text_of.isascii() and text_of.isdecimal() and len(text_of) < 16):
        raise BadCommand("error-argument-id", name=name)
    return int(text_of)


def _said(scene: Scene, query: str, limit: int, session: int | None, given: dict[str, Any]) -> list[Turn]:
    if given.get("role_filter") == "assistant":
        return []  # what we answered is no source of anything
    only = session if session is not None else _current(scene) if given.get("scope") == "current" else None
    read = parse_query(query)
    if read.root is None:
        return []
    if read.is_exact:
        finds = _finder(read.root)
        said = scene.view.turns(*_of(only, "kind = 'talk'"), limit=TURNS_LOOKED_AT)
        found = [one for one in said if finds(plain_tokens(fold(one.text)))]
    else:
        heard = search_chat(scene.view, query, scene.today, meaning=scene.meaning, limit=TURNS_MAX)
        found = [one for one in heard.passing if only is None or one.session == only]
    order = given.get("sort", "")
    if order:
        found.sort(key=lambda one: one.id, reverse=order == "newest")
    return found[:limit]


def _current(scene: Scene) -> int | None:
    """The conversation in which something was said last."""
    last = scene.view.turns("1", limit=1)
    return last[0].session if last else None


def _finder(node: Node) -> Callable[[Sequence[str]], bool]:
    match node:
        case Term(tokens, prefix):
            return lambda said: stands_in(tokens, said, prefix=prefix)
        case And(parts):
            every = [_finder(part) for part in parts]
            return lambda said: all(one(said) for one in every)
        case Or(parts):
            some = [_finder(part) for part in parts]
            return lambda said: any(one(said) for one in some)
        case Not(kept, dropped):
            keeps, drops = _finder(kept), _finder(dropped)
            return lambda said: keeps(said) and not drops(said)
        case _:
            raise AssertionError("filters are not read here")


_OPERATION = (
    choice("action", "arg-action", ACTIONS),
    text("content", "arg-text"),
    text("old_text", "arg-old-text", most=500),
)
_ROWS = shown.list_of(shown.object_of(ref={"type": "string"}, text={"type": "string"}))
_SUCCESS = {"type": "boolean"}

SESSION_SEARCH = Tool(
    "session_search",
    "tool-session-search",
    (
        text("query", "arg-query-chat", most=1000),
        whole("limit", "arg-limit", 1, SESSIONS_MAX),
        choice("sort", "arg-sort", ("newest", "oldest")),
        text("session_id", "arg-session", most=20),
        text("around_message_id", "arg-around", most=20),
        whole("window", "arg-window", 1, 20),
        choice("role_filter", "arg-role", ("user", "assistant", "user,assistant")),
        choice("scope", "arg-scope", ("current", "all")),
    ),
    shown.object_of(("success", "results"), success=_SUCCESS, results=shown.list_of(shown.TALK)),
    session_search,
    meant="query",
)
MEMORY = Tool(
    "memory",
    "tool-memory",
    (
        choice("target", "arg-target", ("memory", "user")),
        *_OPERATION,
        Field("operations", FieldType.OPERATIONS, "arg-operations", fields=_OPERATION),
    ),
    shown.object_of(
        ("success",),
        success=_SUCCESS, results={"type": "array", "items": {"type": "object"}}, error={"type": "string"},
        entries=_ROWS, candidates=_ROWS,
    ),
    memory,
    writes=True,
    destructive=True,
)  # fmt: skip
