"""The door over a unix socket: `<home>/run.sock`, served by whoever holds the home's lock.

A frame is two lengths (4 bytes each, big-endian), a head and a body, both JSON. The head of a call names the errand, its
scope, its key and its number on this connection; the body is the arguments. The head of an answer has that number; the
body is the result, or the error as its code and facts. What is too long is refused by its length, before it is read.

Only this user's processes get in: the file is 0600, and where the system tells who is at the other end, that is looked
at too. A path longer than a socket's name may be is reached through a short link to the folder.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import struct
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from bot.app import App
from bot.door import ANSWER_BYTES_MAX, CALL_BYTES_MAX, Arguments, Door, DoorScope, LocalDoor, errands
from store import errors
from store.errors import BadCommand, NiannianError, StoreBusy

log = logging.getLogger(__name__)

NAME: Final = "run.sock"
HEAD_BYTES_MAX = 4096
AT_ONCE_MAX = 32
"""Calls of one connection that are done side by side; further ones wait in the socket."""
PATH_BYTES_MAX = 100
"""A socket's name may have 107 bytes on Linux, 103 elsewhere."""
NEXT_IN_S = 1.0
END_WAIT_S = 5.0
"""How long calls that have begun may take to end, and to be read, when the holder leaves."""
HELLO_WAIT_S = 2.0
"""A holder that says nothing for so long is stopped, or no holder."""
PULSE_S = 5.0
"""So often a client that waits for an answer looks whether the holder is still alive."""
SILENCES_MAX = 2
"""In a row: a machine that is busy may pause for as long as one."""
MAKE_WAY: Final = "make-way"
HELLO: Final = "hello"
_LENGTHS = struct.Struct("!II")


class DoorGone(Exception):
    """The holder has left, or there is none. Whether a call that was on its way took effect is not known."""


class DoorStopped(DoorGone):
    """Somebody has the socket open and says nothing: a holder that is stopped, or no holder."""


