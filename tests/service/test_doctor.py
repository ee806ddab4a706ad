"""What `doctor` says of the chat platforms: from the files, and with `--live` from the platform itself."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from bot import checkup, live
from bot.message import Inbound
from bot.platforms.telegram.edge import TelegramPlatform
from bot.words import words
from store.doctor import Report
from store.examine import Finding
from tests.fakes import FakeEntropy
from tests.service.world import Telegram, telegram

pytestmark = pytest.mark.net


async def findings(world: Telegram, *, ask: bool = False) -> dict[str, dict[str, Any]]:
    async def asked(report: Report) -> list[Finding]:
        edge = TelegramPlatform(world.server.token, world.server.base_url, world.clock, FakeEntropy("doctor"))
        try:
            return await live.ask(edge, report, int(world.clock.now().timestamp() * 1000))
        finally:
            await edge.close()

    out = io.BytesIO()
    await checkup.run(
        world.home, words("en"), rebuild=False, as_json=True, live=asked if ask else None, out=out, mounts=""
    )
    return {finding["code"]: finding for finding in json.loads(out.getvalue())["findings"]}


async def test_what_waits_for_a_person_is_counted(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        whole = world.running.service._reception.receive

        async def breaks(event: object) -> object:
            if isinstance(event, Inbound) and "ostrich" in event.text:
                raise ValueError
            return await whole(event)  # type: ignore[arg-type]

        world.running.service._reception.receive = breaks  # type: ignore[method-assign, assignment]
        await world.says(world.lin, "remember the ostrich")
        world.server.fail("sendMessage", "lost")
        await world.says(world.lin, "remember the heron")
        world.noor.blocks()
        await world.settle()
        found = await findings(world)
        assert found["doctor-parked"]["text"].startswith("1 message could not be dealt with (ValueError)")
        assert found["doctor-uncertain"]["facts"] == {"n": 1}
        assert found["doctor-paused"]["facts"] == {"n": 1}
        assert found["doctor-intact"]["level"] == "ok"
        assert "ostrich" not in json.dumps(found)


async def test_the_platform_is_asked_for_token_privacy_and_groups(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        here = await world.team()
        left = world.server.group("Reading", admin=world.lin, members=[world.noor])
        world.lin.adds_bot(left)
        await world.settle()
        await world.presses(world.lin, "Start", left)
        await world.running.close()
        world.lin.kicks_bot(left)
        found = await findings(world, ask=True)
        assert found["doctor-live-ok"]["facts"] == {"bot": "@keepbot"}
        assert "doctor-live-privacy" in found
        assert found["doctor-live-group-ok"]["facts"] == {"title": here.chat.title}
        assert found["doctor-live-group-gone"]["facts"] == {"title": "Reading"}
        assert found["doctor-live-last"]["facts"] == {"minutes": 0}
        world.server.privacy(on=False)
        assert "doctor-live-hears-all" in await findings(world, ask=True)
        world.server.revoke()
        assert found.keys() & {"doctor-live-token"} == set()
        assert (await findings(world, ask=True))["doctor-live-token"]["level"] == "broken"


async def test_health_says_how_each_line_stands(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        (line,) = world.running._lines()
        assert (line.name, line.state, line.ready) == ("telegram", "open", True)
        await world.says(world.lin, "hello")
        (line,) = world.running._lines()
        assert line.last_event_s == 0
