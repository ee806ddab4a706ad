"""Where a text holds a password, token, key, card or the like, so that it can be held back or masked before any write.

The scan reads the text as a person would (`store.taint.undisguise`) and answers with spans of the text as it was typed.
Two kinds of evidence: a shape that only a secret has (AKIA…, a PEM block, a card number that checks), or a word such as
password/密码 followed by something that looks like a *value* and not like a description of one.

What a newcomer would get wrong: a sentence about passwords is no secret (密码要每个月换), nor is a 暗号, a RefID,
a public key, or a lower-case word after "is". And no pattern may match across the mask `••••••`, or beside it where it
did not beside what was masked, so that masking twice changes nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from store.taint import any_of, undisguise

MASK = "••••••"
_ROUNDS_MAX = 4


def _either(words: str) -> frozenset[str]:
    return frozenset(words.split("|"))


class SecretKind(StrEnum):
    PASSWORD = "password"
    TOKEN = "token"
    PRIVATE_KEY = "private_key"
    RECOVERY = "recovery"
    CARD = "card"
    ID = "id"


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """Characters `start` to `end` (exclusive) of the text as it was given."""

    start: int
    end: int
    kind: SecretKind


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of `text` in the order they stand, none touching another's characters."""
    plain = undisguise(text)
    found = _in_plain(plain.text)
    return tuple(Secret(plain.origin[one.start], plain.origin[one.end - 1] + 1, one.kind) for one in found)


def mask(text: str) -> str:
    """`text` with each secret replaced by `••••••` and everything else as it was."""
    parts, at = [], 0
    for one in find_secrets(text):
        parts += [text[at : one.start], MASK]
        at = one.end
    return "".join((*parts, text[at:]))


def _in_plain(text: str) -> list[Secret]:
    """Looks again at what is left, until nothing more is found: one secret may have stood in another's way."""
    found: list[Secret] = []
    for _ in range(_ROUNDS_MAX):
        named = [*_keys(text), *_shapes(text), *_urls(text), *_numbers(text), *_named(text), *_phrases(text.lower())]
        more = _merged(named)
        text = _blanked(text, more)
        beside = _merged(list(_near_a_word(text)))
        if not more and not beside:
            break
        text = _blanked(text, beside)
        found += [*more, *beside]
    return sorted(found)


def _blanked(text: str, found: list[Secret]) -> str:
    parts, at = [], 0
    for one in found:
        parts += [text[at : one.start], MASK[0] * (one.end - one.start)]
        at = one.end
    return "".join((*parts, text[at:]))


def _merged(found: list[Secret]) -> list[Secret]:
    """Overlapping secrets as one; the first kind wins."""
    kept: list[Secret] = []
    for one in sorted(found):
        if kept and one.start < kept[-1].end:
            last = kept[-1]
            kept[-1] = Secret(last.start, max(last.end, one.end), last.kind)
        else:
            kept.append(one)
    return kept


# --- shapes that only secrets have ---

_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BODY_CHARS_MIN = 16
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=]{16,}+|[\s\\])++")

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
_VENDORS = re.compile(
    "|".join(rf"{start}(?<![A-Za-z0-9_.•-]{re.escape(start)}){rest}" for start, rest in _VENDOR_FORMS.items())
)
_TELEGRAM = re.compile(r":(?<=\d{8}:)[A-Za-z0-9_-]{35}(?![A-Za-z0-9_•-])")
_HOOK = re.compile(r"(?:hooks\.slack\.com/services/|/bot/v2/hook/)([A-Za-z0-9/_-]{16,})")
_GROUPS = re.compile(r"[0-9A-Z](?<![\w•-].)[0-9A-Z]{3,5}(?:-[0-9A-Z]{4,6}){3,15}(?:-[0-9A-Z]{2,3})?(?![\w•-])")
_URL = re.compile(r"://[^\s/:@•?#]{0,64}:([^\s/@•]{1,128})@")
_PLACEHOLDERS = _either(
    "password|passwd|pass|pwd|secret|token|key|xxx|xxxx|true|false|none|null|undefined|required|optional"
)


