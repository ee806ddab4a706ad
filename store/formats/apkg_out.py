"""Words with their progress → an Anki package, in the shape of old, which every Anki since 2.1 reads.

Nothing of Anki's is needed to write it. Notes keep their names (guid) from one export to the next, so a second import
there doubles nothing; answers keep their moments, so they are known again wherever they come back. When a card is due
stands in it for an Anki that does not reckon with FSRS; one that does works it out of the log again.
"""

from __future__ import annotations

import hashlib
import html
import io
import json
import sqlite3
import zipfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from store.formats.apkg import KNOWN_TAG, SEPARATOR
from store.model import Card, CardState

DECK, MODEL, DECK_CONF = 1_716_768_000_001, 1_716_768_000_002, 1
"""Names that must not change from one export to the next."""
FIELDS = ("Word", "IPA", "Part of speech", "Meaning", "Example")
_EASE = 2500
_DECAY = 0.1542

_TABLES = """
CREATE TABLE col (id integer PRIMARY KEY, crt integer NOT NULL, mod integer NOT NULL, scm integer NOT NULL,
    ver integer NOT NULL, dty integer NOT NULL, usn integer NOT NULL, ls integer NOT NULL, conf text NOT NULL,
    models text NOT NULL, decks text NOT NULL, dconf text NOT NULL, tags text NOT NULL);
CREATE TABLE notes (id integer PRIMARY KEY, guid text NOT NULL, mid integer NOT NULL, mod integer NOT NULL,
    usn integer NOT NULL, tags text NOT NULL, flds text NOT NULL, sfld integer NOT NULL, csum integer NOT NULL,
    flags integer NOT NULL, data text NOT NULL);
CREATE TABLE cards (id integer PRIMARY KEY, nid integer NOT NULL, did integer NOT NULL, ord integer NOT NULL,
    mod integer NOT NULL, usn integer NOT NULL, type integer NOT NULL, queue integer NOT NULL, due integer NOT NULL,
    ivl integer NOT NULL, factor integer NOT NULL, reps integer NOT NULL, lapses integer NOT NULL,
    left integer NOT NULL, odue integer NOT NULL, odid integer NOT NULL, flags integer NOT NULL, data text NOT NULL);
CREATE TABLE revlog (id integer PRIMARY KEY, cid integer NOT NULL, usn integer NOT NULL, ease integer NOT NULL,
    ivl integer NOT NULL, lastIvl integer NOT NULL, factor integer NOT NULL, time integer NOT NULL,
    type integer NOT NULL);
CREATE TABLE graves (usn integer NOT NULL, oid integer NOT NULL, type integer NOT NULL);
CREATE INDEX ix_notes_usn ON notes (usn);
CREATE INDEX ix_cards_usn ON cards (usn);
CREATE INDEX ix_revlog_usn ON revlog (usn);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE INDEX ix_cards_sched ON cards (did, queue, due);
CREATE INDEX ix_revlog_cid ON revlog (cid);
CREATE INDEX ix_notes_csum ON notes (csum);
"""


@dataclass(frozen=True, slots=True)
class Logged:
    """One answer, or with `rating` 0 a new beginning. Intervals: days, or seconds below nothing."""

    at_ms: int
    rating: int
    took_ms: int
    kind: int
    """0 while it is learned, 1 when it is due, 2 while it is learned again."""
    interval: int
    before: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How a card stands, in Anki's words."""

    kind: int
    """0 new, 1 learning, 2 known so far, 3 learned again."""
    due: int
    """The moment in s while it is learned; behind that days from the first day of the package."""
    interval: int
    reps: int
    lapses: int
    stability: float
    difficulty: float
    last_s: int


@dataclass(frozen=True, slots=True)
class Learned:
    """A card with what is shown of it and all that was answered; `standing` None for a new one."""

    card: Card
    meaning: str
    ipa: str
    pos: str
    example: str
    standing: Standing | None
    log: Sequence[Logged]


