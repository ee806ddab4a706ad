"""The bar of a long catch-up: only on a screen, only once it is long, and it says how far it is."""

from __future__ import annotations

import pytest
from rich.progress import Progress

from bot.sync_cli import LONG_CHANGES, Watch
from bot.words import words


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_long_catch_up_shows_how_far_it_is(lang: str) -> None:
    with Watch(words(lang), shown=True) as watch:
        watch.moved(LONG_CHANGES - 1, 0)
        assert watch._bar is None
        watch.moved(LONG_CHANGES, 0)
        watch.moved(LONG_CHANGES + 700, 34)
        assert isinstance(watch._bar, Progress)
        (task,) = watch._bar.tasks
        assert str(LONG_CHANGES + 700) in task.description.replace(",", "") and "34" in task.description
    assert watch._bar.live.is_started is False


def test_in_a_pipe_nothing_moves() -> None:
    with Watch(words("en"), shown=False) as watch:
        watch.moved(100_000, 100_000)
        assert watch._bar is None
