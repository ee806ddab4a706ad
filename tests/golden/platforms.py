"""Where a conversation is played: `Stage` is what the runner needs, `TerminalStage` the first of them.

`telegram.py` is the second, Feishu becomes one more, each over an emulated server; the runner and the script stay as
they are. Nothing here judges a reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from tests.golden import faults, manners
from tests.golden.device import Device, ForkServer, Shown
from tests.golden.faults import NotYet
from tests.golden.match import Sent, SentAs
from tests.golden.screen import PtyProcess
from tests.golden.steps import Hearing, Say

START = datetime(2024, 5, 27, 2, 0, tzinfo=UTC)
"""Monday 2024-05-27 10:00 in Shanghai."""
MEMBERS = ("lin", "noor", "wei")
ON_TELEGRAM = {"lin": 5001, "noor": 5002, "wei": 5003, "mallory": 5004}
TEAM_ON_TELEGRAM = -4001
SYNC_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """What left the process because of an action, in order, and the chat where its answer belongs ("": as before)."""

    sent: tuple[Sent, ...] = ()
    chat: str = ""


class Stage(Protocol):
    """One fresh world, played once. Calls come from one thread, in the script's order.

    A method may raise `NotYet` for a step that this stage cannot play; the test is then skipped with its reason.
    """

    def now(self) -> datetime: ...

    def say(self, say: Say, text: str) -> Outcome:
        """A person writes `text`; returns when the program has answered or decided not to."""
        ...

    def press(self, person: str, label: str) -> Outcome:
        """On the newest message in front of `person` that had `label`. Raises AssertionError when none had."""
        ...

    def run(self, arguments: Sequence[str]) -> Outcome: ...

    def exit_status(self, *, wait: bool) -> int | None:
        """Of the last `run`; None while it runs (`wait`: gives it a few seconds)."""
        ...

    def later(self, *, wait: bool) -> Outcome:
        """What was sent since, without an action."""
        ...

    def move_clock(self, to: datetime) -> Outcome:
        """Sets the clock; forward, what fell due runs."""
        ...

    def restart(self) -> Outcome: ...

    def kill(self) -> Outcome: ...

    def fault(self, name: str, argument: str) -> Outcome: ...

    def llm(self, answer: str | None) -> None: ...

    def on(self, device: str) -> None: ...

    def sync(self) -> Outcome: ...

    def relay(self, on: bool) -> None: ...

    def unheld(self, refs: Iterable[str]) -> list[str]:
        """Which of `refs` no home holds or held."""
        ...

    def on_disk(self, pieces: Iterable[str]) -> list[str]:
        """Which of `pieces` stand in a file of a data folder."""
        ...

    def log(self) -> str:
        """Every log line so far, folder names taken out."""
        ...

    def close(self) -> None: ...


@dataclass(slots=True)
class _Posted:
    """A message with buttons, as people see it: an edit changes it in place."""

    chat: str
    now: tuple[tuple[str, str], ...]
    ever: dict[str, str] = field(default_factory=dict)


class _Seat:
    """One device and the terminals in front of it."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.posted: list[_Posted] = []
        self.newest: dict[tuple[str, str | None], _Posted] = {}
        self.groups: set[str] = set()
        self.process: PtyProcess | None = None


