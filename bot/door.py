"""What this niannian does for another process: named errands, each with its scope, its arguments and a key.

Whoever holds the home does them (`LocalDoor`); everybody else asks over `<home>/run.sock` (`bot/door_socket.py`). The
same key again gives the same result and takes effect once. `errands` is the one table of names.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from bot.app import App
from bot.message import Chat, ChatKind
from bot.platforms.terminal import Speaker
from bot.zones import zone_named
from store.dictionary import Dictionary
from store.errors import NotFound
from store.grants import GroupClaim, PrivateClaim, grant

if TYPE_CHECKING:
    from bot.agent.tool import Tool
    from bot.exchange import Place

CALL_BYTES_MAX = 256 * 1024
"""Of the arguments of an errand, as JSON."""
ANSWER_BYTES_MAX = 64 * 1024 * 1024
"""Of an answer."""


@dataclass(frozen=True, slots=True)
class DoorScope:
    """Whose memory, as `niannian chat` takes it: the owner's own, `--as` somebody's, `--group` a local group's."""

    as_name: str | None = None
    group: str | None = None


Arguments = Mapping[str, Any]


class Door(Protocol):
    async def call(self, name: str, scope: DoorScope, arguments: Arguments, key: str) -> dict[str, Any]:
        """Does the errand once for each key. Raises Rejected, Unavailable and Damaged, wherever it is done.

        `key`: `<kind>/<id of the program that asks>/<number>`.
        """
        ...


Carry = Callable[["Place", Arguments, str], Awaitable[dict[str, Any]]]
Do = Callable[["LocalDoor", DoorScope, Arguments, str], Awaitable[dict[str, Any]]]


@cache
def errands() -> Mapping[str, Do]:
    """Put together at the first call: a talk in the terminal starts without what only other processes ask for."""
    from bot import exchange, night_report, words_exchange
    from bot.agent.tools import TOOLS

    used: dict[str, Do] = {name: partial(_use, tool) for name, tool in TOOLS.items()}
    files = {
        "import": exchange.bring_in,
        "import-undo": exchange.take_back,
        "export": exchange.take_out,
        "export-watch": exchange.keep_current,
        "tidy": night_report.tell,
        "words-import": words_exchange.bring_in,
        "words-undo": words_exchange.take_back,
        "words-export": words_exchange.take_out,
    }
    return used | {name: partial(_carry, do) for name, do in files.items()}


class LocalDoor:
    """In the process that holds the home. Safe for many tasks of one event loop."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._speakers: dict[DoorScope, Speaker] = {}

    async def call(self, name: str, scope: DoorScope, arguments: Arguments, key: str) -> dict[str, Any]:
        do = errands().get(name)
        if do is None:
            raise NotFound("error-no-such-errand", name=name[:40])
        await self.app.run_due(opened_only=True)
        return await do(self, scope, arguments, key)

    async def claim(self, scope: DoorScope) -> tuple[PrivateClaim | GroupClaim, str]:
        """What `scope` lets in to, and the group's name. Raises NotFound for a memory that is not there: a slip of the
        pen makes none, as it would in a talk. Else as `App.session`."""
        speaker = self._speakers.get(scope)
        if speaker is None:
            self.app.look_up(scope.as_name, scope.group)
            speaker = (await self.app.session(scope.as_name, scope.group)).speaker
            self._speakers[scope] = speaker
        chat = speaker.chat
        return _claim(chat, speaker), chat.title


def _claim(chat: Chat, speaker: Speaker) -> PrivateClaim | GroupClaim:
    if chat.kind is ChatKind.PRIVATE:
        return PrivateClaim(speaker.account)
    return GroupClaim(f"{chat.platform}:{chat.id}", speaker.account)


async def _use(tool: Tool, door: LocalDoor, scope: DoorScope, arguments: Arguments, key: str) -> dict[str, Any]:
    from bot.agent.tool import Caller

    app = door.app
    claim, title = await door.claim(scope)
    granted = grant(claim, app.home.device)
    caller = Caller(
        memory=await app.home.memory(granted),
        granted=granted,
        title=title,
        lang=app.lang,
        zone=app.zone,
        device_id=app.home.device_id,
        now_ms=app.now_ms,
        embedding=app.embedding,
        client=key.rpartition("/")[0],
        key=key,
    )
    return (await caller.call(tool, arguments)).pack()


async def _carry(do: Carry, door: LocalDoor, scope: DoorScope, arguments: Arguments, key: str) -> dict[str, Any]:
    """Files in and out. A person let in by the owner, or a group, has a memory of its own there, too."""
    from bot.exchange import Place

    app = door.app
    claim, _ = await door.claim(scope)
    granted = grant(claim, app.home.device)
    memory = await app.home.memory(granted)
    zone, lang = await memory.read(lambda view: (view.setting("zone"), view.setting("lang")))
    place = Place(
        memory, granted.account, zone_named(zone) or app.zone, lang or app.lang, app.now_ms(),
        lambda: Dictionary.open(app.home.path),
    )  # fmt: skip
    return await do(place, arguments, key)
