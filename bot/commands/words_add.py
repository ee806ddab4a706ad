"""A word becomes a card: typed, several at once, out of a message, or by a button under a count."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bot.commands import words_shown
from bot.habits import habits
from bot.intents import AddWords
from bot.message import Button, Quoted, Reply
from bot.phrases.vocab import waves_off
from bot.phrases.word_list import URL, Wanted, bare_word, pieces
from bot.phrases.words import courtesy_in
from bot.turn import Turn
from store import cards
from store.changes import Json
from store.dictionary import Dictionary
from store.errors import BadCommand, Damaged
from store.model import Card, CardState

AT_ONCE_MAX = 50
TYPED_CHARACTERS_MAX = 8000
"""More words, or longer ones, come as a file."""
SAID_WORDS_MAX, SAID_HAN_MAX = 4, 8
"""What is longer is a sentence, and no answer to “which word?”."""
CANDIDATES_MAX = 3
CANDIDATE_LETTERS_MIN = 4
COMMON_RANK = 1500
"""Words that are used more often than this are nobody's new ones."""
LABEL_CHARACTERS_MAX = 16
_HAN = re.compile(r"[\u3400-\u9fff]")
_RUN = re.compile(r"[A-Za-z][A-Za-z'’\-]*")


@dataclass(slots=True)
class _Outcome:
    new: list[Card] = field(default_factory=list)
    there: list[Card] = field(default_factory=list)
    changed: list[Card] = field(default_factory=list)
    """Those there with another meaning, as it was typed."""
    unknown: list[Card] = field(default_factory=list)
    """New ones without any meaning."""
    steps: list[tuple[str, str, Json]] = field(default_factory=list)
    """What taking it back would set."""


def add(turn: Turn, intent: AddWords) -> Reply:
    if len(intent.words) > TYPED_CHARACTERS_MAX:
        raise BadCommand("error-words-too-long", most=turn.number(TYPED_CHARACTERS_MAX))
    if not intent.words.strip():
        quoted = turn.inbound.reply_to
        if quoted is not None and quoted.text.strip():
            return _from_message(turn, quoted)
        turn.writer.ask(turn.chat, turn.account, {"ask": "card-add", "lang": turn.words.lang})
        return turn.say(turn.words("ask-which-word"), buttons=(turn.button("button-never-mind", "close"),))
    return add_all(turn, list(pieces(intent.words)))


def answered(turn: Turn, text: str, then: Callable[[list[Wanted]], Reply]) -> Reply | None:
    """What follows “which word?”, given to `then`; None for what is no word."""
    if waves_off(text):
        turn.writer.close_question(turn.chat, turn.account)
        return turn.say(turn.words("never-mind"))
    wanted = list(pieces(text)) if len(text) <= TYPED_CHARACTERS_MAX else []
    if not wanted or courtesy_in(text) or "://" in text or not all(_is_short(one.word) for one in wanted):
        return None
    turn.writer.close_question(turn.chat, turn.account)
    return then(wanted)


def _is_short(word: str) -> bool:
    return len(word.split()) <= SAID_WORDS_MAX and len(_HAN.findall(word)) <= SAID_HAN_MAX


def add_all(turn: Turn, wanted: Sequence[Wanted]) -> Reply:
    some = [one for one in wanted if cards.is_word(one.word)]
    if not some:
        return turn.say(turn.words("no-word-read"))
    if len(some) > AT_ONCE_MAX:
        raise BadCommand("error-too-many-words", n=len(some), most=AT_ONCE_MAX)
    with words_shown.dictionary(turn) as found:
        outcome = _keep(turn, found, some)
    undo = (turn.undo_button("", "card", outcome.steps),) if outcome.steps else ()
    if len(outcome.new) + len(outcome.there) == 1:
        return _one(turn, outcome, undo)
    lines = [
        turn.words("cards-new", n=len(outcome.new), words=_named(turn, outcome.new)) if outcome.new else "",
        turn.words("cards-there", n=len(outcome.there), words=_named(turn, outcome.there)) if outcome.there else "",
        turn.words("cards-changed", words=_named(turn, outcome.changed)) if outcome.changed else "",
        turn.words("cards-no-meaning", words=_named(turn, outcome.unknown)) if outcome.unknown else "",
        no_dictionary(turn) if outcome.unknown else "",
    ]
    return turn.say(*lines, buttons=(*switch_on(turn), *undo))


def _one(turn: Turn, outcome: _Outcome, undo: tuple[Button, ...]) -> Reply:
    if outcome.there:
        (card,) = outcome.there
        return turn.say(turn.words("card-there", word=card.word), *_told(turn, card), buttons=undo)
    (card,) = outcome.new
    lines = [turn.words("card-new", word=card.word), *_told(turn, card)]
    if outcome.unknown:
        lines += [turn.words("card-no-meaning"), no_dictionary(turn)]
        meaning = turn.button("button-add-meaning", f"card meaning {card.id}")
        return turn.say(*lines, buttons=(meaning, *undo))
    return turn.say(*lines, buttons=(*switch_on(turn), *undo))


def _told(turn: Turn, card: Card) -> list[str]:
    definition = words_shown.look_up(turn, card.word)
    told = words_shown.head(card, definition)
    return [*([told] if told != card.word else []), *words_shown.senses(turn, card, definition)[:1]]


