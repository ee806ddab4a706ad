"""Whether a message in a group is meant for the bot, and its words without the bot's name.

Meant for it: a command to it or to nobody by name, its name anywhere, a reply to what it wrote. A command to another
bot never is, whatever else the message holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import telegram

from bot.phrases.slash import WORD
from bot.platforms.telegram.people import Me
from bot.platforms.telegram.utf16 import place

_HAN_COMMAND = re.compile(r"[/\uff0f][\u3400-\u9fff]")
"""Chinese sets no space, so the word may have no end: it is a command by its slash."""
_BETWEEN = re.compile(r"[\s,:\uff0c\uff1a\u3001]*")
"""What may stand between the bot's name and what it is told."""


@dataclass(frozen=True, slots=True)
class Heard:
    addressed: bool
    text: str


def heard(text: str, entities: Sequence[telegram.MessageEntity], me: Me, *, replied: bool) -> Heard:
    """`replied`: the message answers one of the bot's. `text` holds no lone surrogate."""
    body = text.lstrip()
    command = WORD.match(body)
    to = command[2] if command is not None else None
    if to is not None and to.casefold() != me.username.casefold():
        return Heard(False, text)
    named = [span for entity in entities if (span := _named(text, entity, me)) is not None]
    is_command = command is not None or _HAN_COMMAND.match(body) is not None
    plain = _without(text, named)
    if command is not None and to is not None:  # menus of a group write the name behind each command
        plain = plain.replace(f"@{to}", "", 1)
    return Heard(is_command or bool(named) or replied, plain)


def _named(text: str, entity: telegram.MessageEntity, me: Me) -> tuple[int, int] | None:
    """Where `entity` names the bot. Places are counted in UTF-16 units: an emoji before the name is two."""
    start, stop = place(text, entity.offset), place(text, entity.offset + entity.length)
    if entity.type == telegram.MessageEntity.MENTION:
        ours = me.username and text[start:stop].casefold() == f"@{me.username}".casefold()
    elif entity.type == telegram.MessageEntity.TEXT_MENTION:
        ours = entity.user is not None and entity.user.id == me.id
    else:
        ours = False
    return (start, stop) if ours else None


def _without(text: str, named: list[tuple[int, int]]) -> str:
    """A name at either end is how the bot is called; one in the middle is part of the sentence."""
    first, last = 0, len(text)
    for start, stop in sorted(named):
        if start >= first and _BETWEEN.fullmatch(text, first, start):
            first = stop
    for start, stop in sorted(named, reverse=True):
        if start >= first and not text[stop:last].strip():
            last = start
    if first == 0 and last == len(text):
        return text
    between = _BETWEEN.match(text, first, last) if first else None
    return text[between.end() if between else first : last].rstrip()
