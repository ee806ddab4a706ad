"""Where tests keep their files: in memory, where the machine has room for that.

Most of what a test waits for is a disk that confirms a write, several hundred thousand times in a run. No test takes
the power away, and a process that is killed loses nothing either way. `--basetemp` or `TMPDIR` say otherwise.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")
ROOM_BYTES_MIN = 2 * 1024**3
"""A container may have 64 MB there."""


def pytest_configure(config: pytest.Config) -> None:
    given = config.option.basetemp or "TMPDIR" in os.environ
    if not given and os.access(MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(MEMORY).free >= ROOM_BYTES_MIN:
        os.environ["TMPDIR"] = str(MEMORY)  # workers and children too
        tempfile.tempdir = None
