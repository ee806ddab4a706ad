"""Where a long reply is cut."""

from __future__ import annotations

from bot.message import Button, Line, Reply, Shape
from bot.platforms.telegram.splitting import UNITS_MAX, parts


def cut(*lines: str) -> list[list[str]]:
    return [[line.words for line in part.lines] for part in parts(Reply(tuple(map(Line, lines))))]


def test_what_just_fits_is_one_message_and_one_more_is_two() -> None:
    assert len(cut("x" * UNITS_MAX)) == 1
    assert len(cut("x" * 2048, "y" * 2047)) == 1, "the line break counts one"
    assert cut("x" * 2048, "y" * 2048) == [["x" * 2048], ["y" * 2048]]
    assert cut("x" * (UNITS_MAX + 1)) == [["x" * UNITS_MAX], ["x"]]


def test_lines_stay_whole_as_long_as_they_can() -> None:
    assert cut("a" * 3000, "b" * 3000, "c" * 1000) == [["a" * 3000], ["b" * 3000, "c" * 1000]]


def test_a_long_line_is_cut_after_a_sentence() -> None:
    first, rest = "a" * 3000 + "。”", "b" * 3000
    assert cut(first + rest) == [[first], [rest]]
    english = "a " * 1500 + "b. "
    assert cut(english[:-1] + " c" * 2000)[0] == ["a " * 1500 + "b."]


def test_a_point_within_a_number_ends_no_sentence() -> None:
    assert cut("a" * 3000 + " v1.2" + "b" * 3000)[0] == ["a" * 3000 + " "]


def test_without_a_sentence_it_is_cut_at_a_space_and_without_one_anywhere() -> None:
    assert cut("a" * 3000 + " " + "b" * 3000) == [["a" * 3000 + " "], ["b" * 3000]]
    assert [len(part[0]) for part in cut("字" * 5000)] == [4096, 904]


def test_a_good_place_too_early_is_not_taken() -> None:
    assert [len(part[0]) for part in cut("a. " + "b" * 5000)] == [4096, 907]


def test_a_long_line_begins_behind_a_heading() -> None:
    found = cut("You decided:", "x" * 5000)
    assert found[0][0] == "You decided:"
    assert len(found[0][1]) == UNITS_MAX - len("You decided:") - 1
    assert "".join(found[0][1:] + found[1]) == "x" * 5000


def test_a_letter_under_thousands_of_marks_is_cut_all_the_same() -> None:
    zalgo = "e" + "\u0301" * 9000
    found = cut(zalgo)
    assert [len(part[0]) for part in found] == [4096, 4096, 809]
    headed = cut("x" * 1000, zalgo)
    assert headed[0] == ["x" * 1000], "a fresh message holds more of it"


def test_every_blank_is_kept_where_a_message_has_words() -> None:
    words = ("a  b\t" * 2000)[:9000] + "x"
    assert "".join("".join(part) for part in cut(words)) == words


def test_the_first_keeps_the_shape_and_the_last_the_buttons() -> None:
    reply = Reply((Line("a" * 4000), Line("b" * 4000, stored=True)), (Button("Undo", "t"),), shape=Shape.EDIT)
    first, second = parts(reply)
    assert (first.shape, first.buttons) == (Shape.EDIT, ())
    assert (second.shape, second.buttons) == (Shape.MESSAGE, (Button("Undo", "t"),))
    assert second.lines[0].stored
    assert parts(reply.__class__((Line("short"),), reply.buttons, Shape.EDIT))[0].shape is Shape.EDIT
