"""The roster: one signed chain per scope that says which devices belong, and which epoch is in force. Pure.

Linear: each entry names the hash of the one before, and only the scope's admin device appends. A fork is
settled only by the recovery key; any other fork stops sync (never local work) and is shown.

    kind      signed by                   says
    found     its device                  the first device, the recovery keys, epoch 1
    add       admin                       one more device, its lane
    remove    admin                       a device leaves: what counted of it, the next epoch
    erase     admin                       the scope was founded anew: generation, next epoch, baseline
    replace   the admin's old key         the admin's home moved to new keys (`device adopt`)
    recover   recovery key                the whole list anew: devices, admin, recovery keys, next epoch

Device names are not here; they are registers in the sealed `meta` document.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from store.ids import lane_after
from sync import cbor
from sync.errors import Forged, Malformed, Replayed, Revoked, Unsupported

ENTRY_BYTES_MAX = 64 * 1024
HEIGHT_MAX = 10_000
DEVICES_MAX = 64
NO_PREVIOUS = bytes(32)
RECOVERY = b""
"""The signer of a `recover` entry."""

_VERSION = 1
_SIGNED = b"memsync/1 roster\0"
_SIGNATURE_BYTES = 64
_LANE = re.compile(r"[a-z]{0,4}")


class Kind(IntEnum):
    FOUND = 1
    ADD = 2
    REMOVE = 3
    ERASE = 4
    REPLACE = 5
    RECOVER = 6


_FIELDS = {Kind.FOUND: 4, Kind.ADD: 1, Kind.REMOVE: 4, Kind.ERASE: 5, Kind.REPLACE: 4, Kind.RECOVER: 7}
"""How many fields the body of each kind has, numbered from 1; no more and no fewer are read."""


@dataclass(frozen=True, slots=True)
class DeviceRecord:
    sign_public: bytes
    wrap_public: bytes
    lane: str

    @property
    def device(self) -> bytes:
        """16 bytes, as in `sync/keys.py`."""
        return hashlib.sha256(b"memsync/1 device\0" + self.sign_public + self.wrap_public).digest()[:16]


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


def entry_hash(entry: bytes) -> bytes:
    return hashlib.sha256(entry).digest()


def previous_hash(entry: bytes) -> bytes:
    """The hash of the entry that `entry` follows. Raises Malformed and Unsupported."""
    return _read(entry)[3]


# writing


def found(
    scope: bytes, first: DeviceRecord, *, sign_seed: bytes, recovery_sign: bytes, recovery_wrap: bytes, commit: bytes
) -> bytes:
    body = {1: _record(first), 2: recovery_sign, 3: recovery_wrap, 4: commit}
    return _entry(scope, 0, NO_PREVIOUS, Kind.FOUND, body, first.device, sign_seed)


def add(roster: Roster, newcomer: DeviceRecord, *, sign_seed: bytes) -> bytes:
    return _next(roster, Kind.ADD, {1: _record(newcomer)}, roster.admin, sign_seed)


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
    body = {1: _record(successor), 2: cut, 3: roster.epoch.number + 1, 4: commit}
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
        1: [_record(record) for record in devices],
        2: admin,
        3: recovery_sign,
        4: recovery_wrap,
        5: roster.epoch.number + 1,
        6: commit,
        7: {device: cuts.get(device, 0) for device in leaving},
    }
    return _next(roster, Kind.RECOVER, body, RECOVERY, recovery_seed)


def _next(roster: Roster, kind: Kind, body: dict[int, Any], signer: bytes, seed: bytes) -> bytes:
    return _entry(roster.scope, roster.height + 1, roster.head, kind, body, signer, seed)


def _entry(
    scope: bytes, height: int, previous: bytes, kind: Kind, body: dict[int, Any], signer: bytes, seed: bytes
) -> bytes:
    text = cbor.encode({0: _VERSION, 1: scope, 2: height, 3: previous, 4: int(kind), 5: body, 6: signer})
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(_SIGNED + hashlib.sha256(text).digest())
    return text + signature


def _record(record: DeviceRecord) -> list[object]:
    return [record.sign_public, record.wrap_public, record.lane]


# reading


def begin(entry: bytes) -> Roster:
    """The roster after its first entry. Raises Malformed, Unsupported, Forged."""
    text, scope, height, previous, kind, body, signer = _read(entry)
    if kind is not Kind.FOUND or height != 0 or previous != NO_PREVIOUS:
        raise Malformed("roster-first")
    first = _device_record(body[1])
    if signer != first.device:
        raise Forged("roster-signer")
    _check(text, entry, first.sign_public)
    return Roster(
        scope=scope,
        height=0,
        head=entry_hash(entry),
        admin=first.device,
        members={first.device: Member(first, 0)},
        epochs={1: Epoch(1, _blob(body[4], 32), 0)},
        generation=1,
        recovery_sign=_blob(body[2], 32),
        recovery_wrap=_blob(body[3], 32),
    )


def extend(roster: Roster, entry: bytes) -> Roster:
    """The roster after one more entry. Raises Replayed when it does not follow, and what `begin` raises."""
    text, scope, height, previous, kind, body, signer = _read(entry)
    if scope != roster.scope:
        raise Malformed("roster-scope")
    if height != roster.height + 1 or previous != roster.head:
        raise Replayed("roster-place")
    if kind is Kind.RECOVER:
        if signer != RECOVERY:
            raise Forged("roster-signer")
        _check(text, entry, roster.recovery_sign)
    else:
        if signer != roster.admin:
            raise Revoked("roster-signer")
        _check(text, entry, roster.members[roster.admin].record.sign_public)
    try:
        changed = _apply(roster, height, kind, body)
    except (ValueError, TypeError) as error:  # an array longer or shorter than ours
        raise Malformed("roster-body") from error
    if len(changed.current()) > DEVICES_MAX:
        raise Malformed("roster-devices")
    return replace(changed, height=height, head=entry_hash(entry))


def _apply(roster: Roster, height: int, kind: Kind, body: Mapping[int, Any]) -> Roster:
    match kind:
        case Kind.ADD:
            return replace(roster, members=_with(roster, _device_record(body[1]), height))
        case Kind.REMOVE:
            gone = _blob(body[1], 16)
            if gone == roster.admin or gone not in roster.current():
                raise Malformed("roster-remove")
            members = {**roster.members, gone: replace(roster.members[gone], left_at=height, cut=_count(body[2]))}
            return replace(roster, members=members, epochs=_rotated(roster, body[3], body[4], height))
        case Kind.ERASE:
            if _count(body[1]) != roster.generation + 1:
                raise Malformed("roster-generation")
            covered = {_blob(device, 16): _list(place) for device, place in _map(body[5]).items()}
            frontier = {device: (_count(seq), _blob(head, 32)) for device, (seq, head) in covered.items()}
            return replace(
                roster,
                generation=body[1],
                epochs=_rotated(roster, body[2], body[3], height),
                baseline=_blob(body[4], 32),
                frontier=frontier,
            )
        case Kind.REPLACE:
            successor = _device_record(body[1])
            old = replace(roster.members[roster.admin], left_at=height, cut=_count(body[2]))
            members = {**_with(roster, successor, height), roster.admin: old}
            return replace(
                roster, admin=successor.device, members=members, epochs=_rotated(roster, body[3], body[4], height)
            )
        case Kind.RECOVER:
            return _recovered(roster, height, body)
        case _:
            raise Malformed("roster-kind")  # a second founding


def _recovered(roster: Roster, height: int, body: Mapping[int, Any]) -> Roster:
    listed = [_device_record(value) for value in _list(body[1])]
    kept = {record.device: record for record in listed}
    admin, recovery_sign = _blob(body[2], 16), _blob(body[3], 32)
    if len(kept) < len(listed):
        raise Malformed("roster-device")
    if admin not in kept:
        raise Malformed("roster-admin")
    if recovery_sign == roster.recovery_sign:
        raise Malformed("roster-recovery")  # a used code is used up
    cuts = {_blob(device, 16): _count(cut) for device, cut in _map(body[7]).items()}
    if set(cuts) != set(roster.current()) - set(kept):
        raise Malformed("roster-cuts")
    members = dict(roster.members)
    for device, cut in cuts.items():
        members[device] = replace(members[device], left_at=height, cut=cut)
    for device, record in kept.items():
        known = members.get(device)
        if known is None:
            if record.lane in {member.record.lane for member in members.values()}:
                raise Malformed("roster-lane")
            members[device] = Member(record, height)
        elif known.record != record:
            raise Malformed("roster-lane")  # the keys are its id, so only the lane can differ
        elif known.left_at is not None:
            members[device] = Member(record, height)
    return replace(
        roster,
        admin=admin,
        members=members,
        recovery_sign=recovery_sign,
        recovery_wrap=_blob(body[4], 32),
        epochs=_rotated(roster, body[5], body[6], height),
        recovered_at=height,
    )


def _with(roster: Roster, record: DeviceRecord, height: int) -> dict[bytes, Member]:
    if record.device in roster.members:
        raise Malformed("roster-device")
    if record.lane in {member.record.lane for member in roster.members.values()}:
        raise Malformed("roster-lane")
    return {**roster.members, record.device: Member(record, height)}


def _rotated(roster: Roster, number: object, commit: object, height: int) -> dict[int, Epoch]:
    if number != roster.epoch.number + 1:
        raise Malformed("roster-epoch")
    return {**roster.epochs, roster.epoch.number + 1: Epoch(roster.epoch.number + 1, _blob(commit, 32), height)}


def _read(entry: bytes) -> tuple[bytes, bytes, int, bytes, Kind, Mapping[int, Any], bytes]:
    if not _SIGNATURE_BYTES < len(entry) <= ENTRY_BYTES_MAX:
        raise Malformed("roster-length")
    text = entry[:-_SIGNATURE_BYTES]
    fields = cbor.decode(text, "roster")
    if not isinstance(fields, dict) or set(fields) != set(range(7)):
        raise Malformed("roster-fields")
    version, scope, height, previous, kind, body, signer = (fields[n] for n in range(7))
    if version != _VERSION:
        raise Unsupported("roster-version")
    if kind not in Kind.__members__.values():
        raise Unsupported("roster-kind")
    if not isinstance(body, dict) or set(body) != set(range(1, _FIELDS[Kind(kind)] + 1)):
        raise Malformed("roster-body")
    if _count(height) > HEIGHT_MAX:
        raise Malformed("roster-height")
    if signer != RECOVERY:
        _blob(signer, 16)
    return text, _blob(scope, 16), height, _blob(previous, 32), Kind(kind), body, signer


def _check(text: bytes, entry: bytes, sign_public: bytes) -> None:
    try:
        key = Ed25519PublicKey.from_public_bytes(sign_public)
        key.verify(entry[-_SIGNATURE_BYTES:], _SIGNED + hashlib.sha256(text).digest())
    except (InvalidSignature, ValueError) as error:
        raise Forged("roster-signature") from error


def _device_record(value: object) -> DeviceRecord:
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[2], str):
        raise Malformed("roster-record")
    lane = value[2]
    if not _LANE.fullmatch(lane):
        raise Malformed("roster-lane")
    return DeviceRecord(_blob(value[0], 32), _blob(value[1], 32), lane)


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise Malformed("roster-body")
    return value


def _map(value: object) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise Malformed("roster-body")
    return value


def _blob(value: object, length: int) -> bytes:
    if not isinstance(value, bytes) or len(value) != length:
        raise Malformed("roster-bytes")
    return value


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value < 1 << 48:
        raise Malformed("roster-number")
    return value


# choosing between chains


def read_chain(entries: Sequence[bytes]) -> Roster:
    """The state of a whole chain. Raises what `begin` and `extend` raise."""
    if not entries:
        raise Malformed("roster-empty")
    roster = begin(entries[0])
    for entry in entries[1:]:
        roster = extend(roster, entry)
    return roster


class Choice(IntEnum):
    KEEP = 1
    """The other is a part of ours."""
    TAKE = 2
    """The other goes on where ours ends, or recovers it."""
    FORK = 3
    """Two chains of equal right: sync stops and shows both."""


def choose(pinned: Sequence[bytes], other: Sequence[bytes]) -> Choice:
    """Both must be valid chains of one scope.

    Ours is left only for one that extends it, or that forks above our newest `recover` and holds one of its own.
    That `recover` need not be the first entry behind the fork: who recovers may have known entries of the living
    admin that we have not, while a thief showed us others.
    """
    common = 0
    while common < min(len(pinned), len(other)) and pinned[common] == other[common]:
        common += 1
    if common == len(other):
        return Choice.KEEP
    if common == len(pinned):
        return Choice.TAKE
    ours, theirs = _recovers(pinned[common:]), _recovers(other[common:])
    if common == 0 or ours == theirs:
        return Choice.FORK
    return Choice.KEEP if ours else Choice.TAKE


def _recovers(entries: Sequence[bytes]) -> bool:
    return any(_read(entry)[4] is Kind.RECOVER for entry in entries)
