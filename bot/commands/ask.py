"""Answering from memory: evidence first, in the person's own words, with RefID, date and place.

Three outcomes, never a fourth: an answer, the closest there is (shown as such), or what was searched with
an offer to keep the answer. The first line says who and when, unless several entries answer.
"""

from __future__ import annotations

from datetime import date

from bot import render
from bot.commands import receipts
from bot.commands.remember import entry_of, remember
from bot.intents import Ask, Aspect, Count, Decisions, History, Remember, Why, YouForgot
from bot.message import Button, Line, Reply, Shape
from bot.phrases.fields import draft_of
from bot.turn import Turn, kind_name
from store.changes import Json, canonical
from store.model import Entry, EntryKind, Task
from store.recall import Answer, Outcome, Question, recall, search_turns
from store.text import count_in, plain
from store.view import Turn as KeptTurn

EVIDENCE_MAX = 3
LIST_MAX = 10


def ask(turn: Turn, intent: Ask) -> Reply:
    question = _question(turn, intent)
    answer = recall(turn.writer, question)
    turn.notes.kind = "question"
    turn.notes.topic = intent.topic or render.short(intent.question, 60)
    _keep_trail(turn, answer)
    if answer.outcome is Outcome.NOTHING:
        turn.notes.kind = "nothing"
        kind = kind_name(turn, question.kind) if question.kind else ""
        return nothing_found(turn, answer, intent.topic or kind)
    if answer.disagree:
        return disagree(turn, answer.entries)
    if answer.outcome is Outcome.CLOSEST:
        return _closest(turn, answer, intent.topic)
    if not answer.entries:
        return _from_board_and_profile(turn, answer)
    if intent.aspect is Aspect.EVER:
        return _ever(turn, answer)
    if len(answer.entries) == 1 or not _several(intent, answer):
        return one(
            turn,
            answer.entries[0],
            _first_line(turn, answer.entries[0], intent.aspect, answer),
            rest=answer.entries[1:],
        )
    return several(turn, answer.entries)


def _question(turn: Turn, intent: Ask) -> Question:
    kind = {Aspect.PREFERENCE: EntryKind.PREFERENCE}.get(intent.aspect)
    if intent.aspect is Aspect.DECIDED and not intent.topic:
        kind = EntryKind.DECISION
    return Question(
        words=intent.question,
        today=turn.today,
        exact=intent.aspect is Aspect.SEARCH,
        kind=kind,
        author=_named_author(turn, intent),
        listing=intent.aspect is not Aspect.SEARCH and not intent.topic,
    )


def _named_author(turn: Turn, intent: Ask) -> str | None:
    """A question about nothing but a person lists what that person said."""
    if turn.private or not intent.topic:
        return None
    topic = intent.topic.casefold()
    return next((account for account, name in turn.names.items() if name.casefold() == topic), None)


def _several(intent: Ask, answer: Answer) -> bool:
    return intent.aspect is Aspect.SEARCH or answer.span is not None or not intent.topic


# one entry


def one(turn: Turn, entry: Entry, first: str, *, rest: tuple[Entry, ...] = (), timed: bool | None = None) -> Reply:
    """`first`: the line above the words. `timed`: whether that line holds the time already."""
    turn.cite(entry.label)
    earlier = turn.writer.earlier(entry.id)
    buttons: list[Button] = []
    if receipts.is_folded(turn, entry):
        buttons.append(turn.button("button-full", f"full {entry.id}"))
    if earlier:
        buttons.append(turn.button("button-earlier", f"history {entry.label}", n=len(earlier)))
    if rest:
        offer = turn.writer.make_offer(turn.chat, turn.account, {"do": "more", "ids": [e.id for e in rest]})
        buttons.append(turn.button("button-more", f"offer {offer}", n=len(rest)))
    buttons += [
        turn.button("button-source", f"why {entry.label}"),
        turn.button("button-correct", f"correct {entry.id}"),
    ]
    return turn.say(
        first,
        receipts.quote(turn, entry) if not first or turn.private or entry.source.quoted else _plain_quote(turn, entry),
        *receipts.read_dates(turn, entry),
        *_reasons(turn, entry),
        citation(turn, entry, timed=_is_near(turn, entry) if timed is None else timed),
        buttons=tuple(buttons[:3]),
    )


