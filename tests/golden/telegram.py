"""The same conversations on an emulated Telegram: people write at one end, and what the bot calls is what was sent.

The bot is a process of its own (`listening.py`), so a kill is a kill. Chats are answered independently of each other:
what one action sends elsewhere is put before what it sends to its own chat, as the script writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.emulators.telegram.calls import Event
from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TelegramServer
from tests.emulators.telegram.world import Chat, Message
from tests.fakes import FakeClock
from tests.golden import manners
from tests.golden.device import Device, ForkServer
from tests.golden.faults import DIGEST_SINCE, NotYet, moment
from tests.golden.looks import check_looks
from tests.golden.match import Sent, SentAs
from tests.golden.platforms import MEMBERS, ON_TELEGRAM, START, TEAM_ON_TELEGRAM, Outcome
from tests.golden.steps import Hearing, Say, Text

SECONDS = 20.0
"""For whatever should happen at once; a busy machine takes its time."""


@dataclass(slots=True)
class _Posted:
    """A message that has or had buttons: the newest data of every label that it ever had."""

    message: Message
    ever: dict[str, str] = field(default_factory=dict)


class TelegramStage:
    """One bot, Lin, Noor and Wei, who are known to it, and the group Team. Somebody else comes when first named."""

    def __init__(self, server: ForkServer, folder: Path, lang: str, *, check_requests: bool = False) -> None:
        """`check_requests`: another library reads every call of the bot; it takes a second to load."""
        self.folder = folder
        self._lang = lang
        self._clock = FakeClock(START)
        self.telegram = TelegramServer(self._clock, check_requests=check_requests)
        self.telegram.start()
        self._online = True
        self._asleep_until = datetime.min.replace(tzinfo=UTC)
        self._people: dict[str, Person] = {}
        for name in MEMBERS:
            assert self._person(name).chat.private  # open from now on
        noor, wei = self._person("noor"), self._person("wei")
        team = self.telegram.group("Team", admin=self._person("lin"), members=[noor, wei], number=TEAM_ON_TELEGRAM)
        self._groups: dict[str, Group] = {"Team": team}
        self._newest: dict[str, Message] = {}
        self._own: dict[tuple[str, str], Message] = {}
        self._posted: dict[tuple[int, int], _Posted] = {}
        self._seen = 0
        self.device = Device(
            "home", folder / "home", folder / "logs", server, app="telegram", environment=self._environment()
        )
        try:
            self.device.start(START)
            self._settle()
            assert not self._sent("")  # whoever is known is not greeted
        except BaseException:
            self.close()
            raise

    def now(self) -> datetime:
        return self._clock.now()

    # what people do

    def say(self, say: Say, text: str) -> Outcome:
        chat = f"group {say.group}" if say.group else f"private {say.person}"
        person = self._person(say.person)
        self._tell_time()
        if say.edit:
            person.edits(self._own[say.person, chat], text)
        else:
            before = self._newest.get(chat) if say.reply else None
            words = text if say.group is None or say.hearing is Hearing.OVERHEARD else _addressed(text, before)
            group = self._groups[say.group] if say.group else None
            message = person.writes(words, group, reply_to=before, forward_from=say.forward_from)
            self._newest[chat] = self._own[say.person, chat] = message
        return self._outcome(chat)

    def press(self, person: str, label: str) -> Outcome:
        found = self._in_front_of(person, label)
        assert found is not None, f"no message in front of {person} had [{label}]"
        self._tell_time()
        query = self._person(person).presses_data(found.message, found.ever[label])
        outcome = self._outcome(self._name(found.message.chat))
        assert not self._online or self.telegram.press(query).answers, f"[{label}] still turns: nobody answered it"
        return outcome

    # what time and trouble do

    def later(self, *, wait: bool) -> Outcome:
        return self._outcome("") if wait else Outcome(self._sent(""))

    def move_clock(self, to: datetime) -> Outcome:
        forward = to > self.now()
        self._clock.set(to)
        if forward and to >= self._asleep_until:
            self.device.run_due(self.now())
        return self._outcome("private lin")

    def restart(self) -> Outcome:
        self.device.stop()
        self.device.start(self.now())
        return self._outcome("")

    def kill(self) -> Outcome:
        """As if right after the answer, before Telegram heard that the message had come: it brings it once more."""
        self.device.kill()
        polled = self.telegram.polled + (2 if self.telegram.redeliver() else 0)
        self.device.start(self.now())
        self.telegram.wait(lambda: self.telegram.polled >= polled, SECONDS)  # the second call owns up to the first
        return self._outcome("")

    def fault(self, name: str, argument: str) -> Outcome:
        if name not in _FAULTS:
            raise NotYet(f"fault {name}: not on this stage")
        self._tell_time()
        return self._outcome(_FAULTS[name](self, argument))

    # other stages' things

    def run(self, arguments: Sequence[str]) -> Outcome:
        raise NotYet("a command is run at a terminal")

    def exit_status(self, *, wait: bool) -> int | None:
        return None

    def llm(self, answer: str | None) -> None:
        raise NotYet("no model before the agent stage")

    def on(self, device: str) -> None:
        raise NotYet("one device listens")

    def sync(self) -> Outcome:
        raise NotYet("one device listens")

    def relay(self, on: bool) -> None:
        raise NotYet("one device listens")

    # looking, and the end

    def unheld(self, refs: Iterable[str]) -> list[str]:
        return manners.unheld(refs, self.device.home)

    def on_disk(self, pieces: Iterable[str]) -> list[str]:
        return manners.found_in(self.device.home, pieces)

    def log(self) -> str:
        return self.device.log().replace(str(self.folder), "")

    def close(self) -> None:
        try:
            self.device.stop()
        finally:
            self.telegram.stop()
        assert not self.telegram.complaints, "\n".join(self.telegram.complaints)

    def _environment(self) -> dict[str, str]:
        return {
            "NIANNIAN_PERSON_NAME": "Lin",
            "NIANNIAN_PERSON_ZONE": "Asia/Shanghai",
            "NIANNIAN_PERSON_LANG": self._lang,
            "NIANNIAN_DEVICE_NAME": "home",
            "NIANNIAN_TELEGRAM_TOKEN": self.telegram.token,
            "NIANNIAN_TELEGRAM_BASE_URL": self.telegram.base_url,
        }

    def _person(self, name: str) -> Person:
        if name not in self._people:
            lang = "zh-hans" if self._lang == "zh" else "en"
            self._people[name] = self.telegram.person(ON_TELEGRAM[name], name.capitalize(), lang=lang)
        return self._people[name]

    def _tell_time(self) -> None:
        """Before anything happens: the bot's clock is its own, and goes with ours."""
        self.device.settled(self.now())

    def _settle(self) -> None:
        """Everything that happened was fetched, handled and answered; without a connection there is nothing to wait for."""
        while self._online:
            self.telegram.wait(lambda: not self.telegram.pending, SECONDS)
            self.device.settled(self.now())
            if not self.telegram.pending:
                return

    def _outcome(self, chat: str) -> Outcome:
        self._settle()
        return Outcome(self._sent(chat), chat)

    # what the bot did

    def _sent(self, chat: str) -> tuple[Sent, ...]:
        """What left since the last look."""
        events = self.telegram.events[self._seen :]
        self._seen += len(events)
        found = [sent for event in events if (sent := self._shown(event)) is not None]
        return tuple(sorted(found, key=lambda sent: sent.chat == chat))

    def _shown(self, event: Event) -> Sent | None:
        assert not event.refused, f"Telegram refused {event.method}: {event.refused}"
        match event.method:
            case "sendMessage" | "sendPhoto" | "editMessageText":
                return self._message(event)
            case "answerCallbackQuery" if event.params.get("text"):
                place = self.telegram.press(str(event.params["callback_query_id"])).message.chat
                return Sent(self._name(place), event.params["text"], shape=SentAs.TOAST)
            case "setMessageReaction":
                place = self.telegram.world.chats[event.params["chat_id"]]
                emoji = "".join(one["emoji"] for one in event.params["reaction"])
                return Sent(self._name(place), emoji, shape=SentAs.REACTION)
        return None

    def _message(self, event: Event) -> Sent:
        place = self.telegram.world.chats[event.result["chat"]["id"]]
        message = place.messages[event.result["message_id"]]
        rows = event.result.get("reply_markup", {}).get("inline_keyboard", [])
        assert len(rows) <= 1, f"{len(rows)} rows of buttons"
        buttons = {one["text"]: one.get("callback_data", one.get("url", "")) for row in rows for one in row}
        if buttons:
            posted = self._posted.setdefault((place.id, message.message_id), _Posted(message))
            posted.ever.update(buttons)
        name, text = self._name(place), event.result.get("text", event.result.get("caption", ""))
        shape = SentAs.EDIT if event.method == "editMessageText" else SentAs.MESSAGE
        if shape is SentAs.MESSAGE:
            self._newest[name] = message
        check_looks(text, event.result.get("entities", event.result.get("caption_entities", [])))
        return Sent(name, text, tuple(buttons), shape)

    def _name(self, chat: Chat) -> str:
        chat = chat.migrated_to or chat
        if chat.group:
            return next(f"group {name}" for name, group in self._groups.items() if group.chat is chat)
        return next(f"private {name}" for name, person in self._people.items() if person.id == chat.id)

    def _in_front_of(self, person: str, label: str) -> _Posted | None:
        for posted in reversed(self._posted.values()):
            chat = self._name(posted.message.chat)
            if label in posted.ever and (chat == f"private {person}" or chat.startswith("group ")):
                return posted
        return None

    # faults

    def _asleep(self, argument: str) -> str:
        self._asleep_until = moment(argument.removeprefix("until "))
        return ""

    def _digest(self, argument: str) -> str:
        now = self.now()
        self._clock.set(moment(DIGEST_SINCE))
        said = self.say(Say("lin", Text(())), f"/digest {argument}")
        assert any(argument in one.text for one in said.sent), said
        self._clock.set(now)
        return ""

    def _words(self, argument: str) -> str:
        from store.model import AccountID
        from tests.golden import learning

        self.device.stop()
        lin = AccountID(f"telegram:{ON_TELEGRAM['lin']}")
        learning.put(self.device.home, self._environment(), argument, account=lin, chat=lin)
        self.device.start(self.now())
        return ""

    def _invited(self, argument: str) -> str:
        title, _, by = argument.partition(" by ")
        rest = [self._person(name) for name in MEMBERS if name != by]
        self._groups[title] = self.telegram.group(title, admin=self._person(by), members=rest)
        return f"group {title}"

    def _migrate(self, title: str) -> str:
        self.telegram.migrate(self._groups[title])
        return f"group {title}"

    def _left(self, argument: str) -> str:
        title, _, name = argument.partition(" ")
        self._person(name).leaves(self._groups[title])
        return f"group {title}"

    def _offline(self, _argument: str) -> str:
        self._online = False
        self.telegram.offline()
        return ""

    def _back(self, _argument: str) -> str:
        self._online = True
        self.telegram.online()
        self.device.end_pauses(self.now())
        return ""

    def _send_timeout(self, _argument: str) -> str:
        """The line drops in the middle of the next message."""
        self.telegram.fail("sendMessage", "drop")
        return ""

    def _disk_full(self, _argument: str) -> str:
        self.device.fault(self.now(), "disk-full")
        return ""

    def _disk_ok(self, _argument: str) -> str:
        self.device.fault(self.now(), "disk-ok")
        return ""


_FAULTS = {
    "asleep": TelegramStage._asleep,
    "digest": TelegramStage._digest,
    "words": TelegramStage._words,
    "invited": TelegramStage._invited,
    "migrate": TelegramStage._migrate,
    "left": TelegramStage._left,
    "offline": TelegramStage._offline,
    "online": TelegramStage._back,
    "send-timeout": TelegramStage._send_timeout,
    "disk-full": TelegramStage._disk_full,
    "disk-ok": TelegramStage._disk_ok,
}


def _addressed(text: str, before: Message | None) -> str:
    """How one speaks to a bot in a group: a command, an answer to what it said, or its name in front."""
    return text if text.startswith("/") or (before is not None and before.by_bot) else f"@keepbot {text}"
