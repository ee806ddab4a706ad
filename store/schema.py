"""The tables of the two databases, as numbered migrations.

Three kinds of table, never confused: truth that is synced (`changes`), truth of this copy alone,
and projection, which `rebuild` may drop. A migration runs in one transaction; its number is the
database's `user_version`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from sqlite3 import Connection

Step = str | Callable[[Connection], None]


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    steps: Sequence[Step]


MEMORY_PROJECTION: tuple[str, ...] = (
    "CREATE TABLE keys(map TEXT NOT NULL, key TEXT NOT NULL, doc TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(map, key)) WITHOUT ROWID",
    "CREATE TABLE documents(doc TEXT PRIMARY KEY, keys INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE registers(record TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, by_account TEXT NOT NULL,"
    " at_ms INTEGER NOT NULL, heads TEXT NOT NULL, others TEXT NOT NULL, PRIMARY KEY(record, field)) WITHOUT ROWID",
    "CREATE TABLE labels(label TEXT NOT NULL, record TEXT NOT NULL, digest TEXT NOT NULL,"
    " PRIMARY KEY(label, record, digest)) WITHOUT ROWID",
    "CREATE INDEX labels_by_record ON labels(record)",
    "CREATE TABLE edges(successor TEXT NOT NULL, predecessor TEXT NOT NULL,"
    " PRIMARY KEY(successor, predecessor)) WITHOUT ROWID",
    "CREATE INDEX edges_by_predecessor ON edges(predecessor)",
    "CREATE TABLE entries(seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, label TEXT NOT NULL, kind TEXT NOT NULL,"
    " text TEXT NOT NULL, why TEXT NOT NULL, impact TEXT NOT NULL, next TEXT NOT NULL, verify TEXT NOT NULL,"
    " about TEXT NOT NULL, confidence TEXT NOT NULL, tags TEXT NOT NULL, aliases TEXT NOT NULL,"
    " at_ms INTEGER NOT NULL, zone TEXT NOT NULL, day TEXT NOT NULL, author TEXT NOT NULL, source TEXT NOT NULL,"
    " origin TEXT NOT NULL, lang TEXT NOT NULL, supersedes TEXT NOT NULL, dates TEXT NOT NULL,"
    " hidden INTEGER NOT NULL, pinned INTEGER NOT NULL, importance INTEGER, cleared INTEGER NOT NULL,"
    " tainted INTEGER NOT NULL, held INTEGER NOT NULL, current INTEGER NOT NULL, versions INTEGER NOT NULL,"
    " more_tags TEXT NOT NULL, subject TEXT NOT NULL, rest TEXT NOT NULL, until TEXT NOT NULL, same TEXT NOT NULL)",
    "CREATE INDEX entries_by_day ON entries(day)",
    "CREATE INDEX entries_by_time ON entries(at_ms)",
    "CREATE INDEX entries_by_subject ON entries(subject) WHERE subject <> ''",
    "CREATE INDEX entries_by_words ON entries(same)",
    "CREATE INDEX entries_that_may_cool ON entries(seq) WHERE until <> '' OR importance IS NOT NULL",
    "CREATE INDEX entries_out_of_sight ON entries(seq) WHERE hidden = 1 OR held = 1 OR kind = 'checkpoint'",
    "CREATE INDEX entries_by_dates ON entries(dates) WHERE dates <> '[]'",
    "CREATE TABLE tasks(id TEXT PRIMARY KEY, label TEXT NOT NULL, at_ms INTEGER NOT NULL, day TEXT NOT NULL,"
    " author TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL, blocked_by TEXT NOT NULL,"
    " resume_step TEXT NOT NULL, next TEXT NOT NULL, note TEXT NOT NULL, due TEXT NOT NULL, done_at_ms INTEGER,"
    " hidden INTEGER NOT NULL, changed_at_ms INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE cards(id TEXT PRIMARY KEY, word TEXT NOT NULL, added_ms INTEGER, state TEXT NOT NULL,"
    " meaning TEXT NOT NULL, ipa TEXT NOT NULL, pos TEXT NOT NULL, example TEXT NOT NULL, tags TEXT NOT NULL,"
    " place INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE reviews(id TEXT PRIMARY KEY, card TEXT NOT NULL, kind TEXT NOT NULL, rating INTEGER NOT NULL,"
    " at_ms INTEGER NOT NULL, zone TEXT NOT NULL, took_ms INTEGER NOT NULL, device TEXT NOT NULL, slot TEXT NOT NULL,"
    " undoes TEXT NOT NULL, by_account TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX reviews_by_card ON reviews(card, at_ms, device, id)",
    "CREATE INDEX reviews_by_time ON reviews(at_ms)",
    "CREATE INDEX reviews_undone ON reviews(undoes) WHERE undoes <> ''",
    "CREATE TABLE card_memory(card TEXT NOT NULL, engine TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(card, engine)) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE words USING fts5(body, content='', tokenize='porter unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE plain USING fts5(body, content='', tokenize='unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE word_counts USING fts5vocab('words', 'row')",
)
MEMORY_PROJECTION_TABLES = (
    "word_counts", "plain", "words", "card_memory", "reviews", "cards", "tasks", "entries", "edges", "labels",
    "registers", "documents", "keys",
)  # fmt: skip

TURN_INDEX: tuple[str, ...] = (
    "CREATE VIRTUAL TABLE turn_words USING fts5(body, day, content='', tokenize='porter unicode61 remove_diacritics 2')",
    "CREATE TABLE turn_places(place INTEGER PRIMARY KEY, turn INTEGER NOT NULL UNIQUE, account TEXT NOT NULL,"
    " cues INTEGER NOT NULL)",
)
"""Made from `turns`, the truth of this copy: what `turn_words` calls a row is a place of `turn_places`."""
TURN_INDEX_TABLES = ("turn_places", "turn_words")

VECTORS: tuple[str, ...] = (
    "CREATE TABLE entry_vectors(number INTEGER PRIMARY KEY AUTOINCREMENT, row INTEGER NOT NULL UNIQUE,"
    " model TEXT NOT NULL, han INTEGER NOT NULL, vector BLOB NOT NULL)",
    "CREATE INDEX entry_vectors_by_model ON entry_vectors(model, row)",
    "CREATE TABLE turn_vectors(number INTEGER PRIMARY KEY AUTOINCREMENT, row INTEGER NOT NULL UNIQUE,"
    " model TEXT NOT NULL, han INTEGER NOT NULL, vector BLOB NOT NULL)",
    "CREATE INDEX turn_vectors_by_model ON turn_vectors(model, row)",
)
"""What an embedder made of each text, as little-endian float32; `row`: `entries.seq` or `turn_places.place`; `han`:
whether the text is Chinese, since vectors of one script lie closer together than those of two."""

STALE = "stale"
"""In `copy`: the projections are those of an older program, and are made anew when the memory is opened."""


def is_stale(conn: Connection) -> bool:
    """Whether a migration has left the projections to be made anew."""
    if conn.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'copy'").fetchone() is None:
        return False
    return conn.execute("SELECT 1 FROM copy WHERE key = ?", (STALE,)).fetchone() is not None


def _projection_anew(conn: Connection) -> None:
    """Empty tables of today's form in place of whatever stood there."""
    for table in (*MEMORY_PROJECTION_TABLES, *TURN_INDEX_TABLES, "entry_vectors", "turn_vectors"):
        conn.execute(f"DROP TABLE IF EXISTS main.{table}")  # never that of an attached database
    for statement in (*MEMORY_PROJECTION, *TURN_INDEX, *VECTORS):
        conn.execute(statement)
    used = conn.execute("SELECT EXISTS(SELECT 1 FROM main.changes) OR EXISTS(SELECT 1 FROM main.turns)").fetchone()[0]
    if used:
        conn.execute("INSERT OR REPLACE INTO copy VALUES(?, '1')", (STALE,))


