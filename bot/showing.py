"""The recovery key before a person: shown whole, then typed back, then known to nobody but them."""

from __future__ import annotations

from bot.own_device import RECOVERY_SECRET, OwnDevice
from bot.platforms.dialogue import Dialogue
from sync.errors import Malformed
from sync.recovery import format_recovery, parse_recovery

TRIES_MAX = 3


async def remind_recovery(own: OwnDevice, talk: Dialogue) -> None:
    """Where a person looks, a key that was not typed back is shown again; a script's log is no place for it."""
    if own.store.load(RECOVERY_SECRET) is None:
        return
    if talk.is_person or talk.yes:
        await show_recovery(own, talk)
    else:
        talk.say(own.words("recovery-later"))


async def show_recovery(own: OwnDevice, talk: Dialogue) -> bool:
    """Nothing when it was typed back already. False when it stays to be shown again at the next device command."""
    words = own.words
    secret = own.store.load(RECOVERY_SECRET)
    if secret is None:
        return True
    shown = words("recovery-key", key=format_recovery(secret)), words("recovery-why")
    if talk.yes:
        talk.say(*shown)
        own.store.delete(RECOVERY_SECRET)
        return True
    asked: tuple[str, ...] = (*shown, words("recovery-ask"))
    for _ in range(TRIES_MAX):
        typed = await talk.ask(*asked)
        if typed is None or not typed.strip():
            break
        try:
            if parse_recovery(typed) == secret:
                own.store.delete(RECOVERY_SECRET)
                talk.say(words("recovery-kept"))
                return True
        except Malformed:
            pass
        asked = (words("recovery-unlike"),)
    talk.say(words("recovery-later"))
    return False
