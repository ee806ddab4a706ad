"""Days, times, numbers and folded quotes."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from bot import render
from bot.words import words

TODAY = date(2024, 5, 27)


@pytest.mark.parametrize(
    ("one", "zh", "en"),
    [
        (date(2024, 5, 22), "5月22日（周三）", "Wed 22 May"),
        (date(2023, 5, 22), "2023年5月22日（周一）", "Mon 22 May 2023"),
    ],
)
def test_days(one: date, zh: str, en: str) -> None:
    assert render.day(words("zh"), one, TODAY) == zh
    assert render.day(words("en"), one, TODAY) == en


def test_moments() -> None:
    zone = ZoneInfo("Asia/Shanghai")
    assert render.moment(words("en"), datetime(2024, 5, 26, 9, 0, tzinfo=zone), TODAY) == ("yesterday 09:00", True)
    assert render.moment(words("zh"), datetime(2024, 5, 20, 9, 0, tzinfo=zone), TODAY) == ("5月20日（周一）", False)
    assert render.full_moment(words("zh"), datetime(2024, 5, 20, 9, 0, tzinfo=zone), TODAY) == "5月20日（周一）09:00"
    assert render.full_moment(words("en"), datetime(2024, 5, 28, 9, 0, tzinfo=zone), TODAY) == "tomorrow 09:00"


def test_numbers() -> None:
    assert (render.number(words("zh"), 1240), render.number(words("en"), 1240)) == ("1240", "1,240")


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", "short"),
        ("a\nb\nc\nd\ne\nf", "a\nb\nc\nd\ne\nf"),
        ("a\nb\nc\nd\ne\nf\ng", "a\nb\nc\nd\ne\nf…"),
        ("A sentence of words. " * 20, "A sentence of words. " * 11),
        ("x" * 300, "x" * 240 + "…"),
        ("x" * 239 + FAMILY, "x" * 239 + "…"),
        ("x" * 239 + "e\u0301" + "x", "x" * 239 + "…"),
        ("word " * 60, "word " * 48),
    ],
)
def test_folding(text: str, shown: str) -> None:
    folded = render.fold_quote(words("en"), text)
    expected = shown if shown.endswith("…") or shown == text else shown.rstrip() + "…"
    assert folded == expected
    assert "\u200d…" not in folded


def test_a_folded_quote_says_so() -> None:
    lines, folded = render.stored_lines(words("zh"), "好" * 121, "——Lin")
    assert folded
    assert lines[-1].words.endswith("…”——Lin")
    assert all(line.stored for line in lines)


def test_short_lines() -> None:
    assert render.short("a\n b   c", 10) == "a b c"
    assert render.short("x" * 11, 10) == "x" * 9 + "…"


def test_spaces_between_parts() -> None:
    assert render.spaced(words("zh"), "你", "今天 10:00", "说的：") == "你今天 10:00 说的："
    assert render.spaced(words("en"), "You", "", "said") == "You said"
