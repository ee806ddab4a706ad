"""The one door: whatever the files are, something is read or named, twice the same, and never an exception."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from store.formats import detect
from store.pieces import EntryPiece, File
from tests.store.formats.readings import of, texts, troubles

NAMES = [
    "MEMORY.md", "USER.md", "TASKS.md", "SOUL.md", "DREAMS.md", "memory/2024-05-27.md", "memory/2024-05-27-a.md",
    "memories/MEMORY.md", "memories/ARCHIVE.jsonl", "notes/a.md", "a.txt", "a.csv", "a.tsv", "a.json", "a.jsonl",
    "agent-memory/common-info.md", "memory/keyword-seeds.md", "TASKS_ARCHIVE/2024-05.md", "checkpoints.md",
    "agent-memory/chat/daily/2024-05-27.md", "x/ws/MEMORY.md",
]  # fmt: skip
BITS = st.sampled_from(
    [
        "---\n", "title: x\n", "- ", "[cat] ", "#tag ", "# H\n", "§\n", "```\n", "<!--", "-->", "|a|b|\n", '"', "{", "}",
        "[", "]", ",", ":", "\n", '{"niannian":1,"id":"01HYVZ5E800000000000000000"', '"memory":"x"', '{"type":"entity","name":"n"',
        '"observations":["o"]', "text,day\n", "2024-05-27", "## D-2024-05-27-01\n", "- Decision: x\n", "- Why: y\n",
        "  ", "\t", "记忆", "=", "'", "\\ud800", "\\u0000", "*a", "&a", "[[x]]", "(c)", "\r\n", "T-240527-01", "在做",
        "<!-- niannian/1 scope ", "abcdefghijklmnop D-2024-05-27-01\n", "- Tags: ", "- Scope: a=", "- Importance: ",
    ]
)  # fmt: skip
CONTENT = st.lists(BITS, max_size=25).map("".join).map(str.encode) | st.binary(max_size=80)
FILES = st.dictionaries(st.sampled_from(NAMES), CONTENT, max_size=5)


@given(FILES)
@example({"a.csv": b'text\n"'})
@example({"memory/2024-05-27.md": b"- Tags: \n- Decision: x\n"})
def test_any_files_are_read_or_named_and_twice_the_same(files: dict[str, bytes]) -> None:
    found = of(files)
    assert found == of(files)
    assert found.format in detect.FORMATS
    for piece in [*found.pieces, *found.troubles]:
        assert piece.path in files
        assert 0 <= piece.line <= files[piece.path].count(b"\n") + 2
    for piece in found.pieces:
        if isinstance(piece, EntryPiece):
            "".join([piece.draft.text, *piece.draft.tags, *map("".join, piece.draft.about)]).encode()
            assert piece.draft.text.strip()
            assert "\0" not in piece.draft.text


@given(
    st.dictionaries(
        st.text(string.ascii_letters + "./-记", min_size=1, max_size=12), st.binary(max_size=40), max_size=4
    )
)
def test_any_names_will_do(files: dict[str, bytes]) -> None:
    of(files)


def test_progress_counts_the_files() -> None:
    seen: list[tuple[int, int]] = []
    detect.read(
        [File("a.md", b"a"), File("b.csv", b"text\nb")], progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(1, 2), (2, 2)]


def test_a_folder_of_everything_is_read_each_in_its_own_way() -> None:
    found = of(
        {
            "ws/MEMORY.md": "- from a workspace\n",
            "h/memories/MEMORY.md": "from Hermes\n§\ntwo\n",
            "t.csv": "text\nfrom a table\n",
            "m.json": '[{"memory":"from mem0"}]',
            "g.jsonl": '{"type":"entity","name":"n","observations":["from a graph"]}',
            "settings.json": '{"theme":"dark"}',
            "log.jsonl": '{"level":"info"}\n',
        }
    )
    assert sorted(texts(found.pieces)) == [
        "from Hermes", "from a graph", "from a table", "from a workspace", "from mem0", "two",
    ]  # fmt: skip
    assert found.ignored == ["log.jsonl", "settings.json"]
    assert not found.troubles


def test_a_lone_file_of_no_format_is_named() -> None:
    assert troubles(of({"settings.json": '{"theme":"dark"}'})) == [("settings.json", 0, "trouble-format")]


@pytest.mark.parametrize("files", [{}, {"a.md": ""}, {"a.json": " \n"}, {"a.jsonl": ""}])
def test_nothing_is_nothing(files: dict[str, str]) -> None:
    found = of(files)
    assert not found.pieces and not found.troubles


def test_a_memory_system_ops_workspace_goes_to_the_readers_of_ours() -> None:
    found = of(
        {
            "TASKS.md": "| 状态 | 任务ID | 任务 | 说明 | 下一步 | Blocked by | Resume step |\n|---|---|---|---|---|---|---|\n| 在做 | T-240527-01 | 写周报 |  | 改 |  |  |\n",
            "memory/2024-05-27.md": "---\ntitle: Day\n---\n## D-2024-05-27-01\n- Decision: use SQLite\n- Why: one file\n\n- loose\n",
            "SOUL.md": "Be kind.\n- always\n",
            "memory/2024-05-28.md": '---\ntitle: "open\n---\n- Decision: lost\n',
        }
    )
    assert found.format == "tree"
    assert texts(found.pieces) == ["Be kind.\n- always", "title: Day", "use SQLite", "loose"]
    assert troubles(found) == [("memory/2024-05-28.md", 2, "trouble-quote")]
    decided = next(one for one in found.pieces if isinstance(one, EntryPiece) and one.label)
    assert (decided.label, decided.line, decided.day) == ("D-2024-05-27-01", 4, "2024-05-27")


def test_a_tree_below_what_was_imported_keeps_its_paths() -> None:
    found = of({"x/out/TASKS.md": "", "x/out/memory/2024-05-27.md": "- Decision: use SQLite\n"})
    assert [piece.path for piece in found.pieces] == ["x/out/memory/2024-05-27.md"]
    alone = of({"x/agent-memory/chat/daily/2024-05-27.md": "- 10:00 Lin: hello\n"})
    assert (alone.format, [type(piece).__name__ for piece in alone.pieces]) == ("tree", ["TalkPiece"])
