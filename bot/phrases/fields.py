"""A statement as typed → `Draft`: its kind, its because / next / impact / verify, tags and the rest.

The words kept are always slices of the words typed. What goes is the label of a field, the
punctuation that joined it, the lead-in of a decision (我们决定…, we decided to…) and trailing `#tag @about`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bot.phrases.scan import Meter, nfc
from store.archive import HIGH, LOW, MEDIUM
from store.model import Confidence, Draft, EntryKind

FIELDS_CHARACTERS_MAX = 16_000
"""Longer statements are kept whole: they are refused as too long anyway, and the count shown is then of all of it."""
MARKS_MAX = 64
"""Names of fields looked at; each field counts once, so more of them are only words."""
TAGS_MAX = 32
TAG_CHARACTERS_MAX = 64

_TEXT_LABELS: dict[str, EntryKind] = {
    "decision": EntryKind.DECISION, "决定": EntryKind.DECISION, "決定": EntryKind.DECISION, "决策": EntryKind.DECISION,
    "fact": EntryKind.FACT, "事实": EntryKind.FACT, "preference": EntryKind.PREFERENCE, "偏好": EntryKind.PREFERENCE,
    "quote": EntryKind.QUOTE, "摘录": EntryKind.QUOTE, "引用": EntryKind.QUOTE,
    "rule": EntryKind.RULE, "规则": EntryKind.RULE, "規則": EntryKind.RULE,
}  # fmt: skip
_FIELD_LABELS: dict[str, str] = {
    name: key
    for key, names in {
        "why": "because of|because|why|reason|因为|因為|原因|理由",
        "impact": "impact|影响|影響",
        "next": "next steps|next step|next|下一步",
        "verify": "verify|验证|驗證",
        "about": "about|scope|关于|關於|作用域",
        "tags": "tags|tag|标签|標籤",
        "aliases": "also called|aliases|又叫|别名|別名",
        "confidence": "confidence|置信度|把握",
        "importance": "importance|重要度|重要性",
    }.items()
    for name in names.split("|")
}
_NAMES = "|".join(sorted((*_FIELD_LABELS, *_TEXT_LABELS), key=len, reverse=True))
_EITHER_CASE = "".join(f"[{c}{c.upper()}]" if c.isascii() and c.isalpha() else c for c in _NAMES)
"""Letter classes instead of IGNORECASE, which looks at every name in turn where these are passed over."""
_OPENERS = "".join(sorted({name[0] + name[0].upper() for name in _NAMES.split("|")}))
_MARK = re.compile(rf"(?=[{_OPENERS}])(?:(?<=[\s,，.。;；!！?？、…)）(（—–-])|\A)(?:{_EITHER_CASE})(?![A-Za-z])")
_COLON = re.compile(r"[ \t]{0,2}[:：]")
_BARE = frozenset({"because", "because of", "因为", "因為", "下一步", "验证", "驗證", "影响", "影響"})
"""Field names that need no colon; the Chinese ones then need punctuation or a new line in front."""
_NOT_A_FIELD = ("验证码", "驗證碼", "影响力", "影響力", "下一步棋")
_BEFORE_FIELD = frozenset(",，.。;；!！?？、…)）—–-\n")
_JOINING = " \t\r\n\u3000,，;；、:：—–-"
_JOINING_AHEAD = " \t\r\n\u3000,，;；、:："

_CONFIDENCE = {
    "高": Confidence.HIGH, "high": Confidence.HIGH, "中": Confidence.MEDIUM, "medium": Confidence.MEDIUM,
    "低": Confidence.LOW, "low": Confidence.LOW,
}  # fmt: skip
_LEVELS = ("confidence", "importance")
"""Fields whose value is high, medium or low."""
_IMPORTANCE = {Confidence.HIGH: HIGH, Confidence.MEDIUM: MEDIUM, Confidence.LOW: LOW}
_IMPORTANT = re.compile(r"(?:重要|[Ii]mportant|IMPORTANT)[ \t]{0,2}[:：]")
"""In front of a statement: a mark on it, and no word of it."""
_LIST = re.compile(r"[、,，;；/|\n]")
_STOPS = " \t\r\n\u3000,，.。;；:：!！?？、()（）\"“”'‘’#＃@＠"
_WANTS_AN_OBJECT = re.compile(
    r"(?:\b(?:to|with|for|by|from|ask|tell|at|of|and|or|via|cc|per|on|in)[ ]?|[给給找问問跟和由向让讓叫对對与與])$",
    re.IGNORECASE,
)
"""Before a trailing `@name` these make it a word of the sentence, which stays."""

_DECIDED = re.compile(
    r"(?:(?:我们|咱们|大家|我)?(?:已经|刚刚|刚才|刚)?(?:决定|定)了(?![吗没])|(?:我们|咱们|大家|我)?(?:已经|刚刚|刚才|刚)?决定(?![权论性书者于的]))"
    r"|(?:we|i)(?:'ve| have)?(?: all| both| just| finally)? (?:decided|agreed)(?: (?:to|that|on))?(?![\w-])"
)
_AGREED = re.compile(r"(?:我们|咱们|大家)?(?:都|已经)?说好|(?:我们|咱们|大家)(?:都|已经)?(?:约好|商定)")
_PREFERS = re.compile(
    r"我们?(?:最|很|更|比较|特别|不太|不|也|都|还是|一直|从来|平时|一般){0,2}(?:喜欢|讨厌|不吃|不喝|习惯|偏好|爱吃|爱喝)"
    r"|\bi(?:'d| would| do| don't| really| usually| also| still| absolutely){0,2}"
    r" (?:prefer|like|love|hate|dislike|can't stand|cannot stand|always|don't eat|don't drink)\b"
)


@dataclass(slots=True)
class _Parts:
    text: str = ""
    kind: EntryKind | None = None
    plain: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    about: list[tuple[str, str]] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    confidence: Confidence | None = None
    importance: int | None = None


def draft_of(
    body: str, meter: Meter | None = None, *, kind: EntryKind | None = None, text_may_be_empty: bool = False
) -> Draft:
    """`body` is a statement without its command word. A given `kind` wins over cues; a quote is kept verbatim."""
    meter = meter or Meter()
    body = meter.strip(body)
    if len(body) > FIELDS_CHARACTERS_MAX:
        return Draft(text=body, kind=kind or _kind(body, meter)[0])
    parts = _Parts(kind=kind)
    if kind is EntryKind.QUOTE:
        parts.text = body
    else:
        marked = meter.match(_IMPORTANT, body)
        if marked is not None and not meter.blank(body[marked.end() :]):
            parts.importance = HIGH
            body = meter.strip(body[marked.end() :])
        _split(body, meter, parts, text_may_be_empty)
    parts.text = _without_tail(parts.text, parts, meter)
    if not parts.text and not text_may_be_empty:
        parts.text = body
    _sentence_tags(parts.text, parts, meter)
    found, lead = _kind(parts.text, meter) if parts.kind is None else (parts.kind, 0)
    if parts.kind is EntryKind.DECISION:
        lead = _kind(parts.text, meter)[1]
    return Draft(
        text=parts.text[lead:],
        kind=found,
        why=parts.plain.get("why", ""),
        impact=parts.plain.get("impact", ""),
        next=parts.plain.get("next", ""),
        verify=parts.plain.get("verify", ""),
        about=tuple(dict.fromkeys(parts.about)),
        confidence=parts.confidence,
        tags=tuple(dict.fromkeys(parts.tags)),
        aliases=tuple(dict.fromkeys(parts.aliases)),
        importance=parts.importance,
    )


def labelled_lines(text: str, meter: Meter) -> int:
    """How many lines begin with a field's name and a colon, when the first names the statement itself; else 0."""
    window = text[:FIELDS_CHARACTERS_MAX]
    count = 0
    for _key, start, name, _end, colon in _marks(window, meter):
        if colon and _opens_line(window, start):
            if count == 0 and (start > 0 or name not in _TEXT_LABELS):
                return 0
            count += 1
    return count


