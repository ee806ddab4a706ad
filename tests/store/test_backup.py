"""A backup holds one state of every database and nothing that must not leave; what was touched is never taken."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyrage
import pytest

from store import backup, packing, unpacking
from store.age import Opener, Sealer
from store.errors import BackupRefused, DatabaseCorrupt, HomeRefused, NewerSchema, Rejected, StoreBusy, Unavailable
from store.grants import UpkeepClaim, grant
from store.home import MAKING
from store.packing import Manifest, Part
from tests.fakes import FakeEntropy
from tests.store.homes import WORDS, Place
from tests.store.memories import remember

PASSPHRASE = "four quiet herons"
NOW = datetime(2024, 5, 27, 2, 0, 0, 999_999, tzinfo=UTC)
SETTINGS = b'[person]\nname = "Lin"\n'


@pytest.fixture
async def place(tmp_path: Path) -> Place:
    return await Place.filled(tmp_path / "home")


def make(place: Place, target: Path, **more: Any) -> backup.Made:
    wanted = {"settings": SETTINGS, "now": NOW, "entropy": FakeEntropy(), "log_n": 4} | more
    return backup.make(place.path, target, PASSPHRASE, **wanted)


def contents(file: Path) -> dict[str, bytes]:
    """As any age and any tar read it."""
    with tarfile.open(fileobj=io.BytesIO(pyrage.passphrase.decrypt(file.read_bytes(), PASSPHRASE))) as archive:
        found = {}
        for member in archive:
            opened = archive.extractfile(member)
            assert opened is not None and member.mode == 0o600
            found[member.name] = opened.read()
        return found


def files_of(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


def holding(folder: Path, words: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


async def test_everything_is_in_it_but_the_keys(place: Place, tmp_path: Path) -> None:
    made = make(place, tmp_path / "a.age")
    found = contents(tmp_path / "a.age")
    scopes = sorted([place.scope, place.group])
    assert list(found) == [
        "manifest.json", "device.db", "niannian.toml", *(f"scopes/{scope}/memory.db" for scope in scopes),
    ]  # fmt: skip
    assert found["niannian.toml"] == SETTINGS
    said = json.loads(found["manifest.json"])
    assert (made.manifest.entries, made.manifest.groups, said["made_at"]) == (3, 1, "2024-05-27T02:00:00Z")
    for part in said["parts"]:
        data = found[part["name"]]
        assert (len(data), hashlib.sha256(data).hexdigest()) == (part["size"], part["sha256"])
    secret = (place.path / "keys" / "device.key").read_bytes()[4:]
    assert not any(secret[:32] in data or secret[32:] in data for data in found.values())
    assert made.size == (tmp_path / "a.age").stat().st_size
    assert (tmp_path / "a.age").stat().st_mode & 0o777 == 0o600


async def test_it_tells_nothing_without_the_passphrase(place: Place, tmp_path: Path) -> None:
    make(place, tmp_path / "a.age")
    for words in (*WORDS, "memory.db", "terminal:owner"):
        assert words.encode() not in (tmp_path / "a.age").read_bytes()


async def test_no_copy_stays_behind(place: Place, tmp_path: Path) -> None:
    before = {path.name for path in place.path.rglob("*")}
    make(place, tmp_path / "a.age")
    after = {path.name for path in place.path.rglob("*")}
    assert after - before <= {
        "backups",
        "making.lock",
        "last.json",
        "device.db-wal",
        "device.db-shm",
        "memory.db-wal",
        "memory.db-shm",
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.age", "home"]
    for words in WORDS:
        assert all(path.suffix in (".db", ".age") for path in holding(tmp_path, words))


async def test_a_home_that_is_being_written_is_backed_up_as_it_was_at_one_moment(place: Place, tmp_path: Path) -> None:
    """B47: the writer is another process, with an open log; it never hears of a lock."""
    command = [sys.executable, "-c", WRITER, str(place.memory_db)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as writer:
        assert writer.stdout is not None and writer.stdin is not None
        try:
            assert writer.stdout.readline() == b"begun\n"
            for number in range(5):
                make(place, tmp_path / f"{number}.age")
        finally:
            writer.stdin.close()
            said = writer.stdout.read()
    assert writer.returncode == 0
    written = int(said.split()[-1])
    seen = []
    for number in range(5):
        path = tmp_path / f"{number}.db"
        path.write_bytes(contents(tmp_path / f"{number}.age")[f"scopes/{place.scope}/memory.db"])
        with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as conn:
            rows = [row[0] for row in conn.execute("SELECT value FROM copy WHERE key GLOB 'test/*' ORDER BY key")]
            assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert len(set(rows)) <= 1 and len(rows) in (0, 2), "both rows of one transaction"
        seen.append(int(rows[0]) if rows else 0)
    assert seen == sorted(seen) and 0 < seen[-1] <= written


WRITER = """
import select, sqlite3, sys
conn = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
conn.execute("PRAGMA journal_mode = WAL")
open(sys.argv[1] + "-open", "w").close()
number = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    number += 1
    conn.execute("BEGIN IMMEDIATE")
    for name in ("test/a", "test/b"):
        conn.execute("INSERT OR REPLACE INTO copy VALUES(?, ?)", (name, f"{number:09d}"))
    conn.execute("COMMIT")
    if number == 1:
        print("begun", flush=True)
