"""What is checked in every run without being written (VOICE §3.1, last paragraph). Pure but for reading files.

Reserved words stand beside an id that the store holds or held; buttons, lengths, emoji, quote marks and exclamation
marks of VOICE §1; no log line holds what a person typed.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.golden.match import Sent, SentAs

REF = r"(?:D-\d{4}-\d\d-\d\d-[a-z]?\d{2,}|T-\d{6}-[a-z]?\d{2,}|AUTO-\d{8}-[a-z]?\d{2,})"

_RESERVED_ZH = ("记下了", "加上了", "补上了", "更正了", "忘掉了", "放回来了", "撤销了", "完成了")
_RESERVED_EN = ("Saved", "Added", "Filled in", "Corrected", "Forgotten", "Put back", "Undone", "Done")
_RESERVED = re.compile(f"(?:{'|'.join(_RESERVED_ZH)})|\\b(?:{'|'.join(_RESERVED_EN)})\\b")
_RECEIPT = re.compile(rf"(?:{_RESERVED.pattern}) · ({REF})")
_QUOTED = re.compile(r"“[^“”]*”")
_HAN = re.compile(r"[㐀-䶿一-鿿]")
_EMOJI = re.compile("[\U0001f000-\U0001faff☀-➿⬀-⯿️⃣\U000e0020-\U000e007f]")
_GRADES = ({"重来", "困难", "记得", "简单"}, {"Again", "Hard", "Good", "Easy"})

LINES_MAX = 22
RECEIPT_LINES_MAX = 4
ERROR_LINES_MAX = 3


def complaint(sent: Sent, typed: Iterable[str] = ()) -> str | None:
    """What is wrong with one reply, or None. Marks that a person typed may come back in their own words."""
    if sent.shape is SentAs.REACTION:
        return None if sent.text == "👍" and sent.chat.startswith("group ") else "a reaction"
    own = "\n".join(typed)
    words = _QUOTED.sub("“”", sent.text)
    return _buttons(sent) or _lengths(sent) or _marks(words, own, zh=bool(_HAN.search(words))) or _receipts(words)


def _buttons(sent: Sent) -> str | None:
    four = any({label.partition(" ")[0] for label in sent.buttons} == grades for grades in _GRADES)
    if len(sent.buttons) > (4 if four else 3):
        return f"{len(sent.buttons)} buttons"
    for label in sent.buttons:
        if len(label) > (8 if _HAN.search(label) else 16):
            return f"the button [{label}] is too long"
        if "!" in label or "！" in label or _EMOJI.search(label):
            return f"the button [{label}] shouts"
    return None


def _lengths(sent: Sent) -> str | None:
    lines = sent.text.split("\n")
    if not sent.text.strip():
        return "an empty reply"
    if sent.shape is SentAs.TOAST and len(sent.text) > (20 if _HAN.search(sent.text) else 40):
        return f"a toast of {len(sent.text)} characters"
    if len(lines) > LINES_MAX:
        return f"{len(lines)} lines"
    if _RECEIPT.match(lines[0]) and len(lines) > RECEIPT_LINES_MAX:
        return f"a receipt of {len(lines)} lines"
    if sent.failed and len(lines) > ERROR_LINES_MAX:
        return f"an error of {len(lines)} lines"
    if any(line != line.rstrip() for line in lines):
        return "a line ends in spaces"
    return None


def _marks(words: str, typed: str, *, zh: bool) -> str | None:
    for mark in '!！"＂「」『』':
        if mark in words and mark not in typed:
            return f"the mark {mark}"
    if zh and "您" in words and "您" not in typed:
        return "您"
    emoji = next((mark for mark in _EMOJI.findall(words) if mark not in typed), None)
    return f"the emoji {emoji}" if emoji else None


def _receipts(words: str) -> str | None:
    for match in _RESERVED.finditer(words):
        if not _RECEIPT.match(words, match.start()):
            return f"“{match[0]}” stands beside no id"
    return None


def receipts(sent: Iterable[Sent]) -> list[str]:
    """The ids that stood beside a reserved word, each once, in order."""
    return list(dict.fromkeys(ref for one in sent for ref in _RECEIPT.findall(_QUOTED.sub("“”", one.text))))


# What the home really holds

_TALK = re.compile(r"turn|handled|pending|offers|undo|sessions|outbox|inbox|sqlite_", re.IGNORECASE)


def unheld(refs: Iterable[str], home: Path) -> list[str]:
    """Those of `refs` that no scope of `home` has a record of. Where we only repeat what was said does not count."""
    left = dict.fromkeys(refs)
    for database in sorted(home.glob("scopes/*/memory.db")) if left else ():
        for _table, value in cells(database, without=_TALK):
            text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            for ref in [ref for ref in left if ref in text]:
                del left[ref]
    return list(left)


def cells(database: Path, *, without: re.Pattern[str] | None = None) -> Iterator[tuple[str, str | bytes]]:
    """Every text and blob of a database, with its table; virtual tables are seen through their shadow tables."""
    connection = sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    try:
        named = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        for table, sql in named:
            if (without and without.search(table)) or (sql or "").upper().startswith("CREATE VIRTUAL"):
                continue
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                yield from ((table, value) for value in row if isinstance(value, str | bytes))
    finally:
        connection.close()


def found_in(home: Path, pieces: Iterable[str]) -> list[str]:
    """Which of `pieces` stand in any file below `home`, plain or inside a deflated change."""
    wanted = {piece: piece.encode() for piece in pieces}
    found: dict[str, None] = {}
    for file in sorted(path for path in home.rglob("*") if path.is_file()):
        blobs = [file.read_bytes()]
        if file.suffix == ".db":
            blobs += [_inflated(value) for _table, value in cells(file) if isinstance(value, bytes)]
        found.update({piece: None for piece, raw in wanted.items() if any(raw in blob for blob in blobs)})
    return list(found)


def _inflated(blob: bytes) -> bytes:
    """The inside of an Automerge change stored deflated (chunk type 2); anything else gives nothing."""
    if blob[:4] != b"\x85\x6f\x4a\x83" or blob[8:9] != b"\x02":
        return b""
    start = 9
    while start < len(blob) and blob[start] & 0x80:
        start += 1
    try:
        return zlib.decompressobj(-15).decompress(blob[start + 1 :])
    except zlib.error:
        return b""


# Logs

_RUN_OF_HAN = re.compile(r"[㐀-䶿一-鿿]{2,}")
_NAMES = frozenset({"lin", "noor", "wei", "mallory", "team", "reading", "home", "phone"})
"""People, groups and devices of the script: ids made of them may be logged."""
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[A-Za-z]")


def leaked(log: str, typed: Iterable[str]) -> str | None:
    """The first log line that holds something a person typed, or None.

    Chinese: two characters in a row that someone typed (our log events are English). English: three words in a row,
    or one word of four letters and more that our own source code does not use.
    """
    han: set[str] = set()
    rows: set[tuple[str, ...]] = set()
    rare: set[str] = set()
    for text in typed:
        cut = re.sub(REF, " ", text[:2000])
        for run in _RUN_OF_HAN.findall(cut):
            han.update(run[at : at + 2] for at in range(len(run) - 1))
        words = [word.lower() for word in _WORD.findall(cut)]
        rows.update(zip(words, words[1:], words[2:], strict=False))
        rare.update(word for word in words if len(word) >= 4 and word not in source_words() | _NAMES)
    for line in log.split("\n"):
        if any(run[at : at + 2] in han for run in _RUN_OF_HAN.findall(line) for at in range(len(run) - 1)):
            return line
        words = [word.lower() for word in _WORD.findall(line)]
        if any(row in rows for row in zip(words, words[1:], words[2:], strict=False)):
            return line
        if any(word in rare for word in words):
            return line
    return None


@cache
def source_words() -> frozenset[str]:
    root = Path(__file__).parents[2]
    files = [file for package in ("bot", "store", "sync", "scheduler") for file in (root / package).rglob("*.py")]
    return frozenset(word.lower() for file in files for word in _WORD.findall(file.read_text(encoding="utf-8")))
