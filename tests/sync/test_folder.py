"""The shared folder while other programs move its files: torn, late, doubled, gone. What any transport keeps to is in tests/contract."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sync.errors import TransportDown
from sync.transports.folder import FRAME_BYTES_MAX, SEGMENT_BYTES_MAX, Folder, _read, _size
from tests.fakes import FakeClock
from tests.sync.world import found, make_device, settle

SCOPE = "5c" * 16
A = "aa" * 16


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + hashlib.sha256(body).digest()[:4] + body


class Shared:
    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.root = root
        self.folder = Folder(root)
        self.stream = root / "niannian" / SCOPE / A

    def segment(self, number: int) -> Path:
        return self.stream / f"{number:08d}.seg"

    def lay(self, number: int, data: bytes) -> None:
        """What a sync tool brings."""
        self.stream.mkdir(parents=True, exist_ok=True)
        self.segment(number).write_bytes(data)

    async def publish(self, *bodies: bytes) -> None:
        await self.folder.publish(SCOPE, A, bodies)

    async def read(self, cursor: str = "") -> tuple[list[bytes], str]:
        fetched = await self.folder.fetch(SCOPE, A, cursor)
        return list(fetched.envelopes), fetched.cursor


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path / "shared")


def files(root: Path) -> dict[Path, bytes]:
    return {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}


async def test_a_device_writes_only_in_its_own_directory_and_only_adds(shared: Shared) -> None:
    """A sync tool that sees one file changed by two, or shortened, makes conflict copies of it."""
    other = "bb" * 16
    await shared.folder.publish(SCOPE, other, [b"another's"])
    own = Path("niannian") / SCOPE / A
    for number in range(40):
        before = files(shared.root)
        await shared.publish(bytes([number]) * 20_000)
        after = files(shared.root)
        for path, data in after.items():
            assert before.get(path, data) == data or path.parent == own
            assert data.startswith(before.get(path, b"")) and len(data) <= SEGMENT_BYTES_MAX
        assert before.keys() <= after.keys()
    assert len([path for path in files(shared.root) if path.parent == own]) == 4


async def test_a_file_is_whole_or_not_there_and_stays_as_it_is(shared: Shared) -> None:
    """What a crash left under a temporary name is not read, and does not stand in the way."""
    name = "wraps/00000001-aa.wrap"
    left = shared.root / "niannian" / SCOPE / f"{name}.{os.getpid()}-7.tmp"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"ha")
    assert await shared.folder.get(SCOPE, name) is None
    assert list(await shared.folder.names(SCOPE, "wraps/")) == []
    for data in (b"half of it was lost", b"another"):
        await shared.folder.put(SCOPE, name, data)
        assert await shared.folder.get(SCOPE, name) == b"half of it was lost"
    left.unlink()
    assert [path.name for path in left.parent.iterdir()] == ["00000001-aa.wrap"]


async def test_of_two_that_put_one_name_at_once_one_wins_and_both_see_it(shared: Shared) -> None:
    """Else each of two newcomers would take itself for the only one."""
    for number in range(30):
        name = f"pair/{number:02d}/1"
        folders = [Folder(shared.root) for _ in range(4)]
        await asyncio.gather(*(folder.put(SCOPE, name, bytes([which])) for which, folder in enumerate(folders)))
        seen = {await folder.get(SCOPE, name) for folder in folders}
        assert len(seen) == 1 and None not in seen
        assert [path.name for path in (shared.root / "niannian" / SCOPE / name).parent.iterdir()] == ["1"]


async def test_behind_a_torn_tail_a_new_segment_goes_on(shared: Shared) -> None:
    await shared.publish(b"one")
    with shared.segment(1).open("ab") as file:
        file.write(frame(b"two")[:-1])
    _, cursor = await shared.read()
    await shared.publish(b"two")
    assert shared.segment(2).read_bytes() == frame(b"two")
    assert (await shared.read(cursor))[0] == [b"two"]
    assert (await shared.read())[0] == [b"one", b"two"]


async def test_killed_at_any_byte_of_a_write_the_stream_goes_on_whole(shared: Shared) -> None:
    """B65: what was cut off is published again as the same bytes, and a reader gets each of them once."""
    written = frame(b"two") + frame(b"three")
    for cut in range(len(written) + 1):
        shared.lay(1, frame(b"one") + written[:cut])
        shared.segment(2).unlink(missing_ok=True)
        first, cursor = await shared.read()
        lost = [body for body in (b"two", b"three") if body not in first]
        await shared.publish(*lost)
        second, cursor = await shared.read(cursor)
        assert first + second == [b"one", b"two", b"three"], cut
        assert (await shared.read(cursor))[0] == []


async def test_killed_between_any_two_steps_of_a_replacement_it_is_put_right(shared: Shared) -> None:
    """The new segments come one by one, then the old ones go one by one."""
    old, new = [b"1" * 150_000, b"2" * 150_000], [b"3" * 150_000, b"4" * 150_000]
    for steps in range(5):
        shutil.rmtree(shared.root / "niannian", ignore_errors=True)
        await shared.publish(*old)
        _, cursor = await shared.read()
        for number, body in list(enumerate(new, 3))[:steps]:
            shared.lay(number, frame(body))
        for number in range(1, steps - 1):
            shared.segment(number).unlink()
        got, cursor = await shared.read(cursor)
        await shared.folder.replace(SCOPE, A, new)
        assert (await shared.read())[0] == new
        again, cursor = await shared.read(cursor)
        assert {*got, *again} >= set(new), steps
        assert not {*again} & {*old}


async def test_a_half_arrived_segment_is_read_on_when_it_grows(shared: Shared) -> None:
    whole = frame(b"one") + frame(b"two")
    for cut in range(len(whole)):
        shared.lay(1, whole[:cut])
        first, cursor = await shared.read()
        shared.lay(1, whole)
        second, cursor = await shared.read(cursor)
        assert first + second == [b"one", b"two"], cut
        assert (await shared.read(cursor))[0] == []


async def test_segments_that_arrive_out_of_order_are_all_read(shared: Shared) -> None:
    shared.lay(3, frame(b"three"))
    got, cursor = await shared.read()
    shared.lay(1, frame(b"one"))
    more, cursor = await shared.read(cursor)
    shared.lay(2, frame(b"two"))
    last, _ = await shared.read(cursor)
    assert [got, more, last] == [[b"three"], [b"one"], [b"two"]]


COPIES = [
    "00000001 2.seg", "00000001 (1).seg", "00000001 (conflicted copy).seg",
    "00000001 (Lin's conflicted copy 2024-05-27).seg", "00000001.sync-conflict-20240527-020000-ABCDEFG.seg",
    ".00000001.seg.icloud", "~00000001.seg", "00000002.seg.tmp", ".syncthing.00000002.seg.tmp",
]  # fmt: skip


@pytest.mark.parametrize("name", [*COPIES, "1.seg", "０００００００２.seg"])
async def test_conflict_copies_and_placeholders_are_not_read(shared: Shared, name: str) -> None:
    await shared.publish(b"one")
    (shared.stream / name).write_bytes(frame(b"junk"))
    assert (await shared.read())[0] == [b"one"]
    await shared.publish(b"two")
    assert (await shared.read())[0] == [b"one", b"two"]


@pytest.mark.parametrize(
    "name", ["a..b.entry", "00000000-aa.entry.7.tmp", "00000000-aa 2.entry", "Thumbs.db", ".hidden"]
)
async def test_files_of_another_form_are_not_named(shared: Shared, name: str) -> None:
    await shared.folder.put(SCOPE, "roster/00000000-aa.entry", b"x")
    (shared.root / "niannian" / SCOPE / "roster" / name).write_bytes(b"junk")
    assert list(await shared.folder.names(SCOPE, "roster/")) == ["roster/00000000-aa.entry"]


async def test_a_directory_in_the_place_of_a_file_is_no_file(shared: Shared) -> None:
    await shared.publish(b"one")
    shared.segment(2).mkdir()
    (shared.root / "niannian" / SCOPE / "wraps" / "00000001-aa.wrap").mkdir(parents=True)
    assert (await shared.read())[0] == [b"one"]
    assert await shared.folder.get(SCOPE, "wraps/00000001-aa.wrap") is None
    assert list(await shared.folder.names(SCOPE, "wraps/")) == []


async def test_a_pipe_in_the_place_of_a_file_is_no_file(shared: Shared) -> None:
    await shared.publish(b"one")
    os.mkfifo(shared.segment(2))
    notes = shared.root / "niannian" / SCOPE / "pair" / "01"
    notes.mkdir(parents=True)
    os.mkfifo(notes / "1")
    assert (await shared.read())[0] == [b"one"]
    assert await shared.folder.get(SCOPE, "pair/01/1") is None
    assert list(await shared.folder.names(SCOPE, "pair/01/")) == []


async def test_an_oversized_frame_ends_its_segment_only(shared: Shared) -> None:
    shared.lay(1, frame(b"one") + (FRAME_BYTES_MAX + 1).to_bytes(4, "big") + b"\xff" * 100)
    shared.lay(2, frame(b"two"))
    shared.lay(3, b"\xff" * 64)
    assert (await shared.read())[0] == [b"one", b"two"]


async def test_a_frame_with_a_wrong_sum_ends_its_segment_only(shared: Shared) -> None:
    shared.lay(1, frame(b"one") + b"\0\0\0\x03\0\0\0\0two" + frame(b"three"))
    shared.lay(2, frame(b"four"))
    assert (await shared.read())[0] == [b"one", b"four"]


async def test_a_segment_ends_at_its_bound(shared: Shared) -> None:
    body = bytes(SEGMENT_BYTES_MAX // 2 - 8)
    await shared.publish(body)
    await shared.publish(body)
    assert shared.segment(1).stat().st_size == SEGMENT_BYTES_MAX
    await shared.publish(b"next")
    assert shared.segment(2).read_bytes() == frame(b"next")


async def test_what_does_not_fit_begins_a_segment(shared: Shared) -> None:
    body = bytes(SEGMENT_BYTES_MAX // 2 - 7)
    await shared.publish(body)
    await shared.publish(body, b"small")
    assert [shared.segment(n).stat().st_size for n in (1, 2)] == [len(frame(body)), len(frame(body)) + 13]
    large = bytes(3 * SEGMENT_BYTES_MAX)
    await shared.publish(large)
    assert shared.segment(3).read_bytes() == frame(large)
    assert (await shared.read())[0] == [body, body, b"small", large]


async def test_a_segment_that_was_replaced_is_read_anew(shared: Shared) -> None:
    shared.lay(1, frame(b"one") + frame(b"six"))
    _, cursor = await shared.read()
    shared.lay(1, frame(b"one") + frame(b"two") + frame(b"six"))
    assert (await shared.read(cursor))[0] == [b"one", b"two", b"six"]


async def test_a_rolled_back_folder_is_read_anew(shared: Shared) -> None:
    await shared.publish(b"one", b"two")
    _, cursor = await shared.read()
    shared.lay(1, frame(b"one"))
    fetched = await shared.folder.fetch(SCOPE, A, cursor)
    assert fetched.reset and list(fetched.envelopes) == [b"one"]


async def test_when_one_segment_has_changed_all_are_read_anew(shared: Shared) -> None:
    shared.lay(1, frame(b"one"))
    shared.lay(2, frame(b"two") + frame(b"three"))
    _, cursor = await shared.read()
    for changed in (frame(b"two"), frame(b"TWO") + frame(b"three") + frame(b"four")):
        shared.lay(2, changed)
        fetched = await shared.folder.fetch(SCOPE, A, cursor)
        assert fetched.reset
        assert next(iter(fetched.envelopes)) == b"one"
        assert (await shared.read(fetched.cursor))[0] == []


async def test_only_segments_are_withdrawn(shared: Shared) -> None:
    await shared.publish(b"one")
    (shared.stream / "note.txt").write_text("not ours")
    await shared.folder.replace(SCOPE, A, [])
    assert [path.name for path in shared.stream.iterdir()] == ["note.txt"]


async def test_what_replaces_a_stream_stands_above_all_that_stood_there(shared: Shared) -> None:
    """A sync tool that brings names in any order never sees one name with two contents."""
    await shared.publish(b"one")
    shared.lay(7, frame(b"seven")[:-1])
    await shared.folder.replace(SCOPE, A, [b"new"])
    assert {path.name: path.read_bytes() for path in shared.stream.iterdir()} == {"00000008.seg": frame(b"new")}


@pytest.mark.parametrize("name", COPIES)
async def test_copies_that_a_sync_tool_made_of_withdrawn_segments_go_with_them(shared: Shared, name: str) -> None:
    """Else a forgotten entry would lie on in a conflict copy, sealed under a key that every device has."""
    await shared.publish(b"one")
    (shared.stream / name).write_bytes(frame(b"one"))
    await shared.folder.replace(SCOPE, A, [b"new"])
    assert [path.name for path in shared.stream.iterdir()] == ["00000002.seg"]


async def test_a_replacement_that_was_cut_off_is_put_right_by_a_repeat(shared: Shared) -> None:
    """Both are there, and a reader has been there meanwhile."""
    await shared.publish(b"one", b"two")
    _, cursor = await shared.read()
    shared.lay(2, frame(b"new"))
    got, cursor = await shared.read(cursor)
    assert got == [b"new"]
    await shared.folder.replace(SCOPE, A, [b"new"])
    assert (await shared.read())[0] == [b"new"]
    assert (await shared.read(cursor))[0] == [b"new"], "again, which harms nothing"


async def test_a_withdrawal_that_arrives_before_what_replaces_it_loses_nothing(shared: Shared) -> None:
    await shared.publish(b"one", b"two")
    _, cursor = await shared.read()
    shared.segment(1).unlink()
    got, cursor = await shared.read(cursor)
    assert got == []
    shared.lay(2, frame(b"new"))
    assert (await shared.read(cursor))[0] == [b"new"]


async def test_a_missing_folder_is_down_and_is_not_made(tmp_path: Path) -> None:
    """A stick that is not plugged in is not an empty one."""
    folder = Folder(tmp_path / "stick")
    for call in (
        folder.publish(SCOPE, A, [b"one"]), folder.fetch(SCOPE, A, ""), folder.authors(SCOPE),
        folder.put(SCOPE, "roster/a", b""), folder.get(SCOPE, "roster/a"), folder.names(SCOPE, "roster/"),
        folder.replace(SCOPE, A, []), folder.discard(SCOPE, prefix="pair/1/"),
    ):  # fmt: skip
        with pytest.raises(TransportDown):
            await call
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def locked(shared: Shared) -> Iterator[Shared]:
    if os.geteuid() == 0:
        pytest.skip("nothing is unwritable for root")
    shared.root.chmod(0o500)
    yield shared
    shared.root.chmod(0o700)


async def test_an_unwritable_folder_is_down(locked: Shared) -> None:
    with pytest.raises(TransportDown):
        await locked.publish(b"one")


def mount(*options: str) -> None:
    if os.geteuid() != 0 or subprocess.run(["mount", *options], capture_output=True, check=False).returncode:
        pytest.skip("nothing may be mounted here")


@pytest.fixture
def stick(tmp_path: Path) -> Iterator[Shared]:
    """A file system of one megabyte."""
    shared = Shared(tmp_path / "stick")
    mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(shared.root))
    yield shared
    subprocess.run(["umount", shared.root], check=True)


async def test_a_read_only_folder_is_read_and_what_would_write_is_down(stick: Shared) -> None:
    await stick.publish(b"one")
    await stick.folder.put(SCOPE, "roster/00000000-aa.entry", b"x")
    mount("-o", "remount,ro", str(stick.root))
    assert (await stick.read())[0] == [b"one"]
    assert await stick.folder.get(SCOPE, "roster/00000000-aa.entry") == b"x"
    assert list(await stick.folder.names(SCOPE, "roster/")) == ["roster/00000000-aa.entry"]
    await stick.folder.put(SCOPE, "roster/00000000-aa.entry", b"already there")
    for call in (
        stick.publish(b"two"), stick.folder.put(SCOPE, "roster/00000001-bb.entry", b"y"),
        stick.folder.replace(SCOPE, A, [b"new"]), stick.folder.replace(SCOPE, A, []),
        stick.folder.discard(SCOPE, prefix="roster/"),
    ):  # fmt: skip
        with pytest.raises(TransportDown):
            await call
    assert (await stick.read())[0] == [b"one"]


FILLED_MAX = 200


async def fill(shared: Shared, kept: list[bytes]) -> None:
    """Publishes until it is refused; what was taken stands in `kept`."""
    for _ in range(FILLED_MAX):
        body = bytes([len(kept)]) * 30_000
        await shared.publish(body)
        kept.append(body)


async def test_a_full_disk_is_down_and_loses_and_leaves_nothing(stick: Shared) -> None:
    """Each attempt that fails leaves the stream as it was: else a hundred of them make a hundred segments."""
    filler = stick.root / "filler"
    filler.write_bytes(bytes(500_000))
    kept: list[bytes] = []
    with pytest.raises(TransportDown):
        await fill(stick, kept)
    body = bytes([len(kept)]) * 30_000
    segments = [path.name for path in sorted(stick.stream.iterdir())]
    for _ in range(20):
        with pytest.raises(TransportDown):
            await stick.publish(body, b"behind it")
    assert len(list(stick.stream.iterdir())) <= len(segments) + 1
    assert (await stick.read())[0] == kept
    with pytest.raises(TransportDown):
        await stick.folder.replace(SCOPE, A, [bytes(600_000)])
    assert (await stick.read())[0] == kept, "what stood there goes only when the new is safe"
    with pytest.raises(TransportDown):
        await stick.folder.put(SCOPE, "wraps/00000001-aa.wrap", bytes(600_000))
    assert await stick.folder.get(SCOPE, "wraps/00000001-aa.wrap") is None
    assert list((stick.root / "niannian" / SCOPE / "wraps").iterdir()) == []
    filler.unlink()
    await stick.publish(body, b"behind it")
    assert (await stick.read())[0] == [*kept, body, b"behind it"]


def test_a_segment_that_vanishes_while_it_is_looked_at_is_passed_over(shared: Shared) -> None:
    """A sync tool may take it between two calls; the streams of others must not wait for that."""
    assert (_size(shared.segment(1)), _read(shared.segment(1))) == (-1, None)


async def test_a_segment_that_cannot_be_read_now_stops_no_other(shared: Shared) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is unreadable for root")
    shared.lay(1, frame(b"one"))
    shared.lay(2, frame(b"two"))
    shared.segment(1).chmod(0)
    got, cursor = await shared.read()
    assert got == [b"two"]
    shared.segment(1).chmod(0o600)
    assert (await shared.read(cursor))[0] == [b"one"]


async def test_a_file_where_a_directory_should_be_is_down(shared: Shared) -> None:
    (shared.root / "niannian").write_text("")
    with pytest.raises(TransportDown):
        await shared.publish(b"one")


async def test_local_work_goes_on_without_the_folder_and_is_carried_later(tmp_path: Path, shared: Shared) -> None:
    clock = FakeClock()
    home = await make_device(tmp_path, "home", shared.folder, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", shared.folder, clock, home)
    await home.remember("车停在 B2")
    await settle(home, phone)
    shutil.rmtree(shared.root)
    await home.remember("牙医周二")
    for device in (home, phone):
        with pytest.raises(TransportDown):
            await device.sync()
    assert await home.texts() == ["牙医周二", "车停在 B2"]
    shared.root.mkdir()
    await settle(home, phone)
    assert await phone.texts() == await home.texts() == ["牙医周二", "车停在 B2"]
    await home.close()
    await phone.close()
