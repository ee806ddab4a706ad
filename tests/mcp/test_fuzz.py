"""Whatever an agent sends: a result or a refusal, never a fault, and nothing that it did not mean."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.agent.fields import checked, path_of, schema, texts_of
from bot.agent.tools import TOOLS
from bot.door import DoorScope, LocalDoor
from bot.words import words
from store.errors import BadCommand, Rejected
from tests.flow.world import World

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
NAMES = sorted({field.name for tool in TOOLS.values() for field in tool.fields})


@pytest.mark.parametrize("name", sorted(TOOLS))
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_arguments_are_read_or_refused(name: str, data: st.DataObject) -> None:
    """What is read fits the schema that was shown; jsonschema is the judge."""
    from jsonschema import Draft202012Validator

    tool = TOOLS[name]
    own = [field.name for field in tool.fields]
    given_ = data.draw(
        st.dictionaries(st.sampled_from(own) | st.sampled_from(NAMES) | st.text(max_size=8), JSON, max_size=4)
    )
    try:
        found = checked(tool.fields, given_)
    except BadCommand:
        return
    assert found.keys() <= set(own)
    shown = schema(tool.fields, words("en"))
    without_nulls = {key: value for key, value in given_.items() if value is not None}
    Draft202012Validator(shown).validate(without_nulls)


@given(
    st.text(max_size=60) | st.lists(st.sampled_from(["..", "a", "%2e", "%", "\\", "~", "C:", "", "."])).map("/".join)
)
@settings(max_examples=500, deadline=None)
def test_a_path_that_is_taken_stays_inside(text: str) -> None:
    try:
        found = path_of(text)
    except BadCommand:
        return
    parts = found.split("/")
    assert not found.startswith(("/", "~")) and "\\" not in found and "\x00" not in found
    assert all(part.strip(" .") for part in parts)


@given(st.text("ab ", min_size=1, max_size=9), st.text("ab ", min_size=1, max_size=9))
def test_every_text_is_looked_at_alone_and_beside_the_others(name: str, value: str) -> None:
    fields = TOOLS["memory_store"].fields
    found = texts_of(fields, {"text": name, "why": value, "tags": (value,), "about": ((name, value),)})
    assert {name, value, f"{name}: {value}"} <= {*found}
    assert all(text in found[-1] for text in found)
    (operations,) = (one for one in TOOLS["memory"].fields if one.name == "operations")
    assert {name, value} <= {*texts_of([operations], {"operations": ({"content": name, "old_text": value},)})}


VALUES = (
    st.sampled_from(
        ["D-2024-05-27-01", "T-240527-01", "tea", "茶", "AND", '"', "kind:", "tag:x (", "*", "NOT NOT", "x" * 999, ""]
    )
    | st.integers(-3, 120)
    | st.sampled_from([["a"], {"a": "b"}, "2024-05-27", "decision", "blocked", "done", "add", "remove", "user"])
    | st.text(max_size=40)
)


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_call_breaks(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    import asyncio

    calls = data.draw(
        st.lists(
            st.sampled_from(sorted(TOOLS)).flatmap(
                lambda name: st.tuples(
                    st.just(name),
                    st.dictionaries(st.sampled_from([f.name for f in TOOLS[name].fields]), VALUES, max_size=5),
                )
            ),
            min_size=1, max_size=8,
        )
    )  # fmt: skip

    async def run() -> None:
        async with World(tmp_path_factory.mktemp("home") / "home") as world:
            door = LocalDoor(world.app)
            await door.call("memory_store", DoorScope(), {"text": "tea is green"}, "mcp/a/x")
            await door.call("tasks_add", DoorScope(), {"title": "water the plants"}, "mcp/a/y")
            for number, (name, arguments) in enumerate(calls):
                try:
                    result = await door.call(name, DoorScope(), arguments, f"mcp/a/{number}")
                except Rejected:
                    continue
                json.dumps(result)

    asyncio.run(run())
