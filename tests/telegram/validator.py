"""A judge of messages: what Telegram would refuse, or take otherwise than it was meant. Written apart from the code."""

from __future__ import annotations

from collections.abc import Sequence

from telegram import MessageEntity


def complaints(text: str, entities: Sequence[MessageEntity], most: int = 4096) -> list[str]:
    found = []
    try:
        raw = text.encode("utf-16-le")
    except UnicodeEncodeError:
        return ["half a surrogate pair"]
    if not text.strip():
        found.append("empty")
    if len(raw) // 2 > most:
        found.append("too long")
    if any((ord(c) < 32 and c not in "\n\t") or c in "\u2028\u2029\u202a\u202b\u202c\u202d\u202e" for c in text):
        found.append("characters that are dropped or replaced")
    if len(entities) > 100:
        found.append("too many entities")
    end = 0
    for one in sorted(entities, key=lambda entity: entity.offset):
        start, stop = one.offset, one.offset + one.length
        if one.type not in ("blockquote", "code"):
            found.append(f"{one.type}: links and markup of any other kind")
        if start < end:
            found.append("overlap")
        if one.length < 1 or start < 0 or stop * 2 > len(raw):
            found.append("out of bounds")
        covered = raw[start * 2 : stop * 2]
        try:
            if not covered.decode("utf-16-le").strip():
                found.append("covers nothing that is seen")
            raw[: start * 2].decode("utf-16-le")
        except UnicodeDecodeError:
            found.append("cuts a surrogate pair")
        end = max(end, stop)
    return found
