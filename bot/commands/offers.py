"""What buttons do.

A button's action names a record or an offer that the scope keeps; it never carries words. An offer is for
one person; pressing it closes it, unless it only shows something.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot import render
from bot.commands import (
    about,
    answers,
    apart,
    archived,
    board,
    chat_kept,
    correct,
    counts,
    daily,
    digest,
    disagree,
    evidence,
    forget,
    forwarded,
    lists,
    look_back,
    looking,
    refs,
    reminders,
    restore,
    searching,
    tasks,
    tracking,
    which,
    wished,
    words,
)
from bot.commands import undo as undoing
from bot.commands.remember import keep, remember, split, unpack, with_last_day
from bot.intents import Archive, Ask, History, Parsed, Remember, SearchCold, Simple, TaskMove, Why
from bot.message import Quoted, Reply, Shape
from bot.phrases.grammar import parse
from bot.turn import Turn
from bot.words import LANGUAGES
from store.model import Role
from store.view import View

SHOWING = ("more", "lines", "chat", "archive", "search", "card-words")
"""Offers that change nothing, or nothing twice, and may be pressed again."""
NUMBER_DIGITS_MAX = 7
"""No list of ours has as many rows."""


def words_of(view: View, action: str) -> str:
    """The words whose meaning memory will be searched for by this button; "" where it will not be."""
    verb, _, rest = action.partition(" ")
    offer, _, choice = rest.partition(" ")
    found = view.offer(offer) if verb == "offer" else None
    body = found[1] if found else {}
    if body.get("do") == "chat":
        return str(body["topic"])
    return str(body["text"]) if body.get("do") == "unclear" and choice == "look" else ""


def press(turn: Turn, action: str) -> Reply | Parsed:
    """The reply, or the parsed words that a button says in the person's place.

    A chat program can send any action it likes, so one that none of our buttons carries is answered like a stale one.
    """
    verb, _, rest = action.partition(" ")
    argument, _, more = rest.partition(" ")
    if not _is_ours(verb, argument, more):
        return turn.toast("toast-gone")
    match verb:
        case "undo":
            return undoing.take_back(turn, argument)
        case "offer":
            return _offer(turn, argument, more)
        case "edit" | "correct" | "because":
            return _ask_about(turn, verb, argument)
        case "why":
            why = Why(argument)
            return which.ask(turn, why) or restore.ask(turn, why) or refs.why(turn, why)
        case "history":
            history = History(argument)
            return which.ask(turn, history) or restore.ask(turn, history) or refs.history(turn, history)
        case "full":
            return refs.full(turn, argument)
        case "list":
            return lists.listed(turn, argument, int(more))
        case "tracked":
            return tracking.listed(turn, int(argument))
        case "move":
            task = turn.writer.task(argument)
            if task is None or task.hidden:
                return turn.toast("toast-gone")
            return tasks.move_task(turn, task, TaskMove(more), shape=Shape.EDIT)
        case "board":
            return board.board(turn, page=int(argument or 0), shape=Shape.EDIT if argument else Shape.MESSAGE)
        case "archive":
            shape = Shape.EDIT if more else Shape.MESSAGE
            return board.archive(turn, Archive(argument), page=int(more or 0), shape=shape)
        case "when":
            task = turn.writer.task(argument)
            if task is None or task.hidden:
                return turn.toast("toast-gone")
            return reminders.ask_for_time(turn, task)
        case "daily" if argument in ("good", "back"):
            return look_back.checked(turn, argument)
        case "daily":
            return daily.press(turn, argument, more)
        case "card":
            return words.press(turn, argument, more)
        case "ask-task":
            return board.ask_for_task(turn)
        case "help" | "lang" | "tz":
            return about.simple(turn, Simple(verb, argument))
        case "greet":
            return about.greet_in(turn, argument)
        case "zone-right":
            return about.zone_right(turn)
        case "private":
            return turn.toast("toast-open-private")
        case "how-to-import":
            return turn.say(turn.words("how-to-import"))
        case "wishes":
            return wished.show(turn) or turn.toast("toast-done-already")
        case "tidy":
            return digest.press(turn, argument, more)
        case "settle":
            return digest.settle(turn, argument, more)
        case "case":
            return digest.case(turn, argument, more)
        case "chat-kept":
            return chat_kept.press(turn, argument)
        case "skill":
            return digest.skill(turn, argument, more)
        case "close":
            return _close(turn)
        case _:
            return turn.toast("toast-gone")


def _is_ours(verb: str, argument: str, more: str) -> bool:
    match verb:
        case "list":
            return argument in lists.LISTS and _is_number(more)
        case "tracked":
            return _is_number(argument)
        case "board":
            return not argument or _is_number(argument)
        case "archive":
            return not more or _is_number(more)
        case "move":
            return more in [*TaskMove]
        case "greet":
            return argument in LANGUAGES
        case _:
            return True


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < NUMBER_DIGITS_MAX


def _close(turn: Turn) -> Reply:
    """[Skip], [Leave it]: only the person who was asked can, and only while the question stands."""
    if turn.writer.pending(turn.chat, turn.account, turn.now_ms) is None:
        return turn.toast("toast-gone")
    turn.writer.close_question(turn.chat, turn.account)
    return turn.pressed("left-as-it-is")


def _offer(turn: Turn, offer: str, choice: str) -> Reply | Parsed:
    found = turn.writer.offer(offer)
    if found is None:
        return turn.toast("toast-gone")
    account, body = found
    if account != turn.account and not body.get("anyone"):
        return turn.toast("toast-only", who=turn.name(account))
    if not body:
        return turn.toast("toast-done-already")
    if body["do"] not in SHOWING:
        turn.writer.close_offer(offer)
    try:
        if body["do"] == "search":
            return searching.page(turn, offer, body, choice)
        return _carry_out(turn, body, choice)
    except (IndexError, ValueError):  # a place that this offer never had
        return turn.toast("toast-gone")


def _carry_out(turn: Turn, body: dict[str, Any], choice: str) -> Reply | Parsed:
    match body["do"]:
        case "save":
            return _save(turn, body["text"])
        case "unclear":
            return _unclear(turn, body["text"], choice)
        case "said":
            return _said(turn, body, choice)
        case "quote":
            return forwarded.chosen(turn, body, choice)
        case "split":
            return split(turn, unpack(body["draft"]))
        case "tell":
            turn.writer.ask(turn.chat, turn.account, {"ask": "tell"})
            name = "ask-tell" if body["topic"] else "ask-tell-plain"
            text = turn.words(name, topic=render.quoted(body["topic"]))
            return turn.say(text, buttons=(turn.button("button-skip", "close"),))
        case "chat":
            return looking.search_chat(turn, body["topic"])
        case "archive":
            return archived.search(turn, SearchCold(body["topic"]))
        case "more":
            return evidence.more(turn, body["ids"])
        case "lines":
            return counts.lines_with(turn, body)
        case "card-words":
            return words.offered(turn, body, choice)
        case "untrack":
            return tracking.stop(turn, body["field"])
        case "settle":
            return disagree.settle(turn, body["ids"], int(choice))
        case "which":
            return which.chosen(body, body["choices"][int(choice)])
        case "wish":
            return _edited(wished.chosen(turn, body["choices"][int(choice)]))
        case "restore":
            return restore.chosen(turn, body["id"], choice)
        case "apart":
            return apart.settle(turn, body["id"], choice)
        case "forget":
            return forget.chosen(turn, body["id"], choice)
        case "rung":
            return reminders.rung(turn, body, choice)
        case "remind-zone":
            task = turn.writer.task(body["id"])
            if task is None or task.hidden:
                return turn.toast("toast-gone")
            return reminders.zone_chosen(turn, body, choice, task)
        case "move":
            task = turn.writer.task(body["choices"][int(choice)])
            if task is None or task.hidden:
                return turn.toast("toast-gone")
            return tasks.move_task(
                turn, task, TaskMove(body["to"]), because=body["because"], resume=body["resume"], shape=Shape.EDIT
            )
        case _:
            return _chosen_entry(turn, body, body["choices"][int(choice)])


def _chosen_entry(turn: Turn, body: dict[str, Any], record: str) -> Reply:
    entry = turn.writer.entry(record)
    if entry is None or entry.hidden:
        return turn.toast("toast-gone")
    if body["do"] == "forget-ask":
        return _edited(forget.confirm(turn, entry, by_ref=False))
    return _edited(correct.replace_entry(turn, entry, unpack(body["draft"])))


def _unclear(turn: Turn, text: str, choice: str) -> Reply:
    match choice:
        case "save":
            return _save(turn, text)
        case "look":
            return answers.ask(turn, Ask(text, render.short(text, 40)))
        case _:
            return turn.pressed("never-mind")


def _said(turn: Turn, body: dict[str, Any], choice: str) -> Reply | Parsed:
    """The masked words, or the command that was meant, said in the person's place."""
    if choice != "yes":
        return turn.pressed("not-kept")
    if "quoted" not in body:
        return parse(body["text"])
    again = replace(turn, inbound=replace(turn.inbound, reply_to=Quoted(*body["quoted"])))
    parsed = parse(body["text"], is_reply=True)
    assert isinstance(parsed.intent, Remember)
    return _edited(remember(again, with_last_day(again, parsed.intent)))


def _save(turn: Turn, text: str) -> Reply:
    """Kept as if it had been said with the command word before it."""
    reply = _edited(keep(turn, text))
    if turn.notes.entry is not None:
        turn.writer.note_source(text, turn.notes.entry)
    return reply


def _edited(reply: Reply) -> Reply:
    return replace(reply, shape=Shape.EDIT)


def _ask_about(turn: Turn, verb: str, record: str) -> Reply:
    """改成什么？ / Because of what?: the next words answer. Under a receipt only its author (or an admin) presses."""
    entry, task = turn.writer.entry(record), turn.writer.task(record)
    shown = entry or task
    if shown is None or shown.hidden:
        return turn.toast("toast-gone")
    if verb != "correct" and shown.author != turn.account and turn.role is Role.MEMBER and not turn.private:
        return turn.toast("toast-only", who=turn.name(shown.author))
    if verb == "correct":
        return correct.ask_for_words(turn, record, shown.label)
    turn.writer.ask(turn.chat, turn.account, {"ask": verb, "id": record})
    turn.cite(shown.label)
    name, skip = ("ask-because", "button-skip") if verb == "because" else ("ask-edit", "button-leave")
    return turn.say(turn.words(name), buttons=(turn.button(skip, "close"),))
