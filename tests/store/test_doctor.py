"""Each finding made to appear and to go away, and no byte changed by looking."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from store import doctor, snapshot
from store.doctor import examine
from store.errors import HomeInUse, HomeRefused
from store.examine import Level
from store.grants import PrivateClaim, grant
from store.home import HomeLock
from store.opening import open_marker
from store.schema import DEVICE_MIGRATIONS, MEMORY_MIGRATIONS
from store.view import View
from sync import keys
from tests.store.homes import OWNER, WORDS, Place, told, tree
from tests.store.memories import PAST_UNDO, remember

ENTRIES = 3


@pytest.fixture
async def place(tmp_path: Path) -> Place:
    return await Place.filled(tmp_path / "home")


async def test_a_home_just_closed_is_sound(place: Place) -> None:
    report = await place.examine()
    assert (told(report), report.sound, report.intact, report.entries) == ({}, True, True, ENTRIES)
    assert [finding.code for finding in report.findings] == ["doctor-lock-free", "doctor-sqlite"]
    again = await place.rebuild()
    assert (told(again), again.intact, again.entries) == ({}, True, ENTRIES)


async def test_no_home_is_refused_and_not_made(place: Place, tmp_path: Path) -> None:
    with pytest.raises(HomeRefused, match="doctor-no-home"):
        await examine(tmp_path / "nowhere", device_id=None, mounts="")
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(HomeRefused, match="error-home-no-folder"):
        await examine(place.device_db, device_id=None, mounts="")
    place.device_db.unlink()
    with pytest.raises(HomeRefused, match="error-home-refused"):
        await place.examine()
    with pytest.raises(HomeRefused, match="error-home-refused"):
        await place.rebuild()
    assert not place.device_db.exists()


# the rows against the log


@pytest.mark.parametrize(
    ("table", "statement"),
    [
        ("entries", "UPDATE entries SET text = 'pay 900' WHERE text LIKE '%4711%'"),
        ("entries", "DELETE FROM entries WHERE kind = 'fact'"),
        ("tasks", "UPDATE tasks SET state = 'done'"),
        ("registers", "UPDATE registers SET value = '\"pay\"' WHERE field = 'title'"),
        ("labels", "DELETE FROM labels"),
        ("edges", "INSERT INTO edges SELECT max(id), min(id) FROM entries"),
        ("documents", "UPDATE documents SET keys = keys + 1"),
        ("keys", "UPDATE keys SET value = '{}' WHERE map = 'e'"),
        ("keys", "DELETE FROM keys WHERE map = 'l'"),
        ("words", "INSERT INTO words(words) VALUES('delete-all')"),
        ("plain", "INSERT INTO plain(rowid, body) VALUES(999, 'stranger')"),
        ("words", "DELETE FROM words_docsize WHERE id = 1"),
        ("words", "DELETE FROM words_data WHERE id > 10"),
        ("turn_words", "INSERT INTO turn_words(turn_words) VALUES('delete-all')"),
    ],
)
async def test_what_differs_from_the_log_is_named_and_a_rebuild_mends_it(
    place: Place, table: str, statement: str
) -> None:
    place.spoil(place.memory_db, statement)
    finding = told(await place.examine())["doctor-unequal"]
    assert finding.level is Level.CHECK
    assert table in str(finding.facts["found"]).split(", ")
    assert finding.facts["scope"] == place.scope
    report = await place.rebuild()
    assert (told(report), report.intact, report.entries) == ({}, True, ENTRIES)
    assert told(await place.examine()) == {}


async def test_one_row_deleted_from_the_index_is_seen(place: Place) -> None:
    home = await place.open()
    memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
    await memory.database.write(
        lambda conn: conn.execute("INSERT INTO plain(plain, rowid, body) VALUES('delete', 1, ?)", (WORDS[0],)).rowcount
    )
    await home.close()
    assert told(await place.examine())["doctor-unequal"].facts["found"] == "plain"
    await place.rebuild()
    assert told(await place.examine()) == {}


async def test_the_rebuilt_memory_answers(place: Place) -> None:
    place.spoil(place.memory_db, "DELETE FROM entries", "INSERT INTO words(words) VALUES('delete-all')")
    await place.rebuild()
    home = await place.open()
    memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
    assert await memory.read(View.count) == 2
    await memory.turn(lambda writer: remember(writer, "and on it goes"))
    await home.close()
    report = await place.examine()
    assert (told(report), report.entries) == ({}, ENTRIES + 1)


# the log


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE changes SET bytes = substr(bytes, 1, length(bytes) - 3) WHERE pos = 2",
        "UPDATE changes SET bytes = x'' WHERE pos = 2",
        "UPDATE changes SET hash = zeroblob(32) WHERE pos = 2",
        "UPDATE changes SET bytes = 'text' WHERE pos = 2",
        "UPDATE changes SET doc = 'facts/1999-01.1' WHERE pos = 2",
        "UPDATE copy SET value = '7' WHERE key = 'generation'",
    ],
)
async def test_a_change_that_is_not_what_was_written_is_broken_and_nothing_is_rebuilt(
    place: Place, statement: str
) -> None:
    place.spoil(place.memory_db, statement)
    assert told(await place.examine())["doctor-log"].level is Level.BROKEN
    before = place.memory_db.read_bytes()
    report = await place.rebuild()
    assert set(told(report)) == {"doctor-log"}
    assert place.memory_db.read_bytes() == before


async def test_a_rebuild_never_drops_what_only_the_rows_still_hold(place: Place) -> None:
    place.spoil(place.memory_db, "DELETE FROM changes WHERE pos = (SELECT max(pos) FROM changes)")
    finding = told(await place.examine())["doctor-unlogged"]
    assert finding.level is Level.BROKEN
    assert int(finding.facts["n"]) > 0
    before = place.memory_db.read_bytes()
    assert "doctor-unlogged" in told(await place.rebuild())
    assert place.memory_db.read_bytes() == before


# the file


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)


@pytest.mark.parametrize("spoil", ["header", "page", "cut", "nothing", "garbage"])
async def test_a_damaged_database_is_told_and_kept_to_the_byte_while_the_next_is_mended(
    place: Place, spoil: str
) -> None:
    path = place.memory_db
    size = path.stat().st_size
    match spoil:
        case "header":
            flip(path, 3)
        case "page":
            for at in range(4096, size, 4096):
                flip(path, at)
        case "cut":
            os.truncate(path, size - 4096)
        case "nothing":
            os.truncate(path, 0)
        case "garbage":
            path.write_bytes(b"\x07" * size)
    other = place.path / "scopes" / place.group / "memory.db"
    place.spoil(other, "UPDATE entries SET text = 'other'")
    findings = told(await place.examine())
    assert findings["doctor-corrupt"].level is Level.BROKEN
    assert findings["doctor-corrupt"].facts["path"] == str(path)
    assert findings["doctor-unequal"].facts["scope"] == place.group
    before = tree(path.parent)
    report = await place.rebuild()
    assert set(told(report)) == {"doctor-corrupt"}
    assert not report.intact
    assert tree(path.parent) == before


async def test_a_damaged_device_database_stops_the_rebuild_of_all(place: Place) -> None:
    place.spoil(place.memory_db, "UPDATE entries SET text = 'other'")
    flip(place.device_db, 3)
    before = place.memory_db.read_bytes()
    findings = told(await place.rebuild())
    assert {"doctor-corrupt", "doctor-unequal"} <= set(findings)
    assert place.memory_db.read_bytes() == before


async def test_a_table_that_is_gone_is_named(place: Place) -> None:
    place.spoil(place.memory_db, "DROP TABLE tasks")
    assert "tasks" in str(told(await place.examine())["doctor-corrupt"].facts["found"])


async def test_a_newer_schema_is_told_with_both_numbers(place: Place) -> None:
    for path in (place.memory_db, place.device_db):
        place.spoil(path, "PRAGMA user_version = 9")
        finding = told(await place.examine())["doctor-schema"]
        known = (MEMORY_MIGRATIONS if path == place.memory_db else DEVICE_MIGRATIONS)[-1].number
        assert (finding.level, finding.facts["found"], finding.facts["known"]) == (Level.BROKEN, 9, known)
        before = path.read_bytes()
        assert "doctor-schema" in told(await place.rebuild())
        assert path.read_bytes() == before
        place.spoil(path, f"PRAGMA user_version = {known}")
        assert told(await place.examine()) == {}


async def test_a_file_that_is_not_in_wal_mode_is_told_and_the_next_start_mends_it(place: Place) -> None:
    place.spoil(place.memory_db, "PRAGMA journal_mode = DELETE")
    assert told(await place.examine())["doctor-settings"].facts["found"] == "journal_mode"
    assert told(await place.rebuild()) == {}


async def test_a_file_that_cannot_be_read_is_told(place: Place, tmp_path: Path) -> None:
    shutil.move(place.memory_db, tmp_path / "away.db")
    place.memory_db.mkdir()
    finding = told(await place.examine())["doctor-unreadable"]
    assert (finding.level, finding.facts) == (Level.BROKEN, {"path": str(place.memory_db), "found": "EISDIR"})
    place.memory_db.rmdir()
    shutil.move(tmp_path / "away.db", place.memory_db)
    assert told(await place.examine()) == {}


async def test_a_file_that_is_never_at_rest_is_left_for_another_time(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "TRIES_MAX", 0)
    report = await place.examine()
    assert (set(told(report)), report.intact, report.mendable) == ({"doctor-not-read"}, False, frozenset())


async def test_a_schema_that_the_next_start_brings_up_is_told(place: Place) -> None:
    place.spoil(place.memory_db, "PRAGMA user_version = 0")
    finding = told(await place.examine())["doctor-schema-older"]
    known = MEMORY_MIGRATIONS[-1].number
    assert (finding.level, finding.facts["found"], finding.facts["known"]) == (Level.CHECK, 0, known)


async def test_settings_that_this_machine_does_not_take_are_broken(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_SETTINGS", {"synchronous": 9, "secure_delete": 1})
    finding = told(await place.examine())["doctor-settings"]
    assert (finding.level, finding.facts["found"]) == (Level.BROKEN, "synchronous")


# the write-ahead log


async def test_a_killed_program_leaves_a_log_that_is_read_and_not_touched(place: Place) -> None:
    await _killed(place, "one more thing")
    assert place.memory_db.with_name("memory.db-wal").stat().st_size > 0
    report = await place.examine()
    assert (told(report), report.entries) == ({}, ENTRIES + 1)


async def test_a_torn_end_of_the_log_is_not_taken(place: Place) -> None:
    await _killed(place, "one more thing")
    log = place.memory_db.with_name("memory.db-wal")
    os.truncate(log, log.stat().st_size - 100)
    report = await place.examine()
    assert (told(report), report.entries) == ({}, ENTRIES)


async def test_a_missing_log_is_broken_until_rebuild_has_looked(place: Place) -> None:
    for path in (place.memory_db, place.device_db):
        open_marker(path).touch()
        finding = told(await place.examine())["error-log-missing"]
        assert (finding.level, finding.facts["path"]) == (Level.BROKEN, str(path))
        assert told(await place.rebuild()) == {}
        assert not open_marker(path).exists()


async def test_a_missing_log_beside_a_damaged_file_stays_missing(place: Place) -> None:
    open_marker(place.memory_db).touch()
    flip(place.memory_db, 3)
    assert {"error-log-missing", "doctor-corrupt"} <= set(told(await place.rebuild()))
    assert open_marker(place.memory_db).exists()


async def test_a_log_of_another_time_is_told_and_left_alone(place: Place) -> None:
    await _killed(place, "one more thing")
    open_marker(place.memory_db).unlink()
    report = await place.examine()
    assert (set(told(report)), report.entries) == ({"error-log-foreign"}, ENTRIES)
    before = tree(place.memory_db.parent)
    assert set(told(await place.rebuild())) == {"error-log-foreign"}
    assert tree(place.memory_db.parent) == before


# rows that belong to nothing


async def test_rows_without_an_owner_are_counted_and_never_read(place: Place) -> None:
    """B6: one with NULL and one with the empty string, forced past every guard."""
    place.loosen(place.device_db, "accounts")
    place.spoil(
        place.device_db,
        "INSERT INTO accounts VALUES('x:1', 'X', 'member', NULL)",
        "INSERT INTO accounts VALUES('x:2', 'Y', 'member', '')",
        "INSERT INTO chats(chat, scope) VALUES('x:3', 'nowhere')",
        "INSERT INTO members(scope, account, role) VALUES('nowhere', 'x:1', 'member')",
    )
    report = await place.examine()
    orphans = {str(f.facts["table"]): f.facts["n"] for f in report.findings if f.code == "doctor-orphans"}
    assert orphans == {"accounts": 2, "chats": 1, "members": 1}
    assert all(f.level is Level.CHECK for f in report.findings if f.code == "doctor-orphans")
    assert set(told(report)) == {"doctor-orphans"}
    home = await place.open()
    assert [account.account for account in home.device.accounts()] == [OWNER]
    assert home.device.chat_state("x:3") is None
    await home.close()
    place.spoil(place.device_db, "DELETE FROM accounts WHERE account LIKE 'x:%'", "DELETE FROM chats WHERE chat = 'x:3'",
                "DELETE FROM members WHERE scope = 'nowhere'")  # fmt: skip
    assert told(await place.examine()) == {}


async def test_rows_of_a_memory_that_lead_nowhere_are_counted(place: Place) -> None:
    place.spoil(place.memory_db, "UPDATE turns SET session = 99", "INSERT INTO labels VALUES('D-2024-05-27-09', 'Z', 'h')",
                "INSERT INTO edges VALUES('Y', 'Z')", "INSERT INTO registers VALUES('Z', 'pinned', 'true', '', 0, '[]', '[]')")  # fmt: skip
    report = await place.examine()
    orphans = {str(f.facts["table"]): f.facts["n"] for f in report.findings if f.code == "doctor-orphans"}
    assert orphans == {"turns": 1, "labels": 1, "edges": 1, "registers": 1}
    report = await place.rebuild()
    assert {f.facts.get("table") for f in told(report).values()} == {"turns"}  # a turn is no projection


async def test_a_banned_record_leaves_no_orphans(place: Place) -> None:
    home = await place.open()
    memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
    first, second = await memory.turn(
        lambda writer: (remember(writer, "an old thing"), remember(writer, "a new thing"))
    )
    await memory.turn(lambda writer: writer.set(second.id, "settles", [first.id], by=OWNER))
    await memory.turn(lambda writer: writer.set(first.id, "hidden", True, by=OWNER))
    place.clock.advance(PAST_UNDO)
    assert await memory.erase_due() == 1
    await home.close()
    report = await place.examine()
    assert (told(report), report.entries) == ({}, ENTRIES + 1)
    assert told(await place.rebuild()) == {}


# folders and aliases


async def test_an_alias_without_a_folder(place: Place, tmp_path: Path) -> None:
    shutil.move(place.memory_db.parent, tmp_path / "away")
    finding = told(await place.examine())["doctor-folder-missing"]
    assert (finding.level, finding.facts) == (Level.BROKEN, {"scope": place.scope})
    assert "doctor-folder-missing" in told(await place.rebuild())
    assert not place.memory_db.exists()
    shutil.move(tmp_path / "away", place.memory_db.parent)
    assert told(await place.examine()) == {}


async def test_a_folder_without_an_alias(place: Place) -> None:
    stray = place.path / "scopes" / ("ab" * 16)
    shutil.copytree(place.memory_db.parent, stray)
    finding = told(await place.examine())["doctor-folder-unknown"]
    assert (finding.level, finding.facts) == (Level.CHECK, {"scope": "ab" * 16})
    before = tree(stray)
    await place.rebuild()
    assert tree(stray) == before
    shutil.rmtree(stray)
    assert told(await place.examine()) == {}


async def test_a_scope_that_no_account_and_no_chat_leads_to(place: Place) -> None:
    place.spoil(place.device_db, "DELETE FROM accounts")
    assert told(await place.examine())["doctor-folder-unknown"].facts == {"scope": place.scope}


# the place itself


async def test_files_that_others_can_read(place: Place) -> None:
    for path, mode in ((place.path, 0o700), (place.path / "keys", 0o700), (place.path / keys.FILE, 0o600)):
        path.chmod(mode | 0o044)
        finding = told(await place.examine())["doctor-modes"]
        assert (finding.level, finding.facts) == (Level.CHECK, {"path": str(path), "mode": f"{mode:o}"})
        path.chmod(mode)
    assert told(await place.examine()) == {}


async def test_a_copy_from_before_an_upgrade_is_told_until_it_is_gone(place: Place) -> None:
    copy = place.path / "backups" / f"{place.scope}-memory-before-{MEMORY_MIGRATIONS[-1].number}.db"
    copy.parent.mkdir(mode=0o700)
    copy.write_bytes(b"")
    assert told(await place.examine())["doctor-copies"].facts == {"path": str(copy)}
    await place.rebuild()
    assert told(await place.examine()) == {}


async def test_a_home_in_a_synchronised_folder(place: Place) -> None:
    mark = place.path.parent / ".stfolder"
    mark.mkdir()
    assert told(await place.examine())["doctor-sync-folder"].facts == {"kind": "Syncthing"}
    mark.rmdir()
    stray = place.path / "device.sync-conflict-20240527-101112-ABCDEFG.db"
    stray.touch()
    assert told(await place.examine())["doctor-conflicts"].facts == {"n": 1, "path": str(stray)}
    stray.unlink()
    assert told(await place.examine()) == {}


async def test_a_network_disk_is_broken_and_nothing_is_rebuilt_there(place: Place) -> None:
    mounts = "server:/export / nfs4 rw 0 0\n"
    finding = told(await place.examine(mounts=mounts))["doctor-network"]
    assert (finding.level, finding.facts) == (Level.BROKEN, {"kind": "nfs4"})
    before = place.memory_db.read_bytes()
    assert "doctor-network" in told(await place.rebuild(mounts=mounts))
    assert place.memory_db.read_bytes() == before


async def test_keys_of_another_installation(place: Place) -> None:
    before = tree(place.path)
    report = await examine(place.path, device_id=bytes(16), mounts="")
    fingerprint = keys.load(place.path).device_id.hex()[:8]
    assert told(report)["error-key-missing"].facts == {"fingerprint": fingerprint, "found": "00000000"}
    assert not report.mendable
    assert tree(place.path) == before


# beside a running one

_HOLD = """
import asyncio, sys
from pathlib import Path
from tests.store.homes import OWNER, Place
from tests.store.memories import PAST_UNDO, remember
from store.grants import PrivateClaim, grant

