"""Words to learn: what stands behind /vocab and /add, and how people say the same without a slash.

A newcomer's trap: “我不认识 Tom” tells of a person and “每天 10 个俯卧撑” of push-ups. So a word to learn is Latin and
written small, quoted or called a word, and a number a day counts only where words or an examination stand beside it.
"""

from __future__ import annotations

import re

from bot.intents import AddWords, Intent, Today, Vocab, VocabDo
from bot.phrases.tail import PHRASE_CHARACTERS_MAX, Tail
from bot.phrases.word_list import looks_like_words
from store.dates_words import NUMERALS, number_zh

PLANS = {
    **dict.fromkeys("cet4|cet-4|cet 4|四级|英语四级|大学四级".split("|"), "cet4"),
    **dict.fromkeys("cet6|cet-6|cet 6|六级|英语六级|大学六级".split("|"), "cet6"),
    **dict.fromkeys("ky|考研|考研英语".split("|"), "ky"),
    **dict.fromkeys("toefl|托福".split("|"), "toefl"),
    **dict.fromkeys("ielts|雅思".split("|"), "ielts"),
    **dict.fromkeys("gre|gre 词汇".split("|"), "gre"),
}
"""What people call an examination → the tag of the dictionary."""
_PLAN = "|".join(sorted(map(re.escape, PLANS), key=len, reverse=True))
_NUMBER = rf"(?P<n>\d{{1,3}}|[{NUMERALS}]{{1,3}})"
_VERB = r"(?:要|想|来)?(?:背|学|记|练|复习|加)?"
_ME = r"(?:我(?:想|要|打算)?|以后|从今天起|从今天开始)?"
_EACH_ZH, _EACH_EN = r"(?:每天|每日|一天)", r"(?:a|per|each|every) ?day"
_STOP = r"[。.!~ ]*\Z"
_WORDS_ZH = r"(?:的)?(?:单词|词汇|生词|词)"

_PLANNED = (
    re.compile(rf"{_ME}{_EACH_ZH} ?{_VERB} ?{_NUMBER} ?个 ?(?P<plan>{_PLAN}) ?{_WORDS_ZH}?{_STOP}"),
    re.compile(rf"{_ME}{_VERB}?(?P<plan>{_PLAN}) ?{_WORDS_ZH}?[,，]? ?{_EACH_ZH} ?{_VERB} ?{_NUMBER} ?个?{_STOP}"),
    re.compile(rf"(?:i want |i'd like |give me |learn )?{_NUMBER} (?:new )?(?P<plan>{_PLAN}) words? {_EACH_EN}{_STOP}"),
    re.compile(rf"(?:i want |i'd like |give me |learn )?{_NUMBER} words? of (?P<plan>{_PLAN}) {_EACH_EN}{_STOP}"),
)
_NEW = (
    re.compile(rf"{_ME}{_EACH_ZH} ?{_VERB} ?{_NUMBER} ?个 ?(?:新词|新单词|生词|(?:英语|英文)?单词){_STOP}"),
    re.compile(rf"(?:新词|新单词) ?{_EACH_ZH} ?{_NUMBER} ?个?{_STOP}"),
    re.compile(rf"(?:i want |give me )?{_NUMBER} new words? {_EACH_EN}{_STOP}"),
)
_WORD = r"[a-z][a-z'\-]{1,39}(?: [a-z'\-]{1,40}){0,3}"
_NOT_KNOWN = re.compile(
    rf"(?:“(?P<quoted>{_WORD})”|(?P<called>{_WORD})(?= ?(?:这个词|这个单词|这词|单词))|(?P<bare>{_WORD}))"
    rf"(?: ?(?:这个词|这个单词|这词|单词))?{_STOP}",
)
_INTO_CARDS = (
    re.compile(rf"把 ?“?(?P<word>{_WORD})”? ?(?:这个词|这个单词)?(?:加进|加到|放进|加入) ?(?:我的)?(?:单词卡|每日单词|单词本|生词本)(?:里|中)?{_STOP}"),
    re.compile(rf"“?(?P<word>{_WORD})”? ?(?:加进|加到|放进|加入) ?(?:我的)?(?:单词卡|每日单词|单词本|生词本)(?:里|中)?{_STOP}"),
    re.compile(rf"(?:加|添加) ?“?(?P<word>{_WORD}?)”? ?(?:进|到|入) ?(?:我的)?(?:单词卡|每日单词|单词本|生词本)(?:里|中)?{_STOP}"),
    re.compile(rf"add (?:the word )?“?(?P<word>{_WORD}?)”? to (?:(?:my |the )?(?:daily words|word cards|flashcards|vocab)|my cards){_STOP}"),
)  # fmt: skip
_BEHIND = re.compile(
    r" (?:to|into) (?:my |the )?(?:daily words|word cards|cards|flashcards|vocab|deck|words)[ .!]*\Z|(?:这个词|这个单词)\Z"
)


