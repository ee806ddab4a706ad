"""What makes a run quick: files in memory where there is room, and bytecode that is made once.

Most of what a test waits for is a disk that confirms a write, several hundred thousand times in a run. No test takes
the power away, and a process that is killed loses nothing either way. `--basetemp` or `TMPDIR` say otherwise.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says nothing on a machine that does other things, too.
settings.register_profile("ours", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ours")

MEMORY = Path("/dev/shm")
ROOM_BYTES_MIN = 2 * 1024**3
"""A container may have 64 MB there."""


def pytest_configure(config: pytest.Config) -> None:
    """What is set here is set for workers and for all that tests start."""
    given = config.option.basetemp or "TMPDIR" in os.environ
    if not given and os.access(MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(MEMORY).free >= ROOM_BYTES_MIN:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None
    cache = getattr(config, "cache", None)
    if sys.dont_write_bytecode and cache is not None:
        # No bytecode in the tree, then; but not all that each of hundreds of children imports compiled anew either.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(cache.mkdir("bytecode"))
        sys.dont_write_bytecode = False