def _plain_quote(turn: Turn, entry: Entry) -> tuple[Line, ...]:
    """The words without the name, which the first line has said."""
    return render.stored_lines(turn.words, entry.draft.text)[0]


def _reasons(turn: Turn, entry: Entry) -> tuple[str, ...]:
    out = []
    if entry.draft.why:
        out.append(turn.words("field-because", text=entry.draft.why))
    if entry.draft.verify:
        out.append(turn.words("field-verify", text=entry.draft.verify))
    return tuple(out)


def _first_line(turn: Turn, entry: Entry, aspect: Aspect, answer: Answer) -> str:
    decided = entry.draft.kind is EntryKind.DECISION
    verb = "decided" if decided else "said"
    if answer.span is not None:
        when = receipts.span(
            turn, date.fromisoformat(answer.span.first), date.fromisoformat(answer.span.last), weekday=False
        )
        who = turn.who(entry.author)
        return turn.words(f"answer-{verb}-span", words=answer.span.words, when=when, who=who)
    return _who_when(turn, entry, f"answer-{verb}")


def _who_when(turn: Turn, entry: Entry, message_id: str) -> str:
    """你 5月22日（周三）决定的： / You decided this on Wed 22 May:"""
    at = turn.when(entry)
    when, near = render.moment(turn.words, at, turn.today)
    who = turn.who(entry.author)
    if turn.words.lang == "zh":
        verb = turn.words(message_id)
        return render.spaced(turn.words, who, when, verb)
    return turn.words(message_id, who=who, when=when if near else turn.words("on-day", day=when))


def _is_near(turn: Turn, entry: Entry) -> bool:
    return render.near_day(turn.words, turn.when(entry).date(), turn.today) is not None


def citation(turn: Turn, entry: Entry, *, timed: bool, dated: bool = False) -> str:
    """RefID · kind where it says something new · place · time unless it was said above."""
    parts: list[str] = [entry.label]
    if receipts.names_kind(entry.draft.kind):
        parts.append(kind_name(turn, entry.draft.kind))
    parts.append(turn.place())
    if entry.tainted and not entry.cleared:
        parts.append(turn.words("state-data-only"))
    if not entry.current:
        parts.append(turn.words("state-earlier"))
    if dated:
        parts.append(render.full_moment(turn.words, turn.when(entry), turn.today))
    elif not timed:
        parts.append(f"{turn.when(entry):%H:%M}")
    return " · ".join(parts)


# several


def _ever(turn: Turn, answer: Answer) -> Reply:
    newest = max(answer.entries, key=lambda e: (e.at_ms, e.id))
    at = turn.when(newest)
    near = render.near_day(turn.words, at.date(), turn.today)
    shown = near or render.day(turn.words, at.date(), turn.today)
    when = shown if near or turn.words.lang == "zh" else turn.words("on-day", day=shown)
    first = render.spaced(turn.words, turn.words("answer-ever", n=len(answer.entries)), when) + turn.words("colon")
    rest = tuple(e for e in answer.entries if e.id != newest.id)
    return one(turn, newest, first, rest=rest, timed=False)


def several(turn: Turn, entries: tuple[Entry, ...], *, start: int = 0, title: str = "", earlier: bool = False) -> Reply:
    """A short list: the words, then RefID · who · day; three at a time."""
    shown = entries[start : start + EVIDENCE_MAX]
    left = entries[start + EVIDENCE_MAX :]
    lines: list[Line | str | tuple[Line, ...]] = [title or turn.words("answer-several", n=len(entries))]
    for entry in shown:
        lines += [receipts.quote(turn, entry), citation(turn, entry, timed=True, dated=True)]
        turn.cite(entry.label)
    buttons: tuple[Button, ...] = ()
    if left:
        offer = turn.writer.make_offer(turn.chat, turn.account, {"do": "more", "ids": [e.id for e in left]})
        buttons = (turn.button("button-more", f"offer {offer}", n=len(left)),)
    return turn.say(*lines, buttons=buttons)


def more(turn: Turn, ids: list[str]) -> Reply:
    entries = tuple(e for record in ids if (e := turn.writer.entry(record)) and not e.hidden)
    return several(turn, entries, title=turn.words("answer-more", n=len(entries)))


