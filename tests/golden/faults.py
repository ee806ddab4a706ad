"""The named fixtures of `fault X`, one function each. A name without a function waits for its stage."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
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


_FAULTS: dict[str, Callable[[TerminalStage, str], None]] = {
    "empty-home": _empty_home,
    "folder": _folder,
    "disk-full": _disk_full,
    "disk-ok": _disk_ok,
    "locked": _locked,
    "bad-token": _bad_token,
    "carrier": _carrier,
    "paired": _paired,
}
