"""Scripting the server from another process: POST a list of steps to /control, get a list of what came of each.

A step is an object: `do` names it, the rest are its arguments; people and chats are named by their numbers.
All steps of one request happen without anything in between. A step that cannot happen answers 400 and ends the list.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from aiohttp import web

from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TelegramServer
from tests.emulators.telegram.world import Message

JSON = dict[str, Any]


class Control:
    def __init__(self, server: TelegramServer) -> None:
        self._server = server
        self._people: dict[int, Person] = {}
        self._groups: dict[int, Group] = {}
        self._steps: dict[str, Callable[..., Any]] = {
            "person": self._person,
            "group": self._group,
            "writes": self._writes,
            "edits": self._edits,
            "presses": self._presses,
            "migrate": self._migrate,
            "chat": self._chat,
            "events": self._events,
            "passages": self._passages,
            "state": self._state,
            "counts": server.counts,
            "fail": server.fail,
            "heal": server.heal,
            "offline": server.offline,
            "online": server.online,
            "limits": server.limits,
            "privacy": server.privacy,
            "redeliver": server.redeliver,
            "raw_update": server.raw_update,
            "revoke": server.revoke,
        }
        for verb in ("blocks", "unblocks", "deactivates"):
            self._steps[verb] = lambda person, verb=verb: getattr(self._people[person], verb)()
        for verb in ("joins", "leaves", "adds_bot", "kicks_bot"):
            self._steps[verb] = lambda person, group, verb=verb: getattr(self._people[person], verb)(
                self._groups[group]
            )

    def extend(self, application: web.Application) -> None:
        application.router.add_post("/control", self._request)

    async def _request(self, request: web.Request) -> web.Response:
        try:
            with self._server.world.lock:
                answers = [self._play(step) for step in await request.json()]
        except (AssertionError, KeyError, TypeError, ValueError) as wrong:
            return web.Response(text=json.dumps({"wrong": repr(wrong)}), status=400, content_type="application/json")
        return web.Response(text=json.dumps(answers), content_type="application/json")

    def _play(self, step: JSON) -> Any:
        arguments = dict(step)
        return self._steps[arguments.pop("do")](**arguments)

    # Steps

    def _person(self, number: int, name: str, **more: Any) -> None:
        self._people[number] = self._server.person(number, name, **more)

    def _group(self, title: str, admin: int, members: list[int], **more: Any) -> int:
        people = [self._people[member] for member in members]
        group = self._server.group(title, admin=self._people[admin], members=people, **more)
        self._groups[group.id] = group
        return group.id

    def _writes(self, person: int, text: str, to: int | None = None, reply_to: int | None = None, **more: Any) -> int:
        place = None if to is None else self._groups[to]
        answered = None if reply_to is None else self._message(to or person, reply_to)
        return self._people[person].writes(text, place, reply_to=answered, **more).message_id

    def _edits(self, person: int, chat: int, message: int, text: str) -> None:
        self._people[person].edits(self._message(chat, message), text)

    def _presses(
        self, person: int, chat: int, message: int, *, label: str | None = None, data: str | None = None
    ) -> str:
        found = self._message(chat, message)
        return self._people[person].presses_data(found, data if data is not None else found.data_of(label or ""))

    def _migrate(self, group: int, order: str = "both", twice: bool = False) -> int:
        new = self._server.migrate(self._groups[group], order, twice=twice)
        self._groups[new.id] = new
        return new.id

    def _message(self, chat: int, number: int) -> Message:
        return self._server.world.chats[chat].messages[number]

    # Looking

    def _chat(self, chat: int, after: int = 0) -> list[JSON]:
        """Messages with a number above `after`."""
        return [_shown(message) for message in self._server.chat(chat) if message.message_id > after]

    def _events(self, since: int = 0) -> list[JSON]:
        """Calls of the bot from number `since` on."""
        return [
            {"method": e.method, "params": e.params, "at": e.at.timestamp(), "refused": e.refused}
            for e in self._server.events[since:]
        ]

    def _passages(self) -> list[JSON]:
        """Of every update: its number, chat and message, and when it was made, given out and acknowledged."""
        updates = self._server.world.updates
        found = []
        for update in updates.made:
            bodies = [value for value in update.values() if isinstance(value, dict)]
            body: JSON = bodies[0] if bodies else {}
            message = body.get("message", body)
            place = {"chat": message.get("chat", {}).get("id"), "message": message.get("message_id")}
            number = update["update_id"]
            found.append({"update": number} | place | asdict(updates.passages[number]))
        return found

    def _state(self) -> JSON:
        server = self._server
        return {
            "pending": server.pending,
            "polling": server.polling,
            "polled": server.wire.polled,
            "events": len(server.events),
            "complaints": server.complaints,
        }


def _shown(message: Message) -> JSON:
    return {
        "message": message.message_id,
        "text": message.text,
        "buttons": message.buttons,
        "by_bot": message.by_bot,
        "edited": message.edited,
        "deleted": message.deleted,
        "reactions": message.reactions,
        "reply_to": message.reply_to.message_id if message.reply_to else None,
        "at": message.at.timestamp(),
        "edited_at": message.edited_at.timestamp() if message.edited_at else None,
    }
