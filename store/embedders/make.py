"""Makes the embedder that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.ports import Clock

if TYPE_CHECKING:
    from store.embedders.process import EmbedderProcess


def make_embedder(
    kind: str, *, clock: Clock, base_url: str | None = None, model: str | None = None, api_key: str | None = None
) -> EmbedderProcess | None:
    """None for `none`. Nothing is started yet; call `start` when there is time, and `close` in the end."""
    if kind == "none":
        return None
    # Numpy and pipes; who has no embedder starts without them.
    from store.embedders.process import EmbedderProcess

    opening = {"kind": kind}
    if kind == "url":
        assert base_url and model, "bot.config asks for both"
        opening |= {"base_url": base_url, "model": model, "api_key": api_key or ""}
    return EmbedderProcess(opening, clock=clock)
