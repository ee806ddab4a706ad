"""Bringing a database to the newest schema: a checked copy first, then one transaction a migration.

The copy is written beside its final name and moved there only when it checks out, so a full disk never
costs an older good copy. It goes away at the next start that finds nothing left to do.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from store.errors import MigrationFailed, NiannianError
from store.schema import Migration, is_stale
from store.sql import kind_of, transaction


def schema_version(conn: sqlite3.Connection) -> int:
    version: int = conn.execute("PRAGMA user_version").fetchone()[0]
    return version


def upgrade(
    conn: sqlite3.Connection,
    path: Path,
    migrations: Sequence[Migration],
    *,
    backups: Path,
    before_writing: Callable[[], None],
) -> None:
    """Raises MigrationFailed, which names the migration and the copy. What was there before is then still there."""
    version = schema_version(conn)
    newest = migrations[-1].number
    copy = backups / f"{path.parent.name}-{path.stem}-before-{newest}.db"
    if version == newest:
        if not is_stale(conn):
            copy.unlink(missing_ok=True)  # the migration has proved itself: this is a clean later start
        return
    if version > 0:
        back_up(conn, copy, newest)
    before_writing()
    for migration in migrations:
        if migration.number > version:
            _migrate(conn, migration, str(copy) if version > 0 else "-")


def back_up(conn: sqlite3.Connection, copy: Path, number: int) -> None:
    """A checked copy of the whole database at `copy`, on disk when this returns.

    `number`: the schema it is made for. Raises MigrationFailed when the copy does not check out.
    """
    copy.parent.mkdir(mode=0o700, exist_ok=True)
    draft = copy.with_suffix(".new")
    draft.unlink(missing_ok=True)
    try:
        target = sqlite3.connect(draft)
        try:
            draft.chmod(0o600)
            conn.backup(target)
            intact = target.execute("PRAGMA integrity_check").fetchone()[0] == "ok" and _counts(target) == _counts(conn)
        finally:
            target.close()
        if not intact:
            raise MigrationFailed(number=number, copy="-")
        draft.replace(copy)
        _sync_folder(copy.parent)
    finally:
        draft.unlink(missing_ok=True)


def _migrate(conn: sqlite3.Connection, migration: Migration, copy: str) -> None:
    """One migration in one transaction, its number included."""

    def steps(inner: sqlite3.Connection) -> None:
        for step in migration.steps:
            if isinstance(step, str):
                inner.execute(step)
            else:
                step(inner)
        inner.execute(f"PRAGMA user_version = {migration.number}")

    try:
        transaction(conn, steps)
    except NiannianError:
        raise
    except sqlite3.Error as error:
        if kind_of(error) is not None:
            raise  # a full disk is no fault of the migration
        raise MigrationFailed(number=migration.number, copy=copy) from error
    except Exception as error:
        # Old rows can trip a step in any way; the person must hear where the copy is, not see a traceback.
        raise MigrationFailed(number=migration.number, copy=copy) from error


def _counts(conn: sqlite3.Connection) -> dict[str, int]:
    tables = [row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: conn.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
