"""What goes through the pipes between us and the child: a JSON header and raw numbers.

A frame is `MARK`, the length of the header and that of the body (two little-endian uint32), the header as JSON,
and the body: rows of little-endian float32. Anything else on the pipe is no frame, and ends the child.

    us → child   {"kind": …, "base_url": …, "model": …, "api_key": …}      once, first
    child → us   {"name": …, "dims": …}  or  {"failed": reason}            once, first
    us → child   {"id": …, "query": true or false, "texts": […]}
    child → us   {"id": …, "rows": n} + n rows  or  {"id": …, "failed": reason or ""}
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

MARK = b"nnv1"
HEADER_BYTES_MAX = 256 * 1024
"""Eight texts of 400 characters, each character escaped, are 40 KiB."""

BODY_BYTES_MAX = 1024 * 1024
DIMS_MAX = 16_384

Header = dict[str, Any]
Vectors = NDArray[np.float32]
PREFIX = struct.Struct("<4sII")


class NoFrame(Exception):
    """What came is not a frame."""


def encode(header: Header, rows: Vectors | None = None) -> bytes:
    head = json.dumps(header).encode("ascii")
    body = b"" if rows is None else rows.astype("<f4").tobytes()
    return PREFIX.pack(MARK, len(head), len(body)) + head + body


def lengths(prefix: bytes) -> tuple[int, int]:
    """How many bytes of header and of body follow. Raises NoFrame."""
    mark, head, body = PREFIX.unpack(prefix)
    if mark != MARK or head > HEADER_BYTES_MAX or body > BODY_BYTES_MAX:
        raise NoFrame
    return head, body


def header_of(raw: bytes) -> Header:
    """Raises NoFrame."""
    try:
        header = json.loads(raw)
    except ValueError:
        raise NoFrame from None
    if not isinstance(header, dict):
        raise NoFrame
    return header


def rows_of(body: bytes, *, count: int, dims: int) -> Vectors:
    """The body as `count` rows of `dims`. Raises NoFrame."""
    if len(body) != 4 * count * dims:
        raise NoFrame
    return np.frombuffer(body, dtype="<f4").astype(np.float32).reshape(count, dims)
