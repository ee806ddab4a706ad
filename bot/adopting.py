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

FIRST_LANE = ""
"""Of the device that began a memory. One that was never shared has had no other."""


async def adopt(own: OwnDevice, talk: Dialogue) -> int:
    """Gives the exit status. Raises Rejected, Unavailable."""
    words = own.words
    try:
        old = device_keys.load(own.home.path, identity.WAS)
    except KeyMissing as error:
        raise Rejected("error-adopt-none") from error
    lent = identity.lent_lane(own.keys.device_id)
    shared = await own.shared()
    if shared:
        await own.sync()  # the newest list of devices, if the original has written one
        shared = await own.shared()
    outside = [(one, roster) for one, roster in shared if own.keys.device_id not in roster.current()]
    ours = [one for one, roster in outside if roster.admin == old.device_id]
    alone = [
        one for one in await own.held() if one.lane == lent and all(one.memory is not it.memory for it, _ in shared)
    ]
    if outside and not ours:
        raise NotAllowed("error-adopt-member")
    if not ours and not alone:
        raise Rejected("error-adopt-none")
    name = (await own.names()).get(field_of(old.device_id)) or own.name
    if await talk.choose((words("adopt-ask", name=name),), (words("button-adopt"), words("button-leave"))) != 0:
        talk.say(words("left-as-it-is"))
        return 0
    for one in ours:
        grown = await rescue.adopt(one.memory, old, own.keys, own.store, own.entropy)
        await own.enter(one.memory, grown.members[own.keys.device_id].record.lane)
        await one.memory.describe({own.me: name})
    for one in alone:
        await own.enter(one.memory, FIRST_LANE)
    if shared:
        await own.sync()
    talk.say(words("adopt-done", name=name))
    return 0
