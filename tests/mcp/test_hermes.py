"""The shapes that Hermes agents know."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from store.model import AccountID, Draft, Origin, Source
from store.own_rows import LISTED_MAX
from store.writer import Writer
from tests.flow.world import World
from tests.mcp.world import Agent, agent


@pytest.fixture
async def one(world: World) -> AsyncIterator[Agent]:
    ready: asyncio.Future[Agent] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def hold() -> None:
        """A client ends in the task that it began in."""
        async with agent(world, hermes_names=True) as found:
            ready.set_result(found)
            await over.wait()

    holding = asyncio.create_task(hold())
    yield await ready
    over.set()
    await holding


async def texts(one: Agent) -> list[str]:
    return [entry["text"] for entry in (await one.does("memory_list"))["entries"]]


async def test_add_replace_and_remove(one: Agent, world: World) -> None:
    added = await one.does("memory", action="add", content="tea is green")
    assert added["success"] and added["results"][0]["ref"] == "D-2024-05-27-01"
    replaced = await one.does("memory", action="replace", old_text="is green", content="tea is white")
    assert replaced["results"][0]["replaces"] == "D-2024-05-27-01"
    removed = await one.does("memory", action="remove", old_text="tea")
    assert removed["results"][0]["say"] == "forget D-2024-05-27-02"
    assert await texts(one) == ["tea is white"], "only a person forgets"
    assert "waiting for you" in await (await world.person()).say("/status")


async def test_the_same_is_added_once(one: Agent) -> None:
    await one.does("memory", action="add", content="tea is green")
    again = await one.does("memory", action="add", content="tea is green")
    assert again["results"][0]["already"]


async def test_the_two_targets_are_apart(one: Agent) -> None:
    await one.does("memory", action="add", target="user", content="I like tea")
    await one.does("memory", action="add", target="memory", content="the tea is in the cupboard")
    await one.does("memory", action="replace", target="user", old_text="tea", content="I like coffee")
    entries = (await one.does("memory_list", kind="preference"))["entries"]
    assert [entry["text"] for entry in entries] == ["I like coffee"]


async def test_an_ambiguous_piece_gives_the_candidates_and_changes_nothing(one: Agent) -> None:
    await one.does("memory", action="add", content="tea is green")
    await one.does("memory", action="add", content="tea is hot")
    result = await one.session.call_tool("memory", {"action": "replace", "old_text": "tea", "content": "no"})
    assert result.is_error
    found = result.structured_content
    assert {row["text"] for row in found["candidates"]} == {"tea is green", "tea is hot"} and not found["success"]
    assert set(await texts(one)) == {"tea is green", "tea is hot"}


async def test_a_piece_that_is_all_of_one_entry_means_that_one(one: Agent) -> None:
    await one.does("memory", action="add", content="tea")
    await one.does("memory", action="add", content="tea is hot")
    await one.does("memory", action="replace", old_text="tea", content="coffee")
    assert set(await texts(one)) == {"coffee", "tea is hot"}


@pytest.mark.parametrize("old_text", [None, "", "nowhere"])
async def test_without_a_piece_there_is_the_inventory_and_advice(one: Agent, old_text: str | None) -> None:
    await one.does("memory", action="add", content="tea is green")
    given = {"action": "remove"} | ({} if old_text is None else {"old_text": old_text})
    result = await one.session.call_tool("memory", given)
    assert result.is_error and result.structured_content["entries"][0]["text"] == "tea is green"
    assert "> tea is green" in result.content[0].text  # type: ignore[union-attr]


async def test_a_batch_is_all_or_nothing(one: Agent) -> None:
    await one.does("memory", action="add", content="tea is green")
    bad = [
        {"action": "add", "content": "coffee is black"},
        {"action": "replace", "old_text": "tea", "content": "tea is white"},
        {"action": "replace", "old_text": "nowhere", "content": "x"},
    ]
    await one.refused("memory", operations=bad)
    assert await texts(one) == ["tea is green"]
    done = await one.does("memory", operations=bad[:2])
    assert len(done["results"]) == 2 and set(await texts(one)) == {"tea is white", "coffee is black"}
    assert "no action" in await one.refused("memory", action="add", content="x", operations=bad[:1])
    assert "no argument user_id" in await one.refused(
        "memory", operations=[{"action": "add", "content": "x", "user_id": "1"}]
    )


async def test_what_was_said_long_ago_is_replaced_too(one: Agent, world: World) -> None:
    await one.does("memory", action="add", content="tea is green")
    (memory,) = world.app.home.opened()
    lin = AccountID("terminal:lin")

    def many(writer: Writer) -> None:
        for number in range(LISTED_MAX):
            source, at_ms = Source("mcp", "many", str(number)), world.app.now_ms() + 1 + number
            writer.remember(
                Draft(f"thing {number}"),
                at_ms=at_ms,
                zone="UTC",
                author=lin,
                source=source,
                origin=Origin.AGENT,
                lang="en",
            )

    await memory.turn(many)
    replaced = await one.does("memory", action="replace", old_text="tea is", content="tea is white")
    assert replaced["results"][0]["replaces"] == "D-2024-05-27-01"


async def test_a_batch_that_is_undone_names_nothing_of_itself(one: Agent) -> None:
    await one.does("memory", action="add", content="tea is green")
    for old_text in ("nowhere", "tea", None):
        last = {"action": "remove"} | ({} if old_text is None else {"old_text": old_text})
        batch = [{"action": "add", "content": "tea is hot"}, last]
        result = await one.session.call_tool("memory", {"operations": batch})
        assert result.is_error and "tea is green" in str(result.structured_content), old_text
        assert "tea is hot" not in str(result) and "D-2024-05-27-02" not in str(result), old_text


async def test_what_is_missing_is_named(one: Agent) -> None:
    assert "action is missing" in await one.refused("memory")
    assert "content is missing" in await one.refused("memory", action="add")
    assert "can only be" in await one.refused("memory", action="drop", old_text="x")


async def test_the_chat_is_searched_scrolled_and_browsed(one: Agent, world: World) -> None:
    lin = await world.person()
    for said in ("the heron flew over the pond", "the pond froze", "a heron and a duck", "my herons are fine"):
        world.later(minutes=1)
        await lin.say(said)
    found = await one.does("session_search", query="heron")
    assert "> the heron flew over the pond" in one.text and len(found["results"]) <= 3
    found = await one.does("session_search", query="heron NOT duck", sort="newest")
    assert [row["text"] for row in found["results"]] == ["the heron flew over the pond"]
    found = await one.does("session_search", query="heron* OR froze", sort="oldest", limit=10)
    assert len(found["results"]) == 4
    first = found["results"][0]
    around = await one.does(
        "session_search", session_id=str(first["session"]), around_message_id=str(first["id"]), window=1
    )
    assert [row["text"] for row in around["results"]] == ["the heron flew over the pond", "the pond froze"]
    whole = await one.does("session_search", session_id=str(first["session"]))
    assert len(whole["results"]) == 4 and whole["results"][0]["reply"]
    assert len((await one.does("session_search"))["results"]) == 1
    only = await one.does("session_search", session_id=str(first["session"]), role_filter="assistant")
    assert all("text" not in row for row in only["results"])
    assert "must be a number" in await one.refused("session_search", session_id="1; DROP TABLE turns")
    assert "between" in await one.refused("session_search", query="x", limit=11)


async def test_what_is_forgotten_is_in_no_session(one: Agent, world: World) -> None:
    lin = await world.person()
    await lin.say("the code word is heron")
    await lin.say("remember the code word is heron")
    await lin.say("forget D-2024-05-27-01")
    await lin.press("Forget")
    for arguments in ({"query": "heron"}, {"session_id": "1"}, {}, {"query": "heron OR duck"}):
        assert "heron" not in str(await one.does("session_search", **arguments)), arguments


async def test_what_was_said_in_a_group_is_the_groups(one: Agent, world: World) -> None:
    lin = await world.person(group="Team")
    await lin.say("the heron flew over the pond")
    assert (await one.does("session_search", query="heron"))["results"] == []
