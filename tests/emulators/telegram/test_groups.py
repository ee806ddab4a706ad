"""What a bot hears in groups, and who is there: privacy mode, coming and going, migration, topics, masked senders."""

from __future__ import annotations

import pytest
import telegram
from telegram.error import BadRequest, ChatMigrated, Forbidden

from tests.emulators.telegram.conftest import heard
from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TelegramServer

pytestmark = pytest.mark.net


def texts(updates: list[telegram.Update]) -> list[str]:
    return [u.effective_message.text or "" for u in updates if u.effective_message and u.effective_message.text]


def statuses(updates: list[telegram.Update]) -> list[tuple[str, str]]:
    changes = [update.my_chat_member or update.chat_member for update in updates]
    return [(c.old_chat_member.status, c.new_chat_member.status) for c in changes if c is not None]


def kinds(updates: list[telegram.Update]) -> list[str]:
    return [next(iter(update.to_dict().keys() - {"update_id"})) for update in updates]


async def test_with_privacy_on_a_bot_hears_what_is_meant_for_it(
    server: TelegramServer, bot: telegram.Bot, noor: Person, team: Group
) -> None:
    await heard(bot)
    sent = await bot.send_message(team.id, "hello all")
    for text in (
        "just talk",
        "/find milk",
        "/find@keepbot tea",
        "/find@other_bot no",
        "😀 @KeepBot what?",
        "a@keepbot",
    ):
        noor.writes(text, to=team)
    answer = noor.writes("thanks", to=team, reply_to=server.sent(team)[0])
    assert texts(await heard(bot)) == ["/find milk", "/find@keepbot tea", "😀 @KeepBot what?", "thanks"]
    noor.edits(answer, "thanks!")
    assert texts(await heard(bot)) == ["thanks!"]
    server.privacy(on=True, mentions_heard=False)
    noor.writes("@keepbot what?", to=team)
    assert texts(await heard(bot)) == []
    assert sent.message_id == server.sent(team)[0].message_id


async def test_with_privacy_off_or_as_admin_it_hears_everything(
    server: TelegramServer, bot: telegram.Bot, lin: Person, noor: Person, team: Group
) -> None:
    await heard(bot)
    lin.promotes(None, team)
    noor.writes("one", to=team)
    lin.demotes(None, team)
    noor.writes("two", to=team)
    server.privacy(on=False)
    noor.writes("three", to=team)
    assert (await bot.get_me()).can_read_all_group_messages
    assert texts(await heard(bot)) == ["one", "three"]


async def test_other_bots_are_heard_unless_told_otherwise(
    server: TelegramServer, bot: telegram.Bot, team: Group
) -> None:
    await heard(bot)
    robot = server.person(700, "Echo", username="echo_bot", bot=True)
    robot.writes("/find@keepbot x", to=team)
    server.world.bots_heard = False
    robot.writes("/find@keepbot y", to=team)
    (update,) = await heard(bot)
    assert update.message is not None
    assert update.message.from_user is not None
    assert update.message.from_user.is_bot


async def test_coming_and_going_is_told(bot: telegram.Bot, lin: Person, noor: Person, team: Group) -> None:
    """`chat_member` only when asked for, and only to an admin."""
    lin.promotes(None, team)
    noor.leaves(team)
    lin.demotes(None, team)
    assert "chat_member" not in kinds(await heard(bot, kinds=["message", "my_chat_member", "chat_member"]))
    noor.joins(team)
    noor.leaves(team)
    assert kinds(await heard(bot)) == ["message", "message"]
    lin.promotes(None, team)
    noor.joins(team, by=lin)
    lin.promotes(noor, team)
    lin.removes(noor, team)
    assert statuses(await heard(bot)) == [
        ("member", "administrator"),
        ("left", "member"),
        ("member", "administrator"),
        ("administrator", "kicked"),
    ]
    with pytest.raises(AssertionError, match="not in"):
        noor.writes("still here?", to=team)


async def test_thrown_out_and_let_in_again(bot: telegram.Bot, lin: Person, team: Group) -> None:
    await heard(bot)
    lin.kicks_bot(team)
    lin.writes("/find gone", to=team)
    updates = await heard(bot)
    assert texts(updates) == []
    assert statuses(updates) == [("member", "kicked")]
    with pytest.raises(Forbidden, match="kicked from the group chat"):
        await bot.send_message(team.id, "hello?")
    lin.adds_bot(team)
    assert statuses(await heard(bot)) == [("kicked", "member")]
    await bot.leave_chat(team.id)
    with pytest.raises(Forbidden, match="not a member of the group chat"):
        await bot.send_message(team.id, "hello?")


