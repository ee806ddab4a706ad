"""`niannian doctor --live`: what a chat platform says of the bot, as findings with plain advice."""

from __future__ import annotations

from bot.platforms.telegram.edge import TelegramPlatform
from bot.ports import BadToken, NotDelivered
from store.doctor import Report
from store.examine import Finding, Level

MINUTE_MS = 60_000
_GONE = ("", "left", "kicked")


async def ask(platform: TelegramPlatform, report: Report, now_ms: int) -> list[Finding]:
    groups = {chat.partition(":")[2]: title for chat, title in report.groups if chat.startswith("telegram:")}
    try:
        said = await platform.report(list(groups))
    except BadToken:
        return [Finding(Level.BROKEN, "doctor-live-token", {})]
    except NotDelivered:
        return [Finding(Level.CHECK, "doctor-live-offline", {})]
    found = [Finding(Level.OK, "doctor-live-ok", {"bot": f"@{said.username}"})]
    if said.webhook:
        found.append(Finding(Level.CHECK, "doctor-live-webhook", {}))
    found.append(Finding(Level.OK, "doctor-live-hears-all" if said.hears_all else "doctor-live-privacy", {}))
    for chat, status in said.chats:
        found.append(_group(groups[chat], status))
    if report.last_event_ms is None:
        found.append(Finding(Level.OK, "doctor-live-none", {}))
    else:
        minutes = max(0, now_ms - report.last_event_ms) // MINUTE_MS
        found.append(Finding(Level.OK, "doctor-live-last", {"minutes": minutes}))
    return found


def _group(title: str, status: str) -> Finding:
    if status in _GONE:
        return Finding(Level.CHECK, "doctor-live-group-gone", {"title": title})
    if status == "restricted":
        return Finding(Level.CHECK, "doctor-live-group-muted", {"title": title})
    return Finding(Level.OK, "doctor-live-group-ok", {"title": title})