def _keys(text: str) -> Iterator[Secret]:
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


def _shapes(text: str) -> Iterator[Secret]:
    for found in _VENDORS.finditer(text):
        yield Secret(*found.span(), SecretKind.TOKEN)
    for found in _TELEGRAM.finditer(text):
        digits = re.search(r"\d{8,10}\Z", text[max(0, found.start() - 10) : found.start()])
        if digits and text[max(0, found.start() - 11) : found.start() - len(digits[0])][-1:] not in {*"0123456789•"}:
            yield Secret(found.start() - len(digits[0]), found.end(), SecretKind.TOKEN)
    for found in _HOOK.finditer(text):
        yield Secret(*found.span(1), SecretKind.TOKEN)
    for found in _GROUPS.finditer(text):
        if any(map(str.isdecimal, found[0])) and any(map(str.isalpha, found[0])):
            yield Secret(*found.span(), SecretKind.RECOVERY)


def _urls(text: str) -> Iterator[Secret]:
    for found in _URL.finditer(text):
        if found[1].lower() not in _PLACEHOLDERS and not found[1].startswith(("$", "<", "{", "*")):
            yield Secret(*found.span(1), SecretKind.PASSWORD)


# --- numbers that check ---

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


def _numbers(text: str) -> Iterator[Secret]:
    for found in _CHINESE_ID.finditer(text):
        digits = re.sub("[ -]", "", found[0]).upper()
        total = sum(int(digit) * weight for digit, weight in zip(digits[:17], _ID_WEIGHTS, strict=True))
        if "10X98765432"[total % 11] == digits[17]:
            yield Secret(*found.span(), SecretKind.ID)
    for found in _CARD.finditer(text):
        digits = re.sub("[ -]", "", found[0])
        if _CARD_STARTS.match(digits) and _luhn(digits):
            yield Secret(*found.span(), SecretKind.CARD)


_DOUBLED = {str(digit): sum(map(int, str(2 * digit))) for digit in range(10)}


def _luhn(digits: str) -> bool:
    total = sum(map(int, digits[::-2])) + sum(map(_DOUBLED.__getitem__, digits[-2::-2]))
    return total % 10 == 0 and len(set(digits)) > 1


# --- recovery phrases introduced as such ---

_PHRASE_CUE = re.compile(
    r"(?:(?:seed|recovery|mnemonic|backup|wallet) ?(?:phrase|words|seed)|mnemonic"
    r"|助记词|恢复短语|恢复词|种子短语|种子词|备份词)"
    r"[\"'*)）]{0,3}+(?: ?[(（][^()（）•\n]{0,24}[)）])?\s{0,2}(?:is now|are now|is|are|was|[:=]|是|为)?"
    r"[:\s]{0,3}+[\"'`“「*]{0,3}+"
)
_WORD = re.compile(r"[\s,、;]{0,3}(?:\d{1,2}[.、:)]? ?)?(?:[a-z]{3,8}(?![a-z•'])|[\u4e00-\u9fff](?=[\s,、]|\Z))")
_PHRASE_LENGTHS = (24, 21, 18, 15, 12)


def _phrases(lowered: str) -> Iterator[Secret]:
    done = 0
    for cue in _PHRASE_CUE.finditer(lowered):
        if cue.start() < done:
            continue
        ends: list[int] = []
        at = cue.end()
        while len(ends) < _PHRASE_LENGTHS[0] and (word := _WORD.match(lowered, at)):
            at = word.end()
            ends.append(at)
        if length := next((length for length in _PHRASE_LENGTHS if length <= len(ends)), 0):
            done = ends[length - 1]
            yield Secret(cue.end(), done, SecretKind.RECOVERY)


# --- a word, then a value ---

