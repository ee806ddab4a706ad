"""The child process: loads one model, then answers frames until its input ends.

`python -m store.embedders.child`, or `main` from a line of code (`process.py`). Three threads: this one reads, one
embeds queries, one embeds passages at a lower priority. Passages that are being embedded so never hold up a query, and
the end of the input ends the process at once, whatever the model is doing.

Nothing but frames goes out: what a library prints has nowhere to go.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import BinaryIO

import numpy as np

from store.embedders.frames import PREFIX, Header, NoFrame, Vectors, encode, header_of, lengths
from store.embedders.models import E5, USE, Address, Interrupted, LoadFailed, Model, TextRefused
from store.ports import EmbedderTrouble

PASSAGES_NICE = 10
"""Added to the priority of the thread for passages where the system can do that for one thread."""

Maker = Callable[[Header], Model]

MAKERS: Mapping[str, Maker] = {
    "e5": lambda opening: E5(),
    "use": lambda opening: USE(),
    "url": lambda opening: Address(opening["base_url"], opening["model"], opening["api_key"]),
}


def main(makers: Mapping[str, Maker] = MAKERS) -> None:
    source, sink = _own_pipes()
    try:
        opening = _read(source)
        if opening is not None:
            out = _Out(sink)
            _serve(source, out, _load(makers, opening, out))
    except BrokenPipeError:
        # Whoever asked is gone.
        pass
    # Not an exit of Python's: a thread may be deep inside a model.
    os._exit(0)


def _serve(source: BinaryIO, out: _Out, model: Model | None) -> None:
    if model is None:
        return
    queries: SimpleQueue[Header] = SimpleQueue()
    passages: SimpleQueue[Header] = SimpleQueue()
    for queue, nice in ((queries, 0), (passages, PASSAGES_NICE)):
        threading.Thread(target=_embed_all, args=(model, queue, out, nice), daemon=True).start()
    while (request := _read(source)) is not None:
        (queries if request["query"] else passages).put(request)


def _load(makers: Mapping[str, Maker], opening: Header, out: _Out) -> Model | None:
    """The model, after it has embedded something once; None when that was told to be impossible."""
    try:
        model = makers[opening["kind"]](opening)
        _unit(model.query("hello"))
    except LoadFailed as error:
        out.send({"failed": error.trouble})
        return None
    except TextRefused:
        # What refuses the plainest text refuses us, or the model's name.
        out.send({"failed": EmbedderTrouble.REFUSED})
        return None
    except Exception:
        # The edge of a process: whatever a vendor's loading raises, they get one word for it.
        out.send({"failed": EmbedderTrouble.BROKEN})
        return None
    out.send({"name": model.name, "dims": model.dims})
    return model


def _embed_all(model: Model, requests: SimpleQueue[Header], out: _Out, nice: int) -> None:
    if nice:
        _be_nice(nice)
    while True:
        request = requests.get()
        number, texts = request["id"], request["texts"]
        try:
            rows = _query(model, texts[0]) if request["query"] else _passages(model, texts)
        except Interrupted as error:
            out.send({"id": number, "failed": error.trouble})
            continue
        except BaseException:
            # No memory, for one. A thread that ends alone would look like a model that hangs.
            os._exit(1)
        if rows is None:
            out.send({"id": number, "failed": ""})
        else:
            out.send({"id": number, "rows": len(rows)}, rows)


def _query(model: Model, text: str) -> Vectors | None:
    try:
        return _unit(model.query(text))
    except (Interrupted, MemoryError):
        raise
    except Exception:
        # Whatever a vendor raises about one text must not take the next one with it.
        return None


def _passages(model: Model, texts: list[str]) -> Vectors:
    """A text that is refused, or that the model stumbles over, costs itself only: it gets zeros."""
    try:
        return _unit(model.passages(texts))
    except (Interrupted, MemoryError):
        raise
    except Exception:
        # As above.
        if len(texts) == 1:
            return np.zeros((1, model.dims), dtype=np.float32)
        return np.concatenate([_passages(model, [text]) for text in texts])


def _unit(rows: Vectors) -> Vectors:
    """Rows of length 1. Zeros, and what is no number, become zeros."""
    wide = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0).astype(np.float64)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    unit: Vectors = np.divide(wide, length, out=np.zeros_like(wide), where=length > 0).astype(np.float32)
    return unit


def _be_nice(by: int) -> None:
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), by)


class _Out:
    """Frames out, whole, from several threads."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._lock = threading.Lock()

    def send(self, header: Header, rows: Vectors | None = None) -> None:
        with self._lock:
            self._sink.write(encode(header, rows))
            self._sink.flush()


def _read(source: BinaryIO) -> Header | None:
    """None at the end, and for what is no frame: there is nobody to talk to then."""
    try:
        head, body = lengths(source.read(PREFIX.size).ljust(PREFIX.size, b"\0"))
        header = header_of(source.read(head))
        source.read(body)
    except NoFrame:
        return None
    return header


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Our ends of the pipes, under numbers that no library knows."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    return source, sink


if __name__ == "__main__":
    main()
