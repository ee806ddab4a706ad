"""A crash at a chosen call: what `inner` is asked goes through a fuse that blows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any


class Crash(Exception):
    pass


class Fuse:
    """Blows at the call with number `at`, before it (`late` False) or after it was done."""

    def __init__(self, at: int, *, late: bool) -> None:
        self.left = at
        self.late = late

    async def call(self, fn: Callable[..., Awaitable[Any]], *args: Any, **kwargs: Any) -> Any:
        self.left -= 1
        if self.left == 0 and not self.late:
            raise Crash
        result = await fn(*args, **kwargs)
        if self.left == 0:
            raise Crash
        return result


class Fused:
    """Passes every call of `inner` through the fuse."""

    def __init__(self, inner: object, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if not callable(value):
            return value
        return lambda *args, **kwargs: self._fuse.call(value, *args, **kwargs)
