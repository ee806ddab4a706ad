"""From a private chat: asking a group's memory, and copying an entry of it into one's own.

Only what reads is asked there, and nothing of the question stays behind. Copying is the one place in the program that
holds two memories; each was opened by a grant of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.commands import receipts
from bot.commands.remember import store
from bot.event import Press
from bot.gateway import Gateway
from bot.groups import Groups
from bot.message import Button, Inbound, Reply, Shape
from bot.phrases.grammar import parse
from bot.phrases.named_group import question_for
from bot.ports import NotDelivered, Platform
from bot.router import only_reads
from bot.saying import Answer, answer, plain, pressed
from bot.turn import Turn
from bot.words import Words, language_of, words
from store.grants import GroupClaim, grant
from store.home import Home
from store.model import Entry, Origin
from store.view import View

COPY = "copy"


@dataclass(frozen=True, slots=True)
class _Asked:
    chat: str
    title: str
    question: str


class Elsewhere:
    def __init__(self, home: Home, gateway: Gateway, groups: Groups, *, lang: str) -> None:
        self._home = home
        self._gateway = gateway
        self._groups = groups
        self._lang = lang

    async def said(self, platform: Platform, inbound: Inbound) -> Answer | None:
        """The answer to `in Team, which branch …?`; None when no group of theirs is named.

        Whoever was never in a group of that name is answered as if there were none.
        """
        chosen = words(language_of(inbound.text, self._lang))
        for asked in self._named(inbound):
            knows = self._knows(asked.chat, inbound)
            try:
                member = await self._groups.is_member(platform, asked.chat, inbound.account)
            except NotDelivered:
                if knows:
                    return answer(inbound, plain(chosen, "elsewhere-unsure", title=asked.title))
                continue
            if member:
                reply = await self._gateway.handle(replace(inbound, text=asked.question, key=""), about=asked.chat)
                return answer(inbound, _with_copy(reply, chosen), about=asked.chat) if reply is not None else None
            if knows:
                return answer(inbound, plain(chosen, "elsewhere-members-only", title=asked.title))
        return None

    def _knows(self, chat: str, inbound: Inbound) -> bool:
        """Whether they are, or were, known to be in it: then it is no secret that there is such a group."""
        device = self._home.device
        return device.group_scope(chat, inbound.account) is not None or device.is_former(chat, inbound.account)

    async def pressed(self, platform: Platform, press: Press, action: str, about: str) -> Answer:
        """A button under such an answer."""
        chosen = words(press.lang or self._lang)
        try:
            member = await self._groups.is_member(platform, about, press.account)
        except NotDelivered:
            return pressed(press, plain(chosen, "toast-try-later", shape=Shape.TOAST))
        if not member:
            return pressed(press, plain(chosen, "toast-members-only", shape=Shape.TOAST))
        verb, _, label = action.partition(" ")
        event = _inbound(press)
        reply: Reply | None
        if verb == COPY:
            reply = await self._copy(event, about, label, chosen)
        else:
            reply = await self._gateway.handle(replace(event, press=action, key=""), about=about)
        return pressed(press, reply or plain(chosen, "toast-gone", shape=Shape.TOAST), about=about)

    async def _copy(self, event: Inbound, about: str, label: str, chosen: Words) -> Reply:
        memory = await self._home.memory(grant(GroupClaim(about, event.account), self._home.device))

        def look(view: View) -> tuple[Entry, str] | None:
            records = [*view.labelled(label), label]
            found = (entry for record in records if (entry := view.entry(record)) and not (entry.hidden or entry.held))
            shown = next(found, None)
            return (shown, shown.source.quoted or view.people().get(shown.author, "")) if shown is not None else None

        found = await memory.read(look)
        if found is None:
            return plain(chosen, "toast-gone", shape=Shape.TOAST)
        entry, author = found
        reply = await self._gateway.act(event, lambda turn: _keep_copy(turn, entry, author))
        return reply or plain(chosen, "toast-done-already", shape=Shape.TOAST)

    def _named(self, inbound: Inbound) -> list[_Asked]:
        found = []
        for chat, scope in self._home.device.groups(inbound.chat.platform):
            question = question_for(scope.title, inbound.text) if scope.title else ""
            if question and only_reads(parse(question).intent):
                found.append(_Asked(chat, scope.title, question))
        return found


def _keep_copy(turn: Turn, entry: Entry, author: str) -> Reply:
    kept = store(turn, replace(entry.draft, importance=None), origin=Origin.CONFIRMED, quoted=author)
    return replace(receipts.saved(turn, kept), shape=Shape.MESSAGE)


def _with_copy(reply: Reply, chosen: Words) -> Reply:
    """[Copy to mine] beside [Source]; what would change the group's memory is not offered from here."""
    sources = [button for button in reply.buttons if button.action.startswith("why ")]
    others = [button for button in reply.buttons if button not in sources]
    copies = [Button(chosen("button-copy"), f"{COPY} {one.action.partition(' ')[2]}") for one in sources[:1]]
    return replace(reply, buttons=(*others, *sources, *copies)[-3:])


def _inbound(press: Press) -> Inbound:
    return Inbound(press.key, press.chat, press.account, press.name, "", press.at, press="", lang=press.lang)
