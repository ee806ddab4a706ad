"""The door of a home: one holder serves, the others ask; when it goes, one of them takes its place and nothing is done twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.config import load
from bot.door import ANSWER_BYTES_MAX, CALL_BYTES_MAX, DoorScope, LocalDoor
from bot.door_socket import (
    HELLO,
    NAME,
    PATH_BYTES_MAX,
    DoorGone,
    DoorServer,
    DoorStopped,
    SocketDoor,
    ask_to_leave,
)
from bot.entrance import Entrance, _Holding
from store.errors import BadCommand, HomeInUse, NotFound, StoreBusy
from tests.fakes import FakeClock, FakeEntropy
from tests.faults.forks import Forks
from tests.waits import WAIT_S, until

MINE = DoorScope()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(scope="module")
def holders() -> Iterator[Forks]:
    server = Forks("tests.faults.door_child")
    yield server
    server.close()


async def start(home: Path, seed: str = "") -> App:
    return await App.start(home, load(home / "niannian.toml", {}), FakeClock(), FakeEntropy(seed), login="Lin")


def entrance(home: Path, seed: str, **more: Any) -> Entrance:
    return Entrance(home, lambda: start(home, seed), **more)


@asynccontextmanager
async def entrances(home: Path, count: int) -> AsyncIterator[list[Entrance]]:
    opened = [entrance(home, str(number)) for number in range(count)]
    try:
        for one in opened:
            await one.open()
        yield opened
    finally:
        for one in opened:
            await one.close()


async def texts(one: Entrance, key: str) -> list[str]:
    result = await one.call("memory_list", MINE, {"limit": 50}, key)
    return [entry["text"] for entry in result["data"]["entries"]]


async def test_the_first_holds_and_the_others_ask_it(home: Path) -> None:
    async with entrances(home, 3) as (first, second, third):
        assert [one.holds for one in (first, second, third)] == [True, False, False]
        for number, one in enumerate((first, second, third)):
            await one.call("memory_store", MINE, {"text": f"thing {number}"}, f"mcp/{number}/1")
        assert len(await texts(third, "mcp/2/2")) == 3
        assert stat.S_IMODE((home / NAME).stat().st_mode) == 0o600


async def test_a_refusal_is_the_same_on_either_side(home: Path) -> None:
    async with entrances(home, 2) as both:
        said = set()
        for one in both:
            with pytest.raises(NotFound) as refused:
                await one.call("memory_get", MINE, {"ref": "D-2024-05-27-09"}, "mcp/x/1")
            said.add((refused.value.code, str(refused.value.facts)))
            with pytest.raises(BadCommand):
                await one.call("memory_get", MINE, {"user_id": "1"}, "mcp/x/2")
            with pytest.raises(NotFound, match="error-no-such-errand"):
                await one.call("format_disk", MINE, {}, "mcp/x/3")
        assert len(said) == 1


async def test_another_scope_is_another_memory(home: Path) -> None:
    async with entrances(home, 2) as (first, second):
        await first.call("memory_store", MINE, {"text": "KIWI-7"}, "mcp/a/1")
        for scope in (DoorScope("Noor"), DoorScope(None, "Team")):
            with pytest.raises(NotFound):  # a slip of the pen makes no memory
                await second.call("memory_search", scope, {"query": "KIWI-7"}, "mcp/b/1")
            assert isinstance(first._door, _Holding)
            await first._door.app.session(scope.as_name, scope.group)  # somebody talks there
            found = await second.call("memory_search", scope, {"query": "KIWI-7"}, "mcp/b/1")
            assert "KIWI-7" not in found["text"] and found["data"]["entries"] == []


async def test_when_the_holder_leaves_another_takes_its_place_and_the_rest_find_it(home: Path) -> None:
    async with entrances(home, 4) as (first, *others):
        await first.call("memory_store", MINE, {"text": "before"}, "mcp/0/1")
        await first.close()
        found = await asyncio.gather(*(texts(one, f"mcp/{n}/2") for n, one in enumerate(others)))
        assert found == [["before"]] * 3
        assert sum(one.holds for one in others) == 1


async def test_calls_beside_each_other_are_all_answered(home: Path) -> None:
    async with entrances(home, 2) as (_, second):
        calls = [second.call("memory_store", MINE, {"text": f"thing {n}"}, f"mcp/s/{n}") for n in range(50)]
        results = await asyncio.gather(*calls)
        assert len({one["data"]["ref"] for one in results}) == 50


async def test_what_a_killed_holder_left_is_replaced(home: Path) -> None:
    home.mkdir()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(home / NAME))
    async with entrances(home, 2) as (first, second):
        assert first.holds and not second.holds
    assert not (home / NAME).exists(), "it goes with its holder"


async def test_a_home_far_down_is_reached_too(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-rather-long-name-for-a-folder"] * 4)
    assert len(os.fsencode(deep / NAME)) > PATH_BYTES_MAX
    async with entrances(deep, 2) as (_, second):
        await second.call("memory_store", MINE, {"text": "deep"}, "mcp/0/1")
        assert not second.holds
    assert not list(deep.glob(".door-*"))


async def test_a_home_that_serves_nobody_is_in_use(home: Path) -> None:
    app = await start(home)
    other = entrance(home, "2", patience_s=0)
    with pytest.raises(HomeInUse):
        await other.open()
    await app.close()
    await other.open()
    assert other.holds
    await other.close()


async def test_who_only_serves_agents_makes_way_for_a_person_and_finds_the_way_back(home: Path) -> None:
    agents = entrance(home, "1", pause=lambda _: asyncio.sleep(0))
    await agents.open()
    await agents.call("memory_store", MINE, {"text": "before"}, "mcp/0/1")
    assert await ask_to_leave(home)
    app = await start(home, "2")
    server = DoorServer(home, LocalDoor(app))
    await server.start()
    assert not await ask_to_leave(home), "a person's own program stays"
    assert await texts(agents, "mcp/0/2") == ["before"]
    assert not agents.holds
    await agents.close()
    await server.close()
    await app.close()
    assert not await ask_to_leave(home), "nobody is there"


async def raw(home: Path, head: bytes, body: bytes, *, declared: int | None = None) -> dict[str, Any] | None:
    """What the holder answers to these very bytes; None when it hangs up."""
    reader, writer = await asyncio.open_unix_connection(str(home / NAME))
    try:
        writer.write(struct.pack("!II", len(head), len(body) if declared is None else declared) + head + body)
        async with asyncio.timeout(WAIT_S):
            try:
                head_bytes, body_bytes = struct.unpack("!II", await reader.readexactly(8))
                await reader.readexactly(head_bytes)
                found: dict[str, Any] = json.loads(await reader.readexactly(body_bytes))
                return found
            except asyncio.IncompleteReadError:
                return None
    finally:
        writer.close()


HEAD = b'{"id": 1, "name": "memory_store", "key": "mcp/x/1", "as": null, "group": null}'


async def test_what_is_no_call_is_hung_up_on_and_what_is_too_large_refused_unread(home: Path) -> None:
    async with entrances(home, 1) as (one,):
        assert await raw(home, b"no json", b"{}") is None
        assert await raw(home, b"[1]", b"{}") is None
        assert await raw(home, b'{"name": "memory_list"}', b"{}") is None, "no number to answer to"
        for nonsense in (b"[]", b"no json", b"\xff"):  # hung up on, it would come again
            odd = await raw(home, HEAD, nonsense)
            assert odd is not None and odd["error"]["code"] == "error-errand"
        assert await raw(home, b"x" * 5000, b"{}") is None
        assert await raw(home, HEAD, b"", declared=2**32 - 1) is None
        large = await raw(home, HEAD, b" " * (CALL_BYTES_MAX + 1))
        assert large is not None and large["error"]["code"] == "error-errand-long"
        fits = json.dumps({"text": "fits"}).encode()
        found = await raw(home, HEAD, fits + b" " * (CALL_BYTES_MAX - len(fits)))
        assert found is not None and found["result"]["data"]["ref"]
        deep = await raw(home, HEAD.replace(b"x/1", b"x/2"), b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")
        assert deep is not None and "error" in deep
        assert await texts(one, "mcp/y/1") == ["fits"]


# killed


@asynccontextmanager
async def held(holders: Forks, home: Path, *arguments: str) -> AsyncIterator[int]:
    """Another process holds the home. It ends itself, or is ended here."""
    said, out, errors = os.pipe(), os.pipe(), os.open(os.devnull, os.O_WRONLY)
    process = holders.start([str(home), *arguments], said[0], out[1], errors)
    for descriptor in (said[0], out[1], errors):
        os.close(descriptor)
    try:
        assert await asyncio.to_thread(os.read, out[0], 5) == b"ready"
        yield process
    finally:
        os.close(said[1])
        os.close(out[0])
        await asyncio.to_thread(holders.wait, process)


async def killed_at(holders: Forks, home: Path, at: int, how: str, *more: str) -> bool:
    """One call while the holder dies at its `at`-th statement. Whether it died; whatever it did, it was done once."""
    async with held(holders, home, "--at", str(at), "--how", how, *more):
        one = entrance(home, f"after {at}")
        await one.open()
        assert not one.holds
        first = await one.call("memory_store", MINE, {"text": "the code word is heron"}, "mcp/a/1")
        died = one.holds
        again = await one.call("memory_store", MINE, {"text": "the code word is heron"}, "mcp/a/1")
        assert first == again and "already" not in first["data"], (at, how)
        assert await texts(one, "mcp/a/2") == ["the code word is heron"], (at, how)
        await one.close()
    return died


@pytest.mark.parametrize("how", ["kill-before", "kill-after"])
async def test_a_call_on_its_way_when_the_holder_is_killed_at_its_commit_is_done_once(
    holders: Forks, home: Path, how: str
) -> None:
    assert await killed_at(holders, home, 1, how, "--only", "COMMIT")


@pytest.mark.slow
async def test_the_same_at_every_statement(holders: Forks, tmp_path: Path) -> None:
    at, died = 0, True
    while died:
        at += 1
        died = await killed_at(holders, tmp_path / str(at), at, "kill-after")
    assert at > 10, "a call is many statements"


async def test_many_calls_on_their_way_when_the_holder_is_killed_are_each_done_once(holders: Forks, home: Path) -> None:
    async with held(holders, home) as process:
        several = [entrance(home, str(number)) for number in range(3)]
        for one in several:
            await one.open()
        calls = [
            asyncio.ensure_future(one.call("memory_store", MINE, {"text": f"thing {n} {m}"}, f"mcp/{n}/{m}"))
            for n, one in enumerate(several)
            for m in range(10)
        ]
        await until(lambda: any(call.done() for call in calls))
        holders.kill(process)
        results = await asyncio.gather(*calls)
        assert len({one["data"]["ref"] for one in results}) == 30
        assert sorted(await texts(several[0], "mcp/0/99")) == sorted(
            f"thing {n} {m}" for n in range(3) for m in range(10)
        )
        assert sum(one.holds for one in several) == 1
        for one in several:
            await one.close()


@asynccontextmanager
async def listening(home: Path, heard: Callable[[StreamReader, StreamWriter], Awaitable[None]]) -> AsyncIterator[None]:
    """Somebody has the place of a holder."""
    home.mkdir(exist_ok=True)
    server = await asyncio.start_unix_server(heard, str(home / NAME))
    try:
        yield
    finally:
        server.close()


async def test_a_stranger_in_the_place_of_a_holder_is_no_holder(home: Path) -> None:
    """Somebody listens who says nothing sensible: whoever finds the lock free takes the place."""

    async def nonsense(reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(b"\xff" * 64)
        writer.close()

    async with listening(home, nonsense):
        with pytest.raises(DoorGone):
            await SocketDoor.connect(home)
        async with entrances(home, 2) as (first, second):
            assert first.holds and not second.holds


async def test_where_every_holder_leaves_at_the_call_it_is_not_made_for_ever(home: Path) -> None:
    async def leaves(reader: StreamReader, writer: StreamWriter) -> None:
        head_bytes, body_bytes = struct.unpack("!II", await reader.readexactly(8))
        head = json.loads(await reader.readexactly(head_bytes))
        if head["name"] == HELLO:
            await reader.readexactly(body_bytes)
            answer = [json.dumps(part).encode() for part in ({"id": head["id"]}, {"result": {}})]
            writer.write(struct.pack("!II", *map(len, answer)) + b"".join(answer))
            await reader.read(1)
        writer.close()

    async with listening(home, leaves):
        one = entrance(home, "1", patience_s=0, pause=lambda _: asyncio.sleep(0))
        async with asyncio.timeout(WAIT_S):
            with pytest.raises(StoreBusy, match="error-errand-nobody"):
                await one.call("memory_list", MINE, {}, "mcp/a/1")
        await one.close()


async def test_a_holder_that_is_stopped_is_named_and_nobody_waits_for_ever(holders: Forks, home: Path) -> None:
    async with held(holders, home) as process, asyncio.timeout(WAIT_S):
        before = await SocketDoor.connect(home, pulse_s=0.05)
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(DoorStopped):
                await before.call("memory_list", MINE, {}, "mcp/a/1")
            with pytest.raises(HomeInUse) as refused:
                await entrance(home, "2", patience_s=0).open()
            assert str(refused.value.facts["pid"]) == str(process)
            assert not await ask_to_leave(home)
            await before.close()
        finally:
            os.kill(process, signal.SIGCONT)
        assert await texts(entrance(home, "3"), "mcp/b/1") == []


class Wide:
    """A door with a long answer."""

    def __init__(self, size: int) -> None:
        self.size = size

    async def call(self, name: str, scope: DoorScope, arguments: Any, key: str) -> dict[str, Any]:
        return {"found": "x" * self.size}


async def test_who_does_not_read_its_answers_holds_no_exit(home: Path) -> None:
    home.mkdir()
    server = DoorServer(home, Wide(1_000_000), end_wait_s=0.05)
    await server.start()
    _, writer = await asyncio.open_unix_connection(str(home / NAME), limit=1)
    for _ in range(8):
        writer.write(struct.pack("!II", len(HEAD), 2) + HEAD + b"{}")
    await writer.drain()
    await until(lambda: server._calls)
    async with asyncio.timeout(WAIT_S):
        await server.close()
    assert not server._lines and not server._writers
    writer.close()


async def test_what_is_too_long_for_a_frame_is_refused_and_not_sent_for_ever(home: Path) -> None:
    async with entrances(home, 2) as (_, second), asyncio.timeout(WAIT_S):
        with pytest.raises(BadCommand, match="error-errand-long"):
            await second.call("memory_list", DoorScope("x" * 5000), {}, "mcp/a/1")
        assert await texts(second, "mcp/a/2") == []
    server = DoorServer(home, Wide(ANSWER_BYTES_MAX))
    await server.start()
    door = await SocketDoor.connect(home)
    with pytest.raises(BadCommand, match="error-answer-long"):
        await door.call("memory_list", MINE, {}, "mcp/a/1")
    with pytest.raises(BadCommand, match="error-errand-long"):
        await door.call("import", MINE, {"text": "x" * ANSWER_BYTES_MAX}, "mcp/a/2")
    await door.close()
    await server.close()


async def test_a_call_that_is_cancelled_does_not_cut_the_start(home: Path) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    starts = 0

    async def slowly() -> App:
        nonlocal starts
        starts += 1
        begun.set()
        await go_on.wait()
        return await start(home)

    one = Entrance(home, slowly)
    call = asyncio.ensure_future(texts(one, "mcp/a/1"))
    await begun.wait()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    go_on.set()
    assert await texts(one, "mcp/a/2") == [] and starts == 1
    await one.close()
