"""One fresh world a test; `lang` is English unless a test says otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.flow.world import World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home") as world:
        yield world


@pytest.fixture
async def zh(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "zh", lang="zh") as world:
        yield world


@pytest.fixture
def new_world(tmp_path: Path) -> Callable[..., World]:
    """Makes worlds of other zones; each is entered by the test itself."""
    made = 0

    def make(**settings: str) -> World:
        nonlocal made
        made += 1
        return World(tmp_path / f"home-{made}", **settings)

    return make
