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
    name = turn.writer.device_names().get(lane)
    if name:
        return name
    return turn.device if lane == turn.writer.local("lane") else turn.words("another-device")
