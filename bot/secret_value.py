"""What looks like the value of a password or token, and not like a description, a date, a path or a product's name.

How much it takes depends on what stands before it: behind `=` nearly anything is a value, behind "is" it needs digits
among letters, a sign, or capitals inside; with nothing between letters and digits together.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from bot.secret import SecretKind

PLACEHOLDERS = frozenset(
    "password|passwd|pass|pwd|secret|token|key|xxx|xxxx|true|false|none|null|undefined|required|optional".split("|")
)
"""What examples hold where a secret would stand."""

_QUOTED = re.compile(r"[\"'`“「『*]{1,3}")
_CLOSERS = {'"': '"', "'": "'", "`": "`", "“": "”", "「": "」", "『": "』", "*": "*"}
_VALUE_CHARS_MIN, _STRICT_CHARS_MIN, _TOKEN_CHARS_MIN = 4, 6, 8
_VALUE_CHARS_MAX, _NUMBER_CHARS_MAX = 200, 32
_YEAR = re.compile(r"(?:19|20)\d\d")
_DESCRIBES = re.compile(
    r"\s?(?:加密|编码|格式|算法|生成|哈希|保护|管理|存|里|位|个|号|年|月|天|次|元|条|点|分钟|小时|的(?!$))"
)
# Both look at small letters.
_COMMON = re.compile(
    r"(?:1password|base\d\d|bcrypt|scrypt|argon2\w*|md5|sha-?\d*|utf-?\d*|oauth\d?|ldap|2fa|mfa|totp|x509"
    r"|rsa-?\d*|aes-?\d*\w*"
    r"|ed25519|x25519|ipv\d|http/?\d?|k8s|s3|tls1?\.?\d?|ssl|jwt|pbkdf2|hs256|rs256"
    r"|github|gitlab|lastpass|keepassx?c?|openid"
    r"|wifi|iphone|macbook|icloud|postgresql|mysql|mongodb|typescript|javascript|sqlite\d?|webauthn|youtube|linkedin|paypal"
    r"|openssl"
    r"|case-sensitive|utf8mb4|windows-?\d*|python-?[\d.]*|b\d{1,3}|v\d[\w.]*|gpt-?\w*|openssh|protonpass|macos|ios\d*|appid)"
    r"(?:[-/+][a-z]+)*",
)
_NO_VALUE = re.compile(
    r"[dt]-\d{4,8}-\w[\w-]*|auto-\d{8}-\d+|[qpr]-\d{4,8}-\d+"  # RefIDs
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}:\d{2}(?::\d{2})?|v?\d+(?:\.\d+)+|[$¥€£]?\d[\d,]*(?:\.\d+)?[%kmw]?"  # dates, prices
    r"|\d+[-–~]\d+|\+?\d+\+?"
    r"|\d+-(?:char|digit|bit|day|hour|min|month|word|letter|year)\w*|\d+(?:st|nd|rd|th|days?|h|min|bits?)"
    r"|(?:https?|file)://\S*|[\w.+-]+@[\w-]+\.[a-z]{2,}"
    r"|[~./]?[\w.-]*/[\w./#-]*\.(?:md|txt|py|toml|json|ya?ml|env|ini|pem|kdbx|html)\S*"
    r"|[\w-]+\.(?:md|txt|py|toml|json|ya?ml|env|ini|pem|kdbx|html)"
    r"|\$[{(].*|\$[a-z_]+|[<{].*|%\w+%|\*+|x{3,}|\.{3,}|[a-z_]+(?:\.[a-z_]+)+(?:[(\[].*)?|[a-z_]\w*\(.*"
    r"|your[_-].*|n/a|[a-z]+(?:'s|s')|#\d+|@\w+",
)


_RUN = re.compile(r"[^\s•\u3000-\u303f\u4e00-\u9fff\uff00-\uffef，。；！？、（）“”「」《》]++")
_AFTER_RUN = ".,;:)]}>\"'`*"
_DIGITS = re.compile(r"\d++")
_STRONG = frozenset("!@#$%^&*+=~?|\\<>")


class Values:
    """Reads the values of one text. An unbroken run of characters is measured once, whatever number of words stands
    in it: without that, 64 KiB of `password"` took seconds.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = self._trimmed = 0
        self._last_digit = self._last_letter = -1

    def announced(self, at: int, kind: SecretKind, *, assigned: bool) -> tuple[int, int] | None:
        """The value that starts at `at` behind "is" or `=`, if it looks like one."""
        text = self._text
        if opened := _QUOTED.match(text, at):
            at = opened.end()
            end = text.find(_CLOSERS[opened[0][-1]], at, at + _VALUE_CHARS_MAX)
            inner = text[at:end] if end > 0 else ""
            if (
                len(inner) >= _VALUE_CHARS_MIN
                and "\n" not in inner
                and "•" not in inner
                and not _NO_VALUE.fullmatch(inner.lower())
            ):
                return at, end
        end = self._run(at)
        if not end or _DESCRIBES.match(text, end):
            return None
        # No description is longer than that without a space.
        long = end - at > _VALUE_CHARS_MAX
        return (at, end) if long or _looks_like_value(text[at:end], kind, assigned=assigned) else None

    def alone(self, at: int) -> tuple[int, int] | None:
        """A value that needs nothing between it and the word: letters and digits together."""
        end = self._run(at)
        if end - at < _STRICT_CHARS_MIN or not self._mixed(at, end):
            return None
        long = end - at > _VALUE_CHARS_MAX
        fits = long or _looks_like_value(self._text[at:end], SecretKind.PASSWORD, assigned=False)
        return (at, end) if fits and not _DESCRIBES.match(self._text, end) else None

    def number(self, at: int) -> tuple[int, int] | None:
        """Digits and nothing else, but no year."""
        digits = _DIGITS.match(self._text, at)
        if not digits or digits.end() - at < _VALUE_CHARS_MIN or digits.end() != self._run(at):
            return None
        if _YEAR.fullmatch(digits[0]):
            return None
        return None if _DESCRIBES.match(self._text, digits.end()) else digits.span()

    def _run(self, at: int) -> int:
        """Where the value that begins at `at` ends; 0 when too little stands there."""
        if not self._start <= at < self._end:
            found = _RUN.match(self._text, at)
            if not found:
                return 0
            self._start, self._end = found.span()
            self._trimmed = at + len(found[0].rstrip(_AFTER_RUN))
            if self._text[self._end : self._end + 1] == "•":  # Half a secret beside a mask: it was judged whole before.
                self._trimmed = 0
            self._last_digit = self._last_letter = -1
        return self._trimmed if self._trimmed - at >= _VALUE_CHARS_MIN else 0

    def _mixed(self, at: int, end: int) -> bool:
        """Whether a digit and a letter stand there. They are looked for from the end, once for the whole run."""
        if end - at <= _VALUE_CHARS_MAX:
            value = self._text[at:end]
            return any(map(str.isdecimal, value)) and any(map(str.isalpha, value))
        if self._last_digit < 0:
            self._last_digit = self._last(str.isdecimal, end)
            self._last_letter = self._last(str.isalpha, end)
        return self._last_digit >= at and self._last_letter >= at

    def _last(self, fits: Callable[[str], bool], end: int) -> int:
        return next((place for place in range(end - 1, self._start - 1, -1) if fits(self._text[place])), 0)


def _looks_like_value(value: str, kind: SecretKind, *, assigned: bool) -> bool:
    if value.isdecimal():
        return kind is SecretKind.PASSWORD and len(value) <= _NUMBER_CHARS_MAX
    lowered = value.lower()
    if lowered in PLACEHOLDERS or _COMMON.fullmatch(lowered) or _NO_VALUE.fullmatch(lowered):
        return False
    if assigned:
        return len(value) >= (_VALUE_CHARS_MIN if kind is SecretKind.PASSWORD else _STRICT_CHARS_MIN)
    if kind is SecretKind.TOKEN and len(value) < _TOKEN_CHARS_MIN:
        return False
    letters, strong = any(map(str.isalpha, value)), not _STRONG.isdisjoint(value)
    if (letters and strong) or ((letters or strong) and any(map(str.isdecimal, value))):
        return True
    if value != lowered and any(left.islower() and right.isupper() for left, right in pairwise(value)):
        return True
    return value.count("-") >= 3 and len(value) >= 24