_PASSWORD_WORDS = _either(
    "password|pass word|passwd|passcode|pass code|passphrase|pass phrase|pwd|pin|pin code|psk|密码|口令"
)
_TOKEN_WORDS = _either("token|secret|credential|_key|_pw|_auth|密钥|秘钥|令牌|私钥|访问码|授权码").union(
    f"{whose}{joint}{what}"
    for whose in _either("api|app|secret|access|private|signing|encryption|client|license|bearer|recovery|service|auth")
    for joint in ("", " ", "_", "-")
    for what in _either("key|token|secret|code|access key|access_key")
)
_WHOLE_WORDS = frozenset({"pwd", "pin", "psk", "secret"})
_CUE = re.compile(any_of([*_PASSWORD_WORDS, *_TOKEN_WORDS]))
# From the end of the cue to the start of the value.
_TAIL = (
    r"(?:s|[_\d][a-z0-9_]{0,24}+)?+[\"'`*\]】」]{0,3}+"
    r"(?: ?[(（\[][^()（）\[\]•\n]{0,40}[)）\]])?"
    r"%s"
    r"\s{0,2}(?:"
    r"(?P<assign>=(?!=)|:=)"
    r"|(?:is|was|are|will be|has been|have been|'s|got|gets)"
    r"(?: (?:now|still|currently|just|again|set|changed|reset|rotated|to|simply)){0,3}(?: ?:)?(?=[\s\"'“])"
    r"|(?:now |set |changed |reset |rotated )?to(?=\s)|:|->|=>|→"
    r"|(?:现在|还|就|目前|仍然|已经|已|我|被|也|依然|暂时){0,2}"
    r"(?:是|为|叫|(?:改|换|设|设置|重置)[成为]|变成|设定为|更新为|定为|记成)了?(?: ?:)?"
    r")\s{0,3}"
)
# Straight on, or after "for the staging DB": in this order, for "change the password to X" has no such words.
_TAILS = (
    re.compile(_TAIL % ""),
    re.compile(_TAIL % r" (?:for|of|on|at|to|in|from)(?: [^\s:=,.;!?•]{1,24}+){1,6}?"),
)
_QUOTED = re.compile(r"[\"'`“「『*]{1,3}")
_CLOSERS = {'"': '"', "'": "'", "`": "`", "“": "”", "「": "」", "『": "』", "*": "*"}
_VALUE = re.compile(r"[^\s•\u3000-\u303f\u4e00-\u9fff\uff00-\uffef，。；！？、（）“”「」《》]{4,512}+")
_VALUE_CHARS_MIN, _STRICT_CHARS_MIN, _TOKEN_CHARS_MIN, _VALUE_CHARS_MAX = 4, 6, 8, 200
_OPENERS = frozenset("([{<")
_NEXT = re.compile(r"\s{0,2}(?:,|/|、|;|or|and|或者|或|和|->|→|then)\s{0,2}")
_NOT_A = (
    *(" not a ", " not an ", " one-time ", " one time ", " verification ", " otp ", " hashed "),
    *("不是", "一次性", "动态", "短信"),
)
_DESCRIBES = re.compile(
    r"\s?(?:加密|编码|格式|算法|生成|哈希|保护|管理|存|里|位|个|号|年|月|天|次|元|条|点|分钟|小时|的(?!$))"
)
_COMMON = re.compile(
    r"(?:1password|base\d\d|bcrypt|scrypt|argon2\w*|md5|sha-?\d*|utf-?\d*|oauth\d?|ldap|2fa|mfa|totp|x509"
    r"|rsa-?\d*|aes-?\d*\w*"
    r"|ed25519|x25519|ipv\d|http/?\d?|k8s|s3|tls1?\.?\d?|ssl|jwt|pbkdf2|hs256|rs256"
    r"|github|gitlab|lastpass|keepassx?c?|openid"
    r"|wifi|iphone|macbook|icloud|postgresql|mysql|mongodb|typescript|javascript|sqlite\d?|webauthn|youtube|linkedin|paypal"
    r"|openssl"
    r"|case-sensitive|utf8mb4|windows-?\d*|python-?[\d.]*|b\d{1,3}|v\d[\w.]*|gpt-?\w*|openssh|protonpass|macos|ios\d*|appid)"
    r"(?:[-/+][a-z]+)*",
    re.IGNORECASE,
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
    re.IGNORECASE,
)
_MONTHS = re.compile(r"(?:19|20)\d\d\Z")


