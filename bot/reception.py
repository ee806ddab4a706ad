"""Where every event of a chat platform arrives: who is it, may they, and who answers.

Known people go on to the gateway; strangers, groups that are off, buttons of the talk itself and changed messages end
here. What comes out is what is to be said, to whom; sending it is somebody else's work.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot import render
from bot.acquaintance import Acquaintance
from bot.changed import change
from bot.commands.forwarded import offer_quote
from bot.commands.missed import missed
from bot.elsewhere import Elsewhere
from bot.event import Change, ChatChange, Event, Press
from bot.gateway import Gateway
from bot.groups import Groups
from bot.intents import Correct, Forget, Pin, Simple, Undo
from bot.message import Button, ChatKind, Inbound, Reply, Shape
from bot.phrases.grammar import parse
from bot.ports import Platform
from bot.router import only_reads
from bot.saying import Answer, Saying, answer, name_of, plain, pressed
from bot.words import words
from store.home import Home
from store.model import NOBODY
from store.outbox import Queued
from store.requests import SentButton

log = logging.getLogger(__name__)

ARRIVED, AGAIN = "arrived", "again"
DAILY = ("words", "digest")
"""Kinds of slots that a day has once."""
TOAST_NAME_CHARACTERS_MAX = 12


class Reception:
    def __init__(
        self,
        home: Home,
        gateway: Gateway,
        *,
        acquaintance: Acquaintance,
        groups: Groups,
        elsewhere: Elsewhere,
        platforms: Mapping[str, Platform],
        lang: str,
    ) -> None:
        self._home = home
        self._gateway = gateway
        self._acquaintance = acquaintance
        self._groups = groups
        self._elsewhere = elsewhere
        self._platforms = platforms
        self._lang = lang

    async def receive(self, event: Event) -> Answer | None:
        """What is to be said; None for nothing. Raises only what is a bug, or that a platform cannot be asked."""
        match event:
            case Inbound():
                return await self._message(event)
            case Press():
                return await self._press(event)
            case ChatChange():
                return await self._change(event)

    # messages

    async def _message(self, inbound: Inbound) -> Answer | None:
        platform = self._platforms[inbound.chat.platform]
        group = inbound.chat.kind is ChatKind.GROUP
        if group:
            await self._acquaintance.burn(inbound.text)
        if self._home.device.note(f"paused/{name_of(inbound.chat)}"):
            await self._home.device.keep_note(f"paused/{name_of(inbound.chat)}", "")
        if group:
            on = self._groups.is_on(name_of(inbound.chat)) or await self._groups.has_moved_here(platform, inbound)
            if not on:
                return None if inbound.edits or inbound.forwarded else await self._groups.unknown(inbound)
            if not await self._groups.is_member(
                platform, name_of(inbound.chat), inbound.account, now=_may_need_an_admin(inbound)
            ):
                return None  # whoever comments from outside a group has nothing to look up in it
        elif not self._acquaintance.knows(inbound.account):
            return None if inbound.edits else await self._acquaintance.from_stranger(inbound)
        if inbound.edits:
            return await self._changed(inbound)
        if inbound.forwarded:
            return None if group else await self._forwarded(inbound)
        found = await self._acquaintance.said(inbound)
        if found is None and not group:
            found = await self._elsewhere.said(platform, inbound)
        if found is not None:
            return found
        if not inbound.text.strip() and inbound.reply_to is None:
            return answer(inbound, plain(words(inbound.lang or self._lang), "only-words"))
        reply = await self._gateway.handle(inbound)
        return answer(inbound, reply) if reply is not None else None

    async def _changed(self, inbound: Inbound) -> Answer | None:
        reply = await self._gateway.act(inbound, change)
        if reply is None:
            return None
        receipt = await self._home.outbox.message_of(inbound.edits)
        said = answer(inbound, reply)
        if reply.shape is not Shape.EDIT or not receipt:
            return said
        return replace(
            said, sayings=tuple(replace(one, delivery=replace(one.delivery, to=receipt)) for one in said.sayings)
        )

    async def _forwarded(self, inbound: Inbound) -> Answer:
        """Never acted on; its words may be kept as somebody else's."""
        reply = await self._gateway.act(inbound, offer_quote)
        return answer(inbound, reply) if reply is not None else Answer(key=inbound.key)

    def is_question(self, event: Event) -> bool:
        """Whether an answer that comes too late is better asked for again: it changes nothing."""
        if not isinstance(event, Inbound) or event.edits or event.forwarded:
            return False
        if event.chat.kind is ChatKind.PRIVATE and not self._acquaintance.knows(event.account):
            return False
        return only_reads(parse(event.text, is_reply=event.reply_to is not None).intent)

    async def missed(self, questions: Sequence[Inbound]) -> Answer:
        """One line about what was asked while the bot was away, instead of answers that nobody waits for any more."""
        first = questions[0]
        if first.chat.kind is ChatKind.GROUP:
            chat, platform = name_of(first.chat), self._platforms[first.chat.platform]
            if not self._groups.is_on(chat) or not await self._groups.is_member(platform, chat, first.account):
                return Answer()
        about = replace(first, key=f"{questions[-1].key}/missed", text="", press="")
        reply = await self._gateway.act(about, lambda turn: missed(turn, questions))
        return answer(first, reply) if reply is not None else Answer()

    # buttons

    async def _press(self, press: Press) -> Answer | None:
        platform = self._platforms[press.chat.platform]
        chosen = words(press.lang or self._lang)
        button = await self._home.requests.button(press.token)
        if button is None or button.chat != name_of(press.chat):
            return pressed(press, plain(chosen, "toast-gone", shape=Shape.TOAST))
        if button.account not in (NOBODY, press.account):
            if press.chat.kind is ChatKind.GROUP and self._groups.is_on(name_of(press.chat)):
                await self._groups.is_member(platform, name_of(press.chat), press.account)
            return pressed(press, await self._only(press, button))
        found = await self._groups.pressed(platform, press, button.action)
        found = found or await self._acquaintance.pressed(press, button.action)
        if found is not None:
            return found
        if press.chat.kind is ChatKind.GROUP:
            if not self._groups.is_on(name_of(press.chat)):
                return pressed(press, plain(chosen, "toast-gone", shape=Shape.TOAST))
            if not await self._groups.is_member(platform, name_of(press.chat), press.account, now=True):
                return pressed(press, plain(chosen, "toast-members-only", shape=Shape.TOAST))
        elif not self._acquaintance.knows(press.account):
            return pressed(press, plain(chosen, "toast-gone", shape=Shape.TOAST))
        verb, _, argument = button.action.partition(" ")
        if verb in (ARRIVED, AGAIN):
            return await self._arrived(press, verb, int(argument))
        if button.about:
            return await self._elsewhere.pressed(platform, press, button.action, button.about)
        inbound = Inbound(
            press.key, press.chat, press.account, press.name, "", press.at,
            press=button.action, message=press.message, topic=press.topic, lang=press.lang,
        )  # fmt: skip
        reply = await self._gateway.handle(inbound)
        if reply is None:
            return pressed(press, plain(chosen, "toast-gone", shape=Shape.TOAST))
        return pressed(press, reply)

    async def _only(self, press: Press, button: SentButton) -> Reply:
        """这个只有 Lin 能按 / Only Lin can press this"""
        inbound = Inbound("", press.chat, press.account, press.name, "", press.at)
        chosen = words(await self._gateway.lang(inbound))
        known = self._home.device.account(button.account)
        if press.chat.kind is ChatKind.PRIVATE:
            name = known.name if known is not None else ""
        else:  # what they are called elsewhere is nothing to a group
            name = await self._gateway.see(inbound, lambda view: view.people().get(button.account, ""), "")
        if not name or len(name) > TOAST_NAME_CHARACTERS_MAX:
            return plain(chosen, "toast-not-yours", shape=Shape.TOAST)
        return plain(chosen, "toast-only", who=name, shape=Shape.TOAST)

    # what may not have arrived

    async def ask_about(self, event: Inbound | Press, uncertain: Sequence[Queued]) -> list[Saying]:
        """One question for each delivery of which nobody knows whether it arrived."""
        if event.chat.kind is ChatKind.PRIVATE and not self._acquaintance.knows(event.account):
            return []  # they could press nothing
        place = Inbound("", event.chat, event.account, event.name, "", event.at, press="")
        chosen = words(await self._gateway.lang(place))
        zone = await self._gateway.see(place, lambda view: view.setting("zone"), "") or "UTC"
        sayings: list[Saying] = []
        for row in uncertain:
            yes = Button(chosen("button-arrived"), f"{ARRIVED} {row.pos}")
            again = Button(chosen("button-send-again"), f"{AGAIN} {row.pos}")
            what, mark = await self._what(row.pos)
            time = mark or f"{render.local(row.at_ms, zone):%H:%M}"
            asked = answer(place, plain(chosen, f"uncertain-{what}", yes, again, time=time))
            sayings += (asked.anyone() if event.chat.kind is ChatKind.GROUP else asked).sayings
        return sayings

    async def _what(self, pos: int) -> tuple[str, str]:
        """What a delivery was, and the time it was for, where that is a time of day: ("words", "13:00")."""
        slots = await self._home.slots.of_delivery(pos)
        if not slots:
            return "reply", ""
        kind = slots[0].slot.kind
        return (kind, slots[0].mark) if kind in DAILY else ("reminder", "")

    async def _arrived(self, press: Press, verb: str, pos: int) -> Answer:
        chosen = words(press.lang or self._lang)
        chat = name_of(press.chat)
        if verb == ARRIVED:
            what, _ = await self._what(pos)
            await self._home.outbox.arrived(pos, chat=chat)
            told = "uncertain-arrived-today" if what in DAILY else "uncertain-arrived"
            return pressed(press, plain(chosen, told, shape=Shape.EDIT))
        queued = await self._home.outbox.again(pos, chat=chat)
        if not queued:
            return pressed(press, plain(chosen, "toast-done-already", shape=Shape.TOAST))
        return replace(pressed(press, plain(chosen, "uncertain-again", shape=Shape.EDIT)), again=tuple(queued))

    # chats

    async def _change(self, event: ChatChange) -> Answer | None:
        if event.change is Change.BLOCKED and not self._acquaintance.knows(event.account):
            return None
        if event.change is Change.BLOCKED:
            await self._home.device.keep_note(f"paused/{name_of(event.chat)}", "blocked")
            return None
        if event.change is Change.UNBLOCKED:
            await self._home.device.keep_note(f"paused/{name_of(event.chat)}", "")
            return None
        return await self._groups.changed(event)


def _may_need_an_admin(inbound: Inbound) -> bool:
    """Whether what is asked is done by admins, or for other people's entries by them alone."""
    intent = parse(inbound.text, is_reply=inbound.reply_to is not None).intent
    return isinstance(intent, Forget | Correct | Undo | Pin) or (isinstance(intent, Simple) and bool(intent.argument))
