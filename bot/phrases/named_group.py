"""A question that names the group whose memory it is for: `in Team, which …?`, Team 的……是哪个？"""

from __future__ import annotations

import re

TITLE_CHARACTERS_MAX = 255
_ZH = r"(?:在|问)?\s?{title}\s?(?:群里|里面|群|里)?\s?(?:的|那边的?|：|:|，|,)\s*(?P<rest>.+)"
_EN = r"(?:in|ask) {title}\s*[,:，：]\s*(?P<rest>.+)"


def question_for(title: str, text: str) -> str:
    """What is asked of the group `title`; "" when `text` does not begin with its name."""
    name = re.escape(title[:TITLE_CHARACTERS_MAX])
    for form in (_ZH, _EN):
        found = re.match(form.format(title=name), text.strip(), re.IGNORECASE | re.DOTALL)
        if found is not None:
            return found["rest"]
    return ""
