"""Picking up files: whatever is dangerous is refused before anything is read, whatever is odd is named (B13, B68)."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from store.errors import NotFound, Rejected
from store.formats import files
from store.formats.files import collect
from store.pieces import Trouble


def zipped(path: Path, *items: tuple[str | zipfile.ZipInfo, bytes], deflate: bool = True) -> Path:
    method = zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in items:
            archive.writestr(name, data, compress_type=method)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(Rejected) as caught:
        collect(path)
    return caught.value.code


# folders


def test_a_folder_is_read_in_the_order_of_names_without_what_is_hidden(tmp_path: Path) -> None:
    for name in ("b.md", "a/z.md", "a/.git/x.md", ".hidden/x.md", "node_modules/x.md", "memory/.dreams/x.md", "c.PNG"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    found = collect(tmp_path)
    assert [file.path for file in found.files] == ["a/z.md", "b.md"]
    assert found.ignored == ["c.PNG"]
    assert not found.troubles


def test_a_single_file_is_its_name(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_bytes(b"hello")
    found = collect(tmp_path / "notes.md")
    assert [(file.path, file.data) for file in found.files] == [("notes.md", b"hello")]


def test_a_link_that_a_person_names_is_followed_but_none_inside_is(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_text("a")
    (tmp_path / "secret.md").write_text("not yours")
    (tmp_path / "real" / "link.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "real" / "folder").symlink_to(tmp_path)
    (tmp_path / "named").symlink_to(tmp_path / "real")
    (tmp_path / "one.md").symlink_to(tmp_path / "real" / "a.md")
    found = collect(tmp_path / "named")
    assert [file.path for file in found.files] == ["a.md"]
    assert found.troubles == [Trouble("folder", 0, "trouble-link"), Trouble("link.md", 0, "trouble-link")]
    assert [file.data for file in collect(tmp_path / "one.md").files] == [b"a"]


def test_what_is_no_file_is_never_opened(tmp_path: Path) -> None:
    """Opening a pipe that nobody writes to would wait for ever."""
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "a.md").write_text("a")
    found = collect(tmp_path)
    assert [file.path for file in found.files] == ["a.md"]
    assert found.troubles == [Trouble("pipe.md", 0, "trouble-special")]
    assert refusal(tmp_path / "pipe.md") == "error-import-special"


def test_a_name_that_cannot_be_shown_is_named_as_far_as_it_can(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.md")).write_text("a")
    (tmp_path / "a\nb.md").write_text("a")
    found = collect(tmp_path)
    assert not found.files
    assert {trouble.code for trouble in found.troubles} == {"trouble-name"}
    assert all(trouble.path.isprintable() for trouble in found.troubles)


def test_too_many_and_too_large_are_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        (tmp_path / f"{number}.md").write_bytes(b"x" * 100)
    monkeypatch.setattr(files, "FILES_MAX", 4)
    monkeypatch.setattr(files, "BYTES_MAX", 400)
    assert len(collect(tmp_path).files) == 4
    monkeypatch.setattr(files, "_bytes", lambda found: pytest.fail("read"))
    monkeypatch.setattr(files, "BYTES_MAX", 399)
    assert refusal(tmp_path) == "error-import-large"
    (tmp_path / "picture.png").write_bytes(b"")
    assert refusal(tmp_path) == "error-import-many"


def test_folders_without_end_are_refused(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(files.DEPTH_MAX):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("a")
    assert len(collect(tmp_path).files) == 1
    (deep / "d").mkdir()
    assert refusal(tmp_path) == "error-import-deep"


@pytest.mark.parametrize("text", ["longer than before", "BEFORE"])
def test_a_file_that_changes_under_our_eyes_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "a.md").write_text("before")
    os.utime(tmp_path / "a.md", ns=(5, 5))
    (tmp_path / "b.md").write_text("b")
    read = files._bytes

    def changed(found: files._Found) -> bytes | None:
        if found.name == "a.md":
            found.path.write_text(text)
        return read(found)

    monkeypatch.setattr(files, "_bytes", changed)
    found = collect(tmp_path)
    assert [file.path for file in found.files] == ["b.md"]
    assert found.troubles == [Trouble("a.md", 0, "trouble-changed")]


def test_a_file_that_is_written_while_it_is_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same length, so that only its time tells."""
    (tmp_path / "a.md").write_text("before")
    os.utime(tmp_path / "a.md", ns=(5, 5))
    seen: list[int] = []
    fstat = os.fstat

    def written(descriptor: int) -> os.stat_result:
        seen.append(descriptor)
        if len(seen) == 2:
            (tmp_path / "a.md").write_text("behind")
        return fstat(descriptor)

    monkeypatch.setattr(os, "fstat", written)
    assert collect(tmp_path / "a.md").troubles == [Trouble("a.md", 0, "trouble-changed")]


def test_a_file_that_became_a_link_after_it_was_found_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("mine")
    (tmp_path / "secret").write_text("not yours")
    read = files._bytes

    def swapped(found: files._Found) -> bytes | None:
        found.path.unlink()
        found.path.symlink_to(tmp_path / "secret")
        return read(found)

    monkeypatch.setattr(files, "_bytes", swapped)
    found = collect(tmp_path / "in")
    assert not found.files
    assert found.troubles == [Trouble("a.md", 0, "trouble-unreadable")]


