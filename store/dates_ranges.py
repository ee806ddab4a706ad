"""What stands around a date: the weekday that explains it, the other end of a range, and "since", "before", "after".

Only what touches a date is looked at, and a bounded way from it. "And" makes a range behind "between" alone, "to" none
behind a word that moves something: "moved from Friday to Monday" names two days. Open ends are for questions; when
writing, "before Friday" is the Friday.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from store.days import Days, Now, Reader, begun


@dataclass(frozen=True, slots=True)
class Found:
    """A date as its rule has read it, at [start:end], and what to read it again with."""

    start: int
    end: int
    days: Days
    match: re.Match[str]
    read: Reader


def read_days(read: Reader, match: re.Match[str], now: Now) -> Days | None:
    try:
        return read(match, now)
    except (ValueError, OverflowError):  # 31 June; 900 years before the year 1
        return None


def joined(found: Sequence[Found], same: str, now: Now) -> list[Found]:
    """One date for all the words that name one range, in order and apart."""
    out: list[Found] = []
    for one in _with_weekdays(found, same):
        ranged = _range(out[-1], one, same, now) if out else None
        if ranged:
            out[-1] = ranged
        else:
            out.append(one)
    out = [_with_ends(one, same) for one in out]
    if now.prefer_past:
        return [opened for one in out if (opened := _open(one, same, now))]
    return out


_BESIDE = re.compile(r"[ ,(]{0,2}\Z")


def _with_weekdays(found: Sequence[Found], same: str) -> list[Found]:
    """5月22日（周三）, Wed 22 May, 周三 5月22日, 明天周二: one date, when the weekday is that day's."""
    out: list[Found] = []
    for one in found:
        if out:
            before = out[-1]
            gap = same[before.end : one.start]
            day, weekday = (before, one) if one.days.weekday else (one, before)
            if (
                weekday.days.weekday
                and not day.days.weekday
                and day.days.first == day.days.last
                and day.days.first.weekday() == weekday.days.first.weekday()
                and _BESIDE.match(gap)
            ):
                closed = "(" in gap and same[one.end : one.end + 1] == ")"
                out[-1] = replace(day, start=before.start, end=one.end + closed)
                continue
        out.append(one)
    return out


_PART_OF_DAY = r"(?: (?:morning|afternoon|evening|night)|早上|早晨|上午|中午|下午|傍晚|晚上|晚|夜里)?"
_TO = re.compile(
    rf"{_PART_OF_DAY}(?: (?:up )?(?:to|until|till|through|thru) (?:the )?| ?(?:一?直?[到至]|[-~–—]{{1,2}}) ?)"
)
_AND = re.compile(rf"{_PART_OF_DAY}(?: and (?:the )?| ?[和与跟同] ?)")
_BETWEEN_AHEAD = re.compile(r"\bbetween (?:the )?\Z")
_BETWEEN_BEHIND = re.compile(rf"{_PART_OF_DAY} ?(?:之间|期间)")
_MOVES = re.compile(
    r"\b(?:mov(?:e|ed|ing)|push|postpon|reschedul|shift|chang|delay|bring|brought|prefer|compare|switch|instead)"
)
_GAP_CHARACTERS = 24
_MOVES_CHARACTERS = 40
_YEAR = re.compile(r"\d{4}|年")


def _range(before: Found, one: Found, same: str, now: Now) -> Found | None:
    """The two as one range: each end that says no week or year goes by the other."""
    gap = same[before.end : one.start]
    if before.days.ends or one.days.ends or len(gap) > _GAP_CHARACTERS:
        return None
    between = _BETWEEN_AHEAD.search(_ahead(same, before.start)) or _BETWEEN_BEHIND.match(same, one.end)
    if not (_TO.fullmatch(gap) or (between and _AND.fullmatch(gap))):
        return None
    if _MOVES.search(same[max(0, before.start - _MOVES_CHARACTERS) : before.start]):
        return None
    first, last = before.days, one.days
    year_comes_last = _YEAR.search(same[one.start : one.end]) and not _YEAR.search(same[before.start : before.end])
    if year_comes_last:
        first = read_days(before.read, before.match, replace(now, most=last.last)) or first
    else:
        last = read_days(one.read, one.match, replace(now, least=first.first)) or last
        if last.last < first.first:
            first = read_days(before.read, before.match, replace(now, most=last.last)) or first
    if last.last < first.first and between:
        first, last = last, first
    if now.prefer_past and _is_turned_round(before.days, one.days, first, last):
        first, last = one.days, before.days
    if last.last < first.first or last.first < first.first:
        return None
    days = Days(first.first, max(first.last, last.last), first.relative or last.relative, ends=True)
    if before.days.weekday and one.days.weekday:
        days = begun(days, now)
    return replace(before, end=one.end, days=days)


