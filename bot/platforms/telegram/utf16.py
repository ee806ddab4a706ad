"""Text as Telegram counts it: lengths and places in UTF-16 units."""

from __future__ import annotations


def units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def whole(text: str) -> str:
    """`text` with every lone surrogate as U+FFFD, which is as long: places stay."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def place(text: str, offset: int) -> int:
    """The index in `text` of a place in UTF-16 units; its end for a place past it. `text` holds no lone surrogate."""
    return len(text.encode("utf-16-le")[: max(0, offset) * 2].decode("utf-16-le", "ignore"))
