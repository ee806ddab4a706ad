"""What a sentence asks for: a closed union of values. `phrases/` makes them, `router.py` reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import time
from enum import StrEnum

from store.model import Draft


class Aspect(StrEnum):
    """How a question is meant, which decides the first line of the answer."""

    PLAIN = "plain"
    DECIDED = "decided"
    """what did we decide / 我们之前怎么定的 / 定过吗"""
    EVER = "ever"
    """did we ever talk about / 有没有聊过"""
    PREFERENCE = "preference"
    """what preferences did I tell you / 我上次说了什么偏好"""
    SEARCH = "search"
    """/recall, /find, 查一下, 搜索: words are a query in our own syntax"""


@dataclass(frozen=True, slots=True)
class Lasting:
    """A last day that was said: the words that name it, and what is kept when they are read as a day to come."""

    words: str
    draft: Draft


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep `draft`. An empty `draft.text` means: the message this one replies to."""

    draft: Draft
    lasting: Lasting | None = None


@dataclass(frozen=True, slots=True)
class Correct:
    """`ref` as typed or "" ; `text` the new words (may hold the fields of a Draft)."""

    draft: Draft
    ref: str = ""
    lasting: Lasting | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """`question` as typed without the command words; `topic` what it is about, for showing; may be ""."""

    question: str
    topic: str
    aspect: Aspect = Aspect.PLAIN


@dataclass(frozen=True, slots=True)
class SearchCold:
    """翻旧记忆 X / search archive X: only what ordinary answers leave out; "" for all of it."""

    words: str


@dataclass(frozen=True, slots=True)
class YouForgot:
    """你没记住 X / you forgot (that) X."""

    text: str


@dataclass(frozen=True, slots=True)
class Forget:
    """`what`: RefID, words, or "" for the one last spoken of."""

    what: str


@dataclass(frozen=True, slots=True)
class Undo:
    """`what`: RefID or "" for the last write of this person here."""

    what: str = ""


@dataclass(frozen=True, slots=True)
class Pin:
    ref: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class Count:
    """How often a word was met, and when last. An empty `term` means: the word this message replies to."""

    term: str
    question: str = ""
    """As typed, when a topic was asked for (“how often did we mention …”) rather than a word."""


@dataclass(frozen=True, slots=True)
class Track:
    """/track, 关注词: keep a count of `term` in view; without one, show all that are. `on`: False ends it."""

    term: str = ""
    on: bool = True


@dataclass(frozen=True, slots=True)
class Why:
    """/why REF, 出处: everything known about one RefID."""

    ref: str


@dataclass(frozen=True, slots=True)
class History:
    ref: str


@dataclass(frozen=True, slots=True)
class Decisions:
    query: str = ""


@dataclass(frozen=True, slots=True)
class ShowMemory:
    """/memory, 所有记忆, what does MEMORY.md say, what does your memory say about me."""


@dataclass(frozen=True, slots=True)
class Trail:
    """/trail, 怎么找的."""


@dataclass(frozen=True, slots=True)
class Board:
    """/tasks, 任务板."""


@dataclass(frozen=True, slots=True)
class Archive:
    """看归档: finished tasks; `month` is `YYYY-MM` or "" for the newest."""

    month: str = ""


@dataclass(frozen=True, slots=True)
class AddTask:
    title: str


class TaskMove(StrEnum):
    DOING = "doing"
    READY = "ready"
    BLOCKED = "blocked"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class MoveTask:
    """`what`: T-… or words of the title; `because` and `resume` only for BLOCKED, when typed inline."""

    to: TaskMove
    what: str
    because: str = ""
    resume: str = ""


@dataclass(frozen=True, slots=True)
class Remind:
    """提醒我… / remind me…: a task with a time."""

    text: str


@dataclass(frozen=True, slots=True)
class NewSession:
    title: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """/checkpoints."""


@dataclass(frozen=True, slots=True)
class WhereWereWe:
    """上次做到哪了 / where were we."""


@dataclass(frozen=True, slots=True)
class Profile:
    """关于我 / about me. With `field`: set it (`关于我：职业 = 医生`, `about me: job = doctor`); empty value removes."""

    field: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """规则 lists; 规则：… is a Remember of kind RULE."""


@dataclass(frozen=True, slots=True)
class Today:
    """/today, 今日单词: the words of today, here and now."""


@dataclass(frozen=True, slots=True)
class AddWords:
    """/add WORD…, 加词, 不认识 X: as typed. Without words: those of the message this one replies to."""

    words: str = ""


class VocabDo(StrEnum):
    """What is asked of the words to learn."""

    SHOW = "show"
    ON = "on"
    OFF = "off"
    PLAN = "plan"
    NO_PLAN = "no-plan"
    NEW = "new"
    CAP = "cap"
    GRADES = "grades"
    TYPE = "type"
    NO_TYPE = "no-type"
    LIST = "list"
    CARD = "card"
    KNOWN = "known"
    SUSPEND = "suspend"
    BACK = "back"
    REMOVE = "remove"
    EDIT = "edit"
    RESCHEDULE = "reschedule"
    UNREAD = "unread"
    """What stands behind /vocab is none of these."""


@dataclass(frozen=True, slots=True)
class Vocab:
    """/vocab, 复习. `word`: the card, the plan, or what was not read; `n`: a number; `text`: a meaning."""

    do: VocabDo = VocabDo.SHOW
    word: str = ""
    n: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class LearningStats:
    """/stats, 学习统计."""


@dataclass(frozen=True, slots=True)
class MoveDaily:
    """每日单词改到 13:00，因为…: what comes by itself comes at another time; the sentence is kept as a decision."""

    kind: str
    """`words` or `digest`."""
    at: time
    said: Remember


@dataclass(frozen=True, slots=True)
class KeepChat:
    """/keep chat 90 days, 聊天只留 90 天. `days`: 0 for all of it, None to see how it is, -1 for no number of days."""

    days: int | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """A command without a grammar of its own; `argument` is the rest of the line."""

    name: str
    """start help whoami status privacy lang tz settings export trail …"""
    argument: str = ""


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """A slash word we don't have; `nearest` is ours that looks like it or ""."""

    typed: str
    nearest: str
    rest: str


@dataclass(frozen=True, slots=True)
class ForOtherBot:
    """/new@other_bot: not ours to answer."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Not understood; offered to be saved or looked up, never stored by guess."""

    text: str


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing but spaces or invisible characters, or a command word with nothing behind it."""

    command: str = ""
    """`remember`, `recall`, `forget`, `todo` … when the word stood alone where words are needed."""


Intent = (
    Remember
    | Correct
    | Ask
    | SearchCold
    | YouForgot
    | Forget
    | Undo
    | Pin
    | Count
    | Track
    | Why
    | History
    | Decisions
    | ShowMemory
    | Trail
    | Board
    | Archive
    | AddTask
    | MoveTask
    | Remind
    | NewSession
    | Checkpoints
    | WhereWereWe
    | Profile
    | Rules
    | Today
    | AddWords
    | Vocab
    | LearningStats
    | MoveDaily
    | KeepChat
    | Simple
    | UnknownCommand
    | ForOtherBot
    | Unclear
    | Empty
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """An intent, the language of the words (`zh` when any Han character, else `en`) and how it was reached."""

    intent: Intent
    lang: str
    slash: bool = False
    """True for slash commands and bare RefIDs: the reply then follows the app's language."""
    steps: int = field(default=0, compare=False)
    """Characters looked at, for the linear-time test: at 64 KiB at most 12 times that at 8 KiB."""