def today(tail: Tail) -> Intent | None:
    return Today()


def add(tail: Tail) -> Intent | None:
    """/add, 加词: what follows is one word or several; a sentence that only begins so is none."""
    return _add(tail, few=False)


def add_word(tail: Tail) -> Intent | None:
    """add the word, add card: with which plans for a program begin, too."""
    return _add(tail, few=True)


def _add(tail: Tail, *, few: bool) -> Intent | None:
    text = tail.text
    behind = _BEHIND.search(tail.folded) if len(tail.folded) == len(text) else None
    if behind is not None:
        text = text[: behind.start()]
    if tail.slash:
        return AddWords(text.strip())
    if not tail.free or not text or len(text) > PHRASE_CHARACTERS_MAX or tail.asks:
        return None
    return AddWords(text.strip()) if looks_like_words(text, called=tail.colon, few=few) else None


def not_known(tail: Tail) -> Intent | None:
    """不认识 paradigm; 不认识 Tom is about somebody."""
    return _not_known(tail, bare=True)


def not_known_by_me(tail: Tail) -> Intent | None:
    """我不认识 paradigm 这个词; without that it is about somebody."""
    return _not_known(tail, bare=False)


def _not_known(tail: Tail, *, bare: bool) -> Intent | None:
    found = _NOT_KNOWN.match(tail.folded)
    if found is None:
        return None
    name = "quoted" if found["quoted"] else "called" if found["called"] else "bare"
    typed = tail.text[slice(*found.span(name))]
    if name == "bare" and not (bare and typed[:1].islower() and looks_like_words(typed, few=True)):
        return None
    return AddWords(typed)


def new_word(tail: Tail) -> Intent | None:
    """生词：paradigm, new word: paradigm"""
    return _add(tail, few=True) if tail.colon and tail.text else None


def saying(body: str, folded: str) -> Intent | None:
    """每天 10 个六级, 10 new words a day, 把 paradigm 加进单词卡"""
    for one in _PLANNED:
        if found := one.match(folded):
            return Vocab(VocabDo.PLAN, PLANS[found["plan"]], n=_number(found["n"]))
    for one in _NEW:
        if found := one.match(folded):
            return Vocab(VocabDo.NEW, n=_number(found["n"]))
    for one in _INTO_CARDS:
        if (found := one.match(folded)) and looks_like_words(found["word"], called=True):
            return AddWords(body[slice(*found.span("word"))])
    return None


def _number(text: str) -> int | None:
    try:
        return number_zh(text)
    except KeyError:
        return None


_GIVES_UP = frozenset(
    "不知道|不会|不记得|想不起来|忘了|忘记了|没印象|不会写|don't know|i don't know|dont know|no idea|forgot|i forgot|pass|skip".split(
        "|"
    )
)


def gives_up(folded: str) -> bool:
    """Said instead of the word that a card asks for."""
    return folded in _GIVES_UP


_WAVES_OFF = frozenset(
    "算了|取消|不用|不用了|不加|不加了|没有|没了|不要|不要了|cancel|never mind|nevermind|nothing|none|no|stop|no thanks".split(
        "|"
    )
)


def waves_off(text: str) -> bool:
    """Said instead of a word, when asked which one."""
    return " ".join(text.casefold().strip(" 。.!！,，").split()) in _WAVES_OFF


# behind /vocab