async def test_blocked_and_unblocked(bot: telegram.Bot, lin: Person, noor: Person) -> None:
    lin.writes("hello")
    lin.blocks()
    with pytest.raises(Forbidden, match="blocked by the user"):
        await bot.send_message(lin.id, "hello?")
    lin.unblocks()
    await bot.send_message(lin.id, "hello again")
    assert statuses(await heard(bot)) == [("member", "kicked"), ("kicked", "member")]
    lin.deactivates()
    with pytest.raises(Forbidden, match="deactivated"):
        await bot.send_message(lin.id, "hello?")
    with pytest.raises(Forbidden, match="can't initiate"):
        await bot.send_message(noor.id, "hello?")


@pytest.mark.parametrize(
    ("order", "twice", "expected"),
    [
        ("both", False, ["to", "from"]),
        ("old-first", True, ["to", "to", "from"]),
        ("new-first", False, ["from", "to"]),
        ("silent", False, []),
    ],
)
async def test_a_group_becomes_a_supergroup(
    server: TelegramServer, bot: telegram.Bot, noor: Person, team: Group, order: str, twice: bool, expected: list[str]
) -> None:
    await heard(bot)
    old = team.id
    new = server.migrate(team, order, twice=twice)
    messages = [update.message for update in await heard(bot) if update.message]
    assert ["to" if message.migrate_to_chat_id else "from" for message in messages] == expected
    with pytest.raises(ChatMigrated) as caught:
        await bot.send_message(old, "hello")
    assert caught.value.new_chat_id == new.id == team.id != old
    await bot.send_message(new.id, "hello")
    noor.writes("/find x", to=team)
    (update,) = await heard(bot)
    assert update.effective_chat is not None
    assert (update.effective_chat.id, update.effective_chat.type) == (new.id, "supergroup")


async def test_topics(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    """What is said in a topic answers the message that opened it; General has no number."""
    forum = server.group("Forum", admin=lin, forum=True)
    ideas = forum.topic("Ideas", by=lin)
    await heard(bot)
    lin.writes("/find x", to=forum, topic=ideas)
    lin.writes("/find y", to=forum)
    inside, general = [update.message for update in await heard(bot)]
    assert inside is not None
    assert general is not None
    assert (inside.message_thread_id, inside.is_topic_message) == (ideas.message_id, True)
    assert inside.reply_to_message is not None
    assert inside.reply_to_message.forum_topic_created is not None
    assert (general.message_thread_id, general.is_topic_message, general.reply_to_message) == (None, None, None)
    sent = await bot.send_message(forum.id, "found", message_thread_id=ideas.message_id)
    assert sent.message_thread_id == ideas.message_id
    for number in (1, 99):
        with pytest.raises(BadRequest, match="thread not found"):
            await bot.send_message(forum.id, "found", message_thread_id=number)
    forum.closes_topic(ideas)
    with pytest.raises(BadRequest, match="thread not found"):
        await bot.send_message(forum.id, "found", message_thread_id=ideas.message_id)


async def test_masked_senders(server: TelegramServer, bot: telegram.Bot, lin: Person, noor: Person) -> None:
    club = server.group("Club", admin=lin, members=[noor], supergroup=True)
    news = server.channel("News", username="news_channel", linked=club)
    server.privacy(on=False)
    await heard(bot)
    lin.writes("as admin", to=club, anonymous=True)
    noor.writes("as channel", to=club, as_channel=news)
    news.posts("headline")
    found = [update.message for update in await heard(bot) if update.message]
    assert [m.from_user.id for m in found if m.from_user] == [1087968824, 136817688, 777000]
    assert [m.sender_chat.id for m in found if m.sender_chat] == [club.id, news.id, news.id]
    assert found[2].is_automatic_forward
    with pytest.raises(AssertionError, match="only an admin"):
        noor.writes("no", to=club, anonymous=True)


async def test_reactions_of_people(bot: telegram.Bot, lin: Person, noor: Person, team: Group) -> None:
    await heard(bot, kinds=["message", "message_reaction"])
    said = noor.writes("/find x", to=team)
    lin.reacts(said, "👍")
    lin.promotes(None, team)
    lin.reacts(said, "🔥")
    reactions = [update.message_reaction for update in await heard(bot) if update.message_reaction]
    assert [r.new_reaction for r in reactions] == [(telegram.ReactionTypeEmoji("🔥"),)]
