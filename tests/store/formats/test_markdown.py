"""Markdown cut into parts: nothing is lost, nothing is changed, nothing takes long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.formats.markdown import chapters, cut, day_in_name, fitted, parts
from store.formats.moments import iso_day
from store.model import Draft
from store.pieces import EntryPiece

LINES = st.lists(
    st.sampled_from(
        ["- a", "  - b", "  more", "* c", "text", "", "# H", "## S ##", "```", "<!-- x -->", "<!--", "-->", "---", "> q", "\t- t", "+ d", "-", "#tag"]
    ),
    max_size=14,
).map("\n".join)  # fmt: skip


def items(text: str) -> list[str]:
    return [part.text for part in parts(text) if part.is_item]


def test_an_item_has_all_that_is_nested_in_it() -> None:
    text = "- one\n  - inner\n\n  a paragraph\n- two\nlazy\n\nloose\n"
    assert [(part.line, part.text, part.is_item) for part in parts(text)] == [
        (1, "one\n  - inner\n\n  a paragraph", True),
        (5, "two\nlazy", True),
        (8, "loose", False),
    ]


def test_comments_stay_to_the_letter_with_what_they_stand_behind() -> None:
    text = (
        "- likes tea <!-- trigger: tea;  importance: 7 -->\n- b\n  <!-- importance:3 -->\n- c\n<!-- importance:4 -->\n"
    )
    assert items(text) == [
        "likes tea <!-- trigger: tea;  importance: 7 -->",
        "b\n  <!-- importance:3 -->",
        "c\n<!-- importance:4 -->",
    ]


def test_the_mark_of_a_promotion_belongs_to_the_line_below_it() -> None:
    mark = "<!-- openclaw-memory-promotion:memory:memory/2026-03-15.md:2:5 -->"
    found = list(parts(f"- a\n{mark}\n- b [score=0.8]\n{mark}\ntext"))
    assert [(part.text, part.marker) for part in found] == [("a", ""), ("b [score=0.8]", mark), (f"{mark}\ntext", "")]


def test_what_stands_between_fences_is_no_list() -> None:
    text = "```\n- no item\n# no heading\n```\n- item\n  ```\n- inside\n  ```\n- next"
    assert items(text) == ["item\n  ```\n- inside\n  ```", "next"]


def test_headings_are_kept_as_a_way_down() -> None:
    text = "# T\n## A\n- a\n### B ###\n- b\n## C#\n- c"
    assert [(part.text, part.sections) for part in parts(text)] == [
        ("a", ("T", "A")),
        ("b", ("T", "A", "B")),
        ("c", ("T", "C#")),
    ]


def kept(text: str) -> list[str]:
    """The lines that must be in some part."""
    return [line.strip() for line in text.split("\n") if line.strip() and not line.startswith("#")]


@given(LINES)
def test_no_line_is_lost_and_their_order_is_kept(text: str) -> None:
    found = list(parts(text))
    got = [
        line.strip().removeprefix("- ").removeprefix("* ").removeprefix("+ ")
        for p in found
        for line in p.text.split("\n")
        if line.strip()
    ]
    want = [line.removeprefix("- ").removeprefix("* ").removeprefix("+ ") for line in kept(text)]
    headings = [line for line in got if line.startswith("#")]  # inside fences and comments they are text
    assert [line for line in got if not line.startswith("#")] == [line for line in want if not line.startswith("#")]
    assert len(headings) <= text.count("#")
    assert [part.line for part in found] == sorted(part.line for part in found)
    assert all(text.split("\n")[part.line - 1].endswith(part.text.split("\n")[0]) for part in found)


@given(LINES)
def test_chapters_are_the_text(text: str) -> None:
    found = list(chapters(text))
    assert [line for _, words in found for line in words.split("\n") if line.strip()] == [
        line for line in text.split("\n") if line.strip()
    ]
    assert all(text.split("\n")[line - 1] == words.split("\n")[0] for line, words in found)


@given(st.text(st.sampled_from("ab \n。"), max_size=60), st.integers(4, 20))
def test_long_texts_are_cut_without_loss(text: str, most: int) -> None:
    found = list(cut(text, most))
    assert all(len(words) <= most for _, words in found)
    assert "".join("".join(words for _, words in found).split()) == "".join(text.split())
    assert [line for line, _ in found] == sorted(line for line, _ in found)


def test_only_the_first_part_of_a_long_entry_has_its_label() -> None:
    piece = EntryPiece("a.md", 3, Draft("word\n" * 3000), label="D-2024-05-27-01", replaces=("D-1",))
    first, *others = fitted(piece)
    assert (first.label, first.replaces, first.line) == ("D-2024-05-27-01", ("D-1",), 3)
    assert others and all((one.label, one.replaces) == ("", ()) for one in others)
    assert [one.line for one in (first, *others)] == sorted({one.line for one in (first, *others)})


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("memory/2024-05-27.md", ("2024-05-27", "")),
        ("memory/2024-05-27-stand-up.md", ("2024-05-27", "stand-up")),
        ("2024-05-27_1430.md", ("2024-05-27", "1430")),
        ("memory/2024-02-31.md", ("", "")),
        ("memory/notes-2024-05-27.md", ("", "")),
        ("memory/2024-05-27/a.md", ("", "")),
    ],
)
def test_days_in_names(path: str, found: tuple[str, str]) -> None:
    assert day_in_name(path) == found


@pytest.mark.parametrize("words", ["2024-05-27", "2024-05-27T10:00:00Z", "2024-05-27 10:00"])
def test_days_in_words(words: str) -> None:
    assert iso_day(words) == "2024-05-27"
    assert iso_day("20240527xx") == iso_day("27.05.2024") == iso_day("") == iso_day("2024-13-01") == ""


@pytest.mark.parametrize(
    "line", ["# " + " " * 200_000 + "x" + " " * 200_000 + "y", "<!--\n" * 60_000, "- " * 100_000 + "x", "-" + " -" * 100_000 + "x", "```\n" * 60_001, "\n" * 200_000]
)  # fmt: skip
def test_no_line_takes_long(line: str) -> None:
    """The limit of every test is the bound: what were quadratic would take hours."""
    list(parts(line))
    list(chapters(line))
