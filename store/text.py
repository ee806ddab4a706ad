"""How words are compared: folding, the tokens of both index tables, the terms of a question.

Everything that is indexed or looked for goes through `fold` first, on both sides. What SQLite then sees is
already cut into tokens by us, because its tokenizers take a run of Chinese as one word.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from opencc import OpenCC

from store.model import ENTRY_CHARACTERS_MAX

TOKENIZE_EXPANDED = "porter unicode61 remove_diacritics 2"
"""The tokenizer of the table that holds `expand(text)`."""
TOKENIZE_PLAIN = "unicode61 remove_diacritics 2"
"""The tokenizer of the table that holds `plain(text)`."""

TERMS_MAX = 64
SINGLE_CHARACTER_WEIGHT = 0.3

_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff"
"""Scripts written without spaces, and Hangul, whose particles stick to the word. 々〆〇 count as Han."""
_WORD = rf"[^\W_{_CJK}]"
_RUN = re.compile(rf"({_WORD}+)|([{_CJK}]+)")
_CJK_START = _CJK_ANY = re.compile(f"[{_CJK}]")

# NUL ends a string for SQLite's tokenizer; a lone surrogate has no UTF-8. Invisible characters split words unseen.
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")

# NFKC says the same of these, but reads a text without them many times faster.
_WIDE_MARKS = tuple(zip("，！？：；（）", ",!?:;()", strict=True))
# What OpenCC's t2s leaves alone.
_VARIANTS = dict(zip("妳牠祂囘囬衹甦姪粧荳碁痳嬭菸囍", "你它他回回只苏侄妆豆棋麻奶烟喜", strict=True))
_VARIANT = re.compile(f"[{''.join(_VARIANTS)}]")
# 著 is 着 behind a verb (喝著) and itself in words about writing and fame.
_ZHE = re.compile(r"(?<![名显编原译专土论巨遗昭拙卓所合执])著(?![名作称者书述录])")

_ALIASES = (
    (re.compile(rf"(?<!{_WORD})c\+\+"), " cplusplus "),
    (re.compile(rf"(?<!{_WORD})([cf])#(?!{_WORD})"), r" \1sharp "),
    (re.compile(rf"(?<![.@/-])(?<!{_WORD})\.net(?![.-]?{_WORD})"), " dotnet "),
)
_ALIAS_SIGN = re.compile(r"\+\+|#|\.net")


def _table(lines: str) -> dict[str, str]:
    return {form: forms[0] for line in lines.split(";") if (forms := line.split()) for form in forms}


_BASE_FORMS = _table(
    """
    go went gone goes; buy bought; get got gotten; make made; take took taken; give gave given; see saw seen; run ran;
    swim swam swum; write wrote written; speak spoke spoken; meet met; leave left; lose lost; win won; teach taught;
    catch caught; think thought; bring brought; begin began begun; break broke broken; build built;
    choose chose chosen; come came; draw drew drawn; drive drove driven; eat ate eaten; fall fell fallen; feel felt;
    find found; fly flew flown; forget forgot; grow grew grown; hear heard; hold held; keep kept; know knew known;
    learn learnt; lend lent; mean meant; pay paid; ride rode ridden; rise rose risen; sell sold; send sent; show shown;
    sing sang sung; sit sat; sleep slept; spend spent; stand stood; steal stole stolen; tell told; throw threw thrown;
    understand understood; wake woke woken; wear wore worn; child children; kid kids; person people; man men;
    woman women; wife wives; life lives; mom mother mum mama; dad father papa; photo picture pic photograph;
    grandma grandmother; grandpa grandfather
    """
)

STOP = frozenset(
    """
    a an the of to in on at for and or is are was were be been do does did has have had what when where who whom which
    why how i you he she it they we his her their my your our with from that this as by about into than then so if not
    no s t
    的 了 是 在 我 你 他 她 它 们 吗 呢 吧 啊 和 与 就 都 也 很 还 有 过 几 个 这 那 给 说 被 把 到 为 以 及 或 之 于 而
    其 最 何 谁 什么 怎么 多少 哪些 哪个 我们 你们 曾经
    """.split()
)
"""Dropped from questions before ranking; measured with exactly these."""

_FILLERS = STOP | frozenset(
    """
    name kind type sort many much long often favorite favourite thing things something someone person way time times day
    year date ever recently currently plan plans planned planning do done doing go going mention mentioned note noted
    say said says tell feel think like want wanted enjoy some any being else more most other
    can could will would shall should may might must am having me him us them its hers theirs mine yours ours myself
    yourself himself herself itself ourselves themselves these those here there whose don doesn didn isn wasn aren ll re
    ve d m
    decide decided decides decision decisions agree agreed agreement remember remembered recall talk talked talking
    discuss discussed please know again already last next
    哪 么 什 怎 多 少 定 聊 没 嘛 呀 啦 哦 呗 得 地 着 要 会 能 对 跟 请 再 又 只 才 呐 叫
    """.split()
)
"""What says which kind of question it is, not what it is about. The gate looks past it."""

# Cut out of a Chinese question before it becomes pairs, so that no pair reaches into them. Longest first.
_ZH_FILLERS = re.compile(
    "|".join(
        sorted(
            """
            我们 你们 他们 她们 咱们 大家 自己 什么 什么时候 为什么 什么地方 干什么 怎么 怎么样 怎样 多少 多久 多大 多长
            哪里 哪儿 哪个 哪些 哪天 哪一天 哪年 哪一年 哪月 哪种 哪位 哪条 几点 几号 几月 几次 几个 几天 几年 谁 何时 何地
            是不是 有没有 能不能 会不会 要不要 可不可以 是否 没有 还有 请问 帮我 告诉我 知道 知不知道 记得 还记得 记不记得
            之前 以前 上次 当时 当初 后来 最后 曾经 最近 到底 究竟
            决定 定了 定的 定过 定在 定成 定下 定下来 说好 说了 说过 说的 聊过 聊到 聊了 聊的 谈过 谈到 讲过 提过 提到 讨论过
            关于 有关 这个 那个 这件事 那件事 这些 那些 的时候 时候
            在哪 去哪 到哪 叫什么 是什么 的 吗 呢 啊 吧 是 我 你 他 她 它
            喜欢 最喜欢 觉得 想要 打算 计划 告诉 给我 对吗 对不对 曾 名字 类型 种类 事情 东西 经常 一般 目前 其他 别的
            一个 一些 一次 一下 一种 一部 一道 一件 一条 一份 哪一部 哪一道 哪两部 两部
            """.split(),
            key=len,
            reverse=True,
        )
    )
    .replace("|的|", "|(?<!目)的(?!确|士)|")
    .replace("|吧|", "|(?<![酒网书水])吧|")
    + "|(?<![日笔书登标传速])记(?:下来|下(?![周月个次])|过(?!敏)|了(?!解))"
    + "|了(?!解|不起)|(?<![茶])几(?!何|乎)"
)


@cache
def _to_simplified() -> OpenCC:
    return OpenCC("t2s")


def clean(text: str) -> str:
    """NUL and lone surrogates become U+FFFD: the only characters SQLite cannot take."""
    return _UNSTORABLE.sub("\ufffd", text)


def nfc(text: str) -> str:
    """The one spelling of keys and tags: composed, storable, otherwise as typed."""
    return unicodedata.normalize("NFC", clean(text))


@lru_cache(maxsize=4)
def fold(text: str) -> str:
    """The form in which words are compared: full and half width, traditional and simplified, capital and small are one.

    Kept for a moment, since an entry is folded for both tables and for its subject.
    """
    if text.isascii():
        return clean(text).lower()  # nothing below touches ASCII
    narrow = clean(text)
    for mark, ascii_mark in _WIDE_MARKS:
        narrow = narrow.replace(mark, ascii_mark)
    compatible = unicodedata.normalize("NFKC", narrow)
    converted = _to_simplified().convert(_INVISIBLE.sub("", compatible))
    simplified = _VARIANT.sub(lambda found: _VARIANTS[found[0]], converted).replace("甚么", "什么")
    return unicodedata.normalize("NFKC", _ZHE.sub("着", simplified).lower())


_AROUND = " .,!?;:~-—、。·\"'“”‘’「」『』《》()[]"
"""Not + or #, which make another word of C."""


