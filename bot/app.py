"""Builds everything and knows everyone: home, gateway, terminal sessions, and the timer for erasing."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from bot.config import Config
from bot.embedding import Embedding
from bot.gateway import Gateway, Reading
from bot.message import Chat, ChatKind, Inbound, Reply
from bot.platforms.terminal import Speaker, TerminalSession
from bot.ringing import Ringing
from store.device import DATABASE, known_device
from store.embedders.make import make_embedder
from store.errors import BadCommand, Damaged, KeyMissing, NotAllowed, NotFound, Unavailable
from store.grants import UpkeepClaim, grant
from store.home import MAKING, RESTORING, Home, HomeLock
from store.model import AccountID, Role
from store.ports import Clock, Embedder, Entropy
from store.renewal import renew
from store.sql import DEFAULT_FACTORY, ConnectionFactory
from sync import identity, keys, state

if TYPE_CHECKING:
    from scheduler.alarm import Alarm

log = logging.getLogger(__name__)

OWNER = AccountID("terminal:owner")
ERASE_EVERY_S = 30.0
NAME_CHARACTERS_MAX = 40
SHARED = Path("keys") / "scopes"
"""There once this home has shared a memory with another device."""


class App:
    """One running niannian on one home."""

    def __init__(
        self,
        home: Home,
        gateway: Gateway,
        config: Config,
        clock: Clock,
        owner_name: str,
        *,
        embedding: Embedding,
        entropy: Entropy,
        device_name: str,
        zone: str,
        lang: str,
        renewed: bool,
    ) -> None:
        self.home = home
        self.embedding = embedding
        self._entropy = entropy
        self.device_name = device_name
        self.zone = zone
        self.lang = lang
        self.renewed = renewed
        """This home is a copy, or was put back: it has just become a new device."""
        self.gateway = gateway
        self.ringing = Ringing(home, gateway, clock=clock, zone=zone)
        self._alarm: Alarm | None = None
        self._config = config
        self._clock = clock
        self._owner_name = owner_name
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    async def start(
        cls,
        home: Path,
        config: Config,
        clock: Clock,
        entropy: Entropy,
        *,
        zone: str = "UTC",
        lang: str = "en",
        login: str = "owner",
        host: str = "home",
        factory: ConnectionFactory = DEFAULT_FACTORY,
        embedder: Embedder | None = None,
    ) -> App:
        """Opens the home and erases what is due before anything is answered.

        `zone`, `lang`, `login`, `host`: what the system says, used where the configuration says nothing.
        `embedder`: in place of the one that the settings name.
        Raises HomeInUse, HomeRefused, Unavailable and Damaged.
        """
        person = config.person
        await settle(home)
        check_keys(home)
        renewed = await _renew(home, clock, entropy, factory)
        opened = await Home.open(
            home,
            load_device_id=lambda path: _device_id(path, entropy),
            clock=clock,
            entropy=entropy,
            factory=factory,
            seed={name: value for name, value in (("zone", person.zone), ("lang", person.lang)) if value},
        )
        try:
            device_name = config.device.name or host
            chosen = config.embedder
            embedding = Embedding(
                embedder
                or make_embedder(
                    chosen.kind,
                    clock=clock,
                    base_url=chosen.base_url,
                    model=chosen.model,
                    api_key=chosen.api_key.reveal() if chosen.api_key else None,
                )
            )
            gateway = Gateway(
                opened,
                clock=clock,
                zone=person.zone or zone,
                lang=person.lang or lang,
                device_name=device_name,
                embedding=embedding,
            )
            if opened.device.account(OWNER) is None:
                await opened.let_in(OWNER, person.name or login, Role.OWNER)
            owner = opened.device.account(OWNER)
            assert owner is not None
            app = cls(
                opened, gateway, config, clock, owner.name,
                embedding=embedding, entropy=entropy, device_name=device_name, zone=person.zone or zone,
                lang=person.lang or lang, renewed=renewed,
            )  # fmt: skip
            await app.run_due()
            await app.found_anew_due()
        except BaseException:
            await opened.close()
            raise
        return app

    async def session(self, as_name: str | None = None, group: str | None = None) -> TerminalSession:
        """A terminal session of the owner, or of a local person; in private, or in a local group.

        Raises NotAllowed for another person while a chat platform is configured, BadCommand for a bad name,
        Damaged when the memory this talk is about cannot be opened.
        """
        account, name = OWNER, self._owner_name
        if as_name is not None and as_name.strip() != self._owner_name:
            if self._config.telegram.token or self._config.feishu.app_id:
                raise NotAllowed("error-as-refused")
            name = _checked(as_name)
            account = AccountID(f"terminal:as/{name}")
            await self.home.let_in(account, name, Role.MEMBER)
        chat = Chat("terminal", account, ChatKind.PRIVATE)
        if group is not None:
            group = _checked(group)
            chat = Chat("terminal", f"group/{group}", ChatKind.GROUP, group)
            role = Role.ADMIN if account == OWNER else Role.MEMBER
            await self.home.join_group(f"{chat.platform}:{chat.id}", group, account, name, role)
        session = TerminalSession(Speaker(account, name, chat), self.handle, self._clock)
        await self.gateway.open(session.inbound())
        return session

    def look_up(self, as_name: str | None, group: str | None) -> None:
        """Raises NotFound where `session` would make a person or a group that is not there yet."""
        device = self.home.device
        name = self._owner_name if as_name is None else _checked(as_name)
        if name != self._owner_name and device.account(AccountID(f"terminal:as/{name}")) is None:
            raise NotFound("error-no-such-person", name=name)
        if group is not None and not device.is_on(f"terminal:group/{_checked(group)}"):
            raise NotFound("error-no-such-group", name=_checked(group))

    async def handle(self, inbound: Inbound) -> Reply | None:
        await self.run_due(opened_only=True)
        return await self.gateway.handle(inbound)

    def now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)

    def reading(self, read: Reading) -> App:
        """The same program, which reads every message in one way (one-shot commands)."""
        self.gateway.read = read
        return self

    async def run_due(self, *, opened_only: bool = False) -> list[Reply]:
        """Erases what is due. A scope that cannot be written is left as it is and tried again later."""
        await self.home.erase_due(opened_only=opened_only)
        return []

    async def found_anew_due(self) -> None:
        """The same for the scopes that this device shares with others, where it is their admin."""
        if not (self.home.path / SHARED).exists():
            return
        from sync.erasing import found_anew  # a home that shares nothing starts without it
        from sync.keystore import FileKeyStore

        own, store = keys.load(self.home.path), FileKeyStore(self.home.path)
        for scope in self.home.device.scopes():
            if scope.made:
                try:
                    memory = await self.home.memory(grant(UpkeepClaim(scope.scope), self.home.device))
                    await found_anew(memory, own, store, clock=self._clock, entropy=self._entropy)
                except (Unavailable, Damaged) as error:
                    log.warning("could not found a scope anew", extra={"scope": scope.scope, "reason": error.code})

    def start_timer(self) -> None:
        """Erases what falls due while the program runs, and gives what is stored its vectors."""
        self.attend(self._tick())
        self.attend(self.embedding.fill(self.home))

    async def start_alarm(self, monotonic: Callable[[], float]) -> None:
        """Says what is due while the program runs, from the next moment on."""
        alarm = await asyncio.to_thread(_load_alarm)  # a third of a second that nobody shall wait for
        self._alarm = alarm.Alarm(self.ringing.tick, self._clock, monotonic)
        self.gateway.timed = self._alarm.wake
        self._alarm.start()

    def attend(self, work: Coroutine[object, object, None]) -> None:
        """Runs `work` beside everything else, until it ends or the program does."""
        self._tasks.append(asyncio.create_task(work))

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(ERASE_EVERY_S)
            try:
                await self.run_due(opened_only=True)
                await self.found_anew_due()
            except (Unavailable, Damaged) as error:
                log.warning("could not erase what is due", extra={"reason": error.code})

    async def close(self) -> None:
        try:
            if self._alarm is not None:
                await self._alarm.close()
            for task in self._tasks:
                task.cancel()
            for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
                if isinstance(ended, Exception):
                    log.error("a task beside the program broke", exc_info=ended)
            await self.embedding.close()
        finally:
            await self.home.close()


def _load_alarm() -> ModuleType:
    from scheduler import alarm

    return alarm


async def settle(home: Path) -> None:
    """Finishes, or takes back, a `niannian restore` that was cut off; removes what a backup left that was."""
    if not (home / RESTORING).exists() and not (home / MAKING).exists():
        return
    from store import backup, unpacking  # almost no start needs them

    if (home / RESTORING).exists():
        lock = await HomeLock.acquire(home)
        try:
            await asyncio.to_thread(unpacking.settle, home)
        finally:
            lock.release()
    backup.clear_leftovers(home)


def check_keys(home: Path) -> None:
    """Raises KeyMissing, with nothing touched, for a home whose database belongs to other keys or whose keys are gone."""
    known = known_device(home)
    if known is None:
        return
    # While it becomes a new device it may be either; at other times the old keys are those of one that it is not.
    files = (keys.FILE, identity.NEXT, identity.WAS) if (home / identity.NEXT).exists() else (keys.FILE,)
    if not (home / keys.FILE).exists() and not (home / identity.NEXT).exists():
        raise KeyMissing("error-keys-gone", path=str(home / keys.FILE), fingerprint=known[:8])
    ours = [keys.load(home, file).device_id.hex() for file in files if (home / file).exists()]
    if known not in ours:
        raise KeyMissing(fingerprint=known[:8], found=ours[0][:8])


def _device_id(home: Path, entropy: Entropy) -> bytes:
    """Keys are made once, in a home that has no database yet; a missing key file is never replaced."""
    if not (home / keys.FILE).exists() and not (home / DATABASE).exists():
        made = keys.make(home, entropy).device_id
    else:
        made = keys.load(home).device_id
    with suppress(OSError):  # a home that can only be read is marked when it can be written
        identity.mark(home, identity.machine_id())
    return made


async def _renew(home: Path, clock: Clock, entropy: Entropy, factory: ConnectionFactory) -> bool:
    """A home that is a copy, or that was put back, becomes a new device before anything is written in it."""
    machine = identity.machine_id()
    if not identity.must_renew(home, machine) or not os.access(home / keys.FILE.parent, os.W_OK):
        return False
    was, coming = identity.next_keys(home, entropy)
    await renew(
        home,
        was=was.device_id,
        device_id=coming.device_id,
        lane=identity.lent_lane(coming.device_id),
        rows=lambda rows: state.renewed(rows, was.device_id),
        clock=clock,
        entropy=entropy,
        factory=factory,
    )
    identity.settle(home, machine)
    return True


def _checked(name: str) -> str:
    clean = name.strip()
    if not 1 <= len(clean) <= NAME_CHARACTERS_MAX or not clean.isprintable() or "/" in clean:
        raise BadCommand("error-name")
    return clean
