"""Questions in Chinese, without a question mark to help, and what they are about.

A newcomer's trap: the tables peel only the two ends of a clause, because 会 or 定 or 说 in the middle
may belong to a word (周会, 固定, 小说)."""

from __future__ import annotations

import re

from bot.phrases.scan import CLAUSE_BREAK, clauses

BARE_QUESTION_CHARACTERS_MAX = 60
"""Without a question mark a longer sentence is not taken for a question."""
_PEELS_MAX = 40
_TAIL_CHARACTERS = 16
_WORD = re.compile(
    r"什么时候|什么|为什么|为啥|干嘛|怎么样|怎么|怎样|如何|哪个|哪些|哪一|哪天|哪里|哪儿|哪|谁|多少|多久|多大|多长|多远|何时|啥|咋"
    r"|(?<!十)(?<!好)几(?:点|号|月|楼|岁|时)|第几|(?:星期|周|礼拜)几|有没有|有无|是不是|要不要|能不能|会不会|可不可以|对不对|好不好|是否"
)
_ANY_COUNT = re.compile(r"(?<![十好])几(?=[^乎天年])|多少")
_PARTICLE = re.compile(r"(?:吗|嘛|(?<=[了过是])么|(?:过|了)没有?)\Z")
_INDEFINITE_BEFORE = ("没", "没有", "无论", "不管", "随便", "任何", "不论", "点", "些", "不", "管他", "有")
_INDEFINITE_AFTER = re.compile(r"[^，,。；;]{0,6}?(?:都|也)|怕|的\Z|的[，,。]")
_TOLD = re.compile(
    r"不知道|知道了|不清楚|不晓得|不记得|写着|写了|写道|听说|聊聊|说说|讲讲|谈谈|想想|看看|讨论|取决|问题是|问了|问我|他说|她说|说他|说她|忘了|管他|看情况|无所谓"
)


def asks(folded: str) -> bool:
    if "\n" in folded:
        return False
    bare = folded.rstrip(" 。.!！~～")
    if _PARTICLE.search(bare[-4:]):
        return _TOLD.search(bare) is None
    word = _WORD.search(bare)
    if word is None or len(bare) > BARE_QUESTION_CHARACTERS_MAX:
        return False
    before, after = bare[: word.start()], bare[word.end() :]
    if _TOLD.search(before) or _INDEFINITE_AFTER.match(after):
        return False
    if word[0] in {"什么", "啥", "怎么", "怎么样"} and before.endswith(_INDEFINITE_BEFORE[:-1]):
        return False
    return CLAUSE_BREAK.search(after) is None


