"""What the words of an entry say of themselves: whether they can stand alone for good, and where they would belong. Pure.

In doubt a text is no statement: what is left out tonight can be said again, what is proposed wrongly costs trust.
"""

from __future__ import annotations

import re

from bot.phrases.scan import HAN
from store.model import EntryKind

WORDS_MIN, WORDS_MAX = 5, 60
HAN_MIN, HAN_MAX = 8, 120
LINES_MAX = 3

_NAMED = re.compile(r"[^:：\n?？]{1,30}(?:：|: )\s*\S[^\n]{1,160}")
"""门牌：302, wifi name: Harbour: complete, however short."""
_WORD = re.compile(r"[A-Za-z0-9][\w'’-]*")
_POINTS_BACK = re.compile(
    r"(?:他|她|它|其|此|这|那|前者|后者|上述|以上)(?!周|月|年|天|次)"
    r"|(?:he|she|it|they|him|her|them|this|that|these|those|the former|the latter)\b",
    re.IGNORECASE,
)
"""At the beginning: what it speaks of stood somewhere else."""
_GOES_ON = re.compile(
    r"\A(?:而且|并且|所以|因此|但是|不过|然后|还有|以及|或者|因为|[,，、;；:：)\]）】…]|(?:and|but|or|so|because|then|also|which)\b)|(?:[,，、;；:：(（\[—-]|\.\.\.|…)\Z",
    re.IGNORECASE,
)
"""A piece cut out of something longer."""
_CODE = re.compile(
    r"`|\A\s*(?:[$#%>]|>>>|\.\.\.)\s|&&|\|\||[{};]\s*\Z|\A\s*[{\[<]|</?\w+[^>]*>|\)\s*(?:=>|->|\{)|\w\(\w*\)\s*[;.]|==|!=|:="
    r"|\s--?[a-z][\w-]+[= ]|(?:\A|\s)(?:/|~/|\./|[A-Z]:\\)[\w.-]+[/\\]"
    r"|\A\s*(?:def \w+\(|class \w+[:(]|import \w+\Z|from [\w.]+ import |(?:const|let|var) \w+ ?=|function \w*\(|return \w+\Z|select\b.{1,80}\bfrom\b|insert into |update \w+ set )"
    r"|\A\s*(?:sudo \w|git (?:push|pull|commit|clone|checkout|switch|rebase|merge|status|log|add|init|fetch|reset|stash)\b|npm (?:install|i|run|ci|test|publish)\b|npx \w"
    r"|pip3? install|uv (?:run|pip|sync|add)\b|docker(?:-compose)? (?:run|compose|ps|build|exec|pull|up|logs)\b|kubectl \w|(?:apt|apt-get|brew|dnf) install"
    r"|(?:cd|ls|cat|rm|mv|cp|curl|wget|ssh|mkdir|chmod|python3?|node|make|echo|export|grep|sed|awk|find|tail) (?:-|\S*[/~$*=|]|[\w-]+\.\w{1,4}(?:\s|\Z)))",
    re.IGNORECASE,
)
_LOG = re.compile(
    r"\A\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\A\s*\[?\d\d:\d\d:\d\d|\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\b[ :\]]|Traceback|\bat \S+:\d+|exit(?:ed)? (?:with )?(?:code|status) \d"
    r"|\b(?:cron|scheduled) (?:job|task|run)\b[^.]*\b(?:completed|finished|succeeded|failed|done|ok)\b|(?:定时任务|任务)[^。]{0,12}(?:执行完成|已完成|运行成功|执行失败)"
)
_OURS = re.compile(r"\b(?:[DT]-\d{4}-?\d\d|AUTO-\d{8}|T-\d{6})")
"""A RefID of ours: words that were copied out of a reply."""
_ADDRESS = re.compile(r"\A\S*://\S+\Z|\A\S+@\S+\.\S+\Z")
_PAIRS = (("“", "”"), ("「", "」"), ("（", "）"), ("(", ")"), ("[", "]"), ("《", "》"))

_FOR_GOOD = re.compile(
    r"以后(?:都|一律|请|就|每|别|不)|从今(?:以后|往后)|从现在(?:起|开始)|今后|永远|一直都?(?:要|得|用|这样)|长期|每次都"
    r"|\b(?:from now on|from here on|always|never (?:again|ever)|for good|at all times|as a rule|every single time)\b",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"流程|规范|步骤|必须|一律|每次|每周|每月|每天都?要|先.{1,16}再|之前(?:要|先|必须)|之后(?:要|再)|(?:上线|发布|提交|合并|部署|评审|备份|测试)(?:前|后|之前|之后)"
    r"|\b(?:before|after) (?:each|every|any|the|we|you|a|merging|releasing|deploying|pushing)\b|\b(?:must|always|never|every (?:time|week|month|release|change|commit|friday|monday))\b"
    r"|\bfirst\b.{1,60}\bthen\b|\b(?:process|procedure|checklist|policy)\b",
    re.IGNORECASE,
)
_LIKES = re.compile(
    r"喜欢|讨厌|爱吃|不吃|不喝|习惯|希望|想要|宁愿|最好|就好|就行|别|不要|不想|受不了|请(?:用|叫|不)|叫我|对我|我(?:只|都|从来|一般|通常)"
    r"|\b(?:prefer|like|love|hate|dislike|enjoy|can't stand|cannot stand|rather|favou?rite|please|don't|do not|call me|allergic|my (?:evenings?|mornings?|weekends?|way|style))\b"
    r"|\A(?:push|send|remind|leave|keep|stop|use|speak|answer|write|reply|show|give|tell|ask|call|wake|avoid|skip|put)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"不|别|没|勿|莫|非|无|\b(?:not|no|never|none|without|cannot)\b|n['’]t\b", re.IGNORECASE)


def why_no_statement(text: str) -> str:
    """Why `text` cannot stand alone: fragment, code, report, ours, pronoun, short or long; "" when it can."""
    line = text.strip()
    if _LOG.search(line):
        return "report"
    if _CODE.search(line) or _ADDRESS.match(line):
        return "code"
    if _OURS.search(line):
        return "ours"
    if line.count("\n") >= LINES_MAX or _GOES_ON.search(line) or any(line.count(a) != line.count(b) for a, b in _PAIRS):
        return "fragment"
    if _POINTS_BACK.match(line):
        return "pronoun"
    return _length(line)


def _length(line: str) -> str:
    han, words = len(HAN.findall(line)), len(_WORD.findall(line))
    if han > HAN_MAX or words > WORDS_MAX:
        return "long"
    if han >= HAN_MIN or words >= WORDS_MIN or (han and han + words >= HAN_MIN) or _NAMED.fullmatch(line):
        return ""
    return "short"


def is_for_good(text: str) -> bool:
    """以后都…, from now on …: the words themselves say how long they hold."""
    return _FOR_GOOD.search(text) is not None


def negations(text: str) -> int:
    """How many words say *not*: two sentences that differ in one of them are no near duplicates."""
    return len(_NOT.findall(text))


def belongs_to(text: str, kind: EntryKind) -> EntryKind | None:
    """A rule of work, a preference of the person; None: neither, it is simply to be kept in view."""
    if _LIKES.search(text) and not (kind is EntryKind.DECISION and _WORKS.search(text)):
        return EntryKind.PREFERENCE
    return EntryKind.RULE if _WORKS.search(text) else None
