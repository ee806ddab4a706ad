"""What can be wrong with bytes from elsewhere; all are dropped and counted by `code`.

Unavailable (store/errors.py)
└── TransportDown nothing can be carried now; local work goes on
Untrusted (store/errors.py)
├── Malformed     it is no envelope, roster entry or payload of ours
├── Unsupported   it is of a version or kind we do not know
├── NotForUs      another scope, a device or key we do not have
├── Forged        a signature or seal that does not fit
├── Replayed      a place in a chain that is taken
└── Revoked       its author was no member any more
"""

from __future__ import annotations

from store.errors import Malformed, Unavailable, Untrusted

__all__ = ["Forged", "Malformed", "NotForUs", "Replayed", "Revoked", "TransportDown", "Unsupported", "Untrusted"]


class Unsupported(Untrusted):
    code = "error-unsupported"


class NotForUs(Untrusted):
    code = "error-not-for-us"


class Forged(Untrusted):
    code = "error-forged"


class Replayed(Untrusted):
    code = "error-replayed"


class Revoked(Untrusted):
    code = "error-revoked"


class TransportDown(Unavailable):
    code = "error-transport-down"