def _marks(body: str, meter: Meter) -> list[tuple[str, int, str, int, bool]]:
    """Every place that names a field: key ("text" for the statement), start, name, end, with a colon or not."""
    found: list[tuple[str, int, str, int, bool]] = []
    at = 0
    for _ in range(MARKS_MAX):
        mark = meter.search(_MARK, body, at)
        if mark is None:
            break
        name = mark[0].lower()
        at = mark.end()
        colon = meter.match(_COLON, body, at)
        key = "text" if name in _TEXT_LABELS else _FIELD_LABELS.get(name, "")
        if colon is not None:
            at = colon.end()
        elif name not in _BARE or (not name.isascii() and not _stands_free(body, mark.start())):
            continue
        if key and not body.startswith(_NOT_A_FIELD, mark.start()):
            found.append((key, mark.start(), name, at, colon is not None))
    return found


def _stands_free(body: str, start: int) -> bool:
    """Punctuation or a new line comes right before `start`, at most eight spaces away."""
    before = body[max(0, start - 8) : start].rstrip(" \t\u3000")
    return before[-1:] in _BEFORE_FIELD if before else start == 0


def _opens_line(body: str, start: int) -> bool:
    before = body[max(0, start - 8) : start].rstrip(" \t\u3000-*•")
    return before.endswith("\n") if before else start < 8