def test_a_file_that_became_a_pipe_after_it_was_found_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("mine")
    read = files._bytes

    def swapped(found: files._Found) -> bytes | None:
        found.path.unlink()
        os.mkfifo(found.path)
        return read(found)

    monkeypatch.setattr(files, "_bytes", swapped)
    assert collect(tmp_path).troubles == [Trouble("a.md", 0, "trouble-changed")]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        collect(tmp_path / "nothing")
    with pytest.raises(Rejected):
        collect(Path("nul\0"))


# zips


def test_a_zip_is_read_like_a_folder(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", ("n/b.md", b"b"), ("n/a.md", b"a"), ("n/.git/x.md", b"x"), ("n/p.png", b"p"))
    found = collect(path)
    assert [(file.path, file.data) for file in found.files] == [("n/a.md", b"a"), ("n/b.md", b"b")]
    assert found.ignored == ["n/p.png"]


def test_chinese_names_of_old_packers_are_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", ("AB.md", b"a"))
    data = path.read_bytes().replace(b"AB.md", "记".encode("gb18030") + b".md")
    path.write_bytes(data)
    assert [file.path for file in collect(path).files] == ["记.md"]


@pytest.mark.parametrize("name", ["../../x.md", "a/../x.md", "/etc/x.md", "C:x.md", "c:/x.md", "a\\b.md", "a\nb.md"])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", ("good.md", b"a"), (zipfile.ZipInfo(name), b"x"))
    assert refusal(path) == "error-import-name"


def test_a_nul_in_a_name_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", ("aXb.md", b"a"))
    path.write_bytes(path.read_bytes().replace(b"aXb.md", b"a\0b.md"))
    assert refusal(path) == "error-import-name"


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o600, stat.S_IFCHR | 0o600])
def test_links_and_devices_in_a_zip_are_refused(tmp_path: Path, mode: int) -> None:
    info = zipfile.ZipInfo("link.md")
    info.external_attr = mode << 16
    assert refusal(zipped(tmp_path / "a.zip", (info, b"/etc/passwd"))) == "error-import-special"


def test_a_bomb_is_refused_without_inflating_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_inflated", lambda *_: pytest.fail("inflated"))
    path = zipped(tmp_path / "a.zip", ("a.md", b"\0" * (10 << 20)))
    assert refusal(path) == "error-import-ratio"
    path = zipped(tmp_path / "b.zip", ("a.md", os.urandom(400) * 40), ("b.md", os.urandom(300)))
    monkeypatch.setattr(files, "BYTES_MAX", 10_000)
    assert refusal(path) == "error-import-large"


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path: Path) -> None:
    """The size in the list of contents is what we go by, and what the inflating stops at."""
    body = os.urandom(2000) * 50
    path = zipped(tmp_path / "a.zip", ("a.md", body))
    path.write_bytes(path.read_bytes().replace(struct.pack("<L", len(body)), struct.pack("<L", 500)))
    assert refusal(path) == "error-import-zip"


def test_a_list_of_contents_that_is_too_long_is_not_even_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "a.zip", *((f"{number}.md", b"x") for number in range(12)))
    monkeypatch.setattr(files, "FILES_MAX", 12)
    assert len(collect(path).files) == 12
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("read"))
    monkeypatch.setattr(files, "FILES_MAX", 11)
    assert refusal(path) == "error-import-many"
    monkeypatch.setattr(files, "FILES_MAX", 12)
    monkeypatch.setattr(files, "DIRECTORY_BYTES_MAX", 100)
    assert refusal(path) == "error-import-many"


def test_a_packed_file_inside_is_refused_whatever_it_is_called(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.md", "x")
    assert refusal(zipped(tmp_path / "a.zip", ("b.zip", inner.getvalue()))) == "error-import-archive"
    assert refusal(zipped(tmp_path / "b.zip", ("b.md", inner.getvalue()))) == "error-import-archive"
    (tmp_path / "c.tar.gz").write_bytes(b"\x1f\x8b")
    assert refusal(tmp_path / "c.tar.gz") == "error-import-archive"


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", ("a.md", b"1"), ("b.md", b"2"))
    path.write_bytes(path.read_bytes().replace(b"b.md", b"a.md"))
    assert refusal(path) == "error-import-twice"


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", ("a.md", b"1"))
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    path.write_bytes(data)
    assert refusal(path) == "error-import-locked"


@pytest.mark.parametrize("cut", [0, 4, 30, -1, -30])
def test_a_damaged_zip_is_refused(tmp_path: Path, cut: int) -> None:
    path = zipped(tmp_path / "a.zip", ("a.md", b"hello " * 50))
    path.write_bytes(path.read_bytes()[:cut] if cut else b"")
    assert refusal(path) == "error-import-zip"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_ways_of_packing_that_inflate_without_a_bound_are_refused(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a.md", "hello")
    assert refusal(tmp_path / "a.zip") == "error-import-zip"
