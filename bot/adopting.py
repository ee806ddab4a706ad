"""`niannian device adopt`: a copied or restored home takes the place of the admin it came from.

Only where the original is gone: one that is alive finds itself removed and has to join again. The copy has new keys
since its first start; the old ones were kept for this one signature.
"""

from __future__ import annotations

from bot.own_device import OwnDevice, field_of
from bot.platforms.dialogue import Dialogue
from store.errors import KeyMissing, NotAllowed, Rejected
from sync import identity, rescue
from sync import keys as device_keys


async def adopt(own: OwnDevice, talk: Dialogue) -> int:
    """Gives the exit status. Raises Rejected, Unavailable."""
    words = own.words
    try:
        old = device_keys.load(own.home.path, identity.WAS)
    except KeyMissing as error:
        raise Rejected("error-adopt-none") from error
    own.transport()
    await own.sync()  # the newest list of devices, if the original has written one
    outside = [(one, roster) for one, roster in await own.shared() if own.keys.device_id not in roster.current()]
    if not outside:
        raise Rejected("error-adopt-none")
    ours = [(one, roster) for one, roster in outside if roster.admin == old.device_id]
    if not ours:
        raise NotAllowed("error-adopt-member")
    name = (await own.names()).get(field_of(old.device_id)) or own.name
    if await talk.choose((words("adopt-ask", name=name),), (words("button-adopt"), words("button-leave"))) != 0:
        talk.say(words("left-as-it-is"))
        return 0
    for one, _ in ours:
        await rescue.adopt(one.memory, old, own.keys, own.store, own.entropy)
        await one.memory.describe({own.me: name})
    await own.sync()
    talk.say(words("adopt-done", name=name))
    return 0
