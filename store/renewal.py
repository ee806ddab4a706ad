"""A home that was copied or put back goes on as a new device, before its first write.

Its database and every scope learn the new device; what the old one said stays and is no longer its own to send.
Cut off at any point, doing it again finishes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from store.device import Device
from store.errors import KeyMissing
from store.grants import UpkeepClaim, grant
from store.home import HomeLock
from store.memory import DATABASE, Memory
from store.ports import Clock, Entropy
from store.sql import DEFAULT_FACTORY, ConnectionFactory

NewRows = Callable[[Mapping[str, bytes]], Mapping[str, bytes | None]]
"""The rows that sync keeps of a scope → what becomes of them."""


async def renew(
    home: Path,
    *,
    was: bytes,
    device_id: bytes,
    lane: str,
    rows: NewRows,
    clock: Clock,
    entropy: Entropy,
    factory: ConnectionFactory = DEFAULT_FACTORY,
) -> None:
    """`was`, `device_id`: the old and the new device, 16 bytes each. Raises what `Home.open` raises."""
    lock = await HomeLock.acquire(home)
    try:
        try:
            device = await Device.open(home, device_id=was, entropy=entropy, factory=factory)
        except KeyMissing:  # cut off behind the last step
            device = await Device.open(home, device_id=device_id, entropy=entropy, factory=factory)
        try:
            for scope in device.scopes():
                folder = home / "scopes" / scope.scope
                if scope.made and (folder / DATABASE).exists():
                    memory = await Memory.open(
                        grant(UpkeepClaim(scope.scope), device),
                        folder,
                        backups=home / "backups",
                        device_id=device_id,
                        clock=clock,
                        entropy=entropy,
                        factory=factory,
                    )
                    try:
                        kept = await memory.sync_rows() | await memory.sync_rows("~")
                        await memory.renew(lane, rows(kept))
                    finally:
                        await memory.close()
            await device.renew(device_id, lane)
        finally:
            await device.close()
    finally:
        lock.release()
