"""A home as it was, again in its place: not the copy that a start would make a new device of."""

from __future__ import annotations

import shutil
from pathlib import Path

from sync import identity


def copy_home(home: Path, place: Path) -> None:
    """`place`: must not exist."""
    shutil.copytree(home, place)
    (place / identity.HERE).unlink()
    identity.mark(place, identity.machine_id())
