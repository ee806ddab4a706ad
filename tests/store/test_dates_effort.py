"""Reading dates costs steps in line with the text, whatever it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Any

import pytest

from store import dates_digits, dates_en, dates_months, dates_periods, dates_ranges
from store.dates import _RULES, _START, SPANS_MAX, find_dates

MONDAY = date(2024, 5, 27)


def _repeats(parsed: Iterable[Any]) -> Iterable[int]:
    """The upper bounds of all quantifiers in a parsed pattern."""
    for op, value in parsed:
        if str(op) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield int(value[1])
        stack = [value]
        while stack:
            item = stack.pop()
            if isinstance(item, re._parser.SubPattern):  # type: ignore[attr-defined]
                yield from _repeats(item)
            elif isinstance(item, (tuple, list)):
                stack += item


def test_every_rule_reaches_a_bounded_way() -> None:
    """So the steps are at most places × rules × a constant: linear, whatever the text."""
    bounds = [
        bound
        for pattern in (_START, *(rule.pattern for rule in _RULES))
        for bound in _repeats(re._parser.parse(pattern.pattern))  # type: ignore[attr-defined]
    ]
    assert len(bounds) > 20
    assert max(bounds) <= 3


@pytest.mark.parametrize("module", [dates_digits, dates_en, dates_months, dates_periods, dates_ranges])
def test_what_is_looked_at_around_a_date_is_bounded_too(module: object) -> None:
    around = [one for one in vars(module).values() if isinstance(one, re.Pattern)]
    bounds = [bound for one in around for bound in _repeats(re._parser.parse(one.pattern))]  # type: ignore[attr-defined]
    assert around
    assert max(bounds, default=0) <= 9


@pytest.mark.parametrize(
    "piece",
    ["5月", "1", "月", "二十", "last ", "a ", "周", "2024-", "1/", "Mon-", "昨天到", "从", "1-3 May ", "between "],
)
def test_64_kib_of_one_piece_is_read(piece: str) -> None:
    assert len(find_dates(piece * (65536 // len(piece.encode())), MONDAY, prefer_past=False)) <= SPANS_MAX