def flat(text: str) -> str:
    """Folded and on one line, with single spaces: a reply may break an entry's lines elsewhere."""
    return " ".join(fold(text).split())


def alike(text: str) -> str:
    """One short digest for all spellings of the same words: folded, spaces as one, outer punctuation left out."""
    line = flat(text)
    return hashlib.sha256((line.strip(_AROUND) or line).encode()).hexdigest()[:16]


def _runs(folded: str) -> list[tuple[str, str]]:
    """Runs of one script: letters and digits stand left, what is written without spaces right; the other is empty.

    C++ and its like are words by now.
    """
    return _RUN.findall(_with_aliases(folded))


def _with_aliases(folded: str) -> str:
    if _ALIAS_SIGN.search(folded):
        for pattern, name in _ALIASES:
            folded = pattern.sub(name, folded)
    return folded


def _is_cjk(run: str) -> bool:
    return _CJK_START.match(run) is not None


def tokens(folded: str) -> list[str]:
    """A run of letters and digits is one token, in its base form; Chinese gives its characters, then their pairs."""
    return _tokens(_runs(folded))


def _tokens(runs: list[tuple[str, str]]) -> list[str]:
    out: list[str] = []
    for word, cjk in runs:
        if word:
            out.append(_BASE_FORMS.get(word, word))
        else:
            out += cjk
            out += map("".join, pairwise(cjk))
    return out


