"""The tools and pages of one memory, offered to an MCP client. Everything is done behind the door.

One server is one scope. Without `write` what writes is not even listed. A result is data (`structuredContent`) and the
same as text, in which stored words stand behind a fence; an error is one sentence that says what to do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from bot.agent.fields import schema
from bot.agent.pages import PAGE, PAGES
from bot.agent.tool import Tool
from bot.agent.tools import offered
from bot.words import Words
from store.errors import NiannianError

REQUEST_BYTES_MAX: Final = 256 * 1024
NAME: Final = "niannian"
_RESOURCE_NOT_FOUND: Final = -32002

Ask = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""(errand, arguments) → its result, in the scope of this server."""
Context = ServerRequestContext[Any]


def make_server(ask: Ask, words: Words, *, version: str, write: bool, hermes_names: bool) -> Server[Any]:
    """`words`: the language of descriptions and errors."""
    tools = {tool.name: tool for tool in offered(write=write, hermes_names=hermes_names)}
    listed = [_listed(tool, words) for tool in tools.values()]
    pages = [
        types.Resource(
            name=page.name, title=page.title, uri=page.address, description=words(page.about),
            mime_type="text/markdown",
        )
        for page in PAGES.values()
    ]  # fmt: skip
    names = {page.address: page.name for page in PAGES.values()}

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in tools:
            raise MCPError(types.INVALID_PARAMS, words("error-no-such-tool", name=params.name[:40]))
        try:
            result = await ask(params.name, params.arguments or {})
        except NiannianError as error:
            return types.CallToolResult(content=[_text(_sentence(error, words))], is_error=True)
        return types.CallToolResult(
            content=[_text(result["text"])], structured_content=result["data"], is_error=result["failed"]
        )

    async def list_resources(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=pages)

    async def list_templates(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read_resource(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        name = names.get(params.uri)
        if name is None:
            raise MCPError(_RESOURCE_NOT_FOUND, words("error-no-such-page", name=params.uri[:80]))
        try:
            result = await ask(PAGE.name, {"name": name})
        except NiannianError as error:
            raise MCPError(types.INTERNAL_ERROR, _sentence(error, words)) from error
        page = types.TextResourceContents(uri=params.uri, mime_type="text/markdown", text=result["text"])
        return types.ReadResourceResult(contents=[page])

    server: Server[Any] = Server(
        NAME,
        version=version,
        instructions=words("mcp-instructions-write" if write else "mcp-instructions"),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
    server.middleware.clear()  # nothing is traced: spans would leave this machine
    return server


def _listed(tool: Tool, words: Words) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=words(tool.about),
        input_schema=schema(tool.fields, words),
        output_schema=dict(tool.gives),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.writes and tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _sentence(error: NiannianError, words: Words) -> str:
    return words(error.code, **error.facts) if words.has(error.code) else words("error", reason=error.code)