MEMORY_MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        1,
        "first tables",
        (
            "CREATE TABLE changes(pos INTEGER PRIMARY KEY AUTOINCREMENT, doc TEXT NOT NULL, hash BLOB NOT NULL,"
            " bytes BLOB NOT NULL, origin TEXT NOT NULL CHECK(origin IN ('own', 'was', 'peer')),"
            " admitted INTEGER NOT NULL DEFAULT 1, author TEXT NOT NULL DEFAULT '', number INTEGER NOT NULL DEFAULT 0,"
            " UNIQUE(doc, hash))",
            "CREATE INDEX changes_by_author ON changes(author, number) WHERE author <> ''",
            "CREATE TABLE copy(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            "CREATE TABLE sessions(id INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, started_ms INTEGER NOT NULL,"
            " ended_ms INTEGER, checkpoint TEXT)",
            "CREATE TABLE turns(id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL REFERENCES sessions(id),"
            " chat TEXT NOT NULL, account TEXT NOT NULL, at_ms INTEGER NOT NULL, day TEXT NOT NULL, kind TEXT NOT NULL,"
            " text TEXT NOT NULL, reply TEXT NOT NULL, cited TEXT NOT NULL, entry TEXT, topic TEXT)",
            "CREATE INDEX turns_by_chat ON turns(chat, id)",
            "CREATE TABLE handled(inbound_key TEXT PRIMARY KEY, reply TEXT NOT NULL, at_ms INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE TABLE pending(chat TEXT NOT NULL, account TEXT NOT NULL, question TEXT NOT NULL,"
            " at_ms INTEGER NOT NULL, PRIMARY KEY(chat, account)) WITHOUT ROWID",
            "CREATE TABLE offers(id TEXT PRIMARY KEY, chat TEXT NOT NULL, account TEXT NOT NULL, body TEXT NOT NULL,"
            " at_ms INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE TABLE undo(number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, chat TEXT NOT NULL, account TEXT NOT NULL, label TEXT NOT NULL,"
            " verb TEXT NOT NULL, steps TEXT NOT NULL, at_ms INTEGER NOT NULL, done INTEGER NOT NULL)",
            "CREATE TABLE erasing(record TEXT PRIMARY KEY, due_ms INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE TABLE ref_counter(series TEXT NOT NULL, day TEXT NOT NULL, lane TEXT NOT NULL,"
            " last INTEGER NOT NULL, PRIMARY KEY(series, day, lane)) WITHOUT ROWID",
            "CREATE TABLE sync_state(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
        ),
    ),
    Migration(
        2,
        "how often an entry was shown; vectors; the chat's index knows who, when and in which conversation",
        (
            "CREATE TABLE uses(record TEXT PRIMARY KEY, times INTEGER NOT NULL, last_ms INTEGER NOT NULL) WITHOUT ROWID",
            "DELETE FROM copy WHERE key GLOB 'note/trail/*'",  # in a form that nobody reads any more
        ),
    ),
    Migration(3, "cards and their reviews", (_projection_anew,)),
)
"""The last one makes the projections, whatever they were before: none but it needs to know their form."""

