"""What is offered behind `/`."""

from __future__ import annotations

import re

import pytest

from bot.intents import Simple, UnknownCommand
from bot.phrases.grammar import parse
from bot.phrases.slash import RULES
from bot.phrases.words import SLASH_NAMES
from bot.platforms.telegram.menu import GROUP, PRIVATE, menus
from bot.words import LANGUAGES, words


def test_only_commands_of_ours_are_offered() -> None:
    assert set(PRIVATE + GROUP) <= set(SLASH_NAMES) & set(RULES)
    assert len(set(PRIVATE)) == len(PRIVATE)
    assert len(set(GROUP)) == len(GROUP)
    assert all(re.fullmatch(r"[a-z0-9_]{1,32}", name) for name in PRIVATE + GROUP)


def test_nothing_is_offered_that_is_not_there_yet() -> None:
    """Of commands without a grammar of their own, these are the ones that `bot.commands.about` answers."""
    answered = "help start whoami id status privacy lang tz settings stop retry".split()
    asked = [parse(f"/{name}").intent for name in PRIVATE + GROUP]
    assert {intent.name for intent in asked if isinstance(intent, Simple)} <= set(answered)
    assert not [intent for intent in asked if isinstance(intent, UnknownCommand)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_command_is_described_in_both_languages(lang: str) -> None:
    for name in set(PRIVATE + GROUP):
        assert 1 <= len(words(lang)(f"menu-{name}")) <= 100


def test_both_kinds_of_chat_have_a_menu_for_everybody_and_one_in_chinese() -> None:
    made = list(menus(lambda lang, command: f"{lang} {command}"))
    assert [(menu.scope.type, menu.lang) for menu in made] == [
        ("all_private_chats", ""),
        ("all_private_chats", "zh"),
        ("all_group_chats", ""),
        ("all_group_chats", "zh"),
    ]
    assert made[0].commands[0].description == "en help"
    assert made[1].commands[0].description == "zh help"
