"""The error tree, sorted by what the caller does about it.

    NiannianError
    ├── Rejected       tell the person, in the sentence of `code`
    │   ├── NotFound · NotAllowed · BadCommand · OverLimit
    ├── Unavailable    nothing was changed; try again later
    │   ├── DiskFull · ReadOnly · StoreBusy · StoreFault
    ├── Untrusted      drop the bytes, count them
    │   └── Malformed · BackupRefused
    └── Damaged        stop that part, say so, keep every file
        ├── MigrationFailed · NewerSchema · DatabaseCorrupt · DocumentCorrupt · KeyMissing · HomeRefused · HomeInUse

`code` names a sentence in `bot/locales`; `facts` fill its placeholders. An error
carries no text of its own for people, and no text that people wrote.
"""

from __future__ import annotations


class NiannianError(Exception):
    """Base of everything we raise on purpose; `code` is a message id of the locale files."""

    code = "error"

    def __init__(self, code: str | None = None, /, **facts: str | int) -> None:
        self.code = code or type(self).code
        self.facts = facts
        super().__init__(self.code, *(f"{name}={value}" for name, value in facts.items()))


class Rejected(NiannianError):
    """The person asked for something we will not or cannot do."""

    code = "error-rejected"


class NotFound(Rejected):
    code = "error-not-found"


class NotAllowed(Rejected):
    code = "error-not-allowed"


class BadCommand(Rejected):
    code = "error-bad-command"


class OverLimit(Rejected):
    code = "error-over-limit"


class Unavailable(NiannianError):
    """The machine could not do it now; nothing was changed."""

    code = "error-unavailable"


class DiskFull(Unavailable):
    code = "error-disk-full"


class ReadOnly(Unavailable):
    code = "error-read-only"


class StoreBusy(Unavailable):
    code = "error-store-busy"


class StoreFault(Unavailable):
    code = "error-store-fault"


class Untrusted(NiannianError):
    """Bytes from elsewhere that break a rule of the format."""

    code = "error-untrusted"


class Malformed(Untrusted):
    code = "error-malformed"


class BackupRefused(Untrusted):
    """A backup that is none, is spoilt or cut off, or does not open with this passphrase."""

    code = "error-backup-damaged"


class Damaged(NiannianError):
    """A part of the home cannot be used; every file is kept."""

    code = "error-damaged"


class MigrationFailed(Damaged):
    code = "error-migration-failed"


class NewerSchema(Damaged):
    code = "error-newer-schema"


class DatabaseCorrupt(Damaged):
    code = "error-database-corrupt"


class DocumentCorrupt(Damaged):
    code = "error-document-corrupt"


class KeyMissing(Damaged):
    code = "error-key-missing"


class HomeRefused(Damaged):
    code = "error-home-refused"


class HomeInUse(Damaged):
    code = "error-home-in-use"
