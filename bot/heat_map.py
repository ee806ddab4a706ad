"""The days of a year as a map, week by week: a picture where pictures show, signs at a terminal.

How strong a day looks depends on the other days, not on anybody's goal: it never says that somebody did too little.
Pillow comes with the extra `learn`. Labels are in Chinese where a font on this machine has the characters.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bot.message import WEEKS, Picture
from bot.words import words

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

SIGNS = "·░▒▓█"
_COLOURS = ("#ebedf0", "#c6e2d3", "#8fcaa8", "#4aa77a", "#1f7a52")
_PAPER, _INK = "#ffffff", "#57606a"
_CELL, _GAP = 22, 6
_STEP = _CELL + _GAP
_LEFT, _TOP, _EDGE, _BELOW = 62, 40, 20, 52
_TEXT_SIZE = 20
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NAMED_ROWS = (0, 2, 4)
_PLAIN = "en"
"""The language whose labels every font has."""
_FONTS = (
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
    "/System/Library/Fonts/PingFang.ttc",
    "/System/Library/Fonts/Hiragino Sans GB.ttc",
    "C:/Windows/Fonts/msyh.ttc",
    "C:/Windows/Fonts/simhei.ttf",
)
"""Where systems keep a font with Chinese."""


@dataclass(frozen=True, slots=True)
class Square:
    """One day: its column (week) and row (Monday is 0), and how strong it is, 0–4."""

    week: int
    row: int
    day: date
    level: int


def squares(picture: Picture) -> Iterator[Square]:
    """Every day of the map, oldest first; the last week ends with the last day."""
    last = date.fromisoformat(picture.last)
    monday = last - timedelta(days=last.weekday() + 7 * (WEEKS - 1))
    counts = picture.counts[-((last - monday).days + 1) :]
    first = last - timedelta(days=len(counts) - 1)
    for day, level in zip((first + timedelta(days=n) for n in range(len(counts))), levels(counts), strict=True):
        week, row = divmod((day - monday).days, 7)
        yield Square(week, row, day, level)


def levels(counts: Sequence[int]) -> list[int]:
    """0 for a day of rest; 1–4 for the quarter that a day stands in among those on which there was anything."""
    some = sorted(count for count in counts if count > 0)
    if not some:
        return [0] * len(counts)
    cuts = [some[len(some) * quarter // 4] for quarter in (1, 2, 3)]
    return [0 if count <= 0 else 1 + sum(count > cut for cut in cuts) for count in counts]


def text(picture: Picture) -> str:
    """Seven rows of signs for a terminal, with the months above; 57 columns."""
    rows = [[" "] * WEEKS for _ in range(7)]
    months = [" "] * (WEEKS + 3)
    for week, name in _month_labels(picture, _PLAIN):
        months[week : week + 3] = name
    for square in squares(picture):
        rows[square.row][square.week] = SIGNS[square.level]
    say = words(_PLAIN)
    named = {row: say(f"days-row-{row}") for row in _NAMED_ROWS}
    lines = [f"{named.get(number, ''):<4}{''.join(row)}" for number, row in enumerate(rows)]
    return "\n".join(line.rstrip() for line in (f"    {''.join(months)}", *lines))


def draw(picture: Picture) -> bytes:
    """The map as a PNG. Raises ImportError without Pillow."""
    from PIL import Image, ImageDraw, PngImagePlugin  # heavy, and only an edge with pictures draws

    font, lang = _font(picture.lang)
    say = words(lang)
    less, more = say("days-less"), say("days-more")
    width, height = _LEFT + WEEKS * _STEP + _EDGE, _TOP + 7 * _STEP + _BELOW
    image = Image.new("RGB", (width, height), _PAPER)
    pen = ImageDraw.Draw(image)
    for week, name in _month_labels(picture, lang):
        pen.text((_LEFT + week * _STEP, _TOP - 12), name, fill=_INK, font=font, anchor="ls")
    for row in _NAMED_ROWS:
        name = say(f"days-row-{row}")
        pen.text((_LEFT - 10, _TOP + row * _STEP + _CELL // 2), name, fill=_INK, font=font, anchor="rm")
    for square in squares(picture):
        _square(pen, _LEFT + square.week * _STEP, _TOP + square.row * _STEP, square.level)
    at, middle = width - _EDGE - _GAP, height - _BELOW // 2
    pen.text((at, middle), more, fill=_INK, font=font, anchor="rm")
    at -= int(pen.textlength(more, font=font)) + 10 + len(_COLOURS) * _STEP
    for level in range(len(_COLOURS)):
        _square(pen, at + level * _STEP, middle - _CELL // 2, level)
    pen.text((at - 10, middle), less, fill=_INK, font=font, anchor="rm")
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True, pnginfo=PngImagePlugin.PngInfo())
    return out.getvalue()


def _square(pen: object, left: int, top: int, level: int) -> None:
    pen.rounded_rectangle((left, top, left + _CELL - 1, top + _CELL - 1), radius=4, fill=_COLOURS[level])  # type: ignore[attr-defined]


def _month_labels(picture: Picture, lang: str) -> Iterator[tuple[int, str]]:
    """Above the first week that begins in a month, as far as they do not touch."""
    free, month = 0, 0
    for square in squares(picture):
        if square.row != 0 or square.day.month == month:
            continue
        first_seen, month = month == 0, square.day.month
        if square.week < free or (first_seen and square.day.day > 14) or square.week > WEEKS - 2:
            continue
        yield square.week, words(lang)("days-month", name=str(month) if lang == "zh" else _MONTHS[month - 1])
        free = square.week + 3


@cache
def _font(lang: str) -> tuple[FreeTypeFont | ImageFont, str]:
    from PIL import ImageFont

    if lang == "zh":
        for path in _FONTS:
            if Path(path).is_file():
                try:
                    return ImageFont.truetype(path, _TEXT_SIZE), "zh"
                except OSError:
                    continue
    return ImageFont.load_default(_TEXT_SIZE), _PLAIN
