"""`niannian erase`: what waits to be erased for good, who has confirmed, and a person's word where one is needed.

Words that were forgotten are not shown again, only their RefIDs. A device confirms with its own next message, so what
is said here is "confirmed by", never "proved".
"""

from __future__ import annotations

from bot import render
from bot.own_device import FOLDER, Held, OwnDevice, field_of
from bot.platforms.dialogue import Dialogue
from store.errors import NotAllowed
from store.view import View
from sync import state
from sync.standing import Standing

LISTED_MAX = 10
ASLEEP_DAYS = 60
ASLEEP_MS = ASLEEP_DAYS * 24 * 60 * 60 * 1000
"""Who was silent so long may be gone."""


async def show_erasing(own: OwnDevice, talk: Dialogue, *, now: bool) -> int:
    """Gives the exit status: 1 while a baseline waits for a person's word. Raises Rejected, Unavailable."""
    held = await own.held()
    if now:
        await _erase_now(own, talk, held)
    braked = False
    for one in held:
        standing = await own.standing(one.memory)
        lines = [await _waiting(own, one)]
        if standing is not None:
            here = await one.memory.generation() >= standing.generation
            lines += _confirmed(own, standing, await own.names(), here=here)
        talk.say(*lines)
        if standing is not None and standing.brake is not None:
            braked = not await _release(own, talk, one, standing) or braked
    return 1 if braked else 0


async def _erase_now(own: OwnDevice, talk: Dialogue, held: list[Held]) -> None:
    """Raises NotAllowed on a device that is not the admin; then nothing is erased."""
    words = own.words
    names = await own.names()
    for one in held:
        labels = await one.memory.read(_labels)
        standing = await own.standing(one.memory)
        if labels and standing is not None and standing.admin != own.keys.device_id:
            admin = names.get(field_of(standing.admin)) or words("another-device")
            raise NotAllowed("error-erase-admin", name=admin)
    erased = await own.erase_now()
    if erased:
        talk.say(words("erase-done", n=erased, shown=render.number(words, erased)))
    if erased and await own.shared() and own.home.device.note(FOLDER):
        await own.sync()


async def _waiting(own: OwnDevice, one: Held) -> str:
    words = own.words
    labels = await one.memory.read(_labels)
    if not labels:
        return words("erase-nothing", memory=one.named(words))
    shown = render.LIST_SEPARATOR[words.lang].join(labels[:LISTED_MAX]) + ("…" if len(labels) > LISTED_MAX else "")
    number = render.number(words, len(labels))
    return words("erase-waits", memory=one.named(words), n=len(labels), shown=number, list=shown)


def _labels(view: View) -> list[str]:
    """RefIDs of what is hidden and still stands in the files."""
    labels: list[str] = [entry.label for entry in view.entries("hidden = 1")]
    return labels + [task.label for task in view.hidden_tasks()]


def _confirmed(own: OwnDevice, standing: Standing, names: dict[str, str], *, here: bool) -> list[str]:
    """Who has followed the last erasing, and who has not, with when they were last heard. `here`: this device has."""
    words = own.words
    if standing.generation <= 1 or len(standing.members) < 2:
        return []
    comma = render.LIST_SEPARATOR[words.lang]
    done, missing, asleep = [], [], []
    for member in standing.members:
        name = names.get(field_of(member.device)) or member.device[:4].hex()
        me = member.device == own.keys.device_id
        if here if me else member.generation >= standing.generation:
            done.append(name)
        elif me:
            missing.append(name)
        elif member.heard_ms is None:
            missing.append(words("erase-silent", name=name))
        else:
            today = render.local(own.now_ms(), own.zone).date()
            when = render.full_moment(words, render.local(member.heard_ms, own.zone), today)
            missing.append(words("erase-since", name=name, when=when))
            if own.now_ms() - member.heard_ms > ASLEEP_MS:
                asleep.append(words("erase-asleep", name=name, days=ASLEEP_DAYS))
    lines = [words("erase-confirmed", list=comma.join(done))]
    if missing:
        lines.append(words("erase-missing", list=comma.join(missing)))
    return lines + asleep


async def _release(own: OwnDevice, talk: Dialogue, one: Held, standing: Standing) -> bool:
    """A baseline that would erase much of what is shown here waits for a yes."""
    assert standing.brake is not None
    words = own.words
    erased, shown = standing.brake
    asked = words("erase-brake", memory=one.named(words), erased=render.number(words, erased), shown=shown)
    if await talk.choose((asked,), (words("button-erase"), words("button-keep"))) != 0:
        return False
    await one.memory.receive([], {state.ALLOWED: str(standing.generation).encode()})
    await own.sync()
    return True