class TerminalStage:
    """Devices by name, "home" first; everybody sits at a terminal session of their own, one more for each group."""

    def __init__(self, server: ForkServer, folder: Path, lang: str, *, app: str = "bot") -> None:
        self.folder = folder
        self.lang = lang
        self.carrier = folder / "shared"
        """The folder between devices; it is moved away while the relay is off."""
        self.locked = False
        """A `$` then meets a home that is in use."""
        self.asleep_until = datetime.min.replace(tzinfo=UTC)
        self.ends = ExitStack()
        """What a fixture started, and what ends with the stage."""
        self._server = server
        self._app = app
        self._now = START
        self._seats: dict[str, _Seat] = {}
        self._seat = self.seat("home")

    @property
    def device(self) -> Device:
        return self._seat.device

    def seat(self, name: str) -> _Seat:
        if name not in self._seats:
            self._seats[name] = _Seat(
                Device(
                    name, self.folder / name, self.folder / "logs", self._server,
                    app=self._app, environment=self.environment(name),
                )
            )  # fmt: skip
        return self._seats[name]

    def environment(self, name: str) -> dict[str, str]:
        return {
            "NIANNIAN_PERSON_NAME": "Lin",
            "NIANNIAN_PERSON_ZONE": "Asia/Shanghai",
            "NIANNIAN_PERSON_LANG": self.lang,
            "NIANNIAN_DEVICE_NAME": name,
        }

    def now(self) -> datetime:
        return self._now

    def say(self, say: Say, text: str) -> Outcome:
        if say.hearing is Hearing.OVERHEARD or say.reply or say.edit or say.forward_from is not None:
            raise NotYet("a terminal has no overheard, replied-to, edited or forwarded messages")
        if self._seat.process is not None and say.person == "lin" and say.group is None:
            return Outcome(self._from_process(self._seat.process.type(text)), "process")
        self._leave_process()
        chat = f"group {say.group}" if say.group else f"private {say.person}"
        if say.group is not None and say.group not in self._seat.groups:
            self._seat.groups.add(say.group)
            for member in MEMBERS:
                self.device.open(self._now, member, say.group)
        return Outcome(self._show(self.device.say(self._now, say.person, say.group, text), chat, say.person), chat)

    def press(self, person: str, label: str) -> Outcome:
        if self._seat.process is not None and person == "lin" and (number := self._seat.process.number_of(label)):
            return Outcome(self._from_process(self._seat.process.type(str(number))), "process")
        self._leave_process()
        message = self._in_front_of(person, label)
        assert message is not None, f"no message in front of {person} had [{label}]"
        group = message.chat.removeprefix("group ") if message.chat.startswith("group ") else None
        labels = [shown for shown, _action in message.now]
        if self._seat.newest.get((person, group)) is message and label in labels:
            shown = self.device.press(self._now, person, group, labels.index(label) + 1)
        else:
            shown = self.device.press_action(self._now, person, group, message.ever[label])
        return Outcome(self._show(shown, message.chat, person, pressed=message), message.chat)

    def run(self, arguments: Sequence[str]) -> Outcome:
        self._leave_process()
        if not self.locked:
            self.device.stop()
            self._seat.newest.clear()
        scratch = self.folder / "scratch"
        scratch.mkdir(exist_ok=True)
        self._seat.process = PtyProcess(
            [*arguments, "--home", str(self.device.home)],
            folder=scratch,
            environment={**self.device.environment, "NIANNIAN_HOME": str(self.device.home)},
        )
        return Outcome(self._from_process(self._seat.process.settle()), "process")

    def exit_status(self, *, wait: bool) -> int | None:
        return None if self._seat.process is None else self._seat.process.status(wait_s=10 if wait else 0)

    def later(self, *, wait: bool) -> Outcome:
        if self._seat.process is None:
            return Outcome()
        return Outcome(self._from_process(self._seat.process.settle() if wait else []))

    def move_clock(self, to: datetime) -> Outcome:
        forward, self._now = to > self._now, to.astimezone(UTC)
        if not forward or not self.device.running or self._now < self.asleep_until:
            return Outcome()
        return Outcome(self._show(self.device.run_due(self._now), "private lin", "lin"), "private lin")

    def restart(self) -> Outcome:
        return self._again(self.device.stop)

    def kill(self) -> Outcome:
        return self._again(self.device.kill)

    def _again(self, end: Callable[[], None]) -> Outcome:
        self._leave_process()
        end()
        self._seat.newest.clear()
        return Outcome(self._show(self.device.start(self._now), "private lin", "lin"))

    def fault(self, name: str, argument: str) -> Outcome:
        faults.apply(self, name, argument)
        return Outcome()

    def llm(self, answer: str | None) -> None:
        raise NotYet("no model before the agent stage")

    def on(self, device: str) -> None:
        self._seat = self.seat(device)

    def sync(self) -> Outcome:
        """Rounds over every device, enough for a question, its answer and the word that both arrived."""
        if self.carrier.is_dir():
            for _ in range(SYNC_ROUNDS):
                for name in self._seats:
                    self._leave_process(name)
                    self._seats[name].device.sync(self._now)
        return Outcome()

    def relay(self, on: bool) -> None:
        away = self.carrier.with_name("away")
        if on == self.carrier.is_dir():
            return
        if on:
            away.rename(self.carrier)
        else:
            self.carrier.rename(away)

    def unheld(self, refs: Iterable[str]) -> list[str]:
        left = list(refs)
        for seat in self._seats.values():
            left = manners.unheld(left, seat.device.home)
        return left

    def on_disk(self, pieces: Iterable[str]) -> list[str]:
        pieces = list(pieces)
        found = (manners.found_in(seat.device.home, pieces) for seat in self._seats.values())
        return list(dict.fromkeys(piece for some in found for piece in some))

    def log(self) -> str:
        logs = "\n".join(seat.device.log() for seat in self._seats.values())
        return logs.replace(str(self.folder), "")

    def close(self) -> None:
        with self.ends:
            for name, seat in self._seats.items():
                self._leave_process(name)
                seat.device.stop()

    def _leave_process(self, name: str = "") -> None:
        seat = self._seats[name] if name else self._seat
        if seat.process is not None:
            seat.process.close()
            seat.process = None

    def _from_process(self, blocks: list[Shown]) -> tuple[Sent, ...]:
        return tuple(
            Sent("process", block.text, tuple(label for label, _ in block.buttons), SentAs(block.shape))
            for block in blocks
        )

    def _show(self, shown: list[Shown], chat: str, person: str, *, pressed: _Posted | None = None) -> tuple[Sent, ...]:
        seat = (person, chat.removeprefix("group ") if chat.startswith("group ") else None)
        for one in shown:
            if one.shape == "edit" and pressed is not None:
                pressed.now = one.buttons
                message = pressed
            elif one.shape != "toast" and one.buttons:
                message = _Posted(chat, one.buttons)
                self._seat.posted.append(message)
            else:
                continue
            message.ever.update(one.buttons)
            if one.buttons:
                self._seat.newest[seat] = message
        return tuple(
            Sent(chat, one.text, tuple(label for label, _ in one.buttons), SentAs(one.shape), one.failed)
            for one in shown
        )

    def _in_front_of(self, person: str, label: str) -> _Posted | None:
        for message in reversed(self._seat.posted):
            if label in message.ever and (message.chat == f"private {person}" or message.chat.startswith("group ")):
                return message
        return None