_DATE = (
    r"大前天|前天|昨天|今天|明天|后天|今早|今晚|昨晚|明早|明晚|刚才|刚刚|现在|目前|当时|那时候?|最近|之前|以前|从前|上次|上回|这次|下次|去年|今年|明年|前年"
    r"|[上下这本]{1,3}个?(?:周|星期|礼拜|月)[一二三四五六日天末]?|(?:周|星期|礼拜)[一二三四五六日天末]"
    r"|\d{4}-\d{1,2}(?:-\d{1,2})?|\d{2,4}年|\d{1,2}月(?:\d{1,2}[日号])?|\d{1,2}[日号](?![门楼线库机桌房车])|[一二三四五六七八九十]{1,3}月|月初|月底|年初|年底|年前"
    r"|早上|上午|中午|下午|晚上|凌晨|[一二三四五六七八九十两几\d]{1,3}(?:个月|天|周|年|小时)(?:之?前|以前)|\d{1,2}[:点]\d{0,2}"
)
_LEAD = re.compile(
    rf"(?:{_DATE}|[\s:：·(（]+|你好|您好|念念|请问|请|麻烦|帮我查一?下?|帮我|告诉我|想问一?下?|问一?下|我想知道|我想问|想知道"
    r"|那么|那个|那(?![个边里])|对了|所以|还有|你?还?记不记得|你?还?记得|你知道|知不知道|你忘了|你没记住"
    r"|我们|咱们|大家|[我你](?:对|把)|[我你]的|我(?=[跟和给有说在上之以最喜讨决定])|你(?=[有说记知])|到底|究竟"
    r"|(?:有没有|是不是|是否|有无)(?:聊|谈|提|说|讨论|讲|决?定)?[起到及过了]?"
    r"|(?:聊|谈|提|说|讨论|讲)[起到及过了]|关于|有关|对于|针对|至于"
    r"|决定(?!权)好?了?|怎么定下来的?|怎么定的?|怎么说的?|定没定|定下了?|定[了过的]|说好了?|约好了?|写过"
    r"|用什么|选什么|有什么|是什么|叫什么|吃什么|喝什么|做什么|什么时候|什么样的?|什么|为什么|为啥|怎么样?|如何|哪个|哪些|哪天|哪里|哪儿|哪位|哪家?"
    r"|谁(?:负责|在管|管|来|是)?|多少|第?几(?:点|号|次|遍|个|天|月|楼)|啥|咋|偏好|喜好|的(?!士)|了(?!解)|是(?=\S))"
)
_TRAIL_DATE = re.compile(rf"(?:{_DATE})\Z")
_TRAIL = tuple(
    sorted(
        (
            "吗 么 嘛 呢 啊 呀 吧 啦 了 的 是 我 你 我们 你们 咱们 大家 来着 没有 过没有 了没有 过没 了没 怎么样 开始 结束 决定 决定了 定了 定过 定的 "
            "聊过 说过 谈过 提过 讲过 讨论过 写过 放在 停在 存在 搁在 偏好 喜好 的记录 的事 的事情 这件事 那件事 这事 是不是 有没有 对不对 "
            "好不好 行不行 到底 究竟 怎么定 怎么定的 怎么说 怎么说的"
        ).split(),
        key=len,
        reverse=True,
    )
)
_KEPT_ENDS = ("目的", "标的", "有的", "什么", "怎么")
_SPLIT = re.compile(
    r"(?:决定|定下|还剩|还有|剩|喜欢|讨厌|定|聊|说|谈|提|讲|讨论|是|在|用|有|叫|选|改成|改到|放|停|存|藏|搁|要|跑|做)?(?:了|过|的|在|到|成)?"
    r"(?:什么时候|什么|为什么|为啥|怎么样|怎么|如何|哪个|哪些|哪天|哪里|哪儿|哪|谁|第?几[点号次遍个天楼月条台岁]?|多少|多久|多长|多大|有没有|是不是|要不要|能不能|会不会|啥|咋|何时)"
)
_AFTER_SPLIT = re.compile(r"(?:用|选|叫|要|会|能|把|在|做|去|改|的|了)")
_BEFORE_SPLIT = ("要跑", "在", "是", "要", "该", "应该", "打算", "负责", "得")


def topic(folded: str) -> tuple[int, int]:
    spans = clauses(folded)
    asking = [span for span in spans if _WORD.search(folded, *span) or _ANY_COUNT.search(folded, *span)]
    asking += [span for span in spans if _PARTICLE.search(folded[span[0] : span[1]])]
    order = asking[-1:] or spans[-1:]
    for span in order:
        first, last = _content(folded, *span, split=True)
        if first < last:
            return first, last
    for span in spans:
        if span not in order:
            first, last = _content(folded, *span, split=False)
            if first < last:
                return first, last
    return 0, 0


def _content(folded: str, first: int, last: int, *, split: bool) -> tuple[int, int]:
    first, last = _peel(folded, first, last)
    about = folded.find("关于", first, last)
    if about > first:
        first, last = _peel(folded, about, last)
    word = _SPLIT.search(folded, first, last) if split else None
    if word is None:
        return first, last
    left = _peel(folded, first, word.start())
    for ending in _BEFORE_SPLIT:
        if left[1] - len(ending) > left[0] and folded.endswith(ending, *left):
            left = (left[0], left[1] - len(ending))
            break
    if left[0] < left[1]:
        return left
    begin = word.end()
    while (small := _AFTER_SPLIT.match(folded, begin, last)) is not None:
        begin = small.end()
    return _peel(folded, begin, last)


def _peel(folded: str, first: int, last: int) -> tuple[int, int]:
    for _ in range(_PEELS_MAX):
        lead = _LEAD.match(folded, first, last)
        if lead is None or lead.end() == first:
            break
        first = lead.end()
    for _ in range(_PEELS_MAX):
        while last > first and folded[last - 1] in " :：·)）~～":
            last -= 1
        if folded.endswith(_TRAIL, first, last) and not folded.endswith(_KEPT_ENDS, first, last):
            last -= next(len(word) for word in _TRAIL if folded.endswith(word, first, last))
            continue
        start = max(first, last - _TAIL_CHARACTERS)
        date = _TRAIL_DATE.search(folded[start:last])
        if date is None:
            break
        last = start + date.start()
    return first, max(first, last)
