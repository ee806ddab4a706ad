"""What `niannian folder` and `niannian sync` do and say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from bot import devices, render
from bot.joining import finish_uniting
from bot.own_device import FOLDER, Held, OwnDevice, Progress, field_of, totals
from bot.platforms.dialogue import Dialogue
from store.errors import Rejected
from store.model import ScopeID
from sync.errors import TransportDown
from sync.meeting import Pause
from sync.work import Report

PASS_EVERY_S = 5.0
REASONS_MAX = 5
REPEATED = "envelope-known"
"""What was read once more: nothing to tell people of."""


async def set_folder(own: OwnDevice, talk: Dialogue, folder: Path) -> int:
    """Makes the folder if need be, and remembers it. Raises Rejected."""
    path = str(_usable(folder, own.home.path))
    await own.home.device.keep_note(FOLDER, path)
    talk.say(own.words("folder-set", path=path))
    return 0


def _usable(folder: Path, home: Path) -> Path:
    folder = folder.expanduser().absolute()
    there, home = folder.resolve(), home.resolve()  # a link may lead into the other
    if there == home or home in there.parents or there in home.parents:
        raise Rejected("error-folder-home", path=str(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".niannian-probe.tmp"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise Rejected("error-folder", path=str(folder), reason=error.strerror or "") from error
    return folder


async def show_folder(own: OwnDevice, talk: Dialogue) -> int:
    """Raises Rejected when it is not there now."""
    noted = own.home.device.note(FOLDER)
    if not noted:
        talk.say(own.words("folder-none"))
        return 0
    own.folder()
    talk.say(own.words("folder-is", path=noted))
    return 0


async def forget_folder(own: OwnDevice, talk: Dialogue) -> int:
    noted = own.home.device.note(FOLDER)
    await own.home.device.keep_note(FOLDER, "")
    talk.say(own.words("folder-off", path=noted) if noted else own.words("folder-none"))
    return 0


async def sync_once(own: OwnDevice, talk: Dialogue, progress: Progress | None = None) -> int:
    """One pass, told in a line; the exit status. Raises Rejected, Unavailable."""
    own.transport()
    shared = await own.shared()
    if not shared:
        talk.say(own.words("sync-alone"))
        return 1
    reports = await _pass(own, talk, progress)
    faults = await _faults(own, [one for one, _ in shared], reports)
    talk.say(*(_told(own, reports) if any(totals(reports)) or not faults else ()), *faults)
    return 1 if any(one.roster_fork or one.elsewhere for one in reports.values()) else 0


async def sync_on(own: OwnDevice, talk: Dialogue, *, pause: Pause, progress: Progress | None = None) -> int:
    """Passes until it is stopped; says when something came, went or went wrong, each fault once."""
    status = await sync_once(own, talk, progress)
    if not await own.shared():
        return status
    talk.say(own.words("sync-goes-on"))
    said: set[str] = set()
    while True:
        await pause(PASS_EVERY_S)
        try:
            reports = await _pass(own, talk, None)
            lines = await _faults(own, [one for one, _ in await own.shared()], reports)
        except (Rejected, TransportDown) as error:
            reports, lines = {}, [own.words(error.code, **error.facts)]
        news = [line for line in lines if line not in said]
        said = set(lines)
        if any(totals(reports)):
            news = [*_told(own, reports), *news]
        if news:
            talk.say(*news)


async def _pass(own: OwnDevice, talk: Dialogue, progress: Progress | None) -> Mapping[ScopeID, Report]:
    reports = await own.sync(progress)
    await finish_uniting(own)
    if gone := await devices.take_out_retired(own):
        names = render.LIST_SEPARATOR[own.words.lang].join(gone)
        talk.say(own.words("sync-retired", list=names))
        await own.sync()
    return reports


def _told(own: OwnDevice, reports: Mapping[ScopeID, Report]) -> list[str]:
    words = own.words
    received, sent = totals(reports)
    if not received and not sent:
        return [words("sync-nothing")]
    parts = []
    if received:
        parts.append(words("sync-received", n=received, shown=render.number(words, received)))
    if sent:
        parts.append(words("sync-sent", n=sent, shown=render.number(words, sent)))
    return [words("sync-done", what=words("comma").join(parts))]


async def _faults(own: OwnDevice, shared: list[Held], reports: Mapping[ScopeID, Report]) -> list[str]:
    """What was dropped or waits, with the names of the reasons, and what has to be mended."""
    words = own.words
    out = []
    dropped: Counter[str] = Counter()
    waiting: Counter[str] = Counter()
    names = await own.names()
    for one in shared:
        report = reports.get(one.memory.scope)
        if report is None:
            continue
        dropped.update({reason: n for reason, n in report.dropped.items() if reason != REPEATED})
        waiting.update(report.waiting)
        memory = one.named(words)
        if report.roster_fork:
            out.append(words("sync-fork", memory=memory))
        if report.elsewhere:
            out.append(words("sync-elsewhere", memory=memory))
        standing = await own.standing(one.memory)
        if standing is not None and not standing.belongs:
            out.append(words("sync-removed" if standing.removed else "sync-not-let-in", memory=memory))
        for device in standing.forked if standing is not None else ():
            name = names.get(field_of(device)) or device[:4].hex()
            out.append(words("sync-forked", memory=memory, name=name))
        if standing is not None and standing.brake is not None:
            out.append(words("sync-brake", memory=memory))
    for counter, code in ((waiting, "sync-waiting"), (dropped, "sync-dropped")):
        if n := sum(counter.values()):
            reasons = [f"{reason} {count}" for reason, count in counter.most_common(REASONS_MAX)]
            said = render.LIST_SEPARATOR[words.lang].join(reasons)
            out.append(words(code, n=n, shown=render.number(words, n), reasons=said))
    return out
