"""What is to be said, before it is anybody's delivery: where, what, and who may press its buttons."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bot.event import Delivery, Press
from bot.message import Button, Chat, ChatKind, Inbound, Line, Reply, Shape
from bot.words import Words
from store.model import NOBODY, AccountID
from store.outbox import Queued


@dataclass(frozen=True, slots=True)
class Saying:
    """`chat`: `<platform>:<id>`, like `about`: the chat whose memory the buttons act on, "" for this one.

    `presser`: who may press the buttons, NOBODY for whom each action allows.
    """

    chat: str
    delivery: Delivery
    presser: AccountID = NOBODY
    about: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an event leads to. `key`: of the message that it answers. `again`: what is sent once more."""

    sayings: tuple[Saying, ...] = field(default=())
    key: str = ""
    again: tuple[Queued, ...] = field(default=())

    def anyone(self) -> Answer:
        """Everybody may press its buttons; what they do checks by itself."""
        return replace(self, sayings=tuple(replace(one, presser=NOBODY) for one in self.sayings))

    def leaving(self) -> Answer:
        """The bot leaves the chat when this is said."""
        *before, last = self.sayings
        return replace(self, sayings=(*before, replace(last, delivery=replace(last.delivery, leave=True))))


def name_of(chat: Chat) -> str:
    return f"{chat.platform}:{chat.id}"


def answer(inbound: Inbound, *replies: Reply, about: str = "") -> Answer:
    """The answer to a message, in a group as a reply to it."""
    to = inbound.message if inbound.chat.kind is ChatKind.GROUP else ""
    chat = name_of(inbound.chat)
    deliveries = [Delivery(reply, to=to, topic=inbound.topic) for reply in replies]
    return Answer(tuple(Saying(chat, one, inbound.account, about) for one in deliveries), inbound.key)


def pressed(press: Press, reply: Reply, *, about: str = "") -> Answer:
    """The answer to a pressed button."""
    delivery = Delivery(
        reply, to=press.message if reply.shape is Shape.EDIT else "", press=press.answer, topic=press.topic
    )
    return Answer((Saying(name_of(press.chat), delivery, press.account, about),))


def plain(
    words: Words, message_id: str, /, *buttons: Button, shape: Shape = Shape.MESSAGE, **facts: str | int
) -> Reply:
    """One sentence of ours, with its line breaks as lines."""
    text = words(message_id, **facts)
    return Reply(tuple(Line(line) for line in text.split("\n")), buttons, shape)
