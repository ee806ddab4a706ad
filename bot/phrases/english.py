"""Questions in English, without a question mark to help, and what they are about.

"what a long day" and "when I sleep I dream" open like questions and are none: the word after decides."""

from __future__ import annotations

import re
from itertools import pairwise

from bot.phrases.scan import clauses

_Words = list[tuple[str, int, int]]
_LEADS = r"(?:(?:and|so|hey|hi|hello|ok|okay|but|please|well|then|also|btw|by the way|niannian|in \w{1,30}|quick question)[,:]? {1,3})"
_QUESTION = r"(?:what|when|where|who|whom|whose|which|how|why)"
_AUX = frozenset(
    "is are was were am do does did have has had can could will would should shall may might must 's 're isn't aren't wasn't "
    "didn't don't doesn't haven't hasn't won't can't".split()
)
OPENS = re.compile(rf"{_LEADS}{{0,2}}(?:{_QUESTION}(?:'s|'re|'d)?|did|does|do|is|are|was|were|can|could|have|has) ")
_TOKEN = re.compile(r"[^\s,.;:!?…()\"“”]+(?:\.[^\s,.;:!?…()\"“”]+)*")
_PRONOUNS = frozenset(
    "i we you he she it they there anyone anybody someone everyone any the my our your this that these those a an".split()
)
_SUBJECTS = _PRONOUNS - frozenset("the my our your this that these those a an".split())
_STATEMENT_AFTER = frozenset("a an the i we you he she they it if to about else".split())


def asks(folded: str) -> bool:
    if "\n" in folded:
        return False
    bare = folded.rstrip(" .!~")
    if _PAST_DAY.match(bare) or _REASON.match(bare):
        return True
    if _asks(_words(folded, 0, len(folded))):
        return True
    spans = clauses(folded)
    return 1 < len(spans) <= _CLAUSES_MAX and _asks_behind(_words(folded, *spans[-1]))


def _asks(words: _Words) -> bool:
    at = 0
    while at < len(words) and words[at][0] in _PREFACE:
        at += 1
    said = [word for word, _, _ in words[at : at + 9]]
    if len(said) < 2:
        return False
    if said[:2] == ["tell", "me"]:
        return len(said) > 2 and (said[2] in _ABOUT_WHAT or said[2] == "about")
    first, second = said[0], said[1]
    if first == "any" and second in {"idea", "clue"}:
        return len(said) > 3 and said[2] in _ABOUT_WHAT | {"about", "of", "on", "if", "whether"}
    if first in _BEFORE_WHAT and second in _ABOUT_WHAT:
        return _asks_until_when(said)
    if first in {"what's", "where's", "when's", "who's", "how's", "why's", "what're", "where're"}:
        return True
    if first in _ABOUT_WHAT:
        return _asks_what(said)
    if first in {"is", "are", "was", "were", "did", "does", "has"}:
        return len(said) > 2
    if first in {"do", "have"} and second == "it":
        return False
    return first in {"do", "have", "had", "can", "could", "will", "would", "should", "am"} and second in _SUBJECTS


def _asks_until_when(said: list[str]) -> bool:
    """Until when is the room booked; "in what was once a farm" tells."""
    _, word, *behind = said
    if word == "what" and behind[:1] in (["is"], ["was"]):
        return False
    return any(one in _AUX for one in (behind[:1] if word == "when" else behind))


def _asks_what(said: list[str]) -> bool:
    first, second, *rest = said
    has_verb = any(word in _AUX for word in rest)
    if second in _AUX:
        if first == "which" and second in _BE:
            return rest[:1] != [] and rest[0] in _PRONOUNS
        return not (first == "what" and second in {"is", "was"} and not rest)
    match first:
        case "how":
            if second in {"much", "many"} and len(rest) > 1 and rest[0] not in _STATEMENT_AFTER | {"times"}:
                return True
            if second in {"many", "much", "often", "long", "far", "old", "big", "come"}:
                return has_verb
            return any(word in _AUX - _BE and then in _PRONOUNS for word, then in pairwise(rest))
        case "why":
            return second not in _STATEMENT_AFTER | _TALK_AFTER_WHY and not has_verb
        case "who":
            return second not in _STATEMENT_AFTER and second not in {"knows", "cares"}
        case "what" if second == "about":
            return bool(rest)
        case "what" if second in {"happened", "happens", "came", "changed", "broke", "caused"}:
            return bool(rest) and not has_verb
        case "which" if len(rest) > 1 and rest[0].endswith("s") and not second.endswith("s"):
            return True  # which client insists; not: which reminds me
        case "what" | "which" | "whose":
            return second not in _STATEMENT_AFTER and has_verb
    return False