def no_dictionary(turn: Turn) -> str:
    """How to get one, where there is none; "" where there is."""
    with words_shown.dictionary(turn) as found:
        return "" if found is not None else turn.words("no-dictionary")


def switch_on(turn: Turn) -> tuple[Button, ...]:
    """[Turn on], as long as nobody has said when words are to come."""
    return () if habits(turn.writer).words.on else (turn.button("button-turn-words-on", "card on"),)


def _named(turn: Turn, some: Sequence[Card]) -> str:
    return turn.listed(card.word for card in some)


def _keep(turn: Turn, found: Dictionary | None, wanted: Sequence[Wanted]) -> _Outcome:
    """All of them; what is typed as a meaning is the meaning, also of a word that is there, or was once removed."""
    outcome = _Outcome()
    typed: dict[str, str] = {}
    for one in wanted:
        for word in _spelled(found, one):
            typed[word] = one.meaning or typed.get(word, "")
    seen = set[str]()
    for number, (word, meaning) in enumerate(typed.items()):
        before = cards.card_of(turn.writer, word)
        card, is_new = cards.add_card(turn.writer, word, by=turn.account, at_ms=turn.now_ms + number, meaning=meaning)
        if meaning and card.meaning != meaning:
            cards.set_card(turn.writer, card.id, by=turn.account, meaning=meaning)
            card = replace(card, meaning=meaning)
        if card.id in seen:
            continue
        seen.add(card.id)
        if before is not None and before.meaning != card.meaning:
            outcome.steps.append((card.id, "meaning", before.meaning))
        if not is_new:
            outcome.there.append(card)
            if before is not None and before.meaning not in ("", card.meaning):
                outcome.changed.append(card)
            continue
        outcome.new.append(card)
        outcome.steps.append((card.id, "card_state", CardState.REMOVED.value))
        if not card.meaning and (found is None or _defined(found, word) is None):
            outcome.unknown.append(card)
    return outcome


def _spelled(found: Dictionary | None, one: Wanted) -> list[str]:
    """As the dictionary spells it: the head word of a form; several words in a row that are no phrase are several."""
    if found is None:
        return [one.word]
    try:
        if there := found.look(one.word):
            return [there.word]
        if len(heads := found.lemmas(one.word)) == 1:
            return [heads[0]]
        parts = one.word.split()
        if len(parts) > 1 and not one.meaning and all(found.lemmas(part) for part in parts):
            return [word for part in parts for word in _spelled(found, Wanted(part))]
    except Damaged:
        pass
    return [one.word]


def _defined(found: Dictionary, word: str) -> object | None:
    try:
        return words_shown.defined(found, word)
    except Damaged:
        return None


# out of a message


def _from_message(turn: Turn, quoted: Quoted) -> Reply:
    text = quoted.text.strip()
    if len(_RUN.findall(text)) == 1 and len(text) <= cards.WORD_CHARACTERS_MAX and len(text.split()) == 1:
        return add_all(turn, [Wanted(bare_word(text))])
    found = candidates(turn, text)
    if not found:
        turn.writer.ask(turn.chat, turn.account, {"ask": "card-add", "lang": turn.words.lang})
        return turn.say(turn.words("ask-which-word"), buttons=(turn.button("button-never-mind", "close"),))
    if len(found) == 1:
        return add_all(turn, [Wanted(found[0])])
    offer = turn.offer(do="card-words", words=found)
    buttons = tuple(Button(_label(word), f"{offer} {number}") for number, word in enumerate(found))
    return turn.say(turn.words("ask-which-of"), buttons=buttons)


def chosen(turn: Turn, word: str) -> Reply:
    """A word out of an offer of ours."""
    return add_all(turn, [Wanted(word)])


def _label(word: str) -> str:
    return word if len(word) <= LABEL_CHARACTERS_MAX else f"{word[: LABEL_CHARACTERS_MAX - 1]}…"


def candidates(turn: Turn, text: str) -> list[str]:
    """At most three words of a text that are worth a card: the rarest first, or the longest without a dictionary."""
    text = URL.sub(" ", text)
    with words_shown.dictionary(turn) as found:
        weighed: dict[str, int] = {}
        for run in _RUN.finditer(text):
            word = run[0].strip("'’-")
            inside = run.start() > 0 and text[run.start() - 1] not in '.!?\n“"' and text[max(0, run.start() - 2)] != "."
            if len(word) < CANDIDATE_LETTERS_MIN or (word[:1].isupper() and (inside or word.isupper())):
                continue
            spelled, weight = _weighed(found, word.lower())
            card = cards.card_of(turn.writer, spelled)
            if weight and (card is None or card.state is CardState.REMOVED):
                weighed[spelled] = weight
    return sorted(weighed, key=lambda word: (-weighed[word], word))[:CANDIDATES_MAX]


def _weighed(found: Dictionary | None, word: str) -> tuple[str, int]:
    if found is None:
        return word, len(word)
    try:
        there = words_shown.defined(found, word)
    except Damaged:
        there = None
    if there is None:
        return word, 0
    if there.rank and there.rank <= COMMON_RANK and not set(there.tags) - {"cet4"}:
        return there.word, 0
    return there.word, there.rank or COMMON_RANK
