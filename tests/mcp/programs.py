"""The real program as an agent's client starts it: `niannian mcp` as a child, over its pipes or over HTTP."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.world import Agent
from tests.waits import WAIT_S

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {"NIANNIAN_PERSON_LANG": "en", "NIANNIAN_PERSON_NAME": "Lin", "TZ": "UTC"}


def command(home: Path, *more: str) -> list[str]:
    return ["-m", "bot", "mcp", "--home", str(home), *more]


@asynccontextmanager
async def over_stdio(home: Path, *more: str) -> AsyncIterator[Agent]:
    server = StdioServerParameters(command=sys.executable, args=command(home, *more), env=ENVIRONMENT, cwd=ROOT)
    async with stdio_client(server) as (received, sent), ClientSession(received, sent) as session:
        await session.initialize()
        yield Agent(session)


@dataclass(frozen=True, slots=True)
class Served:
    address: str
    token: str
    said: str

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2].partition("/")[0])

    @asynccontextmanager
    async def agent(self) -> AsyncIterator[Agent]:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {self.token}"}, trust_env=False) as http,
            streamable_http_client(self.address, http_client=http) as (received, sent, *_),
            ClientSession(received, sent) as session,
        ):
            await session.initialize()
            yield Agent(session)


@asynccontextmanager
async def over_http(home: Path, *more: str) -> AsyncIterator[Served]:
    environment = {**os.environ, **ENVIRONMENT}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command(home, "0", "--http", *more), cwd=ROOT, env=environment, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        said = ""
        async with asyncio.timeout(WAIT_S):
            while "http://" not in said:
                line = await process.stderr.readline()
                assert line, said
                said += line.decode()
        address = next(word.rstrip(",") for word in said.split() if word.startswith("http://"))
        yield Served(address, (home / "mcp-token").read_text().strip(), said)
    finally:
        process.terminate()
        async with asyncio.timeout(WAIT_S):
            await process.communicate()