DEVICE_MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        1,
        "first tables",
        (
            "CREATE TABLE installation(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            "CREATE TABLE scopes(scope TEXT PRIMARY KEY CHECK(length(scope) = 32), kind TEXT NOT NULL"
            " CHECK(kind IN ('private', 'group')), title TEXT NOT NULL, lane TEXT NOT NULL DEFAULT '',"
            " made INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE TABLE accounts(account TEXT PRIMARY KEY CHECK(account LIKE '_%:_%'), name TEXT NOT NULL,"
            " role TEXT NOT NULL CHECK(role IN ('owner', 'member')),"
            " scope TEXT NOT NULL UNIQUE CHECK(scope <> '') REFERENCES scopes(scope)) WITHOUT ROWID",
            "CREATE TABLE chats(chat TEXT PRIMARY KEY CHECK(chat LIKE '_%:_%'),"
            " scope TEXT NOT NULL CHECK(scope <> '') REFERENCES scopes(scope)) WITHOUT ROWID",
            "CREATE TABLE members(scope TEXT NOT NULL REFERENCES scopes(scope), account TEXT NOT NULL,"
            " role TEXT NOT NULL CHECK(role IN ('admin', 'member')), PRIMARY KEY(scope, account)) WITHOUT ROWID",
        ),
    ),
    Migration(
        2,
        "what chat platforms bring and what leaves to them; people with several accounts; groups that are left",
        (
            "CREATE TABLE people(account TEXT PRIMARY KEY CHECK(account LIKE '_%:_%'), name TEXT NOT NULL,"
            " role TEXT NOT NULL CHECK(role IN ('owner', 'member')),"
            " scope TEXT NOT NULL CHECK(scope <> '') REFERENCES scopes(scope)) WITHOUT ROWID",
            "INSERT INTO people SELECT account, name, role, scope FROM accounts",
            "DROP TABLE accounts",
            "ALTER TABLE people RENAME TO accounts",
            "ALTER TABLE members ADD COLUMN left_ms INTEGER",
            "ALTER TABLE chats ADD COLUMN state TEXT NOT NULL DEFAULT 'on' CHECK(state IN ('on', 'off', 'gone', 'moved'))",
            "CREATE TABLE inbox(pos INTEGER PRIMARY KEY AUTOINCREMENT, adapter TEXT NOT NULL, bot TEXT NOT NULL,"
            " event TEXT NOT NULL, message TEXT, lane TEXT NOT NULL, payload BLOB NOT NULL,"
            " state TEXT NOT NULL DEFAULT 'waiting' CHECK(state IN ('waiting', 'early', 'parked', 'done')),"
            " tries INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '', at_ms INTEGER NOT NULL,"
            " UNIQUE(adapter, bot, event), UNIQUE(adapter, bot, message))",
            "CREATE INDEX inbox_open ON inbox(pos) WHERE state <> 'done'",
            "CREATE TABLE outbox(pos INTEGER PRIMARY KEY AUTOINCREMENT, adapter TEXT NOT NULL, bot TEXT NOT NULL,"
            " chat TEXT NOT NULL, answers TEXT NOT NULL, payload BLOB NOT NULL,"
            " state TEXT NOT NULL DEFAULT 'queued' CHECK(state IN ('queued', 'sending', 'sent', 'uncertain', 'failed')),"
            " reason TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '', at_ms INTEGER NOT NULL)",
            "CREATE INDEX outbox_open ON outbox(pos) WHERE state IN ('queued', 'sending', 'uncertain')",
            "CREATE INDEX outbox_by_question ON outbox(answers) WHERE answers <> ''",
            "CREATE TABLE buttons(token TEXT PRIMARY KEY, account TEXT NOT NULL, chat TEXT NOT NULL, action TEXT NOT NULL,"
            " about TEXT NOT NULL, at_ms INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE TABLE requests(code TEXT PRIMARY KEY, kind TEXT NOT NULL, account TEXT NOT NULL, name TEXT NOT NULL,"
            " chat TEXT NOT NULL, until_ms INTEGER NOT NULL) WITHOUT ROWID",
        ),
    ),
    Migration(
        3,
        "what is said unasked",
        (
            "CREATE TABLE slots(person TEXT NOT NULL, kind TEXT NOT NULL, day TEXT NOT NULL, mark TEXT NOT NULL,"
            " state TEXT NOT NULL CHECK(state IN ('due', 'sending', 'sent', 'uncertain', 'skipped')),"
            " reason TEXT NOT NULL, outbox INTEGER, at_ms INTEGER NOT NULL, PRIMARY KEY(person, kind, day)) WITHOUT ROWID",
            "CREATE INDEX slots_by_kind ON slots(kind)",
            "CREATE INDEX slots_by_delivery ON slots(outbox) WHERE outbox IS NOT NULL",
            # Whatever becomes of a delivery becomes of its slots, in the same transaction and wherever it is written.
            "CREATE TRIGGER slots_follow_delivery AFTER UPDATE OF state ON outbox BEGIN"
            " UPDATE slots SET"
            " state = CASE NEW.state WHEN 'queued' THEN 'sending' WHEN 'failed' THEN 'skipped' ELSE NEW.state END,"
            " reason = CASE NEW.state WHEN 'failed' THEN 'undelivered' ELSE '' END"
            " WHERE outbox = NEW.pos; END",
        ),
    ),
)
