"""From an authenticated event to a reply: whose memory, in one transaction, once.

Before anything is written the text is scanned: what looks like a secret is masked here, and no table, log or
open question ever holds more than the mask. A message with a key takes effect once; a repeat gets the stored reply.
When nothing can be stored, questions are still answered and the person is told, in words, that nothing was saved.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeVar

from bot import embedding, render, router
from bot.commands import devices, offers
from bot.commands.receipts import RECEIPT_LINES_MAX
from bot.commands.wishes import waiting_in
from bot.embedding import Embedding
from bot.intents import ForOtherBot, Parsed
from bot.message import Button, ChatKind, Inbound, Line, Reply, Shape, pack_reply, unpack_reply
from bot.phrases.grammar import parse
from bot.secret_scan import mask
from bot.turn import Notes, Turn
from bot.words import Words, language_of, words
from store.dictionary import Dictionary
from store.errors import (
    Damaged,
    DiskFull,
    NiannianError,
    NotAllowed,
    NotFound,
    ReadOnly,
    Rejected,
    StoreFault,
    Unavailable,
    Untrusted,
)
from store.grants import GroupClaim, PrivateClaim, ScopeGrant, grant
from store.home import Home
from store.memory import Memory
from store.model import AccountID, ScopeID, ScopeKind
from store.ports import Clock
from store.slots import KeptSlot
from store.view import View
from store.writer import Writer

log = logging.getLogger(__name__)

TEXT_BYTES_MAX = 256 * 1024
"""More than this in one message is refused before it is looked at."""
LATE = timedelta(minutes=10)
"""A message that waited longer is answered with the time it was written at."""
LOOKING = ("why", "history", "full", "private")
"""Buttons that only show something and keep nothing of their own."""
TOAST_CHARACTERS_MAX = {"zh": 20, "en": 40}

T = TypeVar("T")
Reading = Callable[[str, bool], Parsed]
"""(text, whether it replies to a message) → what it asks for."""


def _read(text: str, is_reply: bool) -> Parsed:
    return parse(text, is_reply=is_reply)


class Gateway:
    """`zone`, `lang`: what holds where a scope has set nothing."""

    def __init__(
        self, home: Home, *, clock: Clock, zone: str, lang: str, device_name: str, embedding: Embedding
    ) -> None:
        self._home = home
        self._embedding = embedding
        self._clock = clock
        self._zone = zone
        self._lang = lang
        self._device_name = device_name
        self.read: Reading = _read
        self.asks_zone = True
        """False where lines come out of a pipe: nobody would answer."""
        self.timed: Callable[[], None] = lambda: None
        """Called when something has got a time, and that is on disk."""
        self._unsaved: dict[tuple[str, AccountID], Inbound] = {}

    async def handle(self, inbound: Inbound, *, about: str = "") -> Reply | None:
        """The reply; None when the message is not for us. Raises only what is a bug or a stop of the process.

        `about`: the group whose memory is asked from a private chat. It is only looked at, and keeps no trace of it.
        """
        if not inbound.addressed:
            return None
        keys = (inbound.key,) if inbound.key else ()
        if inbound.press == "retry":
            again = self._unsaved.pop((inbound.chat.id, inbound.account), None)
            if again is not None:
                keys = tuple(dict.fromkeys((*keys, again.key))) if again.key else keys
                inbound = again
        if len(inbound.text.encode(errors="surrogatepass")) > TEXT_BYTES_MAX:
            return self._plain("error-message-too-long", most=TEXT_BYTES_MAX // 1024)
        inbound = masked(inbound)
        parsed = self.read(inbound.text, inbound.reply_to is not None) if inbound.press is None else None
        if parsed is not None and isinstance(parsed.intent, ForOtherBot):
            return None
        try:
            granted = grant(_claim(inbound, about), self._home.device)
            memory = await self._home.memory(granted)
        except NiannianError as error:
            return self._failure(error, self._words(inbound, parsed, None), None, storing=_asks_to_keep(parsed))
        meaning = await self._meaning(memory, inbound, parsed)
        said = await self._said(granted.scope, parsed, inbound.press or "")
        asked = _Asked(inbound, parsed, keys, meaning, _act_on(parsed, inbound), said)
        if about:
            return await self._look(memory, granted, asked)
        reply = await self._turn(memory, granted, asked)
        self._embedding.said.set()
        return reply

    async def act(self, inbound: Inbound, act: Callable[[Turn], Reply | None]) -> Reply | None:
        """`act` in one transaction of the memory that `inbound` is about, once; None when it has nothing to say.

        For what no sentence asks for: a changed message, an entry copied from another memory. Raises NotAllowed.
        """
        inbound = masked(inbound)
        granted = grant(_claim(inbound), self._home.device)
        memory = await self._home.memory(granted)
        parsed = self.read(inbound.text, inbound.reply_to is not None) if inbound.press is None else None
        keys = (inbound.key,) if inbound.key else ()
        reply = await self._turn(memory, granted, _Asked(inbound, parsed, keys, embedding.Asked(), act))
        self._embedding.said.set()
        return reply if reply.lines else None

    async def _look(self, memory: Memory, granted: ScopeGrant, asked: _Asked) -> Reply:
        refusal = NotAllowed("error-only-looked-at")
        try:
            reply = await memory.look(lambda writer: self._answer(writer, granted, asked), refusal)
        except Rejected as error:
            chosen = self._words(asked.inbound, asked.parsed, None)
            return Reply((Line(chosen(error.code, **error.facts)),))
        except (Unavailable, Damaged) as error:
            return self._failure(error, self._words(asked.inbound, asked.parsed, None), None, storing=False)
        return replace(reply, buttons=tuple(b for b in reply.buttons if b.action.split(" ")[0] in LOOKING))

    async def _meaning(self, memory: Memory, inbound: Inbound, parsed: Parsed | None) -> embedding.Asked:
        """Of what is looked for. Asked for before the turn begins: no transaction may wait for a model."""
        if self._embedding.embedder is None:
            return embedding.Asked()
        if parsed is not None:
            return await self._embedding.asked(router.words_asked(parsed.intent))
        action = inbound.press or ""
        try:
            return await self._embedding.asked(await memory.read(lambda view: offers.words_of(view, action)))
        except (Unavailable, Damaged):  # the answer itself will say what is wrong
            return embedding.Asked()

    async def _said(self, scope: ScopeID, parsed: Parsed | None, action: str) -> Sequence[KeptSlot]:
        """It stands in another database than the memory, so it is read before the turn begins."""
        if not router.asks_what_was_said(parsed.intent if parsed is not None else None, action):
            return ()
        try:
            return await self._home.slots.lately(scope)
        except (Unavailable, Damaged):
            return ()

    async def see(self, inbound: Inbound, fn: Callable[[View], T], otherwise: T) -> T:
        """What `fn` sees in the memory that `inbound` is about; `otherwise` where it cannot be seen."""
        try:
            memory = await self._home.memory(grant(_claim(inbound), self._home.device))
            return await memory.read(fn)
        except (NotAllowed, Unavailable, Damaged):
            return otherwise

    async def lang(self, inbound: Inbound) -> str:
        """What slash commands and buttons are answered in where `inbound` was said."""
        return await self.see(inbound, lambda view: view.setting("lang"), "") or self._lang

    async def open(self, inbound: Inbound) -> None:
        """Opens the memory that `inbound` is about. Raises what keeps it closed, so that a start can say so."""
        await self._home.memory(grant(_claim(inbound), self._home.device))

    async def greet(self, inbound: Inbound) -> Reply | None:
        """The greeting, if this home has not greeted its owner yet."""
        granted = grant(_claim(inbound), self._home.device)
        memory = await self._home.memory(granted)

        def first(writer: Writer) -> Reply | None:
            if writer.note("greeted") is not None:
                return None
            writer.keep_note("greeted", "{}")
            chosen = words(writer.setting("lang") or self._lang)
            turn = self._make_turn(writer, granted, inbound, chosen, embedding.Asked())
            return router.greet(turn)

        try:
            return await memory.turn(first)
        except (Unavailable, Damaged):  # a greeting can wait until it can be noted down
            return None

    async def wishes(self, inbound: Inbound) -> Reply | None:
        """What agents wish to have forgotten, for whoever begins to talk; None where nothing waits."""
        granted = grant(_claim(inbound), self._home.device)
        memory = await self._home.memory(granted)

        def shown(writer: Writer) -> Reply | None:
            chosen = words(writer.setting("lang") or self._lang)
            return router.wishes(self._make_turn(writer, granted, inbound, chosen, embedding.Asked()))

        try:
            if not await memory.read(waiting_in):
                return None
            return await memory.turn(shown)
        except (Unavailable, Damaged):  # they wait, and /status shows them too
            return None

    async def unasked(
        self, inbound: Inbound, scope: ScopeID, fn: Callable[[Turn], Reply | None], *, about: str
    ) -> Reply | None:
        """What `fn` says of its own accord where `inbound` stands, in the language of `about`; None for nothing.

        Raises NotAllowed where that chat does not lead to the memory `scope` for that person, and what a fault raises.
        """
        granted = grant(_claim(inbound), self._home.device)
        if granted.scope != scope:
            raise NotAllowed
        memory = await self._home.memory(granted, passing=True)

        def say(writer: Writer) -> Reply | None:
            app = writer.setting("lang") or self._lang
            return fn(self._make_turn(writer, granted, inbound, words(language_of(about, app)), embedding.Asked()))

        return await memory.turn_if_it_writes(say)

    async def _turn(self, memory: Memory, granted: ScopeGrant, asked: _Asked) -> Reply:
        def run(writer: Writer) -> Reply:
            return self._answer(writer, granted, asked)

        try:
            reply = await memory.turn(run)
            if asked.timed:
                self.timed()
            return reply
        except Rejected as error:
            return await self._refused(memory, asked, error)
        except (Unavailable, Damaged, Untrusted) as error:  # Untrusted: our own write broke a limit of the format
            log.warning("could not store a turn", extra={"reason": error.code})
            return await self._without_storing(memory, asked, run, error)

    def _answer(self, writer: Writer, granted: ScopeGrant, asked: _Asked) -> Reply:
        stored = next((kept for key in asked.keys if (kept := writer.handled(key)) is not None), None)
        if stored is not None:
            return unpack_reply(stored) if stored else Reply(())  # what it said has been erased since
        inbound, parsed = asked.inbound, asked.parsed
        chosen = self._words(inbound, parsed, writer)
        turn = replace(self._make_turn(writer, granted, inbound, chosen, asked.meaning), said=asked.said)
        answered = asked.act(turn)
        if answered is None:
            _keep_handled(writer, asked.keys, Reply(()))
            return Reply(())
        reply = answered
        if parsed is not None and reply.shape is not Shape.REACTION and not inbound.edits:
            reply = replace(reply, shape=Shape.MESSAGE)  # an edit or a toast belongs to a pressed button
        if reply.stored and turn.now - inbound.at >= LATE:
            reply = replace(reply, lines=(*reply.lines, Line(turn.words("note-late", time=turn.moment(turn.at_ms)))))
        if devices.is_removed(writer, turn.device_id):
            reply = _from_a_removed_device(turn, reply)
        if inbound.damaged:
            reply = replace(reply, lines=(*reply.lines, Line(turn.words("note-damaged-text"))))
        if inbound.press is None or turn.notes.cited:
            writer.keep_turn(
                chat=turn.chat,
                account=turn.account,
                at_ms=turn.at_ms,
                zone=turn.zone,
                kind=turn.notes.kind,
                text=inbound.text,
                reply=reply.text,
                cited=list(dict.fromkeys(turn.notes.cited)),
                entry=turn.notes.entry,
                topic=turn.notes.topic,
            )
        _keep_handled(writer, asked.keys, reply)
        asked.timed = turn.notes.timed
        return reply

    def _make_turn(
        self, writer: Writer, granted: ScopeGrant, inbound: Inbound, chosen: Words, meaning: embedding.Asked
    ) -> Turn:
        device = self._home.device
        return Turn(
            writer=writer,
            inbound=inbound,
            words=chosen,
            role=granted.role,
            kind=granted.kind,
            title=device.scope(granted.scope).title if granted.kind is ScopeKind.GROUP else "",
            zone=writer.setting("zone") or self._zone,
            now=self._clock.now(),
            names=writer.people(),
            device=self._device_name,
            device_id=self._home.device_id,
            platform=inbound.chat.platform,
            meant=meaning.meant,
            meaning=meaning.meaning,
            dictionary=lambda: Dictionary.open(self._home.path),
            embedder=self._embedding.embedder,
            asks_zone=self.asks_zone,
            notes=Notes(),
        )

    def _words(self, inbound: Inbound, parsed: Parsed | None, view: View | None) -> Words:
        """The language of the message; for slash commands and buttons that of `/lang`, else the app's."""
        app = (view.setting("lang") if view else "") or self._lang
        if parsed is None or parsed.slash:
            return words(app)
        return words(language_of(inbound.text, app))

    # when it did not work

    async def _refused(self, memory: Memory, asked: _Asked, error: Rejected) -> Reply:
        """Nothing was changed. The same message must get this reply again, whatever is possible by then."""
        chosen = await memory.read(lambda view: self._words(asked.inbound, asked.parsed, view))
        reply = Reply((Line(chosen(error.code, **error.facts)),))
        if isinstance(error, NotFound) and await memory.read(
            lambda view: devices.is_removed(view, self._home.device_id)
        ):
            reply = replace(reply, lines=(Line(chosen("removed-note")), *reply.lines))
        if asked.parsed is None and len(reply.text) <= TOAST_CHARACTERS_MAX[chosen.lang]:
            reply = replace(reply, shape=Shape.TOAST)
        if asked.keys:
            try:
                await memory.turn(lambda writer: _keep_handled(writer, asked.keys, reply))
            except (Unavailable, Damaged) as fault:
                log.warning("could not note a refusal", extra={"reason": fault.code})
        return reply

    async def _without_storing(
        self, memory: Memory, asked: _Asked, run: Callable[[Writer], Reply], error: NiannianError
    ) -> Reply:
        """Questions are answered all the same; a write is refused with what is safe and what to do."""
        inbound, parsed = asked.inbound, asked.parsed
        chosen = self._words(inbound, parsed, None)
        try:
            reply = await memory.look(run, error)
            # What could not be kept as an offer has no id, and its button would do nothing.
            return replace(reply, buttons=tuple(b for b in reply.buttons if b.action.split(" ")[:2] != ["offer", ""]))
        except Rejected as refused:
            return Reply((Line(chosen(refused.code, **refused.facts)),))
        except (Unavailable, Damaged, Untrusted) as again:
            total: int | None
            try:
                total = await memory.read(View.count)
            except (Unavailable, Damaged):
                total = None
            self._unsaved[inbound.chat.id, inbound.account] = inbound
            return self._failure(again if total is None else error, chosen, total, storing=_asks_to_keep(asked.parsed))

    def _failure(self, error: NiannianError, chosen: Words, total: int | None, *, storing: bool) -> Reply:
        """`total`: entries that can still be read. `storing`: the message asked to keep something."""
        if isinstance(error, Rejected):
            return Reply((Line(chosen(error.code, **error.facts)),))
        safe = chosen("safe-entries", n=total, shown=render.number(chosen, total)) if total is not None else ""
        kinds: dict[type[NiannianError], str] = {
            DiskFull: "not-saved-disk-full",
            ReadOnly: "not-saved-read-only",
            StoreFault: "not-saved-fault",
        }
        name = kinds.get(type(error), "not-saved-damaged" if isinstance(error, Damaged) else "not-saved-fault")
        answerable = total is not None and not isinstance(error, Damaged)
        lines = [Line(chosen(name, safe=safe))] if storing or answerable else []
        if not lines or total is None or error.code != type(error).code:  # what is to be done about this very file
            lines.append(Line(chosen(error.code, **error.facts)))
        buttons = (Button(chosen("button-retry"), "retry"),) if total is not None else ()
        return Reply(tuple(lines), buttons, failed=True)

    def _plain(self, message_id: str, shape: Shape = Shape.MESSAGE, /, **facts: str | int) -> Reply:
        return Reply((Line(words(self._lang)(message_id, **facts)),), shape=shape)