def _named(text: str) -> Iterator[Secret]:
    lowered = text.lower()
    if not any(sign in lowered for sign in _CUE_SIGNS):
        return
    humps = _HUMP.search(text)
    done = 0
    for cue in _CUE.finditer(lowered):
        before = " " + lowered[max(0, cue.start() - 16) : cue.start()]
        if cue.start() < done or before.endswith(_NOT_A) or (cue[0] in _WHOLE_WORDS and "a" <= before[-1] <= "z"):
            continue
        if not humps and not _HINT.search(text, cue.end(), cue.end() + _HINT_CHARS):
            continue
        kind = SecretKind.PASSWORD if cue[0] in _PASSWORD_WORDS else SecretKind.TOKEN
        span = _after(text, lowered, cue, kind)
        while span:
            yield Secret(*span, kind)
            done = span[1]
            more = _NEXT.match(lowered, done)
            span = _strict(text, more.end()) if more else None


# Nothing is a value without one of these, or a capital inside a word.
_HINT = re.compile(r"[0-9\"'`“「『*=!@#$%^&+~?|\\<>-]")
_HUMP = re.compile(r"[a-z](?=[A-Z])")
_HINT_CHARS = 320


def _after(text: str, lowered: str, cue: re.Match[str], kind: SecretKind) -> tuple[int, int] | None:
    """The value that belongs to `cue`."""
    vague = cue[0] in _VAGUE
    for pattern in _TAILS:
        tail = pattern.match(lowered, cue.end())
        if not tail:
            continue
        assigned = bool(tail["assign"])
        span = _value(text, tail.end(), kind, assigned=assigned and not vague)
        if span and vague and (not assigned or span[1] - span[0] < _VAGUE_CHARS_MIN):
            return None
        if span or assigned:
            return span
    return None if vague else _bare(text, cue, kind)


_VAGUE = frozenset({"_key", "_pw", "_auth"})
"""The end of a name in capitals: STRIPE_KEY holds a secret, CACHE_KEY does not."""
_VAGUE_CHARS_MIN = 12
_CUE_SIGNS = (
    *("pass", "pwd", "pin", "psk", "key", "token", "secret", "credential", "code", "auth", "_pw"),
    *("密", "口令", "令牌", "秘钥", "私钥", "码"),
)


def _value(text: str, at: int, kind: SecretKind, *, assigned: bool) -> tuple[int, int] | None:
    """The value that starts at `at`, if it looks like one."""
    if opened := _QUOTED.match(text, at):
        closer = _CLOSERS[opened[0][-1]]
        end = text.find(closer, opened.end(), opened.end() + 200)
        inner = text[opened.end() : end] if end > 0 else ""
        if len(inner) >= _VALUE_CHARS_MIN and "\n" not in inner and "•" not in inner and not _NO_VALUE.fullmatch(inner):
            return opened.end(), end
        at = opened.end()
    found = _run(text, at)
    if not found:
        return None
    start, end = found
    value = text[start:end]
    if _looks_like_value(value, kind, assigned=assigned) and not _DESCRIBES.match(text, end):
        return found
    return None


def _run(text: str, at: int) -> tuple[int, int] | None:
    found = _VALUE.match(text, at)
    if not found:
        return None
    end = found.end()
    while end < len(text) and (longer := _VALUE.match(text, end)):
        end = longer.end()
    if text[end : end + 1] == "•":  # Half a secret beside a mask: it was judged whole the first time.
        return None
    while end > at and text[end - 1] in ".,;:)]}>\"'`*":
        end -= 1
    return (at, end) if end - at >= _VALUE_CHARS_MIN else None


