"""MCP over HTTP: who is let in, and from where."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import typer

from bot.config import load
from bot.door import DoorScope, LocalDoor
from bot.mcp_cli import _make_token, _token
from bot.platforms.mcp.http import REQUESTS_MAX, Impatient, bound, serve_http
from bot.platforms.mcp.server import REQUEST_BYTES_MAX, make_server
from bot.words import words
from tests.flow.world import World
from tests.mcp.programs import Served, over_http, over_stdio
from tests.mcp.test_stdio import ended
from tests.waits import WAIT_S

PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


async def raw(
    served: Served, *headers: str, body: bytes = PING, length: int | None = None, verb: str = "POST", path: str = "/mcp"
) -> str:
    """The status line and all behind it, for a request by hand; headers given twice are sent twice."""
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    lines = [f"{verb} {path} HTTP/1.1", *headers, "Content-Type: application/json", "Connection: close"]
    lines += [
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body) if length is None else length}",
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)
    try:
        async with asyncio.timeout(WAIT_S):
            return (await reader.read()).decode("utf-8", "replace")
    finally:
        writer.close()


@asynccontextmanager
async def serving(world: World, protocol: type[Impatient] = Impatient) -> AsyncIterator[Served]:
    """The same in this process."""
    door, numbers = LocalDoor(world.app), count(1)

    async def ask(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return await door.call(name, DoorScope(), arguments, f"mcp/http/{next(numbers)}")

    server = make_server(ask, words("en"), version="1", write=True, hermes_names=False)
    line, token = bound(0), "0123456789abcdef" * 4
    address = f"http://127.0.0.1:{line.getsockname()[1]}/mcp"
    task = asyncio.create_task(serve_http(server, line, token, words("en"), protocol=protocol))
    try:
        yield Served(address, token, "")
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        line.close()


async def test_an_official_client_over_http_and_one_over_stdio_share_one_memory(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with over_http(home, "--write") as served:
        assert served.token not in served.said and str(home / "mcp-token") in served.said
        assert stat.S_IMODE((home / "mcp-token").stat().st_mode) == 0o600
        async with served.agent() as one, over_stdio(home) as two:
            await one.does("memory_store", text="tea is green")
            assert "tea is green" in str(await two.does("memory_list"))
            assert "tea is green" in await one.page("today")
    async with over_http(home) as again:
        assert again.token == served.token, "made once"
        async with again.agent() as one:
            assert "memory_store" not in await one.tools()


async def test_who_does_not_belong_here_is_refused_in_one_line(world: World) -> None:
    async with serving(world) as served:
        host, token = f"Host: 127.0.0.1:{served.port}", f"Authorization: Bearer {served.token}"
        # without a session: past the guard, and refused by the protocol
        assert "session" in (await raw(served, host, token)).lower()
        assert " 401 " in await raw(served, host)
        assert " 401 " in await raw(served, host, "Authorization: Bearer " + "0" * 64)
        assert " 401 " in await raw(served, host, f"Authorization: Basic {served.token}")
        assert " 401 " in await raw(served, host, token, token), "two are one too many"
        assert "The token is not right." in await raw(served, host, "Authorization: Bearer ")
        for other in (
            "evil.example",
            f"evil.example:{served.port}",
            "127.0.0.1",
            "127.0.0.1:1",
            "",
            f"127.0.0.1.evil:{served.port}",
        ):
            said = await raw(served, f"Host: {other}", token)
            assert " 421 " in said and "not an address of ours" in said, other
        for site in (
            "http://evil.example",
            "null",
            f"http://evil.example:{served.port}",
            "http://127.0.0.1:1",
            "file://",
        ):
            said = await raw(served, host, token, f"Origin: {site}")
            assert " 403 " in said and "Other sites cannot use this." in said, site
        ours = await raw(served, host, token, f"Origin: http://localhost:{served.port}")
        assert " 403 " not in ours
        assert " 404 " in await raw(served, host, token, path="/")
        assert "access-control" not in (ours + await raw(served, host, token, verb="OPTIONS")).lower()


async def test_what_is_too_large_is_refused_before_it_is_read(world: World) -> None:
    async with serving(world) as served:
        host, token = f"Host: localhost:{served.port}", f"Authorization: Bearer {served.token}"
        assert " 413 " in await raw(served, host, token, body=b"", length=REQUEST_BYTES_MAX + 1)
        assert " 401 " in await raw(served, host, body=b"", length=10**12), "who may not ask learns nothing of sizes"
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        head = f"POST /mcp HTTP/1.1\r\n{host}\r\n{token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        for _ in range(REQUEST_BYTES_MAX // 4096 + 2):
            writer.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        async with asyncio.timeout(WAIT_S):
            assert b" 413 " in await reader.readline()
        writer.close()


class _Hasty(Impatient):
    head_wait_s = 0.05


async def test_strangers_that_say_nothing_are_hung_up_on_and_take_nobodys_place(world: World) -> None:
    async with serving(world) as served, asyncio.timeout(WAIT_S):
        silent = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(REQUESTS_MAX + 1)]
        async with served.agent() as one:
            assert "memory_list" in await one.tools()
        for _, writer in silent:
            writer.close()
    async with serving(world, _Hasty) as served, asyncio.timeout(WAIT_S):
        for said in (b"", b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-Slow: "):
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(said)
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()
        # refused, and what is left of its body is not waited for
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Length: 99\r\n\r\nx".encode())
        assert b" 401 " in await reader.read()
        writer.close()
        async with served.agent() as one:
            assert "memory_list" in await one.tools()


async def test_it_listens_on_this_machine_only(world: World) -> None:
    async with serving(world) as served:
        listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        there = {
            words[1].partition(":")[0]
            for words in listening
            if words[1].endswith(f":{served.port:04X}") and words[3] == "0A"
        }
        assert there == {"0100007F"}
        assert f"{served.port:04X} " not in Path("/proc/net/tcp6").read_text()


def test_a_token_is_made_once_and_whole(tmp_path: Path) -> None:
    told = words("en")
    home = tmp_path / "home"
    home.mkdir()
    config = load(home / "niannian.toml", {})
    token, where = _token(home, config, None, told)
    assert len(token) == 64 and where == str(home / "mcp-token")
    assert [path.name for path in home.iterdir()] == ["mcp-token"], "nothing is left beside it"
    _make_token(home / "mcp-token")  # another program was quicker
    assert _token(home, config, None, told)[0] == token
    with pytest.raises(typer.Exit):
        _token(home, config, home / "nowhere" / "token", told)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "token").write_text("x" * 64)
    (folder / "token").chmod(0o600)
    folder.chmod(0o500)  # what is there need not be made
    assert _token(home, config, folder / "token", told)[0] == "x" * 64
    folder.chmod(0o700)


@pytest.mark.slow
@pytest.mark.parametrize(("token", "mode", "said"), [("short", 0o600, "too short"), ("x" * 64, 0o644, "chmod 600")])
async def test_a_token_that_others_know_is_refused(tmp_path: Path, token: str, mode: int, said: str) -> None:
    file = tmp_path / "token"
    file.write_text(token)
    file.chmod(mode)
    status, _, errors = await ended("mcp", "0", "--http", "--token-file", str(file), "--home", str(tmp_path / "home"))
    assert status == 78 and said in errors and token not in errors.replace("too short", "")


@pytest.mark.slow
async def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    async with over_http(tmp_path / "one") as served:
        status, _, errors = await ended("mcp", str(served.port), "--http", "--home", str(tmp_path / "two"))
        assert status == 78 and str(served.port) in errors
