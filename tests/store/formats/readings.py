"""Short ways to have text read, for the tests of the readers."""

from __future__ import annotations

from typing import Any

from store.formats import detect
from store.pieces import EntryPiece, File, Reading


def of(files: dict[str, str] | dict[str, bytes]) -> Reading:
    return detect.read([File(path, data if isinstance(data, bytes) else data.encode()) for path, data in files.items()])


def entries(found: Reading | list[EntryPiece]) -> list[EntryPiece]:
    pieces: Any = found.pieces if isinstance(found, Reading) else found
    return [piece for piece in pieces if isinstance(piece, EntryPiece)]


def texts(pieces: Any) -> list[str]:
    return [piece.draft.text for piece in pieces if isinstance(piece, EntryPiece)]


def troubles(found: Reading) -> list[tuple[str, int, str]]:
    return [(trouble.path, trouble.line, trouble.code) for trouble in found.troubles]
