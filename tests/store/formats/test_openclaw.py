"""An OpenClaw workspace: days, order, headings and comments are kept, and what its agent was told is no rule of ours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from store.formats.openclaw import loose, read
from store.model import Draft, EntryKind
from store.pieces import EntryPiece, ProfilePiece
from tests.store.formats.readings import entries, of, texts, troubles

WORKSPACE = {
    "MEMORY.md": "# Memory\n\n## People\n- Bob likes tea <!-- importance: 7 -->\n- Ann moved\n  - in May\n\nA paragraph.\n",
    "USER.md": "# USER.md\n- **Name:** Lin\n- prefers short answers\n",
    "SOUL.md": "# Soul\nBe kind.\n## Never\n- lie\n",
    "AGENTS.md": "- always obey AGENTS.md\n",
    "memory/2024-05-27.md": "# 2024-05-27\n## 14:00\n- shipped\n",
    "memory/2024-05-28-standup.md": "- talked\n",
    "memory/dreaming/light/2024-05-28.md": "- a dream\n",
    "DREAMS.md": "# Diary\nI dreamt.\n",
}


def test_a_workspace_is_read_file_by_file() -> None:
    found = of(WORKSPACE)
    assert found.format == "openclaw"
    assert not found.troubles
    assert [(one.path, one.draft.kind.value, one.draft.text, one.day) for one in entries(found)] == [
        ("AGENTS.md", "note", "- always obey AGENTS.md", ""),
        ("DREAMS.md", "note", "# Diary\nI dreamt.", ""),
        ("MEMORY.md", "fact", "Bob likes tea <!-- importance: 7 -->", ""),
        ("MEMORY.md", "fact", "Ann moved\n  - in May", ""),
        ("MEMORY.md", "note", "A paragraph.", ""),
        ("SOUL.md", "note", "# Soul\nBe kind.", ""),
        ("SOUL.md", "note", "## Never\n- lie", ""),
        ("USER.md", "preference", "prefers short answers", ""),
        ("memory/2024-05-27.md", "fact", "shipped", "2024-05-27"),
        ("memory/2024-05-28-standup.md", "fact", "talked", "2024-05-28"),
        ("memory/dreaming/light/2024-05-28.md", "note", "- a dream", "2024-05-28"),
    ]
    assert EntryKind.RULE not in {one.draft.kind for one in entries(found)}


def test_headings_and_slugs_become_what_an_entry_is_about() -> None:
    about = {one.draft.text: one.draft.about for one in entries(of(WORKSPACE))}
    assert about["Ann moved\n  - in May"] == (("section", "People"),)
    assert about["shipped"] == (("section", "14:00"),)
    assert about["talked"] == (("topic", "standup"),)
    assert about["prefers short answers"] == (("section", "USER.md"),)


def test_a_field_about_the_person_is_one() -> None:
    fields = [one for one in of(WORKSPACE).pieces if isinstance(one, ProfilePiece)]
    assert [(one.name, one.value, one.line) for one in fields] == [("Name", "Lin", 2)]


def test_a_workspace_below_what_was_imported_is_found() -> None:
    found = of({f"backup/ws/{path}": text for path, text in WORKSPACE.items()})
    assert texts(found.pieces) == texts(of(WORKSPACE).pieces)
    assert [one.draft.kind for one in entries(found)] == [one.draft.kind for one in entries(of(WORKSPACE))]


def test_the_old_spelling_of_its_memory_is_known() -> None:
    assert [one.draft.kind.value for one in entries(of({"memory.md": "- a\n"}))] == ["fact"]


def test_a_header_says_the_day_and_what_it_says_beside_is_kept() -> None:
    text = "---\ntitle: Tea\ndate: 2024-05-27T10:00:00Z\ntags: [a, b]\nmood: calm\nlist:\n  - x\n---\n- green\n"
    pieces, _ = read("memory/tea.md", text)
    assert [(one.line, one.draft.text, one.day, one.draft.tags) for one in pieces] == [
        (5, "mood: calm\nlist:\n  - x", "2024-05-27", ("a", "b")),
        (9, "- green", "2024-05-27", ("a", "b")),
    ]
    assert pieces[1].draft.about == (("title", "Tea"),)


def test_a_day_in_no_year_of_ours_is_none() -> None:
    """Programs write 0001-01-01 where they know of no day; what a header says of it stays, as a note."""
    found = of(
        {"MEMORY.md": "- a\n", "memory/0001-01-01.md": "- b\n", "memory/note.md": "---\ndate: 0001-01-01\n---\n- c\n"}
    )
    assert [(one.day, one.draft.text) for one in entries(found)] == [
        ("", "a"), ("", "- b"), ("", "date: 0001-01-01"), ("", "- c"),
    ]  # fmt: skip
    assert not found.troubles


def test_a_day_file_with_an_open_quote_is_named_and_left_out() -> None:
    text = '---\na: 1\nb: 2\nc: 3\nd: 4\ne: 5\ntitle: "unfinished\n---\n- not imported\n'
    found = of({"MEMORY.md": "- imported\n", "memory/2024-05-03.md": text})
    assert texts(found.pieces) == ["imported"]
    assert troubles(found) == [("memory/2024-05-03.md", 7, "trouble-quote")]


def test_what_is_no_block_in_a_file_of_ours_is_read_alike() -> None:
    pieces = loose("memory/2024-05-27.md", 5, "words\n- an item\n  more", "2024-05-27")
    assert pieces == [
        EntryPiece("memory/2024-05-27.md", 5, Draft("words", EntryKind.NOTE), day="2024-05-27"),
        EntryPiece("memory/2024-05-27.md", 6, Draft("an item\n  more"), day="2024-05-27"),
    ]


@given(
    st.lists(
        st.text(st.sampled_from("ab 记忆<!->"), min_size=1).map(str.strip).filter(lambda s: s and s[0] not in "<-"),
        max_size=6,
    )
)
def test_a_list_is_its_items_in_order(items: list[str]) -> None:
    pieces, _ = read("MEMORY.md", "".join(f"- {item}\n" for item in items))
    assert texts(pieces) == items
    assert [one.line for one in pieces] == list(range(1, len(items) + 1))
