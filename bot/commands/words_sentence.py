"""A sentence around a word, with the word left out: the person's own if there is one, else the card's example.

No card keeps a sentence of a person: it is looked up when it is shown, so what is forgotten is on no card any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.secret import MASK
from store.model import Entry, EntryKind, Origin
from store.occurrences import occurrences
from store.sentences import sentence_ends
from store.view import View

GAP = "______"
WORDS_MIN, WORDS_MAX = 4, 25
"""A shorter one says nothing about the word, a longer one is no sentence for a card."""
LOOKED_AT_MAX = 60
"""Newest places that are read for one card."""
_TOKEN = re.compile(r"[^\W\u3400-\u9fff]+(?:['’\-][^\W\u3400-\u9fff]+)*|[\u3400-\u9fff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_HAN_A_WORD = 2
"""Chinese characters that weigh as much as one word."""
_ORIGINS = (Origin.SAID, Origin.CONFIRMED, Origin.IMPORTED)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` with the word in it; `spans`: where it stands there, in any form. `entry`: where it was said, if it was."""

    text: str
    spans: tuple[tuple[int, int], ...]
    entry: Entry | None = None

    def with_gap(self, *, first_letter: bool = False) -> str:
        """The word left out, or only its first letter shown."""
        shown, at = "", 0
        for start, end in self.spans:
            shown += self.text[at:start] + (self.text[start] if first_letter else "") + GAP
            at = end
        return shown + self.text[at:]

    def around_gap(self, most: int, *, first_letter: bool = False) -> str:
        """The same, at most about so many characters: what is cut off at either end is never the gap."""
        shown = self.with_gap(first_letter=first_letter)
        if len(shown) <= most:
            return shown
        gap = shown.index(GAP)
        start = max(0, min(gap - most // 2, len(shown) - most))
        start = 0 if start == 0 else _next_space(shown, start, gap)
        end = min(len(shown), start + most)
        end = end if end == len(shown) else max(gap + len(GAP), shown.rfind(" ", 0, end))
        return ("…" if start else "") + shown[start:end].strip() + ("…" if end < len(shown) else "")


def _next_space(text: str, start: int, before: int) -> int:
    """Behind the next space, so that no word is cut, unless the gap comes first."""
    space = text.find(" ", start)
    return space + 1 if 0 <= space < before else start


def own_sentence(view: View, word: str, forms: Sequence[str]) -> Sentence | None:
    """The newest fitting sentence of the person's own current entries, with the word as it is spelled if any has it."""
    other: Sentence | None = None
    for entry in _entries(view, word):
        if not _may_be_shown(entry):
            continue
        for exact, wanted in ((True, (word,)), (False, forms)):
            found = next(_sentences(entry.draft.text, wanted), None)
            if found is None:
                continue
            sentence = Sentence(found.text, found.spans, entry)
            if exact:
                return sentence
            other = other or sentence
    return other


def example_sentence(example: str, word: str, forms: Sequence[str]) -> Sentence | None:
    """The first sentence of a card's own example in which the word stands; however long."""
    return next(_sentences(example, (word, *forms), fitting=False), None)


def _entries(view: View, word: str) -> Iterator[Entry]:
    for place in occurrences(view, word).places[:LOOKED_AT_MAX]:
        if not place.chat:
            yield from view.entries("seq = ?", (place.number,))


def _may_be_shown(entry: Entry) -> bool:
    return (
        entry.current
        and not (entry.hidden or entry.held or (entry.tainted and not entry.cleared))
        and entry.draft.kind is not EntryKind.CHECKPOINT
        and entry.origin in _ORIGINS
        and MASK not in entry.draft.text
    )


def _sentences(text: str, forms: Iterable[str], *, fitting: bool = True) -> Iterator[Sentence]:
    pattern = _pattern(forms)
    start = 0
    for end in sentence_ends(text):
        one = text[start:end].strip()
        start = end
        spans = tuple(found.span() for found in pattern.finditer(one))
        if spans and (not fitting or (fits(one) and "\n" not in one)):
            yield Sentence(one, spans)


def fits(sentence: str) -> bool:
    """From four words to 25, Chinese counted by halves."""
    tokens = _TOKEN.findall(sentence)
    han = sum(_HAN.match(token) is not None for token in tokens)
    return WORDS_MIN <= len(tokens) - han + han // _HAN_A_WORD <= WORDS_MAX


def _pattern(forms: Iterable[str]) -> re.Pattern[str]:
    """Any of them as whole words; the longest first, so that “paradigms” leaves no s behind."""
    each = sorted({form for form in forms if form}, key=len, reverse=True)
    body = "|".join(r"\s+".join(map(re.escape, form.split())) for form in each)
    edge = r"[^\W_\u3400-\u9fff]"
    return re.compile(rf"(?<!{edge})(?:{body})(?!{edge})", re.IGNORECASE)
