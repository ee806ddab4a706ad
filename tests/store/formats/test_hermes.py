"""The memory of a Hermes agent: entries between lines of §, what was put away in its archive, and the agent's limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from store.formats.hermes import BETWEEN, entries, read
from tests.store.formats.readings import of, texts, troubles

ENTRY = st.text(st.sampled_from("ab §记\n"), min_size=1, max_size=20).map(str.strip).filter(
    lambda text: bool(text) and all(line.strip() != "§" for line in text.split("\n"))
)  # fmt: skip


@given(st.lists(ENTRY, max_size=6))
def test_what_was_joined_is_taken_apart_again(items: list[str]) -> None:
    found = list(entries(BETWEEN.join(items)))
    assert [words for _, words in found] == items
    lines = BETWEEN.join(items).split("\n")
    assert all(lines[line - 1].strip() == words.split("\n")[0].strip() for line, words in found)


def test_both_files_and_the_archive_are_read() -> None:
    found = of(
        {
            "memories/MEMORY.md": "runs Ubuntu\n§\nuses Go\n  and sqlc\n§\n\n§\n",
            "memories/USER.md": "prefers 中文\n",
            "memories/ARCHIVE.jsonl": '{"entry":"old","action":"add_overflow","target":"user"}\n\n{"entry":"x"}\n',
        }
    )
    assert found.format == "hermes"
    assert [(one.line, one.draft.kind.value, one.draft.text) for one in found.pieces] == [  # type: ignore[union-attr]
        (1, "preference", "old"),
        (3, "fact", "x"),
        (1, "fact", "runs Ubuntu"),
        (3, "fact", "uses Go\n  and sqlc"),
        (1, "preference", "prefers 中文"),
    ]


def test_a_lone_file_with_its_marks_is_known() -> None:
    found = of({"MEMORY.md": "- one\n§\n- two"})
    assert (found.format, texts(found.pieces)) == ("hermes", ["- one", "- two"])


def test_the_head_that_the_agent_shows_is_no_entry() -> None:
    frame = "═" * 46
    text = f"{frame}\nMEMORY (your personal notes) [67% — 1,474/2,200 chars]\n{frame}\none\n§\ntwo"
    assert texts(read("memories/MEMORY.md", text)[0]) == ["one", "two"]
    assert texts(read("memories/MEMORY.md", f"{frame}\none")[0]) == [f"{frame}\none"]


def test_a_line_of_the_archive_that_is_broken_is_named() -> None:
    text = '{"entry":"a"}\n{"entry":\n{"entry":""}\n[1]\n{"entry":"\\ud800"}\n{"entry":"b"}'
    found = of({"memories/MEMORY.md": "x", "memories/ARCHIVE.jsonl": text})
    assert texts(found.pieces) == ["a", "b", "x"]
    assert troubles(found) == [("memories/ARCHIVE.jsonl", n, "trouble-json") for n in (2, 3, 4, 5)]
