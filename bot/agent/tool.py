"""What a tool is, and how one call of it runs: arguments checked, one transaction, once.

A tool that writes takes effect once for each key: a repeat gets the stored result. What is stored of a result holds
RefIDs and no words of people, so that nothing forgotten lives on in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from bot import render
from bot.agent.fields import Field, checked, texts_of
from bot.embedding import Embedding
from bot.secret_scan import find_secrets
from bot.words import Words, words
from store.errors import BadCommand, Rejected
from store.grants import ScopeGrant
from store.memory import Memory
from store.model import AccountID, Role, ScopeKind, Source
from store.vectors import Meaning
from store.view import View
from store.writer import Writer

PLATFORM: Final = "mcp"
"""Where an entry that an agent wrote was said."""


@dataclass(frozen=True, slots=True)
class Result:
    """`data`: what the tool's schema describes. `text`: the same for a reader of text alone."""

    data: dict[str, Any]
    text: str
    failed: bool = False

    def pack(self) -> dict[str, Any]:
        return {"data": self.data, "text": self.text, "failed": self.failed}


class Refused(Rejected):
    """Nothing was changed. `why` is made when all of it is undone: it names what there is then to choose from."""

    code = "error-rejected"

    def __init__(self, why: Callable[[Scene], Result]) -> None:
        super().__init__()
        self.why = why


@dataclass(frozen=True, slots=True)
class Scene:
    """One call inside its transaction: the memory, who asks, and the words to answer in."""

    view: View
    words: Words
    account: AccountID
    role: Role
    kind: ScopeKind
    title: str
    zone: str
    now_ms: int
    source: Source
    device_id: bytes
    meaning: Meaning | None = None

    @property
    def writer(self) -> Writer:
        assert isinstance(self.view, Writer), "only a tool that writes has one"
        return self.view

    @property
    def today(self) -> date:
        return render.local(self.now_ms, self.zone).date()

    @property
    def private(self) -> bool:
        return self.kind is ScopeKind.PRIVATE

    def memory_name(self) -> str:
        return self.words("memory-private") if self.private else self.words("memory-group", title=self.title)


Run = Callable[[Scene, dict[str, Any]], Result]


@dataclass(frozen=True, slots=True)
class Tool:
    """`about`: the locale id of its description. `gives`: the JSON Schema of its data."""

    name: str
    about: str
    fields: tuple[Field, ...]
    gives: Mapping[str, Any]
    run: Run
    writes: bool = False
    destructive: bool = False
    """It may change what is there; what only adds is not destructive."""
    idempotent: bool = True
    """The same call again changes nothing more."""
    meant: str = ""
    """The argument whose meaning memory is searched for."""


def refuse_secrets(texts: Iterable[str]) -> None:
    """Raises BadCommand where one of them holds a password, a key or the like."""
    if any(map(find_secrets, texts)):
        raise BadCommand("error-agent-secret")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and over what. `client`: the id of the program that asks, drawn when it started."""

    memory: Memory
    granted: ScopeGrant
    title: str
    lang: str
    zone: str
    device_id: bytes
    now_ms: Callable[[], int]
    embedding: Embedding
    client: str
    key: str

    async def call(self, tool: Tool, arguments: Mapping[str, Any]) -> Result:
        """Raises Rejected, Unavailable, Damaged."""
        given = checked(tool.fields, arguments)
        if tool.writes:
            refuse_secrets(texts_of(tool.fields, given))
        meaning = (await self.embedding.asked(given.get(tool.meant, ""))).meaning if tool.meant else None
        try:
            if not tool.writes:
                return await self.memory.read(lambda view: tool.run(self._scene(view, meaning), given))
            result = await self.memory.turn(lambda writer: self._once(writer, tool, given))
        except Refused as refused:
            why = refused.why
            return replace(await self.memory.read(lambda view: why(self._scene(view, None))), failed=True)
        self.embedding.said.set()
        return result

    def _once(self, writer: Writer, tool: Tool, given: dict[str, Any]) -> Result:
        scene = self._scene(writer, None)
        stored = writer.handled(self.key)
        if stored is not None:
            return Result(**json.loads(stored)) if stored else Result({}, scene.words("agent-done-already"))
        result = tool.run(scene, given)
        writer.keep_handled(self.key, json.dumps(result.pack(), ensure_ascii=False))
        return result

    def _scene(self, view: View, meaning: Meaning | None) -> Scene:
        return Scene(
            view=view,
            words=words(view.setting("lang") or self.lang),
            account=self.granted.account,
            role=self.granted.role,
            kind=self.granted.kind,
            title=self.title,
            zone=view.setting("zone") or self.zone,
            now_ms=self.now_ms(),
            source=Source(PLATFORM, self.client, self.key),
            device_id=self.device_id,
            meaning=meaning,
        )
