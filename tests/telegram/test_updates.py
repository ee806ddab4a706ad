"""Messages and presses, as events."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.message import Chat, ChatKind, Quoted
from tests.telegram.given import (
    BOT,
    CHANNEL,
    DATE,
    JSON,
    LIN,
    NOOR,
    NOW,
    OTHER_BOT,
    PRIVATE,
    SUPER,
    TEAM,
    all_of,
    entity,
    inbound,
    message,
    only_inbound,
    press,
)


def at_bot(text: str, **more: Any) -> JSON:
    """In the group, with the mention marked where it stands."""
    return message(text, chat=TEAM, entities=[entity("mention", text, "@keepbot")], **more)


def test_a_private_message_is_all_there() -> None:
    found = inbound("remember the blue door")
    assert found is not None
    assert found.key == "telegram:100000001:5001:7"
    assert found.chat == Chat("telegram", "5001", ChatKind.PRIVATE)
    assert (found.account, found.name, found.lang) == ("telegram:5001", "Lin Q", "zh")
    assert (found.text, found.at, found.addressed) == ("remember the blue door", NOW, True)
    assert (found.message, found.topic, found.edits, found.forwarded, found.reply_to) == ("7", "", "", "", None)
    assert (found.damaged, found.masked, found.press) == (False, False, None)


@pytest.mark.parametrize(
    ("code", "lang"), [("zh-hans", "zh"), ("zh", "zh"), ("ZH-TW", "zh"), ("en", "en"), ("pt-br", "en"), ("zha", "en")]
)
def test_the_language_is_that_of_the_app(code: str, lang: str) -> None:
    found = inbound("hi", by={**LIN, "language_code": code})
    assert found is not None
    assert found.lang == lang


def test_an_app_that_does_not_say_its_language_has_none() -> None:
    found = inbound("hi", by={name: value for name, value in LIN.items() if name != "language_code"})
    assert found is not None
    assert found.lang == ""


# Who writes


def test_b9_an_account_is_a_number_and_never_a_name() -> None:
    found = inbound("hi", by={"id": 777, "is_bot": False, "first_name": "5001|5002", "username": "5001"})
    assert found is not None
    assert found.account == "telegram:777"
    assert inbound("hi", by={**LIN, "id": "5001"}) is None, "a number that comes as text is none"
    assert inbound("hi", by={**LIN, "id": "5001|5002"}) is None


@pytest.mark.parametrize(
    "by",
    [
        OTHER_BOT,
        {"id": 777000, "is_bot": False, "first_name": "Telegram"},
        {"id": 136817688, "is_bot": True, "first_name": "Channel"},
        {"id": 1087968824, "is_bot": True, "first_name": "Group"},
        None,
    ],
    ids=["bot", "telegram", "channel", "anonymous", "nobody"],
)
def test_b11_b30_bots_and_telegrams_own_accounts_are_not_heard(by: JSON | None) -> None:
    assert only_inbound(message=at_bot("@keepbot what did we decide?", by=by)) is None
    assert only_inbound(message=message("hi", by=by)) is None
    assert only_inbound(message=message("/new", chat=TEAM, by=by)) is None


def test_b11_an_anonymous_admin_is_the_group_itself() -> None:
    hidden = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    found = only_inbound(message=at_bot("@keepbot 发布日是哪天", by=hidden, sender_chat=TEAM))
    assert found is not None
    assert (found.account, found.name) == ("telegram:-4001", "Team")
    channel = only_inbound(message=at_bot("@keepbot hi", by=hidden, sender_chat=CHANNEL))
    assert channel is None


def test_b11_what_a_channel_says_is_not_heard() -> None:
    sender = {"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}
    assert only_inbound(message=at_bot("@keepbot hi", by=sender, sender_chat=CHANNEL)) is None
    linked = {"id": 777000, "is_bot": False, "first_name": "Telegram"}
    copied = at_bot("@keepbot hi", by=linked, sender_chat=CHANNEL, is_automatic_forward=True)
    assert only_inbound(message=copied) is None
    assert only_inbound(message=at_bot("@keepbot hi", is_automatic_forward=True)) is None
    assert all_of(channel_post=message("@keepbot hi", chat=CHANNEL, by=None, sender_chat=CHANNEL)) == ()
    assert only_inbound(message=message("hi", chat=CHANNEL)) is None


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [
        ("Lin", "", "Lin"),
        (" \u202eniL\u202c ", "", "niL"),
        ("a\nb\x00", "\u2066c", "a b c"),
        ("</b><i>x", "", "</b><i>x"),
        ("\u200b\u2060", "\u3164", "5001"),
        ("👨\u200d👩\u200d👧", "", "👨\u200d👩\u200d👧"),
        ("\ud83d", "", "5001"),
    ],
)
def test_a_name_is_one_visible_line(first: str, last: str, shown: str) -> None:
    found = inbound("hi", by={"id": 5001, "is_bot": False, "first_name": first, "last_name": last})
    assert found is not None
    assert found.name == shown


# For whom it is


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("@keepbot what did we decide?", "what did we decide?"),
        ("what did we decide @keepbot", "what did we decide"),
        ("@KeepBot: 记住发布分支是 main", "记住发布分支是 main"),
        ("@keepbot， 记住 a", "记住 a"),
        ("@keepbot", ""),
        ("ask @keepbot about it", "ask @keepbot about it"),
        ("is it @keepbot?", "is it @keepbot?"),
        ("@keepbot /new", "/new"),
        ("🎩🎩 @keepbot hi", "🎩🎩 @keepbot hi"),
        ("👨‍👩‍👧‍👦 hi @keepbot", "👨‍👩‍👧‍👦 hi"),
    ],
)
def test_a_mention_addresses_and_is_taken_out_at_the_ends(text: str, left: str) -> None:
    written = text[text.casefold().index("@keepbot") :][:8]
    found = inbound(text, chat=TEAM, entities=[entity("mention", text, written)])
    assert found is not None
    assert (found.text, found.addressed) == (left, True)


def test_a_name_at_both_ends_is_taken_out_twice() -> None:
    text = "@keepbot why @keepbot"
    marks = [entity("mention", text, "@keepbot"), {"type": "mention", "offset": 13, "length": 8}]
    found = inbound(text, chat=TEAM, entities=marks)
    assert found is not None
    assert found.text == "why"


def test_an_emoji_before_the_mention_does_not_move_it() -> None:
    """Counted in characters the mark would cover `eepbot h`, and the bot would be deaf."""
    text = "🎩 @keepbot hi"
    assert entity("mention", text, "@keepbot")["offset"] == 3
    assert inbound(text, chat=TEAM, entities=[entity("mention", text, "@keepbot")]) is not None


def test_the_name_as_mere_text_or_of_another_does_not_address() -> None:
    assert inbound("@keepbot hi", chat=TEAM) is None, "no mark: it stands in code, or is part of an address"
    text = "@keepbot_2 hi"
    assert inbound(text, chat=TEAM, entities=[entity("mention", text, "@keepbot_2")]) is None
    assert inbound("what shall we eat", chat=TEAM) is None


def test_a_mention_without_a_username_addresses() -> None:
    text = "Keep, hi"
    found = inbound(text, chat=TEAM, entities=[entity("text_mention", text, "Keep", user=BOT)])
    assert found is not None
    assert found.text == "hi"
    assert inbound(text, chat=TEAM, entities=[entity("text_mention", text, "Keep", user=NOOR)]) is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/new", "/new"),
        ("/new@keepbot", "/new"),
        ("/new@KeepBot x", "/new x"),
        ("／new", "／new"),
        ("/记住 发布日是周三", "/记住 发布日是周三"),
        ("／撤销", "／撤销"),
        ("/记住" + "发布日是周三" * 9, "/记住" + "发布日是周三" * 9),
        ("  /help", "  /help"),
    ],
)
def test_a_command_to_us_or_to_nobody_by_name_addresses(text: str, left: str) -> None:
    """Nobody behind this edge knows what the bot is called here, so its name goes."""
    found = inbound(text, chat=TEAM)
    assert found is not None
    assert found.text == left


def test_a_command_by_name_is_one_in_private_too() -> None:
    found = inbound("/new@keepbot")
    assert found is not None
    assert found.text == "/new"


@pytest.mark.parametrize("text", ["/new@chatty_bot", "／new@chatty_bot x", "/etc/hosts is broken", "see /new", "1/2"])
def test_a_command_to_another_bot_and_a_path_do_not_address(text: str) -> None:
    assert inbound(text, chat=TEAM) is None


def test_a_command_to_another_bot_is_not_ours_in_a_reply_either() -> None:
    ours = message("noted", chat=TEAM, by=BOT)
    assert inbound("/new@chatty_bot", chat=TEAM, reply_to_message=ours) is None
    assert inbound("and why?", chat=TEAM, reply_to_message=ours) is not None


# What it answers, whose words it brings, where it stands


def test_a_reply_quotes_what_it_answers() -> None:
    said = {**message("the number is 42", chat=TEAM, by=NOOR), "message_id": 5}
    found = only_inbound(message=at_bot("@keepbot 记住", reply_to_message=said))
    assert found is not None
    assert found.reply_to == Quoted("telegram:100000001:-4001:5", "Noor", "the number is 42")
    assert found.text == "记住"


def test_our_own_words_are_quoted_under_our_name() -> None:
    found = inbound("why?", chat=TEAM, reply_to_message={**message("noted", chat=TEAM, by=BOT), "message_id": 6})
    assert found is not None
    assert found.reply_to == Quoted("telegram:100000001:-4001:6", "Keep", "noted", ours=True)


def test_a_reply_to_a_picture_quotes_its_caption_or_nothing() -> None:
    photo = [{"file_id": "a", "file_unique_id": "b", "width": 9, "height": 9}]
    for caption, quoted in (("the door", True), (None, False)):
        answered = message(None, chat=PRIVATE, photo=photo, **({"caption": caption} if caption else {}))
        found = inbound("what is it", reply_to_message=answered)
        assert found is not None
        assert (found.reply_to is not None) is quoted


def test_the_first_message_of_a_topic_is_not_answered() -> None:
    topic = {"message_thread_id": 3, "is_topic_message": True}
    root = {
        **message(None, chat=SUPER, by=BOT, **topic),
        "message_id": 3,
        "forum_topic_created": {"name": "Plan", "icon_color": 7322096},
    }
    assert inbound("what shall we eat", chat=SUPER, reply_to_message=root, **topic) is None
    bare = {**message("Plan", chat=SUPER, by=BOT), "message_id": 3}
    assert inbound("what shall we eat", chat=SUPER, reply_to_message=bare, **topic) is None
    assert inbound("what shall we eat", chat=SUPER, reply_to_message=root) is None, "nor from outside of it"
    found = inbound("/tasks", chat=SUPER, reply_to_message=root, **topic)
    assert found is not None
    assert (found.topic, found.reply_to) == ("3", None)


def test_a_thread_of_answers_is_no_topic() -> None:
    found = inbound("/tasks", chat=SUPER, message_thread_id=3)
    assert found is not None
    assert found.topic == ""


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        ({"type": "user", "sender_user": NOOR}, "Noor"),
        ({"type": "hidden_user", "sender_user_name": "A\u202eB"}, "A B"),
        ({"type": "chat", "sender_chat": TEAM}, "Team"),
        ({"type": "channel", "chat": CHANNEL, "message_id": 1}, "Rust Weekly"),
        ({"type": "channel", "chat": CHANNEL, "message_id": 1, "author_signature": "ed."}, "Rust Weekly · ed."),
        ({"type": "hidden_user", "sender_user_name": "\u200b"}, "?"),
        ({"type": "of tomorrow"}, "?"),
    ],
)
def test_b14_a_forward_says_whose_words_it_brings(origin: JSON, shown: str) -> None:
    found = inbound("main is frozen", forward_origin={"date": DATE, **origin})
    assert found is not None
    assert found.forwarded == shown


# Without words, damaged, secret


PHOTO: JSON = {"photo": [{"file_id": "a", "file_unique_id": "b", "width": 9, "height": 9}]}
VOICE: JSON = {"voice": {"file_id": "a", "file_unique_id": "b", "duration": 3}}
STICKER: JSON = {
    "sticker": {
        "file_id": "a",
        "file_unique_id": "b",
        "type": "regular",
        "width": 9,
        "height": 9,
        "is_animated": False,
        "is_video": False,
    }
}


def test_a_caption_is_the_text_of_a_picture() -> None:
    text = "@keepbot the door code is on it"
    found = inbound(None, chat=TEAM, caption=text, caption_entities=[entity("mention", text, "@keepbot")], **PHOTO)
    assert found is not None
    assert found.text == "the door code is on it"


def test_what_cannot_be_read_is_told_in_private_only() -> None:
    for sent in (PHOTO, VOICE):
        found = inbound(None, **sent)
        assert found is not None
        assert (found.text, found.addressed) == ("", True)
        assert inbound(None, chat=TEAM, **sent) is None
    assert inbound(None, **STICKER) is None
    assert inbound(None) is None
    assert only_inbound(edited_message=message(None, edit_date=DATE + 9, **PHOTO)) is None


def test_of_an_album_only_the_part_with_words_counts() -> None:
    assert inbound(None, media_group_id="9", **PHOTO) is None
    found = inbound(None, media_group_id="9", caption="the door", **PHOTO)
    assert found is not None
    assert found.text == "the door"


def test_half_a_sign_is_mended_and_said() -> None:
    text = "\ud83d @keepbot a\udc00b"
    mark = {"type": "mention", "offset": 2, "length": 8}
    found = inbound(text, chat=TEAM, entities=[mark])
    assert found is not None
    assert (found.text, found.damaged) == ("\ufffd @keepbot a\ufffdb", True)


def test_a_secret_is_masked_before_anything_else_sees_it() -> None:
    secret = "sk-proj-" + "a1B2c3D4" * 6
    found = inbound(f"remember {secret}", reply_to_message=message("nothing"))
    assert found is not None
    assert (found.text, found.masked) == ("remember ••••••", True)
    quoted = inbound("记住", reply_to_message=message(f"key: {secret}"))
    assert quoted is not None
    assert quoted.reply_to is not None
    assert secret not in quoted.reply_to.text
    assert quoted.masked


def test_a_broken_mark_breaks_nothing() -> None:
    marks = [{"type": "mention", "offset": 4000, "length": 9}, {"type": "mention", "offset": -3, "length": 1}]
    found = inbound("hello", entities=marks)
    assert found is not None
    assert found.text == "hello"


# Edits and presses


def test_b29_an_edit_is_known_as_one() -> None:
    found = only_inbound(edited_message=message("remember: dentist Tue 10:00", edit_date=DATE + 60))
    assert found is not None
    assert found.key == f"telegram:100000001:5001:7:{DATE + 60}"
    assert found.edits == "telegram:100000001:5001:7"
    assert found.at == NOW + timedelta(seconds=60)
    assert found.message == "7"
    overheard = only_inbound(edited_message=message("dinner?", chat=TEAM, edit_date=DATE + 60))
    assert overheard is None


def query(**more: Any) -> JSON:
    under = message("Saved.", by=BOT)
    return {"id": "q1", "from": LIN, "chat_instance": "1", "message": under, "data": "tok-1", **more}


def test_a_press_is_all_there() -> None:
    found = press(callback_query=query())
    assert found is not None
    assert found.key == "telegram:100000001:press:q1"
    assert found.chat == Chat("telegram", "5001", ChatKind.PRIVATE)
    assert (found.account, found.name, found.lang) == ("telegram:5001", "Lin Q", "zh")
    assert (found.at, found.token, found.answer, found.message, found.topic) == (NOW, "tok-1", "q1", "7", "")


def test_a_press_under_a_message_too_old_to_be_shown_still_counts() -> None:
    found = press(callback_query=query(message={"message_id": 7, "date": 0, "chat": TEAM}))
    assert found is not None
    assert (found.chat.id, found.message) == ("-4001", "7")


def test_a_press_in_a_topic_says_so() -> None:
    found = press(callback_query=query(message=message("x", chat=SUPER, message_thread_id=3, is_topic_message=True)))
    assert found is not None
    assert found.topic == "3"


def test_a_press_of_nobody_or_of_nothing_is_none() -> None:
    assert press(callback_query=query(**{"from": OTHER_BOT})) is None
    assert press(callback_query={name: value for name, value in query().items() if name != "data"}) is None
    inline = {name: value for name, value in query().items() if name != "message"}
    assert press(callback_query={**inline, "inline_message_id": "5"}) is None


def test_other_kinds_are_nothing_to_us() -> None:
    assert all_of() == ()
    assert all_of(edited_channel_post=message("x", chat=CHANNEL, by=None, edit_date=DATE)) == ()