def _split(body: str, meter: Meter, parts: _Parts, text_may_be_empty: bool) -> None:
    chosen: list[tuple[str, int, int]] = []
    seen: set[str] = set()
    for key, start, name, end, _colon in _marks(body, meter):
        if key in seen or (key == "text" and not _opens_line(body, start)):
            continue
        if key in _LEVELS and not _one_word_value(body, end):
            continue
        if key == "text":
            if chosen and chosen[0][1] > 0:
                continue
            parts.kind = parts.kind or _TEXT_LABELS[name]
        seen.add(key)
        chosen.append((key, start, end))
    if chosen and "text" not in seen:
        if chosen[0][1] == 0 and not text_may_be_empty:
            chosen.pop(0)
        chosen.insert(0, ("text", 0, 0))
    if not chosen:
        chosen = [("text", 0, 0)]
    for place, (key, _start, end) in enumerate(chosen):
        last = place + 1 == len(chosen)
        value = body[end : len(body) if last else chosen[place + 1][1]]
        _put(key, _trim(value, last=last), parts, meter)


def _trim(value: str, *, last: bool) -> str:
    value = value.lstrip(_JOINING_AHEAD)
    if last:
        return value.rstrip()
    value = value.rstrip(_JOINING)
    return value[:-1].rstrip(_JOINING) if value.endswith(("(", "（")) else value


def _one_word_value(body: str, end: int) -> bool:
    """The word for a level is followed by punctuation, space or the end, so nothing else is swallowed with it."""
    value = body[end : end + 12].lstrip().lower()
    for word in _CONFIDENCE:
        if value.startswith(word):
            return value[len(word) :][:1] in {"", *_STOPS}
    return False


