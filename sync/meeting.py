"""Pairing over something that carries files: drives the two machines of `pairing.py` until a person has to decide.

Notes are files `pair/<place>/<number>` in a directory of their own (`MEETINGS`), since a newcomer knows no scope yet.
Whoever comes to a place where another newcomer has written already leaves its note under `1-again`, so that the
inviter learns of the two and ends it. Nothing here believes in times of others: the inviter stops by its own
monotonic clock. A meeting that was cut off leaves sealed notes; `clear` takes them away.

    Inviter: Invitation.newcomer() ──► digits, a name ──► confirm() ──► welcome(…) ──► is_taken() ──► clear()
    Joiner:  Arrival.inviter()     ──► digits, a name ────────────────► welcome() ──► leave()
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from store.errors import Rejected
from sync.errors import Malformed
from sync.pairing import Action, Allowed, Compare, Failed, Inviter, Joiner, Note, Refused, Welcomed, Write
from sync.ports import Transport

MEETINGS = "0" * 32
"""The directory of meetings: no scope has this id."""
LIMIT_S = 60 * 60.0
"""Of an invitation over a folder; sync tools take their time."""
LOOK_EVERY_S = 0.5
NOTE_BYTES_MAX = 16 * 1024 * 1024

Pause = Callable[[float], Awaitable[None]]
Monotonic = Callable[[], float]


class PairingFailed(Rejected):
    """`reason`: a code of `pairing.py`, or `pairing-` and `time` (nobody came), `ended` (the other side stopped),
    `key` (not the device of the QR), `self`, `removed` (keys that were let out are never let in again)."""

    code = "error-pairing"

    def __init__(self, reason: str) -> None:
        super().__init__(f"error-{reason}" if reason in SAID else None, reason=reason)
        self.reason = reason


SAID = frozenset(
    {
        "pairing-refused", "pairing-code", "pairing-two-devices", "pairing-commitment", "pairing-welcome",
        "pairing-time", "pairing-ended", "pairing-key", "pairing-self", "pairing-removed",
    }
)  # fmt: skip
"""Reasons that have a sentence of their own."""


class _Meeting:
    def __init__(self, transport: Transport, place: str, pause: Pause, monotonic: Monotonic, limit_s: float) -> None:
        self._transport = transport
        self._place = place
        self._pause = pause
        self._monotonic = monotonic
        self._ends = monotonic() + limit_s

    async def _read(self, name: str) -> bytes | None:
        data = await self._transport.get(MEETINGS, f"pair/{self._place}/{name}")
        return data if data is None or len(data) <= NOTE_BYTES_MAX else b""

    async def _write(self, name: str, data: bytes) -> None:
        await self._transport.put(MEETINGS, f"pair/{self._place}/{name}", data)

    async def _wait(self) -> bool:
        """False when the time is over."""
        if self._monotonic() >= self._ends:
            return False
        await self._pause(LOOK_EVERY_S)
        return True


class Invitation(_Meeting):
    """The inviter's side of one code."""

    def __init__(
        self,
        machine: Inviter,
        transport: Transport,
        place: str,
        *,
        pause: Pause,
        monotonic: Monotonic,
        limit_s: float = LIMIT_S,
    ) -> None:
        super().__init__(transport, place, pause, monotonic, limit_s)
        self._machine = machine
        self._compared: Compare | None = None

    async def newcomer(self) -> Compare:
        """Waits for a newcomer until there are digits to compare. Raises PairingFailed and TransportDown."""
        while self._compared is None:
            await self._look()
            if self._compared is None and not await self._wait():
                self._machine.receive(Refused())
                raise PairingFailed("pairing-time")
        return self._compared

    async def confirm(self) -> None:
        """The person said yes: looks once more whether a second device has answered, or the first has left.

        One that took its note back would be let in and never know it. Raises PairingFailed.
        """
        if self._monotonic() >= self._ends:
            self._machine.receive(Refused())
            raise PairingFailed("pairing-time")
        await self._look()
        if await self._read("3") is None:
            self._machine.receive(Refused())
            raise PairingFailed("pairing-ended")

    async def welcome(self, welcome: bytes) -> None:
        """What the newcomer gets, once it is let in. Raises PairingFailed."""
        await self._take(self._machine.receive(Allowed(welcome)))

    async def is_taken(self) -> bool:
        """Whether the newcomer has the welcome: then it takes its own notes away. Raises TransportDown."""
        return await self._read("3") is None

    async def _look(self) -> None:
        for number, name in ((1, "1"), (1, "1-again"), (3, "3")):
            data = await self._read(name)
            if data is not None:
                await self._take(self._machine.receive(Note(number, data)))

    async def _take(self, actions: Sequence[Action]) -> None:
        for action in actions:
            match action:
                case Write(number, data):
                    await self._write(str(number), data)
                case Compare():
                    self._compared = action
                case Failed(reason):
                    raise PairingFailed(reason)
                case Welcomed():
                    raise AssertionError("an inviter is not welcomed")


class Arrival(_Meeting):
    """The newcomer's side. `expected`: the inviter's Ed25519 key when a QR gave it."""

    def __init__(
        self,
        machine: Joiner,
        transport: Transport,
        place: str,
        *,
        pause: Pause,
        monotonic: Monotonic,
        limit_s: float = LIMIT_S,
        expected: bytes | None = None,
    ) -> None:
        super().__init__(transport, place, pause, monotonic, limit_s)
        self._machine = machine
        self._expected = expected
        self._compared: Compare | None = None
        self._welcomed: Welcomed | None = None
        self._second = False
        """Another newcomer was here first."""

    async def inviter(self) -> Compare:
        """Says hello and waits until there are digits to show. Raises PairingFailed and TransportDown."""
        for action in self._machine.begin():
            assert isinstance(action, Write)
            await self._write("1", action.data)
            if await self._read("1") != action.data:
                self._second = True
                await self._write("1-again", action.data)
                raise PairingFailed("pairing-two-devices")
        while self._compared is None:
            await self._look("2")
            if self._compared is None and not await self._wait():
                raise PairingFailed("pairing-time")
        if self._expected not in (None, self._compared.peer.sign_public):
            raise PairingFailed("pairing-key")
        return self._compared

    async def welcome(self) -> Welcomed:
        """Waits for the person at the other device. Raises PairingFailed: refused, ended, out of time."""
        while self._welcomed is None:
            await self._look("4")
            if self._welcomed is None:
                if await self._read("2") is None and await self._read("4") is None:
                    raise PairingFailed("pairing-ended")
                if not await self._wait():
                    raise PairingFailed("pairing-time")
        return self._welcomed

    async def leave(self) -> None:
        """Takes our own notes back. That a second one was here stays to be read, by the inviter."""
        for name in () if self._second else ("1", "3"):
            await self._transport.discard(MEETINGS, prefix=f"pair/{self._place}/{name}")

    async def _look(self, name: str) -> None:
        data = await self._read(name)
        if data is None:
            return
        for action in self._machine.receive(Note(int(name), data)):
            match action:
                case Write(number, text):
                    await self._write(str(number), text)
                case Compare():
                    self._compared = action
                case Welcomed():
                    self._welcomed = action
                case Failed(reason):
                    raise PairingFailed(reason)


async def clear(transport: Transport, place: str) -> None:
    """The inviter deletes the place. Raises TransportDown."""
    if not place or any(c not in "0123456789abcdef" for c in place):
        raise Malformed("pairing-place")
    await transport.discard(MEETINGS, prefix=f"pair/{place}/")
