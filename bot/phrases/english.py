"""Questions in English, without a question mark to help, and what they are about.

"what a long day" and "when I sleep I dream" open like questions and are none: the word after decides."""

from __future__ import annotations

import re

from bot.phrases.scan import clauses

_LEADS = r"(?:(?:and|so|hey|hi|hello|ok|okay|but|please|well|then|also|btw|by the way|niannian|in \w{1,30}|quick question)[,:]? {1,3})"
_QUESTION = r"(?:what|when|where|who|whom|whose|which|how|why)"
_AUX = frozenset(
    "is are was were am do does did have has had can could will would should shall may might 's 're isn't aren't wasn't "
    "didn't don't doesn't haven't hasn't won't can't".split()
)
OPENS = re.compile(rf"{_LEADS}{{0,2}}(?:{_QUESTION}(?:'s|'re|'d)?|did|does|do|is|are|was|were|can|could|have|has) ")
_TOKEN = re.compile(r"[^\s,.;:!?…()\"“”]+(?:\.[^\s,.;:!?…()\"“”]+)*")
_PRONOUNS = frozenset(
    "i we you he she it they there anyone anybody someone everyone any the my our your this that these those a an".split()
)
_STATEMENT_AFTER = frozenset("a an the i we you he she they it if to about else".split())


def asks(folded: str) -> bool:
    if "\n" in folded:
        return False
    words = _words(folded, 0, len(folded))
    at = 0
    while at < len(words) and words[at][0] in _PREFACE:
        at += 1
    said = [word for word, _, _ in words[at : at + 9]]
    if len(said) < 2:
        return False
    if said[:2] == ["tell", "me"]:
        return len(said) > 2 and said[2] in {"what", "when", "where", "who", "which", "how", "why", "about"}
    first, second = said[0], said[1]
    if first in {"what's", "where's", "when's", "who's", "how's", "why's", "what're", "where're"}:
        return True
    if first in {"what", "when", "where", "why", "how", "who", "whom", "whose", "which"}:
        if second in _AUX:
            return not (first == "what" and second in {"is", "was"} and len(said) < 3)
        if first == "how":
            return second in {"many", "much", "often", "long", "far", "old", "big", "come"} and any(
                w in _AUX for w in said[2:]
            )
        if first == "who":
            return second not in _STATEMENT_AFTER and second not in {"knows", "cares"}
        return (
            first in {"what", "which", "whose"} and second not in _STATEMENT_AFTER and any(w in _AUX for w in said[2:])
        )
    if first in {"is", "are", "was", "were", "did", "does", "has"}:
        return len(said) > 2
    if first in {"do", "have", "had", "can", "could", "will", "would", "should", "am"}:
        return second in _PRONOUNS - {"the", "a", "an", "this", "that", "these", "those", "my", "our", "your"}
    return False


_PREFACE = frozenset("and so hey hi hello ok okay but please well then also niannian".split())
_PEEL_FIRST = _PREFACE | _AUX | frozenset(
    "what what's whats when when's where where's who who's whom whose which how how's why i we you they he she it there us me "
    "ever any anything some talk talked talking discuss discussed mention mentioned say said speak spoke tell told told decide decided "
    "decision decisions agree agreed know remember recall about on regarding concerning for of in to the a an my our your this that "
    "these those many much often long have had got get pick picked choose chose use used go with own owns been preference preferences "
    "prefer like hate or not".split()
)  # fmt: skip
_PEEL_LAST = _AUX | frozenset(
    "about on for of in at to from with ever again before yet now then start starts started begin begins end ends happen happens be "
    "been live stay i we you it they me us there decide decided agree agreed say said talk talked mention mentioned discuss discussed "
    "and or please again today yesterday tomorrow tonight last preference preferences stand kept located".split()
)  # fmt: skip
_DATE_TAIL = re.compile(
    r"(?:(?:^|\s)(?:(?:on|in|at|since|from|by) )?(?:(?:last|this|next|on|past) )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|(?:last|this|next|past) (?:week|weekend|month|year|time|night)|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|today|yesterday|tomorrow|right now|earlier|previously|(?:a|\d{1,3}) (?:days?|weeks?|months?|years?) ago"
    r"|\d{4}-\d{2}(?:-\d{2})?|\d{1,2}(?::\d{2})? ?[ap]m))\Z"
)
_ABOUT = frozenset({"about", "regarding", "concerning"})


def _words(folded: str, first: int, last: int) -> list[tuple[str, int, int]]:
    return [(found[0], found.start(), found.end()) for found in _TOKEN.finditer(folded, first, last)]


def topic(folded: str) -> tuple[int, int]:
    spans = clauses(folded)
    asking = [span for span in spans if asks(folded[slice(*span)])] or spans[-1:]
    rest = [span for span in spans if span not in asking]
    for span in asking + rest:
        words = _content(folded, _words(folded, *span))
        if words:
            return words[0][1], words[-1][2]
    return 0, 0


_Words = list[tuple[str, int, int]]


def _content(folded: str, words: _Words) -> _Words:
    at = 0
    while at < len(words) and words[at][0] in _PREFACE:
        at += 1
    words = words[at:]
    about = next((place for place, word in enumerate(words) if word[0] in _ABOUT), None)
    if about is not None:
        after = _peel(folded, words[about + 1 :])
        if after:
            return after
    if words and words[0][0] in {"what", "which", "whose", "how"}:
        aux = next((place for place, word in enumerate(words) if place > 0 and word[0] in _AUX), None)
        if aux is not None and aux > 1:
            return _peel(folded, words[aux + 1 :]) or _peel(folded, words[1:aux])
    return _peel(folded, words)


def _peel(folded: str, words: _Words) -> _Words:
    first, last = 0, len(words)
    while first < last and words[first][0] in _PEEL_FIRST:
        first += 1
    while first < last:
        start = max(words[first][1], words[last - 1][2] - 24)
        date = _DATE_TAIL.search(folded[start : words[last - 1][2]])
        if date is not None and start + date.start() >= words[first][1]:
            while first < last and words[last - 1][1] >= start + date.start():
                last -= 1
        elif words[last - 1][0] in _PEEL_LAST:
            last -= 1
        else:
            break
    return words[first:last]
