"""The devices of this memory, as people see them: on which one something was said."""

from __future__ import annotations

from bot.turn import Turn
from store.ids import label_parts


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
