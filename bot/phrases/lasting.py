"""How long something is to be kept, when a person says so: the words that name the last day, and the rest.

Only what can be no statement counts: a day and a colon right behind the command word (记到周五：…, until Friday: …),
or at the end, set off, a clause that says to keep (记到周五, keep until Friday) or brackets. "The shop is open until
Friday" tells of a shop. A clause that only instructs is cut off; bare brackets may tell as well, so they stay.
Whether the words name a day to come is known where there is a clock: `last_day`.
"""

from __future__ import annotations

import re
from datetime import date

from bot.intents import Lasting, Remember
from bot.phrases.fields import draft_of
from bot.phrases.scan import Meter
from store.dates import find_dates, no_such_day
from store.model import EntryKind

_TAIL_CHARACTERS = 200
_DAY = r"(?P<day>[^:\n]{1,40}?)"
_SET_OFF_DAY = r"(?P<day>[^:,;，。；()\[\]【】\n]{1,40}?)"
_AHEAD = re.compile(rf"(?:(?:until|till|til) |直?到){_DAY}(?:为止|止)? ?: ?")
_AHEAD_OR_COMMA = re.compile(rf"到{_DAY}(?:为止|止)? ?[:,，。] ?")
_WHOLE = re.compile(rf"(?:(?:until|till|til) |直?到){_DAY}(?:为止|止)?[ .。!]*\Z")
_TAGS = r"(?P<tags>(?: *[#@][^ #@\n]{1,64}){0,8})"
_AT_THE_END = re.compile(
    r"(?:[,;。.!—–] *|[(\[【] *|\n)"
    r"(?:(?:only |just )?(?:keep|remember)(?: it| this| that)?(?: only| just)? (?:until|till|til) |[只就请]?(?:记|记住|记着)到)"
    rf"{_SET_OFF_DAY}(?:为止|止|就行|就好|就够了)?[)\]】]?[ .。!]*{_TAGS} *\Z"
)
_IN_BRACKETS = re.compile(rf"[(\[【](?:(?:until|till|til) |直?到){_SET_OFF_DAY}(?:为止|止)?[)\]】][ .。!]*{_TAGS} *\Z")
_PART_OF_DAY = re.compile(r" ?(?:早上|上午|中午|下午|晚上|傍晚|夜里|morning|noon|afternoon|evening|night)?[ .。!]*\Z")
_SOME_DAY = date(2024, 1, 1)


def last_day(words: str, today: date) -> str:
    """The last of the days that `words` name, as an ISO day; "" when they name none, or one that is past."""
    words = words.strip().lower().removeprefix("the ")
    found = find_dates(words, today, prefer_past=False)
    if not found or found[0].start or _PART_OF_DAY.match(words, found[0].end) is None:
        return ""
    return found[0].last.isoformat() if found[0].last >= today else ""


def remember_of(
    text: str, meter: Meter | None = None, *, kind: EntryKind | None = None, text_may_be_empty: bool = False
) -> Remember:
    """A statement without its command word; with a last day, what it is without the words that say so."""
    meter = meter or Meter()
    found = _last_day_in(text, meter, text_may_be_empty)
    whole = draft_of(text, meter, kind=kind, text_may_be_empty=text_may_be_empty)
    if found is None:
        return Remember(whole)
    words, rest = found
    return Remember(whole, Lasting(words, draft_of(rest, meter, kind=kind, text_may_be_empty=text_may_be_empty)))


def remember_until(text: str, meter: Meter, *, is_reply: bool) -> Remember | None:
    """`text` begins with the 到 of 记到; nothing when no day follows, since 记到本子上 is talk."""
    folded = meter.fold(text)
    found = meter.match(_AHEAD_OR_COMMA, folded) or (meter.match(_WHOLE, folded) if is_reply else None)
    if found is None or not _names_a_day(found["day"]):
        return None
    rest = text[found.end() :]
    if not is_reply and meter.blank(rest):
        return None
    kept = draft_of(rest, meter, text_may_be_empty=is_reply)
    return Remember(draft_of(text, meter), Lasting(text[slice(*found.span("day"))], kept))


def _names_a_day(words: str) -> bool:
    """One that no calendar has is a day too: who says 记到2月30日：… has told us something to keep."""
    missing = no_such_day(words)
    return any(one.start == 0 for one in find_dates(words, _SOME_DAY, prefer_past=False)) or (
        missing != "" and words.startswith(missing)
    )


def _last_day_in(text: str, meter: Meter, is_reply: bool) -> tuple[str, str] | None:
    """(words that name the day, the statement without them), each a part of `text`."""
    folded = meter.fold(text)
    ahead = meter.match(_AHEAD, folded) or (meter.match(_WHOLE, folded) if is_reply and len(text) < 60 else None)
    if ahead is not None and (is_reply or not meter.blank(text[ahead.end() :])):
        return text[slice(*ahead.span("day"))], text[ahead.end() :]
    at = max(0, len(text.rstrip()) - _TAIL_CHARACTERS)
    end = meter.fold(text[at:].rstrip(), _TAIL_CHARACTERS)
    clause = meter.search(_AT_THE_END, end)
    if clause is not None and not meter.blank(text[: at + clause.start()]):
        first, last = clause.span("tags")
        return _part(text, at, *clause.span("day")), f"{text[: at + clause.start()]} {text[at + first : at + last]}"
    brackets = meter.search(_IN_BRACKETS, end)
    if brackets is not None and not meter.blank(text[: at + brackets.start()]):
        return _part(text, at, *brackets.span("day")), text
    return None


def _part(text: str, at: int, first: int, last: int) -> str:
    return text[at + first : at + last]
