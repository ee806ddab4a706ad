"""Which foreign changes Automerge gets: layer 2, the changes' places among one another. Pure.

The engine trusts its peers: one well-formed change with a wrong number makes later writes panic, or a saved
document that cannot be loaded, on every device. So it is given a change only when its numbers agree with what
the engine already has. This hides nothing: what is visible is folded from the keys of every well-formed change.

A change is admitted when
- all its deps were admitted,
- its first operation number is one past the greatest of its deps,
- its sequence number is one past its actor's last, and that last one is among its ancestors. (Without the
  second half an actor gives one operation number twice; the engine applies it and cannot load what it saves.)
"""

from __future__ import annotations

from collections.abc import Sequence

from store.chunk import ParsedChange

GENESIS_LAST_OP = 5
"""Genesis sets `doc` and makes four maps."""


class Admission:
    """The admitted changes of one document. Own changes pass through it too: they are others' deps."""

    def __init__(self, genesis_hash: bytes, genesis_last_op: int = GENESIS_LAST_OP) -> None:
        self._deps: dict[bytes, Sequence[bytes]] = {genesis_hash: ()}
        self._last_op = {genesis_hash: genesis_last_op}
        self._newest: dict[bytes, ParsedChange] = {}
        """By actor."""

    def admit(self, change: ParsedChange) -> bool:
        """Whether Automerge gets `change` now.

        False for what it has, and for what does not fit; that may fit later, when its deps have come.
        """
        if change.hash in self._deps or not change.deps or any(dep not in self._deps for dep in change.deps):
            return False
        if change.start_op != 1 + max(self._last_op[dep] for dep in change.deps):
            return False
        newest = self._newest.get(change.actor)
        if change.seq != (newest.seq + 1 if newest else 1) or (newest and not self._descends(change.deps, newest)):
            return False
        self._deps[change.hash] = change.deps
        self._last_op[change.hash] = change.last_op
        self._newest[change.actor] = change
        return True

    def _descends(self, deps: Sequence[bytes], ancestor: ParsedChange) -> bool:
        """Operation numbers rise from parent to child, so the walk turns back where they are lower than the goal's."""
        waiting, met = list(deps), set(deps)
        while waiting:
            one = waiting.pop()
            if one == ancestor.hash:
                return True
            nearer = {dep for dep in self._deps[one] if self._last_op[dep] >= ancestor.last_op} - met
            met |= nearer
            waiting.extend(nearer)
        return False
