"""Writing a tree into a folder, and reading back only what belongs to one.

The folder may be under git, Dropbox or Obsidian, and full of other things. So only files of our layout are looked at,
nothing that somebody else wrote is ever replaced, and every file is replaced whole: a crash leaves old and new files,
never half a one, and the next time finishes. A folder that is not there yet appears complete or not at all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from store import tree
from store.errors import Rejected
from store.formats.files import collect
from store.pieces import File, Trouble

STAGE = ".niannian-export"
"""Where files are made before they take their places."""


@dataclass(frozen=True, slots=True)
class Found:
    """The files of a tree as they stand in a folder."""

    files: Mapping[str, bytes]
    troubles: tuple[Trouble, ...] = ()


@dataclass(slots=True)
class Placed:
    written: int = 0
    removed: int = 0
    left: list[str] = field(default_factory=list)
    """Files that are newer than what was read, or than this memory: they were not touched."""


def found_in(root: Path) -> Found:
    """Raises Rejected for what breaks a limit of `store.formats.files`."""
    files: dict[str, bytes] = {}
    troubles: list[Trouble] = []
    for part in (*tree.ROOT_FILES, *tree.FOLDERS):
        place = root / part
        if place.is_symlink():
            troubles.append(Trouble(part, 0, "trouble-link"))
        elif place.is_dir() or place.is_file():
            some = collect(place)
            prefix = f"{part}/" if place.is_dir() else ""
            files |= {f"{prefix}{file.path}": file.data for file in some.files}
            troubles += [Trouble(f"{prefix}{one.path}", one.line, one.code, one.facts) for one in some.troubles]
    return Found({path: data for path, data in files.items() if path.endswith(".md")}, tuple(troubles))


def check(found: Found, scope: str) -> None:
    """Raises Rejected where a file says that another memory wrote it: two memories never share a folder."""
    for path, data in found.files.items():
        if tree.scope_of(data) not in ("", scope):
            raise Rejected("error-export-other", path=path)


def place(
    root: Path, files: Mapping[str, str], before: Found, *, scope: str, ahead: frozenset[str] = frozenset()
) -> Placed:
    """Makes the tree in `root` say `files`. `before`: how it was when that was decided; `ahead`: files to leave.

    Raises Rejected, before anything is written, for a place that leads elsewhere or holds a file that is not ours.
    """
    new = {path: text.encode() for path, text in files.items()}
    if not root.exists():
        _check_name(root)
        _write_all(root.with_name(f".{root.name}{STAGE}"), new)
        os.replace(root.with_name(f".{root.name}{STAGE}"), root)
        return Placed(len(new))
    if not root.is_dir():
        raise Rejected("error-export-file", path=root.name)
    done = Placed()
    wanted: dict[str, bytes] = {}
    for path, data in new.items():
        there = _there(root, path)
        if there == data:
            continue
        if there is not None and tree.scope_of(there) != scope:
            raise Rejected("error-export-foreign", path=path)
        if path in ahead or there != before.files.get(path):
            done.left.append(path)
        else:
            wanted[path] = data
    stage = root / STAGE
    _clear(stage)
    if wanted:
        _write_all(stage, wanted)
        for path in wanted:
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if _there(root, path) == before.files.get(path):  # an editor may have saved meanwhile
                os.replace(stage / path, target)
                done.written += 1
            else:
                done.left.append(path)
        _clear(stage)
    for path, data in before.files.items():
        is_ours = tree.scope_of(data) == scope
        if path not in new and path not in ahead and is_ours and _there(root, path) == data:
            (root / path).unlink()
            done.removed += 1
    return done


def _check_name(root: Path) -> None:
    if root.is_symlink() or not root.parent.is_dir():
        raise Rejected("error-export-nowhere", path=str(root))


def _there(root: Path, path: str) -> bytes | None:
    """What stands at `path` now. Raises Rejected where a folder on the way, or the file, is a link or no file."""
    at = root
    for part in PurePosixPath(path).parts:
        at = at / part
        if at.is_symlink():
            raise Rejected("error-export-link", path=path)
    if at.is_file():
        return at.read_bytes()
    if at.exists():
        raise Rejected("error-export-foreign", path=path)
    return None


def _write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    _clear(folder)
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def _clear(folder: Path) -> None:
    if folder.is_symlink():
        raise Rejected("error-export-link", path=folder.name)
    shutil.rmtree(folder, ignore_errors=True)


def as_files(found: Found) -> list[File]:
    return [File(path, data) for path, data in sorted(found.files.items())]


def stamps(root: Path) -> tuple[tuple[str, int, int], ...]:
    """(path, mtime in ns, size) of the files of a tree: differs once one of them was changed."""
    found: list[tuple[str, int, int]] = []
    for part in (*tree.ROOT_FILES, *tree.FOLDERS):
        place = root / part
        for path in sorted(place.rglob("*.md")) if place.is_dir() else [place]:
            try:
                seen = path.lstat()
            except OSError:
                continue
            found.append((path.relative_to(root).as_posix(), seen.st_mtime_ns, seen.st_size))
    return tuple(found)
