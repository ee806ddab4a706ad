"""Where the devices of one scope stand, as far as their last words say: for people to see, never to decide by."""

from __future__ import annotations

from dataclasses import dataclass

from store.view import View
from sync import roster as rosters
from sync import state


@dataclass(frozen=True, slots=True)
class DeviceStanding:
    device: bytes
    lane: str
    heard_ms: int | None
    """When this device last heard of it, by its own clock; None: never, or it is this device."""
    behind: int
    """Changes of this device that it has not said it holds."""
    generation: int
    """The newest generation it said it is in; 0 before its first word."""


@dataclass(frozen=True, slots=True)
class Standing:
    members: tuple[DeviceStanding, ...]
    """The current ones, this device first if it belongs."""
    left: tuple[DeviceStanding, ...]
    admin: bytes
    belongs: bool
    removed: bool
    """It belonged once. A device that does not belong and was never removed is a copy that nobody has let in yet."""
    generation: int
    """The one that the roster names."""
    forked: tuple[bytes, ...]
    """Members that gave two envelopes one number; nothing newer of theirs is taken."""
    brake: tuple[int, int] | None
    """(n, of how many): a baseline that would erase so much here waits for a person."""

    @property
    def waiting(self) -> int:
        """Changes of this device that are not yet on every other one."""
        return max((one.behind for one in self.members), default=0)


def standing(view: View, me: bytes) -> Standing | None:
    """None: never shared."""
    rows = view.sync_rows()
    entries = state.roster_entries(rows)
    if not entries:
        return None
    roster = rosters.read_chain(entries)
    says = state.peers(rows)

    def behind(seq: int) -> int:
        name = state.out_key(seq)
        return view.own_changes_after(state.position_of(view.sync_rows(name).get(name)))

    def stands(member: rosters.Member) -> DeviceStanding:
        device = member.record.device
        said = says.get(device)
        seen = said.seen.get(me) if said else None
        return DeviceStanding(
            device,
            member.record.lane,
            said.heard_ms if said else None,
            0 if device == me else behind(seen.seq if seen else 0),
            said.generation if said else 0,
        )

    current = roster.current()
    ordered = sorted(current.values(), key=lambda member: (member.record.device != me, member.since))
    return Standing(
        members=tuple(stands(member) for member in ordered),
        left=tuple(stands(member) for device, member in roster.members.items() if device not in current),
        admin=roster.admin,
        belongs=me in current,
        removed=me in roster.members and me not in current,
        generation=roster.generation,
        forked=tuple(device for device in current if device in state.forked(rows)),
        brake=state.brake(rows),
    )