def full(turn: Turn, record: str) -> Reply:
    """One entry's words whole."""
    entry = turn.writer.entry(record)
    if entry is None or entry.hidden:
        return turn.toast("toast-gone")
    lines = tuple(Line(line, stored=True) for line in render.quoted(entry.draft.text).split("\n"))
    turn.cite(entry.label)
    return turn.say(lines, citation(turn, entry, timed=True, dated=True))


def _closest(turn: Turn, answer: Answer, topic: str) -> Reply:
    shown = answer.entries[:EVIDENCE_MAX]
    lines: list[Line | str | tuple[Line, ...]] = [
        turn.words("answer-closest", topic=render.quoted(topic)) if topic else turn.words("answer-closest-plain")
    ]
    for entry in shown:
        lines += [receipts.quote(turn, entry), citation(turn, entry, timed=True, dated=True)]
        turn.cite(entry.label)
    buttons = _offers_to_keep(turn, topic)
    rest = answer.entries[EVIDENCE_MAX:]
    if rest:
        offer = turn.writer.make_offer(turn.chat, turn.account, {"do": "more", "ids": [e.id for e in rest]})
        buttons = (turn.button("button-more", f"offer {offer}", n=len(rest)), *buttons)
    return turn.say(*lines, buttons=buttons)


def _from_board_and_profile(turn: Turn, answer: Answer) -> Reply:
    lines = [task_line(turn, task) for task in answer.tasks[:EVIDENCE_MAX]]
    turn.cite(*(task.label for task in answer.tasks[:EVIDENCE_MAX]))
    lines += [turn.words("profile-line", name=name, value=render.quoted(value)) for name, value in answer.facts[:5]]
    title = turn.words("answer-board") if answer.tasks else turn.words("answer-profile")
    buttons = (turn.button("button-board", "board"),) if answer.tasks else ()
    return turn.say(title, *lines, buttons=buttons)


def task_line(turn: Turn, task: Task) -> str:
    return f"{turn.words(f'state-{task.state.value}')} {task.label} {render.short(task.title, 80)}"


def nothing_found(turn: Turn, answer: Answer, topic: str) -> Reply:
    looked = turn.words("looked-in", n=answer.total, shown=render.number(turn.words, answer.total))
    shown = render.quoted(topic or answer.span.words if answer.span else topic)
    if not turn.private:
        name = "nothing-group" if topic else "nothing-group-plain"
        text = turn.words(name, topic=shown, memory=turn.memory_name(), looked=looked)
    else:
        name = "nothing-private" if topic or answer.span else "nothing-private-plain"
        text = turn.words(name, topic=shown, looked=looked) + "\n" + turn.words("nothing-offer")
    return turn.say(text, buttons=_offers_to_keep(turn, topic))


def _offers_to_keep(turn: Turn, topic: str) -> tuple[Button, ...]:
    keep = turn.button(
        "button-save-this", f"offer {turn.writer.make_offer(turn.chat, turn.account, {'do': 'tell', 'topic': topic})}"
    )
    if not turn.private:
        return (keep,)
    search = turn.writer.make_offer(turn.chat, turn.account, {"do": "chat", "topic": topic})
    return (turn.button("button-search-chat", f"offer {search}"), keep)


def search_chat(turn: Turn, topic: str) -> Reply:
    """Layer 3: what was said in the chat and never kept."""
    found = search_turns(turn.writer, topic)
    turn.notes.kind = "question"
    if not found:
        text = turn.words("chat-nothing", topic=render.quoted(topic)) if topic else turn.words("chat-nothing-plain")
        return turn.say(text, buttons=_offers_to_keep(turn, topic)[1:])
    lines: list[Line | str | tuple[Line, ...]] = [turn.words("chat-found", n=len(found))]
    for kept in found[:EVIDENCE_MAX]:
        lines += [render.stored_lines(turn.words, kept.text)[0], _said(turn, kept)]
    offer = turn.writer.make_offer(turn.chat, turn.account, {"do": "save", "text": found[0].text})
    return turn.say(*lines, buttons=(turn.button("button-save-first", f"offer {offer}"),))


