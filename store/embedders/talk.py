"""What goes to and fro with one child that is ready: two lanes of requests, so that a question never waits for passages."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from dataclasses import dataclass, field
from typing import NoReturn

from store.embedders.frames import PREFIX, Header, Vectors, encode, header_of, lengths, rows_of
from store.ports import EmbedderTrouble


@dataclass(slots=True)
class Request:
    texts: list[str]
    answer: asyncio.Future[Vectors | None]
    dropped: bool = False
    """Nobody waits any more. It is not sent, if it was not yet."""


class Ended(Exception):
    """This child is of no more use."""

    def __init__(self, trouble: EmbedderTrouble) -> None:
        super().__init__(trouble)
        self.trouble = trouble


@dataclass(slots=True)
class Lane:
    """Requests of one sort, one of which is with the child at a time."""

    query: bool
    waiting: deque[Request] = field(default_factory=deque)
    filled: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, request: Request) -> None:
        self.waiting.append(request)
        self.filled.set()

    async def get(self) -> Request:
        while not self.waiting:
            self.filled.clear()
            await self.filled.wait()
        return self.waiting.popleft()

    def give_up(self) -> None:
        while self.waiting:
            settle(self.waiting.popleft(), None)


class Talk:
    """What goes to and fro with one child that is ready."""

    def __init__(self, sink: asyncio.StreamWriter, source: asyncio.StreamReader, dims: int, hang_s: float) -> None:
        self._sink, self._source = sink, source
        self._dims, self._hang_s = dims, hang_s
        self._numbers = itertools.count(1)
        self._sent: dict[int, Request] = {}

    async def hold(self, *lanes: Lane) -> NoReturn:
        """Until something ends it, which is raised: `Ended`, or what a pipe or a frame of no sense raises."""
        parts = [asyncio.create_task(self._listen()), *(asyncio.create_task(self._ask(lane)) for lane in lanes)]
        try:
            done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            for part in done:
                part.result()
        finally:
            for part in parts:
                part.cancel()
            await asyncio.gather(*parts, return_exceptions=True)
            for request in self._sent.values():
                settle(request, None)
        raise AssertionError("a talk ends by raising")

    async def _ask(self, lane: Lane) -> None:
        while True:
            request = await lane.get()
            if request.dropped:
                settle(request, None)
                continue
            number = next(self._numbers)
            self._sent[number] = request
            self._sink.write(encode({"id": number, "query": lane.query, "texts": request.texts}))
            await self._sink.drain()
            await asyncio.wait([request.answer], timeout=self._hang_s)
            if not request.answer.done():
                raise Ended(EmbedderTrouble.HUNG)

    async def _listen(self) -> None:
        while True:
            header, body = await read(self._source)
            request = self._sent[header["id"]]
            failed = header.get("failed")
            rows = rows_of(body, count=len(request.texts), dims=self._dims) if failed is None else None
            if failed:
                raise Ended(EmbedderTrouble(failed))
            # Only now: what is still in `_sent` when we end here is settled there.
            del self._sent[header["id"]]
            settle(request, rows)


async def read(source: asyncio.StreamReader) -> tuple[Header, bytes]:
    head, body = lengths(await source.readexactly(PREFIX.size))
    return header_of(await source.readexactly(head)), await source.readexactly(body)


def settle(request: Request, rows: Vectors | None) -> None:
    if not request.answer.done():
        request.answer.set_result(rows)
