"""Rules about text: UTF-16 lengths, entities, buttons. Offsets and limits count UTF-16 units, as Telegram does.

Stricter than the real server in one place: entities that overlap without one holding the other are refused here and
split there.
"""

from __future__ import annotations

import re
from typing import Any

from tests.emulators.telegram.refusals import bad, refusal

TEXT_UNITS_MAX = 4096
CAPTION_UNITS_MAX = 1024
ENTITIES_MAX = 100
BUTTONS_MAX = 100
DATA_BYTES_MAX = 64

Entity = dict[str, Any]

_STYLES = {"bold", "italic", "underline", "strikethrough", "spoiler"}
_BLOCKS = {"blockquote", "expandable_blockquote"}
_CODE = {"pre", "code"}
_FOUND = {"bot_command", "mention", "url", "email", "hashtag", "cashtag", "phone_number"}
_KNOWN = _STYLES | _BLOCKS | _CODE | _FOUND | {"text_link", "text_mention", "custom_emoji", "date_time"}

_COMMAND = re.compile(r"(?<![\w/@])/[A-Za-z0-9_]{1,64}(@[A-Za-z0-9_]{3,32})?(?![\w/@])", re.ASCII)
_MENTION = re.compile(r"(?<![\w@/])@[A-Za-z][A-Za-z0-9_]{3,31}(?!\w)", re.ASCII)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")

REACTIONS = set(
    "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤️‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 "
    "😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂️ 🤷 🤷‍♀️ 😡".split()
)


def units(text: str) -> int:
    """The length of `text` as Telegram counts it."""
    return len(text) + sum(character > "\uffff" for character in text)


def found_entities(text: str) -> list[Entity]:
    """Commands and mentions, as clients and the server mark them by themselves."""
    commands = list(_COMMAND.finditer(text))
    mentions = [
        match
        for match in _MENTION.finditer(text)
        if not any(command.start() <= match.start() < command.end() for command in commands)
    ]
    entities = [
        {"type": kind, "offset": units(text[: match.start()]), "length": units(match.group())}
        for kind, matches in (("bot_command", commands), ("mention", mentions))
        for match in matches
    ]
    return sorted(entities, key=lambda entity: entity["offset"])


def outgoing_text(text: str, entities: list[Entity], *, units_max: int = TEXT_UNITS_MAX) -> tuple[str, list[Entity]]:
    """What is stored of a text that the bot sends: cleaned and trimmed, its entities checked and moved along.

    Raises Refusal.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise refusal("not-utf8")
    checked = _checked(text, entities[:ENTITIES_MAX])
    clean = _CONTROL.sub(" ", text.replace("\r\n", "\n").replace("\r", ""))
    if units(clean) != units(text):
        # Positions behind a dropped character would have to move; nobody sends those on purpose.
        checked = []
    body = clean.rstrip()
    kept = body.lstrip()
    cut, end = units(body) - units(kept), units(body)
    moved = []
    for entity in checked:
        start = max(entity["offset"], cut)
        stop = min(entity["offset"] + entity["length"], end)
        if stop > start:
            moved.append({**entity, "offset": start - cut, "length": stop - start})
    if units(kept) > units_max:
        raise refusal("too-long" if units_max == TEXT_UNITS_MAX else "caption-too-long")
    for entity in found_entities(kept):
        start, stop = _span(entity)
        if not any(start < other_stop and other_start < stop for other_start, other_stop in map(_span, moved)):
            moved.append(entity)
    return kept, sorted(moved, key=lambda entity: (entity["offset"], -entity["length"]))


def _span(entity: Entity) -> tuple[int, int]:
    return entity["offset"], entity["offset"] + entity["length"]


def _checked(text: str, entities: list[Entity]) -> list[Entity]:
    edges = _edges(text)
    end = units(text)
    for entity in entities:
        if not isinstance(entity, dict) or entity.get("type") not in _KNOWN:
            raise bad("can't parse MessageEntity: unsupported type specified")
        offset, length = entity.get("offset"), entity.get("length")
        if not isinstance(offset, int) or not isinstance(length, int) or offset < 0 or length < 0:
            raise bad("receive an entity with incorrect offset or length")
        if offset > end:
            raise bad(f"entity begins after the end of the text at UTF-16 offset {offset}")
        if offset + length > end:
            raise bad(f"entity beginning at UTF-16 offset {offset} ends after the end of the text")
        if offset not in edges:
            raise bad(f"entity begins in a middle of a UTF-16 symbol at UTF-16 offset {offset}")
        if offset + length not in edges:
            raise bad(f"entity beginning at UTF-16 offset {offset} ends in a middle of a UTF-16 symbol")
        if entity["type"] == "text_link" and not isinstance(entity.get("url"), str):
            raise bad('can\'t parse MessageEntity: Field "url" must be of type String')
        if entity["type"] == "text_mention" and "user" not in entity:
            raise bad("can't parse MessageEntity: Can't find field \"user\"")
    kept = [entity for entity in entities if entity["length"]]
    for index, outer in enumerate(kept):
        for inner in kept[index + 1 :]:
            _check_pair(outer, inner)
    return kept


def _edges(text: str) -> set[int]:
    edges, at = {0}, 0
    for character in text:
        at += 2 if character > "\uffff" else 1
        edges.add(at)
    return edges


def _check_pair(first: Entity, second: Entity) -> None:
    (start, stop), (other_start, other_stop) = _span(first), _span(second)
    if stop <= other_start or other_stop <= start:
        return
    kinds = {first["type"], second["type"]}
    if not (start <= other_start and other_stop <= stop) and not (other_start <= start and stop <= other_stop):
        raise bad(f"can't parse entities: {first['type']} and {second['type']} overlap")
    if kinds & _CODE and not kinds <= _CODE | _BLOCKS:
        raise bad(f"can't parse entities: {first['type']} can't be nested with {second['type']}")
    if kinds <= _CODE or kinds <= _BLOCKS:
        raise bad(f"can't parse entities: {first['type']} can't be nested with {second['type']}")


def check_markup(markup: Any) -> dict[str, Any] | None:
    """An inline keyboard as it is stored, None for none or for another kind of keyboard. Raises Refusal."""
    if markup is None or markup == {}:
        return None
    if not isinstance(markup, dict):
        raise bad("can't parse reply keyboard markup JSON object")
    if "inline_keyboard" not in markup:
        return None
    rows = markup["inline_keyboard"]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad('field "inline_keyboard" must be of type Array')
    for button in (button for row in rows for button in row):
        _check_button(button)
    kept = [row for row in rows if row]
    if sum(map(len, kept)) > BUTTONS_MAX:
        raise bad("reply markup is too long")
    return {"inline_keyboard": kept} if kept else None


def _check_button(button: Any) -> None:
    if not isinstance(button, dict) or not isinstance(button.get("text"), str):
        raise bad("can't parse InlineKeyboardButton: Can't find field \"text\"")
    if not button["text"].strip():
        raise bad("can't parse inline keyboard button: Text buttons must be non-empty")
    if "callback_data" in button:
        data = button["callback_data"]
        if not isinstance(data, str) or not 1 <= len(data.encode()) <= DATA_BYTES_MAX:
            raise refusal("button-data")
    elif "url" in button:
        if not re.match(r"(https?|tg)://\S+$", button["url"]):
            raise bad("BUTTON_URL_INVALID")
    elif not button.keys() & {"web_app", "login_url", "switch_inline_query", "copy_text"}:
        raise bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
