"""The program by its command line, as forks of one warmed-up interpreter: `python -m tests.bot.console --serve FD`.

Each fork is given a language (`zh` or `en`) and then what a person types behind `niannian`.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import socket
import sys

from bot.cli import cli
from tests.faults.child import serve


def main(arguments: list[str]) -> None:
    os.environ["NIANNIAN_PERSON_LANG"] = arguments[0]
    cli(arguments[1:], prog_name="niannian")


def warm() -> None:
    """The parser of command lines makes half of itself when it meets its first path, too."""
    for name in ("door", "door_socket", "entrance", "exchange_cli"):  # imported when they are asked for
        importlib.import_module(f"bot.{name}")
    with contextlib.redirect_stdout(io.StringIO()):
        cli(["config", "check", "--home", os.devnull], standalone_mode=False)


if __name__ == "__main__":
    warm()
    serve(socket.socket(fileno=int(sys.argv[2])), main)
