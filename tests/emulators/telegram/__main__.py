"""The server in a process of its own, for benches: prints its port as one line, runs until its input ends.

`python -m tests.emulators.telegram --port 0`; `control.py` says how to script it.
"""

from __future__ import annotations

import argparse
import sys

from tests.emulators.telegram.control import Control
from tests.emulators.telegram.server import TelegramServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.emulators.telegram")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--check-requests", action="store_true", help="have every call read by aiogram; slow to start")
    given = parser.parse_args()
    server = TelegramServer(check_requests=given.check_requests)
    server.start(given.port, extend=Control(server).extend)
    print(server.port, flush=True)
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()


if __name__ == "__main__":
    main()
