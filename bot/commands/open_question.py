"""What the person's next words mean for the question that was open."""

from __future__ import annotations

from typing import Any

from bot.commands import about, correct, daily, reminders, tasks, words
from bot.commands.remember import keep, with_last_day
from bot.intents import AddTask
from bot.message import Reply
from bot.phrases.lasting import remember_of
from bot.turn import Turn
from store.errors import NotFound
from store.model import Entry, Task


def answer(turn: Turn, question: dict[str, Any], text: str) -> Reply | None:
    """None for words that are plainly no answer to it: then they mean what they would mean without it."""
    turn.writer.close_question(turn.chat, turn.account)
    match question["ask"]:
        case "because":
            return correct.fill_in_because(turn, _entry(turn, question), text)
        case "edit" | "correct":
            if turn.writer.task(question["id"]) is not None:
                return tasks.retitle(turn, _task(turn, question), text)
            draft = with_last_day(turn, remember_of(text)).draft
            return correct.replace_entry(turn, _entry(turn, question), draft, keep=question["ask"] == "edit")
        case "tell":
            return keep(turn, text)
        case "blocked":
            task = _task(turn, question)
            if question["field"] == "blocked_by":
                return tasks.ask_blocked(turn, task, because=text)
            return tasks.block(turn, task, question["because"], text)
        case "zone":
            return about.zone(turn, text, again="again" in question)
        case "when":
            return reminders.answer_when(turn, question, _task(turn, question), text)
        case "remind-zone":
            return reminders.answer_zone(turn, question, _task(turn, question), text)
        case "daily-time":
            return daily.answer_time(turn, question, text)
        case "pause":
            return daily.answer_day(turn, text)
        case "task":
            return tasks.add(turn, AddTask(text))
        case "card" | "card-add" | "card-which" | "card-meaning":
            return words.answered(turn, question, text)
        case unknown:
            raise AssertionError(f"nobody asks {unknown}")


def _entry(turn: Turn, question: dict[str, Any]) -> Entry:
    entry = turn.writer.entry(question["id"])
    if entry is None or entry.hidden:
        raise NotFound("error-gone")
    return entry


def _task(turn: Turn, question: dict[str, Any]) -> Task:
    task = turn.writer.task(question["id"])
    if task is None or task.hidden:
        raise NotFound("error-gone")
    return task
