"""Plays one conversation on a stage, step by step, and says at the first wrong thing what it was.

Every step but `on`, `sync` and the expectations is an action. An action drops the replies nobody looked at; an error
among those fails, for set-up must not go wrong unseen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import datetime
from typing import assert_never
from zoneinfo import ZoneInfo

from tests.golden import manners, match
from tests.golden.match import Memory, Sent
from tests.golden.platforms import Outcome, Stage
from tests.golden.steps import (
    LLM,
    Act,
    AnyStep,
    At,
    Contains,
    Exit,
    Expect,
    Fault,
    Kill,
    Kind,
    Moment,
    NotContains,
    On,
    Press,
    Relay,
    Restart,
    Run,
    Say,
    Sync,
    Wait,
)

ZONE = ZoneInfo("Asia/Shanghai")
YEAR = 2024


class Unlike(AssertionError):
    """The program did not do what the script says."""


def moment(at: Moment) -> datetime:
    return datetime(YEAR, at.month, at.day, at.hour, at.minute, tzinfo=ZONE)


def play(steps: Iterable[tuple[int, AnyStep]], stage: Stage) -> None:
    """Plays `steps` to their end, then closes the stage and makes the checks of every run. Raises Unlike."""
    playing = _Playing(stage)
    try:
        for line, step in steps:
            playing.step(line, step)
        playing.end()
    finally:
        stage.close()
    playing.afterwards()


class _Playing:
    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._line = 0
        self._memory = Memory()
        self._waiting: deque[Sent] = deque()
        self._all: list[Sent] = []
        self._action_from = 0
        self._chat = "private lin"
        self._matched: Sent | None = None
        self._matched_before: Sent | None = None
        self._typed: list[str] = []
        self._transcript: list[str] = []
        self._running = False

    def step(self, line: int, step: AnyStep) -> None:
        self._line = line
        match step:
            case Expect() | Contains() | NotContains() | Exit():
                self._expect(step)
            case On(device):
                self._stage.on(device)
            case Sync():
                self._take(self._stage.sync())
            case _:
                self._settle()
                self._action_from = len(self._all)
                self._transcript.append(_shown(step, self._memory))
                self._act(step)

    def end(self) -> None:
        self._settle()

    def afterwards(self) -> None:
        """With everything closed: what the receipts named is really held, and the logs kept silent."""
        if invented := self._stage.unheld(manners.receipts(self._all)):
            self._fail(f"no scope holds {', '.join(invented)}, yet a receipt named it")
        if (line := manners.leaked(self._stage.log(), self._typed)) is not None:
            self._fail(f"a log line holds what a person typed: {line}")

    # Actions

    def _act(self, step: Act) -> None:
        stage = self._stage
        match step:
            case Say():
                if step.at is not None:
                    self._take(stage.move_clock(moment(step.at)))
                text = self._memory.fill(step.text)
                self._typed.append(text)
                self._take(stage.say(step, text))
            case Press(label, person):
                self._take(stage.press(person, label))
            case Run(arguments):
                self._running = True
                self._take(stage.run([self._memory.fill(argument) for argument in arguments]))
            case LLM(answer):
                stage.llm(answer)
            case At(at):
                self._take(stage.move_clock(moment(at)))
            case Wait(span):
                self._take(stage.move_clock(stage.now() + span))
            case Restart():
                self._take(stage.restart())
            case Kill():
                self._take(stage.kill())
            case Relay(on):
                stage.relay(on)
            case Fault(name, argument):
                self._take(stage.fault(name, argument))
            case _:
                assert_never(step)

    def _take(self, outcome: Outcome) -> None:
        """Whatever left the process is looked at once, whether or not the script names it."""
        if outcome.chat:
            self._chat = outcome.chat
        for sent in outcome.sent:
            self._transcript.append(f"    {sent.shown()}")
            self._all.append(sent)
            self._waiting.append(sent)
            if (rude := manners.complaint(sent, self._typed)) is not None:
                self._fail(f"VOICE §1: {rude} in {sent.shown()}")

    def _settle(self) -> None:
        """Before the next action: nothing unseen was an error, and a `$` nobody asked about ended well."""
        for sent in self._waiting:
            if sent.failed or sent.text.startswith(("没存下", "Not saved")):
                self._fail(f"an error nobody expected: {sent.shown()}")
        self._waiting.clear()
        self._matched = None
        if self._running and (status := self._stage.exit_status(wait=False)):
            self._fail(f"exit status {status}, not 0")
        self._running = False

    # Expectations

    def _expect(self, step: Expect | Contains | NotContains | Exit) -> None:
        match step:
            case Exit(status):
                ended = self._stage.exit_status(wait=True)
                self._running = False
                if ended != status:
                    self._fail(f"exit status {ended}, not {status}")
            case Expect(Kind.NONE):
                self._take(self._stage.later(wait=False))
                if self._waiting:
                    self._fail(f"nothing should be sent, but: {self._waiting[0].shown()}")
            case Expect(Kind.SAME):
                before = self._matched_before
                assert before is not None, "the parser asks for a < before <="
                sent = self._next("the same again")
                if (sent.text, sent.buttons) != (before.text, before.buttons):
                    self._fail(f"not the same as before:\n    {before.shown()}\n    {sent.shown()}")
            case Expect():
                sent = self._next(match_words(step))
                why = match.whole(step, sent, self._memory, chat=self._chat)
                if why is not None:
                    self._fail(f"{why}\nwanted: {match_words(step)}\ngot:    {sent.shown()}")
                self._matched_before = sent
            case Contains():
                sent = self._matched or self._next("a reply")
                if (why := match.contains(step, sent, self._memory)) is not None:
                    self._fail(f"{why}\ngot:    {sent.shown()}")
            case NotContains(pieces, since):
                self._take(self._stage.later(wait=False))
                looked_at = self._all if since == "conversation" else self._all[self._action_from :]
                for sent in looked_at:
                    for piece in pieces:
                        if piece in sent.text or any(piece in label for label in sent.buttons):
                            self._fail(f"“{piece}” left the process: {sent.shown()}")
                if since == "conversation" and (found := self._stage.on_disk(pieces)):
                    self._fail(f"in a file of the data folder: {', '.join(found)}")

    def _next(self, wanted: str) -> Sent:
        if not self._waiting:
            self._take(self._stage.later(wait=True))
        if not self._waiting:
            self._fail(f"no reply came\nwanted: {wanted}")
        self._matched = self._waiting.popleft()
        return self._matched

    def _fail(self, why: str) -> None:
        story = "\n".join(self._transcript[-40:])
        raise Unlike(f"conversations.golden:{self._line}: {why}\n--- so far:\n{story}")


def match_words(step: Expect) -> str:
    row = "".join(f" [{label}]" for label in step.buttons)
    return f"({step.kind} {step.to}) {match.describe(step.text)}{row}"


def _shown(step: AnyStep, memory: Memory) -> str:
    match step:
        case Say():
            where = f" (group {step.group})" if step.group else ""
            return f"@{step.person}{where}: {memory.fill(step.text)[:200]}"
        case Press(label, person):
            return f"@{person} press [{label}]"
        case Run(arguments):
            return "$ niannian " + " ".join(memory.fill(argument) for argument in arguments)
        case Fault(name, argument):
            return f"fault {name} {argument}".rstrip()
        case _:
            return str(step)
