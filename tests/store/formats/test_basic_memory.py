"""Notes of basic-memory: observations, relations, what stands beside them, and the note with a broken header (B67)."""

from __future__ import annotations

from store.formats.basic_memory import read
from store.model import EntryKind
from tests.store.formats.readings import entries, of, texts, troubles

NOTE = """---
title: Coffee
type: note
tags: [coffee, brewing]
permalink: coffee-brewing
status: active
---
# Coffee

Some words.

## Observations
- [method] Pour over gives clarity #brewing #v60 (own try)
- [decision] Buy a grinder
  with steel burrs
- [ ] a box to tick
- [x] a ticked one
- [link](http://example.org) to look at

## Relations
- relates_to [[Coffee Bean Origins]]
- requires [[Grinding]] (always)
- a sentence about [[Tea]] and more
"""


def test_a_note_is_its_observations_its_relations_and_the_rest() -> None:
    pieces, wrong = read("notes/coffee.md", NOTE)
    assert not wrong
    assert [(one.line, one.draft.kind, one.draft.text) for one in pieces] == [
        (6, EntryKind.NOTE, "status: active"),
        (8, EntryKind.NOTE, "# Coffee\n\nSome words."),
        (12, EntryKind.NOTE, "## Observations\n\n\n\n- [ ] a box to tick\n- [x] a ticked one\n- [link](http://example.org) to look at"),
        (13, EntryKind.FACT, "Pour over gives clarity #brewing #v60 (own try)"),
        (14, EntryKind.DECISION, "Buy a grinder\n  with steel burrs"),
        (20, EntryKind.NOTE, "## Relations\n\n\n- a sentence about [[Tea]] and more"),
        (21, EntryKind.NOTE, "Coffee relates_to [[Coffee Bean Origins]]"),
        (22, EntryKind.NOTE, "Coffee requires [[Grinding]] (always)"),
    ]  # fmt: skip


def test_title_category_and_tags_go_along() -> None:
    pieces, _ = read("notes/coffee.md", NOTE)
    told = {one.draft.text.split("\n")[0]: one.draft for one in pieces}
    poured = told["Pour over gives clarity #brewing #v60 (own try)"]
    assert poured.about == (("title", "Coffee"), ("permalink", "coffee-brewing"), ("category", "method"))
    assert poured.tags == ("brewing", "v60", "coffee")
    assert told["Coffee requires [[Grinding]] (always)"].about[2:] == (("relation", "requires"), ("to", "Grinding"))


def test_four_of_five_notes_are_taken_and_the_third_is_named() -> None:
    """B67: the bad one was dropped with all its fields, or kept everything else from being read."""
    files = {f"notes/{n}.md": f"---\ntitle: Note {n}\n---\n- [fact] number {n}\n" for n in (1, 2, 4, 5)}
    files["notes/3.md"] = "---\npath: C:\\agent\ntitle: *Italic*\n---\n- [fact] number 3\n"
    found = of(files)
    assert found.format == "basic-memory"
    assert texts(found.pieces) == [f"number {n}" for n in (1, 2, 4, 5)]
    assert troubles(found) == [("notes/3.md", 3, "trouble-alias")]


def test_a_note_without_a_header_is_called_as_its_file() -> None:
    found = of({"people/Bob.md": "- [likes] tea\n"})
    assert found.format == "basic-memory"
    assert entries(found)[0].draft.about == (("title", "Bob"), ("category", "likes"))


def test_the_day_of_a_note_is_that_of_its_header() -> None:
    pieces, _ = read("a.md", "---\ntitle: A\ncreated: 2024-05-27 10:00\n---\n- [x1] y\n")
    assert [one.day for one in pieces] == ["2024-05-27"]
    pieces, _ = read("a.md", "---\ntitle: A\ndate: 9999-12-31T23:59:59Z\n---\n- [x1] y\n")
    assert [(one.day, one.draft.text) for one in pieces] == [("", "date: 9999-12-31T23:59:59Z"), ("", "y")]
