"""What the words of an entry say of themselves: whether they can stand alone for good, and where they would belong. Pure.

In doubt a text is no statement: what is left out tonight can be said again, what is proposed wrongly costs trust.
"""

from __future__ import annotations

import re

from bot.phrases.scan import HAN
from store.disguise import undisguised
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
_AGENT = re.compile(
    r"\b(?:assistants?|(?:chat)?bots?|ais?|agents?|llms?|niannian|you|your|yourself)\b|你|您|助手|助理|机器人|智能体|念念"
    r"|(?<![a-z])(?:ai|bot|agent)(?![a-z])",
    re.IGNORECASE,
)
_HAS_TO = re.compile(
    r"\b(?:must|should|shall|always|never|ought to|ha(?:s|ve) to|needs? to|supposed to|(?:is|are) (?:allowed|free) to|may"
    r"|from now on|from here on|whenever|every time|without asking)\b"
    r"|必须|一律|都|要|应该|应当|总是|永远|务必|只能|不许|不准|得(?=[\u4e00-\u9fff])|以后|从现在|从今|今后",
    re.IGNORECASE,
)
_GIVES_AWAY = re.compile(
    # what goes out to an address, an account, somebody
    r"\b(?i:send|forward|transfer|wire|upload|e-?mail|mail|pay|cc|bcc|leak)(?i:s|ing)?\b[^.!?\n]{0,80}?"
    r"(?:\S@\S|://|\b(?i:to|into) (?!(?i:me|us|the|an?|my|our|be|bed|work|avoid|keep|save)\b)\w"
    r"|\b(?i:address|accounts?|wallet|iban|money|funds?|bitcoins?)\b)"
    r"|\b(?i:send|forward|transfer|wire|pay)(?i:s|ing)?\b (?:[A-Z][a-z]+|(?i:him|her|them))\b"
    # what is let through
    r"|\b(?i:approv(?:e|es|ing)|authori[sz](?:e|es|ing)|accepts?|allows?|confirms?|grants?|releases?)\b[^.!?\n]{0,60}?"
    r"\b(?:(?i:payments?|money|funds?|invoices?|transfers?|purchases?|requests?|access|without asking|whatever|anything|everything)|[A-Z][a-z]+ (?:asks|wants|says|sends))\b"
    r"|\b(?i:always|only|blindly|must|from now on,?) (?i:say|agree|believe|trust|obey)\b|\b(?i:never) (?i:tell|ask|question|mention)\b"
    r"|\b(?i:treat|regard|take)\b[^.!?\n]{0,60}\b(?i:as) (?i:an? )?(?i:orders?|instructions?|commands?|admin|owner|true|mine)\b"
    r"|\b(?i:do|follow|obey|say yes to)\b[^.!?\n]{0,20}?\b(?:(?i:what|whatever|anything|everything) (?:[A-Z][a-z]+|(?i:he|she|they)) (?i:says?|tells?|wants?|asks?|orders?)|[A-Z][a-z]+['’]s (?i:orders?|instructions?|wishes|word))"
    r"|\b[A-Z][a-z]+['’]s (?i:orders?|instructions?|commands?)\b|\b(?i:an? orders? (?:of|from|by)) [A-Z]|\b(?i:approved|accepted|authori[sz]ed) (?i:automatically|without|by default)\b"
    r"|\b(?i:share|tell|give|show)\b[^.!?\n]{0,40}\b(?i:codes?|keys?|passwords?|files|data|list|numbers)\b[^.!?\n]{0,20}\b(?i:with|to) [A-Z]"
    r"|照(?:做|办)|(?:都|要|得|只|就|以后)听(?!见|到|说|起|写|力|课)[^。\n]{1,10}的|把[^。\n]{1,20}告诉(?!我)|同步[^。\n]{0,6}给(?!我)"
    r"|转(?:账|钱|款|发|给|交给)|(?:打|汇|付|拨)(?:款|钱|给)|(?:钱|款|账|工资|费用)[^。\n]{0,12}(?:转|打|汇|付)(?!折)"
    r"|(?:转|汇|打|发|传|寄)(?:到|去|往|入|进)[^。\n]{0,20}(?:账|卡|邮箱|地址|钱包|群|频道|号|@|://)|(?:发|传|寄|抄送|透露|告诉)(?:送)?给(?!我)"
    r"|(?:直接|一律|自动|全部|全都|统统|都)(?:就|要|给)?(?:通过|批准|同意|放行|批|答应)"
    r"|(?:通过|批准|同意|放行)[^。\n]{0,10}(?:付款|转账|申请|请求|报销|消息)|(?:不用|不必|无需|无须|免|不要|不需要)再?(?:审核|审批|批准|核对|请示)"
    r"|(?:所有|任何|一切)[^。\n]{0,12}(?:都|一律)[^。\n]{0,4}(?:回答|回复|答|说|照做|听)",
)
"""An order about where things, money or a yes go. Someone else could have had it said; nobody needs it for good."""
_SECRET_WORD = re.compile(
    r"\b(?:pass ?words?|passwd|pass ?codes?|pass ?phrases?|pwd|pins?|pin ?codes?)\b|密码|口令|密钥|验证码",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"[零〇一二三四五六七八九]{4}|(?<![A-Za-z0-9])(?=[A-Za-z!@#$%^&*_+=.-]{0,40}\d)[A-Za-z0-9!@#$%^&*_+=.-]{4,}"
    r"|(?:\b(?:is|are|was|stays?|remains?|keeps)|[:：=]|是|为|叫)\s*[\"'“‘「]?[A-Za-z0-9!@#$%^&*_+=.-]{3,}[\"'”’」]?[.!。！]?\s*\Z",
    re.IGNORECASE,
)
_TOKEN_NEAR = 80
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


def is_order(text: str) -> bool:
    """Whether it tells a machine, or whoever reads it, what to do with others' things, or to do as somebody says.

    Stricter than what marks an entry (`store/taint.py`): there a wrong guess hides what a person said, here it only
    leaves it where it is.
    """
    plain = undisguised(text)
    return _GIVES_AWAY.search(plain) is not None or (
        _AGENT.search(plain) is not None and _HAS_TO.search(plain) is not None
    )


def names_secret(text: str) -> bool:
    """A word for a secret, with something behind it that could be one."""
    plain = undisguised(text)
    return any(_TOKEN.search(plain[found.end() :][:_TOKEN_NEAR]) for found in _SECRET_WORD.finditer(plain))


def negations(text: str) -> int:
    """How many words say *not*: two sentences that differ in one of them are no near duplicates."""
    return len(_NOT.findall(text))


def belongs_to(text: str, kind: EntryKind) -> EntryKind | None:
    """A rule of work, a preference of the person; None: neither, it is simply to be kept in view."""
    if _LIKES.search(text) and not (kind is EntryKind.DECISION and _WORKS.search(text)):
        return EntryKind.PREFERENCE
    return EntryKind.RULE if _WORKS.search(text) else None
