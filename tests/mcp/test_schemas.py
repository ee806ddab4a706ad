"""What is listed, as the protocol and its inspector want it: valid schemas, whole annotations, results that fit."""

from __future__ import annotations

import re

import pytest
from jsonschema import Draft202012Validator
from mcp_types import Tool as Listed

from bot.agent.tools import TOOLS
from bot.words import LANGUAGES, words
from tests.flow.world import World
from tests.mcp.world import agent

READING = {"memory_search", "memory_get", "memory_list", "context", "tasks_list", "session_search"}
ADDING = {"memory_store", "checkpoint", "tasks_add", "tasks_done"}


async def listed(world: World) -> dict[str, Listed]:
    found: dict[str, Listed] = {}
    for hermes_names in (False, True):
        async with agent(world, hermes_names=hermes_names) as one:
            found |= {tool.name: tool for tool in (await one.session.list_tools()).tools}
    return found


async def test_every_tool_is_whole(world: World) -> None:
    tools = await listed(world)
    assert tools.keys() == TOOLS.keys() - {"page"}
    for name, tool in tools.items():
        assert re.fullmatch(r"[a-z_]{3,40}", name)
        assert tool.description and len(tool.description) > 20
        for schema in (tool.input_schema, tool.output_schema):
            assert schema is not None and schema["type"] == "object", name
            Draft202012Validator.check_schema(schema)
        assert tool.input_schema["additionalProperties"] is False
        for one, field in tool.input_schema["properties"].items():
            assert field["description"] and ("type" in field), (name, one)
        assert set(tool.input_schema["required"]) <= tool.input_schema["properties"].keys()


async def test_the_annotations_say_what_a_tool_does(world: World) -> None:
    for name, tool in (await listed(world)).items():
        notes = tool.annotations
        assert notes is not None
        assert notes.read_only_hint is (name in READING), name
        assert notes.destructive_hint is (name not in READING | ADDING), name
        assert notes.open_world_hint is False
        assert notes.idempotent_hint is (name != "checkpoint"), name


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_description_exists_in_both_languages(lang: str) -> None:
    told = words(lang)
    for tool in TOOLS.values():
        assert all(told.has(name) for name in (tool.about, *(field.about for field in tool.fields)))


async def test_every_result_fits_its_schema(world: World) -> None:
    """The official client checks each result, too; this says it of every tool and without it."""
    calls = {
        "memory_store": {"text": "tea is green", "tags": ["tea"], "about": {"a": "b"}},
        "memory_search": {"query": "tea"},
        "memory_list": {},
        "memory_get": {"ref": "D-2024-05-27-01"},
        "context": {"question": "tea?"},
        "tasks_add": {"title": "water the plants"},
        "tasks_update": {"ref": "T-240527-01", "state": "blocked", "blocked_by": "rain", "resume_step": "go"},
        "tasks_list": {},
        "checkpoint": {},
        "memory_update": {"ref": "D-2024-05-27-01", "text": "tea is white"},
        "memory_delete": {"ref": "D-2024-05-27-02"},
        "tasks_done": {"ref": "T-240527-01"},
        "memory": {"action": "add", "content": "x"},
        "session_search": {"query": "tea"},
    }
    for hermes_names in (False, True):
        async with agent(world, hermes_names=hermes_names, client=f"mcp/{hermes_names}") as one:
            for name, arguments in calls.items():
                if name in await one.tools():
                    data = await one.does(name, **arguments)
                    Draft202012Validator(dict(TOOLS[name].gives)).validate(data)
    assert calls.keys() == TOOLS.keys() - {"page"}
