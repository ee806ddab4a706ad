"""Every sentence a person may see, by message id, out of `bot/locales/<lang>.ftl`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from fluent.runtime import FluentBundle, FluentResource

LANGUAGES = ("zh", "en")


class Words:
    """`words("receipt-saved", ref="D-…")` is that sentence in one language."""

    def __init__(self, lang: str) -> None:
        assert lang in LANGUAGES
        self.lang = lang
        self._bundle = _bundle(lang)

    def __call__(self, message_id: str, /, **facts: Any) -> str:
        pattern = self._bundle.get_message(message_id).value
        assert pattern is not None, message_id
        text, errors = self._bundle.format_pattern(pattern, facts)
        assert not errors, (message_id, errors)
        return str(text)

    def has(self, message_id: str) -> bool:
        return bool(self._bundle.has_message(message_id))


@cache
def words(lang: str) -> Words:
    return Words(lang)


@cache
def _bundle(lang: str) -> FluentBundle:
    bundle = FluentBundle([lang], use_isolating=False)
    bundle.add_resource(FluentResource((files("bot") / "locales" / f"{lang}.ftl").read_text("utf-8")))
    return bundle


def language_of(text: str, otherwise: str) -> str:
    """`zh` when any Han character stands in `text`, else `en`; `otherwise` when there is no letter at all."""
    if any("\u3400" <= c <= "\u9fff" or "\U00020000" <= c <= "\U0003ffff" for c in text):
        return "zh"
    return "en" if any(c.isalpha() for c in text) else otherwise
