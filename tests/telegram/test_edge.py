"""A bot on the emulated Bot API: what it sends, what it hears, and how it takes what goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from bot.event import Change, ChatChange, Delivery, Event, Press
from bot.message import Button, Inbound, Line, Reply, Shape
from bot.platforms.telegram.edge import TelegramPlatform
from bot.platforms.telegram.limits import Limits
from bot.platforms.telegram.menu import GROUP, PRIVATE
from bot.ports import (
    BadToken,
    ChatMoved,
    Listening,
    NoConnection,
    NotDelivered,
    OutcomeUnknown,
    Platform,
    StandBy,
    Standing,
    TryLater,
    Undeliverable,
    Unreachable,
)
from store.model import AccountID, Role
from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock, FakeEntropy

pytestmark = pytest.mark.net

PATIENCE_S = 10


class Slept:
    """Time passes at once, on a monotonic clock of its own."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.naps: list[float] = []
        self.meanwhile: list[Any] = []

    async def sleep(self, seconds: float) -> None:
        self.naps.append(round(seconds, 3))
        self.now += seconds
        if self.meanwhile:
            self.meanwhile.pop(0)()
        await asyncio.sleep(0)

    def monotonic(self) -> float:
        return self.now


class Heard:
    """What a platform brings; `broken` until the disk works again."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.broken = False

    async def __call__(self, events: Sequence[Event]) -> None:
        if self.broken:
            raise OSError("the disk is full")
        self.events += events

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Inbound)]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def server(clock: FakeClock) -> Iterator[TelegramServer]:
    with TelegramServer(clock) as server:
        yield server


@pytest.fixture
def time() -> Slept:
    return Slept()


@pytest.fixture
async def edge(server: TelegramServer, clock: FakeClock, time: Slept) -> AsyncIterator[TelegramPlatform]:
    made = edge_of(server, clock, time)
    yield made
    await made.close()


def edge_of(server: TelegramServer, clock: FakeClock, time: Slept, **more: Any) -> TelegramPlatform:
    named: dict[str, Any] = {"poll_s": 1, "sleep": time.sleep, "monotonic": time.monotonic, "describe": described}
    return TelegramPlatform(server.token, server.base_url, clock, FakeEntropy(), **named | more)


def described(lang: str, command: str) -> str:
    return f"{command} in {lang}"


@pytest.fixture
def lin(server: TelegramServer) -> Person:
    lin = server.person(5001, "Lin", username="lin_q", lang="zh-hans")
    assert lin.chat
    return lin


@pytest.fixture
def noor(server: TelegramServer) -> Person:
    return server.person(5002, "Noor", lang="en")


@pytest.fixture
def team(server: TelegramServer, lin: Person, noor: Person) -> Group:
    return server.group("Team", admin=lin, members=[noor])


@asynccontextmanager
async def listening(edge: Platform, heard: Heard) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(edge.listen(heard))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def say(*lines: str, shape: Shape = Shape.MESSAGE, buttons: tuple[Button, ...] = (), **more: Any) -> Delivery:
    return Delivery(Reply(tuple(map(Line, lines)), buttons, shape), **more)


def methods(server: TelegramServer) -> list[str]:
    return [event.method for event in server.events]


def failing(edge: TelegramPlatform, delivery: Delivery, failure: type[NotDelivered], chat: str = "5001") -> Any:
    async def run() -> Any:
        with pytest.raises(failure) as found:
            await edge.send(chat, delivery)
        assert type(found.value) is failure or failure in (Undeliverable, NotDelivered)
        assert found.value.__cause__ is None
        assert found.value.__context__ is None or not type(found.value.__context__).__module__.startswith("telegram")
        return found.value

    return run()


# Beginning


async def test_a_start_learns_who_the_bot_is_and_shows_the_menus(
    server: TelegramServer, edge: TelegramPlatform
) -> None:
    assert (edge.name, edge.bot, edge.listening, edge.last_event_at) == ("telegram", "", Listening.STARTING, None)
    assert edge.link("x") == ""
    await edge.start()
    assert (edge.bot, edge.title) == ("100000001", "@keepbot")
    assert edge.link("abc-1") == "https://t.me/keepbot?start=abc-1"
    sent = [event.params for event in server.events if event.method == "setMyCommands"]
    assert [(one["scope"]["type"], one.get("language_code", "")) for one in sent] == [
        ("all_private_chats", ""),
        ("all_private_chats", "zh"),
        ("all_group_chats", ""),
        ("all_group_chats", "zh"),
    ]
    assert [one["command"] for one in sent[0]["commands"]] == PRIVATE
    assert [one["command"] for one in sent[3]["commands"]] == GROUP
    assert {one["description"] for one in sent[1]["commands"]} == {f"{name} in zh" for name in PRIVATE}
    assert sent[0]["commands"][0]["description"] == "help in en"


async def test_menus_that_are_there_already_are_not_sent_again(
    server: TelegramServer, edge: TelegramPlatform, clock: FakeClock, time: Slept
) -> None:
    await edge.start()
    again = edge_of(server, clock, time)
    await again.start()
    await again.close()
    assert methods(server).count("setMyCommands") == 4


async def test_a_menu_that_is_refused_stops_nothing(server: TelegramServer, edge: TelegramPlatform) -> None:
    server.fail("setMyCommands", 429)
    await edge.start()
    assert edge.bot


async def test_a_token_that_is_not_accepted_is_said(server: TelegramServer, edge: TelegramPlatform) -> None:
    server.fail("getMe", 401)
    with pytest.raises(BadToken):
        await edge.start()
    assert edge.listening is Listening.REFUSED


@pytest.mark.parametrize("token", ["", "  ", "abc", "1:", "1:a b", "1:a\nb", "١:abc"])
def test_what_cannot_be_a_token_is_not_even_tried(token: str, clock: FakeClock) -> None:
    with pytest.raises(BadToken):
        TelegramPlatform(token, "http://127.0.0.1:9", clock, FakeEntropy())


async def test_a_start_waits_for_a_server_that_is_away(
    server: TelegramServer, edge: TelegramPlatform, time: Slept
) -> None:
    states: list[Listening] = []
    server.offline()
    time.meanwhile = [lambda: states.append(edge.listening)] * 6 + [server.online]
    await edge.start()
    assert time.naps == [1, 2, 4, 8, 16, 30, 30]
    assert set(states) == {Listening.OFFLINE}
    assert edge.bot


async def test_a_webhook_is_taken_away_and_nothing_that_waits_is_lost(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    server.world.updates.webhook = "https://example.org/hook"
    lin.writes("hello")
    await edge.start()
    (call,) = [event for event in server.events if event.method == "deleteWebhook"]
    assert "drop_pending_updates" not in call.params
    heard = Heard()
    async with listening(edge, heard):
        await server.until(lambda: heard.texts == ["hello"], PATIENCE_S)


# Hearing


async def test_what_people_do_is_heard_in_order(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, noor: Person, team: Group, clock: FakeClock
) -> None:
    await edge.start()
    heard = Heard()
    async with listening(edge, heard):
        said = lin.writes("remember the blue door")
        noor.writes("@keepbot why", team)
        noor.writes("dinner?", team)
        clock.advance(timedelta(seconds=5))
        lin.edits(said, "remember the red door")
        await server.until(lambda: len(heard.texts) == 3 and server.pending == 0, PATIENCE_S)
        assert edge.listening is Listening.OPEN
        assert edge.last_event_at == clock.now()
    assert heard.texts == ["remember the blue door", "why", "remember the red door"]
    first = next(event for event in heard.events if isinstance(event, Inbound))
    last = heard.events[-1]
    assert isinstance(last, Inbound)
    assert (last.edits, last.at) == (first.key, clock.now())
    added = [event for event in heard.events if isinstance(event, ChatChange)]
    assert {event.change for event in added} == {Change.ADDED}


async def test_a_member_change_is_asked_for_and_heard(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, noor: Person, team: Group
) -> None:
    await edge.start()
    heard = Heard()
    async with listening(edge, heard):
        await server.until(lambda: server.polling, PATIENCE_S)
        lin.promotes(None, team)
        lin.promotes(noor, team)
        noor.leaves(team)
        await server.until(lambda: len(heard.events) >= 5, PATIENCE_S)
    changes = [(event.change, event.account) for event in heard.events if isinstance(event, ChatChange)]
    assert (Change.ADMIN, "telegram:5002") in changes
    assert changes.count((Change.LEFT, "telegram:5002")) == 2


@pytest.mark.parametrize("order", ["old-first", "new-first"])
async def test_b23_a_migration_has_one_effect_in_any_order(
    server: TelegramServer, edge: TelegramPlatform, team: Group, order: str
) -> None:
    await edge.start()
    heard = Heard()
    server.migrate(team, order, twice=True)
    async with listening(edge, heard):
        await server.until(lambda: sum(moved(event) for event in heard.events) >= 3, PATIENCE_S)
    effects = {(event.chat.id, event.other) for event in heard.events if isinstance(event, ChatChange) and moved(event)}
    assert effects == {("-4001", "-1000000004001")}


def moved(event: Event) -> bool:
    return isinstance(event, ChatChange) and event.change is Change.MOVED


async def test_an_update_is_given_up_only_when_it_is_kept(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    await edge.start()
    heard = Heard()
    heard.broken = True
    lin.writes("hello")
    with pytest.raises(OSError, match="full"):
        async with asyncio.timeout(PATIENCE_S):
            await edge.listen(heard)
    assert server.pending == 1
    heard.broken = False
    async with listening(edge, heard):
        await server.until(lambda: heard.texts == ["hello"] and server.pending == 0, PATIENCE_S)


async def test_one_malformed_update_stops_none_of_the_others(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, caplog: pytest.LogCaptureFixture
) -> None:
    await edge.start()
    lin.writes("before")
    server.raw_update({"message": {"chat": "the whole diary"}})
    server.raw_update({"message": {"message_id": 3, "date": "soon", "chat": {"id": 5001, "type": "private"}}})
    server.raw_update({"callback_query": {"id": "1"}})
    server.raw_update({"message": []})
    server.raw_update({"from_tomorrow": {"x": 1}})
    lin.writes("after")
    heard = Heard()
    async with listening(edge, heard):
        await server.until(lambda: heard.texts == ["before", "after"] and server.pending == 0, PATIENCE_S)
    assert edge.unreadable >= 3
    assert "diary" not in caplog.text
    assert caplog.text.count("an update could not be read") == edge.unreadable


async def test_a_line_that_breaks_is_tried_again_ever_more_slowly(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, time: Slept
) -> None:
    await edge.start()
    states: list[Listening] = []
    server.fail("getUpdates", "502", times=3)
    server.fail("getUpdates", 429, retry_after=7)
    time.meanwhile = [lambda: states.append(edge.listening)] * 4
    heard = Heard()
    async with listening(edge, heard):
        lin.writes("hello")
        await server.until(lambda: heard.texts == ["hello"], PATIENCE_S)
        assert edge.listening is Listening.OPEN
        assert time.naps == [1, 2, 4, 7]
        server.fail("getUpdates", "502")
        lin.writes("again")
        await server.until(lambda: len(time.naps) == 5, PATIENCE_S)
    assert time.naps[-1] == 1, "a line that was good again is tried again soon"
    assert states == [Listening.OFFLINE] * 4


async def test_an_open_line_is_known_before_anybody_writes(
    server: TelegramServer, clock: FakeClock, time: Slept
) -> None:
    edge = edge_of(server, clock, time, poll_s=30)
    await edge.start()
    async with listening(edge, Heard()):
        await server.until(lambda: edge.listening is Listening.OPEN and server.polling, PATIENCE_S)
    await edge.close()


async def test_a_token_that_is_revoked_ends_the_listening(server: TelegramServer, edge: TelegramPlatform) -> None:
    await edge.start()
    server.revoke()
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(BadToken):
            await edge.listen(Heard())
    assert edge.listening is Listening.REFUSED


async def test_b31_a_newcomer_gives_way_at_the_second_conflict(
    server: TelegramServer, edge: TelegramPlatform, time: Slept
) -> None:
    await edge.start()
    server.fail("getUpdates", "409", times=9)
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(StandBy):
            await edge.listen(Heard())
    assert edge.listening is Listening.STANDBY_CONFLICT
    assert len(time.naps) == 1
    assert 1 <= time.naps[0] <= 3


async def test_b31_one_that_listens_for_long_gives_way_at_the_fifth(
    server: TelegramServer, edge: TelegramPlatform, time: Slept, lin: Person
) -> None:
    await edge.start()
    heard = Heard()
    task = asyncio.create_task(edge.listen(heard))
    await server.until(lambda: server.polling, PATIENCE_S)
    time.now += 61
    server.fail("getUpdates", "409", times=4)
    lin.writes("hello")
    await server.until(lambda: server.polling and len(time.naps) == 4, PATIENCE_S)
    assert heard.texts == ["hello"]
    assert not task.done(), "four in a row are borne"
    server.fail("getUpdates", "409", times=5)
    lin.writes("again")
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(StandBy):
            await task
    assert heard.texts == ["hello", "again"]
    assert len(time.naps) == 8, "those before it counted for nothing"


# Sending


async def test_a_message_goes_out_with_its_looks_and_buttons(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    await edge.start()
    said = lin.writes("hello")
    reply = Reply((Line("Saved as D-2024-05-27-01:"), Line("🎩 cap", stored=True)), (Button("Undo", "tok"),))
    number = await edge.send("5001", Delivery(reply, to=str(said.message_id)))
    (sent,) = server.sent(lin)
    assert str(sent.message_id) == number
    assert sent.text == "Saved as D-2024-05-27-01:\n🎩 cap"
    assert [(one["type"], one["offset"], one["length"]) for one in sent.entities] == [
        ("code", 9, 15),
        ("blockquote", 26, 6),
    ]
    assert sent.buttons == [[("Undo", "tok")]]
    params = server.events[-1].params
    assert params["reply_parameters"] == {"message_id": said.message_id, "allow_sending_without_reply": True}
    assert params["link_preview_options"] == {"is_disabled": True}
    assert "parse_mode" not in params


async def test_a_link_in_a_note_is_no_entity_of_ours(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    await edge.start()
    await edge.send("5001", say('<a href="http://evil.example">bank</a>'))
    assert server.sent(lin)[0].text == '<a href="http://evil.example">bank</a>'
    assert "entities" not in server.events[-1].params, "what the server marks by itself is its own"


async def test_a_blank_reply_is_not_sent(server: TelegramServer, edge: TelegramPlatform, lin: Person) -> None:
    await edge.start()
    assert await edge.send("5001", say(" ", "")) == ""
    assert server.sent(lin) == []


async def test_a_topic_is_written_to_and_one_that_is_gone_is_not_needed(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    await edge.start()
    forum = server.group("Forum", admin=lin, forum=True)
    topic = forum.topic("Plan", lin)
    chat = str(forum.id)
    await edge.send(chat, say("here", topic=str(topic.message_id)))
    assert server.sent(forum)[-1].thread_id == topic.message_id
    forum.closes_topic(topic)
    await edge.send(chat, say("anywhere", topic=str(topic.message_id)))
    assert (server.sent(forum)[-1].text, server.sent(forum)[-1].thread_id) == ("anywhere", None)
    await edge.send(chat, say("general", topic="1"))
    assert "message_thread_id" not in server.events[-1].params


async def test_b25_entities_that_are_refused_are_left_out_and_counted(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    await edge.start()
    server.fail("sendMessage", "entities")
    await edge.send("5001", say("see D-2024-05-27-01"))
    assert server.sent(lin)[0].text == "see D-2024-05-27-01"
    assert edge.plain_sent == 1


async def test_a_press_becomes_an_event_and_its_answer_an_edit(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    await edge.start()
    number = await edge.send("5001", say("Saved.", buttons=(Button("Undo", "tok"),)))
    heard = Heard()
    async with listening(edge, heard):
        query = lin.presses(server.sent(lin)[0], "Undo")
        await server.until(lambda: heard.events, PATIENCE_S)
    (press,) = heard.events
    assert isinstance(press, Press)
    assert (press.token, press.answer, press.message) == ("tok", query, number)
    edit = say("Undone.", shape=Shape.EDIT, to=press.message, press=press.answer)
    assert await edge.send("5001", edit) == number
    assert (server.sent(lin)[0].text, server.sent(lin)[0].buttons) == ("Undone.", [])
    assert server.toast(query) == ""
    assert await edge.send("5001", say("Undone.", shape=Shape.EDIT, to=number)) == number, "nothing changed: as wished"
    assert len(server.sent(lin)) == 1


@pytest.mark.parametrize("kind", ["edit-not-found", "not-editable"])
async def test_what_can_be_changed_no_more_is_said_anew(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, kind: str
) -> None:
    await edge.start()
    number = await edge.send("5001", say("Saved."))
    server.fail("editMessageText", kind)
    new = await edge.send("5001", say("Undone.", shape=Shape.EDIT, to=number))
    assert new != number
    assert [message.text for message in server.sent(lin)] == ["Saved.", "Undone."]
    assert "reply_parameters" not in server.events[-1].params


async def test_a_toast_answers_the_press(server: TelegramServer, edge: TelegramPlatform, lin: Person) -> None:
    await edge.start()
    await edge.send("5001", say("Saved.", buttons=(Button("Undo", "tok"),)))
    for words, alert in (("Not yours.", False), ("x" * 61, True)):
        query = lin.presses(server.sent(lin)[0], "Undo")
        assert await edge.send("5001", say(words, shape=Shape.TOAST, press=query)) == ""
        assert server.toast(query) == words
        assert bool(server.events[-1].params.get("show_alert")) is alert
    assert len(server.sent(lin)) == 1


async def test_a_toast_that_comes_too_late_is_a_message_in_private_only(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, team: Group
) -> None:
    await edge.start()
    server.fail("answerCallbackQuery", "query-too-old", times=3)
    assert await edge.send("5001", say("Not yours.", shape=Shape.TOAST, press="1", to="5")) != ""
    assert [message.text for message in server.sent(lin)] == ["Not yours."]
    assert await edge.send(str(team.id), say("Not yours.", shape=Shape.TOAST, press="1")) == ""
    assert server.sent(team) == []
    assert await edge.send(str(team.id), say("Done.", press="1")) != "", "the rest of the answer is not held up"


async def test_a_reaction_is_a_thumb_or_else_words(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, team: Group
) -> None:
    await edge.start()
    said = lin.writes("@keepbot 记住 a", team)
    thumb = say("记下了", shape=Shape.REACTION, to=str(said.message_id))
    assert await edge.send(str(team.id), thumb) == ""
    assert said.reactions == ["👍"]
    server.fail("setMessageReaction", "reaction")
    assert await edge.send(str(team.id), thumb) != ""
    assert server.sent(team)[-1].text == "记下了"


async def test_the_bot_leaves_after_its_last_words(server: TelegramServer, edge: TelegramPlatform, team: Group) -> None:
    await edge.start()
    await edge.send(str(team.id), say("Bye.", leave=True))
    assert methods(server)[-2:] == ["sendMessage", "leaveChat"]
    with pytest.raises(Unreachable):
        await edge.send(str(team.id), say("Still here?"))


@pytest.mark.parametrize(
    ("kind", "failure"),
    [
        ("blocked", Unreachable),
        ("deactivated", Unreachable),
        ("kicked", Unreachable),
        ("chat-not-found", Unreachable),
        ("no-rights", Undeliverable),
        ("502", OutcomeUnknown),
        ("500", OutcomeUnknown),
        ("lost", OutcomeUnknown),
        ("drop", OutcomeUnknown),
        ("html", OutcomeUnknown),
    ],
)
async def test_a_failure_says_what_is_known(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, kind: str, failure: type[NotDelivered]
) -> None:
    await edge.start()
    server.fail("sendMessage", kind)
    await failing(edge, say("hello"), failure)


async def test_a_dead_address_is_no_connection(server: TelegramServer, edge: TelegramPlatform) -> None:
    await edge.start()
    server.stop()
    await failing(edge, say("hello"), NoConnection)
    server.start()


async def test_a_change_whose_end_is_unknown_is_the_same_when_it_is_done_again(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    await edge.start()
    number = await edge.send("5001", say("Saved."))
    edit = say("Undone.", shape=Shape.EDIT, to=number)
    server.fail("editMessageText", "lost")
    await failing(edge, edit, OutcomeUnknown)
    assert await edge.send("5001", edit) == number
    assert [message.text for message in server.sent(lin)] == ["Undone."]


async def test_a_press_whose_answer_is_lost_holds_up_no_message(
    server: TelegramServer, edge: TelegramPlatform, lin: Person
) -> None:
    await edge.start()
    await edge.send("5001", say("Saved.", buttons=(Button("Undo", "tok"),)))
    query = lin.presses(server.sent(lin)[0], "Undo")
    server.fail("answerCallbackQuery", "lost", times=2)
    assert await edge.send("5001", say("Undone.", press=query))
    await failing(edge, say("Not yours.", shape=Shape.TOAST, press=query), OutcomeUnknown)
    assert await edge.send("5001", say("Not yours.", shape=Shape.TOAST, press=query)) == ""


async def test_a_chat_that_cannot_be_left_at_once_gets_its_last_words_once(
    server: TelegramServer, edge: TelegramPlatform, team: Group, time: Slept
) -> None:
    await edge.start()
    server.fail("leaveChat", "502", times=2)
    await edge.send(str(team.id), say("Bye.", leave=True))
    assert [message.text for message in server.sent(team)] == ["Bye."]
    assert time.naps == [1, 5]
    assert methods(server)[-1] == "leaveChat"


@pytest.mark.parametrize(
    ("kind", "reason"), [("blocked", "blocked"), ("chat-not-found", "not found"), ("no-rights", "not enough rights")]
)
async def test_a_failure_names_a_reason_of_ours(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, kind: str, reason: str
) -> None:
    await edge.start()
    server.fail("sendMessage", kind)
    assert str(await failing(edge, say("hello"), NotDelivered)) == reason


async def test_too_much_lets_that_chat_rest_and_no_other(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, noor: Person, time: Slept
) -> None:
    await edge.start()
    assert noor.chat
    server.fail("sendMessage", 429, retry_after=7)
    found = await failing(edge, say("hello"), TryLater)
    assert found.seconds == 7
    await edge.send("5002", say("hello"))
    assert time.naps == []
    await edge.send("5001", say("hello"))
    assert time.naps == [7]


async def test_b24_a_group_that_moved_is_told_by_the_send(
    server: TelegramServer, edge: TelegramPlatform, team: Group
) -> None:
    await edge.start()
    server.migrate(team, "silent")
    found = await failing(edge, say("hello"), ChatMoved, "-4001")
    assert found.new == "-1000000004001"


async def test_the_pace_is_kept_before_the_server_complains(
    server: TelegramServer, edge: TelegramPlatform, clock: FakeClock, time: Slept, lin: Person
) -> None:
    slow = edge_of(server, clock, time, limits=Limits(chat_burst=2))
    await slow.start()
    for count in range(4):
        await slow.send("5001", say(str(count)))
    await slow.close()
    assert time.naps == [1, 1]
    assert [message.text for message in server.sent(lin)] == ["0", "1", "2", "3"]


# Asking


async def test_a_standing_is_what_the_server_says(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, noor: Person, team: Group
) -> None:
    await edge.start()
    chat = str(team.id)
    assert await edge.standing(chat, AccountID("telegram:5001")) == Standing(Role.ADMIN, "Lin")
    assert await edge.standing(chat, AccountID("telegram:5002")) == Standing(Role.MEMBER, "Noor")
    noor.leaves(team)
    assert await edge.standing(chat, AccountID("telegram:5002")) is None
    assert await edge.standing(chat, AccountID("telegram:999")) is None, "nobody the server knows"
    for account in ("feishu:5001", "telegram:05001", "telegram:lin_q", "5001", ""):
        assert await edge.standing(chat, AccountID(account)) is None
    hidden = await edge.standing(chat, AccountID(f"telegram:{chat}"))
    assert hidden == Standing(Role.MEMBER, ""), "nobody knows which admin writes as the group"


async def test_a_standing_that_cannot_be_asked_is_not_guessed(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, team: Group
) -> None:
    await edge.start()
    for kind, failure in (("502", NoConnection), ("kicked", Unreachable), ("no-rights", Undeliverable)):
        server.fail("getChatMember", kind)
        with pytest.raises(failure):
            await edge.standing(str(team.id), AccountID("telegram:5001"))


async def test_a_live_report_says_what_the_server_thinks(
    server: TelegramServer, edge: TelegramPlatform, lin: Person, team: Group
) -> None:
    found = await edge.report([str(team.id), "-77"])
    assert (found.name, found.username, found.hears_all, found.webhook) == ("Keep", "keepbot", False, False)
    assert found.chats == ((str(team.id), "member"), ("-77", ""))
    server.privacy(on=False)
    server.world.updates.webhook = "https://example.org/hook"
    found = await edge.report()
    assert (found.hears_all, found.webhook) == (True, True)
    server.revoke()
    with pytest.raises(BadToken):
        await edge.report()
    server.stop()
    with pytest.raises(NoConnection):
        await edge.report()
    server.start()