def _asks_behind(words: _Words) -> bool:
    """A clause behind a statement: "…, which was great" belongs to it and "…, isn't it" only seeks a nod."""
    said = [word for word, _, _ in words[:2]]
    if len(words) < 3:
        return len(words) == 2 and said[0] == "which" and said[1] not in _AUX | _STATEMENT_AFTER and said[1][-1] != "s"
    if said[0] in {"who", "which", "whose"} and said[1] in _AUX:
        return False
    if said[0] in _BE | {"do", "did", "does", "have"}:
        return said[1] in _SUBJECTS
    return said[0] in _ABOUT_WHAT and _asks(words)


_ABOUT_WHAT = frozenset("what when where who whom whose which how why".split())
_BEFORE_WHAT = frozenset("until till since by from in on at for with to of about under".split())
_TALK_AFTER_WHY = frozenset(
    "not bother me us so oh thank thanks on yes no-one worry wait hello though that this ever of".split()
)
_BE = frozenset("is are was were 's 're".split())
_CLAUSES_MAX = 3
_PREFACE = frozenset("and so hey hi hello ok okay but please well then also niannian".split())
_PEEL_FIRST = _PREFACE | _AUX | frozenset(
    "what what's whats when when's where where's who who's whom whose which how how's why i we you they he she it there us me "
    "ever any anything some talk talked talking discuss discussed mention mentioned say said speak spoke tell told told decide decided "
    "decision decisions agree agreed know remember recall about on regarding concerning for of in to the a an my our your this that "
    "these those many much often long happened happens have had got get pick picked choose chose use used go with own owns been preference preferences "
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
_SAID_LAST = frozenset("note noted write wrote written down save saved record recorded log logged".split())
""" "what did Tom note" is about Tom, "where is my note" about the note."""
_REASON = re.compile(
    r"(?:the )?(?:main |real |only )?reasons? (?:for|behind|we|why) (?![^,;.]{0,80}\b(?:is|are|was|were)\b)\S"
)
_PAST_DAY = re.compile(
    r"(?:yesterday|the day before yesterday|last (?:night|week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\Z"
)


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
    if [word for word, _, _ in words[:2]] in (["any", "idea"], ["any", "clue"]):
        words = words[2:]
    if len(words) > 2 and words[0][0] == "what" and words[1][0] in {"did", "do", "does", "have", "has", "had"}:
        words = _without_date(folded, words)
        while len(words) > 2 and words[-1][0] in _SAID_LAST:
            words = words[:-1]
    if words and words[0][0] in {"what", "which", "whose", "how"}:
        aux = next((place for place, word in enumerate(words) if place > 0 and word[0] in _AUX), None)
        if aux is not None and aux > 1:
            return _peel(folded, words[aux + 1 :]) or _peel(folded, words[1:aux])
    return _peel(folded, words)


def _without_date(folded: str, words: _Words) -> _Words:
    if not words:
        return words
    start = max(words[0][1], words[-1][2] - 24)
    date = _DATE_TAIL.search(folded[start : words[-1][2]])
    if date is None:
        return words
    return [word for word in words if word[1] < start + date.start()]


def _peel(folded: str, words: _Words) -> _Words:
    first, last = 0, len(words)
    while first < last and words[first][0] in _PEEL_FIRST:
        first += 1
    while first < last:
        kept = len(_without_date(folded, words[first:last]))
        if kept < last - first:
            last = first + kept
        elif words[last - 1][0] in _PEEL_LAST:
            last -= 1
        else:
            break
    return words[first:last]
