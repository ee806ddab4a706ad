"""Giving a finished file its name without taking it from another."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

Link = Callable[[Path, Path], None]
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""What FAT and some network shares say when they are asked for a second name."""


def claim(draft: Path, path: Path, link: Link = os.link) -> None:
    """`draft` is from now on called `path`. Raises FileExistsError when that name is taken; `draft` goes all the same.

    Renaming alone would replace what is there. Where the file system knows no links it is looked first, and then
    renamed: who has no lock may lose a file there to another that comes just between.
    """
    try:
        link(draft, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if path.exists():
            raise FileExistsError(errno.EEXIST, "File exists", str(path)) from error
        draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)
