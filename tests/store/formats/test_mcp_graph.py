"""The reference memory server's graph, in lines and in one object."""

from __future__ import annotations

import json

from store.formats.mcp_graph import read
from tests.store.formats.readings import entries, of, texts, troubles

GRAPH = {
    "entities": [
        {"type": "entity", "name": "Bob", "entityType": "person", "observations": ["likes tea", "moved 到杭州"]},
        {"type": "entity", "name": "Café", "entityType": "place", "observations": []},
    ],
    "relations": [{"type": "relation", "from": "Bob", "to": "Café", "relationType": "works_at"}],
}
WORDS = ["likes tea", "moved 到杭州", "Café", "Bob works_at Café"]


def test_lines_and_one_object_say_the_same() -> None:
    lines = "\n".join(json.dumps(one) for part in GRAPH.values() for one in part) + "\n"
    found = of({"memory.json": lines})
    assert found.format == "mcp-graph"
    assert texts(found.pieces) == WORDS
    assert [piece.line for piece in found.pieces] == [1, 1, 2, 3]
    pretty = of({"graph.json": json.dumps(GRAPH, indent=1, ensure_ascii=False)})
    assert (pretty.format, texts(pretty.pieces)) == ("mcp-graph", WORDS)
    assert [one.draft for one in entries(pretty)] == [one.draft for one in entries(found)]


def test_of_whom_an_observation_speaks_goes_along() -> None:
    told = {one.draft.text: one.draft for one in entries(of({"m.jsonl": json.dumps(GRAPH)}))}
    assert told["likes tea"].about == (("entity", "Bob"), ("type", "person"))
    assert told["likes tea"].tags == ("Bob",)
    assert told["Bob works_at Café"].tags == ("Bob", "Café")


def test_what_is_broken_is_named_and_the_rest_of_the_line_taken() -> None:
    text = "\n".join(
        [
            '{"type":"entity","name":"Bob","observations":["a",3,"","b"]}',
            '{"type":"entity","observations":["x"]}',
            '{"type":"relation","from":"Bob"}',
            "{half",
            '{"type":"entity","name":"Ann","observations":"a"}',
            '{"type":"else"}',
            '{"type":"entity","name":"Ann","observations":["c"]}',
        ]
    )
    found = of({"memory.jsonl": text})
    assert texts(found.pieces) == ["a", "b", "c"]
    assert troubles(found) == [("memory.jsonl", n, "trouble-json") for n in (1, 2, 3, 4, 5, 6)]


def test_a_first_line_that_is_broken_hides_nothing() -> None:
    pieces, wrong = read("m.jsonl", '{"type":"entity","name":\n{"type":"entity","name":"Ann","observations":["c"]}')
    assert (texts(pieces), [one.line for one in wrong]) == (["c"], [1])
