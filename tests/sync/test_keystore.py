"""Small secrets by name: whole or not there, readable by their owner only; one suite for both stores."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sync.keystore import FileKeyStore, MemoryKeyStore
from sync.ports import KeyStore


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> KeyStore:
    return FileKeyStore(tmp_path) if request.param == "file" else MemoryKeyStore()


def test_what_was_saved_is_there(store: KeyStore) -> None:
    assert store.load("aa/00000001") is None
    store.save("aa/00000001", b"one")
    store.save("aa/00000002", b"two")
    assert (store.load("aa/00000001"), store.load("aa/00000002"), store.load("bb/00000001")) == (b"one", b"two", None)


def test_saving_again_replaces(store: KeyStore) -> None:
    store.save("aa/1", b"one")
    store.save("aa/1", b"")
    assert store.load("aa/1") == b""


def test_deleting_is_no_matter_how_often(store: KeyStore) -> None:
    store.save("aa/1", b"one")
    for _ in range(2):
        store.delete("aa/1")
    assert store.load("aa/1") is None


def test_only_their_owner_reads_the_files(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        FileKeyStore(tmp_path).save("aa/1", b"one")
    finally:
        os.umask(before)
    path = tmp_path / "keys" / "scopes" / "aa" / "1"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    for folder in (tmp_path / "keys", tmp_path / "keys" / "scopes"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_draft_left_by_a_crash_is_no_secret(tmp_path: Path) -> None:
    store = FileKeyStore(tmp_path)
    store.save("aa/1", b"one")
    (tmp_path / "keys" / "scopes" / "aa" / "1.new").write_bytes(b"half")
    assert store.load("aa/1") == b"one"
    store.save("aa/1", b"two")
    assert store.load("aa/1") == b"two"
    assert [path.name for path in (tmp_path / "keys" / "scopes" / "aa").iterdir()] == ["1"]
