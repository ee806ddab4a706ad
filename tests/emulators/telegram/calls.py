"""One call of the bot: its parameters however they were sent, and what a method gets to work on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.emulators.telegram.presses import Presses
from tests.emulators.telegram.refusals import bad, refusal
from tests.emulators.telegram.world import World

JSON = dict[str, Any]


@dataclass(slots=True)
class Call:
    """Values are strings out of a form, or anything out of a JSON body; the getters make no difference."""

    method: str
    values: JSON
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        value = self.values.get(name, default)
        return value if isinstance(value, str) else json.dumps(value)

    def whole(self, name: str, default: int | None = None) -> int | None:
        value = self.values.get(name)
        if value is None or value == "":
            return default
        try:
            return int(value)
        except (TypeError, ValueError):
            raise bad(f'field "{name}" must be a valid Number') from None

    def number(self, name: str) -> int:
        found = self.whole(name)
        if found is None:
            raise bad(f"{name} is empty")
        return found

    def flag(self, name: str) -> bool:
        return self.values.get(name) in (True, "true", "True", "1", 1)

    def structure(self, name: str, default: Any = None) -> Any:
        value = self.values.get(name)
        if value is None or value == "":
            return default
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            raise bad(f"can't parse {name} JSON object") from None

    def records(self, name: str) -> list[Any]:
        found = self.structure(name, [])
        if not isinstance(found, list):
            raise bad(f'field "{name}" must be of type Array')
        return found


@dataclass(frozen=True, slots=True)
class Event:
    """What left the bot: the parameters parsed, and `result` or the words of the refusal."""

    method: str
    params: JSON
    at: datetime
    result: Any = None
    refused: str = ""


@dataclass(slots=True)
class Profile:
    """What the bot says of itself; menus by (scope, language)."""

    menus: dict[tuple[str, str], list[JSON]] = field(default_factory=dict)
    words: dict[tuple[str, str], str] = field(default_factory=dict)
    buttons: dict[int | None, JSON] = field(default_factory=dict)


@dataclass(slots=True)
class Desk:
    world: World
    presses: Presses
    profile: Profile = field(default_factory=Profile)


def parsed(values: JSON) -> JSON:
    """For reading by a test: lists, objects, numbers and flags instead of the strings of a form."""
    found = {}
    for name, value in values.items():
        found[name] = value
        if isinstance(value, str) and name not in ("text", "caption", "callback_query_id"):
            try:
                found[name] = json.loads(value)
            except ValueError:
                continue
    return found


def not_found() -> Exception:
    return refusal("404")
