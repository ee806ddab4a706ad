"""What kind of place a folder is, told from texts and marks: no network is needed to know one."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from store.errors import HomeRefused
from store.home import Home
from store.surroundings import (
    NETWORK_KINDS,
    conflict_copies,
    network_kind,
    refuse_network,
    synchronised_by,
    system_mounts,
)
from tests.fakes import FakeClock, FakeEntropy

MOUNTS = """\
/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
tmpfs /run tmpfs rw 0 0
server:/export /mnt/nas nfs4 rw,vers=4.2 0 0
//server/share /mnt/my\\040share cifs rw 0 0
/dev/sdb1 /mnt/nas/local ext4 rw 0 0
https://dav.example.org/ /mnt/dav fuse rw 0 0
someone@host: /mnt/far fuse.sshfs rw 0 0
drive /mnt/plain fuse rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib/niannian", None),
        ("/mnt/nas", "nfs4"),
        ("/mnt/nas/niannian", "nfs4"),
        ("/mnt/nasty/niannian", None),
        ("/mnt/nas/local/niannian", None),
        ("/mnt/my share/a", "cifs"),
        ("/mnt/dav/a", "webdav"),
        ("/mnt/far/a", "fuse.sshfs"),
        ("/mnt/plain/a", None),
    ],
)
def test_the_deepest_mount_above_rules(path: str, kind: str | None) -> None:
    assert network_kind(PurePosixPath(path), MOUNTS) == kind


@pytest.mark.parametrize("kind", sorted(NETWORK_KINDS))
def test_every_kind_is_refused_with_its_name_and_the_path(tmp_path: Path, kind: str) -> None:
    with pytest.raises(HomeRefused, match="error-home-network") as refused:
        refuse_network(tmp_path, f"server / {kind} rw 0 0\n")
    assert refused.value.facts == {"kind": kind, "path": str(tmp_path)}


def test_of_two_mounts_on_one_point_the_later_rules() -> None:
    over = "server:/x /data nfs rw 0 0\n/dev/sda1 /data ext4 rw 0 0\n"
    assert network_kind(PurePosixPath("/data/home"), over) is None
    assert network_kind(PurePosixPath("/data/home"), "\n".join(reversed(over.splitlines()))) == "nfs"


@pytest.mark.parametrize("mounts", ["", "\n", "nonsense", "one two", " / ", "/dev/sda1 relative nfs rw 0 0"])
def test_a_table_that_says_nothing_refuses_nothing(mounts: str) -> None:
    assert network_kind(PurePosixPath("/data/home"), mounts) is None


def test_the_table_of_this_machine_can_be_asked_for() -> None:
    assert isinstance(system_mounts(), str)


async def test_a_start_on_a_network_disk_is_refused_and_makes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pytest.raises(HomeRefused, match="error-home-network"):
        await Home.open(
            home,
            load_device_id=lambda _: bytes(16),
            clock=FakeClock(),
            entropy=FakeEntropy(),
            mounts=lambda: "server:/x / nfs rw 0 0\n",
        )
    assert not home.exists()


# folders that something synchronises


@pytest.mark.parametrize(
    ("mark", "kind"),
    [
        (".stfolder/", "Syncthing"),
        (".stfolder", "Syncthing"),
        (".stversions/", "Syncthing"),
        (".dropbox", "Dropbox"),
        (".dropbox.cache/", "Dropbox"),
        (".tmp.drivedownload/", "Google Drive"),
        (".sync_0a1b2c3d4e5f.db", "Nextcloud"),
        (".nextcloudsync.log", "Nextcloud"),
    ],
)
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_a_mark_anywhere_above_tells(tmp_path: Path, mark: str, kind: str, depth: int) -> None:
    home = tmp_path.joinpath(*"abc"[:depth], "home")
    home.mkdir(parents=True)
    assert synchronised_by(home) is None
    made = (home if depth == 0 else tmp_path) / mark.rstrip("/")
    made.mkdir() if mark.endswith("/") else made.touch()
    assert synchronised_by(home) == kind


@pytest.mark.parametrize(
    ("folders", "kind"),
    [
        ("Library/Mobile Documents/com~apple~CloudDocs/home", "iCloud"),
        ("OneDrive/home", "OneDrive"),
        ("OneDrive - Firm/home", "OneDrive"),
        ("Library/CloudStorage/OneDrive-Personal/home", "OneDrive"),
        ("Library/CloudStorage/GoogleDrive-a@example.org/My Drive/home", "Google Drive"),
        ("Library/CloudStorage/Box-Box/home", "Box"),
        ("Google Drive/home", "Google Drive"),
        ("Dropbox/home", None),
        ("Library/home", None),
        ("Mobile Documents/home", None),
        ("OneDriveless/home", None),
    ],
)
def test_a_name_above_tells(tmp_path: Path, folders: str, kind: str | None) -> None:
    assert synchronised_by(tmp_path / folders) == kind  # it need not exist yet


def test_the_settings_folder_of_the_dropbox_client_is_no_mark(tmp_path: Path) -> None:
    """~/.dropbox is a folder in every home directory of somebody who has Dropbox installed."""
    (tmp_path / ".dropbox").mkdir()
    assert synchronised_by(tmp_path / "data" / "home") is None


def test_a_link_into_a_synchronised_folder_tells(tmp_path: Path) -> None:
    there = tmp_path / "shared" / "home"
    there.mkdir(parents=True)
    (tmp_path / "shared" / ".stfolder").mkdir()
    (tmp_path / "home").symlink_to(there)
    assert synchronised_by(tmp_path / "home") == "Syncthing"


def test_copies_of_a_conflict_are_found_wherever_they_lie(tmp_path: Path) -> None:
    deep = tmp_path / "scopes" / "5c"
    deep.mkdir(parents=True)
    (deep / "memory.db").touch()
    assert conflict_copies(tmp_path) == []
    made = [
        deep / "memory (Lin's conflicted copy 2024-05-27).db",
        deep / "memory.sync-conflict-20240527-101112-ABCDEFG.db",
        tmp_path / "device (Conflicted Copy).db",
    ]
    for path in made:
        path.touch()
    assert conflict_copies(tmp_path) == sorted(made)
