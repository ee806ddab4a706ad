"""What is held back: where a secret stands, of which kind it is, and the dots that take its place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MASK = "••••••"


class SecretKind(StrEnum):
    PASSWORD = "password"
    TOKEN = "token"
    PRIVATE_KEY = "private_key"
    RECOVERY = "recovery"
    CARD = "card"
    ID = "id"


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """Characters `start` to `end` (exclusive) of the text as it was given."""

    start: int
    end: int
    kind: SecretKind