def _said(turn: Turn, kept: KeptTurn) -> str:
    at = render.full_moment(turn.words, render.local(kept.at_ms, turn.zone), turn.today)
    return turn.words("chat-line", who=turn.who(kept.account), when=at)


# two that disagree


def disagree(turn: Turn, entries: tuple[Entry, ...]) -> Reply:
    shown = entries[:2]
    turn.cite(*(entry.label for entry in shown))
    labels = _choice_labels(turn, shown)
    offer = turn.writer.make_offer(
        turn.chat, turn.account, {"do": "settle", "ids": [e.id for e in shown], "anyone": not turn.private}
    )
    lines: list[Line | str | tuple[Line, ...]] = [turn.words("disagree", n=len(entries))]
    lines += [_rival(turn, entry) for entry in shown]
    lines.append(turn.words("disagree-ask"))
    buttons = tuple(
        Button(label, f"offer {offer} {number}")
        for number, label in enumerate((*labels, turn.words("button-keep-both")))
    )
    return turn.say(*lines, buttons=buttons)


def _rival(turn: Turn, entry: Entry) -> tuple[Line, ...]:
    who = turn.who(entry.author)
    day = render.day(turn.words, turn.when(entry).date(), turn.today)
    lines, _ = render.stored_lines(turn.words, entry.draft.text)
    tail = turn.words("rival", who=who, day=day, ref=entry.label)
    return (*lines[:-1], Line(lines[-1].words + tail, stored=True))


def _choice_labels(turn: Turn, entries: tuple[Entry, ...]) -> list[str]:
    """By who said it; by what it says when one person said both."""
    authors = [turn.who(entry.author) for entry in entries]
    if len(set(authors)) == len(authors):
        return [turn.words("button-theirs", who=render.short(who, 10)) for who in authors]
    most = 5 if turn.words.lang == "zh" else 12
    rests = [render.short(_last_words(turn, entry), most) for entry in entries]
    if len(set(rests)) == len(rests):
        return [turn.words("button-this-one", text=rest) for rest in rests]
    return [turn.words("button-choice", number=number) for number in range(1, len(entries) + 1)]


def _last_words(turn: Turn, entry: Entry) -> str:
    subject, rest = turn.writer.rest_of(entry.id)
    return rest if subject else entry.draft.text


def settle(turn: Turn, ids: list[str], choice: int) -> Reply:
    found = [turn.writer.entry(record) for record in ids]
    entries = [entry for entry in found if entry and not entry.hidden]
    if len(entries) < 2:
        return turn.toast("toast-gone")
    if choice >= len(entries):
        before = turn.writer.set(ids[0], "kept", sorted(ids[1:]), by=turn.account)
        undo = turn.writer.undoable_write(
            chat=turn.chat, account=turn.account, shown=entries[0].label, verb="settle",
            steps=[(ids[0], "kept", before if before is not None else [])],
        )  # fmt: skip
        return turn.say(
            turn.words("kept-both"), buttons=(turn.button("button-undo", f"undo {undo}"),), shape=Shape.EDIT
        )
    winner, others = entries[choice], [e for e in entries if e.id != entries[choice].id]
    register = turn.writer.register(winner.id, "settles")
    settled = [str(one) for one in register.value] if register and isinstance(register.value, list) else []
    before = turn.writer.set(winner.id, "settles", sorted({*settled, *(e.id for e in others)}), by=turn.account)
    undo = turn.writer.undoable_write(
        chat=turn.chat, account=turn.account, shown=winner.label, verb="settle",
        steps=[(winner.id, "settles", before if before is not None else [])],
    )  # fmt: skip
    turn.cite(winner.label)
    old = others[0].label
    name = "settled-group" if not turn.private else "settled-private"
    text = turn.words(name, ref=winner.label, old=old, who=turn.name(turn.account))
    return turn.say(text, buttons=(turn.button("button-undo", f"undo {undo}"),), shape=Shape.EDIT)


# you forgot


