"""Gives changes to the engine in a process of its own: what hurts it may spoil memory long after the panic was caught.

Reads `{"name", "stories": [{"log": [hex], "foreign": [hex]}]}`, writes what became of each story as JSON, one a line.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence

from automerge.core import Document as Automerge

from store import document as door
from store.changes import record_key
from store.document import Change, Document, change_hash
from store.ids import ulid
from tests.house.files import ROOT

Story = tuple[Sequence[bytes], Sequence[bytes]]


def fate(name: str, log: Sequence[bytes], foreign: Sequence[bytes]) -> str:
    """What happens to a document that is given `foreign`, and written to, saved and loaded afterwards; "" is well."""
    try:
        document = Document(name, bytes([9] * 16), [Change(change_hash(one), one) for one in log])
        if foreign:
            door._apply(document._inner, foreign)
        there = {bytes(one.hash) for one in document._inner.get_changes([])}
        if not {change_hash(one) for one in foreign} <= there:
            return "dropped without a word"
        for number in range(2):
            document.commit([record_key(ulid(number, bytes([255] * 10)), {"number": number})])
        loaded = Automerge.load(document._inner.save())
        if sorted(map(bytes, loaded.get_heads())) != sorted(map(bytes, document._inner.get_heads())):
            return "loaded with other heads"
    except BaseException as error:  # a Rust panic is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return f"{type(error).__name__}: {error}"
    return ""


def fates_apart(name: str, stories: Sequence[Story]) -> list[str]:
    """The fate of each story; one that kills or hangs the process ends the list with "died"."""
    given = [{"log": [one.hex() for one in log], "foreign": [one.hex() for one in new]} for log, new in stories]
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.store.engine_child"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    with child:
        watch = threading.Timer(60, child.kill)
        watch.start()
        out, _ = child.communicate(json.dumps({"name": name, "stories": given}))
        watch.cancel()
    told = [str(json.loads(line)) for line in out.splitlines()]
    return told if len(told) == len(stories) else [*told, "died"]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    for story in asked["stories"]:
        what = fate(asked["name"], *(list(map(bytes.fromhex, story[part])) for part in ("log", "foreign")))
        print(json.dumps(what), flush=True)
