"""Looking at text: every look is counted, and none of them goes back.

A newcomer's trap: `fold` maps one character to one character, so an offset in a folded
window is an offset in the text. Only windows of bounded length are folded, never a whole message.
"""

from __future__ import annotations

import re
import unicodedata

HEAD_CHARACTERS = 160
"""As far as a command word, its lead-ins and a RefID may reach into a message."""

_TRADITIONAL = (
    "記记憶忆決决們们嗎吗麼么沒没過过誰谁個个幾几為为開开對对話话檢检點点務务則则規规關关於于時时區区單单詞词復复習习設设語语隱隐狀状態态"
    "導导幫帮請请說说這这條条舊旧處处銷销頂顶辦办見见現现裡里裏里樣样講讲當当會会問问題题歷历議议斷断緒绪醒醒暫暂恢恢間间報报統统計计學学"
    "聯联帳账賬账號号煩烦還还給给讓让誤误錯错剛刚門门響响驗验證证來来寫写談谈聊聊長长數数麽么無无論论隨随內内檔档歸归勞劳動动鐘钟節节從从"
    "歡欢討讨厭厌慣惯愛爱總总據据選选確确認认標标籤签別别錄录實实東东週周禮礼後后會会嘍喽囉啰麻麻頁页經经團团約约結结應应該该們们"
)

_FOLD: dict[int, str] = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_FOLD.update({code: chr(code - 0xFEE0).lower() for code in range(0xFF01, 0xFF5F)})
_FOLD.update({ord(space): " " for space in "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000\t"})
_FOLD.update({ord(mark): "'" for mark in "’‘ʼ＇"})
_FOLD.update({ord(mark): "-" for mark in "‐‑－−"})
_FOLD.update({ord(old): new for old, new in zip(_TRADITIONAL[::2], _TRADITIONAL[1::2], strict=True) if old != new})

_UNSEEN = (
    r"\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
SEEN = re.compile(f"[^{_UNSEEN}]")
UNSEEN_AHEAD = re.compile(f"[{_UNSEEN}]*")
HAN = re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
JOINT = re.compile(r"[\s:：,，、;；。！—–]*(?:[-.!](?=\s)[\s:：,，、;；。！—–]*)*")
"""Spaces and the punctuation that joins a command word to what follows; no two ways to read the same text, so it never backs up."""

CLAUSE_BREAK = re.compile(r"[,，。;；!！¡?？¿、\n…“”\"]+|\.(?=\s|\Z)")

_LATIN = re.compile(r"[a-z0-9_'-]")
_REF = re.compile(r"(d|t|auto)-(\d[0-9a-z-]{2,30})(?![0-9a-z_-])")


class Meter:
    """Counts the characters looked at; a window of bounded length counts once, however many tables it meets."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def search(self, pattern: re.Pattern[str], text: str, start: int = 0) -> re.Match[str] | None:
        found = pattern.search(text, start)
        self.steps += (found.end() if found else len(text)) - start
        return found

    def match(self, pattern: re.Pattern[str], text: str, start: int = 0) -> re.Match[str] | None:
        """Anchored at `start`; a pattern that fails is counted with the longest it may have read."""
        found = pattern.match(text, start)
        self.steps += (found.end() - start + 1) if found else min(HEAD_CHARACTERS, len(text) - start)
        return found

    def fold(self, text: str, characters: int = HEAD_CHARACTERS) -> str:
        """The first `characters`, lower case, half-width, simplified; same offsets as in `text`."""
        window = text[:characters]
        self.steps += len(window)
        return window.translate(_FOLD)

    def strip(self, text: str) -> str:
        """Without outer white space, and without invisible marks in front."""
        ahead = self.match(UNSEEN_AHEAD, text)
        kept = text[ahead.end() if ahead else 0 :].rstrip()
        self.steps += len(text) - len(kept)
        return kept

    def blank(self, text: str) -> bool:
        """Nothing in it that a person could see."""
        return self.search(SEEN, text) is None

    def after_joint(self, text: str, start: int) -> int:
        found = self.match(JOINT, text, start)
        return found.end() if found else start


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def ref_at(folded: str, start: int = 0) -> tuple[str, int] | None:
    """A RefID standing at `start` of a folded window, in its written form (`D-2024-05-27-b01`), and its end."""
    found = _REF.match(folded, start)
    if found is None:
        return None
    return f"{found[1].upper()}-{found[2]}", found.end()


def clauses(folded: str) -> list[tuple[int, int]]:
    """Where the clauses with words in them begin and end."""
    spans, at = [], 0
    for mark in CLAUSE_BREAK.finditer(folded):
        spans.append((at, mark.start()))
        at = mark.end()
    spans.append((at, len(folded)))
    return [span for span in spans if folded[slice(*span)].strip()]


def stands(word: str, folded: str, at: int) -> bool:
    """`word` stands at `at` and, if Latin, ends there."""
    if not folded.startswith(word, at):
        return False
    return not word[-1].isascii() or not _LATIN.match(folded, at + len(word))
