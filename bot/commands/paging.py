"""Turning the pages of a list that is too long for one message."""

from __future__ import annotations

from bot.message import Button


def turning(page: int, pages: int, action: str) -> tuple[Button, ...]:
    """◀ 1/3 ▶, round and round; nothing for a single page. `action` is completed by the number of a page, from 0."""
    if pages < 2:
        return ()
    labels = (("◀", (page - 1) % pages), (f"{page + 1}/{pages}", page), ("▶", (page + 1) % pages))
    return tuple(Button(label, f"{action} {to}") for label, to in labels)
