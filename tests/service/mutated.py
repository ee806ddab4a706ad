"""Real updates of every kind that we listen to, and what is left of them after a few accidents.

The accidents are drawn from a seed: something is missing, of another type, huge, nested, doubled, or strange text.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from tests.emulators.telegram.people import HiddenName
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock

JSON = dict[str, Any]

TEXT_CHARACTERS = 64 * 1024
NESTED = 150
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**30, 1e308, -0.5, "", " ", "0", "null",
    "\x00", "a\x00b", "\ud83d", "\ude00\ud83d", "\ufeff", "\u202e/forget \u202c", "\u200b", "/remember", "@keepbot",
    "记住：", "🧑‍🚀" * 500, "**_`[](x)`_**", "<b>&lt;", "'; DROP TABLE inbox; --", "remember " + "x" * TEXT_CHARACTERS,
    "记" * TEXT_CHARACTERS, "\n" * 4000, "1" * 5000, [], {}, [[]], [{}], {"id": {}}, {"text": []},
)  # fmt: skip


def real_updates() -> list[JSON]:
    """What people do in private and in a group, as an emulated server tells it; nobody listens there."""
    server = TelegramServer(FakeClock(), check_requests=False)
    world = server.world
    world.updates.allow(["message", "edited_message", "callback_query", "my_chat_member", "chat_member"])
    lin = server.person(5001, "Lin", username="lin_q", lang="zh-hans")
    noor = server.person(5002, "Noor", lang="en")
    wei = server.person(5003, "Wei")
    team = server.group("Team", admin=lin, members=[noor])
    forum = server.group("Forum", admin=lin, members=[noor], forum=True)
    channel = server.channel("Rust Weekly", linked=forum)
    said = lin.writes("remember the locker code is heron")
    lin.edits(said, "remember the locker code is newt")
    lin.writes("记住：周三在 @keepbot 家吃饭 https://example.org")
    lin.writes("/remember a plan", reply_to=said)
    noor.writes("@keepbot what is the plan?", team)
    asked = noor.writes("/remember@keepbot the plan is B", team)
    noor.edits(asked, "/remember@keepbot the plan is C")
    lin.writes("/status", forum, topic=forum.topic("Plans", lin))
    for origin in ("Rust Weekly", noor, HiddenName("Somebody"), channel):
        lin.writes("words of another", forward_from=origin)
    lin.writes("a picture", media_group="album-1")
    lin.sends_file("a.txt", b"hello", "what is this")
    lin.writes("/start", team, anonymous=True)
    channel.posts("news")
    answer = world.post(lin.chat, world.bot, text="Saved")
    lin.presses_data(answer, "0" * 32)
    noor.presses_data(world.post(team.chat, world.bot, text="Saved"), "1" * 32)
    lin.writes("why?", reply_to=answer)
    lin.promotes(None, team)
    wei.joins(team, by=lin)
    lin.promotes(noor, team)
    wei.leaves(team)
    lin.demotes(None, team)
    lin.kicks_bot(team)
    lin.adds_bot(team)
    server.migrate(team)
    wei.blocks()
    wei.unblocks()
    return [copy.deepcopy(update) for update in world.updates.made]


def mutated(update: JSON, dice: Random) -> JSON:
    """A copy after one to four accidents; its number stays as it is."""
    broken = copy.deepcopy(update)
    for _ in range(dice.randint(1, 4)):
        dice.choice(_ACCIDENTS)(broken, dice)
    broken["update_id"] = update["update_id"]
    return broken


def _lose(body: JSON, dice: Random) -> None:
    where, key = _place(body, dice)
    del where[key]


def _replace(body: JSON, dice: Random) -> None:
    where, key = _place(body, dice)
    where[key] = copy.deepcopy(dice.choice(ODD))


def _retype(body: JSON, dice: Random) -> None:
    where, key = _place(body, dice)
    value = where[key]
    ways: list[Callable[[Any], Any]] = [str, lambda it: [it], lambda it: {"value": it}, lambda it: len(str(it))]
    where[key] = dice.choice(ways)(value)


def _nest(body: JSON, dice: Random) -> None:
    where, key = _place(body, dice)
    for _ in range(dice.choice((1, 3, NESTED))):
        where[key] = {key if isinstance(key, str) else "message": where[key]}


def _move(body: JSON, dice: Random) -> None:
    """Something stands where something else belongs."""
    (there, its), (where, key) = _place(body, dice), _place(body, dice)
    where[key] = copy.deepcopy(there[its])


def _write(body: JSON, dice: Random) -> None:
    """Strange words in place of the text."""
    message = next((value for value in body.values() if isinstance(value, dict)), body)
    words = [one for one in ODD if isinstance(one, str)]
    message[dice.choice(("text", "caption", "data"))] = dice.choice(("", "remember ", "/find ")) + dice.choice(words)


_ACCIDENTS: tuple[Callable[[JSON, Random], None], ...] = (_lose, _replace, _replace, _retype, _nest, _move, _write)


def _place(body: JSON, dice: Random) -> tuple[Any, Any]:
    """A container and a key in it, at any depth."""
    where: Any = body
    while True:
        keys = list(where) if isinstance(where, dict) else list(range(len(where)))
        if not keys:
            body["nothing"] = None
            return body, "nothing"
        key = dice.choice(keys)
        if not isinstance(where[key], dict | list) or not where[key] or (where is not body and dice.random() < 0.3):
            return where, key
        where = where[key]
