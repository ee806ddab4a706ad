"""The wall between memories: a grant comes from one function, and only for what the account belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import NotAllowed
from store.grants import GroupClaim, Membership, PrivateClaim, ScopeGrant, UpkeepClaim, grant
from store.model import NOBODY, AccountID, Role, ScopeID, ScopeKind
from tests.store.effort import QUICK


@dataclass
class World:
    """A registry of plain dictionaries."""

    private: dict[AccountID, Membership] = field(default_factory=dict)
    groups: dict[str, Membership] = field(default_factory=dict)
    """chat → scope, kind; the role is the member's."""
    members: dict[tuple[str, AccountID], Role] = field(default_factory=dict)

    def private_scope(self, account: AccountID) -> Membership | None:
        return self.private.get(account)

    def group_scope(self, chat: str, account: AccountID) -> Membership | None:
        group, role = self.groups.get(chat), self.members.get((chat, account))
        return Membership(group.scope, group.kind, role) if group and role else None

    def own_scope(self, scope: ScopeID) -> Membership | None:
        return next((one for one in (*self.private.values(), *self.groups.values()) if one.scope == scope), None)


LIN, WANG = AccountID("terminal:lin"), AccountID("terminal:wang")
LINS = Membership(ScopeID("a" * 32), ScopeKind.PRIVATE, Role.OWNER)
TEAM = Membership(ScopeID("b" * 32), ScopeKind.GROUP, Role.ADMIN)
WORLD = World({LIN: LINS}, {"terminal:team": TEAM}, {("terminal:team", LIN): Role.ADMIN})


def test_a_person_gets_the_private_memory() -> None:
    made = grant(PrivateClaim(LIN), WORLD)
    assert (made.scope, made.kind, made.account, made.role) == (LINS.scope, ScopeKind.PRIVATE, LIN, Role.OWNER)


def test_a_member_gets_the_groups_memory() -> None:
    made = grant(GroupClaim("terminal:team", LIN), WORLD)
    assert (made.scope, made.kind, made.account, made.role) == (TEAM.scope, ScopeKind.GROUP, LIN, Role.ADMIN)


@pytest.mark.parametrize("scope", [LINS.scope, TEAM.scope])
def test_upkeep_is_nobody(scope: ScopeID) -> None:
    made = grant(UpkeepClaim(scope), WORLD)
    assert (made.scope, made.account) == (scope, NOBODY)


@pytest.mark.parametrize(
    "claim",
    [
        PrivateClaim(WANG),
        PrivateClaim(AccountID("")),
        GroupClaim("terminal:team", WANG),
        GroupClaim("terminal:switched-off", LIN),
        GroupClaim("", LIN),
        UpkeepClaim(ScopeID("c" * 32)),
    ],
)
def test_who_is_unknown_gets_nothing(claim: Any) -> None:
    with pytest.raises(NotAllowed):
        grant(claim, WORLD)


def test_a_scope_of_the_other_kind_is_no_answer() -> None:
    """A damaged look-up that leads a group's chat to a private memory, or the reverse, must open neither."""
    crossed = World({LIN: TEAM}, {"terminal:team": LINS}, {("terminal:team", WANG): Role.MEMBER})
    for claim in (PrivateClaim(LIN), GroupClaim("terminal:team", WANG)):
        with pytest.raises(NotAllowed):
            grant(claim, crossed)


def test_nobody_else_makes_a_grant() -> None:
    for issued in (None, object(), "store.grants"):
        with pytest.raises(AssertionError):
            ScopeGrant(LINS.scope, LINS.kind, LIN, LINS.role, issued=issued)
    with pytest.raises(TypeError):
        ScopeGrant(LINS.scope, LINS.kind, LIN, LINS.role)  # type: ignore[call-arg]


ACCOUNTS = st.sampled_from([AccountID(f"telegram:{number}") for number in range(4)])
CHATS = st.sampled_from(["telegram:-1", "telegram:-2", "telegram:-3"])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    kinds, roles = st.sampled_from(list(ScopeKind)), st.sampled_from(list(Role))
    world = World()
    for number, account in enumerate(sorted(draw(st.sets(ACCOUNTS)))):
        world.private[account] = Membership(ScopeID(f"{number:032x}"), draw(kinds), draw(roles))
    for number, chat in enumerate(sorted(draw(st.sets(CHATS))), start=16):
        world.groups[chat] = Membership(ScopeID(f"{number:032x}"), draw(kinds), Role.MEMBER)
    world.members = draw(st.dictionaries(st.tuples(CHATS, ACCOUNTS), roles))
    return world


@QUICK
@given(worlds(), st.one_of(st.builds(PrivateClaim, ACCOUNTS), st.builds(GroupClaim, CHATS, ACCOUNTS)))
def test_a_grant_is_only_for_a_scope_its_account_belongs_to(world: World, claim: PrivateClaim | GroupClaim) -> None:
    if isinstance(claim, PrivateClaim):
        entitled = {one.scope for account, one in world.private.items() if account == claim.account}
    else:
        entitled = {world.groups[c].scope for c, who in world.members if who == claim.account and c in world.groups}
        entitled &= {world.groups[claim.chat].scope} if claim.chat in world.groups else set()
    try:
        made = grant(claim, world)
    except NotAllowed:
        return
    assert made.scope in entitled
    assert made.account == claim.account
    assert made.kind is (ScopeKind.PRIVATE if isinstance(claim, PrivateClaim) else ScopeKind.GROUP)
