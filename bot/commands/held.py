"""What looks like a secret is held back: nothing is stored, and the person decides about the masked words.

The text that comes here is masked already. The offer keeps what was asked for in that masked form.
"""

from __future__ import annotations

from bot import render
from bot.intents import AddTask, Correct, Intent, MoveDaily, Profile, Remember, Remind, Unclear, YouForgot
from bot.message import Reply
from bot.turn import Turn


def hold(turn: Turn, intent: Intent) -> Reply:
    quoted = turn.inbound.reply_to
    is_quoted = isinstance(intent, Remember) and not intent.draft.text and quoted is not None
    body: dict[str, object] = {"do": "said", "text": turn.inbound.text}
    if is_quoted:
        assert quoted is not None
        body["quoted"] = [quoted.message, quoted.author, quoted.text]
    offer = turn.offer(**body)
    shown = quoted.text if is_quoted and quoted else _kept(turn, intent)
    return turn.say(
        turn.words("not-saved-secret"),
        turn.words("secret-masked", text=render.quoted(render.short(shown, 120))),
        buttons=(
            turn.button("button-save-masked", f"{offer} yes"),
            turn.button("button-do-not-save", f"{offer} no"),
        ),
    )


def _kept(turn: Turn, intent: Intent) -> str:
    """The words that would be kept."""
    match intent:
        case Remember(draft) | Correct(draft):
            return draft.text
        case MoveDaily(said=Remember(draft)):
            return draft.text
        case AddTask(text) | Remind(text) | YouForgot(text) | Unclear(text) | Profile(_, text):
            return text
        case _:
            return turn.inbound.text
