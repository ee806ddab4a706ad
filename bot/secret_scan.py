"""Where a text holds a password, token, key, card or the like, so that it can be held back or masked before any write.

The scan reads the text as a person would (`store.disguise.undisguise`) and answers with spans of the text as it was typed.
Two kinds of evidence: a shape that only a secret has (`secret_shapes`: AKIA…, a PEM block, a card number that checks),
or a word such as password/密码 (`secret_named`) followed by something that looks like a *value* (`secret_value`) and not
like a description of one.

What a newcomer would get wrong: a sentence about passwords is no secret (密码要每个月换), nor is a 暗号, a RefID,
a public key, or a lower-case word after "is". And no pattern may match across the mask `••••••`, or beside it where it
did not beside what was masked, so that masking twice changes nothing.
"""

from __future__ import annotations

from operator import attrgetter

from bot.secret import MASK, Secret, SecretKind
from bot.secret_named import named_values, random_beside_words, recovery_phrases
from bot.secret_shapes import keys, numbers, passwords_in_urls, tokens
from store.disguise import undisguise

__all__ = ["MASK", "Secret", "SecretKind", "find_secrets", "mask"]

_ROUNDS_MAX = 4
_PLACE = attrgetter("start", "end", "kind")


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of `text` in the order they stand, none touching another's characters."""
    plain = undisguise(text)
    found = _in_plain(plain.text)
    return tuple(Secret(plain.origin[one.start], plain.origin[one.end - 1] + 1, one.kind) for one in found)


def mask(text: str) -> str:
    """`text` with each secret replaced by `••••••` and everything else as it was; the very text when there is none."""
    parts, at = [], 0
    for one in find_secrets(text):
        parts += [text[at : one.start], MASK]
        at = one.end
    return "".join((*parts, text[at:]))


def _in_plain(text: str) -> list[Secret]:
    """Looks again at what is left, until nothing more is found: one secret may have stood in another's way."""
    found: list[Secret] = []
    answered: set[int] = set()
    for _ in range(_ROUNDS_MAX):
        more = _merged(
            [
                *keys(text),
                *tokens(text),
                *passwords_in_urls(text),
                *numbers(text),
                *named_values(text, answered),
                *recovery_phrases(text),
            ]
        )
        text = _blanked(text, more)
        beside = _merged(list(random_beside_words(text)))
        if not more and not beside:
            break
        text = _blanked(text, beside)
        found += [*more, *beside]
    return sorted(found, key=_PLACE)


def _blanked(text: str, found: list[Secret]) -> str:
    parts, at = [], 0
    for one in found:
        parts += [text[at : one.start], MASK[0] * (one.end - one.start)]
        at = one.end
    return "".join((*parts, text[at:]))


def _merged(found: list[Secret]) -> list[Secret]:
    """Overlapping secrets as one; the first kind wins."""
    kept: list[Secret] = []
    for one in sorted(found, key=_PLACE):
        if kept and one.start < kept[-1].end:
            last = kept[-1]
            kept[-1] = Secret(last.start, max(last.end, one.end), last.kind)
        else:
            kept.append(one)
    return kept