class DoorServer:
    """`leave`: what to do when another program of this person wants the home; None: this one stays."""

    def __init__(
        self, home: Path, door: Door, *, leave: Callable[[], None] | None = None, end_wait_s: float = END_WAIT_S
    ) -> None:
        self._path = home / NAME
        self._door = door
        self._leave = leave
        self._end_wait_s = end_wait_s
        self._writers: set[asyncio.StreamWriter] = set()
        self._accepting: asyncio.Task[None] | None = None
        self._lines: set[asyncio.Task[None]] = set()
        self._calls: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Takes the place of what a killed holder left. Raises OSError where there can be no socket."""
        listening = _bound(self._path)
        self._accepting = asyncio.create_task(self._accept(listening))
        self._accepting.add_done_callback(partial(_hang_up, listening))

    async def close(self) -> None:
        """What has begun is finished and answered; whoever else asks finds nobody and looks for the next holder.

        Who does not read its answers is hung up on when the time is over.
        """
        if self._accepting is None:
            return
        self._accepting.cancel()
        await asyncio.gather(self._accepting, return_exceptions=True)
        with suppress(OSError):
            self._path.unlink()
        loop = asyncio.get_running_loop()
        until = loop.time() + self._end_wait_s
        if self._calls:
            await asyncio.wait(self._calls, timeout=self._end_wait_s)
        rest = [*self._calls, *self._lines]
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=max(0.0, until - loop.time()))
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.gather(*rest, return_exceptions=True)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                line, _ = await loop.sock_accept(listening)
            except OSError as error:  # for want of descriptors: the next one may get in
                log.warning("could not let anybody in", extra={"reason": error.strerror})
                await asyncio.sleep(NEXT_IN_S)
                continue
            task = asyncio.create_task(self._serve(line))
            self._lines.add(task)
            task.add_done_callback(self._lines.discard)
            task.add_done_callback(partial(_hang_up, line))  # it may be over before it begins

    async def _serve(self, line: socket.socket) -> None:
        if not _is_ours(line):
            line.close()
            return
        reader, writer = await asyncio.open_unix_connection(sock=line)
        self._writers.add(writer)
        room = asyncio.Semaphore(AT_ONCE_MAX)
        try:
            while True:
                await room.acquire()
                call = await _read_call(reader)
                task = asyncio.create_task(self._answer(call, writer))
                self._calls.add(task)
                task.add_done_callback(self._calls.discard)
                task.add_done_callback(lambda _: room.release())
        except (asyncio.IncompleteReadError, OSError, BadCommand):  # gone, or says what no client of ours says
            pass
        finally:
            try:
                await _closed(writer)
            finally:
                self._writers.discard(writer)

    async def _answer(self, call: _Call, writer: asyncio.StreamWriter) -> None:
        try:
            if call.refusal is not None:
                raise call.refusal
            if call.name == MAKE_WAY:
                result: dict[str, Any] = {"leaving": self._leave is not None}
            elif call.name == HELLO:
                result = {}
            else:
                result = await self._door.call(call.name, call.scope, call.arguments, call.key)
            body = _bytes({"result": result})
            if len(body) > ANSWER_BYTES_MAX:
                raise BadCommand("error-answer-long", most=ANSWER_BYTES_MAX // 1024)
        except NiannianError as error:
            body = _bytes({"error": _packed(error)})
        except Exception:
            log.exception("an errand broke")
            body = _bytes({"error": _packed(errors.StoreFault("error-errand-broke"))})
        with suppress(OSError):
            writer.write(_frame(_bytes({"id": call.number}), body))
            await writer.drain()
        if call.name == MAKE_WAY and self._leave is not None:
            self._leave()


@dataclass(frozen=True, slots=True)
class _Call:
    number: int
    name: str
    scope: DoorScope
    key: str
    arguments: Arguments
    refusal: NiannianError | None = None


async def _read_call(reader: asyncio.StreamReader) -> _Call:
    """Raises IncompleteReadError at the end, BadCommand for what is no call."""
    head_bytes, body_bytes = _LENGTHS.unpack(await reader.readexactly(_LENGTHS.size))
    if head_bytes > HEAD_BYTES_MAX:
        raise BadCommand("error-errand-long", most=HEAD_BYTES_MAX // 1024)
    head = _json(await reader.readexactly(head_bytes))
    name, key, number = str(head.get("name")), str(head.get("key")), head.get("id")
    if not isinstance(number, int):
        raise BadCommand("error-errand")
    scope = DoorScope(_name_in(head.get("as")), _name_in(head.get("group")))
    most = CALL_BYTES_MAX if name in errands() else HEAD_BYTES_MAX
    if body_bytes > most:
        await _skip(reader, body_bytes)
        return _Call(number, name, scope, key, {}, BadCommand("error-errand-long", most=most // 1024))
    body = await reader.readexactly(body_bytes)
    try:
        return _Call(number, name, scope, key, _json(body))
    except BadCommand as error:  # hung up on, it would come again
        return _Call(number, name, scope, key, {}, error)


async def _skip(reader: asyncio.StreamReader, count: int) -> None:
    if count > ANSWER_BYTES_MAX:
        raise BadCommand("error-errand-long", most=ANSWER_BYTES_MAX // 1024)
    while count:
        got = await reader.read(min(count, 64 * 1024))
        if not got:
            raise asyncio.IncompleteReadError(b"", count)
        count -= len(got)


def _name_in(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _json(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise BadCommand("error-errand") from None
    if not isinstance(found, dict):
        raise BadCommand("error-errand")
    return found


def _bytes(part: Mapping[str, Any]) -> bytes:
    return json.dumps(part, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _frame(head: bytes, body: bytes) -> bytes:
    return _LENGTHS.pack(len(head), len(body)) + head + body


class SocketDoor:
    """The door of the process that holds the home. Safe for many tasks of one event loop."""

    def __init__(
        self, home: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *,
        hello_wait_s: float = HELLO_WAIT_S, pulse_s: float = PULSE_S,
    ) -> None:  # fmt: skip
        self._home = home
        self._hello_wait_s = hello_wait_s
        self._pulse_s = pulse_s
        self._reader = reader
        self._writer = writer
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last = 0
        self._gone = False
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def connect(cls, home: Path, *, hello_wait_s: float = HELLO_WAIT_S, pulse_s: float = PULSE_S) -> SocketDoor:
        """Raises DoorGone when nobody serves this home; DoorStopped when somebody is there and says nothing."""
        try:
            async with asyncio.timeout(hello_wait_s):
                door = cls(home, *await cls._line(home), hello_wait_s=hello_wait_s, pulse_s=pulse_s)
                try:
                    await door._ask(HELLO, DoorScope(), {}, "")
                except NiannianError:  # one of another version: it is there
                    pass
                except BaseException:
                    await door.close()
                    raise
                return door
        except TimeoutError:
            raise DoorStopped from None

    @staticmethod
    async def _line(home: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.setblocking(False)
        try:
            with _short(home / NAME) as path:
                await asyncio.get_running_loop().sock_connect(line, path)
            return await asyncio.open_unix_connection(sock=line)
        except OSError as error:
            line.close()
            raise DoorGone from error
        except BaseException:
            line.close()
            raise

    @property
    def gone(self) -> bool:
        return self._gone

    async def call(self, name: str, scope: DoorScope, arguments: Arguments, key: str) -> dict[str, Any]:
        """Raises DoorGone too: the same call with the same key may be made again elsewhere."""
        asking = asyncio.create_task(self._ask(name, scope, arguments, key))
        silences = 0
        try:
            while not asking.done():
                await asyncio.wait({asking}, timeout=self._pulse_s)
                if asking.done():
                    break
                silences = silences + 1 if await self._is_stopped() else 0
                if silences == SILENCES_MAX:
                    raise DoorStopped
            return asking.result()
        finally:
            asking.cancel()

    async def _ask(self, name: str, scope: DoorScope, arguments: Arguments, key: str) -> dict[str, Any]:
        if self._gone:
            raise DoorGone
        self._last += 1
        number = self._last
        try:
            head = _bytes({"id": number, "name": name, "key": key, "as": scope.as_name, "group": scope.group})
            body = _bytes(arguments)
        except RecursionError:
            raise BadCommand("error-errand") from None
        for part, most in ((head, HEAD_BYTES_MAX), (body, ANSWER_BYTES_MAX)):
            if len(part) > most:  # hung up on, it would be sent for ever
                raise BadCommand("error-errand-long", most=most // 1024)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            self._writer.write(_frame(head, body))
            found = await answer
        except OSError as error:
            raise DoorGone from error
        finally:
            self._waiting.pop(number, None)
        if "error" in found:
            raise _unpacked(found["error"])
        result: dict[str, Any] = found["result"]
        return result

    async def _is_stopped(self) -> bool:
        """Asked on a line of its own: this one may be full of calls."""
        try:
            other = await SocketDoor.connect(self._home, hello_wait_s=self._hello_wait_s)
        except DoorStopped:
            return True
        except DoorGone:  # it leaves, and hangs up when what has begun is done
            return False
        await other.close()
        return False

    async def close(self) -> None:
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)
        self._writer.transport.abort()  # whoever is stopped would not read what is left
        await _closed(self._writer)

    async def _listen(self) -> None:
        try:
            while True:
                head_bytes, body_bytes = _LENGTHS.unpack(await self._reader.readexactly(_LENGTHS.size))
                if head_bytes > HEAD_BYTES_MAX or body_bytes > ANSWER_BYTES_MAX:
                    raise BadCommand("error-errand")
                head = _json(await self._reader.readexactly(head_bytes))
                body = _json(await self._reader.readexactly(body_bytes))
                answer = self._waiting.get(int(head.get("id", 0)))
                if answer is not None and not answer.done():
                    answer.set_result(body)
        except (asyncio.IncompleteReadError, OSError, BadCommand):
            pass
        finally:
            self._gone = True
            self._writer.close()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(DoorGone())


async def serve(app: App) -> DoorServer | None:
    """Lets other programs of this person ask; None where this folder can hold no socket."""
    server = DoorServer(app.home.path, LocalDoor(app))
    try:
        await server.start()
    except OSError as error:
        log.warning("could not serve the door", extra={"reason": error.strerror})
        return None
    return server


async def ask_to_leave(home: Path) -> bool:
    """Whether the holder of the home, which only serves agents, makes way for a program that a person started."""
    try:
        door = await SocketDoor.connect(home)
    except DoorGone:
        return False
    try:
        async with asyncio.timeout(END_WAIT_S):
            return (await door.call(MAKE_WAY, DoorScope(), {}, "")).get("leaving") is True
    except (DoorGone, TimeoutError, NiannianError):
        return False
    finally:
        await door.close()


def _bound(path: Path) -> socket.socket:
    """A listening socket that nobody else of the machine may use, in the place of whatever stands there.

    Made under another name inside a folder of our own, so that it is never there with other rights.
    """
    folder = Path(tempfile.mkdtemp(prefix=".door-", dir=path.parent))
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made = folder / NAME
        with _short(made) as name:
            line.bind(name)
        made.chmod(0o600)
        line.listen()
        line.setblocking(False)
        made.replace(path)
    except BaseException:
        line.close()
        with suppress(OSError):
            (folder / NAME).unlink(missing_ok=True)
        raise
    finally:
        with suppress(OSError):
            folder.rmdir()
    return line


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """A name of `path` that a socket can have."""
    if len(os.fsencode(path)) <= PATH_BYTES_MAX:
        yield str(path)
        return
    folder = Path(tempfile.mkdtemp(prefix="niannian-"))
    link = folder / "home"
    try:
        link.symlink_to(path.parent.resolve())
        yield str(link / path.name)
    finally:
        link.unlink(missing_ok=True)
        folder.rmdir()


def _hang_up(line: socket.socket, _: object) -> None:
    line.close()


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


def _is_ours(line: socket.socket) -> bool:
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:  # this system does not tell; the rights of the file must do
        return True
    _, user, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return bool(user == os.getuid())


_FAMILIES: Mapping[str, type[NiannianError]] = {
    one.__name__: one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, NiannianError)
}


def _packed(error: NiannianError) -> dict[str, Any]:
    kind = next((one.__name__ for one in type(error).__mro__ if one.__name__ in _FAMILIES), "NiannianError")
    return {"kind": kind, "code": error.code, "facts": error.facts}


def _unpacked(body: Mapping[str, Any]) -> NiannianError:
    kind = _FAMILIES.get(str(body.get("kind")), StoreBusy)
    return kind(str(body.get("code")), **dict(body.get("facts", {})))
