"""What a tool takes: one description that is both the JSON Schema shown to agents and the check of what they send.

Nothing is guessed and nothing ignored: an argument that is not described, of another type or too long is refused, so
that a `user_id` meant for somebody else's memory never passes for a question to this one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final
from urllib.parse import unquote

from bot.words import Words
from store.errors import BadCommand

Json = dict[str, Any]

TEXT_CHARACTERS_MAX: Final = 8000
NAMED_MAX: Final = 20
"""Items of a list, and pairs of `about`."""
ITEM_CHARACTERS_MAX: Final = 200
PATH_CHARACTERS_MAX: Final = 300
_DECODED_MAX = 4
"""More layers of percent signs than this are no path that anybody typed."""


class FieldType(StrEnum):
    TEXT = "text"
    WHOLE = "whole"
    CHOICE = "choice"
    DAY = "day"
    LIST = "list"
    PAIRS = "pairs"
    PATH = "path"
    OPERATIONS = "operations"


@dataclass(frozen=True, slots=True)
class Field:
    """`about`: the locale id of its description. `most`: characters of a text, or the greatest number."""

    name: str
    type: FieldType
    about: str
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int = 1
    most: int = TEXT_CHARACTERS_MAX
    fields: tuple[Field, ...] = ()
    """Of each item of `operations`."""


def text(name: str, about: str, *, required: bool = False, most: int = TEXT_CHARACTERS_MAX) -> Field:
    return Field(name, FieldType.TEXT, about, required=required, most=most)


def whole(name: str, about: str, least: int, most: int) -> Field:
    return Field(name, FieldType.WHOLE, about, least=least, most=most)


def choice(name: str, about: str, choices: Sequence[str], *, required: bool = False) -> Field:
    return Field(name, FieldType.CHOICE, about, required=required, choices=tuple(choices))


def schema(fields: Sequence[Field], words: Words) -> Json:
    """As JSON Schema 2020-12."""
    return {
        "type": "object",
        "properties": {one.name: _of_field(one, words) for one in fields},
        "required": [one.name for one in fields if one.required],
        "additionalProperties": False,
    }


def _of_field(one: Field, words: Words) -> Json:
    return {**_type_of(one, words), "description": words(one.about)}


def _type_of(one: Field, words: Words) -> Json:
    match one.type:
        case FieldType.TEXT:
            return {"type": "string", "maxLength": one.most}
        case FieldType.PATH:
            return {"type": "string", "maxLength": PATH_CHARACTERS_MAX}
        case FieldType.DAY:
            return {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
        case FieldType.WHOLE:
            return {"type": "integer", "minimum": one.least, "maximum": one.most}
        case FieldType.CHOICE:
            return {"type": "string", "enum": list(one.choices)}
        case FieldType.LIST:
            item = {"type": "string", "maxLength": ITEM_CHARACTERS_MAX}
            return {"type": "array", "items": item, "maxItems": NAMED_MAX}
        case FieldType.PAIRS:
            value = {"type": "string", "maxLength": ITEM_CHARACTERS_MAX}
            return {"type": "object", "additionalProperties": value, "maxProperties": NAMED_MAX}
        case FieldType.OPERATIONS:
            return {"type": "array", "items": schema(one.fields, words), "minItems": 1, "maxItems": NAMED_MAX}


def checked(fields: Sequence[Field], given: Mapping[str, Any]) -> Json:
    """The arguments, each as its field says; those that were not given, or are null, are left out. Raises BadCommand."""
    known = {one.name: one for one in fields}
    for name in given:
        if name not in known:
            raise BadCommand("error-argument-unknown", name=str(name)[:40])
    found = {name: _CHECKS[known[name].type](known[name], value) for name, value in given.items() if value is not None}
    for one in fields:
        if one.required and (one.name not in found or found[one.name] == ""):
            raise BadCommand("error-argument-missing", name=one.name)
    return found


def path_of(given: str) -> str:
    """A path inside a memory's tree, with `/` between its parts. The only reader of paths that any tool has.

    Refused: what leads out (`..`, an absolute path, a drive, a home), a backslash, a NUL, and any of them in disguise.
    """
    plain = given
    for _ in range(_DECODED_MAX):
        if (again := unquote(plain)) == plain:
            break
        plain = again
    else:
        raise BadCommand("error-argument-path")
    bad = re.search(r"[\\\x00-\x1f\x7f]|^[A-Za-z]:|^~|^/", plain)
    parts = plain.split("/")
    if bad or len(given) > PATH_CHARACTERS_MAX or any(part.strip(" .") == "" for part in parts):
        raise BadCommand("error-argument-path")
    return plain


def _string(one: Field, value: Any, most: int) -> str:
    if not isinstance(value, str):
        raise BadCommand("error-argument-type", name=one.name, type="string")
    if "\x00" in value or any("\ud800" <= sign <= "\udfff" for sign in value):
        raise BadCommand("error-argument-signs", name=one.name)
    if len(value) > most:
        raise BadCommand("error-argument-long", name=one.name, most=most)
    return value


def _text(one: Field, value: Any) -> str:
    return _string(one, value, one.most).strip()


def _path(one: Field, value: Any) -> str:
    return path_of(_string(one, value, PATH_CHARACTERS_MAX + 1))


def _day(one: Field, value: Any) -> str:
    found = _string(one, value, 10)
    try:
        if len(found) != 10:
            raise ValueError(found)
        return date.fromisoformat(found).isoformat()
    except ValueError:
        raise BadCommand("error-argument-day", name=one.name) from None


def _whole(one: Field, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadCommand("error-argument-type", name=one.name, type="integer")
    if not one.least <= value <= one.most:
        raise BadCommand("error-argument-range", name=one.name, least=one.least, most=one.most)
    return value


def _choice(one: Field, value: Any) -> str:
    if not isinstance(value, str) or value not in one.choices:
        raise BadCommand("error-argument-choice", name=one.name, choices=", ".join(one.choices))
    return value


def _list(one: Field, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise BadCommand("error-argument-type", name=one.name, type="array")
    if len(value) > NAMED_MAX:
        raise BadCommand("error-argument-many", name=one.name, most=NAMED_MAX)
    items = [_string(one, item, ITEM_CHARACTERS_MAX).strip() for item in value]
    return tuple(dict.fromkeys(item for item in items if item))


def _pairs(one: Field, value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping):
        raise BadCommand("error-argument-type", name=one.name, type="object")
    if len(value) > NAMED_MAX:
        raise BadCommand("error-argument-many", name=one.name, most=NAMED_MAX)
    pairs = [
        (_string(one, key, ITEM_CHARACTERS_MAX), _string(one, held, ITEM_CHARACTERS_MAX)) for key, held in value.items()
    ]
    return tuple((key.strip(), held.strip()) for key, held in pairs if key.strip() and held.strip())


def _operations(one: Field, value: Any) -> tuple[Json, ...]:
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise BadCommand("error-argument-type", name=one.name, type="array")
    if not 1 <= len(value) <= NAMED_MAX:
        raise BadCommand("error-argument-many", name=one.name, most=NAMED_MAX)
    return tuple(checked(one.fields, item) for item in value)


_CHECKS: Mapping[FieldType, Callable[[Field, Any], Any]] = {
    FieldType.TEXT: _text,
    FieldType.WHOLE: _whole,
    FieldType.CHOICE: _choice,
    FieldType.DAY: _day,
    FieldType.LIST: _list,
    FieldType.PAIRS: _pairs,
    FieldType.PATH: _path,
    FieldType.OPERATIONS: _operations,
}


def texts_of(fields: Sequence[Field], given: Mapping[str, Any]) -> list[str]:
    """What was given as somebody would read it, for what a secret could stand in: each text, each pair with its name,
    and all of them in a row, since a name may stand in one field and its value in the next."""
    found: list[str] = []
    for one in fields:
        value = given.get(one.name)
        match one.type:
            case FieldType.TEXT | FieldType.PATH | FieldType.DAY | FieldType.CHOICE if value:
                found.append(value)
            case FieldType.LIST if value:
                found += value
            case FieldType.PAIRS if value:
                found += [text for name, held in value for text in (name, held, f"{name}: {held}")]
            case FieldType.OPERATIONS if value:
                found += [text for item in value for text in texts_of(one.fields, item)]
            case _:
                pass
    return [*found, " ".join(found)]
