"""This installation's own database: who is let in, and which chats lead to which scope.

It holds no memory. Its rows are a look-up of what the scopes' `meta` registers say, kept in a dictionary
while running, since one process owns a home. It is the `Registry` that grants are made from.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from store.db import Database
from store.errors import DatabaseCorrupt, KeyMissing, NiannianError
from store.grants import Membership
from store.model import AccountID, Role, ScopeID, ScopeKind
from store.opening import log_trouble, readable
from store.ports import Entropy
from store.schema import DEVICE_MIGRATIONS
from store.sql import DEFAULT_FACTORY, ConnectionFactory

T = TypeVar("T")

DATABASE = "device.db"
_FACTS = frozenset({"device", "instance"})
"""What an installation is; its notes stand beside."""


@dataclass(frozen=True, slots=True)
class Account:
    account: AccountID
    name: str
    role: Role
    scope: ScopeID


class ChatState(StrEnum):
    """How a group's chat stands."""

    ON = "on"
    OFF = "off"
    """Switched off: nothing is kept and nothing answered."""
    GONE = "gone"
    """The bot was sent away: its memory is left as it is, and nobody reads it."""
    MOVED = "moved"
    """The group goes on under another name; this one leads to the same memory."""


@dataclass(frozen=True, slots=True)
class Scope:
    scope: ScopeID
    kind: ScopeKind
    title: str
    lane: str
    """This device's letter in the scope's labels; "" where the scope was made."""
    made: bool
    """False until its folder has been filled for the first time."""


