"""What a memory is made of: values only, frozen, complete when built.

A newcomer's trap: an `Entry` never changes. What changes about it (hidden, pinned, settled)
lives in registers, and whether it is current is derived from other entries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

ScopeID = NewType("ScopeID", str)
"""32 hexadecimal digits, random."""
AccountID = NewType("AccountID", str)
"""`<platform>:<id on that platform>`, for example `telegram:5001`."""
EntryID = NewType("EntryID", str)
"""ULID, 26 characters; also the id of tasks, cards and reviews."""
RefID = NewType("RefID", str)
"""Label people quote: `D-2024-05-27-01`, `T-240527-01`, `AUTO-20240527-01`."""

NOBODY = AccountID("")
"""The author of registers that the program writes on its own account."""

ENTRY_CHARACTERS_MAX = 8000
PROFILE_FIELDS_MAX = 100
PROFILE_NAME_BYTES_MAX = 60
"""The name stands in a register's key, which holds 128 bytes."""
PROFILE_VALUE_CHARACTERS_MAX = 500
TRACKED_MAX = 50
WORD_CHARACTERS_MAX = 100
CARD_TEXT_CHARACTERS_MAX = 2_000
"""Of a meaning, an example and the like."""
TRACKED_BYTES_MAX = 60
"""The word stands in a register's key, too."""

TALK = "talk"
"""The kind of a turn that may be found again."""


class ScopeKind(StrEnum):
    PRIVATE = "private"
    GROUP = "group"


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"


class EntryKind(StrEnum):
    DECISION = "decision"
    FACT = "fact"
    PREFERENCE = "preference"
    QUOTE = "quote"
    RULE = "rule"
    CHECKPOINT = "checkpoint"
    NOTE = "note"


class Origin(StrEnum):
    SAID = "said"
    CONFIRMED = "confirmed"
    FORWARDED = "forwarded"
    IMPORTED = "imported"
    AGENT = "agent"


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class TaskState(StrEnum):
    DOING = "doing"
    READY = "ready"
    BLOCKED = "blocked"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class DateSpan:
    """Words that name a time, and the days they were read as (inclusive, ISO dates)."""

    words: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where an entry was said."""

    platform: str
    chat: str
    message: str
    path: str = ""
    quoted: str = ""
    """Author of the quoted or forwarded words, as shown; empty when the speaker's own."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person wants kept, before it has an id; text in their own words.

    The last two become registers: of an entry that is read back they say how it stands now.
    """

    text: str
    kind: EntryKind = EntryKind.FACT
    why: str = ""
    impact: str = ""
    next: str = ""
    verify: str = ""
    about: tuple[tuple[str, str], ...] = ()
    confidence: Confidence | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    until: str = ""
    """The last day (ISO, the person's zone) on which the default search looks at it; "" for good."""
    importance: int | None = None
    """0–1000 where a person or an import has said so; None leaves it to the rule (`store.archive.importance_of`)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One remembered statement as it stands now; the first block is immutable, the second derived."""

    id: EntryID
    label: RefID
    draft: Draft
    at_ms: int
    zone: str
    day: str
    author: AccountID
    source: Source
    origin: Origin
    lang: str
    supersedes: tuple[EntryID, ...]
    dates: tuple[DateSpan, ...]

    hidden: bool = False
    pinned: bool = False
    cleared: bool = False
    tainted: bool = False
    held: bool = False
    """It continues what was forgotten elsewhere; not shown until a person has said."""
    current: bool = True
    versions: int = 1
    more_tags: tuple[str, ...] = field(default=())
    same: str = ""
    """Equal for entries that say the same words (`store.text.alike`)."""

    @property
    def until(self) -> str:
        return self.draft.until

    @property
    def importance(self) -> int | None:
        return self.draft.importance


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do; every field below `author` is a register."""

    id: EntryID
    label: RefID
    at_ms: int
    day: str
    author: AccountID
    title: str
    state: TaskState
    blocked_by: str = ""
    resume_step: str = ""
    next: str = ""
    note: str = ""
    due: str = ""
    done_at_ms: int | None = None
    hidden: bool = False
    changed_at_ms: int = 0


class CardState(StrEnum):
    ACTIVE = "active"
    KNOWN = "known"
    """A person has said that they know it: never asked, kept in the list."""
    SUSPENDED = "suspended"
    REMOVED = "removed"
    """Out of every list. No `hidden`: a ban would forbid the word for ever."""


@dataclass(frozen=True, slots=True)
class Card:
    """A word to learn; every field below `added_ms` is a register. When it is due is in its reviews alone."""

    id: EntryID
    word: str
    """As it was spelled when it was first added."""
    added_ms: int
    state: CardState = CardState.ACTIVE
    meaning: str = ""
    ipa: str = ""
    pos: str = ""
    example: str = ""
    tags: tuple[str, ...] = ()
    order: int = 0
    """Among those that were never asked; smaller ones first."""


class ReviewKind(StrEnum):
    ANSWER = "answer"
    IMPORT = "import"
    """An answer that another program has kept."""
    RESET = "reset"
    """From here on the card is learned from the beginning."""
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Review:
    """One thing that happened to a card: it is never changed, and taken back only by another one."""

    id: EntryID
    card: EntryID
    rating: int
    """1 forgot, 2 hard, 3 knew it, 4 easy; 0 where nothing was graded."""
    at_ms: int
    zone: str = ""
    took_ms: int = 0
    device: str = ""
    """16 hex digits."""
    slot: str = ""
    """The learning day (ISO) it was asked on; "" for what was not asked here."""
    kind: ReviewKind = ReviewKind.ANSWER
    undoes: str = ""
    by: AccountID = NOBODY


class SlotState(StrEnum):
    """How far something is that is said unasked."""

    DUE = "due"
    """Its time has come, and nobody is there to hear it yet."""
    SENDING = "sending"
    SENT = "sent"
    UNCERTAIN = "uncertain"
    """It may have arrived; it is never sent again by itself."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing said unasked: to whom, what, on which local day. It leaves at most once.

    `person`: the scope that it comes out of.
    """

    person: str
    kind: str
    day: str
