"""The tools that only look: search, one entry, a list, and the evidence for a question within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot import render
from bot.agent import shown
from bot.agent.fields import Field, FieldType, choice, text, whole
from bot.agent.finding import found_by, shown_ref
from bot.agent.pages import file_at
from bot.agent.tool import Result, Scene, Tool
from bot.context import context_for_agent
from store.dates import find_dates
from store.errors import BadCommand, NotFound
from store.model import Entry, EntryKind, Task
from store.own_rows import Turn
from store.recall import SHOWN_MAX, Question, recall
from store.search import read, search
from store.trail import Outcome

KINDS = tuple(kind.value for kind in EntryKind if kind is not EntryKind.CHECKPOINT)
QUERY_CHARACTERS_MAX = 1000
FOUND_MAX = 50
LISTED_MAX = 100
BUDGET_MAX = 20_000
BUDGET = 4000
CHAT_MAX = 3
PAGE_MAX = 1000
LINES_MAX = 100_000
_SHOWN = "hidden = 0 AND held = 0 AND current = 1"


def memory_search(scene: Scene, given: dict[str, Any]) -> Result:
    """Ranked recall; a query with syntax (AND, OR, NOT, "…", word*, kind:, tag:, by:) is searched exactly."""
    view, query, limit = scene.view, given["query"], given.get("limit", SHOWN_MAX)
    kind = EntryKind(given["kind"]) if "kind" in given else None
    span = _span(scene, given)
    tasks: tuple[Task, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    heard: tuple[Turn, ...] = ()
    apart = False
    if read(view, query, scene.today, asker=scene.account).is_exact:
        entries = _exactly(scene, query, limit, kind, span)
        outcome, total = Outcome.ANSWER if entries else Outcome.NOTHING, view.count()
    else:
        dated = f"{query} {span[0]} ~ {span[1]}" if span else query
        answer = recall(view, Question(dated, scene.today, kind=kind, chat=True, meaning=scene.meaning))
        entries = _within(answer.entries, kind, span)[:limit]
        heard = answer.heard.passing[:CHAT_MAX] if answer.heard else ()
        tasks, apart = answer.tasks, answer.disagree
        facts = tuple(fact for fact in answer.facts if not shown.reads_like_an_order(": ".join(fact)))
        outcome, total = answer.outcome, answer.total
        if not (entries or tasks or facts):
            outcome = answer.heard.outcome if answer.heard else Outcome.NOTHING
    data: dict[str, Any] = {
        "outcome": outcome.value,
        "entries": [shown.entry(scene, one) for one in entries],
        "looked_at": total,
    }
    if tasks:
        data["tasks"] = [shown.task(scene, one) for one in tasks]
    if facts:
        data["facts"] = dict(facts)
    if heard:
        data["chat"] = [shown.talk(scene, one) for one in heard]
    if apart:
        data["disagree"] = True
    lines = [line for one in entries for line in shown.entry_lines(scene, one)]
    lines += [line for one in tasks for line in shown.task_lines(scene, one)]
    for name, value in facts:
        lines += [scene.words("context-fact"), *shown.fenced(f"{name}: {value}")]
    lines += [line for one in heard for line in shown.talk_lines(scene, one)]
    first = scene.words(f"agent-{outcome.value}", n=total)
    return Result(data, shown.page(scene, first, lines))


def _span(scene: Scene, given: dict[str, Any]) -> tuple[str, str] | None:
    """The days between which something was said or is about. `when` is read as people say it."""
    first, last = given.get("from"), given.get("to")
    if "when" in given:
        if first or last:
            raise BadCommand("error-argument-when-twice")
        found = find_dates(given["when"], scene.today, prefer_past=True)
        if len(found) != 1:
            raise BadCommand("error-argument-when", text=render.quoted(render.short(given["when"], 40)))
        return found[0].first.isoformat(), found[0].last.isoformat()
    if not (first or last):
        return None
    first, last = first or "1970-01-01", last or scene.today.isoformat()
    if first > last:
        raise BadCommand("error-argument-order")
    return first, last


def _exactly(scene: Scene, query: str, limit: int, kind: EntryKind | None, span: tuple[str, str] | None) -> list[Entry]:
    """Looked for until there are enough that are of this kind and of these days, or no more."""
    found: list[Entry] = []
    start, most = 0, limit
    while True:
        page = search(scene.view, query, scene.today, asker=scene.account, start=start, limit=most)
        found += _within(page.entries, kind, span)
        start, most = start + most, PAGE_MAX
        if len(found) >= limit or start >= page.total:
            return found[:limit]


def _within(entries: Sequence[Entry], kind: EntryKind | None, span: tuple[str, str] | None) -> list[Entry]:
    found = [one for one in entries if kind is None or one.draft.kind is kind]
    if span is None:
        return found
    first, last = span
    return [
        one for one in found if first <= one.day <= last or any(d.first <= last and d.last >= first for d in one.dates)
    ]


def memory_get(scene: Scene, given: dict[str, Any]) -> Result:
    """One entry with all its words, or a task, or a page of the tree."""
    if ("ref" in given) == ("path" in given):
        raise BadCommand("error-argument-ref-or-path")
    if "path" in given:
        # OpenClaw's shape: what is not there is an empty text, no error.
        lines_of = file_at(scene, given["path"]).splitlines()
        first = given.get("from", 1) - 1
        page = "\n".join(lines_of[first : first + given.get("lines", len(lines_of))])
        return Result({"path": given["path"], "text": page}, page)
    tasks, entries = found_by(scene, given["ref"])
    if not (tasks or entries):
        raise NotFound("error-no-such-ref", ref=shown_ref(given["ref"]))
    data: dict[str, Any] = {"entries": [shown.entry(scene, one, whole=True) for one in entries]}
    lines = [line for one in entries for line in shown.entry_lines(scene, one, whole=True)]
    if tasks:
        data["tasks"] = [shown.task(scene, one, whole=True) for one in tasks]
        lines += [line for one in tasks for line in shown.task_lines(scene, one, whole=True)]
    earlier = [e.label for one in entries for e in scene.view.earlier(one.id)]
    if earlier:
        data["earlier"] = earlier
        lines.append(scene.words("agent-earlier", refs=", ".join(earlier)))
    return Result(data, shown.page(scene, scene.words("agent-found"), lines))


def memory_list(scene: Scene, given: dict[str, Any]) -> Result:
    where, values = _SHOWN, []
    if "kind" in given:
        where += " AND kind = ?"
        values.append(given["kind"])
    else:
        where += " AND kind <> 'checkpoint'"
    if tag := given.get("tag", "").lstrip("#"):
        where += (
            " AND (EXISTS (SELECT 1 FROM json_each(tags) WHERE lower(value) = lower(?))"
            " OR EXISTS (SELECT 1 FROM json_each(more_tags) WHERE lower(value) = lower(?)))"
        )
        values += [tag, tag]
    limit, start = given.get("limit", 20), given.get("start", 0)
    # Sorted by what is narrow; only the page itself is read whole. Counting them all would read every row.
    page = f"seq IN (SELECT seq FROM entries WHERE {where} ORDER BY at_ms DESC, seq DESC LIMIT ? OFFSET ?)"
    rows = scene.view.entries(page, [*values, limit + 1, start], limit=limit + 1)
    data: dict[str, Any] = {"entries": [shown.entry(scene, one) for one in rows[:limit]]}
    lines = [line for one in rows[:limit] for line in shown.entry_lines(scene, one)]
    first = scene.words("agent-page", n=len(rows[:limit]))
    if len(rows) > limit:
        data["next_start"] = start + limit
        first = scene.words("agent-page-more", n=limit, next=start + limit)
    return Result(data, shown.page(scene, first, lines))


def context(scene: Scene, given: dict[str, Any]) -> Result:
    question = Question(given["question"], scene.today, chat=True, meaning=scene.meaning)
    found = context_for_agent(scene.view, question, given.get("budget", BUDGET), scene.words)
    data = {
        "outcome": found.outcome.value,
        "text": found.text,
        "refs": [*(one.label for one in found.entries), *(one.label for one in found.tasks)],
        "withheld": list(found.withheld),
        "left_out": found.left_out,
    }
    return Result(data, found.text)


_ENTRIES = shown.list_of(shown.ENTRY)
_TASKS = shown.list_of(shown.TASK)
_OUTCOME = {"type": "string", "enum": [outcome.value for outcome in Outcome]}
_STRING = {"type": "string"}
_WHOLE = {"type": "integer"}

READING = (
    Tool(
        "memory_search",
        "tool-memory-search",
        (
            text("query", "arg-query", required=True, most=QUERY_CHARACTERS_MAX),
            whole("limit", "arg-limit-search", 1, FOUND_MAX),
            choice("kind", "arg-kind", KINDS),
            Field("from", FieldType.DAY, "arg-from"),
            Field("to", FieldType.DAY, "arg-to"),
            text("when", "arg-when", most=100),
        ),
        shown.object_of(
            ("outcome", "entries", "looked_at"),
            outcome=_OUTCOME, entries=_ENTRIES, tasks=_TASKS, looked_at=_WHOLE,
            facts={"type": "object", "additionalProperties": _STRING},
            chat=shown.list_of(shown.TALK), disagree={"type": "boolean"},
        ),
        memory_search,
        meant="query",
    ),
    Tool(
        "memory_get",
        "tool-memory-get",
        (text("ref", "arg-ref", most=100), Field("path", FieldType.PATH, "arg-path"),
            whole("from", "arg-from-line", 1, LINES_MAX),
            whole("lines", "arg-lines", 1, LINES_MAX)),
        shown.object_of(entries=_ENTRIES, tasks=_TASKS, earlier=shown.list_of(_STRING), path=_STRING, text=_STRING),
        memory_get,
    ),
    Tool(
        "memory_list",
        "tool-memory-list",
        (
            choice("kind", "arg-kind", [*KINDS, EntryKind.CHECKPOINT.value]),
            text("tag", "arg-tag", most=100),
            whole("limit", "arg-limit", 1, LISTED_MAX),
            whole("start", "arg-start", 0, 1_000_000),
        ),
        shown.object_of(("entries",), entries=_ENTRIES, next_start=_WHOLE),
        memory_list,
    ),
    Tool(
        "context",
        "tool-context",
        (
            text("question", "arg-question", required=True, most=QUERY_CHARACTERS_MAX),
            whole("budget", "arg-budget", 200, BUDGET_MAX),
        ),
        shown.object_of(
            ("outcome", "text", "refs", "withheld", "left_out"),
            outcome=_OUTCOME, text=_STRING, refs=shown.list_of(_STRING), withheld=shown.list_of(_STRING), left_out=_WHOLE,
        ),
        context,
        meant="question",
    ),
)  # fmt: skip
