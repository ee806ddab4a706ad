"""Recall in stages, without a model: what memory knows, how sure it is, and how it looked.

Today, yesterday, the board, the profile and the rules first (L1); all entries next (L2); the chat (L3) only where a
question asks for it, or where all that was found is of low confidence. One query ranks L1 and L2; the gate then decides
whether the best of them may be *claimed*. What a newcomer would get wrong: a date in a question is when something was
said *or* what it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from store.archive import is_cold, weight_of
from store.candidates import allowed, condition, folded, without
from store.chat import Heard, search_chat
from store.dates import FoundDate, find_dates, recurs
from store.gate import Judge, Weighed, weigh
from store.model import Confidence, DateSpan, Entry, EntryKind, Task
from store.own_rows import Turn
from store.ranking import JUDGED_MAX, Counts, Ranked, rank_facts
from store.sql import marks
from store.succession import current, rivals_of
from store.text import fold, gate_terms, is_bare, is_unspaced, named_in, needed_in, other_numbers, terms
from store.trail import CANDIDATES_MAX, Candidate, Outcome, Step
from store.vectors import Meaning
from store.view import View

SHOWN_MAX = 10
ALONGSIDE = 0.75
"""A further entry is claimed when it is at least this share as strong as the strongest one."""
IMPORTANCE_SHARE = 0.05
USE_SHARE = 0.02
USES_MAX, TIMES_MAX = 5, 8
"""What is important, or was shown often, goes before its near equals: by so much of its score at most."""


@dataclass(frozen=True, slots=True)
class Question:
    """`words`: what is looked for. `kind`, `authors`: only such entries, and of the chat what these authors said."""

    words: str
    today: date
    kind: EntryKind | None = None
    authors: tuple[str, ...] = ()
    listing: bool = False
    """True when the words name nothing but a kind, date or author: such entries, newest first, are the answer."""
    literal: bool = False
    """A date in the words is words like any other."""
    chat: bool = False
    """Whether the chat is searched too when the entries do not answer."""
    meaning: Meaning | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    outcome: Outcome
    entries: tuple[Entry, ...] = ()
    """Best first; when `disagree`, exactly the rivals, newest first."""
    tasks: tuple[Task, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Profile fields: (name, value)."""
    disagree: bool = False
    span: DateSpan | None = None
    """The time the question named, as read; None when what was found was not said in it but is about it."""
    total: int = 0
    """Entries in the whole memory."""
    trail: tuple[Step, ...] = field(default=())
    heard: Heard | None = None
    """What the chat gave, where it was searched."""
    spans: tuple[DateSpan, ...] = ()
    """Every time the question named, as it was searched by."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        return self.heard.turns if self.heard else ()


def recall(view: View, question: Question) -> Answer:
    """The answer from layers 1 and 2, and from the chat where the question opens it."""
    past = [] if question.literal else find_dates(question.words, question.today, prefer_past=True)
    answer = replace(_from_entries(view, question, past), spans=tuple(one.to_span() for one in past))
    unsure = answer.entries and all(e.draft.confidence is Confidence.LOW for e in answer.entries)
    if not (unsure or (question.chat and answer.outcome is not Outcome.ANSWER)):
        return answer
    heard = search_chat(view, question.words, question.today, authors=question.authors, meaning=question.meaning)
    return replace(answer, heard=heard, trail=(*answer.trail, heard.step))


def _from_entries(view: View, question: Question, past: Sequence[FoundDate]) -> Answer:
    total = view.count()
    words = without(question.words, past)
    spans = [one.to_span() for one in past]
    answer = _ranked(view, question, words, spans, total)
    if not spans or answer.outcome is Outcome.ANSWER:
        return replace(answer, span=_span_of(answer.entries, spans))
    # "What is on Friday?" means the Friday to come, and only what an entry is about can lie there.
    ahead = [one.to_span() for one in find_dates(question.words, question.today, prefer_past=False)]
    if ahead != spans:
        later = _ranked(view, question, words, ahead, total)
        if later.outcome is Outcome.ANSWER:
            return replace(later, span=_span_of(later.entries, spans))
    if not gate_terms(words):
        return replace(answer, span=_span_of(answer.entries, spans))
    # People misremember dates, and a Friday may be every Friday: look again with the date as words, and never claim
    # for the time that was named. What was said then stands behind what the words find.
    again = _ranked(view, question, question.words, (), total)
    if again.outcome is Outcome.ANSWER and _recur_in(again.entries, past):
        return again
    then = _listed(view, question, spans, total).entries
    both = {e.id: e for e in (*answer.entries, *again.entries, *then)}
    if not both:
        return replace(again, span=spans[0])
    shown = tuple(both.values())[:SHOWN_MAX]
    return Answer(Outcome.CLOSEST, shown, span=spans[0], total=total, trail=again.trail)


def _recur_in(entries: Sequence[Entry], dates: Sequence[FoundDate]) -> bool:
    """Whether a day that comes again and again was named, and stands in what was found: 周五 in 每周五."""
    texts = [fold(entry.draft.text) for entry in entries]
    return all(recurs(one) and any(fold(one.words) in text for text in texts) for one in dates)


def recall_held(view: View, words: str, today: date) -> tuple[Entry, ...]:
    """What would have answered these words, were it not held: a person is asked about it first. Newest first."""
    held = {row[0] for row in view.conn.execute("SELECT seq FROM entries WHERE held = 1")}
    words = without(words, find_dates(words, today, prefer_past=True))
    wanted = gate_terms(words)
    if not held or not wanted:
        return ()
    counts = Counts(view.conn, "words")
    ranked = rank_facts(counts, terms(words), view.count(), held.__contains__, None, view.matrices)
    judged = ranked.order[:JUDGED_MAX]
    weighed, *_ = _weigh(view, counts, words, judged, view.count())
    passing = [seq for seq in judged if weighed.enough(weighed.coverage(seq))]
    return tuple(view.entries(f"seq IN ({marks(passing)})", passing))


def rank(view: View, question: Question, limit: int) -> list[Entry]:
    """Entries in the order of ranking alone, best first; each superseded one as what replaces it, equal words once."""
    words = without(question.words, find_dates(question.words, question.today, prefer_past=True))
    ranked = _rank(view, Counts(view.conn, "words"), question, words, (), view.count())
    return list(current(view, ranked.order[: 2 * limit]))[:limit]


def _span_of(entries: Sequence[Entry], spans: Sequence[DateSpan]) -> DateSpan | None:
    """The named time in which all of the entries were said."""
    if not entries:
        return spans[0] if spans else None
    return next((one for one in spans if all(one.first <= entry.day <= one.last for entry in entries)), None)


def _rank(view: View, counts: Counts, question: Question, words: str, spans: Sequence[DateSpan], total: int) -> Ranked:
    may_answer = allowed(view.conn, question.kind, question.authors, spans, today=question.today)
    return rank_facts(counts, terms(words), total, may_answer, question.meaning, view.matrices)


def _ranked(view: View, question: Question, words: str, spans: Sequence[DateSpan], total: int) -> Answer:
    wanted = gate_terms(words)
    if not wanted or question.listing:
        return _listed(view, question, spans, total)
    counts = Counts(view.conn, "words")
    ranked = _rank(view, counts, question, words, spans, total)
    judged = _important_first(view, ranked)
    weighed, needed, texts = _weigh(view, counts, words, judged, total)
    judge = Judge(weighed, judged, ranked, question.meaning, needed, texts, is_bare=is_bare(words))
    tasks, facts = _beside(view, question, weighed)
    passing = [seq for seq in judged if judge.enough(seq)]
    passing = [*_holding(view, question, words, spans, weighed, passing)]
    trail = _trail(view, question.today, ranked, judge, judged, passing, bool(tasks or facts), total)
    strongest = max((judge.strength(seq) for seq in passing), default=0.0)
    shown = _standing(view, question, [seq for seq in passing if judge.strength(seq) >= ALONGSIDE * strongest])
    if shown or tasks or facts:
        rivals = rivals_of(view, shown, question.today)
        return Answer(Outcome.ANSWER, rivals or shown, tasks, facts, bool(rivals), None, total, trail)
    closest = _standing(view, question, [seq for seq in judged if judge.is_close(seq)])
    return Answer(Outcome.CLOSEST if closest else Outcome.NOTHING, closest, total=total, trail=trail)


def _holding(
    view: View,
    question: Question,
    words: str,
    spans: Sequence[DateSpan],
    weighed: Weighed,
    passing: Sequence[int],
) -> Iterator[int]:
    """Those of which what is shown still answers: a correction may be short, or have taken away what was asked for."""
    sql = f"SELECT seq FROM entries WHERE current = 0 AND seq IN ({marks(passing)})"
    earlier = {row[0] for row in view.conn.execute(sql, passing)}
    may_answer = allowed(view.conn, None, (), spans, today=question.today) if earlier and spans else None
    for seq in passing:
        if seq not in earlier:
            yield seq
            continue
        (old,) = view.entries("seq = ?", (seq,))
        was_said_then = any(one.first <= old.day <= one.last for one in spans)
        ids = [entry.id for entry in current(view, [seq])]
        now = [row[0] for row in view.conn.execute(f"SELECT seq FROM entries WHERE id IN ({marks(ids)})", ids)]
        for stands, text in folded(view.conn, now).items():
            is_of_then = may_answer is None or was_said_then or may_answer(stands)
            if (
                is_of_then
                and not other_numbers(words, text)
                and (not question.literal or weighed.coverage_of(text) > 0)
            ):
                yield seq
                break


def _standing(view: View, question: Question, seqs: Sequence[int]) -> tuple[Entry, ...]:
    """What stands for them now, unless it is the correction that has gone cold."""
    return tuple(e for e in current(view, seqs[:SHOWN_MAX]) if not is_cold(e, question.today))


def _weigh(
    view: View, counts: Counts, words: str, judged: Sequence[int], total: int
) -> tuple[Weighed, Sequence[re.Pattern[str]], dict[int, str]]:
    """The judged, weighed; what must stand in each; and their folded texts, each with the name of who said it."""
    wanted, needed = gate_terms(words), needed_in(words)
    is_read = needed or any(is_unspaced(term) for term, _ in wanted)
    speakers = _speakers(view, words, judged)
    there = folded(view.conn, judged) if is_read else {}
    texts = {seq: f"{speakers.get(seq, '')}\n{text}" for seq, text in there.items()}
    return weigh(counts, wanted, judged, texts, total, speakers), needed, texts


def _speakers(view: View, words: str, judged: Sequence[int]) -> dict[int, str]:
    """Of the judged that somebody said whom the question names: that name, folded."""
    named = {account: fold(name) for account, name in view.people().items() if named_in(words, name)}
    if not named:
        return {}
    rows = view.conn.execute(f"SELECT seq, author FROM entries WHERE seq IN ({marks(judged)})", judged)
    return {seq: named[author] for seq, author in rows if author in named}


def _important_first(view: View, ranked: Ranked) -> list[int]:
    """The best, those first among near equals that matter more or were shown more often on this device."""
    some = ranked.order[:JUDGED_MAX]
    rows = view.conn.execute(
        "SELECT e.seq, e.kind, e.importance, e.pinned, u.times,"
        f" (SELECT count(*) FROM (SELECT 1 FROM entries s WHERE s.same = e.same LIMIT {TIMES_MAX}))"
        f" FROM entries e LEFT JOIN uses u ON u.record = e.id WHERE e.seq IN ({marks(some)})"
        " ORDER BY e.seq DESC",
        some,
    )
    by_weight: dict[int, float] = {}
    lifted: dict[int, float] = {}
    for seq, kind, importance, pinned, uses, times in rows:  # the newest first
        score, weight = ranked.scores[seq], weight_of(EntryKind(kind), importance, times, pinned=bool(pinned))
        by_weight[seq] = score + abs(score) * IMPORTANCE_SHARE * (weight - 500) / 500
        use = abs(score) * USE_SHARE * min(uses or 0, USES_MAX) / USES_MAX
        # What was asked for often may be what is out of date: use lifts nothing above what is newer and as good.
        newer = (lifted[one] for one in lifted if by_weight[one] >= by_weight[seq])
        lifted[seq] = min([by_weight[seq] + use, *newer])
    return sorted(some, key=lambda seq: (-lifted[seq], -seq))


def _listed(view: View, question: Question, spans: Sequence[DateSpan], total: int) -> Answer:
    """Nothing but a kind, date or person was named: all such entries, newest first."""
    where, values = condition(question.kind, question.authors, spans, today=question.today)
    listed: tuple[Entry, ...] = ()
    if question.listing or question.kind or question.authors or spans:
        listed = tuple(view.entries(f"{where} AND current = 1", values))
    outcome = Outcome.ANSWER if listed else Outcome.NOTHING
    return Answer(outcome, listed, total=total, trail=(Step("L2", total, len(listed), bool(listed), 0.0),))


def _beside(view: View, question: Question, weighed: Weighed) -> tuple[tuple[Task, ...], tuple[tuple[str, str], ...]]:
    """Open tasks and profile fields that pass the same gate; a question for a kind or a person asks for neither."""
    if question.kind or question.authors:
        return (), ()
    tasks = tuple(task for task in view.tasks(done=False) if weighed.enough(weighed.coverage_of(task.title)))
    facts = tuple(
        (name, str(register.value))
        for name, register in view.registers("profile").items()
        if register.value and weighed.enough(weighed.coverage_of(f"{name} {register.value}"))
    )
    return tasks, facts


def _trail(
    view: View,
    today: date,
    ranked: Ranked,
    judge: Judge,
    judged: Sequence[int],
    passing: Sequence[int],
    beside: bool,
    total: int,
) -> tuple[Step, ...]:
    """L1 is what was said since yesterday, what is pinned and the rules; L2 is everything."""
    yesterday = (today - timedelta(days=1)).isoformat()
    fresh: int = view.conn.execute(
        f"SELECT count(*) FROM entries WHERE seq IN ({marks(passing)}) AND (day >= ? OR pinned = 1 OR kind = 'rule')",
        (*passing, yesterday),
    ).fetchone()[0]
    looked_at: int = view.conn.execute(
        "SELECT count(*) FROM entries WHERE day >= ? AND hidden = 0 AND kind <> 'checkpoint'", (yesterday,)
    ).fetchone()[0]
    best = judged[:CANDIDATES_MAX]
    names = dict(view.conn.execute(f"SELECT seq, id FROM entries WHERE seq IN ({marks(best)})", best).fetchall())
    shown = tuple(Candidate(names[seq], ranked.scores[seq], judge.coverage[seq], judge.near(seq)) for seq in best)
    seen = (judge.best_coverage, judge.best_said, judge.needed, shown)
    first = Step("L1", looked_at, fresh, bool(fresh) or beside, *seen)
    return (first,) if fresh else (first, Step("L2", total, len(passing), bool(passing), *seen))
