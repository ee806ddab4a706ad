"""Does once, in a parent that will be forked, what every start would otherwise do again: the lazily built tables."""

from __future__ import annotations

from datetime import date

from bot.phrases.grammar import parse
from bot.secret_scan import mask
from bot.words import LANGUAGES, words
from store.dates import find_dates
from store.taint import is_instruction
from store.text import expand


def warm() -> None:
    for text in (
        "记住：决定上周三用 SQLite，因为密码是 a1B2c3d4",
        "remember: we decided last Friday, the password is a1B2c3d4",
    ):
        parse(text)
        mask(text)
        is_instruction(text)
        find_dates(text, date(2024, 5, 27), prefer_past=True)
        expand(text)
    for lang in LANGUAGES:
        words(lang)("looked-in", n=1, shown="1")
