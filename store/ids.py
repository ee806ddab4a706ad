"""Ids and labels: ULIDs, digests and the RefIDs people quote.

A ULID is the identity of a record; a RefID is only a label on it. Labels carry a lane, so two
devices that both count from 01 can never make the same one.
"""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from store.model import WORD_CHARACTERS_MAX, EntryID, RefID

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ULID_PATTERN = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
DIGEST_CHARACTERS = 16
DEVICE_CHARACTERS = 16
STAMP_DIGITS = 15


def ulid(time_ms: int, random: bytes) -> EntryID:
    """ULID of a 48-bit time in ms since 1970 and 10 bytes (https://github.com/ulid/spec)."""
    assert 0 <= time_ms < 1 << 48 and len(random) == 10
    number = time_ms << 80 | int.from_bytes(random, "big")
    return EntryID("".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5)))


def ulid_time_ms(record: EntryID) -> int:
    number = 0
    for character in record[:10]:
        number = number << 5 | _CROCKFORD.index(character)
    return number


def message_ulid(time_ms: int, *parts: str) -> EntryID:
    """The id that one chat message always gets, so that a retry cannot double its entry.

    `parts`: platform, bot, chat, command message, edit time or "0", part number.
    """
    return named_ulid(time_ms, *parts)


def named_ulid(time_ms: int, *parts: str) -> EntryID:
    """The id of what is the same wherever it is made: its random half is the hash of `parts`."""
    return ulid(time_ms, hashlib.sha256("\0".join(parts).encode()).digest()[:10])


def card_id(word: str) -> EntryID:
    """The id of the card of a word: two devices that have not met make the same one. Case and spaces are forgiven."""
    return named_ulid(0, "card", folded_word(word))


def is_word(text: str) -> bool:
    """Whether a card can be made of it."""
    return len(text) <= WORD_CHARACTERS_MAX and text.isprintable() and re.search(r"\w", text) is not None


def folded_word(word: str) -> str:
    """What a word is known by. Ids are made of it: it may never change, and other languages must be able to make it."""
    plain = unicodedata.normalize("NFC", word).lower().replace("\u2019", "'")
    return unicodedata.normalize("NFC", " ".join(part for part in plain.split(" ") if part))


def digest(value: str) -> str:
    """16 lower-case base32 characters: the first 80 bits of SHA-256 over the UTF-8 bytes."""
    return base64.b32encode(hashlib.sha256(value.encode()).digest()[:10]).decode().lower()


def stamp(now_ms: int, device: str) -> str:
    return f"{now_ms:0{STAMP_DIGITS}d}-{device}"


class Series:
    """The three series of labels; each counts for itself within a day."""

    ENTRY = "D"
    TASK = "T"
    CHECKPOINT = "AUTO"


def label(series: str, day: date, lane: str, number: int) -> RefID:
    """`D-2024-05-27-01`, `T-240527-b01`, `AUTO-20240527-01`; numbers past 99 simply grow."""
    shown = {Series.ENTRY: f"{day:%Y-%m-%d}", Series.TASK: f"{day:%y%m%d}", Series.CHECKPOINT: f"{day:%Y%m%d}"}[series]
    return RefID(f"{series}-{shown}-{lane}{number:02d}")


@dataclass(frozen=True, slots=True)
class LabelParts:
    series: str
    day: str
    lane: str
    number: int


_LABEL = re.compile(
    r"(?:(D)-(\d{4}-\d{1,2}-\d{1,2})|(T)-(\d{6})|(AUTO)-(\d{8}))"
    r"-(x[0-9a-f]{3}(?=\d\d)|[a-z]{0,4})0*(\d{1,6})",  # x123 + 01 before x + 12301: its zeros are no padding
    re.IGNORECASE | re.ASCII,
)


def parse_label(text: str) -> RefID | None:
    """The label in its one spelling, or None. Case, full width and missing zeros are forgiven."""
    parts = label_parts(text)
    if parts is None:
        return None
    return RefID(f"{parts.series}-{parts.day}-{parts.lane}{parts.number:02d}")


def label_parts(text: str) -> LabelParts | None:
    if len(text) > 40:
        return None
    found = _LABEL.fullmatch(unicodedata.normalize("NFKC", text).strip())
    if found is None:
        return None
    series = (found[1] or found[3] or found[5]).upper()
    day = found[2] or found[4] or found[6]
    if found[2]:
        year, month, dom = found[2].split("-")
        day = f"{year}-{int(month):02d}-{int(dom):02d}"
    return LabelParts(series, day, found[7].lower(), int(found[8]))


def day_of_label(parts: LabelParts) -> date | None:
    """The day that a label counts in; None for one that no calendar has."""
    digits = parts.day.replace("-", "")
    try:
        return date.fromisoformat(digits if len(digits) == len("20240527") else f"20{digits}")
    except ValueError:
        return None


def lane_order(lane: str) -> tuple[int, str]:
    """Sort key of lanes: the empty one first, then b, c, … z, aa."""
    return len(lane), lane


def lane_after(used: Iterable[str]) -> str:
    """The first lane behind all of `used`: b after the empty one, then c … z, aa, ab …"""
    last = max(used, key=lane_order, default=None)
    if last is None:
        return ""
    if last == "":
        return "b"
    number = 0
    for letter in last:
        number = number * 26 + ord(letter) - ord("a") + 1
    number += 1
    out = ""
    while number:
        number, digit = divmod(number - 1, 26)
        out = chr(ord("a") + digit) + out
    return out