def you_forgot(turn: Turn, intent: YouForgot) -> Reply:
    """No arguing: the exact stored place, or it is stored now."""
    answer = recall(turn.writer, Question(words=intent.text, today=turn.today))
    _keep_trail(turn, answer)
    turn.notes.topic = render.short(intent.text, 60)
    if not answer.entries:
        return remember(turn, Remember(draft_of(intent.text)), first=turn.words("was-not-there"))
    entry = answer.entries[0]
    turn.cite(entry.label)
    keep = turn.writer.make_offer(turn.chat, turn.account, {"do": "save", "text": intent.text})
    sure = answer.outcome is Outcome.ANSWER
    first = turn.words("it-is-here") if sure else turn.words("answer-closest-plain")
    buttons = (turn.button("button-source", f"why {entry.label}"), turn.button("button-correct", f"correct {entry.id}"))
    if not sure:
        buttons = (buttons[0], turn.button("button-save-this", f"offer {keep}"))
    return turn.say(
        first, receipts.quote(turn, entry), *_reasons(turn, entry), citation(turn, entry, timed=True, dated=True),
        buttons=buttons,
    )  # fmt: skip


# by RefID, and lists


def why(turn: Turn, intent: Why) -> Reply:
    """Everything known of one entry: words, reasons, state, where it was said, on which device, how we know."""
    entry = entry_of(turn, intent.ref)
    turn.cite(entry.label)
    words = turn.words
    state = words("state-current") if entry.current else words("state-earlier")
    states = [entry.label, kind_name(turn, entry.draft.kind), state]
    if entry.pinned:
        states.append(words("state-pinned"))
    if entry.tainted and not entry.cleared:
        states.append(words("state-data-only"))
    if entry.versions > 1:
        states.append(words("state-two-versions"))
    at = render.full_moment(words, turn.when(entry), turn.today)
    place = [turn.who(entry.author), at, turn.place(), _device(turn, entry), words(f"origin-{entry.origin.value}")]
    replaces = [e.label for e in turn.writer.earlier(entry.id)]
    by = [e.label for e in turn.writer.chain(entry.id) if e.current and e.id != entry.id and not entry.current]
    separator = "、" if words.lang == "zh" else ", "
    return turn.say(
        receipts.quote(turn, entry) if not turn.private or entry.source.quoted else _plain_quote(turn, entry),
        *receipts.fields(turn, entry),
        " · ".join(states),
        " · ".join(place),
        words("replaces", refs=separator.join(replaces)) if replaces else "",
        words("replaced-by", refs=separator.join(by)) if by else "",
    )


def _device(turn: Turn, entry: Entry) -> str:
    """The device whose lane the label carries; its name comes from `meta` once several devices are known."""
    return turn.device


def history(turn: Turn, intent: History) -> Reply:
    entry = entry_of(turn, intent.ref)
    chain = tuple(reversed(turn.writer.chain(entry.id)))
    if len(chain) == 1:
        turn.cite(entry.label)
        return turn.say(turn.words("history-single", ref=entry.label), receipts.quote(turn, entry))
    return several(turn, chain, title=turn.words("history-title", n=len(chain)))


def decisions(turn: Turn, intent: Decisions) -> Reply:
    if intent.query:
        return ask(turn, Ask(intent.query, intent.query, Aspect.DECIDED))
    found = turn.writer.entries("kind = 'decision' AND hidden = 0 AND current = 1", limit=LIST_MAX)
    if not found:
        return turn.say(turn.words("decisions-none"))
    return _listing(turn, found, turn.words("decisions-title", n=_count(turn, "decision")))


def _count(turn: Turn, kind: str) -> int:
    sql = "SELECT count(*) FROM entries WHERE kind = ? AND hidden = 0 AND current = 1"
    count: int = turn.writer.conn.execute(sql, (kind,)).fetchone()[0]
    return count


def memory(turn: Turn) -> Reply:
    """What memory holds: profile, rules, pinned and newest entries."""
    found = turn.writer.entries("hidden = 0 AND current = 1 AND kind <> 'checkpoint'", limit=LIST_MAX)
    pinned = turn.writer.entries("hidden = 0 AND current = 1 AND pinned = 1", limit=LIST_MAX)
    ordered = list({e.id: e for e in (*pinned, *found)}.values())[:LIST_MAX]
    total = turn.writer.count()
    if not ordered:
        return turn.say(turn.words("memory-empty", memory=turn.memory_name()))
    shown = render.number(turn.words, total)
    return _listing(turn, ordered, turn.words("memory-title", memory=turn.memory_name(), n=total, shown=shown))


def _listing(turn: Turn, entries: list[Entry], title: str) -> Reply:
    lines = []
    for entry in entries:
        pin = turn.words("state-pinned") + " " if entry.pinned else ""
        after = "" if turn.private else turn.words("said-by", name=turn.name(entry.author))
        lines.append(
            Line(f"{pin}{entry.label} {render.quoted(render.short(entry.draft.text, 60))}{after}", stored=True)
        )
        turn.cite(entry.label)
    return turn.say(title, tuple(lines))


def count(turn: Turn, intent: Count) -> Reply:
    """Occurrences in entries and in talk that is nobody's source, no command, no question, nothing of ours."""
    view = turn.writer
    phrase = '"' + plain(intent.term).replace('"', '""') + '"'
    texts: list[tuple[str, int, str]] = []
    if plain(intent.term):
        rows = view.conn.execute(
            "SELECT e.text, e.at_ms, e.label FROM plain JOIN entries e ON e.seq = plain.rowid"
            " WHERE plain MATCH ? AND e.hidden = 0",
            (phrase,),
        )
        texts = [(text, at_ms, label) for text, at_ms, label in rows]
    texts += [(kept.text, kept.at_ms, "") for kept in view.turns("kind = 'talk'")]
    counted = sorted((at_ms, n, label) for text, at_ms, label in texts if (n := count_in(intent.term, text)))
    turn.notes.kind = "question"
    term = render.quoted(intent.term)
    if not counted:
        return turn.say(turn.words("count-none", term=term))
    first, last = (
        render.near_day(turn.words, d, turn.today) or render.day(turn.words, d, turn.today)
        for d in (render.local(at_ms, turn.zone).date() for at_ms in (counted[0][0], counted[-1][0]))
    )
    turn.cite(*(label for _, _, label in counted[-3:] if label))
    offer = view.make_offer(turn.chat, turn.account, {"do": "lines", "term": intent.term})
    times = sum(n for _, n, _ in counted)
    return turn.say(
        turn.words("count-line", term=term, times=times, entries=len(counted)),
        render.spaced(turn.words, turn.words("count-first"), first) + turn.words("comma")
        + render.spaced(turn.words, turn.words("count-last"), last) + turn.words("full-stop"),
        buttons=(turn.button("button-show-lines", f"offer {offer}"),),
    )  # fmt: skip


def lines_with(turn: Turn, term: str) -> Reply:
    """The entries in which a counted word stands."""
    phrase = '"' + plain(term).replace('"', '""') + '"'
    rows = turn.writer.conn.execute(
        "SELECT e.id FROM plain JOIN entries e ON e.seq = plain.rowid WHERE plain MATCH ? AND e.hidden = 0"
        " ORDER BY e.at_ms DESC LIMIT 50",
        (phrase,),
    ).fetchall()
    entries = tuple(e for (record,) in rows if (e := turn.writer.entry(record)) and count_in(term, e.draft.text))
    return several(turn, entries) if entries else turn.toast("toast-gone")


# how it looked


def _keep_trail(turn: Turn, answer: Answer) -> None:
    """The trail of this person's last answer here, for /trail."""
    steps: list[Json] = [[s.layer, s.looked_at, s.found, s.enough, s.coverage] for s in answer.trail]
    turn.writer.keep_note(
        f"trail/{turn.chat}/{turn.account}", canonical({"steps": steps, "outcome": answer.outcome.value})
    )


def trail(turn: Turn) -> Reply:
    kept = turn.writer.note(f"trail/{turn.chat}/{turn.account}")
    if kept is None:
        return turn.say(turn.words("trail-none"))
    lines = [
        turn.words(
            "trail-step",
            layer=turn.words(f"layer-{layer.lower()}"),
            looked=render.number(turn.words, looked),
            found=found,
            enough=turn.words("trail-enough" if enough else "trail-not-enough"),
            coverage=coverage,
        )
        for layer, looked, found, enough, coverage in kept["steps"]
    ]
    return turn.say(turn.words("trail-title", outcome=turn.words(f"outcome-{kept['outcome']}")), *lines)
