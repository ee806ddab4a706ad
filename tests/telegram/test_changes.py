"""What happens to chats and people in them, as events."""

from __future__ import annotations

from typing import Any

import pytest

from bot.event import Change, ChatChange
from bot.message import Chat, ChatKind
from store.model import NOBODY
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
    change,
    message,
)

KEY = "telegram:100000001:change:900"
GROUP = Chat("telegram", "-4001", ChatKind.GROUP, "Team")


def test_b23_both_service_messages_of_a_migration_say_the_same() -> None:
    told_in_old = change(message=message(None, chat=TEAM, migrate_to_chat_id=-1000000004001))
    told_in_new = change(message=message(None, chat=SUPER, migrate_from_chat_id=-4001))
    assert told_in_old == ChatChange(KEY, GROUP, Change.MOVED, NOW, other="-1000000004001")
    assert told_in_new == told_in_old


def test_a_migration_that_an_anonymous_admin_made_counts() -> None:
    hidden = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
    told = message(None, chat=SUPER, by=hidden, sender_chat=SUPER, migrate_from_chat_id=-4001)
    assert change(message=told) == ChatChange(KEY, GROUP, Change.MOVED, NOW, other="-1000000004001")


def test_a_new_title_is_told() -> None:
    found = change(message=message(None, chat=TEAM, new_chat_title="Ship\u202e it"))
    assert found is not None
    assert (found.change, found.chat.title, found.account) == (Change.TITLED, "Ship it", "telegram:5001")


def test_who_leaves_and_who_is_thrown_out_has_left() -> None:
    for by in (LIN, NOOR, OTHER_BOT):
        found = change(message=message(None, chat=TEAM, by=by, left_chat_member=NOOR))
        assert found == ChatChange(KEY, GROUP, Change.LEFT, NOW, "telegram:5002", "Noor", lang="en")
    gone = change(message=message(None, chat=TEAM, left_chat_member=BOT))
    assert gone is not None
    assert (gone.change, gone.account) == (Change.GONE, "telegram:5001")
    assert change(message=message(None, chat=TEAM, left_chat_member=OTHER_BOT)) is None


def test_everybody_who_comes_in_is_told_under_a_key_of_their_own() -> None:
    found = all_of(message=message(None, chat=TEAM, new_chat_members=[NOOR, OTHER_BOT, BOT]))
    assert [(one.change, one.account) for one in found if isinstance(one, ChatChange)] == [
        (Change.JOINED, "telegram:5002"),
        (Change.ADDED, "telegram:5001"),
    ]
    assert len({one.key for one in found}) == 2
    alone = change(message=message(None, chat=TEAM, new_chat_members=[BOT]))
    assert alone == ChatChange(KEY, GROUP, Change.ADDED, NOW, "telegram:5001", "Lin Q", lang="zh")


def test_a_new_group_with_the_bot_in_it_has_added_it() -> None:
    found = change(message=message(None, chat=TEAM, group_chat_created=True))
    assert found is not None
    assert (found.change, found.account) == (Change.ADDED, "telegram:5001")


def test_other_service_messages_are_nothing_to_us() -> None:
    assert all_of(message=message(None, chat=TEAM, pinned_message=message("x", chat=TEAM))) == ()
    assert all_of(message=message(None, chat=TEAM, delete_chat_photo=True)) == ()
    assert all_of(message=message(None, chat=CHANNEL, new_chat_title="x")) == ()


def member(user: JSON, status: str, **more: Any) -> JSON:
    body: JSON = {"user": user, "status": status}
    if status == "creator":
        body |= {"is_anonymous": False}
    elif status == "kicked":
        body |= {"until_date": 0}
    elif status == "administrator":
        rights = (
            "be_edited manage_chat delete_messages manage_video_chats restrict_members promote_members change_info "
            "invite_users post_stories edit_stories delete_stories"
        )
        body |= {"is_anonymous": False} | {f"can_{right}": True for right in rights.split()}
    elif status == "restricted":
        rights = (
            "edit_tag react_to_messages change_info invite_users pin_messages manage_topics send_messages send_audios send_documents send_photos "
            "send_videos send_video_notes send_voice_notes send_polls send_other_messages add_web_page_previews"
        )
        body |= {"until_date": 0} | {f"can_{right}": False for right in rights.split()}
    return body | more


def told(user: JSON, before: JSON | str, after: JSON | str, *, chat: JSON = TEAM, by: JSON = LIN) -> JSON:
    old = member(user, before) if isinstance(before, str) else before
    new = member(user, after) if isinstance(after, str) else after
    return {"chat": chat, "from": by, "date": DATE, "old_chat_member": old, "new_chat_member": new}


IN = member(NOOR, "restricted", is_member=True)
OUT = member(NOOR, "restricted", is_member=False)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("left", "member", Change.ADDED),
        ("kicked", "administrator", Change.ADDED),
        ("member", "left", Change.GONE),
        ("administrator", "kicked", Change.GONE),
        ("member", "administrator", None),
        ("administrator", "member", None),
        ("left", "kicked", None),
    ],
)
def test_the_bot_comes_and_goes(before: str, after: str, expected: Change | None) -> None:
    found = change(my_chat_member=told(BOT, before, after))
    assert (found.change if found else None) == expected
    if found is not None:
        assert (found.key, found.chat, found.account, found.name) == (KEY, GROUP, "telegram:5001", "Lin Q")


def test_a_person_blocks_the_bot_and_comes_back() -> None:
    blocked = change(my_chat_member=told(BOT, "member", "kicked", chat=PRIVATE))
    back = change(my_chat_member=told(BOT, "kicked", "member", chat=PRIVATE))
    assert blocked is not None
    assert back is not None
    assert (blocked.change, blocked.chat.id, blocked.account) == (Change.BLOCKED, "5001", "telegram:5001")
    assert back.change is Change.UNBLOCKED


def test_a_bot_that_adds_us_is_nobody() -> None:
    found = change(my_chat_member=told(BOT, "left", "member", by=OTHER_BOT))
    assert found is not None
    assert (found.change, found.account) == (Change.ADDED, NOBODY)


def test_a_channel_that_adds_us_is_no_chat() -> None:
    assert change(my_chat_member=told(BOT, "left", "administrator", chat=CHANNEL)) is None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("left", "member", Change.JOINED),
        ("left", IN, Change.JOINED),
        (OUT, "member", Change.JOINED),
        ("member", "left", Change.LEFT),
        ("member", "kicked", Change.LEFT),
        ("administrator", "left", Change.LEFT),
        (IN, OUT, Change.LEFT),
        ("member", "administrator", Change.ADMIN),
        ("left", "creator", Change.ADMIN),
        ("administrator", "member", Change.MEMBER),
        ("creator", IN, Change.MEMBER),
        ("administrator", "creator", None),
        ("member", IN, None),
    ],
)
def test_a_member_changes(before: JSON | str, after: JSON | str, expected: Change | None) -> None:
    found = change(chat_member=told(NOOR, before, after))
    assert (found.change if found else None) == expected
    if found is not None:
        assert (found.key, found.chat, found.account, found.name) == (KEY, GROUP, "telegram:5002", "Noor")


def test_a_bot_is_no_member() -> None:
    assert change(chat_member=told(OTHER_BOT, "left", "member")) is None
    assert change(chat_member=told(NOOR, "left", "member", chat=CHANNEL)) is None
