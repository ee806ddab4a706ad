"""The named fixtures of `fault X`, one function each. A name without a function waits for its stage."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.golden.device import ROOT

if TYPE_CHECKING:
    from tests.golden.platforms import TerminalStage


COMMAND_TIMEOUT_S = 120


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


def _carrier(stage: TerminalStage, _argument: str) -> None:
    """home and phone have run `niannian folder` on one folder; Lin's group Team is there."""
    stage.device.open(stage.now(), "lin", "Team")
    for name in ("home", "phone"):
        _niannian(stage, name, "folder", str(stage.carrier))


def _paired(stage: TerminalStage, name: str) -> None:
    """home has let `name` in, and both have everything."""
    _carrier(stage, "")
    asking = _started(stage, "home", "device", "pair", "--yes")
    assert asking.stdout is not None
    code = re.search(r"\w{6}-\w{6}-\w{6}", asking.stdout.readline())
    assert code is not None, asking.communicate()
    _niannian(stage, name, "device", "join", code[0])
    said, complaint = asking.communicate(timeout=COMMAND_TIMEOUT_S)
    assert asking.returncode == 0, said + complaint


def _niannian(stage: TerminalStage, name: str, *arguments: str) -> None:
    process = _started(stage, name, *arguments)
    said, complaint = process.communicate(timeout=COMMAND_TIMEOUT_S)
    assert process.returncode == 0, said + complaint


def _started(stage: TerminalStage, name: str, *arguments: str) -> subprocess.Popen[str]:
    """The console script on that device, whose session stops before."""
    device = stage.seat(name).device
    device.stop()
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NIANNIAN_")}
    return subprocess.Popen(
        [sys.executable, "-m", "bot", *arguments, "--home", str(device.home)],
        cwd=stage.folder,
        env={**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **device.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


_FAULTS: dict[str, Callable[[TerminalStage, str], None]] = {
    "empty-home": _empty_home,
    "disk-full": _disk_full,
    "disk-ok": _disk_ok,
    "locked": _locked,
    "carrier": _carrier,
    "paired": _paired,
}
