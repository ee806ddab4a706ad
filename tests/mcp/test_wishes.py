"""No agent forgets anything: it wishes, and the person decides in the usual words."""

from __future__ import annotations

from store.model import AccountID
from store.writer import Writer
from tests.flow.world import World
from tests.mcp.world import agent


async def greeted(world: World) -> str:
    lin = await world.person()
    shown = await world.app.gateway.wishes(lin.session.inbound())
    return shown.text if shown else ""


async def test_a_deletion_waits_for_the_person_and_says_in_which_words(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the kettle is blue")
    async with agent(world) as one:
        wish = await one.does("memory_delete", ref="D-2024-05-27-01")
        assert wish == {"ref": "D-2024-05-27-01", "deleted": False, "waiting": True, "say": "forget D-2024-05-27-01"}
        assert "Nothing was deleted" in one.text
        assert (await one.does("memory_get", ref="D-2024-05-27-01"))["entries"]
        assert "1 entry is waiting" in await lin.say("/status")
        assert "the kettle is blue" in await greeted(world)
        await lin.say(wish["say"])
        await lin.press("Forget")
        assert await greeted(world) == "" and "waiting" not in await lin.say("/status")
        assert (await one.does("memory_search", query="kettle"))["entries"] == []


async def test_the_person_may_keep_it(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the kettle is blue")
    async with agent(world) as one:
        await one.does("memory_delete", ref="D-2024-05-27-01")
        await lin.say("/status")
        assert "forget D-2024-05-27-01" in await lin.press("Look")
        assert "Forget this" in await lin.press("No. 1")
        await lin.press(lin.labels[-1])
        assert await greeted(world) == ""
        assert (await one.does("memory_get", ref="D-2024-05-27-01"))["entries"]


async def test_a_task_too_and_in_chinese(zh: World) -> None:
    lin = await zh.person()
    await lin.say("待办：浇花")
    async with agent(zh) as one:
        wish = await one.does("memory_delete", ref="T-240527-01")
        assert wish["say"] == "忘掉 T-240527-01"
        assert "浇花" in await greeted(zh)
        await lin.say(wish["say"])
        await lin.press(lin.labels[0])
        assert (await one.does("tasks_list"))["tasks"] == []
    assert await greeted(zh) == ""


async def test_what_is_not_there_cannot_be_wished_away(world: World) -> None:
    async with agent(world) as one:
        assert "no D-2024-05-27-07" in await one.refused("memory_delete", ref="D-2024-05-27-07")


async def test_a_wish_for_what_is_gone_takes_no_room(world: World) -> None:
    async with agent(world) as one:
        refs = [(await one.does("memory_store", text=f"thing {n}"))["ref"] for n in range(101)]
        for ref in refs[:100]:
            await one.does("memory_delete", ref=ref)
        (memory,) = world.app.home.opened()

        def forget(writer: Writer) -> None:
            """As another device of this person does it."""
            (record,) = writer.labelled(refs[0])
            writer.set(record, "hidden", True, by=AccountID("terminal:lin"))

        await memory.turn(forget)
        assert (await one.does("memory_delete", ref=refs[100]))["waiting"]


async def test_a_flood_of_wishes_is_refused(world: World) -> None:
    async with agent(world) as one:
        refs = [(await one.does("memory_store", text=f"thing {n}"))["ref"] for n in range(101)]
        for ref in refs[:100]:
            await one.does("memory_delete", ref=ref)
        assert "100 entries are waiting" in await one.refused("memory_delete", ref=refs[100])
        assert (await one.does("memory_delete", ref=refs[0]))["waiting"], "a wish that waits already is no new one"