def _put(key: str, value: str, parts: _Parts, meter: Meter) -> None:
    if key == "text":
        parts.text = value
        return
    if key == "tags":
        words = [word.strip(_STOPS) for word in _LIST.sub(" ", value).split()[:TAGS_MAX]]
        parts.tags += [nfc(word) for word in words if word]
        return
    value = _without_tail(value, parts, meter)
    if key in _LEVELS:
        word = value.strip(_STOPS).lower()
        level = next((level for name, level in _CONFIDENCE.items() if word.startswith(name)), None)
        if key == "confidence":
            parts.confidence = level
        elif level is not None:
            parts.importance = _IMPORTANCE[level]
    elif key == "aliases":
        words = [word.strip() for word in _LIST.split(value.rstrip("。."))[:TAGS_MAX]]
        parts.aliases += [nfc(word) for word in words if word]
    elif key == "about":
        words = [word.strip() for word in _LIST.split(value.rstrip("。."))[:TAGS_MAX]]
        parts.about += [_pair(word) for word in words if word]
    elif value:
        parts.plain[key] = value[:-1] if value.endswith((")", "）")) and not _opened(value, meter) else value


def _opened(value: str, meter: Meter) -> bool:
    meter.steps += len(value)
    return "(" in value or "（" in value


def _pair(word: str) -> tuple[str, str]:
    key, equals, value = word.replace("＝", "=").partition("=")
    return (nfc(key.strip().lower()), nfc(value.strip())) if equals and key.strip() else ("about", nfc(word.strip()))


def _without_tail(value: str, parts: _Parts, meter: Meter) -> str:
    """Takes the run of `#tag` and `@about` off the end."""
    tags: list[str] = []
    about: list[tuple[str, str]] = []
    while len(tags) + len(about) < TAGS_MAX:
        whole = value.rstrip()
        if not tags and not about and whole.endswith(("。", ".", "！", "!")):
            whole = whole[:-1]
        token = _token_before(whole, len(whole), meter)
        if token is None:
            break
        start, sign, word = token
        head = whole[:start]
        if _WANTS_AN_OBJECT.search(head[-6:]) is not None:
            break
        if sign in "#＃":
            tags.append(nfc(word))
        else:
            about.append(_pair(word))
        value = head.rstrip(_JOINING if not head.rstrip().endswith("—") else " ")
    parts.tags += reversed(tags)
    parts.about += reversed(about)
    return value


def _token_before(text: str, end: int, meter: Meter) -> tuple[int, str, str] | None:
    """The `#word` or `@word` that ends at `end`, if it stands free of the word before it."""
    at = end
    while at > 0 and end - at <= TAG_CHARACTERS_MAX and text[at - 1] not in _STOPS:
        at -= 1
    meter.steps += end - at + 1
    word = text[at:end]
    if not word or at == 0 or text[at - 1] not in "#＃@＠" or word.isdigit() or end - at > TAG_CHARACTERS_MAX:
        return None
    before = text[at - 2 : at - 1] if at >= 2 else ""
    if before and ((before.isascii() and before.isalnum()) or before in "#＃@＠/"):
        return None
    return at - 1, text[at - 1], word


_SENTENCE_TAG = re.compile(
    rf"(?:(?<=[\s,，.。;；!！?？、(（“])|\A)[#＃]([^{re.escape(_STOPS)}]{{1,{TAG_CHARACTERS_MAX}}})"
)


def _sentence_tags(text: str, parts: _Parts, meter: Meter) -> None:
    """A `#tag` inside the sentence is a tag too, and its words stay."""
    at = 0
    while len(parts.tags) < TAGS_MAX and (found := meter.search(_SENTENCE_TAG, text, at)) is not None:
        at = found.end()
        if not found[1].isdigit():
            parts.tags.append(nfc(found[1]))


def _kind(text: str, meter: Meter) -> tuple[EntryKind, int]:
    """The kind its first words show, and how much of them was only the lead-in."""
    folded = meter.fold(text, 80)
    decided = meter.match(_DECIDED, folded)
    if decided is not None:
        end = meter.after_joint(text, decided.end())
        return EntryKind.DECISION, end if end < len(text) else 0
    if meter.match(_AGREED, folded) is not None:
        return EntryKind.DECISION, 0
    if meter.search(_PREFERS, folded) is not None:
        return EntryKind.PREFERENCE, 0
    return EntryKind.FACT, 0