async def main():
    home = await Place(Path(sys.argv[1])).open()
    memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
    await memory.turn(lambda writer: remember(writer, sys.argv[2]))
    print("held", flush=True)
    for line in sys.stdin:
        await memory.turn(lambda writer: remember(writer, line))
        print("kept", flush=True)

asyncio.run(main())
"""


def _holding(place: Place, words: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(place.path), words],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": "."},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


async def _killed(place: Place, words: str) -> None:
    with _holding(place, words) as child:
        child.kill()


async def test_it_reads_beside_a_running_one_and_says_who_it_is(place: Place) -> None:
    with _holding(place, "while running") as child:
        try:
            report = await place.examine()
            assert (told(report), report.entries) == ({}, ENTRIES + 1)
            (held,) = [f for f in report.findings if f.code == "doctor-lock-held"]
            assert (held.level, held.facts["pid"]) == (Level.OK, str(child.pid))
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write("and it goes on\n")
            child.stdin.flush()
            assert child.stdout.readline() == "kept\n"
            assert (await place.examine()).entries == ENTRIES + 2
            before = tree(place.path)
            with pytest.raises(HomeInUse) as refused:
                await place.rebuild()
            assert refused.value.facts["pid"] == str(child.pid)
            assert tree(place.path) == before
        finally:
            child.kill()
    assert (await place.examine()).findings[0].code == "doctor-lock-free"


async def test_the_lock_is_let_go_after_a_rebuild(place: Place) -> None:
    await place.rebuild()
    lock = await HomeLock.acquire(place.path, wait_s=0.05)
    lock.release()
