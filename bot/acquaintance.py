"""People: who is let in, whose second account somebody is, and what a stranger is told.

Whoever is not known gets a code and nothing of theirs is kept. The owner lets them in by that code; the owner's
own account on a platform is made known by the code that `niannian run` shows on the machine itself.
"""

from __future__ import annotations

from dataclasses import replace

from bot.event import Delivery, Press
from bot.intents import Empty, Simple
from bot.message import Button, ChatKind, Inbound, Reply, Shape
from bot.phrases.grammar import parse
from bot.saying import Answer, Saying, answer, name_of, plain, pressed
from bot.words import Words, language_of, words
from store.errors import Damaged, NotAllowed, Unavailable
from store.grants import PrivateClaim, grant
from store.home import Home
from store.model import AccountID, Role
from store.ports import Clock, Entropy
from store.requests import Request

OWN, LET_IN, LINK, LINKING = "own", "let-in", "link", "linking"
HOUR_MS = 60 * 60 * 1000
STRANGERS_MAX = 20
"""Codes of strangers that are open at once: nobody reads hundreds."""
CODE_CHARACTERS = 8
OWNER_CODE_CHARACTERS = 24
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
NAME_CHARACTERS_MAX = 40


class Acquaintance:
    """`lang`: what this installation speaks where nobody has said. `owner`: the account of the home's owner."""

    def __init__(self, home: Home, *, clock: Clock, entropy: Entropy, lang: str, owner: AccountID) -> None:
        self._home = home
        self._clock = clock
        self._entropy = entropy
        self._lang = lang
        self._owner = owner

    def knows(self, account: AccountID) -> bool:
        return self._home.device.account(account) is not None

    def has_owner(self, platform: str) -> bool:
        """Whether the owner's own account on this platform is known."""
        known = self._home.device.account(self._owner)
        assert known is not None
        return any(one.account.startswith(f"{platform}:") for one in self._home.device.accounts_of(known.scope))

    async def owner_code(self, platform: str) -> str:
        """The code by which the owner's account on `platform` is made known; an hour, once."""
        nobody = AccountID(f"{platform}:")
        known = await self._home.requests.open(self._request(OWN, nobody, "", platform, long=True), most=10)
        assert known is not None
        return known.code

    async def from_stranger(self, inbound: Inbound) -> Answer:
        """A direct message of somebody who is not known. Nothing of it is kept."""
        chosen = words(language_of(inbound.text, inbound.lang or self._lang))
        code = _code_in(inbound.text)
        request = await self._home.requests.find(code) if code else None
        if request is not None and request.kind == OWN and request.chat == inbound.chat.platform:
            return await self._greet_owner(inbound, request, chosen)
        if request is not None and request.kind == LINK and not inbound.text.strip().startswith("/start"):
            return answer(inbound, await self._link(inbound, code, chosen))
        made = self._request(LET_IN, inbound.account, _name(inbound.name), name_of(inbound.chat))
        opened = await self._home.requests.open(made, most=STRANGERS_MAX)
        if opened is None:
            return answer(inbound, plain(chosen, "stranger-too-many"))
        return answer(inbound, plain(chosen, "stranger", code=opened.code))

    async def burn(self, text: str) -> None:
        """A code that was written where others read it: the owner's is no secret any more."""
        code = _code_in(text)
        if len(code) == OWNER_CODE_CHARACTERS:
            await self._home.requests.take(code, OWN)

    async def said(self, inbound: Inbound) -> Answer | None:
        """`/pair CODE` (or the code alone), `/link`, `/link CODE` of somebody who is known; None for anything else."""
        intent = parse(inbound.text).intent
        name = intent.name if isinstance(intent, Simple) else intent.command if isinstance(intent, Empty) else ""
        code = _code_of(intent.argument) if isinstance(intent, Simple) else ""
        if await self._is_waiting(inbound):
            name, code = "pair", _code_of(inbound.text)
        if name not in ("pair", "link"):
            return None
        slash = inbound.text.startswith("/")
        chosen = words(await self._lang_of(inbound.account) if slash else language_of(inbound.text, self._lang))
        if inbound.chat.kind is ChatKind.GROUP:
            open_private = Button(chosen("button-open-private"), "private")
            return answer(inbound, plain(chosen, "only-in-private", open_private))
        if name == "pair":
            return answer(inbound, await self._ask_to_let_in(inbound, code, chosen))
        return answer(inbound, await self._link(inbound, code, chosen))

    async def _is_waiting(self, inbound: Inbound) -> bool:
        """Whether the owner sent nothing but the code of somebody who waits to be let in."""
        code = _code_of(inbound.text)
        known = self._home.device.account(inbound.account)
        if not code or inbound.chat.kind is ChatKind.GROUP or known is None or known.role is not Role.OWNER:
            return False
        request = await self._home.requests.find(code)
        return request is not None and request.kind == LET_IN

    async def pressed(self, press: Press, action: str) -> Answer | None:
        """A button under one of the questions above; None for any other."""
        verb, _, argument = action.partition(" ")
        code, _, choice = argument.partition(" ")
        if verb not in (LET_IN, LINK, LINKING):
            return None
        chosen = words(await self._lang_of(press.account))
        request = await self._home.requests.find(code)
        if request is None or request.kind != verb:
            return pressed(press, plain(chosen, "toast-code-over", shape=Shape.TOAST))
        if verb == LET_IN:
            return await self._let_in(press, request, choice == "yes", chosen)
        if verb == LINK:
            return await self._agreed(press, request, choice == "yes", chosen)
        return await self._joined(press, request, choice == "yes", chosen)

    # letting in

    async def _ask_to_let_in(self, inbound: Inbound, code: str, chosen: Words) -> Reply:
        known = self._home.device.account(inbound.account)
        if known is None or known.role is not Role.OWNER:
            return plain(chosen, "let-in-owner-only")
        if not code:
            return plain(chosen, "let-in-which")
        request = await self._home.requests.find(code)
        if request is None or request.kind != LET_IN:
            return plain(chosen, "let-in-no-code")
        yes = Button(chosen("button-let-in"), f"{LET_IN} {code} yes")
        no = Button(chosen("button-not-now"), f"{LET_IN} {code} no")
        return plain(chosen, "let-in-ask", yes, no, name=request.name)

    async def _let_in(self, press: Press, request: Request, yes: bool, chosen: Words) -> Answer:
        if not yes:
            await self._home.requests.close(request.code)
            return pressed(press, plain(chosen, "let-in-refused", name=request.name, shape=Shape.EDIT))
        await self._home.let_in(request.account, request.name, Role.MEMBER)
        await self._home.requests.close(request.code)
        greeting = Delivery(plain(chosen, "let-in-met"))
        done = pressed(press, plain(chosen, "let-in-done", name=request.name, shape=Shape.EDIT))
        return replace(done, sayings=(Saying(request.chat, greeting), *done.sayings))

    async def _greet_owner(self, inbound: Inbound, request: Request, chosen: Words) -> Answer:
        if await self._home.requests.take(request.code, OWN) is None:
            return answer(inbound, plain(chosen, "let-in-no-code"))
        known = self._home.device.account(self._owner)
        assert known is not None
        await self._home.link(inbound.account, known.name, self._owner)
        return answer(inbound, plain(chosen, "owner-met", name=known.name))

    # two accounts of one person

    async def _link(self, inbound: Inbound, code: str, chosen: Words) -> Reply:
        """The code is typed in the second account, which agrees first; then the one that the code was given to."""
        known = self._home.device.account(inbound.account)
        if not code:
            assert known is not None
            made = self._request(LINK, inbound.account, known.name, name_of(inbound.chat))
            opened = await self._home.requests.open(made, most=STRANGERS_MAX)
            return (
                plain(chosen, "stranger-too-many") if opened is None else plain(chosen, "link-code", code=opened.code)
            )
        request = await self._home.requests.find(code)
        there = self._home.device.account(request.account) if request is not None else None
        if request is None or request.kind != LINK or there is None:
            return plain(chosen, "let-in-no-code")
        if known is not None and known.scope == there.scope:
            return plain(chosen, "link-already")
        yes = Button(chosen("button-link"), f"{LINK} {code} yes")
        no = Button(chosen("button-not-me"), f"{LINK} {code} no")
        return plain(chosen, "link-ask" if known is None else "link-ask-unite", yes, no, name=there.name)

    async def _agreed(self, press: Press, request: Request, yes: bool, chosen: Words) -> Answer:
        """The second account agrees: now the first is asked, by the name that the second one has."""
        await self._home.requests.close(request.code)
        if not yes:
            return pressed(press, plain(chosen, "left-as-it-is", shape=Shape.EDIT))
        here = self._home.device.account(press.account)
        name = here.name if here is not None else _name(press.name)
        opened = await self._home.requests.open(
            self._request(LINKING, press.account, name, name_of(press.chat)), most=STRANGERS_MAX
        )
        if opened is None:
            return pressed(press, plain(chosen, "stranger-too-many", shape=Shape.EDIT))
        theirs = words(await self._lang_of(request.account))
        yes_there = Button(theirs("button-link"), f"{LINKING} {opened.code} yes")
        no_there = Button(theirs("button-not-me"), f"{LINKING} {opened.code} no")
        ask = plain(theirs, "link-ask" if here is None else "link-ask-unite", yes_there, no_there, name=name)
        waits = pressed(press, plain(chosen, "link-wait", shape=Shape.EDIT))
        return replace(waits, sayings=(*waits.sayings, Saying(request.chat, Delivery(ask), request.account)))

    async def _joined(self, press: Press, request: Request, yes: bool, chosen: Words) -> Answer:
        here, there = self._home.device.account(press.account), self._home.device.account(request.account)
        if not yes or here is None:
            await self._home.requests.close(request.code)
            return pressed(press, plain(chosen, "left-as-it-is", shape=Shape.EDIT))
        if there is None:
            await self._home.link(request.account, request.name, here.account)
        elif there.scope != here.scope:
            if there.role is Role.OWNER:  # the owner's own memory is the one that stays
                here, there = there, here
            await self._home.unite_people(there.scope, here.scope)
        await self._home.requests.close(request.code)
        done = pressed(press, plain(chosen, "link-done", shape=Shape.EDIT))
        return replace(done, sayings=(*done.sayings, Saying(request.chat, Delivery(plain(chosen, "link-done")))))

    def _request(self, kind: str, account: AccountID, name: str, chat: str, *, long: bool = False) -> Request:
        until_ms = int(self._clock.now().timestamp() * 1000) + HOUR_MS
        return Request(
            self._code(OWNER_CODE_CHARACTERS if long else CODE_CHARACTERS), kind, account, name, chat, until_ms
        )

    def _code(self, characters: int) -> str:
        """About five bits a character, without letters that look like digits."""
        picked: list[str] = []
        while len(picked) < characters:  # values that would favour some letters are thrown away
            picked += [_ALPHABET[byte % 31] for byte in self._entropy.bytes(characters) if byte < 248]
        return "".join(picked[:characters])

    async def _lang_of(self, account: AccountID) -> str:
        try:
            memory = await self._home.memory(grant(PrivateClaim(account), self._home.device))
            return await memory.read(lambda view: view.setting("lang")) or self._lang
        except (NotAllowed, Unavailable, Damaged):
            return self._lang


def _code_in(text: str) -> str:
    """The code in `/start CODE`, `/pair CODE`, `/link CODE`, or standing alone."""
    return _code_of(text.strip().rpartition(" ")[2])


def _code_of(text: str) -> str:
    code = text.strip().upper().replace("-", "")
    return code if CODE_CHARACTERS <= len(code) <= OWNER_CODE_CHARACTERS and all(c in _ALPHABET for c in code) else ""


def _name(name: str) -> str:
    clean = " ".join(name.split())[:NAME_CHARACTERS_MAX].strip()
    return clean or "?"