def plain_tokens(folded: str) -> list[str]:
    """Every Chinese character and every run of letters and digits as written: phrases of these are exact."""
    return _plain_tokens(_runs(folded))


def _plain_tokens(runs: list[tuple[str, str]]) -> list[str]:
    out: list[str] = []
    for word, cjk in runs:
        out += (word,) if word else cjk
    return out


def bodies(text: str) -> tuple[str, str]:
    """What the ranked and the exact table hold of `text`."""
    runs = _runs(fold(text))
    return " ".join(_tokens(runs)), " ".join(_plain_tokens(runs))


def expand(text: str) -> str:
    """The body of the ranked table."""
    return " ".join(tokens(fold(text)))


def plain(text: str) -> str:
    """The body of the exact table."""
    return " ".join(plain_tokens(fold(text)))


def terms(question: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """What a question is ranked by: its tokens without stop words and `names`, or all of them when nothing is left."""
    whole = fold(question[:ENTRY_CHARACTERS_MAX])
    found = tokens(_without(whole, names)) or tokens(whole)
    return _bounded([token for token in found if token not in STOP] or found)


def named_in(question: str, name: str) -> bool:
    """Whether `name` stands in it: as whole words, or anywhere where words are not spaced."""
    pattern = _name_pattern(fold(name))
    return pattern is not None and pattern.search(fold(question[:ENTRY_CHARACTERS_MAX])) is not None


def _without(folded: str, names: Iterable[str]) -> str:
    for name in names:
        pattern = _name_pattern(fold(name))
        folded = pattern.sub(" ", folded) if pattern else folded
    return folded


@lru_cache(maxsize=256)
def _name_pattern(folded: str) -> re.Pattern[str] | None:
    name = folded.strip()
    if not name:
        return None
    return re.compile(rf"(?<!{_WORD}){re.escape(name)}(?!{_WORD})")


_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CAPITAL = re.compile(r"(?<=[a-z,;:] )[A-Z][A-Za-z]{2,}")
_LEAD = re.compile(rf"[^{_CJK}\w]*[给对跟能记]?[小老大阿]?([{_CJK}])([{_CJK}]?)")
"""给 and its like stand before whom it is about, 小 and its like before any name."""
_NO_SUBJECT = _FILLERS | frozenset("不去看推")
"""What begins with one of these begins with what is done, where or with whom: 在, 去, 推荐."""
_WHOSE = re.compile(rf"[^{_CJK}\w]*([他她它])们?的")
_LATIN_WORD = re.compile(r"[a-z][a-z0-9]+")


def needed_in(question: str, names: Iterable[str] = ()) -> tuple[re.Pattern[str], ...]:
    """What a text must hold, folded, to be claimed as the answer, however much else it covers.

    A number; a name, told by its capital inside an English question; Latin words in a Chinese one, and the character
    that begins what that is about, for 前端 and 后端 share the other. `names` are not asked for. Who asks for release
    2.1 is not answered by 2.0, who asks for the budget of one project not by that of another, and whoever 他 is, a text
    that names somebody else does not say.
    """
    plain = unicodedata.normalize("NFKC", clean(question[:ENTRY_CHARACTERS_MAX]))
    folded = _without(fold(plain), names)
    found = {_number(one) for one in _NUMBER.findall(folded)}
    if has_han(folded):
        words = _LATIN_WORD.findall(folded)
        if lead := _LEAD.match(_ZH_FILLERS.sub(" ", folded)):
            first, second = lead.groups()
            if first not in _NO_SUBJECT:
                found.add(first)
            elif second:
                found.add(f"[{first}{second}]")
        if whose := _WHOSE.match(folded):
            found.add(whose[1])
    else:
        words = [fold(one) for one in _CAPITAL.findall(plain) if fold(one) in folded]
    found |= {rf"(?<!{_WORD}){re.escape(one.removesuffix('s'))}" for one in words if one not in _FILLERS}
    return tuple(re.compile(one) for one in sorted(found))


def other_numbers(question: str, text: str) -> bool:
    """Whether a folded text holds numbers, but not all of those in the question."""
    asked = _NUMBER.findall(fold(question[:ENTRY_CHARACTERS_MAX]))
    return _NUMBER.search(text) is not None and not all(re.search(_number(one), text) for one in asked)


def _number(digits: str) -> str:
    return rf"(?<![\d.,]){re.escape(digits)}(?!\d|[.,]\d)"


def gate_terms(question: str, names: Iterable[str] = ()) -> tuple[tuple[str, float], ...]:
    """What an answer must cover, each with its weight; empty when only a kind of question was asked."""
    content = _ZH_FILLERS.sub(" ", _without(fold(question[:ENTRY_CHARACTERS_MAX]), names))
    found = [token for token in tokens(content) if token not in _FILLERS and not _only_fillers(token)]
    return tuple((term, SINGLE_CHARACTER_WEIGHT if is_single(term) else 1.0) for term in _bounded(found))


def is_bare(question: str) -> bool:
    """Whether every word of it is one to be looked for: `spare key`, but not `where is the spare key`."""
    whole = tokens(fold(question[:ENTRY_CHARACTERS_MAX]))
    return set(whole) == {term for term, _ in gate_terms(question)}


def _only_fillers(token: str) -> bool:
    return len(token) == 2 and _is_cjk(token) and token[0] in _FILLERS and token[1] in _FILLERS


def has_han(text: str) -> bool:
    """Whether a character of a script without spaces stands in it: such a text counts as Chinese."""
    return _CJK_ANY.search(text) is not None


def is_unspaced(term: str) -> bool:
    """Chinese and its neighbours, which the index holds as characters and pairs; no stemmer touches them."""
    return term >= "\u2e80"


def is_single(token: str) -> bool:
    """One character of a script without spaces."""
    return len(token) == 1 and _is_cjk(token)


def _bounded(found: list[str]) -> tuple[str, ...]:
    """Each once, at most `TERMS_MAX`; single characters are the first to go, they say least."""
    unique = list(dict.fromkeys(found))
    if len(unique) > TERMS_MAX:
        unique = ([t for t in unique if not is_single(t)] + [t for t in unique if is_single(t)])[:TERMS_MAX]
    return tuple(unique)


_SUBJECT_END = re.compile(rf"是|为|用|改到|在|=|(?<!{_WORD})(?:is|are|uses|starts at)(?!{_WORD})")


def subject(text: str) -> tuple[str, str] | None:
    """What a statement is about and what it says of it, split at its first 是/为/用/改到/在/is/are/uses/=/starts at.

    Two statements with equal first and different second halves disagree. None when nothing stands before the split.
    """
    line = flat(text)
    end = _SUBJECT_END.search(line)
    if end is None:
        return None
    before = line[: end.start()].rstrip(" ,:")
    rest = line[end.end() :].strip(" ,:").rstrip(".。!")
    return (before, rest) if before else None


def as_typed(text: str, rest: str) -> str:
    """The end of `text` that folds to `rest`: a label says what a person wrote. Folding rarely changes the length."""
    at = len(text) - len(rest)
    for start in range(max(0, at - _FOLDED_APART_MAX), min(len(text), at + _FOLDED_APART_MAX)):
        typed = text[start:].strip(" ,:，：").rstrip(".。!！")
        if flat(typed) == rest:
            return typed
    return rest


_FOLDED_APART_MAX = 8


_WORD_RUN = re.compile(f"{_WORD}+")
_BETWEEN = "\x02"
"""Stands between texts that are folded together; none of them may hold it."""


def counts_in(terms: Sequence[str], texts: Sequence[str]) -> list[list[int]]:
    """How often each term stands in each text, for each term one number a text: letters and digits as whole words,
    Chinese anywhere, not overlapping.

    The texts are folded as one, since to fold many short ones costs far more than to look through them.
    """
    whole = _spaced(texts)
    each = whole.split(_BETWEEN)
    sought = [_spaced((term,)) for term in terms]
    return [[_count(term, text) for text in each] if term and term in whole else [0] * len(each) for term in sought]


def _spaced(texts: Sequence[str]) -> str:
    whole = _BETWEEN.join(text.replace(_BETWEEN, " ") for text in texts)
    return " ".join(_with_aliases(fold(whole)).split())


def _count(sought: str, text: str) -> int:
    found, at = 0, text.find(sought)
    while at >= 0:
        end = at + len(sought)
        if _is_inside(text, at) or _is_inside(text, end):
            run = _WORD_RUN.match(text, at)  # no word begins before this one ends
            end = run.end() if run else at + 1
        else:
            found += 1
        at = text.find(sought, end)
    return found


def _is_inside(text: str, at: int) -> bool:
    """Whether `at` lies within a word of letters and digits."""
    if not 0 < at < len(text) or text[at - 1] == " " or text[at] == " ":
        return False
    return _WORD_RUN.match(text, at - 1) is not None and _WORD_RUN.match(text, at) is not None
