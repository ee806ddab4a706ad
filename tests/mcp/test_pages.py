"""What is written for agents and their people names what exists."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from typer.main import get_command

from bot.agent.pages import PAGES
from bot.agent.tools import TOOLS
from bot.cli import cli
from tests.house.files import ROOT

SKILL = (ROOT / "docs" / "skills" / "niannian" / "SKILL.md").read_text("utf-8")
AGENTS = (ROOT / "docs" / "agents.md").read_text("utf-8")
ZH, EN = SKILL.partition("\n# 念念\n")[2], SKILL.partition("\n# 念念\n")[0]
NO_TOOLS = {"run_sock", "mcp_servers"}


def named(text: str) -> set[str]:
    """What stands in code and looks like a tool."""
    code = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return {word for part in code for word in re.findall(r"\b(?:memory|tasks|session)_[a-z_]+\b", part)}


@pytest.mark.parametrize("text", [ZH, EN, AGENTS], ids=["zh", "en", "agents"])
def test_every_tool_that_is_named_exists_and_every_tool_is_named(text: str) -> None:
    assert named(text) <= TOOLS.keys()
    missing = {name for name in TOOLS.keys() - {"page"} if f"`{name}`" not in text}
    assert not missing - {"memory_get", "memory_list"}


@pytest.mark.parametrize("text", [ZH, EN], ids=["zh", "en"])
def test_the_skill_names_only_arguments_and_pages_that_exist(text: str) -> None:
    arguments = {field.name for tool in TOOLS.values() for field in tool.fields}
    for word in (
        "why",
        "impact",
        "next",
        "verify",
        "aliases",
        "about",
        "blocked_by",
        "resume_step",
        "old_text",
        "operations",
    ):
        assert f"`{word}`" in text and word in arguments
    assert set(re.findall(r"niannian://(\w+)", text)) == PAGES.keys()


def test_the_front_matter_is_what_skill_loaders_read() -> None:
    head = SKILL.split("---\n")[1].splitlines()
    fields = dict(line.split(": ", 1) for line in head)
    assert fields.keys() == {"name", "description"}
    assert re.fullmatch(r"[a-z-]{1,64}", fields["name"]) and 50 < len(fields["description"]) <= 1024


def commands(value: Any) -> list[list[str]]:
    if isinstance(value, dict):
        own = [[value["command"], *value["args"]]] if "command" in value else []
        return own + [one for item in value.values() for one in commands(item)]
    return []


def test_every_configuration_can_be_read_and_starts_what_exists() -> None:
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", AGENTS, flags=re.DOTALL)]
    blocks += [json.loads(text) for text in re.findall(r"openclaw mcp set niannian '(.*)'", AGENTS)]
    started = [one for block in blocks for one in commands(block)]
    started += [re.findall(r'"([^"]+)"', " ".join(re.findall(r"(?:command|args): (.*)", AGENTS)))]
    started += [
        line.split() for line in re.findall(r"^(?:claude mcp .* -- )?(niannian mcp.*)$", AGENTS, flags=re.MULTILINE)
    ]
    assert len(blocks) == 5 and len(started) == 8
    options = {name for option in get_command(cli).commands["mcp"].params for name in option.opts}  # type: ignore[attr-defined]
    for program, command, *rest in started:
        assert (program, command) == ("niannian", "mcp")
        assert {one for one in rest if one.startswith("--")} <= options
