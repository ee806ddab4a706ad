"""Secrets that show by their shape alone: key blocks, vendors' tokens, passwords in addresses, numbers that check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from operator import mul

from bot.secret import Secret, SecretKind
from bot.secret_value import PLACEHOLDERS

_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BODY_CHARS_MIN = 16
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=]{16,}+|[\s\\])++")


def keys(text: str) -> Iterator[Secret]:
    at, closed = 0, True
    while head := _PEM.search(text, at):
        tail = _PEM_END.search(text, head.end()) if closed else None
        closed = tail is not None
        at = head.end()
        if tail:
            at = tail.end()
        elif (body := _PEM_BODY.match(text, at)) and len(body[0].strip()) >= _BODY_CHARS_MIN:
            at += len(body[0].rstrip())  # Cut off: whatever still looks like a key's body.
        else:
            continue  # A header alone is talk about keys.
        yield Secret(head.start(), at, SecretKind.PRIVATE_KEY)


# Beginning → the rest. The look-behind stands after the beginning, which lets the search leap from one to the next;
# it refuses a beginning inside a run of such characters, so one run is read once.
_VENDOR_FORMS = {
    "AKIA": r"[0-9A-Z]{16}(?![0-9A-Z])",
    "ASIA": r"[0-9A-Z]{16}(?![0-9A-Z])",
    "gh": r"[pousr]_[A-Za-z0-9]{16,}+",
    "github_pat_": r"[A-Za-z0-9_]{20,}+",
    "glpat-": r"[A-Za-z0-9_-]{16,}+",
    "sk": r"[-_](?:(?:proj|ant|live|test|or)[-_])?(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_-]{16,}+",
    "rk": r"_(?:live|test)_[A-Za-z0-9]{16,}+",
    "tok_": r"(?:live|test)_[A-Za-z0-9]{8,}+",
    "xox": r"[abeoprs]-[A-Za-z0-9-]{10,}+",
    "xapp-": r"[A-Za-z0-9-]{16,}+",
    "eyJ": r"[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?",
    "AIza": r"[A-Za-z0-9_-]{35}",
    "ya29": r"\.[A-Za-z0-9_-]{20,}+",
    "GOCSPX-": r"[A-Za-z0-9_-]{20,}+",
    "npm_": r"[A-Za-z0-9]{30,}+",
    "pypi-": r"[A-Za-z0-9_-]{20,}+",
    "hf_": r"[A-Za-z0-9]{24,}+",
    "dop_v1_": r"[a-f0-9]{40,}+",
    "shp": r"(?:at|ss)_[a-fA-F0-9]{24,}+",
    "SG": r"\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+",
    "AGE-SECRET-KEY-1": r"[0-9A-Z]{40,}+",
    "LTAI": r"[A-Za-z0-9]{12,24}(?![A-Za-z0-9])",
    "AKID": r"[A-Za-z0-9]{32}(?![A-Za-z0-9])",
}
_TELEGRAM = re.compile(r":(?<=\d{8}:)[A-Za-z0-9_-]{35}(?![A-Za-z0-9_•-])")
_HOOK_SIGNS = ("hooks.slack.com/services/", "/bot/v2/hook/")
_HOOK = re.compile(r"(?:hooks\.slack\.com/services/|/bot/v2/hook/)([A-Za-z0-9/_-]{16,})")
_GROUPS = re.compile(r"[0-9A-Z](?<![\w•-].)[0-9A-Z]{3,5}(?:-[0-9A-Z]{4,6}){3,15}(?:-[0-9A-Z]{2,3})?(?![\w•-])")
_URL = re.compile(r"://[^\s/:@•?#]{0,64}:([^\s/@•]{1,128})@")


@cache
def _vendor(start: str) -> re.Pattern[str]:
    return re.compile(rf"{start}(?<![A-Za-z0-9_.•-]{re.escape(start)}){_VENDOR_FORMS[start]}")


def tokens(text: str) -> Iterator[Secret]:
    for start in _VENDOR_FORMS:
        if start in text:
            for found in _vendor(start).finditer(text):
                yield Secret(*found.span(), SecretKind.TOKEN)
    for found in _TELEGRAM.finditer(text):
        digits = re.search(r"\d{8,10}\Z", text[max(0, found.start() - 10) : found.start()])
        if digits and text[max(0, found.start() - 11) : found.start() - len(digits[0])][-1:] not in {*"0123456789•"}:
            yield Secret(found.start() - len(digits[0]), found.end(), SecretKind.TOKEN)
    if any(sign in text for sign in _HOOK_SIGNS):
        for found in _HOOK.finditer(text):
            yield Secret(*found.span(1), SecretKind.TOKEN)
    for found in _GROUPS.finditer(text):
        if any(map(str.isdecimal, found[0])) and any(map(str.isalpha, found[0])):
            yield Secret(*found.span(), SecretKind.RECOVERY)


def passwords_in_urls(text: str) -> Iterator[Secret]:
    for found in _URL.finditer(text):
        if found[1].lower() not in PLACEHOLDERS and not found[1].startswith(("$", "<", "{", "*")):
            yield Secret(*found.span(1), SecretKind.PASSWORD)


_CARD = re.compile(
    r"[2-9](?<![\w.•-].)"
    r"(?:\d{12,18}|\d{3}([ -])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{3}([ -])\d{6}\2\d{4,5}|\d{5}[ -]\d{10,13})"
    r"(?![\w•]|[.-]\d)"
)
_CARD_STARTS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})\Z|(?:5[1-5]|2[2-7])\d{14}\Z|3[47]\d{13}\Z|(?:6011|64[4-9]\d|65\d\d|9558)\d{12,15}\Z"
    r"|35(?:2[89]|[3-8]\d)\d{12}\Z|3(?:0[0-5]|[689]\d)\d{11}\Z|(?:62|81)\d{14,17}\Z|(?:5[06-8]|6[0378])\d{14,17}\Z"
)
_CHINESE_ID = re.compile(
    r"[1-9](?<![\w•].)\d{5}[ -]?(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[ -]?\d{3}[\dXx](?![\w•])"
)
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def numbers(text: str) -> Iterator[Secret]:
    for found in _CHINESE_ID.finditer(text):
        digits = found[0].replace(" ", "").replace("-", "").upper()
        total = sum(map(mul, map(int, digits[:17]), _ID_WEIGHTS))
        if "10X98765432"[total % 11] == digits[17]:
            yield Secret(*found.span(), SecretKind.ID)
    for found in _CARD.finditer(text):
        digits = found[0].replace(" ", "").replace("-", "")
        if _CARD_STARTS.match(digits) and _luhn(digits):
            yield Secret(*found.span(), SecretKind.CARD)


_DOUBLED = {str(digit): sum(map(int, str(2 * digit))) for digit in range(10)}


def _luhn(digits: str) -> bool:
    total = sum(map(int, digits[::-2])) + sum(map(_DOUBLED.__getitem__, digits[-2::-2]))
    return total % 10 == 0 and len(set(digits)) > 1
