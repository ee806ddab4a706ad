"""The map of a year: where each day stands, how strong it looks, and that it is the same picture twice."""

from __future__ import annotations

import io
import sys
from datetime import date, timedelta

import pytest
from PIL import Image

from bot import heat_map
from bot.heat_map import SIGNS, draw, levels, squares, text
from bot.message import WEEKS, Button, Line, Picture, Reply, pack_reply, unpack_reply
from bot.platforms import terminal

WEDNESDAY = "2024-05-29"


def picture(*counts: int, last: str = WEDNESDAY, lang: str = "en") -> Picture:
    return Picture(last, counts, lang)


def test_the_last_day_stands_in_the_last_week_on_its_weekday() -> None:
    *_, before, last = squares(picture(*[1] * 371))
    assert (last.week, last.row, last.day) == (WEEKS - 1, 2, date(2024, 5, 29))
    assert (before.week, before.row) == (WEEKS - 1, 1)


@pytest.mark.parametrize("days", range(1, 8))
def test_a_map_begins_on_a_monday_whatever_day_it_ends_on(days: int) -> None:
    last = date(2024, 5, 26) + timedelta(days=days)
    first, *rest = squares(picture(*[1] * 400, last=last.isoformat()))
    assert (first.week, first.row) == (0, 0)
    assert len(rest) + 1 == 7 * (WEEKS - 1) + last.weekday() + 1


def test_days_before_the_first_are_left_out() -> None:
    assert [square.day.isoformat() for square in squares(picture(4, 2))] == ["2024-05-28", WEDNESDAY]
    assert list(squares(picture())) == []


def test_a_day_of_rest_is_empty_and_the_others_stand_among_each_other() -> None:
    assert levels([0, 1, 2, 3, 4, 100]) == [0, 1, 1, 2, 3, 4]
    assert levels([0, 7, 7, 7]) == [0, 1, 1, 1]
    assert levels([]) == levels(()) == []
    assert levels([0, 0]) == [0, 0]


def test_signs_for_a_terminal() -> None:
    months, *rows = text(picture(*[0] * 365, 1, 2, 3, 4, 5, 6)).split("\n")
    assert months.split()[0] == "Jun"
    assert months.split()[-1] == "May"
    assert [row[:3].strip() for row in rows] == ["Mon", "", "Wed", "", "Fri", "", ""]
    assert {len(row) for row in rows[:3]} == {4 + WEEKS}
    assert rows[0].endswith(f"{SIGNS[0]}{SIGNS[2]}")
    assert rows[2].endswith(f"{SIGNS[0]}{SIGNS[4]}")
    assert max(map(len, rows)) <= 80


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_picture_is_one_that_a_chat_takes_and_the_same_each_time(lang: str) -> None:
    one = picture(*range(371), lang=lang)
    drawn = draw(one)
    assert drawn == draw(one)
    with Image.open(io.BytesIO(drawn)) as image:
        assert image.format == "PNG"
        assert max(image.size) <= 20 * min(image.size)
        assert len(image.getcolors(1 << 16) or ()) > 5
    assert len(drawn) < 100_000


def test_a_stronger_day_has_another_colour() -> None:
    with Image.open(io.BytesIO(draw(picture(*[0] * 369, 1, 9)))) as image:
        pixels = image.convert("RGB")
    row = [pixels.getpixel((62 + 52 * 28 + 11, 40 + day * 28 + 11)) for day in (0, 1, 2)]
    assert len(set(row)) == 3


def test_without_a_font_for_chinese_the_labels_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    heat_map._font.cache_clear()
    monkeypatch.setattr(heat_map, "_FONTS", ())
    assert draw(picture(*range(371), lang="zh")) == draw(picture(*range(371)))
    heat_map._font.cache_clear()


def test_without_the_extra_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError):
        draw(picture(1))
    assert text(picture(1))


def test_a_terminal_draws_signs_for_a_person_and_leaves_a_pipe_its_words() -> None:
    reply = Reply((Line("a year"),), (Button("Start", "x"),), picture=picture(0, 3, 1))
    shown = terminal.screen(reply).split("\n")
    assert (shown[0], shown[-1], len(shown)) == ("a year", "1 Start", 10)
    assert terminal.block(reply) == "a year\n[Start]"


def test_a_reply_is_kept_with_its_picture_and_an_older_one_has_none() -> None:
    reply = Reply((Line("a year"),), picture=picture(0, 3, 1))
    assert unpack_reply(pack_reply(reply)) == reply
    assert len(pack_reply(Reply((), picture=picture(*[99999] * 371)))) < 4096
    assert "picture" not in pack_reply(Reply((Line("no"),)))
    assert unpack_reply(pack_reply(Reply((Line("no"),)))).picture is None
