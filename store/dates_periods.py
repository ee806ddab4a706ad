"""Periods in both languages: the last 7 days, 最近三天, early May, Q2 2024, 第二季度, 上半年.

"Q2" is a question and "the second half" a game, unless a year or a word before it says date. 这几天 and 这两周 lie on
either side of today: in a question they are the past ones, when writing they are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from store.dates_words import (
    COUNT_ZH,
    END,
    MONTHS,
    NUMBERS,
    UNIT_ZH,
    UNITS_ZH,
    YEAR,
    YEAR_ZH,
    YEAR_ZH_STARTS,
    is_a_name,
    month,
    number,
    number_zh,
    year_said,
    year_zh,
)
from store.days import (
    FEW,
    Days,
    Now,
    Rule,
    ago,
    ahead_of,
    half_of,
    lately,
    month_of,
    one_of,
    quarter_of,
    without_year,
)

_FEW = ("few", "several")
_PARTS = {
    "early": (1, 10), "beginning of": (1, 10), "start of": (1, 10), "mid": (11, 20), "middle of": (11, 20),
    "late": (21, 0), "end of": (21, 0),
}  # fmt: skip
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_QUARTER_CUE = re.compile(r"\b(?:in|during|since|until|till|by|before|after|from|between|q[1-4](?: to| and| -)?) \Z")


def _read_lately(match: re.Match[str], now: Now) -> Days | None:
    unit, sign = match["unit"], -1 if match["way"] == "next" else 1
    if not match["count"]:
        return lately(now, 1, unit) if match["way"] == "past" and unit != "day" else None
    if match["count"] in _FEW:
        return lately(now, sign * FEW[unit], unit)
    return lately(now, sign * (2 if "couple" in match["count"] else number(match["count"])), unit)


def _read_lately_zh(match: re.Match[str], now: Now) -> Days | None:
    if match["way"] == "这" and (not now.prefer_past or match["count"] in ("一", "1")):
        return None
    unit, sign = UNITS_ZH[match["unit"]], -1 if match["ahead"] else 1
    if match["count"] == "几":
        return lately(now, sign * FEW[unit], unit)
    if match["count"] != "半":
        return lately(now, sign * number_zh(match["count"]), unit)
    halves = {"year": (6, "month"), "month": (15, "day")}
    return lately(now, sign * halves[unit][0], halves[unit][1]) if unit in halves else None


def _read_part(match: re.Match[str], now: Now) -> Days | None:
    """Early May, the end of last month."""

    def part(days: Days) -> Days:
        first, last = _PARTS[match["part"]]
        return Days(
            days.first.replace(day=first), days.first.replace(day=last) if last else days.last, relative=days.relative
        )

    if match["step"]:
        return part(ago(now, -{"last": -1, "this": 0, "next": 1}[match["step"]], "month"))
    if match["part"] in ("early", "late") and not is_a_name(match, now):
        return None
    number_of_month, year = MONTHS[match["month"]], year_said(match, now)
    if year:
        return part(month_of(year, number_of_month, relative=bool(match["year_step"])))
    return without_year(now, lambda in_year: part(month_of(in_year, number_of_month, relative=False)))


def _read_quarter(match: re.Match[str], now: Now) -> Days | None:
    """Q2 2024, 2024 Q2, the second half of last year."""
    said, year = match["number"], year_said(match, now)
    count = _ORDINALS[said] if said in _ORDINALS else int(said)
    read: Callable[..., Days] = half_of if match["half"] else quarter_of
    if year:
        return read(year, count, relative=bool(match["year_step"]))
    if match["half"] or not _QUARTER_CUE.search(ahead_of(match)):
        return None
    return without_year(now, lambda in_year: read(in_year, count, relative=False))


def _read_quarter_zh(match: re.Match[str], now: Now) -> Days | None:
    read: Callable[..., Days] = half_of if match["half"] else quarter_of
    count = "上下".index(match["half"]) + 1 if match["half"] else number_zh(match["number"])
    if match["year"]:
        return read(year_zh(match["year"], now), count, relative=not match["year"][0].isdecimal())
    return without_year(now, lambda year: read(year, count, relative=False))


_QUARTERS_ZH = r"第?(?P<number>[一二三四1-4])季度|(?P<half>[上下])半年(?!级)"

RULES = (
    Rule(
        "tlpn",
        rf"(?:the )?(?P<way>last|past|previous|next) (?:(?P<count>\d{{1,3}}|couple(?: of)?|{one_of([*_FEW, *NUMBERS])}) )?"
        rf"(?P<unit>day|week|month|year)s?{END}(?! of )",
        _read_lately,
    ),
    Rule(
        "最近过这未接今",
        r"(?P<way>最近|(?<![将接靠临附亲远邻最])近|(?<!已经)过去|这|(?P<ahead>未来|接下来|今后))的?这?"
        rf" ?(?P<count>{COUNT_ZH}|[几半]) ?个?{UNIT_ZH}(?![了两头打半级]|[之以]?[前后])",
        _read_lately_zh,
    ),
    Rule(
        "tebsml",
        rf"(?:the )?(?P<part>{one_of(_PARTS)})[ -](?:{month()}(?:,?(?: of)? {YEAR})?|(?P<step>last|this|next) month){END}",
        _read_part,
    ),
    Rule("qh", rf"(?:q|(?P<half>h))(?P<number>[1-4])(?:,?(?: of)? {YEAR})?{END}", _read_quarter),
    Rule("12", rf"(?<![\d.:/-]){YEAR}[ -]?(?:q|(?P<half>h))(?P<number>[1-4]){END}", _read_quarter),
    Rule(
        "tfs1234",
        rf"(?<![\d.:/-])(?:the )?(?P<number>{one_of(_ORDINALS)}) (?:quarter|(?P<half>half))(?:,?(?: of)?) {YEAR}{END}",
        _read_quarter,
    ),
    Rule(YEAR_ZH_STARTS, rf"{YEAR_ZH}的?(?:{_QUARTERS_ZH})", _read_quarter_zh),
    Rule("第上下一二三四1234", rf"(?<![前头后续以每\d])(?P<year>(?!))?(?:{_QUARTERS_ZH})", _read_quarter_zh),
)