class Device:
    def __init__(self, database: Database, entropy: Entropy) -> None:
        self.database = database
        self._entropy = entropy
        self._accounts: dict[AccountID, Account] = {}
        self._scopes: dict[ScopeID, Scope] = {}
        self._chats: dict[str, ScopeID] = {}
        self._states: dict[str, ChatState] = {}
        self._members: dict[tuple[ScopeID, AccountID], Role] = {}
        self._former: set[tuple[ScopeID, AccountID]] = set()
        self._notes: dict[str, str] = {}

    @classmethod
    async def open(
        cls,
        home: Path,
        *,
        device_id: bytes,
        entropy: Entropy,
        factory: ConnectionFactory = DEFAULT_FACTORY,
    ) -> Device:
        """Opens or makes `home`/device.db. Raises KeyMissing when it belongs to other keys than `device_id`."""
        database = await Database.open(home / DATABASE, DEVICE_MIGRATIONS, backups=home / "backups", factory=factory)
        device = cls(database, entropy)
        try:
            known = await database.read(lambda conn: _installation(conn, "device"))
            if known is None:
                facts = {"device": device_id.hex(), "instance": entropy.bytes(8).hex()}
                await database.write(
                    lambda conn: conn.executemany("INSERT INTO installation VALUES(?, ?)", facts.items()).rowcount
                )
            elif known != device_id.hex():
                raise KeyMissing(fingerprint=known[:8], found=device_id.hex()[:8])
            await database.read(device._load)
        except BaseException:
            await database.close()
            raise
        return device

    def private_scope(self, account: AccountID) -> Membership | None:
        found = self._accounts.get(account)
        return Membership(found.scope, ScopeKind.PRIVATE, found.role) if found else None

    def group_scope(self, chat: str, account: AccountID) -> Membership | None:
        scope = self._chats.get(chat) if self.is_on(chat) else None
        role = self._members.get((scope, account)) if scope else None
        return Membership(scope, ScopeKind.GROUP, role) if scope and role else None

    def own_scope(self, scope: ScopeID) -> Membership | None:
        found = self._scopes.get(scope)
        return Membership(found.scope, found.kind, Role.MEMBER) if found else None

    def account(self, account: AccountID) -> Account | None:
        return self._accounts.get(account)

    def accounts(self) -> list[Account]:
        return list(self._accounts.values())

    def scope(self, scope: ScopeID) -> Scope:
        return self._scopes[scope]

    def scopes(self) -> list[Scope]:
        return list(self._scopes.values())

    def chats(self) -> dict[str, ScopeID]:
        return dict(self._chats)

    def members(self, scope: ScopeID) -> dict[AccountID, Role]:
        return {account: role for (one, account), role in self._members.items() if one == scope}

    def chat_state(self, chat: str) -> ChatState | None:
        """None for a chat that leads to no memory."""
        return self._states.get(chat) if chat in self._chats else None

    def is_on(self, chat: str) -> bool:
        """Whether the group answers: switched on, or gone on under another name that is."""
        state = self._states.get(chat)
        if state is ChatState.MOVED:
            scope = self._chats[chat]
            return any(one == scope and self._states[other] is ChatState.ON for other, one in self._chats.items())
        return state is ChatState.ON

    def groups(self, platform: str) -> list[tuple[str, Scope]]:
        """The switched-on groups of a platform: (chat, scope)."""
        return [
            (chat, self._scopes[scope])
            for chat, scope in self._chats.items()
            if chat.startswith(f"{platform}:") and self._states[chat] is ChatState.ON
        ]

    def is_former(self, chat: str, account: AccountID) -> bool:
        """Whether `account` was in the group and is not any more."""
        scope = self._chats.get(chat)
        return scope is not None and (scope, account) in self._former

    def accounts_of(self, scope: ScopeID) -> list[Account]:
        """Every account of the person whose private memory this is."""
        return [account for account in self._accounts.values() if account.scope == scope]

    def note(self, name: str) -> str:
        """What this installation noted about itself, "" when nothing: the folder it syncs over, a meeting left open."""
        return self._notes.get(name, "")

    def notes(self, prefix: str) -> dict[str, str]:
        return {name: value for name, value in self._notes.items() if name.startswith(prefix)}

    async def keep_note(self, name: str, value: str) -> None:
        """ "" forgets the note."""
        assert name not in _FACTS, "what this installation is does not change"

        def write(conn: sqlite3.Connection) -> None:
            conn.execute("DELETE FROM installation WHERE key = ?", (name,))
            if value:
                conn.execute("INSERT INTO installation VALUES(?, ?)", (name, value))

        await self.database.write(write)
        await self.database.read(self._load)

    async def let_in(self, account: AccountID, name: str, role: Role) -> Account:
        """The account with a private scope of its own; a new name replaces the old one."""

        def write(conn: sqlite3.Connection) -> None:
            there = conn.execute("SELECT 1 FROM accounts WHERE account = ?", (account,)).fetchone()
            if there:
                conn.execute("UPDATE accounts SET name = ? WHERE account = ?", (name, account))
                return
            scope = self._new_scope(conn, ScopeKind.PRIVATE, name)
            conn.execute(
                "INSERT INTO accounts(account, name, role, scope) VALUES(?, ?, ?, ?)",
                (account, name, role.value, scope),
            )

        known = self._accounts.get(account)
        if known is None or known.name != name:
            await self.database.write(write)
            await self.database.read(self._load)
        return self._sound(self._accounts.get(account))

    async def open_group(self, chat: str, title: str, account: AccountID, role: Role) -> ScopeID:
        """The scope of a group, with `account` in it. A new one is switched on; one that is off stays so."""

        def write(conn: sqlite3.Connection) -> None:
            row = conn.execute("SELECT scope FROM chats WHERE chat = ?", (chat,)).fetchone()
            if row and not self._is(row[0], ScopeKind.GROUP):
                return
            scope = row[0] if row else self._new_scope(conn, ScopeKind.GROUP, title)
            if row is None:
                conn.execute("INSERT INTO chats(chat, scope) VALUES(?, ?)", (chat, scope))
            conn.execute(  # whoever comes back is what they are now; whoever is there stays what they were
                "INSERT INTO members(scope, account, role) VALUES(?, ?, ?) ON CONFLICT(scope, account) DO UPDATE"
                " SET role = CASE WHEN left_ms IS NULL THEN role ELSE excluded.role END, left_ms = NULL",
                (scope, account, role.value),
            )

        if self.group_scope(chat, account) is None:
            await self.database.write(write)
            await self.database.read(self._load)
        return self._sound(self._chats.get(chat))

    async def join_private(self, scope: ScopeID, lane: str, account: AccountID, name: str, role: Role) -> None:
        """`account`'s private memory is from now on `scope`, which another device founded."""

        def write(conn: sqlite3.Connection) -> None:
            _join_scope(conn, scope, ScopeKind.PRIVATE, "", lane)
            conn.execute("DELETE FROM accounts WHERE account = ?", (account,))
            conn.execute(
                "INSERT INTO accounts(account, name, role, scope) VALUES(?, ?, ?, ?)",
                (account, name, role.value, scope),
            )

        await self.database.write(write)
        await self.database.read(self._load)

    async def join_group(
        self, scope: ScopeID, lane: str, chat: str, title: str, members: Mapping[AccountID, Role]
    ) -> None:
        """`chat` leads from now on to `scope`, which another device founded."""

        def write(conn: sqlite3.Connection) -> None:
            _join_scope(conn, scope, ScopeKind.GROUP, title, lane)
            conn.execute(
                "INSERT INTO chats(chat, scope) VALUES(?, ?) ON CONFLICT(chat) DO UPDATE SET scope = excluded.scope",
                (chat, scope),
            )
            for account, role in members.items():
                conn.execute(
                    "INSERT OR IGNORE INTO members(scope, account, role) VALUES(?, ?, ?)", (scope, account, role.value)
                )

        await self.database.write(write)
        await self.database.read(self._load)

    async def link(self, account: AccountID, name: str, other: AccountID) -> None:
        """`account` is one more account of the person who writes as `other`: one private memory, one role."""

        def write(conn: sqlite3.Connection) -> None:
            conn.execute("DELETE FROM accounts WHERE account = ?", (account,))
            conn.execute(
                "INSERT INTO accounts(account, name, role, scope) SELECT ?, ?, role, scope FROM accounts WHERE account = ?",
                (account, name, other),
            )

        await self.database.write(write)
        await self.database.read(self._load)

    async def unite_accounts(self, old: ScopeID, into: ScopeID, note: tuple[str, str]) -> None:
        """Whoever had the memory `old` has `into` from now on; `note` remembers it, in the same transaction."""

        def write(conn: sqlite3.Connection) -> None:
            conn.execute(
                "UPDATE accounts SET scope = ?, role = (SELECT role FROM accounts WHERE scope = ?) WHERE scope = ?",
                (into, into, old),
            )
            conn.execute("INSERT OR REPLACE INTO installation VALUES(?, ?)", note)

        await self.database.write(write)
        await self.database.read(self._load)

    async def leave_group(self, chat: str, account: AccountID, at_ms: int) -> None:
        """`account` is not in the group any more; what it said there stays."""
        await self._change(
            "UPDATE members SET left_ms = ? WHERE account = ? AND left_ms IS NULL"
            " AND scope = (SELECT scope FROM chats WHERE chat = ?)",
            (at_ms, account, chat),
        )

    async def join_members(self, old: ScopeID, new: ScopeID) -> None:
        """Whoever is in the group `old` is in `new` as well."""
        await self._change(
            "INSERT OR IGNORE INTO members(scope, account, role, left_ms) SELECT ?, account, role, left_ms FROM members"
            " WHERE scope = ?",
            (new, old),
        )

    async def set_role(self, chat: str, account: AccountID, role: Role) -> None:
        """Nothing happens to one who is not in the group."""
        await self._change(
            "UPDATE members SET role = ? WHERE account = ? AND scope = (SELECT scope FROM chats WHERE chat = ?)",
            (role.value, account, chat),
        )

    async def retitle(self, chat: str, title: str) -> None:
        await self._change(
            "UPDATE scopes SET title = ? WHERE scope = (SELECT scope FROM chats WHERE chat = ?)", (title, chat)
        )

    async def set_chat_state(self, chat: str, state: ChatState) -> None:
        await self._change("UPDATE chats SET state = ? WHERE chat = ?", (state.value, chat))

    async def move_chat(self, old: str, new: str, note: tuple[str, str] | None = None) -> None:
        """The group `old` goes on as `new`; both names lead to its memory. What `new` led to before does not any more:
        `note` remembers it, in the same transaction.

        A platform may say that the bot left the old chat before it says why: then the new one is switched on.
        """

        def write(conn: sqlite3.Connection) -> None:
            row = conn.execute("SELECT scope, state FROM chats WHERE chat = ?", (old,)).fetchone()
            if row is None or row[1] == ChatState.MOVED.value:
                return
            state = ChatState.ON.value if row[1] == ChatState.GONE.value else row[1]
            conn.execute("INSERT OR REPLACE INTO chats(chat, scope, state) VALUES(?, ?, ?)", (new, row[0], state))
            conn.execute("UPDATE chats SET state = 'moved' WHERE chat = ?", (old,))
            if note is not None:
                conn.execute("INSERT OR REPLACE INTO installation VALUES(?, ?)", note)

        await self.database.write(write)
        await self.database.read(self._load)

    async def renew(self, device_id: bytes, lane: str) -> None:
        """This installation is a new device from now on, which counts its labels in a lane of its own."""

        def write(conn: sqlite3.Connection) -> None:
            conn.execute("UPDATE installation SET value = ? WHERE key = 'device'", (device_id.hex(),))
            conn.execute("UPDATE scopes SET lane = ?", (lane,))
            for table in ("inbox", "outbox", "buttons", "requests"):  # the other one's to finish
                conn.execute(f"DELETE FROM {table}")

        await self.database.write(write)
        await self.database.read(self._load)

    async def enter(self, scope: ScopeID, lane: str) -> None:
        await self.database.write(
            lambda conn: conn.execute("UPDATE scopes SET lane = ? WHERE scope = ?", (lane, scope)).rowcount
        )
        await self.database.read(self._load)

    async def drop_scope(self, scope: ScopeID) -> None:
        """Nothing may lead to it."""
        await self.database.write(lambda conn: conn.execute("DELETE FROM scopes WHERE scope = ?", (scope,)).rowcount)
        await self.database.read(self._load)

    async def take_scope(self, scope: ScopeID, lane: str) -> None:
        """A scope found elsewhere, of which nothing is known yet: no account and no chat leads to it."""
        await self.database.write(
            lambda conn: (
                conn.execute(
                    "INSERT OR IGNORE INTO scopes(scope, kind, title, lane, made) VALUES(?, 'private', '', ?, 0)",
                    (scope, lane),
                ).rowcount
            )
        )
        await self.database.read(self._load)

    async def settle_scope(self, scope: ScopeID, kind: ScopeKind, title: str) -> None:
        """What a scope that was taken has turned out to be."""
        assert scope not in {account.scope for account in self._accounts.values()} | set(self._chats.values())
        await self.database.write(
            lambda conn: (
                conn.execute(
                    "UPDATE scopes SET kind = ?, title = ? WHERE scope = ?", (kind.value, title, scope)
                ).rowcount
            )
        )
        await self.database.read(self._load)

    async def mark_made(self, scope: ScopeID) -> None:
        await self.database.write(
            lambda conn: conn.execute("UPDATE scopes SET made = 1 WHERE scope = ?", (scope,)).rowcount
        )
        await self.database.read(self._load)

    async def _change(self, statement: str, values: Sequence[object]) -> None:
        await self.database.write(lambda conn: conn.execute(statement, tuple(values)).rowcount)
        await self.database.read(self._load)

    async def close(self) -> None:
        await self.database.close()

    def _new_scope(self, conn: sqlite3.Connection, kind: ScopeKind, title: str) -> ScopeID:
        scope = ScopeID(self._entropy.bytes(16).hex())
        conn.execute("INSERT INTO scopes(scope, kind, title, made) VALUES(?, ?, ?, 0)", (scope, kind.value, title))
        return scope

    def _load(self, conn: sqlite3.Connection) -> None:
        self._scopes = {
            scope: Scope(scope, ScopeKind(kind), title, lane, bool(made))
            for scope, kind, title, lane, made in conn.execute(
                "SELECT scope, kind, title, lane, made FROM scopes WHERE scope <> ''"
            )
        }
        # A row that leads to no scope of its kind is an orphan: `doctor` counts it, nothing here returns it.
        self._accounts = {
            account: Account(account, name, Role(role), scope)
            for account, name, role, scope in conn.execute("SELECT account, name, role, scope FROM accounts")
            if self._is(scope, ScopeKind.PRIVATE)
        }
        chats = [
            (chat, scope, ChatState(state))
            for chat, scope, state in conn.execute("SELECT chat, scope, state FROM chats")
            if self._is(scope, ScopeKind.GROUP)
        ]
        self._chats = {chat: scope for chat, scope, _ in chats}
        self._states = {chat: state for chat, _, state in chats}
        members = [
            (scope, account, Role(role), left_ms)
            for scope, account, role, left_ms in conn.execute("SELECT scope, account, role, left_ms FROM members")
            if self._is(scope, ScopeKind.GROUP)
        ]
        self._members = {(scope, account): role for scope, account, role, left_ms in members if left_ms is None}
        self._former = {(scope, account) for scope, account, _, left_ms in members if left_ms is not None}
        self._notes = dict(conn.execute("SELECT key, value FROM installation"))

    def _sound(self, found: T | None) -> T:
        if found is None:  # its row is there, and is an orphan
            raise DatabaseCorrupt(path=str(self.database.path))
        return found

    def _is(self, scope: ScopeID | None, kind: ScopeKind) -> bool:
        return scope in self._scopes and self._scopes[scope].kind is kind


def known_device(home: Path) -> str | None:
    """Id (hex) of the device that the home's database belongs to, by a look that changes nothing.

    None for a home without one, and for one that cannot be read: opening it says why.
    """
    path = home / DATABASE
    try:
        if not path.stat().st_size:
            return None
        with closing(readable(path, past_log=log_trouble(path, open_here=True) is not None)) as conn:
            return _installation(conn, "device")
    except (sqlite3.Error, NiannianError, OSError):
        return None


def _join_scope(conn: sqlite3.Connection, scope: ScopeID, kind: ScopeKind, title: str, lane: str) -> None:
    """A copied home that joins again has the scope already, under a lane that was only lent to it."""
    conn.execute(
        "INSERT INTO scopes VALUES(?, ?, ?, ?, 0) ON CONFLICT(scope) DO UPDATE SET lane = excluded.lane",
        (scope, kind.value, title, lane),
    )


def _installation(conn: sqlite3.Connection, key: str) -> str | None:
    row = conn.execute("SELECT value FROM installation WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else None
