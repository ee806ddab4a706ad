"""MCP tool calls by the official client, over stdio and HTTP, by the holder of the home and through its socket.

Each call is made over every road in turn, in one run, beside the bare Memory call that it leads to.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import world
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from report import Progress, Table, met, ms, p50, percentile, quick

from bot.agent.tools import TOOLS
from bot.door import DoorScope, LocalDoor

ENTRIES = 10_000
P50_MAX_MS = 10
ROOT = Path(__file__).parent.parent
Call = Callable[[str, dict[str, Any]], Awaitable[Any]]


def _command(home: Path, *more: str) -> list[str]:
    return ["-m", "bot", "mcp", "--write", "--home", str(home), *more]


@asynccontextmanager
async def over_stdio(home: Path) -> AsyncIterator[Call]:
    server = StdioServerParameters(command=sys.executable, args=_command(home), cwd=ROOT)
    async with stdio_client(server) as (received, sent), ClientSession(received, sent) as session:
        await session.initialize()
        await session.list_tools()
        yield session.call_tool


@asynccontextmanager
async def over_http(home: Path) -> AsyncIterator[Call]:
    server = await asyncio.create_subprocess_exec(
        sys.executable, *_command(home, "0", "--http"), cwd=ROOT, stderr=asyncio.subprocess.PIPE
    )
    assert server.stderr is not None
    address = ""
    while "http://" not in address:
        address = (await server.stderr.readline()).decode()
    address = next(word for word in address.split() if word.startswith("http://")).rstrip(",，")
    token = (home / "mcp-token").read_text().strip()
    try:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            streamable_http_client(address, http_client=http) as (received, sent, *_),
            ClientSession(received, sent) as session,
        ):
            await session.initialize()
            await session.list_tools()
            yield session.call_tool
    finally:
        server.terminate()
        await server.wait()


@asynccontextmanager
async def bare(home: Path) -> AsyncIterator[Call]:
    async with world.running(home) as app:
        door = LocalDoor(app)
        number = 0

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            nonlocal number
            number += 1
            return await door.call(name, DoorScope(), arguments, f"bench/1/{number}")

        yield call


async def main(rounds: int) -> None:
    assert {"memory_search", "context", "memory_get", "memory_store"} <= TOOLS.keys()
    questions = world.questions("en", rounds, seed=5)
    statements = world.texts("en", rounds * 5, seed=6)
    calls: dict[str, Callable[[int, int], dict[str, Any]]] = {
        "memory_search": lambda at, _: {"query": questions[at]},
        "context": lambda at, _: {"question": questions[at]},
        "memory_list": lambda at, _: {"limit": 10, "start": at},
        "memory_store": lambda at, road: {"text": f"{statements[at * 5 + road]} ({at})"},
    }
    table = Table(f"MCP calls at {ENTRIES:,} entries", "tool", "road", "p50", "− bare", "p99", "p50 ≤ 10 ms")
    async with world.scratch() as folder, AsyncExitStack() as stack:
        made = await world.copy_of_home(folder, "both", ENTRIES)
        homes = [made, *(folder / f"home-{number}" for number in (2, 3))]
        for home in homes[1:]:
            shutil.copytree(made, home)
        roads: dict[str, Call] = {
            "bare Memory call": await stack.enter_async_context(bare(homes[0])),
            "stdio": await stack.enter_async_context(over_stdio(homes[1])),
            "stdio, through the socket": await stack.enter_async_context(over_stdio(homes[1])),
            "HTTP": await stack.enter_async_context(over_http(homes[2])),
            "HTTP, through the socket": await stack.enter_async_context(over_http(homes[2])),
        }
        for name, arguments in calls.items():
            took: dict[str, list[float]] = {road: [] for road in roads}
            progress = Progress(name, rounds)
            for at in range(rounds):
                progress.at(at)
                for place, (road, call) in enumerate(roads.items()):
                    start = time.perf_counter()
                    result = await call(name, arguments(at, place))
                    took[road].append((time.perf_counter() - start) * 1000)
                    assert not getattr(result, "is_error", False), result
            progress.done()
            base = p50(took["bare Memory call"])
            for road, values in took.items():
                mine = p50(values)
                table.row(name, road, ms(mine), ms(mine - base), ms(percentile(values, 0.99)), met(mine <= P50_MAX_MS))
    table.show()


if __name__ == "__main__":
    asyncio.run(main(40 if quick(__doc__) else 300))
