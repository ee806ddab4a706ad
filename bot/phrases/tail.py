"""What stands behind a command word, and the shape of a rule that reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.intents import Intent
from bot.phrases.scan import Meter, ref_at

PHRASE_CHARACTERS_MAX = 120
"""A title to look up, a word to count, a thing to forget: longer ones are sentences."""


@dataclass(frozen=True, slots=True)
class Tail:
    """What stands behind a command word."""

    text: str
    """The rest without the joining spaces and punctuation."""
    joint: str
    """Those spaces and punctuation."""
    folded: str
    """A folded window of `text`."""
    meter: Meter
    is_reply: bool = False
    slash: bool = False

    @property
    def free(self) -> bool:
        """Something stands between the word and the rest, or there is no rest."""
        return self.slash or bool(self.joint) or not self.text

    @property
    def colon(self) -> bool:
        return self.slash or ":" in self.joint[:8] or "：" in self.joint[:8]

    @property
    def ref(self) -> tuple[str, str]:
        """(RefID, the rest behind it) or ("", text)."""
        found = ref_at(self.folded)
        if found is None:
            return "", self.text
        ref, end = found
        return ref, self.text[self.meter.after_joint(self.text, end) :]

    @property
    def asks(self) -> bool:
        return self.text.endswith(("?", "？", "吗", "嗎"))


Rule = Callable[[Tail], Intent | None]
