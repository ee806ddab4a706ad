"""What a bot gets wrong is refused in the words of the real server, and changes nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import aiohttp
import pytest
import telegram
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity, ReplyParameters
from telegram.error import BadRequest, EndPointNotFound

from tests.emulators.telegram import methods
from tests.emulators.telegram.conftest import heard
from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock

pytestmark = pytest.mark.net


async def test_length_is_counted_in_utf16(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    lin.writes("hello")
    await bot.send_message(lin.id, "😀" * 2048)
    await bot.send_message(lin.id, "x" * 4096)
    for text in ("😀" * 2048 + "x", "x" * 4097):
        with pytest.raises(BadRequest, match=r"(?i)message is too long"):
            await bot.send_message(lin.id, text)
    for text in ("", "  \n ", "\u0001"):
        with pytest.raises(BadRequest, match=r"(?i)text is empty"):
            await bot.send_message(lin.id, text)
    assert len(server.sent(lin)) == 2
    server.complaints.clear()  # aiogram wants a text too


@pytest.mark.parametrize(
    ("entities", "words"),
    [
        ([("bold", 0, 1)], "ends in a middle"),
        ([("bold", 1, 1)], "begins in a middle"),
        ([("bold", 0, 7)], "ends after the end"),
        ([("bold", 9, 1)], "begins after the end"),
        ([("bold", -1, 1)], "incorrect offset"),
        ([("glow", 0, 2)], "unsupported type"),
        ([("bold", 0, 4), ("italic", 3, 3)], "overlap"),
        ([("code", 0, 4), ("bold", 2, 1)], "nested"),
        ([("pre", 0, 4), ("code", 2, 1)], "nested"),
        ([("blockquote", 0, 6), ("blockquote", 2, 1)], "nested"),
        ([("text_link", 0, 2)], "url"),
    ],
)
async def test_entities_out_of_place(
    server: TelegramServer, bot: telegram.Bot, lin: Person, entities: list[tuple[str, int, int]], words: str
) -> None:
    lin.writes("hello")
    with pytest.raises(BadRequest, match=f"(?i){words}"):
        await bot.send_message(lin.id, "😀abcd", entities=[MessageEntity(*entity) for entity in entities])
    assert server.sent(lin) == []


async def test_entities_in_place(bot: telegram.Bot, lin: Person) -> None:
    lin.writes("hello")
    entities = [MessageEntity("blockquote", 0, 6), MessageEntity("bold", 0, 4), MessageEntity("italic", 2, 2)]
    sent = await bot.send_message(lin.id, "😀abcd /help", entities=entities)
    assert [entity.type for entity in sent.entities] == ["blockquote", "bold", "italic", "bot_command"]


@pytest.mark.parametrize(
    ("button", "words"),
    [
        (InlineKeyboardButton("Undo", callback_data="x" * 65), "button_data_invalid"),
        (InlineKeyboardButton("Undo", callback_data="撤" * 22), "button_data_invalid"),
        (InlineKeyboardButton(" ", callback_data="x"), "non-empty"),
        (InlineKeyboardButton("Site", url="nowhere"), "button_url_invalid"),
        (InlineKeyboardButton("Nothing"), "unallowed"),
    ],
)
async def test_buttons(bot: telegram.Bot, lin: Person, button: InlineKeyboardButton, words: str) -> None:
    lin.writes("hello")
    fine = InlineKeyboardButton("Undo", callback_data="撤" * 21)
    await bot.send_message(lin.id, "x", reply_markup=InlineKeyboardMarkup([[fine]]))
    with pytest.raises(BadRequest, match=f"(?i){words}"):
        await bot.send_message(lin.id, "x", reply_markup=InlineKeyboardMarkup([[fine, button]]))


async def test_edits_that_cannot_be(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    said = lin.writes("hello")
    sent = await bot.send_message(lin.id, "hi")
    calls: list[tuple[str, Callable[[], Awaitable[Any]]]] = [
        ("not modified", lambda: bot.edit_message_text("hi ", lin.id, sent.message_id)),
        ("not modified", lambda: bot.edit_message_reply_markup(lin.id, sent.message_id)),
        ("edit not found", lambda: bot.edit_message_text("ho", lin.id, 9999)),
        ("can't be edited", lambda: bot.edit_message_text("ho", lin.id, said.message_id)),
        ("too long", lambda: bot.edit_message_text("x" * 4097, lin.id, sent.message_id)),
        ("delete not found", lambda: bot.delete_message(lin.id, 9999)),
        ("react not found", lambda: bot.set_message_reaction(lin.id, 9999, "👍")),
        ("reaction_invalid", lambda: bot.set_message_reaction(lin.id, said.message_id, "🧀")),
        ("replied not found", lambda: bot.send_message(lin.id, "x", reply_parameters=ReplyParameters(9999))),
        ("chat not found", lambda: bot.send_message(4242, "x")),
        ("chat not found", lambda: bot.send_chat_action(-1, "typing")),
    ]
    for words, call in calls:
        with pytest.raises(BadRequest, match=f"(?i){words}"):
            await call()
    assert [(message.text, message.edited) for message in server.sent(lin)] == [("hi", False)]
    assert server.events[-1].refused == "Bad Request: chat not found"
    await bot.send_message(lin.id, "x", reply_parameters=ReplyParameters(9999, allow_sending_without_reply=True))
    await bot.delete_message(lin.id, sent.message_id)
    with pytest.raises(BadRequest, match=r"(?i)edit not found"):
        await bot.edit_message_text("ho", lin.id, sent.message_id)


async def test_what_others_wrote_in_a_group_stays(bot: telegram.Bot, lin: Person, noor: Person, team: Group) -> None:
    said = noor.writes("hello", to=team)
    with pytest.raises(BadRequest, match=r"(?i)can't be deleted"):
        await bot.delete_message(team.id, said.message_id)
    lin.promotes(None, team)
    await bot.delete_message(team.id, said.message_id)
    assert said.deleted


async def test_a_press_can_be_answered_for_a_quarter_of_an_hour(
    server: TelegramServer, bot: telegram.Bot, lin: Person, clock: FakeClock
) -> None:
    lin.writes("hello")
    await bot.send_message(lin.id, "hi")
    press = lin.presses_data(server.sent(lin)[0], "x")
    clock.advance(timedelta(minutes=15))
    await bot.answer_callback_query(press)
    await bot.answer_callback_query(press, "twice", show_alert=True)
    assert server.press(press).answers == [("", False), ("twice", True)]
    clock.advance(timedelta(seconds=1))
    for wrong in (press, "77"):
        with pytest.raises(BadRequest, match=r"(?i)query is too old"):
            await bot.answer_callback_query(wrong)


async def test_files_go_both_ways(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    lin.sends_file("notes.txt", "笔记".encode(), "my notes")
    message = (await heard(bot))[-1].message
    assert message is not None
    assert message.document is not None
    assert message.caption == "my notes"
    file = await bot.get_file(message.document.file_id)
    assert await file.download_as_bytearray() == "笔记".encode()
    sent = await bot.send_document(lin.id, b"a,b\n", filename="export.csv", caption="here")
    assert sent.document is not None
    assert (sent.document.file_name, sent.document.file_size, sent.caption) == ("export.csv", 4, "here")
    again = await bot.send_document(lin.id, sent.document.file_id)
    assert again.document is not None
    for words, call in (
        ("caption is too long", lambda: bot.send_document(lin.id, b"x", caption="x" * 1025)),
        ("must be non-empty", lambda: bot.send_document(lin.id, b"")),
        ("wrong file_id", lambda: bot.send_document(lin.id, "unknown")),
        ("wrong file_id", lambda: bot.get_file("unknown")),
    ):
        with pytest.raises(BadRequest, match=f"(?i){words}"):
            await call()


async def test_a_photo_goes_out_with_its_words(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    assert lin.chat
    png = methods.PNG + b"\0\0\0\rIHDR" + (200).to_bytes(4, "big") + (100).to_bytes(4, "big") + b"\x08\x02\0\0\0"
    sent = await bot.send_photo(lin.id, png, caption="a year")
    assert (sent.photo[0].width, sent.photo[0].height, sent.caption) == (200, 100, "a year")
    long = png.replace((100).to_bytes(4, "big"), (5).to_bytes(4, "big"))
    for words, content, caption in (
        ("caption is too long", png, "x" * 1025),
        ("image_process_failed", b"GIF89a" + bytes(40), ""),
        ("photo_invalid_dimensions", long, ""),
    ):
        with pytest.raises(BadRequest, match=f"(?i){words}"):
            await bot.send_photo(lin.id, content, caption=caption)
    with pytest.raises(BadRequest, match=r"(?i)no text in the message"):
        await bot.edit_message_text("other", lin.id, sent.message_id)


async def test_what_the_bot_says_of_itself(server: TelegramServer, bot: telegram.Bot) -> None:
    await bot.set_my_description("I remember.", "en")
    await bot.set_my_short_description("Memory")
    await bot.set_chat_menu_button(menu_button=telegram.MenuButtonCommands())
    assert (await bot.get_my_description("en")).description == "I remember."
    assert (await bot.get_my_short_description("zh")).short_description == "Memory"
    assert (await bot.get_chat_menu_button()).type == "commands"
    assert server.profile.words["description", "en"] == "I remember."
    with pytest.raises(BadRequest, match=r"(?i)too long"):
        await bot.set_my_short_description("x" * 121)
    with pytest.raises(BadRequest, match=r"(?i)bot_command_invalid"):
        await bot.set_my_commands([("Find", "x")])


async def test_an_unknown_method_is_not_found(bot: telegram.Bot) -> None:
    with pytest.raises(EndPointNotFound):
        await bot.do_api_request("sendDream")


@pytest.mark.parametrize(
    ("method", "values", "complaint"),
    [
        ("sendMessage", {"chat_id": 5001, "text": "x", "colour": "red"}, "unknown colour"),
        ("sendMessage", {"chat_id": 5001}, "text"),
        ("sendMessage", {"chat_id": 5001, "text": "x", "reply_parameters": {"message": 1}}, "reply_parameters"),
        ("sendMessage", {"chat_id": 5001, "text": "x", "entities": [{"type": "bold"}]}, "entities"),
        ("getUpdates", {"limit": "many"}, "limit"),
    ],
)
async def test_a_call_that_the_api_does_not_know_is_complained_about(
    server: TelegramServer, lin: Person, method: str, values: dict[str, Any], complaint: str
) -> None:
    lin.writes("hello")
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.base_url}/bot{server.token}/{method}", json=values) as answer,
    ):
        assert answer.status == 400
        assert complaint in (await answer.json())["description"]
    assert server.sent(lin) == []
    assert any(complaint in line for line in server.complaints)
    server.complaints.clear()


def test_a_complaint_fails_the_test_at_the_end() -> None:
    with pytest.raises(AssertionError, match="unknown colour"), TelegramServer() as server:
        server.complaints.append("sendMessage: unknown colour")
