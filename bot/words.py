"""Every sentence a person may see, by message id, out of `bot/locales/<lang>.ftl`.

Chinese sets a space between Han and Latin or digits, and none between Han and Han. A sentence cannot know which
of them a name or a day will be, so the seams around what code fills in are mended here, and only the seams: the
words filled in stay as they were typed.

A process that answers one line uses a few of the hundreds of sentences, so each is parsed when it is first said,
and Fluent itself (with the calendars and plurals it brings) is loaded for the first sentence that has a gap to fill.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fluent.runtime import FluentBundle

LANGUAGES = ("zh", "en")
FACT_CHARACTERS_MAX = 900
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Noncharacters that stand around a filled-in value while a sentence is made."""
_HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_WIDE = f"{_HAN}。，、：；！？（）“”"
_SEAMS = (
    (re.compile(f"(?<=[{_WIDE}]) {_OPEN}(?=[{_WIDE}])"), _OPEN),
    (re.compile(f"(?<=[{_WIDE}]){_CLOSE} (?=[{_WIDE}])"), _CLOSE),
    (re.compile(f"(?<=[{_WIDE}]){_CLOSE} {_OPEN}(?=[{_WIDE}])"), _CLOSE + _OPEN),
    (re.compile(f"(?<=[{_HAN}]){_OPEN}(?=[A-Za-z0-9])"), f" {_OPEN}"),
    (re.compile(f"(?<=[A-Za-z0-9]){_CLOSE}(?=[{_HAN}])"), f"{_CLOSE} "),
)


class Words:
    """`words("receipt-saved", ref="D-…")` is that sentence in one language."""

    def __init__(self, lang: str) -> None:
        assert lang in LANGUAGES
        self.lang = lang
        self._sources = _sources(lang)

    def __call__(self, message_id: str, /, **facts: Any) -> str:
        source = self._sources[message_id]
        plain = _PLAIN.fullmatch(source)
        if plain:
            return plain[1]
        facts = {name: _short(value) if isinstance(value, str) else value for name, value in facts.items()}
        if self.lang == "zh":
            facts = {name: str(value) for name, value in facts.items()}  # Chinese groups no digits
        mend = self.lang == "zh" and not any(mark in text for text in facts.values() for mark in (_OPEN, _CLOSE))
        if mend:
            facts = {name: f"{_OPEN}{text}{_CLOSE}" for name, text in facts.items()}
        bundle = _bundle(self.lang)
        if not bundle.has_message(message_id):
            _parse(bundle, source)
        pattern = bundle.get_message(message_id).value
        assert pattern is not None, message_id
        text, errors = bundle.format_pattern(pattern, facts)
        assert not errors, (message_id, errors)
        return _mended(str(text)) if mend else str(text)

    def has(self, message_id: str) -> bool:
        return message_id in self._sources


@cache
def words(lang: str) -> Words:
    return Words(lang)


_MESSAGE = re.compile(r"^([a-zA-Z][\w-]*) *=.*(?:\n(?:[ \t}].*)?)*", re.MULTILINE)
"""A message and its indented lines: https://projectfluent.org/fluent/guide/multiline.html"""
_PLAIN = re.compile(r"[\w-]+ *= *([^\s{}][^{}\n]*?)\s*")
"""One line without a placeable: its own value."""


@cache
def _sources(lang: str) -> dict[str, str]:
    text = (files("bot") / "locales" / f"{lang}.ftl").read_text("utf-8")
    return {found[1]: found[0] for found in _MESSAGE.finditer(text)}


@cache
def _bundle(lang: str) -> FluentBundle:
    from fluent.runtime import FluentBundle  # heavy: see above

    return FluentBundle([lang], use_isolating=False)


def _parse(bundle: FluentBundle, source: str) -> None:
    from fluent.runtime import FluentResource

    bundle.add_resource(FluentResource(source))


def _short(text: str) -> str:
    """A sentence holds names, days and short quotes; a longer value would be refused by Fluent as an attack."""
    return text if len(text) <= FACT_CHARACTERS_MAX else text[: FACT_CHARACTERS_MAX - 1] + "…"


def _mended(text: str) -> str:
    for seam, instead in _SEAMS:
        text = seam.sub(instead, text)
    return text.replace(_OPEN, "").replace(_CLOSE, "")


def language_of(text: str, otherwise: str) -> str:
    """`zh` when any Han character stands in `text`, else `en`; `otherwise` when there is no letter at all."""
    if any("\u3400" <= c <= "\u9fff" or "\U00020000" <= c <= "\U0003ffff" for c in text):
        return "zh"
    return "en" if any(c.isalpha() for c in text) else otherwise
