"""How often, and when last, a word came up: questions whose answer is a count.

A newcomer's trap: “我跟你提过几次了” complains and “老板提过几次了” tells; neither asks for the count of a word. So what
stands before the verb must look like a word, and after the count only the second half of such a question may follow.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.intents import Count
from bot.phrases.commands import bare_term
from bot.phrases.scan import CLAUSE_BREAK

_END = r"[?？。.!！\s]*\Z"
_WE = r"(?:我们|咱们|大家|我)?"
_SO_FAR = r"(?:之前|以前|至今|到现在|到目前|一共|总共|有没有|都)*"
_THIS_WORD = r"(?:这个词|这个单词|这个字|这词|单词|这个话题)"
_MET = r"出现|见到|见|遇见|遇到|碰到|看到|读到"
_TALKED = r"提到|提及|提起|提|聊到|聊起|聊|谈到|谈起|谈|讨论到|讨论|说到|说起|讲到"
_TIMES = r"(?:几|多少)[次回遍]"
_DAY = r"(?:什么时候|何时|哪天|哪一天|几月几号|几号)"
_LAST = r"(?:上一?次|上回|最近一?次|最后一次)"
_AND_LAST = rf"(?:[,，、;；\s]{{0,2}}(?:和|还有|以及)?(?:{_LAST}|最近)(?:{_TALKED}|{_MET})?过?(?:是在|是|在)?{_DAY}?)?"

_TIMES_AFTER = re.compile(
    rf"\s?{_THIS_WORD}?\s?{_WE}{_SO_FAR}(?:(?P<met>{_MET})|{_TALKED})过?了?{_TIMES}(?P<told>了)?{_AND_LAST}(?P<end>{_END})"
)
_EVER_AFTER = re.compile(rf"\s?(?P<word>{_THIS_WORD})?\s?{_WE}{_SO_FAR}(?:出现|见|遇到)过(?:吗|没有?|么){_END}")
_TIMES_BEFORE = re.compile(
    rf"{_WE}{_SO_FAR}(?:(?P<met>{_MET})|{_TALKED})(?:过了|过|了|(?<=到)){_TIMES}(?:关于|有关)?"
    rf"(?P<term>[^,，。;；!！?？、\n]{{1,20}}?){_THIS_WORD}?{_AND_LAST}{_END}"
)
_LAST_BEFORE = re.compile(
    rf"{_WE}{_LAST}{_WE}(?:(?P<met>{_MET})|{_TALKED})过?(?:关于|有关)?"
    rf"(?P<term>[^,，。;；!！?？、\n]{{1,20}}?){_THIS_WORD}?(?:是在|是|在)?{_DAY}(?:的|了)?{_END}"
)
_LAST_AFTER = re.compile(
    rf"\s?{_THIS_WORD}?\s?{_WE}{_LAST}{_WE}(?:(?P<met>{_MET})|{_TALKED})过?(?:是在|是|在)?{_DAY}(?:的|了)?{_END}"
)
_HAVE_MET = re.compile(r"(?:我们|我|咱们)?(?:以前|之前)?(?:有没有)?(?:见过|遇到过)(?!面)")
_HAVE_MET_ENDS = re.compile(r"(?:吗|没有?|几次|多少次)?[?？。.\s]*\Z")
_TERM_LEAD = re.compile(r"(?:请问|那么|那|关于|有关)?(?:我们|咱们|我(?!们))?(?:关于|有关)?")
_NO_TERM = re.compile(
    r"(?:我|你|您|他|她|它|我们|你们|他们|大家|谁|什么|啥|这|那|这个|那个|这些|那些|它们|面)\Z|(?:跟|和|对|给|向)(?:我|你|您|他|她|它|谁)|(?:才|都|要|该)"
    r"|(?:it|this|that|them|him|her|you|me|us|i|we|something|anything|one|each other)\Z"
)
_LATIN_OR_QUOTED = re.compile(r"[\x21-\x7e][\x20-\x7e]*\Z|[“「『《].*[”」』》]\Z")

_HOW = r"(?:how often|how many times|how frequently)"
_MENTION = (
    r"(?:mention(?:ed)?|br(?:ing|ought) up|talk(?:ed)? about|sp(?:eak|oke|oken) (?:about|of)|discuss(?:ed)?|chat(?:ted)? about"
    r"|refer(?:red)? to|say|said|use(?:d)? (?=the word|the term|the phrase))"
)
_PASSIVE = r"(?:mentioned|brought up|talked about|discussed|referred to)"
_APPEAR = r"(?:appear(?:ed|s)?|c[oa]me up|occur(?:red|s)?|show up|shown up|been met|been " + _PASSIVE + r")"
_TAIL = r"(?:,? and (?:when|last)\b[^,;.!?]{0,30})?(?: so far| in total| altogether| until now| yet| before)?[ ?.!]*\Z"
_WHEN = r"(?: (?P<{}>(?:in|on|last|this|since|during|before|after|between|over) [^,;.!?]{{1,40}}?))?"
_MET_EN = re.compile(
    rf"{_HOW} (?:have|did|do) (?:i|we) (?:ever )?(?:met|meet|seen|see|come across|run into|encountered|encounter|read) "
    rf"(?P<term>.{{1,100}}?){_TAIL}"
    r"|have (?:i|we) (?:ever )?(?:met|seen (?=the (?:word|term|phrase))|come across|encountered) (?P<ever>.{1,100}?)[ ?.!]*\Z"
)
_TALKED_EN = re.compile(
    rf"{_HOW} (?:have|had|did|do|has) (?:i|we|anyone|anybody) (?:ever |already )?{_MENTION} (?P<term>.{{1,80}}?){_TAIL}"
    rf"|when (?:did|have) (?:i|we) (?:last|most recently) {_MENTION} (?P<last>.{{1,80}}?)[ ?.!]*\Z"
    rf"|when was the last time (?:that )?(?:i|we) {_MENTION} (?P<latest>.{{1,80}}?)[ ?.!]*\Z"
    rf"|when (?:was|were) (?P<passive>.{{1,80}}?) (?:last|most recently) {_PASSIVE}[ ?.!]*\Z"
    rf"|when did (?P<came>.{{1,80}}?) (?:last (?:come up|appear|occur)|(?:come up|appear|occur) last)[ ?.!]*\Z"
)
_APPEARED_EN = re.compile(
    rf"{_HOW} (?:has|have|did|does|do) (?P<term>.{{1,80}}?) {_APPEAR}{_WHEN.format('when')}{_TAIL}"
    rf"|{_HOW} (?:is|was|were) (?P<passive>.{{1,80}}?) {_PASSIVE}{_WHEN.format('then')}{_TAIL}"
)
_ARTICLE = re.compile(r"(?:the|a|an|our|my) (?!word\b|term\b|phrase\b)(?=\S)")
_THIS_WORD_EN = re.compile(r"(?:this|that|the) (?:word|term|phrase)\Z")


def counting(body: str, folded: str) -> Count | None:
    """The count that `body`, not longer than its window `folded`, asks for."""
    return _chinese(body, folded) or _english(body, folded)


def _chinese(body: str, folded: str) -> Count | None:
    found = _TIMES_AFTER.search(folded) or _LAST_AFTER.search(folded)
    if found is not None:
        if found.start() == 0:
            return Count("") if re.match(_THIS_WORD, folded) else None
        start = _lead(folded, found.start())
        said = "told" in found.re.groupindex and found["told"] and not found["end"].strip(" 。.!！")
        if said and not _names_word(folded[start : found.end()], folded[start : found.start()]):
            return None
        return _count(body, folded, start, found.start(), about=not (found["met"] or re.search(_THIS_WORD, found[0])))
    found = _EVER_AFTER.search(folded)
    if found is not None and found.start() > 0:
        start = _lead(folded, found.start())
        if found["word"] or _LATIN_OR_QUOTED.match(folded[start : found.start()].strip()):
            return _count(body, folded, start, found.start())
    found = _TIMES_BEFORE.match(folded) or _LAST_BEFORE.match(folded)
    asks = found is not None and (
        found.re is _LAST_BEFORE or "多少" in found[0] or found[0].rstrip().endswith(("?", "？"))
    )
    if found is not None and asks and (not found["met"] or _LATIN_OR_QUOTED.match(found["term"].strip())):
        return _count(body, folded, *found.span("term"), about=not found["met"])
    met = _HAVE_MET.match(folded)
    if met is None:
        return None
    ends = _HAVE_MET_ENDS.search(folded, met.end())
    asked = ends is not None and (ends[0].strip(" 。.") != "" or "有没有" in met[0])
    return _count(body, folded, met.end(), ends.start()) if ends is not None and asked else None


def _lead(folded: str, end: int) -> int:
    """Where the word begins: behind 请问, 我们, 关于 and their like."""
    lead = _TERM_LEAD.match(folded, 0, end)
    return lead.end() if lead is not None and lead.end() < end else 0


def _names_word(asked: str, term: str) -> bool:
    return re.search(_THIS_WORD, asked) is not None or _LATIN_OR_QUOTED.match(term.strip()) is not None


def _english(body: str, folded: str) -> Count | None:
    for pattern in (_MET_EN, _TALKED_EN, _APPEARED_EN):
        found = pattern.match(folded)
        if found is None:
            continue
        name, *when = (name for name, said in found.groupdict().items() if said is not None)
        start, end = found.span(name)
        if _THIS_WORD_EN.match(folded, start, end):
            return Count("")
        article = _ARTICLE.match(folded, start, end) if pattern is not _MET_EN else None
        counted = _count(body, folded, article.end() if article else start, end, about=pattern is not _MET_EN)
        if counted is not None:
            return replace(counted, term=" ".join((counted.term, *(body[slice(*found.span(one))] for one in when))))
    return None


def _count(body: str, folded: str, start: int, end: int, *, about: bool = False) -> Count | None:
    """`about`: a topic is asked for, unless it is quoted or called a word: memory answers where it stands nowhere."""
    named = body[start:end].strip()
    term = bare_term(named)
    if not term or CLAUSE_BREAK.search(term) or _NO_TERM.match(folded[start:end].strip()):
        return None
    return Count(term, body if about and term == named else "")
