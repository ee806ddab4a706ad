"""What is decided on a live card instead of answering it: known already, learned anew, fewer today; and taking back."""

from __future__ import annotations

from dataclasses import replace

from bot.commands import words_later, words_live, words_plan
from bot.commands.words_deck import Deal, deal
from bot.message import Reply, Shape
from bot.turn import Turn
from store import cards
from store.model import CardState, RefID, ReviewKind
from store.own_rows import UNDO_MS


def known(turn: Turn, record: str, day: str, attempt: int) -> Reply:
    """[Known]: a new word that is none is asked no more, and the next one comes, of the plan where there is one."""
    dealt = deal(turn)
    card = words_live.still_open(dealt, record, day, attempt)
    if card is None:
        found = cards.card(turn.writer, record)
        is_known = found is not None and found.state is CardState.KNOWN
        return turn.toast("toast-done-already") if is_known else words_live.as_it_is(turn, dealt)
    before = cards.set_card(turn.writer, card.id, by=turn.account, state=CardState.KNOWN)
    undo = turn.undo_button("", "known", [(card.id, name, value) for name, value in before.items()])
    dealt, said = words_plan.topped_up(turn), turn.words("card-is-known", word=card.word)
    if not dealt.cards:
        return words_later.all_seen(turn, dealt, [said], undo, shape=Shape.EDIT)
    return words_live.front(turn, dealt, [said], undo=undo, shape=Shape.EDIT)


def undo(turn: Turn, event: str) -> Reply:
    """The newest answer of its card is taken back, and asked once more; or that it is learned anew."""
    given = cards.review(turn.writer, event)
    if given is None or given.kind not in (ReviewKind.ANSWER, ReviewKind.RESET):
        return turn.toast("toast-gone")
    if turn.now_ms - given.at_ms > UNDO_MS:
        return turn.toast("toast-too-late")
    for one in turn.writer.undoables(turn.chat, turn.account, RefID("")):
        if one.verb == "grade" and one.steps[0][1] == given.id:
            turn.writer.take_back(one.id, (), by=turn.account)
    dealt = deal(turn)
    if not words_live.is_newest_of_card(turn, dealt, given):
        return words_live.as_it_is(turn, dealt)
    dealt.deck.undo(turn.writer, given.id, by=turn.account)
    turn.writer.close_question(turn.chat, turn.account)
    return _as_before(turn, dealt.again(), given.card)


def known_undone(turn: Turn, record: str) -> Reply:
    """[Undo] of a live [Known]: its card is asked again, where it was."""
    return _as_before(turn, deal(turn), record)


def _as_before(turn: Turn, dealt: Deal, record: str) -> Reply:
    if (found := dealt.open_card(record)) is not None:
        return words_live.back(turn, dealt, found)
    card = cards.card(turn.writer, record)
    return words_live.as_it_is(turn, dealt, turn.words("cards-as-before", words=card.word if card else ""))


def anew(turn: Turn, record: str) -> Reply:
    """[Learn anew] under a stubborn word."""
    card = cards.card(turn.writer, record)
    if card is None or card.state is not CardState.ACTIVE:
        return turn.toast("toast-gone")
    dealt = deal(turn)
    if not dealt.deck.remembered(card.id).is_stubborn:  # learned well since
        return turn.toast("toast-done-already")
    (reset,) = dealt.deck.reset(turn.writer, [card.id], by=turn.account)
    words_live.can_be_undone(turn, reset)
    return words_live.as_it_is(
        turn, dealt.again(), turn.words("card-anew", word=card.word), undo=words_live.undo_button(turn, reset)
    )


def fewer(turn: Turn, day: str) -> Reply:
    """[Fewer today], once a day, and on that day."""
    dealt = deal(turn)
    if day != dealt.key or dealt.fewer:
        return words_live.as_it_is(turn, dealt)
    n, undo = words_later.fewer(turn, dealt)
    return words_live.as_it_is(turn, deal(turn), turn.words("words-fewer", n=n), undo=undo)


def fewer_undone(turn: Turn) -> Reply:
    """[Undo] of [Fewer today]: what the day takes, and whether it is to be fewer."""
    dealt = deal(turn)
    return replace(words_later.backlog(turn, dealt) or words_live.as_it_is(turn, dealt), shape=Shape.EDIT)
