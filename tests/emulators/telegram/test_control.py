"""The server as another process, scripted over its control address."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import aiohttp
import pytest

from tests.house.files import ROOT

pytestmark = pytest.mark.net

TOKEN = "100000001:TEST-ONLY-not-a-token"


async def test_a_bench_scripts_people_and_counts_what_came() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.emulators.telegram", "--port", "0", cwd=ROOT,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        async with asyncio.timeout(20), aiohttp.ClientSession() as session:
            base = f"http://127.0.0.1:{int(await process.stdout.readline())}"

            async def post(path: str, body: Any, status: int = 200) -> Any:
                async with session.post(f"{base}{path}", json=body) as answer:
                    assert answer.status == status, await answer.text()
                    return await answer.json()

            _, _, group = await post(
                "/control",
                [
                    {"do": "person", "number": 5001, "name": "Lin"},
                    {"do": "person", "number": 5002, "name": "Noor", "lang": "en"},
                    {"do": "group", "title": "Team", "admin": 5001, "members": [5002]},
                ],
            )
            (said,) = await post("/control", [{"do": "writes", "person": 5002, "text": "/find x", "to": group}])
            updates = (await post(f"/bot{TOKEN}/getUpdates", {}))["result"]
            assert updates[-1]["message"]["message_id"] == said
            keyboard = {"inline_keyboard": [[{"text": "More", "callback_data": "m"}]]}
            answer = {"chat_id": group, "text": "found", "reply_markup": keyboard}
            sent = (await post(f"/bot{TOKEN}/sendMessage", answer))["result"]
            await post(f"/bot{TOKEN}/getUpdates", {"offset": updates[-1]["update_id"] + 1})
            press = {"do": "presses", "person": 5002, "chat": group, "message": sent["message_id"], "label": "More"}
            _, shown, counts, passages, state = await post(
                "/control",
                [press, {"do": "chat", "chat": group, "after": said}]
                + [{"do": name} for name in ("counts", "passages", "state")],
            )
            assert [(message["text"], message["buttons"]) for message in shown] == [("found", [[["More", "m"]]])]
            assert counts[str(group)] == {"people": 2, "bot": 1}
            passage = next(one for one in passages if one["message"] == said)
            assert passage["made"] <= passage["fetched"] <= passage["acknowledged"]
            assert (state["pending"], state["events"], state["complaints"]) == (1, 1, [])
            wrong = await post("/control", [{"do": "writes", "person": 5001, "text": "x", "to": 77}], 400)
            assert "77" in wrong["wrong"]
            process.stdin.close()
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
