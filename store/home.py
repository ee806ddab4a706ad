"""A home: the folder of one installation, held by one process.

    <home>/  lock · device.db · keys/ · scopes/<id>/memory.db · backups/ · niannian.toml

Nothing here recreates what it does not find, or deletes anything but a memory that was united into another. A folder that holds parts of a home but no `device.db`
is refused, because starting over in silence is how people lose years of notes.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import shutil
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from store.db import to_its_end
from store.device import DATABASE, ChatState, Device
from store.errors import Damaged, HomeInUse, HomeRefused, NiannianError, ReadOnly, Unavailable
from store.grants import GroupClaim, PrivateClaim, ScopeGrant, UpkeepClaim, grant
from store.inbox import Inbox, drop_parked
from store.memory import Memory
from store.model import AccountID, Role, ScopeID
from store.outbox import Outbox, drop_undelivered
from store.ports import Clock, Entropy
from store.requests import Requests
from store.slots import Slots
from store.sql import DEFAULT_FACTORY, ConnectionFactory
from store.surroundings import refuse_network, system_mounts
from store.together import Together

log = logging.getLogger(__name__)

RESTORING = Path("restoring")
"""There while a backup is being put in this home's place."""
RESTORED = RESTORING / "ready"
"""From here on what it holds is the home."""
MAKING = Path("backups") / "making"
"""There while a backup is being made."""
LOCK_WAIT_S = 1.0
_LOCK_POLL_S = 0.05
RETIRED_S = 30 * 24 * 60 * 60
_RETIRED = "retired/"


class HomeLock:
    """An OS lock on `<home>/lock`, whose text names the holder. The OS lets go when the process ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    async def acquire(cls, home: Path, wait_s: float = LOCK_WAIT_S) -> HomeLock:
        """Raises HomeInUse after `wait_s`, ReadOnly when the folder cannot be written."""
        descriptor = _open_lock(home)
        tries = max(1, round(wait_s / _LOCK_POLL_S))
        for attempt in range(tries):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if attempt + 1 == tries:
                    pid, _, host = os.read(descriptor, 400).decode(errors="replace").strip().partition(" ")
                    os.close(descriptor)
                    raise HomeInUse(pid=pid or "?", host=host or "?") from error
                await asyncio.sleep(_LOCK_POLL_S)
        with suppress(OSError):  # a full disk has no room for our name; the lock holds without it
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode(), 0)
        return cls(descriptor)

    def release(self) -> None:
        if self._descriptor >= 0:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1


def _open_lock(home: Path) -> int:
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except (FileExistsError, NotADirectoryError) as error:
        raise HomeRefused("error-home-no-folder", path=str(home)) from error
    except OSError as error:
        try:  # a home that can only be read may be asked all the same; the lock holds on such a file too
            return os.open(home / "lock", os.O_RDONLY)
        except OSError:
            raise ReadOnly("error-home-read-only", path=str(home)) from error


def check_home(home: Path) -> None:
    """Raises HomeRefused for a folder that holds parts of a home but not its database, or parts of two."""
    if (home / RESTORED).exists():
        raise HomeRefused("error-restoring", path=str(home))
    if _holds(home / DATABASE):
        return
    found = [name for name in ("niannian.toml", "scopes", "keys/scopes", "backups") if (home / name).exists()]
    if found:
        raise HomeRefused(path=str(home), found=found[0])


def _holds(database: Path) -> bool:
    """An empty file is no database: SQLite would fill it as if nothing had ever been there."""
    return database.exists() and database.stat().st_size > 0


OPEN_MAX = 128
"""So many memories have their files open at once: three each, and a thread."""
REFUSING_MAX = 8
"""So many that cannot close now are passed over in a search for one that can."""


class Home:
    """Holds the lock, the device's database and the memories opened so far."""

    def __init__(
        self,
        path: Path,
        lock: HomeLock,
        device: Device,
        *,
        device_id: bytes,
        clock: Clock,
        entropy: Entropy,
        factory: ConnectionFactory,
        seed: Mapping[str, str],
    ) -> None:
        self.path = path
        self.device = device
        self.device_id = device_id
        self._lock = lock
        self._clock = clock
        self._entropy = entropy
        self._factory = factory
        self._seed = seed
        together = Together(device.database)
        self.inbox = Inbox(together, clock)
        self.outbox = Outbox(together, clock)
        self.requests = Requests(together, clock, entropy)
        self.slots = Slots(together, clock)
        self._memories: dict[ScopeID, Memory] = {}
        self._awake: dict[ScopeID, Memory] = {}
        """Those whose files are open, the one used last at the end; one that is damaged may rest all the same."""
        self._passing: dict[ScopeID, None] = {}
        """Of these, those that nobody talks to."""
        self._opening = asyncio.Lock()

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        load_device_id: Callable[[Path], bytes],
        clock: Clock,
        entropy: Entropy,
        factory: ConnectionFactory = DEFAULT_FACTORY,
        seed: Mapping[str, str] = MappingProxyType({}),
        mounts: Callable[[], str] = system_mounts,
    ) -> Home:
        """Opens or makes the home at `path`. Raises HomeInUse, HomeRefused, KeyMissing and what `Database.open` raises.

        `seed`: settings that a newly made scope begins with. `load_device_id`: reads (or, in a home without a database, makes) the keys in the folder given.
        """
        check_home(path)
        refuse_network(path, mounts())
        lock = await HomeLock.acquire(path)
        try:
            device_id = load_device_id(path)
            device = await Device.open(path, device_id=device_id, entropy=entropy, factory=factory)
        except BaseException:
            lock.release()
            raise
        return cls(path, lock, device, device_id=device_id, clock=clock, entropy=entropy, factory=factory, seed=seed)

    async def memory(self, grant: ScopeGrant, *, passing: bool = False) -> Memory:
        """The memory that `grant` gives a right to. Raises Damaged when its folder is gone.

        `passing`: nobody talks to it; opened for a moment, it is the first to close again.
        """
        async with self._opening:
            memory = self._memories.get(grant.scope) or await self._open(grant)
            self._memories[grant.scope] = memory
            if not passing:
                self._passing.pop(grant.scope, None)
            elif grant.scope not in self._awake:
                self._passing[grant.scope] = None
            self._awake.pop(grant.scope, None)
            self._awake[grant.scope] = memory
            await self._let_others_rest(memory)
            return memory

    async def _let_others_rest(self, wanted: Memory) -> None:
        """Of many memories, those that nobody has asked for longest close their files until they are asked for again."""
        too_many = len(self._awake) - OPEN_MAX
        if too_many <= 0:
            return
        others = [one for one in dict.fromkeys((*self._passing, *self._awake)) if one != wanted.scope]
        for scope in others[: too_many + REFUSING_MAX]:
            memory = self._awake[scope]
            try:
                await memory.rest()
            except (Unavailable, Damaged) as error:
                log.warning("could not close a memory", extra={"scope": memory.scope, "reason": error.code})
            self._forget_awake(scope)
            if not memory.database.resting:  # something in it waits to be erased: its turn comes again
                self._awake[scope] = memory
                continue
            too_many -= 1
            if too_many <= 0:
                return

    def _forget_awake(self, scope: ScopeID) -> None:
        self._awake.pop(scope, None)
        self._passing.pop(scope, None)

    async def let_in(self, account: AccountID, name: str, role: Role) -> None:
        """Gives `account` a private memory of its own, or nothing new when it has one.

        The scope's `meta` holds who it belongs to; `device.db` is the local look-up, written first so that
        a crash in between is mended by the next call.
        """
        known = await self.device.let_in(account, name, role)
        memory = await self.memory(grant(PrivateClaim(account), self.device))
        await memory.describe({f"account/{account}": {"name": name, "role": known.role.value}})

    async def join_group(self, chat: str, title: str, account: AccountID, name: str, role: Role) -> None:
        """Makes the switched-on group `chat` if there is none, and `account` one of it."""
        await self.device.open_group(chat, title, account, role)
        memory = await self.memory(grant(GroupClaim(chat, account), self.device))
        role = self.device.members(memory.scope)[account]
        await memory.describe(
            {f"chat/{chat}": {"title": title, "on": True}, f"account/{account}": {"name": name, "role": role.value}}
        )

    async def link(self, account: AccountID, name: str, other: AccountID) -> None:
        """`account`, which has no memory of its own, is one more account of the person who writes as `other`."""
        await self.device.link(account, name, other)
        linked = self.device.account(account)
        assert linked is not None
        memory = await self.memory(grant(PrivateClaim(account), self.device))
        await memory.describe({f"account/{account}": {"name": name, "role": linked.role.value}})

    async def unite_people(self, old: ScopeID, into: ScopeID) -> None:
        """Two private memories are one person's: `into` gets all that `old` holds.

        Whatever is cut off, or was on its way into `old`, is carried at the next start.
        """
        await self.device.unite_accounts(old, into, self._retirement(old, into))
        memory = await self._upkeep(into)
        await memory.describe(
            {
                f"account/{one.account}": {"name": one.name, "role": one.role.value}
                for one in self.device.accounts_of(into)
            }
        )
        await memory.unite(await self._upkeep(old))

    async def move_group(self, old: str, new: str) -> bool:
        """The group `old` goes on as `new`. Whether anything was to be done.

        If `new` was taken for another group meanwhile, the memory that it got is united into that of `old`.
        """
        chats = self.device.chats()
        scope, taken = chats.get(old), chats.get(new)
        if scope is None or scope == taken or self.device.chat_state(old) is ChatState.MOVED:
            return False
        await self.device.move_chat(old, new, self._retirement(taken, scope) if taken is not None else None)
        if taken is not None:
            await self.device.join_members(taken, scope)
            await (await self._upkeep(scope)).unite(await self._upkeep(taken))
        await self._describe_group(new)
        return True

    async def switch_group(self, chat: str, state: ChatState) -> None:
        """Switches a group on or off, or leaves its memory alone because the bot was sent away."""
        if self.device.chat_state(chat) not in (None, state):
            await self.device.set_chat_state(chat, state)
            await self._describe_group(chat)

    async def retitle_group(self, chat: str, title: str) -> None:
        if chat in self.device.chats():
            await self.device.retitle(chat, title)
            await self._describe_group(chat)

    async def _describe_group(self, chat: str) -> None:
        scope = self.device.chats()[chat]
        memory = await self._upkeep(scope)
        on = self.device.chat_state(chat) is ChatState.ON
        await memory.describe({f"chat/{chat}": {"title": self.device.scope(scope).title, "on": on}})

    async def erase_due(self, *, opened_only: bool = False) -> int:
        """Erases for good what is due in every scope of this home; gives how many records.

        This is upkeep of our own files: no person asks and nothing is shown to anyone. A scope that cannot be
        written now keeps what is due, hidden as it is, until it can; one that is damaged stops no other.
        """
        erased = 0
        opened = {memory.scope for memory in self.opened()}
        for scope in self.device.scopes():
            wanted = scope.made and (scope.scope in opened or not opened_only)
            if wanted and (self.path / "scopes" / scope.scope / "memory.db").exists():
                try:
                    memory = await self._upkeep(scope.scope)
                    if not memory.database.damaged:
                        erased += await memory.erase_due()
                except (Unavailable, Damaged) as error:
                    log.warning("could not erase what is due", extra={"scope": scope.scope, "reason": error.code})
        if erased:
            try:  # what was erased may stand in what left lately
                await self.device.database.write(drop_undelivered)
                await self.device.database.write(drop_parked)
                await self.device.database.compact()
            except (Unavailable, Damaged) as error:
                log.warning("could not compact the device's database", extra={"reason": error.code})
        if not opened_only:
            try:
                await self._tend_retired()
            except (Unavailable, Damaged) as error:
                log.warning("could not tend a retired memory", extra={"reason": error.code})
        return erased

    async def retire(self, old: ScopeID, into: ScopeID) -> None:
        """`old`, which was united into `into`, leads nowhere any more; its folder stays for thirty days, to look it up."""
        await self.device.keep_note(*self._retirement(old, into))

    def _retirement(self, old: ScopeID, into: ScopeID) -> tuple[str, str]:
        until = int(self._clock.now().timestamp()) + RETIRED_S
        return f"{_RETIRED}{old}", f"{into}:{until}"

    async def _tend_retired(self) -> None:
        """What is erased in the memory that took a retired one's place is erased there too, and in the end all of it."""
        for name, value in self.device.notes(_RETIRED).items():
            old, (into, _, until) = ScopeID(name.removeprefix(_RETIRED)), value.partition(":")
            if self._clock.now().timestamp() < int(until):
                memory, was = await self._upkeep(ScopeID(into)), await self._upkeep(old)
                await was.erase_like(memory)
                await memory.unite(was)  # where that was cut off
                await memory.unite(was, again=True)  # a message may have been on its way into the old one
                continue
            opened = self._memories.pop(old, None)
            self._forget_awake(old)
            if opened is not None:
                await opened.close()
            await self.device.drop_scope(old)
            try:
                shutil.rmtree(self.path / "scopes" / old)
            except FileNotFoundError:
                pass  # cut off behind this last time
            except OSError as error:
                log.warning("could not remove a retired memory", extra={"scope": old, "reason": error.strerror})
                continue  # and it is tried again at the next start
            await self.device.keep_note(name, "")

    async def _upkeep(self, scope: ScopeID) -> Memory:
        return await self.memory(grant(UpkeepClaim(scope), self.device))

    def refusals(self) -> list[NiannianError]:
        """Why parts of this home that are open can only be read."""
        databases = [self.device.database, *(memory.database for memory in self._memories.values())]
        return [database.refusal for database in databases if database.refusal is not None]

    def writes(self) -> dict[ScopeID, int]:
        """How often each memory that was opened so far has been changed: where the number is the same, nothing has."""
        return {scope: memory.database.writes for scope, memory in self._memories.items()}

    def opened(self) -> list[Memory]:
        """Those whose files are open, the one used last at the end."""
        return [memory for memory in self._awake.values() if not memory.database.resting]

    async def close(self) -> None:
        """Who is cancelled here is so when all of it is closed."""
        await to_its_end(self._close())

    async def _close(self) -> None:
        try:
            for memory in self._memories.values():
                await memory.close()
            self._memories.clear()
            self._awake.clear()
            await self.device.close()
        finally:
            self._lock.release()

    async def _open(self, grant: ScopeGrant) -> Memory:
        folder = self.path / "scopes" / grant.scope
        scope = self.device.scope(grant.scope)
        if scope.made and not _holds(folder / "memory.db"):
            raise Damaged("error-scope-missing", scope=grant.scope, path=str(folder))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        memory = await Memory.open(
            grant,
            folder,
            backups=self.path / "backups",
            device_id=self.device_id,
            clock=self._clock,
            entropy=self._entropy,
            factory=self._factory,
        )
        memory.database.woken = lambda: self._awake.update({memory.scope: memory})
        if not scope.made:
            try:
                await memory.found(lane=scope.lane, kind=scope.kind, settings=self._seed)
                await self.device.mark_made(scope.scope)
            except BaseException:
                await memory.close()
                raise
        return memory
