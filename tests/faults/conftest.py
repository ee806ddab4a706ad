from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.forks import Forks


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    server = Forks()
    yield server
    server.close()
