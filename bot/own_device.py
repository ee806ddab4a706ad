"""This installation as the commands about devices need it: its home, its keys, the folder between, and its scopes.

`held` lists what can be shared: every memory that a person or a group leads to, the owner's first. What the scopes'
`meta` says about accounts, chats and names is copied into the local look-up by `follow`, after each pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.app import OWNER, App
from bot.words import Words
from store.errors import Rejected
from store.grants import UpkeepClaim, grant
from store.memory import Memory
from store.model import AccountID, Role, ScopeID, ScopeKind
from store.ports import Clock, Entropy
from store.view import View
from sync import identity, membership
from sync import keys as device_keys
from sync.engine import Engine
from sync.erasing import found_anew
from sync.keystore import FileKeyStore
from sync.ports import KeyStore
from sync.recovery import SECRET_BYTES, RecoveryPublic, parse_public, public_of
from sync.roster import Roster
from sync.standing import Standing, standing
from sync.transports.folder import Folder
from sync.work import Report

FOLDER = "folder"
DEVICE = "device/"
RECOVERY_PUBLIC = "recovery.public"
RECOVERY_SECRET = "recovery.secret"
"""There only until a person has shown that it is written down."""

Progress = Callable[[int, int], None]
_ROLES = frozenset(role.value for role in Role)


@dataclass(frozen=True, slots=True)
class Held:
    """One memory of this installation."""

    memory: Memory
    kind: ScopeKind
    title: str
    """The group's or the person's name."""
    aliases: tuple[str, ...]
    mine: bool
    entries: int
    lane: str

    def named(self, words: Words) -> str:
        if self.mine:
            return words("memory-private")
        if self.kind is ScopeKind.GROUP:
            return words("memory-group", title=self.title)
        return words("memory-private-of", name=self.title)


class OwnDevice:
    def __init__(self, app: App, words: Words, *, name: str, zone: str, clock: Clock, entropy: Entropy) -> None:
        self.home = app.home
        self.words = words
        self.name = name
        self.zone = zone
        self.clock = clock
        self.entropy = entropy
        self.keys = device_keys.load(app.home.path)
        self.store: KeyStore = FileKeyStore(app.home.path)

    @property
    def me(self) -> str:
        """How `meta` names this device."""
        return field_of(self.keys.device_id)

    def folder(self) -> Path:
        """Raises Rejected when none is set, or when it is not there now."""
        noted = self.home.device.note(FOLDER)
        if not noted:
            raise Rejected("error-no-folder")
        if not Path(noted).is_dir():
            raise Rejected("error-folder-gone", path=noted)
        return Path(noted)

    def transport(self) -> Folder:
        """Raises what `folder` raises."""
        return Folder(self.folder())

    def now_ms(self) -> int:
        return int(self.clock.now().timestamp() * 1000)

    async def held(self) -> list[Held]:
        """The owner's private memory, then groups by title, then people's by name."""
        device = self.home.device
        leads: dict[ScopeID, list[str]] = {}
        for account in device.accounts():
            leads.setdefault(account.scope, []).append(account.account)
        for chat, scope in device.chats().items():
            leads.setdefault(scope, []).append(chat)
        owner = device.account(OWNER)
        out = []
        for scope, aliases in leads.items():
            known = device.scope(scope)
            memory = await self.memory(scope)
            names = [one.name for one in device.accounts() if one.scope == scope]
            title = known.title if known.kind is ScopeKind.GROUP else (names or [""])[0]
            entries = await memory.read(lambda view: view.count())
            mine = owner is not None and owner.scope == scope
            out.append(Held(memory, known.kind, title, tuple(aliases), mine, entries, known.lane))
        return sorted(out, key=lambda one: (not one.mine, one.kind is not ScopeKind.GROUP, one.title))

    async def memory(self, scope: ScopeID) -> Memory:
        return await self.home.memory(grant(UpkeepClaim(scope), self.home.device))

    async def enter(self, memory: Memory, lane: str) -> None:
        """This device counts the RefIDs of `memory` in `lane` from now on."""
        await memory.enter(lane)
        await self.home.device.enter(memory.scope, lane)

    async def shared(self) -> list[tuple[Held, Roster]]:
        """Those that have a roster, with it."""
        found = [(one, await membership.pinned(one.memory)) for one in await self.held()]
        return [(one, roster) for one, roster in found if roster is not None]

    async def names(self) -> dict[str, str]:
        """What devices are called, by the field that names them, in any scope."""
        out: dict[str, str] = {}
        for one, _ in await self.shared():
            out |= await one.memory.read(_device_names)
        return {self.me: self.name} | out

    async def standing(self, memory: Memory) -> Standing | None:
        me = self.keys.device_id
        return await memory.read(lambda view: standing(view, me))

    async def sync(self, progress: Progress | None = None) -> dict[ScopeID, Report]:
        """One pass over everything that is shared, then what was learned of accounts and names is followed."""
        engine = self._engine()
        reports: dict[ScopeID, Report] = {}
        for one, _ in await self.shared():
            received, sent = totals(reports)
            watch = None if progress is None else _added(progress, received, sent)
            reports[one.memory.scope] = await (
                engine.sync(one.memory, watch) if watch is not None else engine.sync(one.memory)
            )
        await self.follow()
        if any(report.elsewhere for report in reports.values()):
            identity.flag_elsewhere(self.home.path)
        return reports

    async def read(self, memory: Memory) -> Report:
        """Takes in what there is of one memory, to which this device does not belong yet."""
        return await self._engine().read(memory)

    async def erase_now(self) -> int:
        """Erases for good whatever is hidden, where this device may; gives how many entries and tasks."""
        erased = 0
        for one in await self.held():
            erased += await one.memory.erase_due(now=True)
            erased += await found_anew(
                one.memory, self.keys, self.store, clock=self.clock, entropy=self.entropy, now=True
            )
        return erased

    async def is_used_elsewhere(self) -> bool:
        """Whether this home was put back to an earlier state; then its next start makes it a new device. Raises what `folder` raises, and TransportDown."""
        engine = self._engine()
        for one, _ in await self.shared():
            if await engine.is_used_elsewhere(one.memory):
                identity.flag_elsewhere(self.home.path)
                return True
        return False

    def _engine(self) -> Engine:
        return Engine(self.keys, self.store, self.transport(), clock=self.clock, entropy=self.entropy)

    async def follow(self) -> None:
        """Makes the local look-up of accounts and chats say what `meta` says."""
        device = self.home.device
        for one, _ in await self.shared():
            meta = await one.memory.read(lambda view: view.registers("meta"))
            said = {name: register.value for name, register in meta.items()}
            accounts = said_accounts(said)
            if one.kind is ScopeKind.GROUP:
                members = {account: role for account, (_, role) in accounts.items()}
                lacking = members.keys() - device.members(one.memory.scope).keys()
                for chat, title in said_chats(said).items():
                    if lacking or device.chats().get(chat) != one.memory.scope:
                        await device.join_group(one.memory.scope, one.lane, chat, title, members)
                continue
            for account, (name, role) in accounts.items():
                known = device.account(account)
                if known is None or (known.scope == one.memory.scope and known.name != name):
                    await device.join_private(one.memory.scope, one.lane, account, name, role)

    def recovery_public(self) -> RecoveryPublic:
        """Of this home; made at its first pairing, its secret kept until it was shown and typed back."""
        packed = self.store.load(RECOVERY_PUBLIC)
        if packed is not None:
            return parse_public(packed)
        secret = self.store.load(RECOVERY_SECRET) or self.entropy.bytes(SECRET_BYTES)
        self.store.save(RECOVERY_SECRET, secret)
        self.store.save(RECOVERY_PUBLIC, public_of(secret).pack())
        return public_of(secret)


def field_of(device: bytes) -> str:
    """The field of `meta` that names a device."""
    return DEVICE + device[:8].hex()


def totals(reports: Mapping[ScopeID, Report]) -> tuple[int, int]:
    """Changes that came in and went out."""
    return sum(one.changes for one in reports.values()), sum(one.sent_changes for one in reports.values())


def _added(progress: Progress, received: int, sent: int) -> Progress:
    return lambda more_in, more_out: progress(received + more_in, sent + more_out)


def _device_names(view: View) -> dict[str, str]:
    meta = view.registers("meta")
    return {name: str(one.value) for name, one in meta.items() if name.startswith(DEVICE) and one.value}


def said_accounts(meta: Mapping[str, object]) -> dict[AccountID, tuple[str, Role]]:
    return {
        AccountID(name[8:]): (str(value.get("name", "")), Role(value["role"]))
        for name, value in meta.items()
        if name.startswith("account/") and isinstance(value, dict) and value.get("role") in _ROLES
    }


def said_chats(meta: Mapping[str, object]) -> dict[str, str]:
    return {
        name[5:]: str(value.get("title", ""))
        for name, value in meta.items()
        if name.startswith("chat/") and isinstance(value, dict)
    }
