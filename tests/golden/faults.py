"""The named fixtures of `fault X`, one function each. A name without a function waits for its stage."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.golden.platforms import TerminalStage


class NotYet(Exception):
    """This step waits for a part of the product that comes later."""


def apply(stage: TerminalStage, name: str, argument: str) -> None:
    """Raises NotYet for a fixture of a later stage."""
    if name not in _FAULTS:
        raise NotYet(f"fault {name}: not at this stage")
    _FAULTS[name](stage, argument)


def _empty_home(stage: TerminalStage, _argument: str) -> None:
    """Nothing set up: no folder, and nobody has said which zone is right."""
    stage.device.stop()
    shutil.rmtree(stage.device.home, ignore_errors=True)
    stage.device.environment.pop("NIANNIAN_PERSON_ZONE", None)


def _disk_full(stage: TerminalStage, _argument: str) -> None:
    stage.device.fault(stage.now(), "disk-full")


def _disk_ok(stage: TerminalStage, _argument: str) -> None:
    stage.device.fault(stage.now(), "disk-ok")


def _locked(stage: TerminalStage, _argument: str) -> None:
    """The session process goes on holding the home while a `$` starts."""
    stage.device.start(stage.now())
    stage.locked = True


def _bad_token(stage: TerminalStage, _argument: str) -> None:
    """The settings name a Telegram that knows the bot by another token; nobody else is in the home any more."""
    from tests.emulators.telegram.server import BOT_ID, TelegramServer

    stage.locked = False
    stage.device.stop()
    server = stage.ends.enter_context(TelegramServer(check_requests=False))
    settings = stage.device.home / "niannian.toml"
    settings.write_text(f'[telegram]\ntoken = "{BOT_ID}:not-this-one"\nbase_url = "{server.base_url}"\n')
    settings.chmod(0o600)


def _carrier(stage: TerminalStage, _argument: str) -> None:
    """home and phone have run `niannian folder` on one folder; Lin's group Team is there."""
    stage.device.open(stage.now(), "lin", "Team")
    for name in ("home", "phone"):
        stage.seat(name).device.command(stage.now(), "folder", folder=str(stage.carrier))


def _paired(stage: TerminalStage, name: str) -> None:
    """home has let `name` in, and both have everything."""
    _carrier(stage, "")
    home, newcomer = stage.device, stage.seat(name).device
    said = home.command(stage.now(), "invite")
    code = re.search(r"\w{6}-\w{6}-\w{6}", said)
    assert code is not None, said
    newcomer.command(stage.now(), "join", code=code[0])
    home.command(stage.now(), "invited")


def _folder(stage: TerminalStage, argument: str) -> None:
    """notes: day files and MEMORY.md; one line is in memory already, the header of one file does not end."""
    said = re.fullmatch(r"(\w+): (\d+) entries, 1 of them stored already, 1 file unreadable", argument)
    assert said is not None, argument
    notes = stage.folder / "scratch" / said[1]
    days = {f"2024-05-{1 + number % 2:02}": [] for number in range(2)}  # type: dict[str, list[str]]
    for number in range(int(said[2]) - 1):
        days[f"2024-05-{1 + number % 2:02}"].append(f"- the door code of room {number} is on the blue card\n")
    (notes / "memory").mkdir(parents=True)
    for day, lines in days.items():
        (notes / "memory" / f"{day}.md").write_text("".join(lines))
    (notes / "MEMORY.md").write_text("- the car is on B2\n")
    (notes / "memory" / "2024-05-03.md").write_text(
        '---\nday: 2024-05-03\ntags: [home]\nmood: fine\n\n# nothing more\ntitle: "a day at the sea\n---\n- swam\n'
    )
    stage.device.open(stage.now(), "lin", None)
    stage.device.say(stage.now(), "lin", None, "remember the car is on B2")


def _backup(stage: TerminalStage, days: float) -> None:
    """A backup of so many days ago is noted in the home, by the clock of the `$` that will look."""
    from store import backup

    stage.device.open(stage.now(), "lin", None)
    stage.device.stop()
    made_at = datetime.now(UTC) - timedelta(days=days, hours=1)
    backup.keep_note(stage.device.home, backup.Note(made_at=made_at.strftime("%Y-%m-%dT%H:%M:%SZ"), path="a.age"))


def _backup_old(stage: TerminalStage, argument: str) -> None:
    """`9d old`"""
    _backup(stage, int(argument.partition("d")[0]))


def _backup_fresh(stage: TerminalStage, _argument: str) -> None:
    _backup(stage, 0)


def _in_sync_folder(stage: TerminalStage, argument: str) -> None:
    assert argument == "Dropbox"
    (stage.device.home.parent / ".dropbox").touch()


def _folder_ok(stage: TerminalStage, _argument: str) -> None:
    (stage.device.home.parent / ".dropbox").unlink()


def _relay_down(stage: TerminalStage, argument: str) -> None:
    """`26h, backup 9d old, …`: a relay comes later; what stands beside it is there."""
    for one in argument.split(", ")[1:]:
        apply(stage, *one.partition(" ")[::2])


def _relay_ok(stage: TerminalStage, argument: str) -> None:
    for one in argument.split():
        apply(stage, one, "")


def _asleep(stage: TerminalStage, argument: str) -> None:
    """`until 05-28 10:10`: the machine sleeps with the lid closed, and nothing runs before."""
    stage.asleep_until = moment(argument.removeprefix("until "))


DIGEST_SINCE = "05-20 10:00"
"""When the digest was switched on, so that the conversation may begin on any day of its week."""


def _digest(stage: TerminalStage, argument: str) -> None:
    """`08:00`: Lin has asked for the morning digest at that time, a week ago."""
    (said,) = stage.device.say(moment(DIGEST_SINCE), "lin", None, f"/digest {argument}")
    assert argument in said.text, said.text


def _words(stage: TerminalStage, argument: str) -> None:
    """Of Lin at the terminal."""
    from bot.app import OWNER
    from tests.golden import learning

    stage.device.open(stage.now(), "lin", None)
    stage.device.stop()
    learning.put(stage.device.home, stage.device.environment, argument, account=OWNER, chat=f"terminal:{OWNER}")
    stage.device.open(stage.now(), "lin", None)


def moment(text: str) -> datetime:
    """`05-28 10:10`, in the year and the zone of the conversations."""
    return datetime.fromisoformat(f"2024-{text.replace(' ', 'T')}+08:00").astimezone(UTC)


_FAULTS: dict[str, Callable[[TerminalStage, str], None]] = {
    "empty-home": _empty_home,
    "asleep": _asleep,
    "digest": _digest,
    "words": _words,
    "folder": _folder,
    "disk-full": _disk_full,
    "disk-ok": _disk_ok,
    "locked": _locked,
    "bad-token": _bad_token,
    "carrier": _carrier,
    "paired": _paired,
    "relay-down": _relay_down,
    "relay-ok": _relay_ok,
    "backup": _backup_old,
    "backup-fresh": _backup_fresh,
    "in-sync-folder": _in_sync_folder,
    "folder-ok": _folder_ok,
}
