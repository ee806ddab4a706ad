"""What kind of place a folder is: its own, inside a folder that something synchronises, or on a network disk.

SQLite's locks and its write-ahead log do not work across a network, and a program that copies a database
while it is written makes two half ones. The table of mounts is text that is handed in, so the answer about
the network needs no network.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path, PurePath

from store.errors import HomeRefused

FILES_LOOKED_AT_MAX = 20_000
_MOUNTS = Path("/proc/self/mounts")

NETWORK_KINDS = frozenset(
    """
    nfs nfs4 cifs smb3 smbfs smb2 9p afpfs webdav davfs fuse.sshfs fuse.davfs fuse.rclone fuse.s3fs ncpfs afs ceph
    fuse.ceph glusterfs fuse.glusterfs lustre
    """.split()
)
_CONFLICT = re.compile(r"\.sync-conflict-|conflicted copy", re.IGNORECASE)
_NEXTCLOUD = re.compile(r"\.(_)?sync_[0-9a-f]+\.db|\.(nextcloud|owncloud)sync\.log", re.IGNORECASE)


def system_mounts() -> str:
    """The machine's table of mounts, "" where there is none to read (then nothing is known to be a network disk)."""
    try:
        return _MOUNTS.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""


def network_kind(path: PurePath, mounts: str) -> str | None:
    """The kind of network file system that the absolute `path` lies on, by the lines of /proc/mounts.

    The deepest mount point above a path rules, and of two on one point the later.
    """
    deepest, kind = -1, ""
    for line in mounts.splitlines():
        source, point, found, *_ = [*line.split(" "), "", "", ""]
        mounted = PurePath(_unescaped(point))
        if mounted.is_absolute() and path.is_relative_to(mounted) and len(mounted.parts) >= deepest:
            davfs2 = found == "fuse" and source.startswith(("http://", "https://"))
            deepest, kind = len(mounted.parts), "webdav" if davfs2 else found
    return kind if kind in NETWORK_KINDS else None


def refuse_network(home: Path, mounts: str) -> None:
    """Raises HomeRefused when `home` lies on a network disk."""
    kind = network_kind(home.resolve(), mounts)
    if kind is not None:
        raise HomeRefused("error-home-network", kind=kind, path=str(home))


def synchronised_by(home: Path) -> str | None:
    """The name of what synchronises a folder that `home` lies in: the nearest one, by the marks it leaves."""
    resolved = home.resolve()
    for folder in (resolved, *resolved.parents):
        if found := _marked(folder) or _named(folder):
            return found
    return None


def conflict_copies(home: Path) -> list[Path]:
    """Files in `home` that a synchroniser left where two sides had written."""
    files = (Path(folder) / name for folder, _, names in os.walk(home) for name in names)
    return sorted(path for path in islice(files, FILES_LOOKED_AT_MAX) if _CONFLICT.search(path.name))


def _marked(folder: Path) -> str | None:
    if (folder / ".stfolder").exists() or (folder / ".stversions").exists():
        return "Syncthing"
    # ~/.dropbox is a folder, the client's own settings; the mark of a synchronised one is a file.
    if (folder / ".dropbox").is_file() or (folder / ".dropbox.cache").is_dir():
        return "Dropbox"
    if (folder / ".tmp.drivedownload").is_dir() or (folder / ".tmp.driveupload").is_dir():
        return "Google Drive"
    try:
        names = [
            name
            for name in islice((entry.name for entry in os.scandir(folder)), FILES_LOOKED_AT_MAX)
            if name[:1] == "."
        ]
    except OSError:
        return None
    return "Nextcloud" if any(_NEXTCLOUD.fullmatch(name) for name in names) else None


def _named(folder: Path) -> str | None:
    name, above = folder.name, folder.parent.name
    if (above, name) == ("Library", "Mobile Documents"):
        return "iCloud"
    if name == "OneDrive" or name.startswith(("OneDrive - ", "OneDrive-")):
        return "OneDrive"
    if name in {"Google Drive", "GoogleDrive"} or name.startswith("GoogleDrive-"):
        return "Google Drive"
    if above == "CloudStorage":
        return name.partition("-")[0]
    return None


def _unescaped(text: str) -> str:
    r"""Blanks and the like are written as octal in the table: `\040`."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
