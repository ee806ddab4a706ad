"""What a roster says after an entry: who belongs, which epochs there were. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from store.ids import lane_after
from sync.roster_entry import DeviceRecord


@dataclass(frozen=True, slots=True)
class Member:
    record: DeviceRecord
    since: int
    """Height of the entry that let it in."""
    left_at: int | None = None
    """Height of the entry that removed it."""
    cut: int | None = None
    """The last of its envelopes that counts; None while it belongs."""


@dataclass(frozen=True, slots=True)
class Epoch:
    number: int
    commit: bytes
    height: int


@dataclass(frozen=True, slots=True)
class Roster:
    """The state after an entry. `head`: hash of that entry."""

    scope: bytes
    height: int
    head: bytes
    admin: bytes
    members: Mapping[bytes, Member]
    epochs: Mapping[int, Epoch]
    generation: int
    recovery_sign: bytes
    recovery_wrap: bytes
    baseline: bytes = b""
    """SHA-256 of the baseline that the newest `erase` published; empty before the first."""
    founded_at: int = 0
    """Height of the newest `erase`, or of the first entry."""
    founder: bytes = b""
    """The device that publishes it: the admin of that time."""
    frontier: Mapping[bytes, tuple[int, bytes]] = field(default_factory=dict)
    """What that baseline covers: device → (seq, envelope hash)."""
    recovered_at: int = -1
    """Height of the newest `recover`."""

    @property
    def epoch(self) -> Epoch:
        return self.epochs[max(self.epochs)]

    def current(self) -> dict[bytes, Member]:
        return {device: member for device, member in self.members.items() if member.left_at is None}

    def next_lane(self) -> str:
        """Lanes are never used again, not even of devices that left."""
        return lane_after([member.record.lane for member in self.members.values()])
