"""Writing roster entries: each act of an admin, and what only the recovery key may say. Pure.

kind      signed by                   says
found     its device                  the first device, the recovery keys, epoch 1
add       admin                       one more device, its lane
remove    admin                       a device leaves: what counted of it, the next epoch
erase     admin                       the scope was founded anew: generation, next epoch, baseline
replace   the admin's old key         the admin's home moved to new keys (`device adopt`)
recover   recovery key                the whole list anew: devices, admin, recovery keys, next epoch
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sync.roster_entry import NO_PREVIOUS, RECOVERY, DeviceRecord, Kind, pack_record, sign_entry
from sync.roster_state import Roster


def found(
    scope: bytes, first: DeviceRecord, *, sign_seed: bytes, recovery_sign: bytes, recovery_wrap: bytes, commit: bytes
) -> bytes:
    body = {1: pack_record(first), 2: recovery_sign, 3: recovery_wrap, 4: commit}
    return sign_entry(scope, 0, NO_PREVIOUS, Kind.FOUND, body, first.device, sign_seed)


def add(roster: Roster, newcomer: DeviceRecord, *, sign_seed: bytes) -> bytes:
    return _next(roster, Kind.ADD, {1: pack_record(newcomer)}, roster.admin, sign_seed)


def remove(roster: Roster, device: bytes, *, cut: int, commit: bytes, sign_seed: bytes) -> bytes:
    body = {1: device, 2: cut, 3: roster.epoch.number + 1, 4: commit}
    return _next(roster, Kind.REMOVE, body, roster.admin, sign_seed)


def erase(
    roster: Roster,
    *,
    commit: bytes,
    baseline: bytes,
    frontier: Mapping[bytes, tuple[int, bytes]],
    sign_seed: bytes,
) -> bytes:
    body = {
        1: roster.generation + 1,
        2: roster.epoch.number + 1,
        3: commit,
        4: baseline,
        5: {device: [seq, head] for device, (seq, head) in frontier.items()},
    }
    return _next(roster, Kind.ERASE, body, roster.admin, sign_seed)


def adopt(roster: Roster, successor: DeviceRecord, *, cut: int, commit: bytes, sign_seed: bytes) -> bytes:
    """Signed with the old admin's key; the old device counts as removed."""
    body = {1: pack_record(successor), 2: cut, 3: roster.epoch.number + 1, 4: commit}
    return _next(roster, Kind.REPLACE, body, roster.admin, sign_seed)


def recover(
    roster: Roster,
    devices: Sequence[DeviceRecord],
    *,
    admin: bytes,
    recovery_sign: bytes,
    recovery_wrap: bytes,
    cuts: Mapping[bytes, int],
    commit: bytes,
    recovery_seed: bytes,
) -> bytes:
    """Signed with the recovery key of `roster`, which is used up by it.

    `cuts` may name more than the devices that leave, and need not name all: nothing of one it leaves out counts.
    """
    leaving = set(roster.current()) - {record.device for record in devices}
    body = {
        1: [pack_record(record) for record in devices],
        2: admin,
        3: recovery_sign,
        4: recovery_wrap,
        5: roster.epoch.number + 1,
        6: commit,
        7: {device: cuts.get(device, 0) for device in leaving},
    }
    return _next(roster, Kind.RECOVER, body, RECOVERY, recovery_seed)


def _next(roster: Roster, kind: Kind, body: dict[int, Any], signer: bytes, seed: bytes) -> bytes:
    return sign_entry(roster.scope, roster.height + 1, roster.head, kind, body, signer, seed)