def _from_a_removed_device(turn: Turn, reply: Reply) -> Reply:
    """Nothing there may be only nothing here; and what is written goes nowhere."""
    if turn.notes.empty:
        return replace(reply, lines=(Line(turn.words("removed-note")), *reply.lines))
    if not turn.writer.changed or reply.shape is Shape.TOAST:
        return reply
    *above, last = reply.lines
    note = turn.words("note-this-device-only")
    if len(reply.lines) < RECEIPT_LINES_MAX or last.stored:
        return replace(reply, lines=(*reply.lines, Line(note)))
    return replace(reply, lines=(*above, Line(f"{last.words} · {note}")))


def _asks_to_keep(parsed: Parsed | None) -> bool:
    """A button may: it is no question either way."""
    return parsed is None or isinstance(parsed.intent, router.STORING)


def _act_on(parsed: Parsed | None, inbound: Inbound) -> Callable[[Turn], Reply | None]:
    if parsed is None:
        return lambda turn: router.press(turn, inbound.press or "")
    if inbound.masked:
        return lambda turn: router.hold(turn, parsed) or router.route(turn, parsed)
    return lambda turn: router.route(turn, parsed)


def _claim(inbound: Inbound, about: str = "") -> PrivateClaim | GroupClaim:
    """From the authenticated event alone. `about`: the group whose membership was just made sure of."""
    if about:
        return GroupClaim(about, inbound.account)
    if inbound.chat.kind is ChatKind.PRIVATE:
        return PrivateClaim(inbound.account)
    return GroupClaim(f"{inbound.chat.platform}:{inbound.chat.id}", inbound.account)


@dataclass(slots=True)
class _Asked:
    """One message on its way through. `keys`: the messages that this answers; `timed`: its answer set a time."""

    inbound: Inbound
    parsed: Parsed | None
    keys: tuple[str, ...]
    meaning: embedding.Asked
    act: Callable[[Turn], Reply | None]
    said: Sequence[KeptSlot] = ()
    timed: bool = False


def _keep_handled(writer: Writer, keys: tuple[str, ...], reply: Reply) -> None:
    for key in keys:
        if writer.handled(key) is None:
            writer.keep_handled(key, pack_reply(reply))


def masked(inbound: Inbound) -> Inbound:
    """The message with every secret masked."""
    quoted = inbound.reply_to
    text = mask(inbound.text)
    found = text != inbound.text
    if quoted is not None:
        clean = replace(quoted, text=mask(quoted.text))
        found, quoted = found or clean != quoted, clean
    return replace(inbound, text=text, reply_to=quoted, masked=True) if found else inbound
