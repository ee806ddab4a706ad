"""Answering a question from memory: evidence first, in the person's own words, with RefID, date and place.

Three outcomes, never a fourth: an answer, the closest there is (shown as such), or what was searched with
an offer to keep the answer. The first line says who and when, unless several entries answer.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from bot import render
from bot.commands import archived, evidence, finding, receipts, restore, searching
from bot.commands.disagree import disagree
from bot.commands.looking import chat_lines, heard, keep_trail, noted, nothing_found, offers_to_keep, why_missed
from bot.commands.remember import remember
from bot.intents import Ask, Aspect, Remember, YouForgot
from bot.message import Line, Reply
from bot.phrases.english import OPENS
from bot.phrases.fields import draft_of
from bot.phrases.grammar import parse
from bot.phrases.questions import is_of_me
from bot.turn import Turn, kind_name
from store.candidates import without
from store.dates import find_dates, no_such_day, undated
from store.model import TALK, AccountID, Entry, EntryKind
from store.recall import SHOWN_MAX, Answer, Question, recall
from store.trail import Outcome

FACTS_MAX = 5
_LABELS = ("button-search-chat", "button-save-this", "button-save", "button-look-up", "button-never-mind")
"""Typed instead of pressed, they are words of ours and no talk that could be found later."""


def ask(turn: Turn, intent: Ask) -> Reply:
    if intent.aspect is not Aspect.SEARCH:
        return noted(turn, _ranked(turn, intent))
    return searching.reply(turn, intent) or searching.hint(turn, intent, noted(turn, _ranked(turn, intent)))


def _ranked(turn: Turn, intent: Ask) -> Reply:
    if intent.aspect is not Aspect.SEARCH:
        intent = replace(intent, topic=undated(intent.topic, intent.question, turn.today))
    if (
        intent.aspect is Aspect.EVER
        and not intent.topic
        and not find_dates(intent.question, turn.today, prefer_past=True)
    ):
        turn.notes.kind = "question"
        return turn.say(turn.words("empty-count"))
    no_day = "" if intent.aspect is Aspect.SEARCH else no_such_day(intent.question)
    question = _question(turn, intent)
    if no_day:  # only its own words could answer
        question = replace(question, literal=True, listing=False, kind=None)
    answer = recall(turn.writer, question)
    turn.notes.kind = "question"
    if no_day and answer.outcome is not Outcome.ANSWER:
        return turn.say(turn.words("no-such-day", day=render.quoted(no_day)))
    turn.notes.topic = intent.topic or render.short(intent.question, 60)
    if answer.outcome is Outcome.NOTHING and _is_chat(intent, answer):
        return not_understood(turn, intent.question)
    keep_trail(turn, question, answer)
    if answer.outcome is not Outcome.ANSWER and (held := restore.asked_for(turn, intent.question)) is not None:
        return restore.question(turn, held)
    if answer.heard and answer.heard.outcome is Outcome.ANSWER and answer.outcome is not Outcome.ANSWER:
        return heard(turn, answer.heard, turn.words("chat-ever"))
    if answer.outcome is Outcome.NOTHING:
        turn.notes.kind = "nothing"
        return nothing_found(turn, answer, _about(turn, intent, question, answer))
    if answer.disagree:
        return disagree(turn, answer.entries)
    if answer.outcome is Outcome.CLOSEST:
        return _closest(turn, answer, intent.topic)
    if not answer.entries:
        return _from_board_and_profile(turn, answer)
    for entry in answer.entries[: evidence.EVIDENCE_MAX]:
        turn.writer.note_use(entry.id)
    return _with_chat(turn, answer, _claimed(turn, intent, question, answer))


def _claimed(turn: Turn, intent: Ask, question: Question, answer: Answer) -> Reply:
    if intent.aspect is Aspect.EVER:
        return _ever(turn, answer)
    first, *rest = answer.entries
    if rest and _several(intent, question, answer):
        is_ranked = any(step.candidates for step in answer.trail)
        name = "answer-best" if is_ranked and len(answer.entries) == SHOWN_MAX else "answer-several"
        return evidence.several(turn, answer.entries, turn.words(name, n=len(answer.entries)))
    return evidence.one(turn, first, _first_line(turn, first, answer), rest=rest)


def _question(turn: Turn, intent: Ask) -> Question:
    named = _named_authors(turn, intent)
    is_mine = not (turn.private or named or intent.aspect is Aspect.SEARCH) and is_of_me(intent.question)
    authors = (turn.account,) if is_mine else named
    kind = {Aspect.PREFERENCE: EntryKind.PREFERENCE}.get(intent.aspect)
    if intent.aspect is Aspect.DECIDED and (named or not intent.topic):
        kind = EntryKind.DECISION
    bare = not intent.topic and intent.aspect not in (Aspect.SEARCH, Aspect.PLAIN)
    return Question(
        words=intent.question,
        today=turn.today,
        literal=intent.aspect is Aspect.SEARCH,
        kind=kind,
        authors=authors,
        listing=bare or bool(named),
        chat=intent.aspect is Aspect.EVER,
        meaning=turn.meaning,
    )


def _with_chat(turn: Turn, answer: Answer, reply: Reply) -> Reply:
    """All that was found is of low confidence: the best of the chat stands below it."""
    if answer.heard is None or not answer.heard.passing:
        return reply
    best = chat_lines(turn, answer.heard.passing[:1])
    return replace(reply, lines=(*reply.lines, Line(turn.words("chat-too")), *best))


def _named_authors(turn: Turn, intent: Ask) -> tuple[str, ...]:
    """A question about nothing but a person lists what the people of that name said."""
    if turn.private or not intent.topic:
        return ()
    wanted = without(intent.topic, find_dates(intent.topic, turn.today, prefer_past=True)).strip().casefold()
    return tuple(account for account, name in turn.names.items() if name.casefold() == wanted)


def _is_chat(intent: Ask, answer: Answer) -> bool:
    """A question about nothing at all: no subject, no time, no kind of entry."""
    return intent.aspect is Aspect.PLAIN and not intent.topic and answer.span is None


def not_understood(turn: Turn, text: str) -> Reply:
    """What is not understood gets offers, and is never stored by guess."""
    turn.notes.kind = "command" if text.strip() in map(turn.words, _LABELS) else TALK
    offer = turn.offer(do="unclear", text=text)
    buttons = (
        turn.button("button-save", f"{offer} save"),
        turn.button("button-look-up", f"{offer} look"),
        turn.button("button-never-mind", f"{offer} drop"),
    )
    return turn.say(turn.words("no-model"), buttons=buttons)


def _about(turn: Turn, intent: Ask, question: Question, answer: Answer) -> str:
    """What to say there is nothing on: the subject, or the kind and the time that were asked for."""
    kind = kind_name(turn, question.kind) if question.kind else ""
    if question.authors and kind:
        return turn.words("kind-by", kind=kind, who=turn.name(AccountID(question.authors[0])))
    if intent.topic or answer.span is None:
        return intent.topic or kind
    return turn.words("kind-dated", kind=kind, when=answer.span.words) if kind else answer.span.words


def _several(intent: Ask, question: Question, answer: Answer) -> bool:
    return intent.aspect is Aspect.SEARCH or answer.span is not None or question.listing or not intent.topic


def _first_line(turn: Turn, entry: Entry, answer: Answer) -> str:
    """你 5月22日（周三）决定的： / You decided this on Wed 22 May:"""
    verb = "decided" if entry.draft.kind is EntryKind.DECISION else "said"
    who = turn.who(entry.author)
    if answer.span is not None:
        first, last = date.fromisoformat(answer.span.first), date.fromisoformat(answer.span.last)
        when = receipts.span(turn, first, last, weekday=False)
        return turn.words(f"answer-{verb}-span", words=answer.span.words, when=when, who=who)
    when, near = render.moment(turn.words, turn.when(entry), turn.today)
    if turn.words.lang == "zh":
        return render.spaced(turn.words, who, when, turn.words(f"answer-{verb}"))
    return turn.words(f"answer-{verb}", who=who, when=when if near else turn.words("on-day", day=when))


def _ever(turn: Turn, answer: Answer) -> Reply:
    newest = max(answer.entries, key=lambda e: (e.at_ms, e.label))
    at = turn.when(newest)
    near = render.near_day(turn.words, at.date(), turn.today)
    shown = near or render.day(turn.words, at.date(), turn.today)
    when = shown if near or turn.words.lang == "zh" else turn.words("on-day", day=shown)
    first = render.spaced(turn.words, turn.words("answer-ever", n=len(answer.entries)), when) + turn.words("colon")
    rest = [e for e in answer.entries if e.id != newest.id]
    return evidence.one(turn, newest, first, rest=rest, timed=False, named=True)


def _closest(turn: Turn, answer: Answer, topic: str) -> Reply:
    words, shown = turn.words, render.quoted(topic)
    if topic and answer.span is not None:
        title = words("answer-closest-dated", topic=shown, when=render.quoted(answer.span.words))
    else:
        title = words("answer-closest", topic=shown) if topic else words("answer-closest-plain")
    buttons = (*archived.button(turn, topic), *offers_to_keep(turn, topic))
    return evidence.several(turn, answer.entries, title, buttons=buttons)


def _from_board_and_profile(turn: Turn, answer: Answer) -> Reply:
    tasks = answer.tasks[: evidence.EVIDENCE_MAX]
    lines = [turn.task_line(task) for task in tasks]
    turn.cite(*(task.label for task in tasks))
    lines += [
        turn.words("profile-line", name=name, value=render.quoted(render.short(value, 120)))
        for name, value in answer.facts[:FACTS_MAX]
    ]
    title = turn.words("answer-board") if tasks else turn.words("answer-profile")
    return turn.say(title, *lines, buttons=(turn.button("button-board", "board"),) if tasks else ())


def _only_asks(text: str) -> bool:
    """You forgot *where the key is*: what is to be kept is not said."""
    return OPENS.match(text.casefold()) is not None or isinstance(parse(text).intent, Ask)


def you_forgot(turn: Turn, intent: YouForgot) -> Reply:
    """No arguing: the exact stored place, or it is stored now."""
    question = Question(words=intent.text, today=turn.today, chat=True, meaning=turn.meaning)
    answer = recall(turn.writer, question)
    missed = why_missed(turn, answer.entries[0]) if answer.outcome is Outcome.ANSWER and answer.entries else ""
    keep_trail(turn, question, answer)
    turn.notes.topic = render.short(intent.text, 60)
    if answer.heard and answer.heard.outcome is Outcome.ANSWER and answer.outcome is not Outcome.ANSWER:
        return heard(turn, answer.heard, turn.words("it-is-in-chat"))
    if not answer.entries and (held := restore.asked_for(turn, intent.text)) is not None:
        return restore.question(turn, held)
    if not answer.entries and _only_asks(intent.text):
        return nothing_found(turn, answer, render.short(intent.text, 60))
    if not answer.entries:
        return remember(turn, Remember(draft_of(intent.text)), first=turn.words("was-not-there"))
    entry = answer.entries[0]
    turn.cite(entry.label)
    source = turn.button("button-source", f"why {finding.ref_of(turn, entry)}")
    if answer.outcome is Outcome.ANSWER:
        first, second = turn.words("it-is-here"), turn.button("button-correct", f"correct {entry.id}")
    else:
        first = turn.words("answer-closest-plain")
        second = turn.button("button-save-this", turn.offer(do="save", text=intent.text))
    return turn.say(
        first,
        receipts.quote(turn, entry),
        *receipts.reasons(turn, entry),
        evidence.citation(turn, entry, dated=True),
        missed,
        buttons=(source, second),
    )
