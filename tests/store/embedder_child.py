"""The real child with a model that does what its texts say: `wait <pipe>`, `die <signal>`, `stumble`, `print`, …

Run by `test_embedders.py` through `command_of`, over real pipes.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from store.embedders.child import main
from store.embedders.frames import Header, Vectors
from store.embedders.models import Interrupted, LoadFailed, TextRefused
from store.ports import EmbedderTrouble

DIMS = 4


class Obedient:
    name = f"obedient 1 {DIMS}"
    dims = DIMS

    def __init__(self, opening: Header) -> None:
        if first := opening.get("first"):
            # Each birth takes a line: what that child is to do.
            lines = Path(first).read_text().splitlines()
            Path(first).write_text("\n".join(lines[1:]))
            self._do("".join(lines[:1]))
        if trouble := opening.get("trouble"):
            raise LoadFailed(EmbedderTrouble(trouble))

    def query(self, text: str) -> Vectors:
        return self.passages([text])

    def passages(self, texts: Sequence[str]) -> Vectors:
        for text in texts:
            self._do(text)
        rows = np.zeros((len(texts), DIMS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = (len(text), len(texts), 3, float("nan") if text == "no number" else 4)
            if text == "nothing":
                row[:] = 0
        return rows

    def _do(self, text: str) -> None:
        verb, _, rest = text.partition(" ")
        match verb:
            case "wait":
                # Until the test opens the other end, and says something.
                Path(rest).read_bytes()
            case "die":
                # To this thread: it must not get any further.
                signal.raise_signal(int(rest))
            case "stumble":
                raise IndexError(rest)
            case "refuse":
                raise TextRefused
            case "full":
                raise MemoryError
            case "trouble":
                raise Interrupted(EmbedderTrouble(rest))
            case "print":
                print("loaded in 0.3 s", flush=True)
                os.write(1, b"from C")
                sys.stdout.buffer.write(b"!" * 100_000)
                sys.stdout.flush()
            case _:
                pass


def obey() -> None:
    main({"obedient": Obedient})
