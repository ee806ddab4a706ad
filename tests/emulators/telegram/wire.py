"""HTTP: one request of the bot in, one answer out, and the long poll.

Runs in the server's own loop; the world is touched under its lock and never across an await.
"""

from __future__ import annotations

import asyncio
import json
import traceback
from typing import Any

from aiohttp import BodyPartReader, web

from tests.emulators.telegram import lookups, methods
from tests.emulators.telegram.calls import Call, Desk, Event, parsed
from tests.emulators.telegram.faults import Fault, Faults, Limits
from tests.emulators.telegram.refusals import Refusal, refusal
from tests.emulators.telegram.updates import Poll

UPLOAD_BYTES_MAX = 50 * 1024 * 1024
POLL_S_MAX = 50

_METHODS = {name.casefold(): (name, run) for name, run in (methods.METHODS | lookups.METHODS).items()}


class Wire:
    """What a request meets, in order: no connection, a wrong token, a planned fault, a limit, the method."""

    def __init__(self, desk: Desk, token: str, *, check_requests: bool, check_answers: bool) -> None:
        self.desk = desk
        self.token = token
        self.check_requests = check_requests
        self.check_answers = check_answers
        self.faults = Faults()
        self.limits = Limits()
        self.events: list[Event] = []
        self.complaints: list[str] = []
        self.connected = True
        self.closing = False
        self.polled = 0
        self.healed = 0
        self.poll: Poll | None = None
        self.late: list[asyncio.Event] = []

    def application(self) -> web.Application:
        application = web.Application(client_max_size=UPLOAD_BYTES_MAX)
        application.router.add_route("*", "/bot{token}/{method}", self._request)
        application.router.add_get("/file/bot{token}/{folder}/{file_id}", self._download)
        return application

    def wake(self) -> None:
        """Something changed; called in the server's loop."""
        if self.poll is not None:
            self.poll.woken.set()
        for changed in self.late:
            changed.set()

    def close(self) -> None:
        self.closing = True
        self.wake()

    async def _request(self, request: web.Request) -> web.StreamResponse:
        if not self.connected:
            return _cut(request)
        try:
            if request.match_info["token"] != self.token:
                raise refusal("401")
            call = await _read(request)
            return await self._faulty(request, call)
        except Refusal as wrong:
            return _json(wrong.body(), wrong.code)
        except (ConnectionResetError, web.RequestPayloadError):
            return _cut(request)
        except Exception:
            self.complaints.append(traceback.format_exc())
            return _json(refusal("500").body(), 500)

    async def _faulty(self, request: web.Request, call: Call) -> web.StreamResponse:
        with self.desk.world.lock:
            fault = self.faults.take(call.method, _chat_id(call))
            healed = self.healed
        if fault is None:
            return _json({"ok": True, "result": await self._answer(call)})
        if fault.kind == "drop":
            return _cut(request)
        if fault.kind == "html":
            return web.Response(
                text="<html><title>502 Bad Gateway</title></html>", status=502, content_type="text/html"
            )
        if fault.kind in ("lost", "late"):
            result = await self._answer(call)
            if fault.kind == "lost":
                return _cut(request)
            await self._delay(fault.seconds, healed)
            return _json({"ok": True, "result": result})
        self._refuse(call, fault)
        raise AssertionError("a planned refusal was not raised")

    async def _delay(self, seconds: float, healed: int) -> None:
        """That long, or until the server is closed or healed once more than `healed`."""
        changed = asyncio.Event()
        self.late.append(changed)
        try:
            async with asyncio.timeout(seconds):
                while self.healed == healed and not self.closing:
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            pass
        finally:
            self.late.remove(changed)

    def _refuse(self, call: Call, fault: Fault) -> None:
        self._record(call, refused=fault.refusal().description)
        raise fault.refusal()

    async def _answer(self, call: Call) -> Any:
        if call.method.casefold() == "getupdates":
            return await self._updates(call)
        name, run = _METHODS.get(call.method.casefold(), ("", None))
        if run is None:
            raise refusal("404")
        call.method = name
        self._judge_request(call)
        world = self.desk.world
        try:
            with world.lock:
                self.limits.check(name, _chat_id(call), world.clock.now())
                result = run(self.desk, call)
        except Refusal as wrong:
            self._record(call, refused=wrong.description)
            raise
        self._record(call, result=result)
        if self.check_answers:
            from tests.emulators.telegram import oracle

            self.complaints += oracle.answer_complaints(name, result)
        return result

    def _judge_request(self, call: Call) -> None:
        if not self.check_requests:
            return
        from tests.emulators.telegram import oracle

        found = oracle.request_complaints(call.method, call.values, set(call.files))
        self.complaints += found
        if found:
            raise Refusal(400, f"Bad Request: emulator: {found[0]}")

    def _record(self, call: Call, **outcome: Any) -> None:
        if call.method == "getUpdates":
            return
        world = self.desk.world
        with world.change():
            self.events.append(Event(call.method, parsed(call.values), world.clock.now(), **outcome))

    # Polling

    async def _updates(self, call: Call) -> list[dict[str, Any]]:
        call.method = "getUpdates"
        self._judge_request(call)
        world = self.desk.world
        if world.updates.webhook:
            raise refusal("409-webhook")
        if self.poll is not None:
            self.poll.supersede()
        poll = Poll()
        kinds, offset = call.structure("allowed_updates"), call.whole("offset", 0) or 0
        limit, timeout = call.whole("limit", 100) or 100, min(call.whole("timeout", 0) or 0, POLL_S_MAX)
        with world.change():
            self.poll = poll
            self.polled += 1
            world.updates.allow(kinds)
        try:
            async with asyncio.timeout(timeout or None):
                while not (found := self._fetch(offset, limit)) and timeout and not self.closing:
                    poll.woken.clear()
                    await poll.woken.wait()
                    self._still_mine(poll)
        except TimeoutError:
            found = self._fetch(offset, limit)
        finally:
            if self.poll is poll:
                with world.change():
                    self.poll = None
        return found

    def _fetch(self, offset: int, limit: int) -> list[dict[str, Any]]:
        """Wakes those who wait for `pending` only when it went down: a poll that finds nothing must not wake itself."""
        world = self.desk.world
        with world.lock:
            before = world.updates.pending
            found = world.updates.fetch(offset, limit)
            fewer = world.updates.pending < before
        if fewer:
            with world.change():
                pass
        return found

    def _still_mine(self, poll: Poll) -> None:
        if not self.connected:
            raise ConnectionResetError
        if poll.superseded:
            raise refusal("409")
        if self.desk.world.updates.webhook:
            raise refusal("409-webhook")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        found = self.desk.world.files.get(request.match_info["file_id"])
        if request.match_info["token"] != self.token or found is None:
            return _json(refusal("404").body(), 404)
        return web.Response(body=found[1], content_type="application/octet-stream")


def _chat_id(call: Call) -> int | None:
    try:
        return call.whole("chat_id")
    except Refusal:
        return None


async def _read(request: web.Request) -> Call:
    """Parameters come in the address, in a form of either kind, or as JSON."""
    call = Call(request.match_info["method"], dict(request.query))
    if request.content_type == "application/json":
        body = await request.json() if request.can_read_body else {}
        call.values |= body
    elif request.content_type == "multipart/form-data":
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader) and part.name, "a part of a form has a name"
            if part.filename is None:
                call.values[part.name] = (await part.read()).decode()
            else:
                call.files[part.name] = (part.filename, bytes(await part.read()))
    elif request.can_read_body:
        call.values |= dict(await request.post())
    return call


def _json(body: dict[str, Any], status: int = 200) -> web.Response:
    """Escaped as the real server does it, so that half an emoji can be said too."""
    return web.Response(text=json.dumps(body), status=status, content_type="application/json")


def _cut(request: web.Request) -> web.Response:
    """The connection ends as if the wire had been cut; the response goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
