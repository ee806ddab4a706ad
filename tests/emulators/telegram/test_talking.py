"""People write, press and edit; the bot reads, answers and edits. Everything said is read by both libraries."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import telegram
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity, ReplyParameters

from tests.emulators.telegram.conftest import heard
from tests.emulators.telegram.people import Group, HiddenName, Person
from tests.emulators.telegram.server import TelegramServer

if TYPE_CHECKING:
    import aiogram

pytestmark = pytest.mark.net


async def test_both_libraries_ask_who_they_are(bot: telegram.Bot, other: aiogram.Bot) -> None:
    assert (await bot.get_me()).username == "keepbot"
    assert (await other.get_me()).can_read_all_group_messages is False


async def test_a_private_message_is_heard_and_answered(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    said = lin.writes("😀 /find@keepbot milk for @noor")
    (update,) = await heard(bot)
    message = update.message
    assert message is not None
    assert message.text == said.text
    assert message.chat.type == "private"
    assert message.from_user is not None
    assert (message.from_user.id, message.from_user.language_code) == (5001, "zh-hans")
    assert list(message.parse_entities().values()) == ["/find@keepbot", "@noor"]
    assert message.entities[0].offset == 3, "an emoji is two UTF-16 units"
    answer = await bot.send_message(5001, " **bold** \n", entities=[MessageEntity("bold", 1, 8)])
    assert (answer.text, answer.entities[0].offset) == ("**bold**", 0), "trimmed, its entities moved along"
    assert [m.text for m in server.sent(lin)] == ["**bold**"]
    assert [event.method for event in server.events][-1] == "sendMessage"
    assert server.events[-1].params["entities"][0]["type"] == "bold"


async def test_aiogram_talks_to_it_too(server: TelegramServer, other: aiogram.Bot, lin: Person) -> None:
    lin.writes("hello")
    (update,) = await other.get_updates(timeout=0)
    assert update.message is not None
    assert update.message.text == "hello"
    sent = await other.send_message(5001, "hi")
    await other.edit_message_text("ho", chat_id=5001, message_id=sent.message_id)
    assert [(m.text, m.versions) for m in server.sent(lin)] == [("ho", ["hi"])]


async def test_a_reply_carries_what_it_answers(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    first = lin.writes("the number is 42")
    sent = await bot.send_message(5001, "noted", reply_parameters=ReplyParameters(first.message_id))
    assert sent.reply_to_message is not None
    assert sent.reply_to_message.text == "the number is 42"
    lin.writes("undo that", reply_to=server.sent(lin)[0])
    update = (await heard(bot))[-1]
    assert update.message is not None
    assert update.message.reply_to_message is not None
    assert update.message.reply_to_message.text == "noted"
    assert update.message.reply_to_message.reply_to_message is None


async def test_an_edit_is_told_even_when_nothing_changed(bot: telegram.Bot, lin: Person) -> None:
    said = lin.writes("dentist Tue 9:00")
    lin.edits(said, "dentist Tue 10:00")
    lin.edits(said, "dentist Tue 10:00")
    _, first, second = await heard(bot)
    assert first.edited_message is not None
    assert second.edited_message is not None
    assert first.edited_message.message_id == said.message_id
    assert second.edited_message.text == "dentist Tue 10:00"


async def test_a_press_is_answered_and_the_message_changed(
    server: TelegramServer, bot: telegram.Bot, lin: Person
) -> None:
    lin.writes("hello")
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Undo", callback_data="u:1")]])
    sent = await bot.send_message(5001, "remembered", reply_markup=keyboard)
    (shown,) = server.sent(lin)
    assert shown.buttons == [[("Undo", "u:1")]]
    press = lin.presses(shown, "Undo")
    assert server.toast(press) is None
    query = (await heard(bot))[-1].callback_query
    assert query is not None
    assert (query.id, query.data, query.from_user.id) == (press, "u:1", 5001)
    await bot.answer_callback_query(query.id, "gone")
    assert server.toast(press) == "gone"
    await bot.edit_message_text("undone", 5001, sent.message_id)
    assert (shown.text, shown.buttons, shown.edited) == ("undone", [], True)
    with pytest.raises(AssertionError):
        lin.presses(shown, "Undo")
    lin.presses_data(shown, "u:1")
    assert (await heard(bot))[-1].callback_query is not None


async def test_a_press_under_a_deleted_message_names_a_message_out_of_reach(
    server: TelegramServer, bot: telegram.Bot, lin: Person
) -> None:
    lin.writes("hello")
    sent = await bot.send_message(5001, "here")
    await bot.delete_message(5001, sent.message_id)
    lin.presses_data(server.sent(lin)[0], "old")
    query = (await heard(bot))[-1].callback_query
    assert query is not None
    assert query.message is not None
    assert not query.message.is_accessible


async def test_the_bot_reacts(server: TelegramServer, bot: telegram.Bot, noor: Person, team: Group) -> None:
    said = noor.writes("/remember milk", to=team)
    await bot.set_message_reaction(team.id, said.message_id, "👍")
    assert said.reactions == ["👍"]
    await bot.set_message_reaction(team.id, said.message_id, [])
    assert said.reactions == []


async def test_a_menu_is_kept_by_scope_and_language(server: TelegramServer, bot: telegram.Bot) -> None:
    scope = telegram.BotCommandScopeAllGroupChats()
    await bot.set_my_commands([("find", "找")], scope=scope, language_code="zh")
    assert server.profile.menus["all_group_chats", "zh"][0]["description"] == "找"
    assert (await bot.get_my_commands(scope, "zh"))[0].command == "find"
    await bot.delete_my_commands(scope, "zh")
    assert list(await bot.get_my_commands(scope, "zh")) == []


async def test_who_is_who_in_a_group(bot: telegram.Bot, other: aiogram.Bot, lin: Person, team: Group) -> None:
    assert (await bot.get_chat_member(team.id, lin.id)).status == "creator"
    assert (await bot.get_chat_member(team.id, 5002)).status == "member"
    assert (await other.get_chat_member(team.id, 100000001)).status == "member"
    lin.promotes(None, team)
    assert {member.user.id for member in await bot.get_chat_administrators(team.id)} == {5001, 100000001}
    assert (await bot.get_chat(team.id)).title == "Team"


async def test_forwards_say_where_they_come_from(bot: telegram.Bot, lin: Person, noor: Person) -> None:
    lin.writes("a", forward_from="Rust Weekly")
    lin.writes("b", forward_from=noor)
    lin.writes("c", forward_from=HiddenName("Ann"))
    origins = [update.message.forward_origin for update in await heard(bot) if update.message]
    assert [origin.type for origin in origins if origin] == ["channel", "user", "hidden_user"]
    assert isinstance(origins[0], telegram.MessageOriginChannel)
    assert origins[0].chat.title == "Rust Weekly"


async def test_an_album_is_several_messages(bot: telegram.Bot, lin: Person) -> None:
    lin.writes("trip", media_group="g1")
    lin.writes("", media_group="g1")
    first, second = [update.message for update in await heard(bot)]
    assert first is not None
    assert second is not None
    assert (first.caption, first.media_group_id, first.text) == ("trip", "g1", None)
    assert (second.caption, second.media_group_id) == (None, "g1")


async def test_waiting_in_the_loop_of_the_bot(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    lin.writes("hello")
    sending = asyncio.create_task(bot.send_message(5001, "hi"))
    assert await server.until(lambda: server.sent(lin))
    await sending
    with pytest.raises(AssertionError, match="not so within"):
        await server.until(lambda: False, seconds=0.01)
    with pytest.raises(AssertionError, match="not so within"):
        server.wait(lambda: False, seconds=0.01)
