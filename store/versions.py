"""What a record holds beside and before what is shown: the variants of an entry, the values of a field.

The rows of the projection hold what is shown; this reads the keys behind them, for the few who ask.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from sqlite3 import Connection

from store.changes import Json, parse_record_key, parse_register_key
from store.model import AccountID, Draft, RefID
from store.projection import registers_of

_WORDS = ("text", "why", "impact", "next", "verify")
SAID_MAX = 200
"""Values of one field that are read, the newest."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing that was kept under an id. `label`: what it was kept as; "" when that label has not come yet."""

    label: RefID
    draft: Draft
    digest: str


@dataclass(frozen=True, slots=True)
class Said:
    """One value that a field was given. `device`: 16 hex digits; `stands`: nobody has replaced it."""

    field: str
    value: Json
    by: AccountID
    at_ms: int
    device: str
    stands: bool


def variants(conn: Connection, record: str) -> list[Variant]:
    """Everything kept under this id, in the order of their labels."""
    labels = dict(conn.execute("SELECT digest, min(label) FROM labels WHERE record = ? GROUP BY digest", (record,)))
    rows = conn.execute(
        "SELECT key, value FROM keys WHERE map = 'e' AND key > ? AND key < ?", (f"{record}.", f"{record}/")
    )
    found = []
    for key, value in rows:
        digest, body = parse_record_key(key)[1], json.loads(value)
        text, why, impact, next_step, verify = (str(body.get(name, "")) for name in _WORDS)
        draft = Draft(text, why=why, impact=impact, next=next_step, verify=verify)
        found.append(Variant(RefID(labels.get(digest, "")), draft, digest))
    return sorted(found, key=lambda one: (len(one.label), one.label, one.digest))


def said(conn: Connection, record: str, field: str) -> list[Said]:
    """The values that a field was given, newest first by the clocks of those who gave them."""
    prefix = f"{record}/{field}/"
    rows = conn.execute(
        "SELECT key, value FROM keys WHERE map = 'r' AND key > ? AND key < ? ORDER BY key DESC LIMIT ?",
        (prefix, prefix[:-1] + "0", SAID_MAX),
    )
    register = registers_of(conn, record, field).get(field)
    heads = register.heads if register else ()
    found = []
    for key, value in rows:
        name, body = parse_register_key(key), json.loads(value)
        if name.field == field:
            said = Said(field, body["v"], AccountID(body["by"]), body["at"], name.device, name.digest in heads)
            found.append(said)
    return found