def write(learned: Iterable[Learned], *, deck: str, first_day_s: int, now_ms: int, retention: float) -> bytes:
    """`first_day_s`: when the day begins that due days are counted from."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        conn.executescript(_TABLES)
        conn.execute(
            "INSERT INTO col VALUES(1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, '{}')", _col(deck, first_day_s, now_ms)
        )
        used: dict[str, set[int]] = {"notes": set(), "cards": set(), "revlog": set()}
        for place, one in enumerate(learned, start=1):
            _add(conn, one, place, used, now_s=now_ms // 1000, retention=retention)
        data = conn.serialize()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("collection.anki2", data)
        archive.writestr("media", "{}")
    return packed.getvalue()


def _add(
    conn: sqlite3.Connection, one: Learned, place: int, used: dict[str, set[int]], *, now_s: int, retention: float
) -> None:
    card = one.card
    note = _free(used["notes"], max(1, card.added_ms))
    number = _free(used["cards"], max(1, card.added_ms))
    fields = [_html(text) for text in (card.word, one.ipa, one.pos, one.meaning, one.example)]
    tags = ["_".join(tag.split()) for tag in card.tags if tag.strip()]
    if card.state is CardState.KNOWN:
        tags.append(KNOWN_TAG)
    conn.execute(
        "INSERT INTO notes VALUES(?, ?, ?, ?, -1, ?, ?, ?, ?, 0, '')",
        (
            note, card.id, MODEL, now_s, f" {' '.join(tags)} " if tags else "", SEPARATOR.join(fields), card.word,
            int(hashlib.sha1(fields[0].encode(), usedforsecurity=False).hexdigest()[:8], 16),
        ),
    )  # fmt: skip
    conn.execute(
        "INSERT INTO cards VALUES(?, ?, ?, 0, ?, -1, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, ?)",
        (number, note, DECK, now_s, *_standing(one, place, retention)),
    )
    for entry in one.log:
        conn.execute(
            "INSERT INTO revlog VALUES(?, ?, -1, ?, ?, ?, ?, ?, ?)",
            (
                _free(used["revlog"], entry.at_ms), number, entry.rating, entry.interval, entry.before,
                _EASE if entry.rating else 0, entry.took_ms, entry.kind if entry.rating else 4,
            ),
        )  # fmt: skip


def _free(used: set[int], wish: int) -> int:
    """Ids are moments there, and two cards may have one."""
    while wish in used:
        wish += 1
    used.add(wish)
    return wish


def _standing(one: Learned, place: int, retention: float) -> tuple[Any, ...]:
    """type, queue, due, ivl, factor, reps, lapses, data"""
    is_off = one.card.state is not CardState.ACTIVE
    at = one.standing
    if at is None:
        return 0, -1 if is_off else 0, place, 0, 0, 0, 0, ""
    queue = -1 if is_off else 2 if at.kind == 2 else 1
    data = {
        "s": round(at.stability, 4), "d": round(at.difficulty, 3), "dr": retention, "decay": _DECAY, "lrt": at.last_s,
    }  # fmt: skip
    return at.kind, queue, at.due, at.interval, _EASE, at.reps, at.lapses, json.dumps(data)


def _html(text: str) -> str:
    return html.escape(text.replace(SEPARATOR, " "), quote=False).replace("\n", "<br>")


# what a collection says of itself


def _col(deck: str, first_day_s: int, now_ms: int) -> tuple[int, int, int, str, str, str, str]:
    now_s = now_ms // 1000
    conf = {
        "activeDecks": [1], "addToCur": True, "collapseTime": 1200, "curDeck": 1, "curModel": MODEL, "dueCounts": True,
        "estTimes": True, "newSpread": 0, "nextPos": 1, "schedVer": 2, "sortBackwards": False, "sortType": "noteFld", "timeLim": 0,
    }  # fmt: skip
    decks = {"1": _deck(1, "Default", now_s), str(DECK): _deck(DECK, deck, now_s)}
    models, options = {str(MODEL): _model(now_s)}, {str(DECK_CONF): _options()}
    return first_day_s, now_ms, now_ms, *(json.dumps(one) for one in (conf, models, decks, options))  # type: ignore[return-value]


def _deck(number: int, name: str, now_s: int) -> dict[str, Any]:
    return {
        "id": number, "name": name, "mod": now_s, "usn": -1, "desc": "", "dyn": 0, "conf": DECK_CONF, "collapsed": False,
        "browserCollapsed": False, "extendNew": 0, "extendRev": 0, "newToday": [0, 0], "revToday": [0, 0],
        "lrnToday": [0, 0], "timeToday": [0, 0],
    }  # fmt: skip


def _options() -> dict[str, Any]:
    return {
        "id": DECK_CONF, "name": "Default", "mod": 0, "usn": 0, "maxTaken": 60, "autoplay": True, "timer": 0,
        "replayq": True, "dyn": False,
        "new": {
            "bury": False, "delays": [1.0, 10.0], "initialFactor": _EASE, "ints": [1, 4, 0], "order": 1, "perDay": 20,
            "separate": True,
        },
        "rev": {
            "bury": False, "ease4": 1.3, "hardFactor": 1.2, "ivlFct": 1.0, "maxIvl": 36500, "perDay": 200, "fuzz": 0.05,
            "minSpace": 1,
        },
        "lapse": {"delays": [10.0], "leechAction": 1, "leechFails": 8, "minInt": 1, "mult": 0.0},
    }  # fmt: skip


def _model(now_s: int) -> dict[str, Any]:
    fields = [
        {"name": name, "ord": at, "sticky": False, "rtl": False, "font": "Arial", "size": 20, "media": []}
        for at, name in enumerate(FIELDS)
    ]
    front = "<div class=word>{{Word}}</div><div>{{IPA}} {{Part of speech}}</div>"
    back = "{{FrontSide}}<hr id=answer><div>{{Meaning}}</div><div class=example>{{Example}}</div>"
    template = {
        "name": "Word", "ord": 0, "qfmt": front, "afmt": back, "did": None, "bqfmt": "", "bafmt": "", "bfont": "",
        "bsize": 0,
    }  # fmt: skip
    css = ".card { font-size: 20px; text-align: center; } .word { font-size: 32px; } .example { color: gray; }"
    return {
        "id": MODEL, "name": "niannian", "type": 0, "mod": now_s, "usn": -1, "sortf": 0, "did": DECK, "tmpls": [template],
        "flds": fields, "css": css, "latexPre": "", "latexPost": "", "latexsvg": False, "req": [[0, "any", [0]]],
        "tags": [], "vers": [],
    }  # fmt: skip
