"""Secrets that a word announces: "password is …", 密钥：…, a recovery phrase, a long random string beside such a word."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from functools import cache

from bot.secret import MASK, Secret, SecretKind
from bot.secret_value import Values
from store.disguise import any_of


def _either(words: str) -> frozenset[str]:
    return frozenset(words.split("|"))


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
_VAGUE = frozenset({"_key", "_pw", "_auth"})
"""The end of a name in capitals: STRIPE_KEY holds a secret, CACHE_KEY does not."""
_VAGUE_CHARS_MIN = 12
_CUE_SIGNS = (
    *("pass", "pwd", "pin", "psk", "key", "token", "secret", "credential", "code", "auth", "_pw"),
    *("密", "口令", "令牌", "秘钥", "私钥", "码"),
)


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
_TAILS = (_TAIL % "", _TAIL % r" (?:for|of|on|at|to|in|from)(?: [^\s:=,.;!?•]{1,24}+){1,6}?")
_FOR_SIGNS = (" for ", " of ", " on ", " at ", " to ", " in ", " from ")
_NEXT = re.compile(r"\s{0,2}(?:,|/|、|;|or|and|或者|或|和|->|→|then)\s{0,2}")
_NOT_A = (
    *(" not a ", " not an ", " one-time ", " one time ", " verification ", " otp ", " hashed "),
    *("不是", "一次性", "动态", "短信"),
)
_GAP = re.compile("[ \"'`“「]{1,3}")
# What stands so close to a word may be a value of its own: 密码12ab34cd: and then another.
_JOINED = re.compile(r"[s_\d*\"'`\]】」]")
_OPENERS = frozenset("([{<")
# Nothing is a value without one of these, or a capital inside a word.
_HINT = re.compile(r"[0-9\"'`“「『*=!@#$%^&+~?|\\<>-]")
_HUMP = re.compile(r"[a-z](?=[A-Z])")
_HINT_CHARS = 320


@cache
def _cue() -> re.Pattern[str]:
    return re.compile(any_of([*_PASSWORD_WORDS, *_TOKEN_WORDS]))


def named_values(text: str, answered: set[int]) -> Iterator[Secret]:
    """Passes over the words that begin at `answered`, which have their value, and adds those that get one now."""
    lowered = text.lower()
    if not any(sign in lowered for sign in _CUE_SIGNS):
        return
    values = Values(text)
    tails = [re.compile(tail) for tail in (_TAILS if any(sign in lowered for sign in _FOR_SIGNS) else _TAILS[:1])]
    humps = _HUMP.search(text)
    done = hint = 0
    for cue in _cue().finditer(lowered):
        start, end = cue.span()
        if start < done or start in answered:
            continue
        if not humps:
            if hint < end:
                hint = ahead.start() if (ahead := _HINT.search(text, end)) else len(text) + _HINT_CHARS
            if hint >= end + _HINT_CHARS:
                continue
        before = " " + lowered[max(0, start - 16) : start]
        if before.endswith(_NOT_A) or (cue[0] in _WHOLE_WORDS and "a" <= before[-1] <= "z"):
            continue
        kind = SecretKind.PASSWORD if cue[0] in _PASSWORD_WORDS else SecretKind.TOKEN
        span = _after(values, lowered, cue, kind, tails)
        if span and not _JOINED.match(lowered, end):
            answered.add(start)
        while span:
            yield Secret(*span, kind)
            done = span[1]
            more = _NEXT.match(lowered, done)
            span = values.alone(more.end()) if more else None


def _after(
    values: Values, lowered: str, cue: re.Match[str], kind: SecretKind, tails: Iterable[re.Pattern[str]]
) -> tuple[int, int] | None:
    """The value that belongs to `cue`."""
    vague = cue[0] in _VAGUE
    for pattern in tails:
        tail = pattern.match(lowered, cue.end())
        if not tail:
            continue
        if lowered.startswith(MASK[0], tail.end()) and not _JOINED.match(lowered, cue.end()):
            return None
        assigned = bool(tail["assign"])
        span = values.announced(tail.end(), kind, assigned=assigned and not vague)
        if span and vague and (not assigned or span[1] - span[0] < _VAGUE_CHARS_MIN):
            return None
        if span or assigned:
            return span
    return None if vague else _bare(values, lowered, cue, kind)


def _bare(values: Values, lowered: str, cue: re.Match[str], kind: SecretKind) -> tuple[int, int] | None:
    """ "password hunter2", "PIN 4821", 密码Tulip-42."""
    at = cue.end()
    if gap := _GAP.match(lowered, at):
        at = gap.end()
    elif cue[0].isascii():
        return None
    if kind is SecretKind.PASSWORD and (number := values.number(at)):
        return number
    return None if cue[0] == "pin" or lowered[at : at + 1] in _OPENERS else values.alone(at)


_PHRASE_CUE = (
    r"(?:(?:seed|recovery|mnemonic|backup|wallet) ?(?:phrase|words|seed)|mnemonic"
    r"|助记词|恢复短语|恢复词|种子短语|种子词|备份词)"
    r"[\"'*)）]{0,3}+(?: ?[(（][^()（）•\n]{0,24}[)）])?\s{0,2}(?:is now|are now|is|are|was|[:=]|是|为)?"
    r"[:\s]{0,3}+[\"'`“「*]{0,3}+"
)
_WORD = r"[\s,、;]{0,3}(?:\d{1,2}[.、:)]? ?)?(?:[a-z]{3,8}(?![a-z•'])|[\u4e00-\u9fff](?=[\s,、]|\Z))"
_PHRASE_LENGTHS = (24, 21, 18, 15, 12)
_PHRASE_SIGNS = ("phrase", "words", "seed", "mnemonic", "助记词", "恢复", "种子", "备份词")


def recovery_phrases(text: str) -> Iterator[Secret]:
    lowered = text.lower()
    if not any(sign in lowered for sign in _PHRASE_SIGNS):
        return
    done = 0
    one_word = re.compile(_WORD)
    for cue in re.finditer(_PHRASE_CUE, lowered):
        if cue.start() < done:
            continue
        ends: list[int] = []
        at = cue.end()
        while len(ends) < _PHRASE_LENGTHS[0] and (word := one_word.match(lowered, at)):
            at = word.end()
            ends.append(at)
        if length := next((length for length in _PHRASE_LENGTHS if length <= len(ends)), 0):
            done = ends[length - 1]
            yield Secret(cue.end(), done, SecretKind.RECOVERY)


_BLOB = re.compile(r"(?<![A-Za-z0-9+/=_•-])[A-Za-z0-9+/=_-]{32,}+(?!•)")
_NEAR = re.compile(
    r"secret|token|password|credential|(?:api|access|private|signing|encryption)[ _-]?key|密钥|令牌|密码|口令|私钥"
)
_NEAR_SIGNS = ("secret", "token", "password", "credential", "key", "密钥", "令牌", "密码", "口令", "私钥")
_HARMLESS = re.compile(r"commit|sha|hash|checksum|digest|ssh-|ecdsa|public|提交|校验|公钥|指纹|fingerprint|://")
_NEAR_CHARS = 60
_CHAIN_CHARS = 4
_BITS_MIN = 3.3
_HEX = re.compile("[0-9a-f]+|[0-9A-F]+")


def random_beside_words(text: str) -> Iterator[Secret]:
    """`text` has its other secrets blanked; a mask ends what counts as beside."""
    lowered = text.lower()
    if not any(sign in lowered for sign in _NEAR_SIGNS):
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
