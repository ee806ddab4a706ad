"""The two pages for whatever restarts the program."""

from __future__ import annotations

import asyncio
import json

import pytest

from bot.health import Health, Line

pytestmark = pytest.mark.net


async def get(port: int, request: str) -> tuple[int, dict[str, object]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{request}\r\nHost: x\r\n\r\n".encode())
    async with asyncio.timeout(5):
        answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), json.loads(body) if body else {}


async def test_it_lives_and_is_ready_while_every_line_is() -> None:
    lines = [Line("telegram", "open", True, 3)]
    health = Health(lambda: lines)
    await health.start(0)
    try:
        assert await get(health.port, "GET /livez HTTP/1.1") == (200, {"live": True})
        status, body = await get(health.port, "GET /readyz?x=1 HTTP/1.1")
        assert (status, body) == (
            200,
            {"ready": True, "platforms": {"telegram": {"state": "open", "last_event_s": 3}}},
        )
        lines[:] = [Line("telegram", "conflict", False, None)]
        assert (await get(health.port, "GET /readyz HTTP/1.1"))[0] == 503
        assert (await get(health.port, "HEAD /livez HTTP/1.1")) == (200, {})
        for odd in ("POST /livez HTTP/1.1", "GET / HTTP/1.1", "nonsense"):
            assert (await get(health.port, odd))[0] == 404
    finally:
        await health.close()


async def test_a_request_that_is_too_long_is_dropped() -> None:
    health = Health(list)
    await health.start(0)
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", health.port)
        writer.write(b"GET /livez HTTP/1.1\r\n" + b"x" * 20_000)
        async with asyncio.timeout(5):
            with pytest.raises((ConnectionError, AssertionError)):
                assert await reader.read()
        writer.close()
    finally:
        await health.close()


async def test_a_port_that_is_taken_is_an_error() -> None:
    first, second = Health(list), Health(list)
    await first.start(0)
    try:
        with pytest.raises(OSError, match="address"):
            await second.start(first.port)
    finally:
        await first.close()
