"""Buttons and codes: a token says nothing, and neither works past its time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from store.device import Device
from store.model import AccountID
from store.requests import UNKEPT_MAX, Request, Requests, SentButton
from store.together import Together
from tests.fakes import FakeClock, FakeEntropy

LIN, NOOR = AccountID("telegram:5001"), AccountID("telegram:5002")
HERE, THERE = "telegram:-5", "telegram:-1005"
MINUTE_MS = 60_000


class Kept(Requests):
    def __init__(self, together: Together, clock: FakeClock, entropy: FakeEntropy, writing: Together) -> None:
        super().__init__(together, clock, entropy)
        self._writing = writing

    async def keep_buttons(self, buttons: Sequence[SentButton]) -> list[str]:
        tokens = self.tokens(len(buttons))
        await self._writing.write(self.keeping(dict(zip(tokens, buttons, strict=True))))
        return tokens


@asynccontextmanager
async def requests(home: Path) -> AsyncIterator[tuple[Kept, FakeClock]]:
    clock = FakeClock()
    device = await Device.open(home, device_id=bytes(range(16)), entropy=FakeEntropy())
    try:
        together = Together(device.database)
        yield Kept(together, clock, FakeEntropy("tokens"), together), clock
    finally:
        await device.close()


def asked(clock: FakeClock, code: str = "ABCD2345", account: AccountID = LIN, kind: str = "let-in") -> Request:
    return Request(code, kind, account, "Lin", HERE, int(clock.now().timestamp() * 1000) + MINUTE_MS)


async def test_a_token_leads_to_its_button_and_tells_nothing(tmp_path: Path) -> None:
    async with requests(tmp_path) as (kept, clock):
        buttons = [SentButton(LIN, HERE, "undo D-2024-05-27-01", ""), SentButton(NOOR, HERE, "undo", THERE)]
        first, second = await kept.keep_buttons(buttons)
        assert first != second
        assert {len(first), len(second)} == {32}  # 64 bytes are what Telegram takes
        assert [await kept.button(token) for token in (first, second)] == buttons
        assert await kept.button("0" * 32) is None
        assert await kept.keep_buttons([]) == []
        clock.advance(timedelta(days=30))
        await kept.tidy()
        assert await kept.button(first) is not None
        clock.advance(timedelta(milliseconds=1))
        await kept.tidy()
        assert await kept.button(first) is None


async def test_the_buttons_of_a_chat_move_with_it(tmp_path: Path) -> None:
    async with requests(tmp_path) as (kept, _):
        one, about, other = await kept.keep_buttons(
            [SentButton(LIN, HERE, "a", ""), SentButton(LIN, "telegram:5001", "b", HERE), SentButton(LIN, "x", "c", "")]
        )
        await kept.moved(HERE, THERE)
        assert await kept.button(one) == SentButton(LIN, THERE, "a", "")
        assert await kept.button(about) == SentButton(LIN, "telegram:5001", "b", THERE)
        assert await kept.button(other) == SentButton(LIN, "x", "c", "")


async def test_somebody_who_asks_twice_has_one_code(tmp_path: Path) -> None:
    async with requests(tmp_path) as (kept, clock):
        first = asked(clock)
        assert await kept.open(first, most=2) == first
        assert await kept.open(replace(first, code="OTHER234"), most=2) == first
        assert await kept.find("OTHER234") is None
        link = replace(first, code="LINK2345", kind="link")
        assert await kept.open(link, most=2) == link


async def test_only_so_many_of_a_kind_are_open(tmp_path: Path) -> None:
    async with requests(tmp_path) as (kept, clock):
        accounts = [AccountID(f"telegram:{number}") for number in range(4)]
        made = [asked(clock, f"CODE{number}", account) for number, account in enumerate(accounts)]
        assert [await kept.open(one, most=2) for one in made] == [made[0], made[1], None, None]
        assert await kept.open(made[0], most=2) == made[0]
        await kept.close("CODE0")
        assert await kept.open(made[2], most=2) == made[2]


async def test_a_code_ends_with_its_time(tmp_path: Path) -> None:
    async with requests(tmp_path) as (kept, clock):
        one = asked(clock)
        await kept.open(one, most=1)
        clock.advance(timedelta(milliseconds=MINUTE_MS - 1))
        assert await kept.find(one.code) == one
        clock.advance(timedelta(milliseconds=1))
        assert await kept.find(one.code) is None
        fresh = asked(clock, "FRESH234", NOOR)
        assert await kept.open(fresh, most=1) == fresh
        clock.advance(timedelta(milliseconds=MINUTE_MS))
        await kept.tidy()
        assert await kept.find(fresh.code) is None


async def test_what_cannot_be_written_works_until_the_program_ends_and_not_without_an_end(tmp_path: Path) -> None:
    async with requests(tmp_path) as (kept, _):
        tokens = kept.tokens(UNKEPT_MAX + 1)
        button = SentButton(LIN, HERE, "retry", "")
        for token in tokens:
            kept.keep_loosely({token: button})
        assert await kept.button(tokens[0]) is None
        assert await kept.button(tokens[1]) == await kept.button(tokens[-1]) == button


async def test_of_two_who_take_a_code_one_gets_it(tmp_path: Path) -> None:
    async with requests(tmp_path) as (kept, clock):
        first = asked(clock, kind="own")
        await kept.open(first, most=2)
        assert await kept.take(first.code, "link") is None
        taken = await asyncio.gather(kept.take(first.code, "own"), kept.take(first.code, "own"))
        assert sorted(taken, key=bool) == [None, first]
