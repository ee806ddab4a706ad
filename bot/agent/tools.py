"""Every tool there is, and which of them a server offers."""

from __future__ import annotations

from collections.abc import Mapping

from bot.agent import boards, reading, writing
from bot.agent.hermes import MEMORY, SESSION_SEARCH
from bot.agent.pages import PAGE
from bot.agent.tool import Tool

_OURS = (*reading.READING, *boards.READING, *writing.WRITING, *boards.WRITING)
_REPLACED = frozenset({"memory_store", "memory_update", "memory_delete"})
"""Two ways to write invite double saves."""

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*_OURS, MEMORY, SESSION_SEARCH, PAGE)}


def offered(*, write: bool, hermes_names: bool) -> tuple[Tool, ...]:
    """Without `write` those that write are not even listed."""
    tools = tuple(tool for tool in _OURS if not (hermes_names and tool.name in _REPLACED))
    tools += (MEMORY, SESSION_SEARCH) if hermes_names else ()
    return tuple(tool for tool in tools if write or not tool.writes)
