from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.flow.world import World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home") as one:
        yield one


@pytest.fixture
async def zh(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home", lang="zh") as one:
        yield one
