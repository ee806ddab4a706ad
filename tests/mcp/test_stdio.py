"""An official client, `niannian mcp` as its child, and other programs of the same person beside it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.platforms.mcp.server import REQUEST_BYTES_MAX
from tests.mcp.programs import ENVIRONMENT, ROOT, command, over_stdio
from tests.waits import WAIT_S


async def ended(*arguments: str, said: str = "") -> tuple[int, str, str]:
    """The program to its end: status, output, errors."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", *arguments, cwd=ROOT, env={**os.environ, **ENVIRONMENT},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(WAIT_S):
        out, errors = await process.communicate(said.encode())
    assert process.returncode is not None
    return process.returncode, out.decode(), errors.decode()


async def test_two_clients_share_one_memory_and_a_person_comes_between(tmp_path: Path) -> None:
    """The first client holds the home, the second asks it; a command makes them give way, and both find back."""
    home = tmp_path / "home"
    async with over_stdio(home, "--write") as one, over_stdio(home, "--write") as two:
        await one.does("memory_store", text="tea is green")
        await two.does("memory_store", text="the door is red")
        assert len((await one.does("memory_list"))["entries"]) == 2
        status, out, errors = await ended("remember", "the kettle is blue", "--home", str(home))
        assert (status, errors) == (0, "") and "Saved" in out
        first, second = await asyncio.gather(one.does("memory_list"), two.does("memory_list"))
        assert first == second and len(first["entries"]) == 3


@pytest.mark.slow
async def test_beside_a_talk_in_the_terminal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    chat = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "chat", "--home", str(home), cwd=ROOT, env={**os.environ, **ENVIRONMENT},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert chat.stdin is not None and chat.stdout is not None
    async with asyncio.timeout(WAIT_S):
        chat.stdin.write(b"remember the kettle is blue\n")
        while b"Saved" not in await chat.stdout.readline():
            pass
        async with over_stdio(home) as one:
            assert "kettle" in str(await one.does("memory_search", query="kettle"))
            status, _, errors = await ended("ask", "kettle?", "--home", str(home))
            assert status == 75 and errors, "whoever talks stays"
            chat.kill()
            await chat.wait()
            assert "kettle" in str(await one.does("memory_search", query="kettle")), "and when it is killed, we go on"
        await chat.communicate()


@pytest.mark.slow
async def test_a_group_and_another_person_are_other_memories(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for more in (["--group", "Team"], ["--as", "Noor"]):  # somebody has talked there
        await ended("chat", *more, "--home", str(home), said="help\n")
    async with over_stdio(home, "--write") as mine, over_stdio(home, "--group", "Team") as teams:
        await mine.does("memory_store", text="KIWI-7")
        assert (await teams.does("memory_list"))["entries"] == []
        async with over_stdio(home, "--as", "Noor") as hers:
            assert (await hers.does("memory_list"))["entries"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a/b", "", "x" * 50])
async def test_a_bad_name_ends_the_program_with_a_sentence(tmp_path: Path, name: str) -> None:
    status, out, errors = await ended("mcp", "--group", name, "--home", str(tmp_path / "home"))
    assert status == 1 and out == "" and "Traceback" not in errors and errors.strip()


def line_of(method: str, params: Any, number: int = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


class Pipes:
    """The protocol by hand, for what no client of good manners sends."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self.process, self.stdin, self.stdout = process, process.stdin, process.stdout

    @classmethod
    async def start(cls, home: Path, *more: str) -> Pipes:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command(home, *more), cwd=ROOT, env={**os.environ, **ENVIRONMENT},
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        pipes = cls(process)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        assert (await pipes.asks("initialize", hello))["result"]["serverInfo"]["name"] == "niannian"
        pipes.sends(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        return pipes

    def sends(self, line: str) -> None:
        self.stdin.write(line.encode("utf-8", "surrogatepass") + b"\n")

    async def hears(self) -> Any:
        async with asyncio.timeout(WAIT_S):
            return json.loads(await self.stdout.readline())

    async def asks(self, method: str, params: Any, number: int = 1) -> Any:
        self.sends(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return await self.hears()

    async def ends(self) -> int:
        self.stdin.close()
        async with asyncio.timeout(WAIT_S):
            return await self.process.wait()


@pytest.mark.slow
async def test_what_is_too_long_is_answered_and_the_next_line_heard(tmp_path: Path) -> None:
    pipes = await Pipes.start(tmp_path / "home", "--write")
    for text in ("x" * REQUEST_BYTES_MAX, "x" * (3 * REQUEST_BYTES_MAX)):
        params = {"name": "memory_store", "arguments": {"text": text}}
        answer = await pipes.asks("tools/call", params, 7)
        assert answer["id"] == 7 and "256 KB" in answer["error"]["message"]
        last = {"jsonrpc": "2.0", "method": "tools/call", "params": params, "id": "seven"}
        pipes.sends(json.dumps(last))
        assert (await pipes.hears())["id"] == "seven"
    found = await pipes.asks("tools/call", {"name": "memory_list", "arguments": {}}, 8)
    assert found["result"]["structuredContent"]["entries"] == []
    assert await pipes.ends() == 0


@pytest.mark.slow
async def test_what_cannot_be_read_is_answered(tmp_path: Path) -> None:
    pipes = await Pipes.start(tmp_path / "home")
    for line in ("no json", "{", "[]", "\x00", '{"jsonrpc": "2.0"}', "[" * 10_000, '"\ud800"'):
        pipes.sends(line)
        answer = await pipes.hears()
        assert (answer["id"], answer["error"]["code"]) == (None, -32700), line
    pipes.sends('{"jsonrpc": "2.0", "id": 9, "method": 1}')
    assert (await pipes.hears())["id"] == 9
    pipes.sends("")
    assert (await pipes.asks("ping", {}, 3))["id"] == 3
    odd = await pipes.asks("tools/call", {"name": "memory_list", "arguments": [1]}, 4)
    assert "error" in odd
    assert await pipes.ends() == 0


async def test_who_closes_its_end_or_reads_no_more_leaves_us_in_peace(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for closes in (True, False):
        ours, theirs = os.pipe()
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command(home), cwd=ROOT, env={**os.environ, **ENVIRONMENT},
            stdin=asyncio.subprocess.PIPE, stdout=theirs, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        os.close(theirs)
        assert process.stdin is not None and process.stderr is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        process.stdin.write(line_of("initialize", hello))
        assert await asyncio.to_thread(os.read, ours, 100)
        if closes:
            os.close(ours)
        for number in range(50):
            process.stdin.write(line_of("tools/list", {}, number))
        async with asyncio.timeout(WAIT_S):
            if not closes:
                process.stdin.close()
            assert "Traceback" not in (await process.stderr.read()).decode()
            assert await process.wait() == 0
        assert not (home / "run.sock").exists()
        if not closes:
            os.close(ours)


@pytest.mark.slow
@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
async def test_it_ends_in_peace_when_it_is_told_to(tmp_path: Path, name: signal.Signals) -> None:
    home = tmp_path / "home"
    pipes = await Pipes.start(home)
    pipes.process.send_signal(name)
    async with asyncio.timeout(WAIT_S):
        assert await pipes.process.wait() == 0
    assert not (home / "run.sock").exists()
