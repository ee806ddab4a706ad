"""How long the chat is to be kept: /keep chat 90 days, 聊天只留 90 天, keep all chat. Pure."""

from __future__ import annotations

import re

from bot.intents import KeepChat
from store.dates_words import NUMERALS, number_zh

_NUMBER = rf"(\d{{1,4}}|[{NUMERALS}]{{1,3}}|半)"
_UNIT = r"(天|日|周|个?星期|个?月|年|days?|d|weeks?|w|months?|m|years?|y)"
_STOP = r"[。.!！吧 ]*\Z"
_ZH = re.compile(
    rf"(?:请|以后)?(?:把)?聊天(?:记录)?(?:只|就|最多|只要)?(?:留|保留|存|保存)(?:最近)? ?{_NUMBER} ?{_UNIT}(?:就好|就行|就够了)?{_STOP}"
)
_ZH_ALL = re.compile(rf"聊天(?:记录)?(?:都|全都|全部|一直|永远)(?:都)?(?:留|保留|存)(?:着|下来)?{_STOP}")
_EN = re.compile(rf"keep (?:the |my |our )?chats? (?:only |just )?(?:for )?(?:only |just )?{_NUMBER} ?{_UNIT}{_STOP}")
_EN_ALL = re.compile(
    rf"keep (?:all (?:the |my |our )?chats?|(?:the |my |our )?chats? (?:all|for ?ever|for good)){_STOP}"
)
_BEHIND = re.compile(rf"(?:for )?(?:only |just )?{_NUMBER} ?{_UNIT}{_STOP}")
_ALL = ("all", "forever", "for ever", "off", "全部", "都留", "都留着", "全部留着", "关")
_CHAT = re.compile(r"(?:the |my |our )?(?:chats?|聊天(?:记录)?)(?![a-z])[ ：:,，]*")
_DAYS = {"天": 1, "日": 1, "周": 7, "星期": 7, "月": 30, "年": 365, "d": 1, "w": 7, "m": 30, "y": 365}


def keeping(folded: str) -> KeepChat | None:
    """A whole sentence that says so."""
    said = folded.strip()
    if _ZH_ALL.match(said) or _EN_ALL.match(said):
        return KeepChat(0)
    found = _ZH.match(said) or _EN.match(said)
    return KeepChat(_days(found[1], found[2])) if found else None


def behind_keep(folded: str) -> KeepChat | None:
    """What stands behind /keep; None where it is not about the chat."""
    chat = _CHAT.match(folded.strip())
    if chat is None:
        return None
    rest = folded.strip()[chat.end() :].strip()
    if not rest:
        return KeepChat()
    if rest in _ALL:
        return KeepChat(0)
    found = _BEHIND.match(rest)
    return KeepChat(_days(found[1], found[2])) if found else KeepChat(-1)


def _days(number: str, unit: str) -> int:
    """-1 for what is no number."""
    each = next(days for name, days in _DAYS.items() if unit.removeprefix("个").startswith(name))
    if number == "半":
        return each // 2 if each > 1 else -1
    try:
        return (int(number) if number.isdecimal() else number_zh(number)) * each or -1
    except KeyError:
        return -1
