"""Numbers as letters that survive being read out: Crockford's 32 characters, without I, L, O and U. Pure.

Case, spaces and dashes do not matter to a reader, and O, I, L are read as the digits they look like.
"""

from __future__ import annotations

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS = str.maketrans("OIL", "011")


def spell(number: int, characters: int) -> str:
    """The lowest 5 bits of `number` for each character, the highest first."""
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(characters - 1, -1, -1))


def clean(text: str, characters: int) -> str | None:
    """What was typed, as we would have written it; None when it is no such text of this length."""
    typed = "".join(c for c in text.upper() if c not in " -").translate(_READ_AS)
    return typed if len(typed) == characters and all(c in ALPHABET for c in typed) else None


def read(spelled: str) -> int:
    number = 0
    for character in spelled:
        number = number << 5 | ALPHABET.index(character)
    return number


def grouped(spelled: str, size: int) -> str:
    return "-".join(spelled[start : start + size] for start in range(0, len(spelled), size))
