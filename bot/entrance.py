"""The door of a home, wherever it is: here when this process holds the home, else over the socket of whoever does.

    looking ── somebody serves ──► client ── the holder leaves ──► looking
       └────── the lock is free ──► holder ── a person needs the home ──► looking

A call that was on its way when the holder left is made again with its key, here or at the next holder; the memory
itself knows whether it took effect. Several clients race for the lock: one wins and serves, the others find it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from bot.app import App
from bot.door import Arguments, DoorScope, LocalDoor
from bot.door_socket import END_WAIT_S, DoorGone, DoorServer, SocketDoor
from store.errors import HomeInUse, StoreBusy

log = logging.getLogger(__name__)

PATIENCE_S = 15.0
"""How long a call looks for a holder: another command may hold the home and serve nobody."""
LOOK_AGAIN_S = 0.1
COURTESY_S = 0.25
"""A holder that left may have made way for a person, whose program goes first."""
AFTER_LEAVING_S = 2.0
"""Whoever was asked to make way does not take the home back at once."""

Start = Callable[[], Awaitable[App]]


class _Holding:
    """This process holds the home."""

    def __init__(self, app: App, leave: Callable[[], None]) -> None:
        self.app = app
        self.door = LocalDoor(app)
        self.server = DoorServer(app.home.path, self.door, leave=leave)
        self.calls = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self.leaving = False

    async def call(self, name: str, scope: DoorScope, arguments: Arguments, key: str) -> dict[str, Any]:
        if self.leaving:
            raise DoorGone
        self.calls += 1
        self.idle.clear()
        try:
            return await self.door.call(name, scope, arguments, key)
        finally:
            self.calls -= 1
            if self.calls == 0:
                self.idle.set()

    async def close(self) -> None:
        self.leaving = True
        await self.server.close()
        await self.idle.wait()
        await self.app.close()


class Entrance:
    """`start`: opens the home; raises HomeInUse while another holds it. Safe for many tasks of one event loop."""

    def __init__(
        self,
        home: Path,
        start: Start,
        *,
        patience_s: float = PATIENCE_S,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._home = home
        self._start = start
        self._patience_s = patience_s
        self._pause = pause
        self._door: SocketDoor | _Holding | None = None
        self._finding: asyncio.Task[SocketDoor | _Holding] | None = None
        self._closing = False
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def holds(self) -> bool:
        return isinstance(self._door, _Holding)

    async def open(self) -> None:
        """Finds the holder or becomes it. Raises HomeInUse when another command holds the home all the while."""
        await self._found()

    async def call(self, name: str, scope: DoorScope, arguments: Arguments, key: str) -> dict[str, Any]:
        """As `Door.call`; raises HomeInUse when nobody can be found who serves, Unavailable when nobody lasts."""
        loop = asyncio.get_running_loop()
        until: float | None = None
        while True:
            door = await self._found()
            try:
                return await door.call(name, scope, arguments, key)
            except DoorGone as error:
                if self._door is door:
                    self._door = None
                if isinstance(door, SocketDoor):
                    await door.close()
                if until is None:
                    until = loop.time() + self._patience_s
                elif loop.time() >= until:
                    raise StoreBusy("error-errand-nobody") from error
                if isinstance(door, SocketDoor):
                    await self._pause(COURTESY_S)

    async def close(self) -> None:
        self._closing = True
        if (finding := self._finding) is not None:  # forgotten there once it is done
            await asyncio.wait({finding}, timeout=END_WAIT_S)
            finding.cancel()
            await asyncio.wait({finding})
        door, self._door = self._door, None
        if door is not None:
            await door.close()
        if self._leaving:
            await asyncio.wait(self._leaving)

    async def _found(self) -> SocketDoor | _Holding:
        """Who calls may be cancelled; a start that has begun goes on, for whoever calls next."""
        if self._finding is None:
            door = self._door
            if door is not None and not self._leaving and not (isinstance(door, SocketDoor) and door.gone):
                return door
            self._finding = asyncio.create_task(self._find())
            self._finding.add_done_callback(self._has_found)
        finding = self._finding
        await asyncio.wait({finding})
        return finding.result()

    def _has_found(self, finding: asyncio.Task[SocketDoor | _Holding]) -> None:
        self._finding = None
        if not finding.cancelled():
            finding.exception()  # told to whoever waits; nobody may

    async def _find(self) -> SocketDoor | _Holding:
        if self._leaving:
            await asyncio.wait(self._leaving)
        if self._door is not None:
            await self._door.close()
        self._door = await self._look()
        return self._door

    async def _look(self) -> SocketDoor | _Holding:
        loop = asyncio.get_running_loop()
        until = loop.time() + self._patience_s
        while True:
            with suppress(DoorGone):
                return await SocketDoor.connect(self._home)
            try:
                return await self._hold(await self._start())
            except HomeInUse:
                if self._closing or loop.time() >= until:
                    raise
            await self._pause(LOOK_AGAIN_S)

    async def _hold(self, app: App) -> _Holding:
        holding = _Holding(app, self._leave)
        try:
            await holding.server.start()
        except OSError:  # nobody else can be served then; this process still can
            log.warning("could not serve the door")
        except BaseException:
            await app.close()
            raise
        return holding

    def _leave(self) -> None:
        """A person started a program that needs the home."""
        holding, self._door = self._door, None
        if isinstance(holding, _Holding):
            task = asyncio.ensure_future(self._make_way(holding))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def _make_way(self, holding: _Holding) -> None:
        await holding.close()
        await self._pause(AFTER_LEAVING_S)
