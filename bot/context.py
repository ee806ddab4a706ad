"""The words around what an agent is given of memory (`store.context`): the same names of things that people see.

Names are words of people, too, and stand outside the fence: one line, short, and no order, or they are not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from bot import render
from bot.words import Words
from store.context import Context, Mark, Period, context
from store.model import AccountID, Confidence, Entry, Origin, RefID, Task
from store.own_rows import Turn
from store.recall import Question
from store.taint import is_instruction
from store.trail import Outcome
from store.view import View

NAME_CHARACTERS_MAX = 40
REFS_MAX = 5
_PLAIN_ORIGINS = (Origin.SAID, Origin.CONFIRMED)


def context_for_agent(view: View, question: Question, budget: int, words: Words) -> Context:
    """What of this memory answers `question`, in at most `budget` characters. Raises ValueError for a negative one."""
    return context(view, question, budget, ContextLabels(words, question.today, view.people()))


class ContextLabels:
    """`people`: the accounts of the scope; where they are several, each line names who said it."""

    def __init__(self, words: Words, today: date, people: dict[AccountID, str]) -> None:
        self._words = words
        self._today = today
        self._people = people

    def first(self, outcome: Outcome, *, chat: bool) -> str:
        if chat:
            return self._words("context-chat")
        match outcome:
            case Outcome.ANSWER:
                return self._words("context-answer")
            case Outcome.CLOSEST:
                return self._words("context-closest")
            case Outcome.NOTHING:
                return self._words("context-nothing")

    def period(self, period: Period | None) -> str:
        if period is None:
            return self._words("context-now")
        if period.first == period.last:
            return render.day(self._words, period.first, self._today)
        return render.month(self._words, period.first)

    def entry(self, entry: Entry, mark: Mark) -> str:
        words, draft = self._words, entry.draft
        parts = [entry.label, words(f"kind-{draft.kind.value}")]
        if entry.source.quoted:
            parts.append(words("context-by", who=self._shown(entry.source.quoted)))
        elif len(self._people) > 1:
            parts.append(words("context-by", who=self._name(entry.author)))
        if mark.dated:
            parts.append(render.day(words, date.fromisoformat(entry.day), self._today))
        if entry.origin not in _PLAIN_ORIGINS:
            parts.append(words(f"origin-{entry.origin.value}"))
        if draft.confidence is Confidence.LOW:
            parts.append(words("field-confidence", text=words("confidence-low")))
        if entry.versions > 1:
            parts.append(words("state-two-versions"))
        if mark.times > 1:
            parts.append(words("context-times", n=mark.times))
        if mark.against:
            parts.append(words("context-against", refs=self._listed(mark.against)))
        if mark.replaced_by:
            parts.append(words("context-replaced-by", ref=mark.replaced_by))
        return " · ".join(parts)

    def turn(self, turn: Turn, *, dated: bool, close: bool) -> str:
        parts = [self._words("context-in-chat-close" if close else "context-in-chat")]
        if len(self._people) > 1:
            parts.append(self._words("context-by", who=self._name(turn.account)))
        if dated:
            parts.append(render.day(self._words, date.fromisoformat(turn.day), self._today))
        return " · ".join(parts)

    def task(self, task: Task) -> str:
        return f"{task.label} · {self._words(f'state-{task.state.value}')}"

    def fact(self) -> str:
        return self._words("context-fact")

    def reason(self, name: str, text: str) -> str:
        return self._words(f"field-{name}", text=text)

    def withheld(self, count: int, refs: Sequence[RefID]) -> str:
        return " · ".join([self._words("context-withheld", n=count), *([self._listed(refs)] if refs else [])])

    def left_out(self, count: int, *, all_of_them: bool) -> str:
        return self._words("context-none-fits" if all_of_them else "context-left-out", n=count)

    def _listed(self, refs: Sequence[RefID]) -> str:
        shown = [*refs[:REFS_MAX], *(["…"] if len(refs) > REFS_MAX else [])]
        return render.LIST_SEPARATOR[self._words.lang].join(shown)

    def _name(self, account: AccountID) -> str:
        return self._shown(self._people.get(account) or account.partition(":")[2])

    def _shown(self, name: str) -> str:
        line = " ".join(name.split())
        if not line or len(line) > NAME_CHARACTERS_MAX or is_instruction(line):
            return self._words("someone")
        return line
