"""/vocab: how the words to learn stand, and everything that can be set about them."""

from __future__ import annotations

from typing import Any

from bot import render
from bot.commands import daily, words_add, words_cards, words_plan, words_shown
from bot.commands.words_deck import must_be_installed, reschedule, tally
from bot.habits import CAP_MOST, NEW_MOST, WORDS, Habits, change, habits
from bot.intents import Vocab, VocabDo
from bot.message import Button, Reply, Shape
from bot.phrases.vocab import PLANS
from bot.turn import Turn
from store.changes import Json
from store.errors import BadCommand, Damaged

PLAN_CHARACTERS_MAX = 40
PLAN_TAGS = tuple(dict.fromkeys(PLANS.values()))


def vocab(turn: Turn, intent: Vocab) -> Reply:
    match intent.do:
        case VocabDo.SHOW:
            return overview(turn)
        case VocabDo.ON:
            return switch_on(turn)
        case VocabDo.OFF:
            return switch_off(turn)
        case VocabDo.PLAN:
            return _plan(turn, intent)
        case VocabDo.NO_PLAN:
            return _set(turn, "learn-no-plan", words_plan="")
        case VocabDo.NEW:
            n = _within(intent.n, 0, NEW_MOST)
            return _set(turn, "learn-new-a-day", {"n": n}, words_new=n)
        case VocabDo.CAP:
            n = _within(intent.n, 1, CAP_MOST)
            return _set(turn, "learn-cap", {"n": n}, words_cap=n)
        case VocabDo.GRADES if intent.n in (2, 4):
            return _set(turn, f"learn-grades-{intent.n}", words_grades=intent.n)
        case VocabDo.TYPE:
            return _set(turn, "learn-type", words_typed=True)
        case VocabDo.NO_TYPE:
            return _set(turn, "learn-no-type", words_typed=False)
        case VocabDo.LIST:
            return words_cards.listed(turn)
        case VocabDo.RESCHEDULE:
            n, answers = reschedule(turn)
            return turn.say(turn.words("learn-rescheduled", n=n, answers=answers))
        case VocabDo.GRADES:
            raise BadCommand("error-learn-grades")
        case VocabDo.UNREAD:
            shown = render.quoted(intent.word)
            return turn.say(turn.words("learn-unread", typed=shown), turn.words("learn-help"))
        case _:
            return words_cards.one(turn, intent)


# how it stands


def overview(turn: Turn) -> Reply:
    now = habits(turn.writer)
    start = turn.button("button-words-of-today", "card today")
    off = turn.button("button-turn-words-off", "card off")
    switch = off if now.words.on else turn.button("button-turn-words-on", "card on")
    total = tally(turn)
    return turn.say(
        _when(turn, now),
        turn.words("learn-amount", new=now.new_a_day, cap=now.cap),
        turn.words("learn-cards", n=total.cards, states=_states(turn, total.by_state)) if total.cards else "",
        "" if total.cards else turn.words("learn-no-cards"),
        turn.words("learn-plan", plan=plan_name(turn, now.plan)) if now.plan else "",
        words_add.no_dictionary(turn),
        buttons=(start, switch) if total.cards else (switch,),
    )


def _when(turn: Turn, now: Habits) -> str:
    name = "learn-is-on" if now.words.on else "learn-is-off"
    return turn.words(name, time=f"{now.words.at:%H:%M}")


def _states(turn: Turn, by_state: dict[str, int]) -> str:
    return " · ".join(turn.words(f"card-count-{name}", n=n) for name, n in by_state.items() if n)


def plan_name(turn: Turn, tag: str) -> str:
    if tag in PLAN_TAGS:
        return turn.words(f"exam-{tag}")
    return tag if tag.isprintable() and len(tag) <= PLAN_CHARACTERS_MAX else "…"


# on and off


def switch_on(turn: Turn, *, shape: Shape = Shape.MESSAGE) -> Reply:
    must_be_installed()
    steps = daily.switched_on(turn, WORDS)
    now = habits(turn.writer)
    lines = [turn.words("learn-on", time=f"{now.words.at:%H:%M}"), daily.first_line(turn, WORDS)]
    if not tally(turn).cards and not now.plan:
        lines.append(turn.words("learn-no-cards"))
    return turn.say(*lines, buttons=(_undo(turn, steps),), shape=shape)


def switch_off(turn: Turn, *, shape: Shape = Shape.MESSAGE) -> Reply:
    turn.notes.timed = True
    steps = change(turn.writer, turn.account, words_on=False)
    return turn.say(turn.words("learn-off"), buttons=(_undo(turn, steps),), shape=shape)


# what is set


def _set(turn: Turn, said: str, facts: dict[str, Any] | None = None, /, **values: Json) -> Reply:
    steps = change(turn.writer, turn.account, **values)
    return turn.say(turn.words(said, **facts or {}), buttons=(_undo(turn, steps),))


def _undo(turn: Turn, steps: list[tuple[str, str, Json]]) -> Button:
    return turn.undo_button("", "habit", steps)


def _within(n: int | None, least: int, most: int) -> int:
    if n is None or not least <= n <= most:
        raise BadCommand("error-learn-number", least=least, most=most)
    return n


def _plans(turn: Turn) -> list[str]:
    """The lists of the dictionary; those there are usually, where it cannot be asked."""
    with words_shown.dictionary(turn) as found:
        try:
            return [tag for tag, _ in found.about().tags] if found is not None else list(PLAN_TAGS)
        except Damaged:
            return list(PLAN_TAGS)


def _plan(turn: Turn, intent: Vocab) -> Reply:
    tags = _plans(turn)
    known = turn.listed(plan_name(turn, tag) for tag in tags)
    if not intent.word:
        now = habits(turn.writer)
        plan = turn.words("learn-plan", plan=plan_name(turn, now.plan)) if now.plan else turn.words("learn-plan-none")
        return turn.say(plan, turn.words("learn-plans", plans=known), words_add.no_dictionary(turn))
    if intent.word not in tags:
        shown = render.quoted(plan_name(turn, intent.word))
        return turn.say(turn.words("learn-plan-unknown", plan=shown), turn.words("learn-plans", plans=known))
    values: dict[str, Json] = {"words_plan": intent.word}
    if intent.n is not None:
        values["words_new"] = _within(intent.n, 1, NEW_MOST)
    steps = change(turn.writer, turn.account, **values)
    now = habits(turn.writer)
    left = words_plan.left(turn, intent.word)
    return turn.say(
        turn.words("learn-plan-set", plan=plan_name(turn, intent.word), n=now.new_a_day),
        turn.words("learn-plan-left", n=left, shown=turn.number(left)) if left else "",
        words_add.no_dictionary(turn),
        buttons=(*words_add.switch_on(turn), _undo(turn, steps)),
    )
