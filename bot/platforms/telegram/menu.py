"""The commands that Telegram offers while somebody types `/`: by kind of chat, and in both languages.

Only what does something by now; a test holds the names against the grammar. Descriptions come out of the locales.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from telegram import Bot, BotCommand, BotCommandScope, BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats

from bot.words import words

PRIVATE = (
    "help remember recall decisions memory tasks todo remind today add vocab stats new checkpoints undo profile rules track "
    "settings privacy status"
).split()
GROUP = "help remember recall decisions memory tasks todo remind new undo rules settings privacy status".split()

Describe = Callable[[str, str], str]
"""(language, command) → its description."""


@dataclass(frozen=True, slots=True)
class Menu:
    """`lang` is "" for everybody whose app speaks neither of ours."""

    scope: BotCommandScope
    lang: str
    commands: tuple[BotCommand, ...]


def describe(lang: str, command: str) -> str:
    return words(lang)(f"menu-{command}")


def menus(describe: Describe = describe) -> Iterator[Menu]:
    places: Sequence[tuple[BotCommandScope, list[str]]] = (
        (BotCommandScopeAllPrivateChats(), PRIVATE),
        (BotCommandScopeAllGroupChats(), GROUP),
    )
    for scope, names in places:
        for lang in ("", "zh"):
            commands = tuple(BotCommand(name, describe(lang or "en", name)) for name in names)
            yield Menu(scope, lang, commands)


async def show(bot: Bot, describe: Describe = describe) -> int:
    """Sends the menus that are not there yet; how many. Raises what the server refuses."""
    sent = 0
    for menu in menus(describe):
        lang = menu.lang or None
        if tuple(await bot.get_my_commands(menu.scope, lang)) != menu.commands:
            await bot.set_my_commands(menu.commands, menu.scope, lang)
            sent += 1
    return sent
