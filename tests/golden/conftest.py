from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.golden.device import ForkServer


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """One warmed-up interpreter for every golden conversation of the run."""
    server = ForkServer()
    yield server
    server.close()
