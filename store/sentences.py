"""Where a text may be shortened: behind a whole sentence, and nowhere else. Pure.

In doubt there is no end: Dr. Noor, “Go. Now.” and 3.5 stay in one piece. A line of its own is a sentence, too.
What a newcomer would get wrong: a mark behind the full stop (an accent, a variation selector) belongs to it, and who
cuts between them has cut through a character.
"""

from __future__ import annotations

import re
import unicodedata

_OPEN, _CLOSE = "“‘「『（(【《[", "”’」』）)】》]"
_BEHIND = rf"[{re.escape(_CLOSE)}\"']*"
_MARK = re.compile(
    rf"(?P<wide>[。！？｡]+{_BEHIND})|(?P<latin>[.!?]+{_BEHIND})(?=\s|\Z)|(?P<line>\n\s*)|[{re.escape(_OPEN + _CLOSE)}]"
)
_NO_STOP = re.compile(
    r"(?:(?<!\w)(?:[a-z]|mrs?|ms|dr|prof|st|no|fig|vs|e\.g|i\.e|cf|pp|vol|approx)|(?:\A|\n)[ \t]*\d+)\.\Z",
    re.IGNORECASE,
)
_LOOK_BACK = 12
"""Characters before a full stop that hold the longest abbreviation."""
_FOLLOWING = re.compile(r"\s*(\S?)")


def sentence_ends(text: str) -> list[int]:
    """The places behind the sentences of `text`, ascending; the last one is behind its last visible character."""
    ends: list[int] = []
    depth = 0
    for mark in _MARK.finditer(text):
        if mark["line"]:
            depth = 0  # a bracket that is never closed holds its own line together, not the whole text
            end = mark.start()
            while end and text[end - 1].isspace():
                end -= 1
        else:
            depth = max(0, depth + sum((char in _OPEN) - (char in _CLOSE) for char in mark[0]))
            end = mark.end()
        if depth or not (mark["line"] or mark["wide"] or mark["latin"]) or _goes_on(text, mark, end):
            continue
        if end and (not ends or end > ends[-1]):
            ends.append(end)
    whole = len(text.rstrip())
    return [*(end for end in ends if end < whole), whole] if whole else []


def _goes_on(text: str, mark: re.Match[str], end: int) -> bool:
    """Whether the sentence is not over yet, or the character at its end is not."""
    if end < len(text) and is_joined(text[end]):
        return True
    following = _FOLLOWING.match(text, end)
    if not mark["wide"] and following and following[1].islower():
        return True
    return bool(mark["latin"] and _NO_STOP.search(text[max(0, end - _LOOK_BACK) : end]))


def is_joined(char: str) -> bool:
    """Whether `char` belongs to the character before it: marks, joiners, skin tones, tags (UAX 29, GB9)."""
    return (
        unicodedata.category(char) in ("Mn", "Mc", "Me")
        or char in "\u200c\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )
