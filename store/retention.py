"""What was said in the chat and is not to be kept for ever: counted, and taken out with everything made of it.

Only the talks of this copy. An entry, a task or a card is never touched, however old the message that it came from is.
The bytes leave the disk with `Memory.compact`, as those of an erased entry do; a mark sees to it after a crash.
"""

from __future__ import annotations

from store import index
from store.erase import COMPACT_MARK, REPLY_ERASED
from store.model import TALK
from store.view import View
from store.writer import Writer


def talk_before(view: View, day: str) -> int:
    """How many messages were said before this day (ISO, by the person's days)."""
    return int(view.conn.execute("SELECT count(*) FROM turns WHERE day < ?", (day,)).fetchone()[0])


def forget_talk(writer: Writer, day: str, before_ms: int) -> int:
    """Takes out what was said before `day`, and the replies, offers and steps of that time, which quote it. Gives how many.

    What was handled stays known as handled, without its words: a repeat must not take effect again.
    """
    conn = writer.conn
    found = conn.execute("SELECT id, kind, text, day FROM turns WHERE day < ?", (day,)).fetchall()
    if not found:
        return 0
    for number, kind, text, said_on in found:
        if kind == TALK:
            index.remove_turn(conn, number, day=said_on, text=text)
    conn.execute("DELETE FROM turns WHERE day < ?", (day,))
    conn.execute("UPDATE handled SET reply = ? WHERE at_ms < ?", (REPLY_ERASED, before_ms))
    for table in ("pending", "offers", "undo"):
        conn.execute(f"DELETE FROM {table} WHERE at_ms < ?", (before_ms,))
    index.optimize(conn)
    conn.execute("INSERT OR REPLACE INTO copy VALUES(?, '1')", (COMPACT_MARK,))
    return len(found)
