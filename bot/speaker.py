"""Which device speaks for a bot: one line in the owner's memory, so that every device of the owner knows.

It is advice among devices that sync; a platform that says "somebody else listens" has the last word.
"""

from __future__ import annotations

from datetime import UTC, datetime

from store.grants import PrivateClaim, grant
from store.home import Home
from store.model import AccountID
from store.versions import said
from store.view import View

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class Speaker:
    """`owner`: the account of the home's owner."""

    def __init__(self, home: Home, owner: AccountID) -> None:
        self._home = home
        self._owner = owner

    @property
    def _me(self) -> str:
        return self._home.device_id.hex()

    async def is_me(self, name: str) -> bool:
        """Whether this device may listen as the bot `name` (`<platform>:<bot id>`); where nobody does, it is the one."""
        memory = await self._home.memory(grant(PrivateClaim(self._owner), self._home.device))
        named = await memory.read(lambda view: _named(view, name))
        if not named:
            await memory.describe({f"speaker/{name}": self._me})
        return named in ("", self._me)

    async def since(self, name: str) -> datetime | None:
        """When this device took over from another; long ago where it always spoke; None when it does not."""
        memory = await self._home.memory(grant(PrivateClaim(self._owner), self._home.device))
        return await memory.read(lambda view: _since(view, name, self._me))

    async def take_over(self) -> list[str]:
        """This device speaks for every bot that any device of the owner spoke for; gives their names."""
        memory = await self._home.memory(grant(PrivateClaim(self._owner), self._home.device))
        names = await memory.read(_names)
        await memory.describe({f"speaker/{name}": self._me for name in names})
        return names


def _named(view: View, name: str) -> str:
    register = view.register("meta", f"speaker/{name}")
    return str(register.value) if register is not None and register.value else ""


def _since(view: View, name: str, me: str) -> datetime | None:
    register = view.register("meta", f"speaker/{name}")
    if register is None or register.value != me:
        return None
    if all(one.value == me for one in said(view.conn, "meta", f"speaker/{name}")):
        return _LONG_AGO
    return datetime.fromtimestamp(register.at_ms / 1000, UTC)


def _names(view: View) -> list[str]:
    return sorted(field.removeprefix("speaker/") for field in view.registers("meta") if field.startswith("speaker/"))
