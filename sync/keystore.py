"""Where small secrets live: 0600 files under `<home>/keys/`, or a dictionary in tests."""

from __future__ import annotations

import os
from pathlib import Path


class FileKeyStore:
    """One file per name under `<home>/keys/scopes/`. A backup never holds this folder."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "keys" / "scopes"

    def load(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def save(self, name: str, data: bytes) -> None:
        path = self._folder / name
        for folder in (self._folder.parent, self._folder, path.parent):  # `parents=True` would leave those open to all
            folder.mkdir(mode=0o700, exist_ok=True)
        draft = path.with_name(path.name + ".new")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        draft.rename(path)
        held = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(held)
        finally:
            os.close(held)

    def delete(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)


class MemoryKeyStore:
    def __init__(self) -> None:
        self.secrets: dict[str, bytes] = {}

    def load(self, name: str) -> bytes | None:
        return self.secrets.get(name)

    def save(self, name: str, data: bytes) -> None:
        self.secrets[name] = data

    def delete(self, name: str) -> None:
        self.secrets.pop(name, None)
