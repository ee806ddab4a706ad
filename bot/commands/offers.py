"""What buttons do, and what an open question does with the answer.

A button's action names a record or an offer that the scope keeps; it never carries words. An offer is for
one person; pressing it closes it. An open question is answered by the next words that are no command.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot import render
from bot.commands import about, ask, forget, receipts, remember, tasks
from bot.intents import AddTask, Archive, Ask, History, Parsed, Remember, Simple, TaskMove, Why
from bot.message import Button, Reply, Shape
from bot.phrases.fields import draft_of
from bot.phrases.grammar import parse
from bot.turn import Turn
from store.errors import NotFound
from store.model import Entry, Origin


def press(turn: Turn, action: str) -> Reply | Parsed:
    """The reply, or the parsed words that a button says in the person's place."""
    verb, _, rest = action.partition(" ")
    argument, _, more = rest.partition(" ")
    match verb:
        case "undo":
            return forget.take_back(turn, argument)
        case "offer":
            return _offer(turn, argument, more)
        case "edit" | "correct" | "because":
            return _ask_about(turn, verb, argument)
        case "why":
            return ask.why(turn, Why(argument))
        case "history":
            return ask.history(turn, History(argument))
        case "full":
            return ask.full(turn, argument)
        case "move":
            task = turn.writer.task(argument)
            if task is None or task.hidden:
                return turn.toast("toast-gone")
            return tasks.move_task(turn, task, TaskMove(more), shape=Shape.EDIT)
        case "board":
            return tasks.board(turn, page=int(argument or 0), shape=Shape.EDIT if argument else Shape.MESSAGE)
        case "archive":
            return tasks.archive(turn, Archive(argument))
        case "ask-task":
            return tasks.ask_for_task(turn)
        case "help":
            return about.simple(turn, Simple("help"))
        case "lang" | "tz":
            return about.simple(turn, Simple(verb, argument))
        case "zone-right":
            return zone_right(turn)
        case "private":
            return turn.toast("toast-open-private")
        case "close":
            turn.writer.close_question(turn.chat, turn.account)
            return receipts.pressed(turn, "left-as-it-is")
        case _:
            return turn.toast("toast-gone")


def zone_right(turn: Turn) -> Reply:
    turn.writer.set("settings", "zone", turn.zone, by=turn.account)
    return turn.say(turn.words("zone-right", zone=turn.zone))


def greeting(turn: Turn) -> Reply:
    """The first words on a new home, with the one question about the clock."""
    other = "en" if turn.words.lang == "zh" else "zh"
    return turn.say(
        turn.words("greeting"),
        turn.words("greeting-zone", zone=turn.zone),
        buttons=(
            turn.button("button-right", "zone-right"),
            turn.button("button-change", "tz"),
            Button(turn.words("button-other-language"), f"lang {other}"),
        ),
    )


def _offer(turn: Turn, offer: str, choice: str) -> Reply | Parsed:
    found = turn.writer.offer(offer)
    if found is None:
        return turn.toast("toast-gone")
    account, body = found
    if account != turn.account and not body.get("anyone"):
        return turn.toast("toast-only", who=turn.name(account))
    if not body:
        return turn.toast("toast-done-already")
    if body["do"] not in ("more", "lines", "chat"):
        turn.writer.close_offer(offer)
    return _carry_out(turn, body, choice)


def _carry_out(turn: Turn, body: dict[str, Any], choice: str) -> Reply | Parsed:
    match body["do"]:
        case "save":
            return _edited(_save(turn, body["text"]))
        case "unclear":
            return _unclear(turn, body["text"], choice)
        case "said":
            if choice != "yes":
                return receipts.pressed(turn, "not-kept")
            return parse(body["text"])
        case "split":
            return remember.split(turn, remember.unpack(body["draft"]))
        case "tell":
            turn.writer.ask(turn.chat, turn.account, {"ask": "tell", "topic": body["topic"]})
            name = "ask-tell" if body["topic"] else "ask-tell-plain"
            text = turn.words(name, topic=render.quoted(body["topic"]))
            return turn.say(text, buttons=(turn.button("button-skip", "close"),))
        case "chat":
            return ask.search_chat(turn, body["topic"])
        case "more":
            return ask.more(turn, body["ids"])
        case "lines":
            return ask.lines_with(turn, body["term"])
        case "settle":
            return ask.settle(turn, body["ids"], int(choice))
        case "forget":
            if choice != "yes":
                return receipts.pressed(turn, "kept-it")
            return forget.forgotten(turn, body["id"])
        case "forget-ask" | "correct" | "move":
            return _chosen(turn, body, int(choice))
        case _:
            return turn.toast("toast-gone")


def _chosen(turn: Turn, body: dict[str, Any], number: int) -> Reply:
    record = body["choices"][number]
    if body["do"] == "move":
        task = turn.writer.task(record)
        return tasks.move_task(turn, task, TaskMove(body["to"])) if task else turn.toast("toast-gone")
    entry = turn.writer.entry(record)
    if entry is None or entry.hidden:
        return turn.toast("toast-gone")
    if body["do"] == "forget-ask":
        return forget.confirm(turn, entry)
    return remember.replace_entry(turn, entry, remember.unpack(body["draft"]))


def _unclear(turn: Turn, text: str, choice: str) -> Reply | Parsed:
    match choice:
        case "save":
            return _edited(_save(turn, text))
        case "look":
            return ask.ask(turn, Ask(text, render.short(text, 40)))
        case _:
            return receipts.pressed(turn, "never-mind")


def _save(turn: Turn, text: str) -> Reply:
    """Kept as if it had been said with the command word before it."""
    return remember.remember(turn, Remember(draft_of(text)), origin=Origin.CONFIRMED)


def _edited(reply: Reply) -> Reply:
    return replace(reply, shape=Shape.EDIT)


def _ask_about(turn: Turn, verb: str, record: str) -> Reply:
    """改成什么？ / Because of what?: the next words answer."""
    entry, task = turn.writer.entry(record), turn.writer.task(record)
    if (entry is None or entry.hidden) and (task is None or task.hidden):
        return turn.toast("toast-gone")
    turn.writer.ask(turn.chat, turn.account, {"ask": verb, "id": record})
    name, skip = ("ask-because", "button-skip") if verb == "because" else ("ask-edit", "button-leave")
    shown = entry or task
    assert shown is not None
    turn.cite(shown.label)
    return turn.say(turn.words(name), buttons=(turn.button(skip, "close"),))


def answer(turn: Turn, question: dict[str, Any], text: str) -> Reply:
    """What the person's next words mean for the question that was open."""
    turn.writer.close_question(turn.chat, turn.account)
    match question["ask"]:
        case "because":
            return remember.fill_in_because(turn, _entry(turn, question), text)
        case "edit" if task := turn.writer.task(question["id"]):
            return tasks.retitle(turn, task, text)
        case "edit" | "correct":
            return remember.replace_entry(turn, _entry(turn, question), draft_of(text), keep=question["ask"] == "edit")
        case "tell":
            return _save(turn, text)
        case "blocked":
            task = turn.writer.task(question["id"])
            assert task is not None
            return tasks.blocked_answer(turn, task, question["field"], question["because"], text)
        case "zone":
            return about.zone(turn, text)
        case "task":
            return tasks.add(turn, AddTask(text))
        case _:
            return turn.toast("toast-gone")


def _entry(turn: Turn, question: dict[str, Any]) -> Entry:
    entry = turn.writer.entry(question["id"])
    if entry is None or entry.hidden:
        raise NotFound("error-gone")
    return entry
