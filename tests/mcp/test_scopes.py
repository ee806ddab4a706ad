"""One server, one memory: what is another's is not there, and nothing an argument says changes that."""

from __future__ import annotations

from typing import Any

import pytest

from bot.agent.fields import Field, FieldType, path_of
from bot.agent.tools import TOOLS, offered
from bot.door import DoorScope
from store.errors import BadCommand
from tests.flow.world import World
from tests.mcp.world import agent

CANARY = "KIWI-7"


async def everything(one: Any) -> str:
    """All that an agent can get out of its memory with one word."""
    told = [str(await one.does("memory_search", query=f"canary {CANARY}")), one.text]
    told += [str(await one.does("memory_list")), str(await one.does("context", question="what is the canary word?"))]
    told += [str(await one.does("tasks_list")), *[await one.page(name) for name in ("user", "tasks", "today")]]
    return "\n".join(told)


async def test_no_memory_is_seen_from_another(world: World) -> None:
    async with (
        agent(world) as mine,
        agent(world, scope=DoorScope("Noor")) as hers,
        agent(world, scope=DoorScope(None, "Team")) as teams,
    ):
        await mine.does("memory_store", text=f"the canary word is {CANARY}")
        await mine.does("tasks_add", title=f"change {CANARY}")
        for other in (hers, teams):
            assert CANARY not in await everything(other)
        await hers.does("memory_store", text="peanuts are bad for me")
        assert "peanuts" not in await everything(mine) + await everything(teams)


@pytest.mark.parametrize("tool", ["memory_get", "memory_update", "memory_delete", "tasks_update", "tasks_done"])
async def test_a_foreign_id_is_not_found(world: World, tool: str) -> None:
    """By its label, which may lead to something of one's own, it is one's own; by its id it is nothing."""
    async with agent(world) as mine, agent(world, scope=DoorScope("Noor")) as hers:
        await mine.does("memory_store", text="mine")
        (memory,) = [one for one in world.app.home.opened() if (await one.read(lambda view: view.count()))]
        (entry,) = await memory.read(lambda view: view.entries("1"))
        more = {"text": "x"} if tool == "memory_update" else {"state": "doing"} if tool == "tasks_update" else {}
        for ref in (entry.id, entry.label, memory.scope, "telegram:5001"):
            said = await hers.refused(tool, ref=ref, **more)
            assert "There is no" in said or "The board has no" in said


@pytest.mark.parametrize("name", ["user_id", "scope_id", "account", "as", "group", "home", "__class__"])
async def test_an_argument_that_is_not_described_is_an_error(world: World, name: str) -> None:
    async with agent(world) as one:
        assert f"no argument {name}" in await one.refused("memory_search", query="tea", **{name: "5002"})
        assert f"no argument {name}" in await one.refused("memory_store", text="tea", **{name: "5002"})
        assert (await one.does("memory_list"))["entries"] == []


async def test_without_write_nothing_that_writes_is_even_listed(world: World) -> None:
    async with agent(world, write=False) as one:
        assert await one.tools() == ["memory_search", "memory_get", "memory_list", "context", "tasks_list"]
        with pytest.raises(Exception, match="no tool memory_store"):
            await one.session.call_tool("memory_store", {"text": "x"})
        with pytest.raises(Exception, match="no tool page"):
            await one.session.call_tool("page", {"name": "user"})


async def test_a_member_may_not_wish_away_what_another_said(world: World) -> None:
    lin = await world.person(group="Team")
    await lin.say("remember the kettle is blue")
    async with agent(world, scope=DoorScope("Noor", "Team")) as one:
        (entry,) = (await one.does("memory_list"))["entries"]
        assert entry["by"] == "Lin"
        assert "whoever wrote it" in await one.refused("memory_delete", ref=entry["ref"])


BAD_PATHS = [
    "../../etc", "..\\..\\x", "/abs", "a/%2e%2e/b", "a\x00b", "..", "memory/../../x", "C:\\x", "c:/x", "~/x", "a//b",
    "%2e%2e/x", "%252e%252e/x", "./x", "a/.. /b", "", "a/\x1f", "%00", "x%5c..", "\u0000", "a/%25252525252e/b",
    "x" * 301,
]  # fmt: skip


@pytest.mark.parametrize("path", BAD_PATHS)
async def test_no_path_leads_out(world: World, path: str) -> None:
    async with agent(world) as one:
        said = await one.refused("memory_get", path=path)
        assert "Nothing was changed" in said


def all_fields(fields: tuple[Field, ...]) -> list[Field]:
    return [one for field in fields for one in (field, *all_fields(field.fields))]


def test_every_tool_takes_paths_through_the_one_resolver() -> None:
    """A field that sounds like a place in the file system is a path, and the path's only reader is `path_of`."""
    places = ("path", "file", "folder", "dir", "url", "uri", "root", "home")
    paths = 0
    for tool in TOOLS.values():
        for field in all_fields(tool.fields):
            if any(place in field.name.lower() for place in places):
                assert field.type is FieldType.PATH, (tool.name, field.name)
                paths += 1
    assert paths == 1, "memory_get; a new one is added to BAD_PATHS's test"
    with pytest.raises(BadCommand):
        path_of("../x")
    assert path_of("memory/2024-05-27.md") == "memory/2024-05-27.md"


def test_two_ways_to_write_are_never_offered_together() -> None:
    for write in (True, False):
        ours = {tool.name for tool in offered(write=write, hermes_names=False)}
        theirs = {tool.name for tool in offered(write=write, hermes_names=True)}
        assert not ours & {"memory", "session_search"}
        assert not theirs & {"memory_store", "memory_update", "memory_delete"}
        assert ("memory" in theirs) is write and "session_search" in theirs
