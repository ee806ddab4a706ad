"""Who may open which memory: the wall between scopes, as values.

A `ScopeGrant` is made only here, from what a platform has authenticated (`Claim`) and what the
installation knows (`Registry`). Text and model output never take part. Without a grant there is
no `Memory`; with one there is exactly one scope.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, assert_never

from store.errors import NotAllowed
from store.model import NOBODY, AccountID, Role, ScopeID, ScopeKind

_ISSUED_HERE = object()


@dataclass(frozen=True, slots=True)
class PrivateClaim:
    """An authenticated direct message of `account`."""

    account: AccountID


@dataclass(frozen=True, slots=True)
class GroupClaim:
    """An authenticated message of `account` in the group `chat` (`<platform>:<id>`)."""

    chat: str
    account: AccountID


@dataclass(frozen=True, slots=True)
class UpkeepClaim:
    """The installation tends its own files (erasing, rebuilding, checking); nobody is shown anything."""

    scope: ScopeID


Claim = PrivateClaim | GroupClaim | UpkeepClaim


class ScopeGrant:
    """The right to open one scope's memory, as one person. Only `grant` makes one."""

    __slots__ = ("account", "kind", "role", "scope")

    def __init__(self, scope: ScopeID, kind: ScopeKind, account: AccountID, role: Role, *, issued: object) -> None:
        assert issued is _ISSUED_HERE, "a ScopeGrant comes from store.grants.grant"
        self.scope = scope
        self.kind = kind
        self.account = account
        self.role = role


@dataclass(frozen=True, slots=True)
class Membership:
    """One row of what the installation knows: this account's standing in this scope."""

    scope: ScopeID
    kind: ScopeKind
    role: Role


class Registry(Protocol):
    """Look-ups in the installation's own database; both answer None for what is not let in."""

    def private_scope(self, account: AccountID) -> Membership | None: ...

    def group_scope(self, chat: str, account: AccountID) -> Membership | None: ...

    def own_scope(self, scope: ScopeID) -> Membership | None: ...


def grant(claim: Claim, registry: Registry) -> ScopeGrant:
    """The grant for `claim`. Raises NotAllowed for an unknown account, a foreign or switched-off group."""
    match claim:
        case PrivateClaim(account):
            member = registry.private_scope(account)
            wanted = ScopeKind.PRIVATE
        case GroupClaim(chat, account):
            member = registry.group_scope(chat, account)
            wanted = ScopeKind.GROUP
        case UpkeepClaim(scope):
            member = registry.own_scope(scope)
            account, wanted = NOBODY, member.kind if member else ScopeKind.PRIVATE
        case _:
            assert_never(claim)
    if member is None or member.kind is not wanted:
        raise NotAllowed
    return ScopeGrant(member.scope, member.kind, account, member.role, issued=_ISSUED_HERE)
