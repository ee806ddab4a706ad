"""Words with a picture: one request, the same picture when it is sent again, and the words alone where it cannot go."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator

import pytest

from bot import heat_map
from bot.event import Delivery, pack_delivery, unpack_delivery
from bot.message import Button, Line, Picture, Reply, Shape
from bot.platforms.telegram.edge import TelegramPlatform
from bot.platforms.telegram.splitting import parts
from bot.ports import OutcomeUnknown
from tests.emulators.telegram.people import Person
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock, FakeEntropy

pytestmark = pytest.mark.net

YEAR = Picture("2024-05-27", tuple(n % 5 for n in range(371)), "en")


@pytest.fixture
def server() -> Iterator[TelegramServer]:
    with TelegramServer(FakeClock()) as server:
        yield server


@pytest.fixture
async def edge(server: TelegramServer) -> AsyncIterator[TelegramPlatform]:
    made = TelegramPlatform(server.token, server.base_url, FakeClock(), FakeEntropy(), poll_s=1)
    await made.start()
    yield made
    await made.close()


@pytest.fixture
def lin(server: TelegramServer) -> Person:
    lin = server.person(5001, "Lin")
    assert lin.chat
    return lin


def stats(*lines: str, shape: Shape = Shape.MESSAGE, picture: Picture | None = YEAR) -> Reply:
    return Reply(tuple(map(Line, lines)), (Button("Start", "tok"),), shape, picture=picture)


def calls(server: TelegramServer) -> list[str]:
    return [event.method for event in server.events if event.method.startswith(("send", "edit"))]


async def test_a_picture_goes_out_with_its_words_and_buttons_in_one_request(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    reply = Reply((Line("312 answers, D-2024-05-27-01"), Line("my words", stored=True)), picture=YEAR)
    number = await edge.send("5001", Delivery(reply))
    (sent,) = server.sent(lin)
    assert str(sent.message_id) == number
    assert (sent.text, sent.caption) == ("312 answers, D-2024-05-27-01\nmy words", True)
    assert [one["type"] for one in sent.entities] == ["code", "blockquote"]
    assert calls(server) == ["sendPhoto"]
    file_id = sent.extra["photo"][0]["file_id"]
    assert server.world.files[file_id][1] == heat_map.draw(YEAR)


async def test_what_comes_back_from_the_outbox_is_the_same_picture(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    delivery = Delivery(stats("a year"))
    for one in (delivery, unpack_delivery(pack_delivery(delivery))):
        await edge.send("5001", one)
    first, second = (server.world.files[sent.extra["photo"][0]["file_id"]][1] for sent in server.sent(lin))
    assert first == second


async def test_words_that_do_not_fit_under_a_picture_stand_alone(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    await edge.send("5001", Delivery(stats("x" * 1024)))
    await edge.send("5001", Delivery(stats("x" * 1025)))
    assert calls(server) == ["sendPhoto", "sendMessage"]
    assert [part.picture for part in parts(stats("x" * 5000))] == [None, None]


async def test_where_no_photo_is_taken_the_words_go_out(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    server.fail("sendPhoto", "no-rights")
    assert await edge.send("5001", Delivery(stats("a year")))
    assert [sent.text for sent in server.sent(lin)] == ["a year"]
    assert calls(server) == ["sendPhoto", "sendMessage"]


async def test_a_photo_whose_end_is_unknown_is_not_sent_in_another_way(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    server.fail("sendPhoto", "lost")
    with pytest.raises(OutcomeUnknown):
        await edge.send("5001", Delivery(stats("a year")))
    assert [sent.text for sent in server.sent(lin)] == ["a year"]


async def test_without_the_extra_the_words_go_out(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    await edge.send("5001", Delivery(stats("a year")))
    assert calls(server) == ["sendMessage"]


async def test_the_answer_to_a_button_under_a_picture_is_a_new_message(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    number = await edge.send("5001", Delivery(stats("a year")))
    await edge.send("5001", Delivery(stats("a card", shape=Shape.EDIT, picture=None), to=number))
    assert [sent.text for sent in server.sent(lin)] == ["a year", "a card"]