_ON = {"on", "开", "打开", "开启", "start"}
_OFF = {"off", "关", "关掉", "关闭", "stop"}
_WITH_WORD = {
    **dict.fromkeys(("known", "know", "已会", "会了"), VocabDo.KNOWN),
    **dict.fromkeys(("suspend", "rest", "先放", "先放着", "放一放"), VocabDo.SUSPEND),
    **dict.fromkeys(("resume", "back", "again", "拿回来", "继续"), VocabDo.BACK),
    **dict.fromkeys(("remove", "delete", "去掉", "拿掉", "删掉", "删除"), VocabDo.REMOVE),
    **dict.fromkeys(("edit", "meaning", "改", "改意思"), VocabDo.EDIT),
    **dict.fromkeys(("show", "看"), VocabDo.CARD),
}
_WITH_NUMBER = {
    **dict.fromkeys(("new", "新词"), VocabDo.NEW),
    **dict.fromkeys(("cap", "most", "最多", "上限"), VocabDo.CAP),
    **dict.fromkeys(("grades", "buttons", "评分", "按钮"), VocabDo.GRADES),
}
_NEEDS_MORE = {*_WITH_NUMBER, "type", "typed", "打字", "reschedule", "重排", "重新排"}
_ONE_WORD = re.compile(r"[^\W\d_][^\W_]*(?:['’\-][^\W_]+)*(?:\+\+|#)?")
_ARGUMENT = re.compile(r"([^\s:：=]+)[\s:：=]*")
_PLAN_TYPED = re.compile(
    rf"(?P<plan>{_PLAN})(?:[ ,，]*(?:(?:{_EACH_ZH}) ?)?(?P<n>\d{{1,3}}) ?(?:个|张)?(?: ?(?:/|a|per) ?(?:day|d|天))?)?{_STOP}"
)
_MEANING = re.compile(r"\s*[=＝:：]\s*|\s+(?=[\u3400-\u9fff])")


def vocab(tail: Tail) -> Intent | None:
    """/vocab alone shows how things stand; with a word behind it, it sets or does something."""
    if not tail.slash and tail.text and not tail.free:
        return None
    found = _ARGUMENT.match(tail.folded)
    if found is None:
        return Vocab() if tail.slash or not tail.text else None
    name, rest, said = found[1], tail.text[found.end() :].strip(), tail.folded[found.end() :].strip()
    intent = _behind(name, rest, said)
    if intent is None and tail.slash and name in _WITH_WORD:
        return Vocab(_WITH_WORD[name])
    if intent is None and tail.slash and name not in _NEEDS_MORE and _ONE_WORD.fullmatch(tail.text):
        return Vocab(VocabDo.CARD, tail.text[:PHRASE_CHARACTERS_MAX])
    if intent is None and tail.slash:
        return Vocab(VocabDo.UNREAD, tail.text[:PHRASE_CHARACTERS_MAX])
    return intent


def _behind(name: str, rest: str, said: str) -> Vocab | None:
    if name in _ON | _OFF and not rest:
        return Vocab(VocabDo.ON if name in _ON else VocabDo.OFF)
    if name in ("list", "cards", "列表", "单词卡") and not rest:
        return Vocab(VocabDo.LIST)
    if name in ("reschedule", "重排", "重新排") and said in ("", "all", "全部"):
        return Vocab(VocabDo.RESCHEDULE)
    if name in ("type", "typed", "打字") and said in _ON | _OFF:
        return Vocab(VocabDo.TYPE if said in _ON else VocabDo.NO_TYPE)
    if name in ("plan", "计划"):
        return _plan(said)
    if name in _WITH_NUMBER and (number := re.fullmatch(r"(-?\d{1,9})\d* ?(?:个|张)?", said)):
        return Vocab(_WITH_NUMBER[name], n=int(number[1]))
    if name in _WITH_NUMBER and (spelled := re.fullmatch(rf"([{NUMERALS}]{{1,4}}) ?(?:个|张)?", said)):
        n = _number(spelled[1])
        return Vocab(_WITH_NUMBER[name], n=n) if n is not None else None
    if name in _WITH_WORD and rest:
        word, *meaning = _MEANING.split(rest, maxsplit=1) if _WITH_WORD[name] is VocabDo.EDIT else [rest]
        return Vocab(_WITH_WORD[name], word[:PHRASE_CHARACTERS_MAX], text=meaning[0] if meaning else "")
    return None


def _plan(said: str) -> Vocab | None:
    if said in _OFF or said in ("none", "不要"):
        return Vocab(VocabDo.NO_PLAN)
    if not said:
        return Vocab(VocabDo.PLAN)
    found = _PLAN_TYPED.match(said)
    if found is None:
        return Vocab(VocabDo.PLAN, said)
    return Vocab(VocabDo.PLAN, PLANS[found["plan"]], n=int(found["n"]) if found["n"] else None)