def _looks_like_value(value: str, kind: SecretKind, *, assigned: bool) -> bool:
    if len(value) > _VALUE_CHARS_MAX:  # No description is that long without a space.
        return True
    lowered = value.lower()
    if value.isdecimal():
        return kind is SecretKind.PASSWORD and len(value) <= 32
    if _COMMON.fullmatch(value) or _NO_VALUE.fullmatch(value) or lowered in _PLACEHOLDERS:
        return False
    if assigned:
        return len(value) >= (_VALUE_CHARS_MIN if kind is SecretKind.PASSWORD else _STRICT_CHARS_MIN)
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdecimal, value))
    strong = sum(char in "!@#$%^&*+=~?|\\<>" for char in value)
    humps = sum(left.islower() and right.isupper() for left, right in pairwise(value))
    if kind is SecretKind.TOKEN and len(value) < _TOKEN_CHARS_MIN:
        return False
    return bool(
        (digits and (letters or strong))
        or (strong and letters)
        or humps
        or (value.count("-") >= 3 and len(value) >= 24)
    )


def _strict(text: str, at: int) -> tuple[int, int] | None:
    """A value that needs no introduction between it and the cue: letters and digits together."""
    found = _run(text, at)
    if not found:
        return None
    value = text[found[0] : found[1]]
    if value.islower() and value.isalpha():
        return None
    fits = len(value) >= _STRICT_CHARS_MIN and any(map(str.isdecimal, value)) and any(map(str.isalpha, value))
    fits = (
        fits and _looks_like_value(value, SecretKind.PASSWORD, assigned=False) and not _DESCRIBES.match(text, found[1])
    )
    return found if fits else None


def _bare(text: str, cue: re.Match[str], kind: SecretKind) -> tuple[int, int] | None:
    """ "password hunter2", "PIN 4821", 密码Tulip-42."""
    at = cue.end()
    while at < min(len(text), cue.end() + 3) and text[at] in " \"'`“「":
        at += 1
    if at == cue.end() and cue[0].isascii():
        return None
    if kind is SecretKind.PASSWORD and (number := _run(text, at)):
        value = text[number[0] : number[1]]
        if value.isdecimal() and not _MONTHS.match(value) and not _DESCRIBES.match(text, number[1]):
            return number
    return None if cue[0] == "pin" or text[at : at + 1] in _OPENERS else _strict(text, at)


# --- long random strings beside a secret word ---

_BLOB = re.compile(r"(?<![A-Za-z0-9+/=_•-])[A-Za-z0-9+/=_-]{32,}+(?!•)")
_NEAR = re.compile(
    r"secret|token|password|credential|(?:api|access|private|signing|encryption)[ _-]?key|密钥|令牌|密码|口令|私钥"
)
_HARMLESS = re.compile(r"commit|sha|hash|checksum|digest|ssh-|ecdsa|public|提交|校验|公钥|指纹|fingerprint|://")
_NEAR_CHARS = 60
_CHAIN_CHARS = 4
_BITS_MIN = 3.3
_HEX = re.compile("[0-9a-f]+|[0-9A-F]+")


def _near_a_word(text: str) -> Iterator[Secret]:
    """`text` has its other secrets blanked; a mask ends what counts as beside."""
    lowered = text.lower()
    if not _NEAR.search(lowered):
        return
    chained = -_NEAR_CHARS
    for found in _BLOB.finditer(text):
        words = lowered[max(0, found.start() - _NEAR_CHARS) : found.start()]
        words = words[max(words.rfind("\n"), words.rfind("•")) + 1 :]
        near = _NEAR.search(words) and not _HARMLESS.search(words)
        if (near or found.start() - chained <= _CHAIN_CHARS) and _random(found[0]):
            chained = found.end()
            yield Secret(*found.span(), SecretKind.TOKEN)


def _random(blob: str) -> bool:
    """Letters and digits, not words; short of that a path or an identifier would do."""
    if not any(map(str.isdecimal, blob)) or not (_HEX.fullmatch(blob) or blob.lower() != blob != blob.upper()):
        return False
    shares = [blob.count(char) / len(blob) for char in set(blob)]
    return -sum(share * math.log2(share) for share in shares) >= _BITS_MIN
