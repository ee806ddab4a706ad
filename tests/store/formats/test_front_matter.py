"""Headers of YAML: the shape is read, every value stays as typed, and nothing in them can grow (B67, B68)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.formats import front_matter
from store.formats.front_matter import split, text_in, texts_in


def trouble(text: str) -> tuple[int, str]:
    header = split("a.md", text)
    assert header.trouble is not None
    assert not header.body
    return header.trouble.line, header.trouble.code


def test_values_stay_as_they_were_typed() -> None:
    header = split("a.md", "---\nsure: no\nat: 1:30\nday: 2024-05-27\nnumber: 007\npath: C:\\agent\n---\nbody\n")
    assert header.values == {"sure": "no", "at": "1:30", "day": "2024-05-27", "number": "007", "path": "C:\\agent"}
    assert header.body.split("\n")[7] == "body"


def test_each_value_is_also_there_as_it_stands() -> None:
    header = split("a.md", "---\ntags: [a, b] # mine\nnested:\n  x: 1\n  y: [2]\nlast: 3\n---\n")
    assert header.lines == {"tags": "tags: [a, b] # mine", "nested": "nested:\n  x: 1\n  y: [2]", "last": "last: 3"}
    assert header.values["nested"] == {"x": "1", "y": ["2"]}


@pytest.mark.parametrize(
    ("inside", "line", "code"),
    [
        ("title: *Italic*", 2, "trouble-alias"),
        ("a: 1\nb: &x 2\nc: 3", 3, "trouble-alias"),
        ("a: &x [1]\nb: *x", 2, "trouble-alias"),
        ("a: 1\n<<: *x", 3, "trouble-alias"),
        ('title: "unfinished', 2, "trouble-quote"),
        ("a: 1\ntitle: 'unfinished\nb: 2", 3, "trouble-quote"),
        ('a: 1\ntitle: "unfinished\nb: "2"', 3, "trouble-quote"),
        ('tags:\n- "a\n- b', 3, "trouble-quote"),
        ("a: b: c", 2, "trouble-header"),
        ("a: [1, 2", 2, "trouble-header"),
        ("a: 1\n\tb: 2", 3, "trouble-header"),
        ("a: !!python/object:os.system x", 2, "trouble-header"),
        ("? [a]\n: b", 0, ""),
        ("a: " + "[" * 20 + "]" * 20, 2, "trouble-header-long"),
        ("a: " + "x" * front_matter.CHARACTERS_MAX, 1, "trouble-header-long"),
        ("a: [" + "1," * front_matter.VALUES_MAX + "]", 2, "trouble-header-long"),
        ("a: \x07", 2, "trouble-header"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(inside: str, line: int, code: str) -> None:
    text = f"---\n{inside}\n---\nbody\n"
    if code:
        assert trouble(text) == (line, code)
    else:
        assert split("a.md", text).body == text  # no header at all


def test_a_header_without_an_end_is_named() -> None:
    assert trouble("---\ntitle: x\nbody\n") == (1, "trouble-header-end")


@pytest.mark.parametrize(
    "text", ["", "hello\n", "---\nJust a line across the page.\n---\nmore\n", "text\n---\na: 1\n---\n", "---"]
)
def test_a_file_may_have_none(text: str) -> None:
    header = split("a.md", text)
    assert (header.body, header.values, header.trouble) == (text, {}, None)


def test_an_empty_header_is_none() -> None:
    assert split("a.md", "---\n---\nbody") == front_matter.Header(body="\n\nbody")


def test_many_lines_between_quotes_are_one_value() -> None:
    assert split("a.md", '---\ntitle: "one\n  two"\n---\n').values == {"title": "one two"}


def test_the_first_of_two_of_one_name_counts() -> None:
    assert split("a.md", "---\na: 1\na: 2\n---\n").values == {"a": "1"}


@given(st.text(st.sampled_from("ab:-[]{}\"'&*!|>#%@`,?\n \t~."), max_size=60))
def test_any_header_is_read_or_named_and_lines_keep_their_numbers(inside: str) -> None:
    text = f"---\nk: {inside}\n---\nbody"
    header = split("a.md", text)
    if header.trouble is None:
        assert header.body.split("\n")[-1] == "body"
        assert header.body.count("\n") == text.count("\n")
    else:
        assert 1 <= header.trouble.line <= text.count("\n") + 1


def test_lists_are_read_however_they_are_written() -> None:
    assert texts_in("coffee, #brewing,,coffee") == ("coffee", "brewing")
    assert texts_in([" a ", ["b"], ""]) == ("a",)
    assert texts_in(None) == texts_in({"a": "b"}) == ()
    assert (text_in(" a "), text_in(["a"]), text_in(None)) == ("a", "", "")
