"""A whole niannian with an MCP server in front, in one process: the official client talks to it over memory streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from mcp import ClientSession
from mcp.shared.memory import create_client_server_memory_streams

from bot.door import DoorScope, LocalDoor
from bot.platforms.mcp.server import make_server
from bot.words import words
from tests.flow.world import World


class Agent:
    """Calls tools; gives their data, or the sentence of a refusal."""

    def __init__(self, session: ClientSession) -> None:
        self.session = session
        self.text = ""

    async def does(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The data. Fails where the tool refuses."""
        result = await self.session.call_tool(name, arguments)
        self.text = result.content[0].text  # type: ignore[union-attr]
        assert not result.is_error, self.text
        data: dict[str, Any] = result.structured_content
        return data

    async def refused(self, name: str, **arguments: Any) -> str:
        result = await self.session.call_tool(name, arguments)
        self.text = result.content[0].text  # type: ignore[union-attr]
        assert result.is_error, self.text
        return self.text

    async def page(self, name: str) -> str:
        found = await self.session.read_resource(f"niannian://{name}")
        return found.contents[0].text  # type: ignore[union-attr]

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self.session.list_tools()).tools]


@asynccontextmanager
async def agent(
    world: World,
    *,
    write: bool = True,
    hermes_names: bool = False,
    scope: DoorScope | None = None,
    client: str = "mcp/one",
    door: LocalDoor | None = None,
) -> AsyncIterator[Agent]:
    """An agent at the memory that `scope` names: the owner's own by default."""
    behind = door or LocalDoor(world.app)
    if scope is not None:
        await world.app.session(scope.as_name, scope.group)  # somebody has talked there
    numbers = count(1)

    async def ask(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return await behind.call(name, scope or DoorScope(), arguments, f"{client}/{next(numbers)}")

    server = make_server(ask, words(world.lang), version="1", write=write, hermes_names=hermes_names)
    async with create_client_server_memory_streams() as (ours, theirs):
        serving = asyncio.create_task(server.run(*theirs, server.create_initialization_options()))
        try:
            async with ClientSession(*ours) as session:
                await session.initialize()
                yield Agent(session)
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
