"""What follows a command word → an intent, or nothing when the word was only part of an ordinary sentence.

A newcomer's trap: the same words are looser behind a slash (`/done write the drill`) than at the
start of a sentence ("done deal"), so each rule says how it must be joined to what follows.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.intents import (
    Ask,
    Aspect,
    Correct,
    Count,
    Decisions,
    Empty,
    Forget,
    History,
    Intent,
    Pin,
    Profile,
    Remember,
    SearchCold,
    Simple,
    Track,
    Undo,
    Why,
    YouForgot,
)
from bot.phrases.fields import draft_of
from bot.phrases.lasting import remember_of
from bot.phrases.lasting import remember_until as remember_until_day
from bot.phrases.questions import TOPIC_CHARACTERS_MAX, question_in
from bot.phrases.scan import Meter
from bot.phrases.tail import PHRASE_CHARACTERS_MAX, Rule, Tail
from store.model import Draft, EntryKind

_KEPT_ALREADY = re.compile(
    r"(?:了?(?:吗|没|么)(?:有)?[?？。!！]*\Z|没有?[?？]|没有\Z|了(?:什么|哪|多少|谁)|的|过(?:吗|没|什么)|了(?![:：,，])|[。.!！~～]*\Z)"
)
_KEEP_POINTING = re.compile(
    r"(?:这句话|这一句|这句|这条|这一条|这个|这件事|这点|下来|一下)(?=[\s:：,，、。；;!！—\"“]|\Z)"
    r"|(?:this line|this one|this|that line|that one)(?=[\s:,;.!-]*\Z|\s?[:：,，])|(?:this line|this quote)\b|that\b(?!')|to\b(?![-'])"
)
_QUOTE_POINTING = ("这句", "这一句", "this line", "this quote", "that line")
_SET_IN = re.compile(r"(?:in mind|down)\b")


def remember(tail: Tail) -> Intent | None:
    if not tail.slash and not tail.joint and tail.text and _KEPT_ALREADY.match(tail.folded):
        return None
    text, folded = tail.text, tail.folded
    if not tail.joint and folded.startswith("了"):
        text = text[tail.meter.after_joint(text, 1) :]
        folded = tail.meter.fold(text)
    set_in = _SET_IN.match(folded)
    if set_in is not None:
        text = text[tail.meter.after_joint(text, set_in.end()) :]
        folded = tail.meter.fold(text)
    pointing = _KEEP_POINTING.match(folded)
    kind: EntryKind | None = None
    if pointing is not None:
        if pointing[0].startswith(_QUOTE_POINTING):
            kind = EntryKind.QUOTE
        text = text[tail.meter.after_joint(text, pointing.end()) :]
    if tail.meter.blank(text):
        return _reply_or(tail, "remember")
    found = remember_of(text, tail.meter, kind=kind, text_may_be_empty=tail.is_reply)
    lasting = found.lasting and replace(found.lasting, draft=_of_reply(found.lasting.draft))
    return Remember(_of_reply(found.draft), lasting)


def _of_reply(draft: Draft) -> Draft:
    """Without words of its own it keeps the words of the message it answers, as a quote."""
    return draft if draft.text else replace(draft, kind=EntryKind.QUOTE)


def remember_until(tail: Tail) -> Intent | None:
    """记到周五：…"""
    found = remember_until_day(f"到{tail.text}", tail.meter, is_reply=tail.is_reply) if not tail.joint else None
    return found and replace(
        found, lasting=found.lasting and replace(found.lasting, draft=_of_reply(found.lasting.draft))
    )


def remember_english(tail: Tail) -> Intent | None:
    """ "remember when we …?" asks; "remember to ask Wei: is it on?" does not."""
    if not tail.slash and not tail.colon and tail.asks and _REMINISCING.match(tail.folded):
        return None
    return remember(tail)


_REMINISCING = re.compile(r"(?:what|when|where|who|which|how|why|if|whether|me|us|anything|the time)\b")


def keep_this(tail: Tail) -> Intent | None:
    """ "keep this: …" keeps, "keep this door closed" is talk."""
    if tail.text and not (tail.joint.strip() or "\n" in tail.joint) and not _KEEP_MORE.match(tail.folded):
        return None
    return remember(tail)


_KEEP_MORE = re.compile(
    r"(?:in mind|line|one|quote|note)(?=[\s:,;.!-]*\Z|\s?[:：,，])|(?:in mind)\b|(?:until|till) [^:\n]{1,40}:"
)


def _reply_or(tail: Tail, command: str) -> Intent:
    if not tail.is_reply:
        return Empty(command)
    draft = draft_of("", tail.meter, kind=EntryKind.QUOTE, text_may_be_empty=True)
    return Remember(draft)


def rule(tail: Tail) -> Intent | None:
    if not tail.colon or not tail.text:
        return None
    return remember_of(tail.text, tail.meter, kind=EntryKind.RULE)


def correct(tail: Tail) -> Intent | None:
    """更正 …, /correct …: a RefID first, or only the new words."""
    ref, rest = tail.ref
    if not ref and not tail.free:
        return None
    if not ref and not tail.text:
        return Empty("correct")
    if ref:
        for word in ("这条", "那条", "改成", "改为", "to:", "to "):
            if tail.meter.fold(rest, 8).startswith(word):
                rest = rest[tail.meter.after_joint(rest, len(word)) :]
    found = remember_of(rest, tail.meter, text_may_be_empty=True)
    return Correct(found.draft, ref, found.lasting)


def correct_with_colon(tail: Tail) -> Intent | None:
    """ "correct: …", "correct D-… …"; a bare "correct" agrees with someone."""
    if not (tail.slash or tail.ref[0] or (tail.colon and tail.text)):
        return None
    return correct(tail)


def change_to(tail: Tail) -> Intent | None:
    """改成 15:30"""
    if not tail.text:
        return Empty("correct")
    if tail.folded.startswith(("了", "什么", "啥", "哪", "多少")) or tail.asks:
        return None
    return correct(Tail(tail.text, " ", tail.folded, tail.meter, tail.is_reply))


_POLITE = re.compile(
    r"(?:thanks?(?: you)?|thx|worries|problem|way|need|idea|one|no|never ?mind|it's (?:fine|ok|okay)|i'm (?:fine|good|ok|okay)"
    r"|not (?:yet|now|really|today)|sorry|wait|please)\b[^\n]{0,24}\Z|不|谢|没事|算了|等等"
)


def no_but(tail: Tail) -> Intent | None:
    """不对，… / no, …: what follows is the right version."""
    if not tail.text or not tail.joint.strip() or _POLITE.match(tail.folded):
        return None
    if tail.asks:
        return question_in(tail.text, tail.meter)
    return correct(Tail(tail.text, tail.joint, tail.folded, tail.meter, tail.is_reply))


_I_SAID = re.compile(
    r"(?:(?:(?:我|我们)?(?:之前|以前|上次|昨天|早就|明明|不是){0,2}(?:跟你说过|和你说过|告诉过你|告诉你|说过|说了|讲过|提过|说的)(?:的是?)?)"
    r"|(?:that )?(?:i|we)(?:'ve| have)?(?: already)? (?:told you|said|mentioned)(?: (?:you )?that\b)?|what i (?:said|told you)|that\b(?!')|about\b)"
)


def you_forgot(tail: Tail) -> Intent | None:
    if tail.asks:
        return None
    text, folded = tail.text, tail.folded
    if folded.startswith(("to ", "了吗", "没")):
        return None
    said = _I_SAID.match(folded)
    if said is not None:
        text = text[tail.meter.after_joint(text, said.end()) :]
    return Empty("you_forgot") if tail.meter.blank(text) else YouForgot(text)


_FORGET_LEAD = re.compile(
    r"(?:关于|有关|我说的|我刚才说的|那条|这条|那个"
    r"|(?:(?:the|that|this|my) )?(?:one|entry|note|line|thing|decision|memory|bit|part) (?:about|on|with|saying)\b|what i (?:just )?(?:said|told you) about\b"
    r"|about\b|everything about\b|that\b(?!')|the\b)"
)
_FORGET_TAIL = re.compile(
    r"(?:的?(?:那条|这条|那个|那件事|这件事|那句话?|这句话?|那一条|这一条|记录|记忆|事情|事)|的那条记录|的|吧|entry|one|please)[\s。.!！~～]*\Z"
)


def thing_to_forget(tail: Tail) -> str:
    ref, _ = tail.ref
    if ref:
        return ref
    text = tail.text.rstrip("。.!！~～ ")
    folded = tail.meter.fold(text)
    for _ in range(3):
        lead = _FORGET_LEAD.match(folded)
        if lead is None or lead.end() >= len(folded):
            break
        cut = tail.meter.after_joint(text, lead.end())
        text, folded = text[cut:], folded[cut:]
    end = _FORGET_TAIL.search(folded) if len(text) == len(folded) else None
    if end is not None and end.start() > 0:
        text = text[: end.start()]
    return text.strip().strip("“”\"「」『』'‘’").strip()


def forget(tail: Tail) -> Intent | None:
    if tail.meter.blank(tail.text):
        return Empty("forget")
    if not tail.slash and not tail.joint and tail.folded.startswith(("了", "的")):
        return None
    if not tail.slash and (tail.asks or len(tail.text) > PHRASE_CHARACTERS_MAX):
        return None
    return Forget(thing_to_forget(tail))


def forget_if_pointed(tail: Tail) -> Intent | None:
    """忘了带伞 tells of an umbrella; 忘了门锁那条 asks."""
    if tail.ref[0] or _FORGET_POINTED.search(tail.folded[:PHRASE_CHARACTERS_MAX].rstrip("。.!！~～ 吧")):
        return forget(tail)
    return None


_FORGET_POINTED = re.compile(r"(?:那条|这条|那一条|这一条|那句话?|这句话?|的记录)\Z")


def undo(tail: Tail) -> Intent | None:
    ref, _ = tail.ref
    return Undo(ref or tail.text) if ref or tail.slash else None


def pin(tail: Tail, *, on: bool = True) -> Intent | None:
    ref, _ = tail.ref
    if ref or (tail.slash and tail.text):
        return Pin(ref or tail.text, on)
    return None if tail.text else Empty("pin" if on else "unpin")


def unpin(tail: Tail) -> Intent | None:
    return pin(tail, on=False)


def count(tail: Tail) -> Intent | None:
    return Count(bare_term(tail.text)) if tail.text else Empty("count")


def track(tail: Tail) -> Intent | None:
    """/track budget, 关注词：预算; /track off budget ends it."""
    if not tail.text:
        return Track()
    off = _TRACK_OFF.match(tail.folded)
    if off is not None:
        return Track(bare_term(tail.text[off.end() :]), on=False)
    return Track(bare_term(tail.text)) if tail.free else None


def track_quoted(tail: Tail) -> Intent | None:
    """关注“预算” or 关注预算这个词; 关注公众号 is talk."""
    term = bare_term(tail.text)
    return Track(term) if _NAMED_AS_WORD.search(tail.folded) and term else None


def untrack(tail: Tail) -> Intent | None:
    """不再关注 预算, stop tracking budget"""
    term = bare_term(tail.text)
    named = tail.free or _NAMED_AS_WORD.search(tail.folded) is not None
    return Track(term, on=False) if term and named and not tail.asks else None


_TRACK_OFF = re.compile(r"(?:off|stop|取消|不再)[\s:：](?=\s?\S)")
_NAMED_AS_WORD = re.compile(r"(?:这个词|这个单词|这词)[。.!！\s]*\Z|\A[“「『《].*[”」』》][。.!！\s]*\Z")


def why(tail: Tail) -> Intent | None:
    ref, _ = tail.ref
    if ref or (tail.slash and tail.text):
        return Why(ref or tail.text)
    return None if tail.text else Empty("why")


def why_only_ref(tail: Tail) -> Intent | None:
    ref, rest = tail.ref
    return Why(ref) if ref and tail.meter.fold(rest).strip("?？。. ") in {"", "from"} else None


def history(tail: Tail) -> Intent | None:
    ref, _ = tail.ref
    if ref or (tail.slash and tail.text):
        return History(ref or tail.text)
    return None if tail.text else Empty("history")


def history_only_ref(tail: Tail) -> Intent | None:
    return history(tail) if tail.ref[0] else None


def decisions(tail: Tail) -> Intent | None:
    return Decisions(tail.text.rstrip("?？")) if tail.free or tail.slash else None


def search(tail: Tail) -> Intent | None:
    """查一下 X, recall X: X is a query, verbatim."""
    if tail.meter.blank(tail.text):
        return Empty("recall")
    topic = tail.text if len(tail.text) <= TOPIC_CHARACTERS_MAX and "\n" not in tail.text else ""
    return Ask(tail.text, topic, Aspect.SEARCH)


def search_if_free(tail: Tail) -> Intent | None:
    return search(tail) if tail.free else None


def search_cold(tail: Tail) -> Intent | None:
    """翻旧记忆 X, search archive X"""
    return SearchCold(tail.text.rstrip("?？"))


def profile(tail: Tail) -> Intent | None:
    """关于我：职业 = 医生"""
    if not tail.colon:
        return None
    window = tail.text[:60]
    at = next((place for place, c in enumerate(window) if c in "=＝:："), -1)
    tail.meter.steps += len(window)
    if at < 1:
        return Profile() if tail.slash else None
    return Profile(tail.text[:at].strip(), tail.text[at + 1 :].strip())


def simple(name: str, argument: str = "") -> Rule:
    """A rule for a command whose plain words take an argument of a known shape; a number may stand right behind 暂停."""
    shape = re.compile(rf"(?:{argument})\Z") if argument else None

    def match(tail: Tail) -> Intent | None:
        apart = tail.free or _NUMBER_FIRST.match(tail.folded[:4])
        if tail.slash or (shape is not None and apart and tail.text and shape.match(tail.folded[:80])):
            return Simple(name, tail.text)
        return None

    return match


_NUMBER_FIRST = re.compile(r"\d|[一二两三四五六七八九十半]|到|早上|晚上|上午|下午|中午")
_TERM_QUOTES = "“”\"「」『』《》‘’' "
_TERM_LEAD = re.compile(r"(?:the )?(?:word|term|phrase)s? |单词|词语|这个词")
_TERM_TAIL = re.compile(
    r"(?:(?:这个|那个|这)|\s|(?<=[a-z”」』》]))(?:单词|词语|词|字)\Z|(?: before| so far| in my notes| yet)\Z"
)


def bare_term(text: str) -> str:
    """The word to count, without quotes and without "the word"."""
    term = text[:PHRASE_CHARACTERS_MAX].strip("?？。.!！ ")
    folded = Meter().fold(term)
    lead = _TERM_LEAD.match(folded)
    if lead is not None and lead.end() < len(term):
        term, folded = term[lead.end() :], folded[lead.end() :]
    end = _TERM_TAIL.search(folded)
    if end is not None and end.start() > 0:
        term = term[: end.start()]
    return term.strip(_TERM_QUOTES)
