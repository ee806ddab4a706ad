"""The running service: what platforms bring goes through the inbox into lanes, and what is said into the outbox.

    platform → inbox (committed) → lane of the chat → reception → outbox (committed, with the end of the inbox row) → platform

An event takes effect once: its key is kept, and the memory keeps the reply it got. A handler that breaks is tried
three times; then its event is parked and the person is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.event import Event, Press, pack, pack_delivery, unpack
from bot.gateway import LATE
from bot.intents import Simple
from bot.lanes import Lanes
from bot.message import Inbound, Shape
from bot.phrases.grammar import parse
from bot.ports import NotDelivered, Platform
from bot.reception import Reception
from bot.saying import Answer, Saying, answer, name_of, plain, pressed
from bot.sender import Sender
from bot.words import words
from store.errors import Damaged, Unavailable
from store.home import Home
from store.inbox import Arrival, Kept
from store.model import ScopeID
from store.outbox import Also, Departure, Queued, together
from store.ports import Clock
from store.requests import SentButton

log = logging.getLogger(__name__)

LANES_AT_ONCE = 16
WAITING_MAX = 10_000
"""While so many events wait to be handled, the platform keeps the next ones."""
TRIES_MAX = 3
BUTTONS_KEPT = ("private",)
"""Actions that an edge carries out by itself: they need no token."""


@dataclass(frozen=True, slots=True)
class Item:
    """An event in its lane. `pos` is 0 for one that could not be kept (a full disk): it is answered all the same."""

    pos: int
    adapter: str
    bot: str
    event: Event
    tries: int = 0


class Service:
    def __init__(
        self,
        home: Home,
        reception: Reception,
        sender: Sender,
        platforms: Mapping[str, Platform],
        *,
        clock: Clock,
        lang: str,
    ) -> None:
        self._home = home
        self._reception = reception
        self._sender = sender
        self._platforms = platforms
        self._clock = clock
        self._lang = lang
        self.lanes: Lanes[Item] = Lanes(self._handle, most=LANES_AT_ONCE)
        self._loose: set[str] = set()
        self._aside: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Goes on with what a run before this one left."""
        for kept in await self._home.inbox.waiting():
            self._put(_item(kept))
        await self._sender.begin()

    async def receive(self, platform: Platform, events: Sequence[Event]) -> None:
        """Keeps what is new and lets it be handled; committed when it returns.

        Where nothing can be written, the events are answered without being kept: people are told that nothing is
        saved, which is better than no answer until there is room.
        """
        await self.lanes.below(WAITING_MAX)
        arrivals = [self._arrival(platform, event) for event in events]
        try:
            items = [_item(kept) for kept in await self._home.inbox.receive(arrivals)]
            self._loose.clear()
        except (Unavailable, Damaged) as error:
            log.warning("could not keep what came", extra={"reason": error.code})
            new = [event for event in events if event.key not in self._loose]
            self._loose.update(event.key for event in new)
            items = [Item(0, platform.name, platform.bot, event) for event in new]
        for item in items:
            self._put(item)

    async def close(self) -> None:
        await self.lanes.close()
        for task in self._aside:
            task.cancel()
        await asyncio.gather(*self._aside, return_exceptions=True)
        await self._sender.close()

    async def settled(self) -> None:
        """Returns when nothing waits to be handled or to leave."""
        while len(self.lanes) or len(self._sender.lanes) or self._aside:
            await self.lanes.empty()
            await self._sender.lanes.empty()
            if self._aside:
                await asyncio.wait(set(self._aside))

    async def say(self, sayings: Sequence[Saying], *, bot: str, key: str = "", handled: Sequence[int] = ()) -> None:
        """Puts it into the outbox, one row a message, and marks what it answers as handled."""
        buttons: dict[str, SentButton] = {}
        departures = [one for saying in sayings for one in self._departures(saying, bot, key, buttons)]
        requests = self._home.requests
        try:
            queued = await self._home.outbox.put(departures, handled=handled, also=requests.keeping(buttons))
        except (Unavailable, Damaged) as error:
            log.warning("could not keep what is to be said", extra={"reason": error.code})
            requests.keep_loosely(buttons)
            queued = [Queued(0, one, 0) for one in departures]
        self._sender.put(queued)

    async def push(self, saying: Saying, *, bot: str, taking: Also) -> bool:
        """Puts what nobody asked for into the outbox, in one transaction with `taking`; False when it could not be kept.

        Nothing leaves that is not on disk: whoever is not answered asks again, but this would come twice.
        """
        buttons: dict[str, SentButton] = {}
        departures = self._departures(saying, bot, "", buttons)
        if not departures:
            return False
        also = together(taking, self._home.requests.keeping(buttons))
        try:
            queued = await self._home.outbox.put(departures, also=also)
        except (Unavailable, Damaged) as error:
            log.warning("could not keep what is to be said", extra={"reason": error.code})
            return False
        self._sender.put(queued, unasked=True)
        return True

    def unasked_waiting(self, platform: str) -> int:
        """How much of what was pushed there is still to leave."""
        return self._sender.unasked[platform]

    # one lane

    async def _handle(self, lane: str, waiting: Sequence[Item]) -> int:
        late = self._late_questions(waiting)
        if late and await self._missed(late):
            return len(late)
        await self._one(waiting[0])
        return 1

    async def _missed(self, late: Sequence[Item]) -> bool:
        """Whether the questions could be told in one line; else each is answered, late as it is."""
        questions = [item.event for item in late if isinstance(item.event, Inbound)]
        try:
            said = await self._reception.missed(questions)
            await self.say(said.sayings, bot=late[0].bot, handled=[item.pos for item in late if item.pos])
        except Exception:
            log.exception("late questions could not be told")
            return False
        return True

    async def _one(self, item: Item) -> None:
        """Raises nothing: whatever an event does, the next one in its lane is handled."""
        for tries in range(item.tries + 1, TRIES_MAX + 1):
            try:
                await self._answer_and_say(item)
            except Exception as error:
                log.exception(
                    "an event could not be handled", extra={"tries": tries, "kind": type(item.event).__name__}
                )
                await self._note_failure(item, tries, type(error).__name__)
            else:
                return
        try:
            await self.say(self._sorry(item, "parked").sayings, bot=item.bot)
        except Exception:
            log.exception("nobody could be told about a parked event")

    async def _answer_and_say(self, item: Item) -> None:
        try:
            said = await self._answer(item) or Answer()
        except NotDelivered:  # a question to the platform; nothing of memory was touched
            log.warning("a platform could not be asked")
            said = self._sorry(item, "error-unavailable")
        await self.say(said.sayings, bot=item.bot, key=said.key, handled=[item.pos] if item.pos else [])
        self._sender.put(said.again)
        await self._ask_about(item)

    async def _answer(self, item: Item) -> Answer | None:
        event = item.event
        if isinstance(event, Inbound) and item.pos:
            if not event.edits:
                event = await self._newest_form(item, event)
            elif not await self._home.inbox.came_before(item.pos, item.adapter, item.bot, event.edits):
                await self._home.inbox.set_early(item.pos, event.edits)
                return None
        return await self._reception.receive(event)

    async def _newest_form(self, item: Item, event: Inbound) -> Inbound:
        """The message as it was changed to, when that came first."""
        early = await self._home.inbox.take_early(item.adapter, item.bot, event.key)
        changed = unpack(early) if early else None
        if not isinstance(changed, Inbound):
            return event
        return replace(event, text=changed.text, masked=changed.masked, damaged=changed.damaged)

    async def _ask_about(self, item: Item) -> None:
        """Whoever writes again is asked about what may not have arrived."""
        event = item.event
        if not isinstance(event, Inbound | Press):
            return
        try:
            uncertain = await self._home.outbox.ask_about(name_of(event.chat))
            if uncertain:
                await self.say(await self._reception.ask_about(event, uncertain), bot=item.bot)
        except Exception as error:  # the answer has left: it must not be given again because of this
            log.warning("could not ask about a delivery", extra={"reason": type(error).__name__})

    async def _note_failure(self, item: Item, tries: int, reason: str) -> None:
        if not item.pos:
            return
        try:
            if tries >= TRIES_MAX:
                await self._home.inbox.park(item.pos, reason)
            else:
                await self._home.inbox.failed(item.pos, tries)
        except (Unavailable, Damaged) as error:
            log.warning("could not note a failure", extra={"reason": error.code})

    def _sorry(self, item: Item, message_id: str) -> Answer:
        event = item.event
        if isinstance(event, Inbound):
            return answer(event, plain(words(event.lang or self._lang), message_id))
        if isinstance(event, Press):
            return pressed(event, plain(words(event.lang or self._lang), "toast-try-later", shape=Shape.TOAST))
        return Answer()

    def _late_questions(self, waiting: Sequence[Item]) -> list[Item]:
        """Those at the head of a lane that one person asked in one conversation."""
        late: list[Item] = []
        first: tuple[object, ...] | None = None
        for item in waiting:
            event = item.event
            if not isinstance(event, Inbound) or self._clock.now() - event.at < LATE:
                break
            asked_by = (event.chat, event.topic, event.account)
            if not self._reception.is_question(event) or asked_by != (first or asked_by):
                break
            first = asked_by
            late.append(item)
        return late

    # keys and rows

    def _put(self, item: Item) -> None:
        if len(self._aside) < LANES_AT_ONCE and _is_stop(item.event):  # it must not wait for what it is to stop
            task = asyncio.ensure_future(self._one(item))
            self._aside.add(task)
            task.add_done_callback(self._aside.discard)
            return
        self.lanes.put(self._lane(item.event), item)

    def _lane(self, event: Event) -> str:
        """One memory, one lane: a group that moved and a person's two accounts are not handled side by side."""
        chat = name_of(event.chat)
        scope: ScopeID | None = self._home.device.chats().get(chat)
        if scope is None and isinstance(event, Inbound | Press):
            known = self._home.device.private_scope(event.account)
            scope = known.scope if known is not None and event.chat.id == event.account.partition(":")[2] else None
        return scope or chat

    def _arrival(self, platform: Platform, event: Event) -> Arrival:
        new = isinstance(event, Inbound) and not event.edits
        message = event.key if new else ""
        return Arrival(platform.name, platform.bot, event.key, message, name_of(event.chat), pack(event))

    def _departures(self, saying: Saying, bot: str, key: str, sent_buttons: dict[str, SentButton]) -> list[Departure]:
        """One a message that the platform takes. Its buttons get tokens, which are put into `sent_buttons`."""
        adapter = saying.chat.partition(":")[0]
        platform = self._platforms.get(adapter)
        if platform is None:
            return []
        parts = platform.parts(saying.delivery.reply)
        if not parts and saying.delivery.press:  # nothing to say, but whoever pressed waits for an answer
            parts = [saying.delivery.reply]
        departures = []
        for place, part in enumerate(parts):
            first, last = place == 0, place == len(parts) - 1
            buttons = part.buttons
            tokens = iter(self._home.requests.tokens(len(buttons)))
            marked = []
            for button in buttons:
                if button.action not in BUTTONS_KEPT:
                    token = next(tokens)
                    sent_buttons[token] = SentButton(saying.presser, saying.chat, button.action, saying.about)
                    button = replace(button, action=token)
                marked.append(button)
            reply = replace(part, buttons=tuple(marked))
            if not first and reply.shape is Shape.EDIT:
                reply = replace(reply, shape=Shape.MESSAGE)
            delivery = replace(
                saying.delivery, reply=reply, leave=saying.delivery.leave and last,
                press=saying.delivery.press if first else "", to=saying.delivery.to if first else "",
            )  # fmt: skip
            departures.append(Departure(adapter, platform.bot or bot, saying.chat, key, pack_delivery(delivery)))
        return departures


def _item(kept: Kept) -> Item:
    arrival = kept.arrival
    return Item(kept.pos, arrival.adapter, arrival.bot, unpack(arrival.payload), kept.tries)


def _is_stop(event: Event) -> bool:
    return isinstance(event, Inbound) and len(event.text) < 40 and parse(event.text).intent == Simple("stop")
