"""What a night finds in one memory, told to whoever asks at the command line: an errand, in the process that holds the home."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot import render, retention
from bot.commands.chat_kept import waits_for_digest
from bot.exchange import Arguments, Place
from bot.retention import Digests
from bot.tidying import Proposal, coming_night, last_night, tidy
from store.writer import Writer

TEXT_MAX = 80


async def tell(place: Place, arguments: Arguments, key: str) -> dict[str, Any]:
    """`dry`: only looks, at what the coming night would do. Doing it twice is doing it once: the key decides nothing."""
    dry = bool(arguments["dry"])
    now = datetime.fromtimestamp(place.now_ms / 1000, UTC)
    if dry:
        now = coming_night(now, place.zone)
    night = last_night(now, place.zone)

    def digests(writer: Writer) -> Digests:
        """Those that named what goes are taken for sent where nothing is done about it."""
        if not waits_for_digest(writer, writer.device, night):
            return None
        return retention.named(writer) if dry else ()

    report = await tidy(place.memory, now, place.zone, digests=await place.memory.turn(digests), dry_run=dry)
    return {
        "night": report.night.isoformat(),
        "lang": place.lang,
        "proposed": [_packed(one) for one in report.proposed],
        "nearly": [_packed(one) for one in report.nearly],
        "waiting": report.waiting,
        "chat": report.chat,
        "left": dict(sorted(report.left.items())),
    }


def _packed(one: Proposal) -> dict[str, Any]:
    return {
        "ref": one.first.label,
        "text": render.quoted(render.short(one.first.draft.text, TEXT_MAX)),
        "verdict": one.verdict.value,
        "times": len(one.entries),
        "score": round(one.score * 100),
    }
