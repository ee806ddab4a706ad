"""Our side of an embedder: keeps a child process that has the model, asks it, and stays calm whatever it does.

          start            first frame                    death, silence, nonsense, trouble of the address
    (new) ─────► STARTING ────────────► READY ─────────────────────┐
                    ▲                                               ▼
                    └──────── after a pause ───────────── OFF, retrying ──► OFF for good

Off for good: what a restart cannot mend (a missing package, a wrong processor), and a child that died too often.
A question waits once for a late answer; while that is still owed, the next questions go on without vectors at once.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import numpy as np

from store.embedders.frames import DIMS_MAX, Header, NoFrame, Vectors, encode
from store.embedders.talk import Ended, Lane, Request, Talk, read
from store.ports import PASSAGE_CHARACTERS_MAX, Clock, EmbedderPhase, EmbedderState, EmbedderTrouble

log = logging.getLogger(__name__)

Pause = Callable[[float], Awaitable[None]]

QUERY_CHARACTERS_MAX = 200
"""Somebody waits."""

BATCH_TEXTS_MAX = 8

CHILD = "from store.embedders.child import main; main()"

FINAL = frozenset({EmbedderTrouble.MISSING, EmbedderTrouble.PROCESSOR})
COUNTED = frozenset({EmbedderTrouble.BROKEN, EmbedderTrouble.HUNG})
"""After a few of these it stays off. What troubles an address may be mended there, so it is tried as long as we run."""


@dataclass(frozen=True, slots=True)
class Limits:
    query_wait_s: float = 0.25
    """How long an answer may wait for its vector."""
    start_s: float = 60.0
    hang_s: float = 60.0
    """A request that took longer will not be answered: eight long passages on a busy machine take ten seconds."""
    close_s: float = 2.0
    pauses_s: tuple[float, ...] = (1.0, 15.0, 60.0, 600.0)
    """Before each restart; the last again and again."""
    restarts_max: int = 3
    forgiven_after: timedelta = timedelta(hours=1)
    """A child that was ready for so long starts with a clean slate."""


class EmbedderProcess:
    """An `Embedder` whose model lives in a child process.

    `opening` is the first frame: the kind, and for an address what belongs to it. `command`: what to run.
    `pause` waits before a restart.
    """

    def __init__(
        self,
        opening: Header,
        *,
        clock: Clock,
        command: Sequence[str] | None = None,
        pause: Pause = asyncio.sleep,
        limits: Limits = Limits(),
    ) -> None:
        self.kind: str = opening["kind"]
        self.name = ""
        self.state = EmbedderState(EmbedderPhase.STARTING)
        self._opening = opening
        self._clock = clock
        self._command = tuple(command or command_of(CHILD))
        self._pause = pause
        self._limits = limits
        self._queries, self._passages = Lane(query=True), Lane(query=False)
        self._late: asyncio.Future[Vectors | None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._failures = self._deaths = 0

    def start(self) -> None:
        """Begins to start the child, and returns at once. The first request does it too."""
        if self._task is None and not self._closed:
            self._task = asyncio.create_task(self._keep(), name="embedder")

    async def embed_query(self, text: str) -> Vectors | None:
        self.start()
        if self.state.phase is EmbedderPhase.OFF or (self._late is not None and not self._late.done()):
            return None
        request = self._put(self._queries, [prepared(text, QUERY_CHARACTERS_MAX)])
        try:
            await asyncio.wait([request.answer], timeout=self._limits.query_wait_s)
        finally:
            if not request.answer.done():
                request.dropped = True
                self._late = request.answer
        rows = request.answer.result() if request.answer.done() else None
        return None if rows is None else rows[0]

    async def embed_passages(self, texts: Sequence[str]) -> Vectors | None:
        self.start()
        found: list[Vectors] = []
        for first in range(0, len(texts), BATCH_TEXTS_MAX):
            if self.state.phase is EmbedderPhase.OFF:
                return None
            batch = [prepared(text, PASSAGE_CHARACTERS_MAX) for text in texts[first : first + BATCH_TEXTS_MAX]]
            request = self._put(self._passages, batch)
            try:
                await asyncio.wait([request.answer])
            finally:
                request.dropped = True
            rows = request.answer.result()
            # An address may have changed its dimension in between: then the first rows are worth nothing.
            if rows is None or (found and rows.shape[1] != found[0].shape[1]):
                return None
            found.append(rows)
        return np.concatenate(found) if found else np.zeros((0, 0), dtype=np.float32)

    async def close(self) -> None:
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._off(EmbedderTrouble.CLOSED, retrying=False)

    def _put(self, lane: Lane, texts: list[str]) -> Request:
        request = Request(texts, asyncio.get_running_loop().create_future())
        lane.put(request)
        return request

    async def _keep(self) -> None:
        """One child after another, until closed or off for good."""
        try:
            while await self._retry():
                pass
        finally:
            # Nobody may wait for what has ended, be it by a fault of ours.
            if self.state.phase is not EmbedderPhase.OFF:
                self._off(EmbedderTrouble.BROKEN, retrying=False)

    async def _retry(self) -> bool:
        """One child, and the pause after it; False when there is no use in another."""
        self.state = EmbedderState(EmbedderPhase.STARTING)
        born = self._clock.now()
        trouble = await self._one_child()
        if self._clock.now() - born >= self._limits.forgiven_after:
            self._failures = self._deaths = 0
        self._failures += 1
        self._deaths += trouble in COUNTED
        retrying = trouble not in FINAL and self._deaths <= self._limits.restarts_max
        self._off(trouble, retrying=retrying)
        log.warning("The embedder ended", extra={"embedder": self.kind, "trouble": trouble, "retrying": retrying})
        if retrying:
            await self._pause(self._limits.pauses_s[min(self._failures, len(self._limits.pauses_s)) - 1])
        return retrying

    def _off(self, trouble: EmbedderTrouble, *, retrying: bool) -> None:
        self.state = EmbedderState(EmbedderPhase.OFF, trouble, retrying)
        for lane in (self._queries, self._passages):
            lane.give_up()

    async def _one_child(self) -> EmbedderTrouble:
        """Starts a child and asks it until it ends; why it ended."""
        try:
            # A session of its own: Ctrl-C in the terminal is for the program, which then closes the child.
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=_environment(), start_new_session=True
            )
        except OSError:
            return EmbedderTrouble.BROKEN
        try:
            try:
                await self._use(process)
            except Ended as ended:
                return ended.trouble
            except (asyncio.IncompleteReadError, ConnectionError):
                return await self._cause_of_death(process)
            except (NoFrame, KeyError, ValueError, TypeError):
                # Frames of another meaning than ours.
                return EmbedderTrouble.BROKEN
        finally:
            await self._end(process)

    async def _use(self, process: Process) -> NoReturn:
        assert process.stdin and process.stdout
        process.stdin.write(encode(self._opening))
        await process.stdin.drain()
        try:
            async with asyncio.timeout(self._limits.start_s):
                hello, _ = await read(process.stdout)
        except TimeoutError:
            raise Ended(EmbedderTrouble.HUNG) from None
        if "failed" in hello:
            raise Ended(EmbedderTrouble(hello["failed"]))
        name, dims = str(hello["name"]), int(hello["dims"])
        if not 0 < dims <= DIMS_MAX:
            raise NoFrame
        self.name = name
        self.state = EmbedderState(EmbedderPhase.READY)
        log.info("The embedder became ready", extra={"embedder": name})
        await Talk(process.stdin, process.stdout, dims, self._limits.hang_s).hold(self._queries, self._passages)

    async def _cause_of_death(self, process: Process) -> EmbedderTrouble:
        try:
            async with asyncio.timeout(self._limits.close_s):
                code = await process.wait()
        except TimeoutError:
            return EmbedderTrouble.BROKEN
        illegal = getattr(signal, "SIGILL", None)
        return EmbedderTrouble.PROCESSOR if illegal is not None and code == -illegal else EmbedderTrouble.BROKEN

    async def _end(self, process: Process) -> None:
        """Whatever happens here, no process is left."""
        assert process.stdin
        process.stdin.close()
        try:
            if process.returncode is None:
                process.terminate()
            async with asyncio.timeout(self._limits.close_s):
                await process.wait()
        except ProcessLookupError:
            await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        except asyncio.CancelledError:
            process.kill()
            raise


def prepared(text: str, characters_max: int) -> str:
    """The part of a text that is embedded. A NUL would end it early in C; half a surrogate cannot be encoded."""
    clean = text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    return clean.strip()[:characters_max]


def command_of(code: str) -> tuple[str, ...]:
    """Runs `code` in a Python that finds what this one finds, from a checkout as from a wheel, wherever it is started.

    `-P`, and the whole path spelled out: a folder that happens to hold a `store` must not win.
    """
    ours = str(Path(__file__).parents[2])
    paths = [path for path in sys.path if path]
    if ours not in paths:
        paths.append(ours)
    return (sys.executable, "-P", "-c", f"import sys; sys.path[:] = sys.argv[1:]; {code}", *paths)


def _environment() -> dict[str, str]:
    """What the child is born with: everything but our own settings, some of which are keys.

    A waiting thread of OpenMP spins by default: with busy neighbours a query then took half a second instead of a
    twentieth. With one thread for queries and one for passages, a query beside passages on two busy cores took 53 ms,
    with two for each 60, and the machine had less left for everybody else.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NIANNIAN_")}
    return {**kept, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "1"}
