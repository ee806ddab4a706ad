"""The installation's own database: who is let in, and that a row without an owner opens nothing (B6)."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from store.device import DATABASE, ChatState, Device
from store.errors import DatabaseCorrupt, KeyMissing, NotAllowed
from store.grants import GroupClaim, PrivateClaim, grant
from store.model import AccountID, Role, ScopeID, ScopeKind
from tests.fakes import FakeEntropy

KEYS = bytes(range(16))
LIN, WANG = AccountID("terminal:lin"), AccountID("terminal:wang")
TEAM = "terminal:team"


@asynccontextmanager
async def opened(home: Path, keys: bytes = KEYS, seed: str = "") -> AsyncIterator[Device]:
    device = await Device.open(home, device_id=keys, entropy=FakeEntropy(seed))
    try:
        yield device
    finally:
        await device.close()


def change(home: Path, *statements: str) -> None:
    """Raw SQL beside us, with every constraint that can be switched off switched off."""
    with closing(sqlite3.connect(home / DATABASE)) as conn:
        conn.execute("PRAGMA foreign_keys = OFF")
        conn.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            conn.execute(statement)
        conn.commit()


async def test_who_was_let_in_is_known_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as device:
        lin = await device.let_in(LIN, "Lin", Role.OWNER)
        team = await device.open_group(TEAM, "Team", LIN, Role.ADMIN)
        assert await device.open_group(TEAM, "another title", WANG, Role.MEMBER) == team
        await device.mark_made(team)
    async with opened(tmp_path, seed="later") as device:
        assert device.accounts() == [lin] == [device.account(LIN)]
        assert {one.scope: (one.kind, one.title, one.made) for one in device.scopes()} == {
            lin.scope: (ScopeKind.PRIVATE, "Lin", False),
            team: (ScopeKind.GROUP, "Team", True),
        }
        assert device.members(team) == {LIN: Role.ADMIN, WANG: Role.MEMBER}
        assert device.scope(team).title == "Team"
        assert device.chat_state(TEAM) is ChatState.ON
        assert device.chat_state("terminal:other") is None
        for scope in (lin.scope, team):
            member = device.own_scope(scope)
            assert member is not None and member.scope == scope
        assert device.own_scope(ScopeID("0" * 32)) is None


async def test_a_new_name_keeps_the_memory(tmp_path: Path) -> None:
    async with opened(tmp_path) as device:
        first = await device.let_in(LIN, "Lin", Role.OWNER)
        again = await device.let_in(LIN, "林", Role.MEMBER)
        assert (again.scope, again.name, again.role) == (first.scope, "林", Role.OWNER)
        assert await device.let_in(LIN, "林", Role.OWNER) == again
        assert len(device.scopes()) == 1


async def test_a_second_join_keeps_the_first_role(tmp_path: Path) -> None:
    async with opened(tmp_path) as device:
        team = await device.open_group(TEAM, "Team", LIN, Role.ADMIN)
        await device.open_group(TEAM, "Team", LIN, Role.MEMBER)
        assert device.members(team) == {LIN: Role.ADMIN}


async def test_no_two_people_and_no_two_groups_share_a_memory(tmp_path: Path) -> None:
    async with opened(tmp_path) as device:
        scopes = [(await device.let_in(AccountID(f"terminal:{n}"), n, Role.MEMBER)).scope for n in "abc"]
        scopes += [await device.open_group(f"terminal:g{n}", n, LIN, Role.ADMIN) for n in "abc"]
        assert len(set(scopes)) == 6


async def test_other_keys_open_nothing_and_change_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as device:
        await device.let_in(LIN, "Lin", Role.OWNER)
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(KeyMissing) as raised:
        async with opened(tmp_path, keys=bytes(16)):
            pass
    assert raised.value.facts == {"fingerprint": KEYS.hex()[:8], "found": "00000000"}
    assert (tmp_path / DATABASE).read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO accounts VALUES('terminal:x', 'X', 'member', NULL)",
        "INSERT INTO accounts VALUES('terminal:x', 'X', 'member', '')",
        "INSERT INTO accounts VALUES('terminal:x', 'X', 'member', 'nowhere')",
        "INSERT INTO accounts VALUES('terminal:x', 'X', 'king', (SELECT scope FROM scopes))",
        "INSERT INTO accounts VALUES('x', 'X', 'member', (SELECT scope FROM scopes))",
        "INSERT INTO chats(chat, scope) VALUES('terminal:x', NULL)",
        "INSERT INTO chats(chat, scope) VALUES('terminal:x', '')",
        "INSERT INTO chats(chat, scope) VALUES('x', (SELECT scope FROM scopes))",
        "INSERT INTO members(scope, account, role) VALUES(NULL, 'terminal:x', 'member')",
        "INSERT INTO members(scope, account, role) VALUES('', 'terminal:x', 'member')",
        "INSERT INTO members(scope, account, role) VALUES((SELECT scope FROM scopes), NULL, 'member')",
        "INSERT INTO members(scope, account, role) VALUES((SELECT scope FROM scopes), 'terminal:x', 'owner')",
        "INSERT INTO scopes(scope, kind, title, made) VALUES('', 'private', '', 0)",
        "INSERT INTO scopes(scope, kind, title, made) VALUES(NULL, 'private', '', 0)",
        "INSERT INTO scopes(scope, kind, title, made) VALUES('0123456789abcdef0123456789abcdef', 'secret', '', 0)",
    ],
)
async def test_the_schema_takes_no_row_without_a_sound_scope(tmp_path: Path, statement: str) -> None:
    async with opened(tmp_path) as device:
        await device.let_in(LIN, "Lin", Role.OWNER)
        with pytest.raises(sqlite3.IntegrityError):
            await device.database.write(lambda conn: conn.execute(statement).rowcount)


ORPHANS = (
    "INSERT INTO scopes(scope, kind, title, made) VALUES('', 'private', '', 1)",
    "CREATE TABLE loose(account TEXT PRIMARY KEY, name TEXT, role TEXT, scope TEXT) WITHOUT ROWID",
    "INSERT INTO loose SELECT * FROM accounts",
    "DROP TABLE accounts",
    "ALTER TABLE loose RENAME TO accounts",
    "INSERT INTO accounts VALUES('terminal:null', 'N', 'owner', NULL)",
    "INSERT INTO accounts VALUES('terminal:empty', 'E', 'owner', '')",
    "INSERT INTO accounts VALUES('terminal:nowhere', 'W', 'owner', 'ffffffffffffffffffffffffffffffff')",
    "INSERT INTO accounts SELECT 'terminal:crossed', 'C', 'owner', scope FROM chats",
    "INSERT INTO chats(chat, scope) VALUES('terminal:empty', '')",
    "INSERT INTO chats(chat, scope) VALUES('terminal:nowhere', 'ffffffffffffffffffffffffffffffff')",
    "INSERT INTO chats(chat, scope) SELECT 'terminal:crossed', scope FROM accounts WHERE account = 'terminal:lin'",
    "INSERT INTO members(scope, account, role) SELECT scope, 'terminal:wang', 'admin' FROM chats WHERE chat <> 'terminal:team'",
)


async def test_a_row_that_was_forced_in_opens_nothing(tmp_path: Path) -> None:
    """B6: filters fail open when the owner is missing; ours has nothing to compare with and so gives nothing."""
    async with opened(tmp_path) as device:
        lin = await device.let_in(LIN, "Lin", Role.OWNER)
        team = await device.open_group(TEAM, "Team", LIN, Role.ADMIN)
    change(tmp_path, *ORPHANS)
    async with opened(tmp_path) as device:
        assert device.accounts() == [lin]
        assert {one.scope for one in device.scopes()} == {lin.scope, team}
        for name in ("null", "empty", "nowhere", "crossed"):
            with pytest.raises(NotAllowed):
                grant(PrivateClaim(AccountID(f"terminal:{name}")), device)
            for account in (LIN, WANG):
                with pytest.raises(NotAllowed):
                    grant(GroupClaim(f"terminal:{name}", account), device)
        assert grant(PrivateClaim(LIN), device).scope == lin.scope
        assert grant(GroupClaim(TEAM, LIN), device).scope == team
        with pytest.raises(DatabaseCorrupt):
            await device.let_in(AccountID("terminal:empty"), "again", Role.MEMBER)
        with pytest.raises(DatabaseCorrupt):
            await device.open_group("terminal:nowhere", "again", LIN, Role.ADMIN)


async def test_a_note_is_kept_and_forgotten(tmp_path: Path) -> None:
    async with opened(tmp_path) as device:
        assert device.note("folder") == ""
        await device.keep_note("folder", "/somewhere")
        await device.keep_note("folder", "/elsewhere")
    async with opened(tmp_path) as device:
        assert device.note("folder") == "/elsewhere"
        await device.keep_note("folder", "")
        assert device.note("folder") == ""
        with pytest.raises(AssertionError):
            await device.keep_note("device", "another")
