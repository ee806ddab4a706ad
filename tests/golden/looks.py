"""How a message looks on Telegram (VOICE §1, rendering): stored words are quoted, an id that we say is code. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tests.golden import manners

_REF = re.compile(manners.REF)
_STORED = re.compile(r"^“.*”(?:(?:——| — ).*)?$", re.MULTILINE)


def check_looks(text: str, entities: Sequence[dict[str, Any]]) -> None:
    """Raises AssertionError for a whole line of stored words that is not quoted, and for an id that is no code."""
    quoted = [_span(text, one) for one in entities if one["type"] == "blockquote"]
    code = [_span(text, one) for one in entities if one["type"] == "code"]
    for ref in _REF.finditer(text):
        if not any(start <= ref.start() and ref.end() <= stop for start, stop in quoted):
            assert ref.span() in code, f"{ref[0]} is no code in: {text}"
    for line in _STORED.finditer(text):
        assert any(start <= line.start() and line.end() <= stop for start, stop in quoted), f"not quoted: {line[0]}"


def _span(text: str, entity: dict[str, Any]) -> tuple[int, int]:
    """From UTF-16 units to characters."""
    raw = text.encode("utf-16-le")
    start, stop = entity["offset"] * 2, (entity["offset"] + entity["length"]) * 2
    return len(raw[:start].decode("utf-16-le")), len(raw[:stop].decode("utf-16-le"))
