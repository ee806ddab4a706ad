"""A device's process: the real application under a fake clock, driven over a socket with JSON lines.

`python -m tests.golden.child FD` is the fork server: for each socket it is handed it forks a child that serves it.
`_Program` and `listening.py` are the only places of the golden tests that know the application's interface.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import importlib
import io
import json
import logging
import os
import signal
import socket
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fakes import FakeClock, FakeEntropy

if TYPE_CHECKING:
    from store.db import Database

_APPS = {"bot": ("bot.app", "bot.config"), "stub": ("tests.golden.stub", "tests.golden.stub")}
LINE_BYTES_MAX = 1 << 24


class _Program:
    """The application as the golden tests see it."""

    def __init__(self, app: Any, clock: FakeClock, request: dict[str, Any]) -> None:
        self.clock = clock
        self._app = app
        self._environment: dict[str, str] = request["environment"]
        self._entropy = FakeEntropy(request["seed"] + "/sync")
        self._inviting: asyncio.Task[int] | None = None
        self._sessions: dict[tuple[str, str | None], Any] = {}
        self._rings: list[Any] = []

    @classmethod
    async def start(cls, request: dict[str, Any]) -> _Program:
        app_name, config_name = _APPS[request["app"]]
        clock = FakeClock(datetime.fromisoformat(request["now"]))
        home = Path(request["home"])
        config = importlib.import_module(config_name).load(home / "niannian.toml", request["environment"])
        app = await importlib.import_module(app_name).App.start(home, config, clock, FakeEntropy(request["seed"]))
        return cls(app, clock, request)

    async def session(self, person: str, group: str | None) -> Any:
        """Lin is the owner of the home; anybody else comes in by `--as`."""
        if (person, group) not in self._sessions:
            as_name = None if person == "lin" else person.capitalize()
            session = await self._app.session(as_name=as_name, group=group)
            self._sessions[person, group] = session
            if hasattr(self._app, "ringing"):
                self._app.ringing.sit_down(session.speaker.chat, partial(self._show, session))
        return self._sessions[person, group]

    def _show(self, session: Any, reply: Any) -> None:
        session.show(reply)
        self._rings.append(reply)

    async def do(self, request: dict[str, Any]) -> Iterable[Any]:
        """Replies in order; what is not there yet is no reply."""
        match request["do"]:
            case "open":
                await self.session(request["person"], request["group"])
                return ()
            case "say":
                session = await self.session(request["person"], request["group"])
                return await session.say(request["text"]) or ()
            case "press":
                session = await self.session(request["person"], request["group"])
                return await session.press(request["number"]) or ()
            case "press_action":
                session = await self.session(request["person"], request["group"])
                return await session.press_action(request["action"]) or ()
            case "run_due":
                replies = list(await self._app.run_due() or ())
                if hasattr(self._app, "ringing"):
                    await self.session("lin", None)  # the chat is open, whether or not anything was said in it
                    self._rings.clear()
                    await self._app.ringing.tick()
                    replies += self._rings
                return replies
            case "sync":
                await self._own().sync()
                return ()
            case "folder":
                return [_said(await self._device("folder", request["folder"]))]
            case "invite":
                return [_said(await self._device("invite"))]
            case "join":
                return [_said(await self._device("join", request["code"]))]
            case "invited":
                return [_said(await self._device("invited"))]
            case "fault":
                await app_fault(request["name"])
                return ()
            case "close":
                await self._app.close()
                return ()
            case unknown:
                raise AssertionError(f"no such request: {unknown}")

    def _own(self) -> Any:
        from bot.own_device import OwnDevice
        from bot.words import words

        said = self._environment
        return OwnDevice(
            self._app, words(said["NIANNIAN_PERSON_LANG"]), name=said["NIANNIAN_DEVICE_NAME"], zone="Asia/Shanghai",
            clock=self.clock, entropy=self._entropy,
        )  # fmt: skip

    async def _device(self, command: str, argument: str = "") -> str:
        """What a command about devices says with `--yes`; `invite` gives its first words and goes on until `invited`."""
        from bot import inviting, joining, syncing
        from bot.platforms.dialogue import Dialogue

        own, out = self._own(), io.BytesIO()
        talk = Dialogue(prompt="", yes=True, source=io.BytesIO(), out=out, person=False)
        hands: dict[str, Any] = {"pause": asyncio.sleep, "monotonic": time.monotonic}
        match command:
            case "folder":
                await syncing.set_folder(own, talk, Path(argument))
            case "join":
                await joining.join(own, talk, argument, **hands)
            case "invite":
                self._inviting = asyncio.create_task(inviting.pair(own, talk, inviting.Share(), **hands))
                while not out.getvalue() and not self._inviting.done():
                    await asyncio.sleep(0.01)
            case "invited":
                assert self._inviting is not None and await self._inviting == 0
        return out.getvalue().decode()


async def app_fault(name: str) -> None:
    """Fills or frees the disk under every open scope database, through its own connection."""
    await disk_fault(name, [database for database in open_databases() if database.path.name == "memory.db"])


def open_databases() -> list[Database]:
    from store.db import Database

    found = [thing for thing in gc.get_objects() if type(thing) is Database]
    return [database for database in found if database._connection._running]


async def disk_fault(name: str, databases: Iterable[Database]) -> None:
    change: Callable[[sqlite3.Connection], None] = {"disk-full": _fill, "disk-ok": _free}[name]
    for database in databases:
        await database.write(change)


def _fill(conn: sqlite3.Connection) -> None:
    """From now on each first write of a statement runs out of room: SQLITE_FULL by its own hand.

    `max_page_count` on the file itself would not do: a young database has room left in the pages it owns. So a
    temporary trigger, which only this connection sees, writes into a temporary table that may not grow.
    """
    conn.execute("CREATE TEMP TABLE IF NOT EXISTS golden_filler(room BLOB)")
    conn.execute("PRAGMA temp.max_page_count = 8").fetchall()
    tables = conn.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'").fetchall()
    for (table,) in tables:
        if table.startswith("sqlite_"):
            continue
        for event in ("INSERT", "UPDATE"):
            conn.execute(
                f'CREATE TEMP TRIGGER "golden_{event}_{table}" BEFORE {event} ON main."{table}" '
                "BEGIN INSERT INTO golden_filler VALUES (zeroblob(1000000)); END"
            )


def _free(conn: sqlite3.Connection) -> None:
    triggers = conn.execute("SELECT name FROM sqlite_temp_schema WHERE type = 'trigger'").fetchall()
    for (trigger,) in triggers:
        conn.execute(f'DROP TRIGGER temp."{trigger}"')
    conn.execute("DROP TABLE temp.golden_filler")


class _Facts(logging.Formatter):
    """A log line with everything in it: the event and each fact of `extra`."""

    _usual = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

    def format(self, record: logging.LogRecord) -> str:
        facts = {name: value for name, value in vars(record).items() if name not in self._usual}
        return f"{record.levelname} {super().format(record)} {json.dumps(facts, default=repr, ensure_ascii=False)}"


async def _serve(line: socket.socket) -> bool:
    """Answers requests until `close` (True) or until the line is gone (False)."""
    reader, writer = await asyncio.open_connection(sock=line, limit=LINE_BYTES_MAX)
    program: Any = None
    while raw := await reader.readline():
        request = json.loads(raw)
        answer: dict[str, Any] = {"pid": os.getpid(), "replies": []}
        try:
            if request["do"] == "start":
                _log_to(Path(request["log"]))
                program = await _program(request["app"]).start(request)
            else:
                assert program is not None, "start comes first"
                if request["now"] is not None:
                    program.clock.set(datetime.fromisoformat(request["now"]))
                answer["replies"] = [_plain(reply) for reply in await program.do(request)]
        except Exception:
            answer["broke"] = traceback.format_exc()
        writer.write(json.dumps(answer).encode() + b"\n")
        await writer.drain()
        if request["do"] == "close":
            writer.close()
            return True
    return False


def _program(app: str) -> Any:
    if app == "telegram":
        from tests.golden.listening import Listening

        return Listening
    return _Program


def _plain(reply: Any) -> dict[str, Any]:
    return {
        "text": reply.text,
        "lines": [{"words": line.words, "stored": line.stored} for line in reply.lines],
        "buttons": [{"label": button.label, "action": button.action} for button in reply.buttons],
        "shape": str(reply.shape),
        "failed": reply.failed,
    }


def _said(text: str) -> Any:
    from bot.message import Line, Reply

    return Reply((Line(text),))


def _log_to(path: Path) -> None:
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(_Facts("%(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG)
    errors = os.open(path.with_suffix(".stderr"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(errors, 2)
    os.close(errors)
    faulthandler.enable()


def _fork_server(line: socket.socket) -> None:
    """Warm up once, then fork for every socket that arrives, until the line is closed. Returns in a child, too."""
    for name in ("bot.app", "bot.config"):
        importlib.import_module(name)
    for name in ("tests.warm", "tests.golden.listening"):
        importlib.import_module(name).warm()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        message, descriptors, _flags, _address = socket.recv_fds(line, 16, 1)
        if not message:
            return
        if os.fork() == 0:
            line.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            if not asyncio.run(_serve(socket.socket(fileno=descriptors[0]))):
                os._exit(1)  # nobody listens any more: leave without ceremony
            return
        os.close(descriptors[0])


if __name__ == "__main__":
    _fork_server(socket.socket(fileno=int(sys.argv[1])))
