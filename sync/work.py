"""What one pass over one scope works with, and what it has done so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from store.memory import Memory
from store.ports import Clock, Entropy
from sync.keys import DeviceKeys
from sync.ports import KeyStore, Transport
from sync.session import Session

Progress = Callable[[int, int], None]
"""(changes that came in so far, changes that went out so far)."""


@dataclass(slots=True)
class Report:
    """What one pass did."""

    accepted: int = 0
    """Envelopes of others that counted."""
    changes: int = 0
    """Changes of others that were new."""
    sent: int = 0
    """Envelopes of our own that were published."""
    sent_changes: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    waiting: Counter[str] = field(default_factory=Counter)
    forked: list[bytes] = field(default_factory=list)
    roster_fork: bool = False
    elsewhere: bool = False
    """Our own stream holds envelopes we never wrote: these keys are in use somewhere else."""
    rebased: bool = False
    """The scope was founded anew by another device, and this one has followed."""


@dataclass(slots=True)
class Work:
    memory: Memory
    session: Session
    generation: int
    """Of this device's own log."""
    keys: DeviceKeys
    store: KeyStore
    transport: Transport
    clock: Clock
    entropy: Entropy
    report: Report
    progress: Progress
    known_heads: set[bytes]
    """First 16 bytes of the hash of every roster entry that is here or was offered."""

    @property
    def me(self) -> bytes:
        return self.session.me

    @property
    def scope(self) -> str:
        return self.memory.scope

    def now_ms(self) -> int:
        return int(self.clock.now().timestamp() * 1000)

    def told(self) -> None:
        self.progress(self.report.changes, self.report.sent_changes)
