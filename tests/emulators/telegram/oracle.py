"""Two libraries that know the Bot API judge every word: aiogram reads strictly, python-telegram-bot as the bot does.

Both are slow to import, so this file is imported only where somebody wants to be judged.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from functools import cache
from typing import Any, Union, get_args, get_origin

import aiogram.methods
import aiogram.types
import telegram
from pydantic import BaseModel, TypeAdapter, ValidationError

JSON = dict[str, Any]

_PTB: dict[str, Any] = {
    "getMe": telegram.User,
    "getChat": telegram.ChatFullInfo,
    "getChatMember": telegram.ChatMember,
    "getChatAdministrators": telegram.ChatMember,
    "getFile": telegram.File,
    "getMyCommands": telegram.BotCommand,
    "getMyName": telegram.BotName,
    "getMyDescription": telegram.BotDescription,
    "getMyShortDescription": telegram.BotShortDescription,
    "getChatMenuButton": telegram.MenuButton,
    "getWebhookInfo": telegram.WebhookInfo,
    "sendMessage": telegram.Message,
    "sendDocument": telegram.Message,
    "sendPhoto": telegram.Message,
    "editMessageText": telegram.Message,
    "editMessageReplyMarkup": telegram.Message,
}
"""The rest answers true."""


def _class(method: str) -> Any:
    return getattr(aiogram.methods, method[0].upper() + method[1:], None)


def request_complaints(method: str, values: JSON, files: set[str]) -> list[str]:
    """What is wrong with a call: an unknown parameter, a missing field, a value of the wrong kind."""
    model = _class(method)
    if model is None:
        return [f"{method}: no such method"]
    given: JSON = {}
    for name, value in values.items():
        field = model.model_fields.get(name)
        given[name] = _read(value, field.annotation) if field is not None else value
    for name in files & model.model_fields.keys():
        given[name] = aiogram.types.BufferedInputFile(b"", name)
    try:
        read = model.model_validate(given)
    except ValidationError as wrong:
        return [f"{method}: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in wrong.errors(include_url=False)]
    return [f"{method}: unknown {path}" for path in _extras(read)]


def _read(value: Any, annotation: Any) -> Any:
    """A form holds strings only: what is not meant to be one is JSON."""
    if not isinstance(value, str) or annotation is str or _only_text(annotation):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _only_text(annotation: Any) -> bool:
    if get_origin(annotation) not in (types.UnionType, Union):
        return False
    return str in get_args(annotation) and int not in get_args(annotation)


def _extras(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, BaseModel):
        for name in value.model_extra or {}:
            yield f"{path}.{name}".removeprefix(".")
        for name in type(value).model_fields:
            yield from _extras(getattr(value, name, None), f"{path}.{name}")
    elif isinstance(value, (list, tuple)):
        for index, one in enumerate(value):
            yield from _extras(one, f"{path}[{index}]")


@cache
def _answer_of(method: str) -> TypeAdapter[Any]:
    return TypeAdapter(_class(method).__returning__)


def answer_complaints(method: str, result: Any) -> list[str]:
    """What is wrong with an answer of ours."""
    try:
        read = _answer_of(method).validate_python(result)
    except ValidationError as wrong:
        return [f"{method} answered: {e['loc']}: {e['msg']}" for e in wrong.errors(include_url=False)]
    found = [f"{method} answered: unknown {path}" for path in _extras(read)]
    known = _PTB.get(method)
    try:
        if known is None:
            found += [] if method == "getUpdates" or result is True else [f"{method} answered {result!r}"]
        elif isinstance(result, list):
            known.de_list(result, None)
        else:
            known.de_json(result, None)
    except Exception as wrong:  # whatever it stumbles over is what we want to know
        found.append(f"{method} answered: python-telegram-bot: {wrong!r}")
    return found


def update_complaints(update: JSON) -> list[str]:
    """What is wrong with an update of ours."""
    kind = ", ".join(update.keys() - {"update_id"})
    try:
        read = aiogram.types.Update.model_validate(update)
    except ValidationError as wrong:
        return [f"update {kind}: {e['loc']}: {e['msg']}" for e in wrong.errors(include_url=False)]
    found = [f"update {kind}: unknown {path}" for path in _extras(read)]
    try:
        seen = telegram.Update.de_json(update, None)
    except Exception as wrong:  # see above
        return [*found, f"update {kind}: python-telegram-bot: {wrong!r}"]
    if seen.api_kwargs or getattr(seen, kind, None) is None:
        found.append(f"update {kind}: python-telegram-bot does not know it")
    return found