def _is_turned_round(before: Days, one: Days, first: Days, last: Days) -> bool:
    """Whether the later end was said first: 10 May to 1 May are ten days, 20 December to 5 January go over New Year."""
    if before.weekday or before.last <= one.first:
        return False
    return last.last < first.first or before.last - one.first < last.last - first.first


def _ahead(same: str, start: int) -> str:
    return same[max(0, start - _GAP_CHARACTERS) : start]


_FROM_AHEAD = re.compile(r"(?:\b(?:from|between|since) (?:the )?|自从|打从|[从自] ?)\Z")


def _with_ends(one: Found, same: str) -> Found:
    """From … to, 从……到……之间: these words are the range's own."""
    if not one.days.ends:
        return one
    ahead = _FROM_AHEAD.search(_ahead(same, one.start))
    behind = _BETWEEN_BEHIND.match(same, one.end)
    return replace(one, start=one.start - (len(ahead[0]) if ahead else 0), end=behind.end() if behind else one.end)


_COUNTED = re.compile(
    r"\b(?:day|night|evening|morning|week|weekend|month|quarter|year|hour|minute|time|and)s? (?:before|after) (?:the )?\Z"
)
_OPEN_AHEAD = re.compile(
    r"(?:\b(?:(?P<since>since)|(?P<before>before)|(?P<after>after)|(?P<until>until|till|up to)|(?P<from>from)) (?:the )?"
    r"|自从 ?|打从 ?|(?P<until_zh>截[至止]到? ?|直到 ?)|(?P<from_zh>[从自] ?))\Z"
)
_OPEN_BEHIND = re.compile(
    rf"(?P<part>{_PART_OF_DAY})(?:(?P<since> ?(?:以来|至今|[到至](?:现在|如今|目前)(?:为止)?)| (?:up )?(?:to|until|till) now\b)"
    r"|(?P<on>起(?!来)|开始|往后| onwards?\b| on(?=[?.,!;]|\Z))|(?P<until>为止)"
    r"|(?P<before>[之以]?前(?![天面端后台]))|(?P<after>[之以]后|(?<=[日号])后(?![来面端台])))"
    r"(?P<counted>的?[一两二三四五六七八九十半几数\d夕])?"
)


def _open(one: Found, same: str, now: Now) -> Found | None:
    """Since reaches to today; before from the beginning of time; after from the next day to today.

    None when the words are no filter: "before Friday" may be any Friday, "the day after Monday" is another day.
    """
    before = _ahead(same, one.start)
    ahead, behind = _OPEN_AHEAD.search(before), _OPEN_BEHIND.match(same, one.end)
    word = (ahead.lastgroup or "since").removesuffix("_zh") if ahead else ""
    follows = behind.lastgroup or "" if behind and not behind["counted"] else ""
    start = one.start - (len(ahead[0]) if ahead else 0)
    end = behind.end() if behind and follows else one.end
    if word in ("before", "after"):
        days = None if _COUNTED.search(before) else _before(one, now) if word == "before" else _after(one, now)
        return replace(one, start=start, days=days) if days else None
    if word == "since" or follows == "since" or (word == "from" and follows in ("on", "after")):
        last = now.today if one.days.first <= now.today else one.days.last
        days = Days(one.days.first, last, one.days.relative)
        return replace(one, start=start, end=end if follows in ("since", "on") else one.end, days=days)
    if word == "until" or follows == "until":
        days = _until(one, now)
        return replace(one, start=start, end=end, days=days) if days else one
    if behind and (behind["before"] or behind["after"]):
        # Of 昨天下午之前, yesterday morning is a part.
        apart = timedelta(days=0 if behind["part"] else 1)
        days = _before(one, now, apart) if follows == "before" else _after(one, now, apart) if follows else None
        return replace(one, end=end, days=days) if days else None
    return one


_A_DAY = timedelta(days=1)


def _before(one: Found, now: Now, apart: timedelta = _A_DAY) -> Days | None:
    if not _is_past(one, now) or one.days.first == date.min:
        return None
    return Days(date.min, one.days.first - apart, one.days.relative)


def _until(one: Found, now: Now) -> Days | None:
    return Days(date.min, one.days.last, one.days.relative) if _is_past(one, now) else None


def _is_past(one: Found, now: Now) -> bool:
    """However one reads it: a date without its year must be far nearer than the one to come."""
    to_come = read_days(one.read, one.match, replace(now, least=now.today))
    if one.days.weekday or not to_come or one.days.first > now.today:
        return False
    fixed = to_come.first == one.days.first
    return fixed or 3 * (now.today - one.days.first) < to_come.first - now.today


def _after(one: Found, now: Now, apart: timedelta = _A_DAY) -> Days | None:
    if one.days.last >= now.today:
        return None
    return Days(one.days.last + apart, now.today, one.days.relative)
