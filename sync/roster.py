"""The roster: one signed chain per scope that says which devices belong, and which epoch is in force. Pure.

Linear: each entry names the hash of the one before, and only the scope's admin device appends. A fork is
settled only by the recovery key; any other fork stops sync (never local work) and is shown.

Here chains are read and chosen between. The bytes of an entry are in `roster_entry`, what a chain amounts to in
`roster_state`, and entries are written in `roster_writing`; all their names can be had from here. Device names are
not in rosters; they are registers in the sealed `meta` document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Any

from sync.errors import Forged, Malformed, Replayed, Revoked
from sync.roster_entry import (
    ENTRY_BYTES_MAX,
    HEIGHT_MAX,
    NO_PREVIOUS,
    RECOVERY,
    DeviceRecord,
    Kind,
    as_bytes,
    as_list,
    as_map,
    as_number,
    as_record,
    check_signature,
    entry_hash,
    previous_hash,
    read_entry,
)
from sync.roster_state import Epoch, Member, Roster
from sync.roster_writing import add, adopt, erase, found, recover, remove

__all__ = [
    "DEVICES_MAX", "ENTRY_BYTES_MAX", "HEIGHT_MAX", "NO_PREVIOUS", "RECOVERY", "Choice", "DeviceRecord", "Epoch", "Kind",
    "Member", "Roster", "add", "adopt", "begin", "choose", "entry_hash", "erase", "extend", "found", "previous_hash",
    "read_chain", "recover", "remove",
]  # fmt: skip

DEVICES_MAX = 64


def begin(entry: bytes) -> Roster:
    """The roster after its first entry. Raises Malformed, Unsupported, Forged."""
    text, scope, height, previous, kind, body, signer = read_entry(entry)
    if kind is not Kind.FOUND or height != 0 or previous != NO_PREVIOUS:
        raise Malformed("roster-first")
    first = as_record(body[1])
    if signer != first.device:
        raise Forged("roster-signer")
    check_signature(text, entry, first.sign_public)
    return Roster(
        scope=scope,
        height=0,
        head=entry_hash(entry),
        admin=first.device,
        members={first.device: Member(first, 0)},
        epochs={1: Epoch(1, as_bytes(body[4], 32), 0)},
        generation=1,
        recovery_sign=as_bytes(body[2], 32),
        recovery_wrap=as_bytes(body[3], 32),
    )


def extend(roster: Roster, entry: bytes) -> Roster:
    """The roster after one more entry. Raises Replayed when it does not follow, and what `begin` raises."""
    text, scope, height, previous, kind, body, signer = read_entry(entry)
    if scope != roster.scope:
        raise Malformed("roster-scope")
    if height != roster.height + 1 or previous != roster.head:
        raise Replayed("roster-place")
    if kind is Kind.RECOVER:
        if signer != RECOVERY:
            raise Forged("roster-signer")
        check_signature(text, entry, roster.recovery_sign)
    else:
        if signer != roster.admin:
            raise Revoked("roster-signer")
        check_signature(text, entry, roster.members[roster.admin].record.sign_public)
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
            return replace(roster, members=_with(roster, as_record(body[1]), height))
        case Kind.REMOVE:
            gone = as_bytes(body[1], 16)
            if gone == roster.admin or gone not in roster.current():
                raise Malformed("roster-remove")
            members = {**roster.members, gone: replace(roster.members[gone], left_at=height, cut=as_number(body[2]))}
            return replace(roster, members=members, epochs=_rotated(roster, body[3], body[4], height))
        case Kind.ERASE:
            if as_number(body[1]) != roster.generation + 1:
                raise Malformed("roster-generation")
            covered = {as_bytes(device, 16): as_list(place) for device, place in as_map(body[5]).items()}
            frontier = {device: (as_number(seq), as_bytes(head, 32)) for device, (seq, head) in covered.items()}
            return replace(
                roster,
                generation=body[1],
                epochs=_rotated(roster, body[2], body[3], height),
                baseline=as_bytes(body[4], 32),
                founded_at=height,
                founder=roster.admin,
                frontier=frontier,
            )
        case Kind.REPLACE:
            successor = as_record(body[1])
            old = replace(roster.members[roster.admin], left_at=height, cut=as_number(body[2]))
            members = {**_with(roster, successor, height), roster.admin: old}
            return replace(
                roster, admin=successor.device, members=members, epochs=_rotated(roster, body[3], body[4], height)
            )
        case Kind.RECOVER:
            return _recovered(roster, height, body)
        case _:
            raise Malformed("roster-kind")  # a second founding


def _recovered(roster: Roster, height: int, body: Mapping[int, Any]) -> Roster:
    listed = [as_record(value) for value in as_list(body[1])]
    kept = {record.device: record for record in listed}
    admin, recovery_sign = as_bytes(body[2], 16), as_bytes(body[3], 32)
    if len(kept) < len(listed):
        raise Malformed("roster-device")
    if admin not in kept:
        raise Malformed("roster-admin")
    if recovery_sign == roster.recovery_sign:
        raise Malformed("roster-recovery")  # a used code is used up
    cuts = {as_bytes(device, 16): as_number(cut) for device, cut in as_map(body[7]).items()}
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
        recovery_wrap=as_bytes(body[4], 32),
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
    return {**roster.epochs, roster.epoch.number + 1: Epoch(roster.epoch.number + 1, as_bytes(commit, 32), height)}


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
    return any(read_entry(entry)[4] is Kind.RECOVER for entry in entries)