print(number)
"""


async def test_it_is_made_beside_an_open_home_of_this_process(place: Place, tmp_path: Path) -> None:
    home = await place.open()
    try:
        await home.device.keep_note("still", "in the log")
        make(place, tmp_path / "a.age")
        await home.device.keep_note("still", "able to write")
    finally:
        await home.close()
    path = tmp_path / "device.db"
    path.write_bytes(contents(tmp_path / "a.age")["device.db"])
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as conn:
        assert conn.execute("SELECT value FROM installation WHERE key = 'still'").fetchone() == ("in the log",)


async def test_a_file_that_is_there_is_left_alone_unless_told(place: Place, tmp_path: Path) -> None:
    (tmp_path / "a.age").write_bytes(b"mine")
    with pytest.raises(Rejected) as raised:
        make(place, tmp_path / "a.age")
    assert raised.value.code == "error-backup-exists"
    assert (tmp_path / "a.age").read_bytes() == b"mine"
    make(place, tmp_path / "a.age", overwrite=True)
    assert backup.verify(tmp_path / "a.age", PASSPHRASE).entries == 3


@pytest.mark.parametrize("name", [".", "missing/a.age"])
async def test_a_place_that_cannot_hold_it_is_said(place: Place, tmp_path: Path, name: str) -> None:
    with pytest.raises(Rejected) as raised:
        make(place, tmp_path / name)
    assert raised.value.code == "error-backup-place"


async def test_a_folder_without_a_home_has_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(HomeRefused):
        make(Place(tmp_path / "none"), tmp_path / "a.age")
    assert list(tmp_path.iterdir()) == []


async def test_a_damaged_home_makes_no_backup(place: Place, tmp_path: Path) -> None:
    """B51: copies of a broken file push out the good ones."""
    (tmp_path / "a.age").write_bytes(b"the good one")
    damage(place.memory_db)
    with pytest.raises(DatabaseCorrupt) as raised:
        make(place, tmp_path / "a.age", overwrite=True)
    assert raised.value.facts == {"path": str(place.memory_db)}
    assert (tmp_path / "a.age").read_bytes() == b"the good one"
    assert not (place.path / MAKING).exists()


def damage(path: Path) -> None:
    """Some pages in the middle are not what they were."""
    with path.open("r+b") as file:
        for page in range(8, 14):
            file.seek(page * 4096 + 8)
            file.write(b"\xff" * 2000)


async def test_the_files_of_a_home_are_no_place_for_its_backup(place: Place, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(place.path)
    for target in (place.device_db, place.path / "a.age", place.memory_db, tmp_path / "link" / "keys" / "device.key"):
        with pytest.raises(Rejected) as raised:
            backup.check_outside(place.path, target)
        assert raised.value.code == "error-backup-inside"
    for target in (place.path / "backups" / "a.age", place.path.parent / "a.age"):
        backup.check_outside(place.path, target)


async def test_a_memory_that_is_gone_is_said(place: Place, tmp_path: Path) -> None:
    place.memory_db.unlink()
    with pytest.raises(DatabaseCorrupt) as raised:
        make(place, tmp_path / "a.age")
    assert raised.value.code == "error-scope-missing"


async def test_a_log_of_another_time_is_not_folded_in(place: Place, tmp_path: Path) -> None:
    home = await place.open()
    memory = await home.memory(grant(UpkeepClaim(place.scope), home.device))
    await memory.turn(lambda writer: remember(writer, "in the log only"))
    log = place.memory_db.with_name("memory.db-wal")
    pages = log.read_bytes()
    await memory.turn(lambda writer: remember(writer, "and more of it"))
    await home.close()
    log.write_bytes(pages)
    with pytest.raises(DatabaseCorrupt) as raised:
        make(place, tmp_path / "a.age")
    assert raised.value.code == "error-log-foreign"


async def test_two_backups_at_once_are_one_too_many(place: Place, tmp_path: Path) -> None:
    with backup._alone(place.path), pytest.raises(StoreBusy) as raised:
        make(place, tmp_path / "a.age")
    assert raised.value.code == "error-backup-running"


async def test_what_a_killed_backup_left_is_removed_and_not_that_of_a_running_one(place: Place) -> None:
    left = place.path / MAKING
    left.mkdir(parents=True)
    (left / "device.db").write_bytes(b"words")
    with backup._alone(place.path) as making:
        (making / "device.db").write_bytes(b"words")
        backup.clear_leftovers(place.path)
        assert (making / "device.db").exists()
    left.mkdir()
    (left / "device.db").write_bytes(b"words")
    backup.clear_leftovers(place.path)
    assert not left.exists()


async def test_one_that_is_told_to_stop_leaves_nothing(place: Place, tmp_path: Path) -> None:
    asked = 0

    def count() -> bool:
        nonlocal asked
        asked += 1
        return False

    make(place, tmp_path / "a.age", stopped=count)
    (tmp_path / "a.age").unlink()
    for steps in range(0, asked, 4):
        left = iter(range(steps))
        with pytest.raises(Unavailable) as raised:
            make(place, tmp_path / "a.age", stopped=lambda left=left: next(left, None) is None)
        assert raised.value.code == "error-backup-stopped"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]
        assert not (place.path / MAKING).exists()


async def test_how_the_last_one_went_is_noted(place: Place, tmp_path: Path) -> None:
    assert backup.read_note(place.path) == backup.Note()
    backup.keep_note(place.path, backup.Note(failed_at="2024-05-26T03:00:00Z", failed="error-disk-full"))
    make(place, tmp_path / "a.age")
    note = backup.read_note(place.path)
    assert (note.made_at, note.path, note.failed) == ("2024-05-27T02:00:00Z", str(tmp_path / "a.age"), "")
    (place.path / "backups" / "last.json").write_text("[")
    assert backup.read_note(place.path) == backup.Note()


# what is read


def manifest_of(*parts: Part, **more: Any) -> Manifest:
    wanted = {"made_at": "2024-05-27T02:00:00Z", "device": "0" * 32, "instance": "", "groups": 0}
    return Manifest(parts=parts or (part_of("device.db", b""),), **(wanted | more))


def part_of(name: str, data: bytes, **more: Any) -> Part:
    return Part(name, len(data), hashlib.sha256(data).hexdigest(), **more)


def packed(manifest: Manifest, data: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    packing.write(out, manifest, lambda part: iter([data[part.name]]))
    return out.getvalue()


def read(archive: bytes) -> dict[str, bytes]:
    source = io.BytesIO(archive)
    manifest = packing.read_manifest(source)
    found: dict[str, io.BytesIO] = {}

    def sink(part: Part) -> io.BytesIO:
        return found.setdefault(part.name, io.BytesIO())

    packing.read_parts(source, manifest, sink)
    return {name: file.getvalue() for name, file in found.items()}


DATA = {"device.db": b"d" * 700, f"scopes/{'a' * 32}/memory.db": b"m" * 512, "niannian.toml": b""}
WHOLE = manifest_of(*(part_of(name, data, schema=2) for name, data in DATA.items()))


def test_reading_undoes_packing() -> None:
    assert read(packed(WHOLE, DATA)) == DATA
    assert packing.decode(packing.encode(WHOLE)) == WHOLE


def test_every_changed_byte_is_noticed() -> None:
    archive = packed(WHOLE, DATA)
    for place in range(len(archive)):
        changed = bytearray(archive)
        changed[place] ^= 0x20
        with pytest.raises(BackupRefused):
            read(bytes(changed))


def test_every_cut_and_anything_behind_is_noticed() -> None:
    archive = packed(WHOLE, DATA)
    for length in range(0, len(archive), 7):
        with pytest.raises(BackupRefused):
            read(archive[:length])
    with pytest.raises(BackupRefused):
        read(archive + b"\0")


@pytest.mark.parametrize(
    "name",
    [
        "../device.db", "/device.db", "keys/device.key", "device.db/", "./device.db", "scopes/../device.db", "lock",
        f"scopes/{'A' * 32}/memory.db", f"scopes/{'a' * 31}/memory.db", f"scopes/{'a' * 32}/memory.db-wal", "",
        "device.db\0", "niannian.toml\n",
    ],
)  # fmt: skip
def test_no_other_name_is_taken(name: str) -> None:
    with pytest.raises(BackupRefused):
        packing.decode(packing.encode(manifest_of(part_of("device.db", b""), part_of(name, b""))))


@pytest.mark.parametrize(
    "change",
    [
        {"made_at": "today"}, {"device": "0" * 31}, {"device": "../../x"}, {"instance": "x y"}, {"groups": -1},
        {"groups": True}, {"groups": "1"}, {"format": 0}, {"parts": ()}, {"parts": (part_of("niannian.toml", b""),)},
        {"parts": (part_of("device.db", b""), part_of("device.db", b""))},
        {"parts": (replace(part_of("device.db", b""), size=-1),)},
        {"parts": (replace(part_of("device.db", b""), size=1.0),)},
        {"parts": (replace(part_of("device.db", b""), sha256="x"),)},
        {"parts": (replace(part_of("device.db", b""), entries=-1),)},
        {"parts": (replace(part_of("device.db", b""), size=packing.FILE_BYTES_MAX + 1),)},
    ],
)  # fmt: skip
def test_a_manifest_that_breaks_a_rule_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BackupRefused) as raised:
        packing.decode(packing.encode(replace(manifest_of(), **change)))
    assert raised.value.code == "error-backup-damaged"


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{}", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"format":1}', packing.encode(manifest_of()) + b" ",
        packing.encode(manifest_of()).replace(b'"groups":0', b'"groups":0,"groups":0'),
        packing.encode(manifest_of()).replace(b'"groups":0', b'"groups":0,"more":0'),
        packing.encode(manifest_of()).replace(b":", b": ", 1),
    ],
)  # fmt: skip
def test_a_manifest_has_one_spelling(data: bytes) -> None:
    with pytest.raises(BackupRefused):
        packing.decode(data)


def test_a_newer_format_says_both_numbers() -> None:
    data = packing.encode(replace(manifest_of(), format=7))
    with pytest.raises(BackupRefused) as raised:
        packing.decode(data)
    assert (raised.value.code, raised.value.facts) == ("error-backup-newer", {"found": 7, "known": 1})


def test_a_link_in_the_place_of_a_file_is_refused() -> None:
    archive = bytearray(packed(WHOLE, DATA))
    at = archive.index(b"device.db\0" + bytes(50))
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.XHDTYPE):
        info = tarfile.TarInfo("device.db")
        info.size, info.mode, info.type, info.linkname = 700, 0o600, kind, "../../etc/passwd"
        archive[at : at + 512] = info.tobuf(tarfile.USTAR_FORMAT)
        with pytest.raises(BackupRefused):
            read(bytes(archive))


def test_another_archive_is_called_so() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("notes.txt"))
    for data in (out.getvalue(), b"", b"words", bytes(2048)):
        with pytest.raises(BackupRefused) as raised:
            read(data)
        assert raised.value.code == "error-backup-contents"


def test_the_format_stays_what_it_is() -> None:
    """A backup of years ago opens; and the same home gives the same bytes."""
    vector = json.loads((Path(__file__).with_name("backup_format_1.json")).read_text("utf-8"))
    data = base64.b64decode(vector["sealed"])
    found: dict[str, io.BytesIO] = {}
    source = Opener(io.BytesIO(data), vector["passphrase"])
    manifest = packing.read_manifest(source)
    packing.read_parts(source, manifest, lambda part: found.setdefault(part.name, io.BytesIO()))
    files = {name: file.getvalue().decode() for name, file in found.items()}
    assert (files, packing.encode(manifest).decode()) == (vector["files"], vector["manifest"])
    out = io.BytesIO()
    sealer = Sealer(out, vector["passphrase"], FakeEntropy(vector["entropy"]), log_n=vector["log_n"])
    packing.write(sealer, manifest, lambda part: iter([files[part.name].encode()]))
    sealer.close()
    assert out.getvalue() == data


# what comes back


def sealed(path: Path, archive: bytes) -> Path:
    with path.open("wb") as file:
        sealer = Sealer(file, PASSPHRASE, FakeEntropy(), log_n=4)
        sealer.write(archive)
        sealer.close()
    return path


async def test_what_was_unpacked_is_what_was_packed(place: Place, tmp_path: Path) -> None:
    make(place, tmp_path / "a.age")
    home = tmp_path / "other"
    home.mkdir()
    manifest = unpacking.unpack(tmp_path / "a.age", PASSPHRASE, home)
    assert manifest == backup.verify(tmp_path / "a.age", PASSPHRASE) == unpacking.look(tmp_path / "a.age", PASSPHRASE)
    wanted = contents(tmp_path / "a.age")
    del wanted["manifest.json"]
    assert files_of(unpacking.new_home(home)) == wanted
    for path in unpacking.new_home(home).rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


@pytest.fixture
async def good(place: Place, tmp_path: Path) -> dict[str, bytes]:
    make(place, tmp_path / "good.age")
    return contents(tmp_path / "good.age")


def broken(good: dict[str, bytes], change: Callable[[dict[str, bytes]], None]) -> bytes:
    """A backup whose maker knew the passphrase and said what is not so."""
    manifest = packing.decode(good["manifest.json"])
    data = dict(good)
    change(data)
    parts = [replace(part, **_sized(data[part.name])) for part in manifest.parts if part.name in data]
    return packed(replace(manifest, parts=tuple(parts)), data)


def _sized(data: bytes) -> dict[str, Any]:
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


async def test_a_damaged_database_is_refused_though_every_hash_is_right(
    place: Place, tmp_path: Path, good: dict[str, bytes]
) -> None:
    def change(data: dict[str, bytes]) -> None:
        path = tmp_path / "x.db"
        path.write_bytes(data[f"scopes/{place.scope}/memory.db"])
        damage(path)
        data[f"scopes/{place.scope}/memory.db"] = path.read_bytes()

    home = tmp_path / "other"
    home.mkdir()
    with pytest.raises(BackupRefused):
        unpacking.unpack(sealed(tmp_path / "b.age", broken(good, change)), PASSPHRASE, home)


async def test_what_is_no_database_is_refused(tmp_path: Path, good: dict[str, bytes]) -> None:
    home = tmp_path / "other"
    home.mkdir()
    archive = broken(good, lambda data: data.update({"device.db": b"words" * 1000}))
    with pytest.raises(BackupRefused):
        unpacking.unpack(sealed(tmp_path / "b.age", archive), PASSPHRASE, home)


async def test_a_backup_of_a_newer_program_says_both_numbers(tmp_path: Path, good: dict[str, bytes]) -> None:
    manifest = packing.decode(good["manifest.json"])
    newer = replace(manifest, parts=tuple(replace(part, schema=99) for part in manifest.parts))
    path = sealed(tmp_path / "b.age", packed(newer, good))
    for read_it in (lambda: unpacking.look(path, PASSPHRASE), lambda: unpacking.unpack(path, PASSPHRASE, tmp_path)):
        with pytest.raises(NewerSchema) as raised:
            read_it()
        assert raised.value.facts["found"] == 99
    assert not (tmp_path / "restoring").exists()


async def test_a_backup_too_big_for_the_disk_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    parts = [part_of("device.db", b"")]
    parts += [Part(f"scopes/{n:032x}/memory.db", packing.FILE_BYTES_MAX, "0" * 64) for n in range(3000)]
    path = sealed(tmp_path / "b.age", _head_of(manifest_of(*parts)))
    with pytest.raises(Unavailable) as raised:
        unpacking.unpack(path, PASSPHRASE, tmp_path)
    assert raised.value.code == "error-restore-room"
    assert not (tmp_path / "restoring").exists()


def _head_of(manifest: Manifest) -> bytes:
    data = packing.encode(manifest)
    return packing._header(packing.MANIFEST, len(data)) + data + bytes(-len(data) % 512)
