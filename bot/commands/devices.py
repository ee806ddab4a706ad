"""The devices of this memory, as people see them: their names, whether this one belongs, what has not arrived yet."""

from __future__ import annotations

from functools import lru_cache

from bot.turn import Turn
from store.ids import label_parts
from store.view import View
from sync import roster as rosters
from sync import state
from sync.standing import standing

RETIRED = "retired/"
"""Before 16 digits of a device's id: a field of `meta` in which that device says that it leaves."""
ROSTER = "roster/"
"""How the names of the rows begin that hold it (`sync/state.py`)."""


def is_removed(view: View, device_id: bytes) -> bool:
    """Whether this device was taken out of the memory, or has retired: it shows what it had, and nothing new arrives.

    A copy that nobody has let in yet was never in, and is used like any other device.
    """
    roster = _roster(view)
    if roster is None or device_id not in roster.members:
        return False
    retired = view.register("meta", f"{RETIRED}{device_id[:8].hex()}")
    return device_id not in roster.current() or (retired is not None and retired.value is True)


def in_use(view: View) -> set[str]:
    """The devices that share this memory, by the first 16 hex digits of their ids; none where it is not shared."""
    roster = _roster(view)
    return {device[:8].hex() for device in roster.current() if not is_removed(view, device)} if roster else set()


def are_several(turn: Turn) -> bool:
    """Whether others share this memory with this device."""
    return count(turn) > 1


def count(turn: Turn) -> int:
    """How many devices hold this memory, as far as this one may know."""
    roster = _roster(turn.writer)
    current = roster.current() if roster else {}
    return len(current) if turn.device_id in current else 1


def _roster(view: View) -> rosters.Roster | None:
    entries = state.roster_entries(view.sync_rows(ROSTER))
    return _read_chain(tuple(entries)) if entries else None


@lru_cache(maxsize=16)
def _read_chain(entries: tuple[bytes, ...]) -> rosters.Roster:
    """Signatures are checked once for each roster, not for each message."""
    return rosters.read_chain(entries)


def status(turn: Turn) -> tuple[str, ...]:
    """2 台设备 · 1 处改动还没到另一台设备 / 2 devices, 1 change not yet on another device; nothing for one device alone."""
    found = standing(turn.writer, turn.device_id)
    if found is None:
        return ()
    if is_removed(turn.writer, turn.device_id):
        return (turn.words("removed-note"),)
    if not found.belongs:
        return (turn.words("not-let-in"),)
    lines = []
    if len(found.members) > 1:
        name = "status-devices-waiting" if found.waiting else "status-devices"
        shown = turn.number(found.waiting)
        lines.append(turn.words(name, n=len(found.members), waiting=found.waiting, shown=shown))
    if found.brake is not None:
        erased, total = found.brake
        lines.append(turn.words("status-brake", n=erased, shown=turn.number(total)))
    return tuple(lines)


def lane_of(label: str) -> str:
    """The lane a RefID was given in; "" is the lane of the device that began this memory."""
    parts = label_parts(label)
    return parts.lane if parts else ""


def device_of(turn: Turn, label: str) -> str:
    """The name of the device that gave this RefID."""
    lane = lane_of(label)
    return _named(turn, turn.writer.device_names().get(lane), is_here=lane == turn.writer.local("lane"))


def device_named(turn: Turn, device: str) -> str:
    """The same for the 16 hex digits with which a device signs what it sets."""
    return _named(turn, turn.writer.devices().get(device), is_here=device == turn.device_id[:8].hex())


def _named(turn: Turn, name: str | None, *, is_here: bool) -> str:
    """A device knows its own name before its memory does."""
    return name or (turn.device if is_here else turn.words("another-device"))
