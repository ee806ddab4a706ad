"""What is seen as one character, told apart from our own code: the rules of UAX 29 that cutting could break."""

from __future__ import annotations

import unicodedata

TRICKY = [
    "。", "！", "？", ".", "!", "?", " ", "\n", "\r\n", "”", "（", "）", "“", "a", "B", "好", "预算", "1.", "\u200d", "\u0301", "\ufe0f",
    "\ufe00", "\u20e3", "👩\u200d👩\u200d👧", "🇨🇳", "🇩", "👍🏽", "🏽", "e\u0301", "한", "각", "नि", "ก\u0e33", "\U000e0067", "😀", "\u2028", "\x85",
]  # fmt: skip
"""Pieces that make trouble side by side."""


def is_inside_cluster(text: str, at: int) -> bool:
    """Whether one character stands on both sides of `at`."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return True
    if unicodedata.category(before) in ("Cc", "Zl", "Zp"):
        return False
    if _is_extending(after) or (before == "\u200d" and _is_pictograph(after)):
        return True
    if _is_regional(before) and _is_regional(after):
        run = at
        while run and _is_regional(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 1
    return _is_jamo(before) and _is_jamo(after)


def _is_extending(char: str) -> bool:
    return (
        unicodedata.category(char).startswith("M")
        or char in "\u200c\u200d"
        or 0x1F3FB <= ord(char) <= 0x1F3FF
        or 0xE0020 <= ord(char) <= 0xE007F
    )


def _is_pictograph(char: str) -> bool:
    return unicodedata.category(char) == "So" or 0x1F000 <= ord(char) <= 0x1FAFF


def _is_regional(char: str) -> bool:
    return 0x1F1E6 <= ord(char) <= 0x1F1FF


def _is_jamo(char: str) -> bool:
    return 0x1100 <= ord(char) <= 0x11FF
