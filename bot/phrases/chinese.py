"""Questions in Chinese, without a question mark to help, and what they are about.

A newcomer's trap: the tables peel only the two ends of a clause, because 会 or 定 or 说 in the middle
may belong to a word (周会, 固定, 小说)."""

from __future__ import annotations

import re

from bot.phrases.scan import clauses

BARE_QUESTION_CHARACTERS_MAX = 60
"""Without a question mark a longer sentence is not taken for a question."""
_PEELS_MAX = 40
_TAIL_CHARACTERS = 16
_WORD = re.compile(
    r"什么时候|什么|为什么|为啥|干嘛|怎么样|怎么|怎样|如何|哪个|哪些|哪一|哪天|哪里|哪儿|哪|谁|多少|多久|多大|多长|多远|何时|啥|咋"
    r"|(?<!十)(?<!好)几(?:点|号|月|楼|岁|时)|第几|(?:星期|周|礼拜)几|有无|可不可以|是否"
    r"|(?!动不动|时不时)([\u4e00-\u9fff])[没不]\1|(?<![不还总老就都只可但于])是[^\s,，。;；]{1,8}还是"
)
_ANY_COUNT = re.compile(r"(?<![十好])几(?=[^乎天年])|多少")
_PARTICLE = re.compile(r"(?:吗|嘛|(?<=[了过是])么|(?:过|了)没有?)\Z")
_INDEFINITE_BEFORE = ("没", "没有", "无论", "不管", "随便", "任何", "不论", "点", "些", "不", "管他", "有")
_INDEFINITE_AFTER = re.compile(r"[^，,。；;]{0,6}?(?:都|也|随便|由你|无所谓|再说)|怕|的\Z|的[，,。]|有点|有些")
_ALWAYS_ASKS = ("为什么", "为啥", "干嘛")
"""No 都 or 也 behind them makes them mean "any"."""
_NOT_ANY = re.compile(r"没有?[^\s,，]{0,2}\Z")
_NOT_SETTLED = re.compile(r"没有?(?:说|定|提|讲|写|决定|想|确定|商量)(?:好|过|到|清楚)?\Z")
_RATE = r"(?:每|一)(?:天|日|周|个?月|年|次|顿|人|家)(?:[^\s,，。;；几]{0,2})"
_HAS = r"(?<![我们])有"
_MEASURE = r"(?:个|张|片|块|条|种|款|台|件|把|本|页|家|间|层|名|位|人|颗|粒|瓶|杯|碗|包|袋|盒|箱|克|斤|米|公里|升|元|次|遍|回|趟|轮|天|周|年|小时|分钟)"
_GRADE = r"(?:折|成|倍|级|度|码|寸|栋|单元|路|班|年级|排|座|颗?星|分熟|位数|线|室|人份)"
"""几 with one of these is a number that is asked for, never "a few"."""
_HOW_MANY = re.compile(
    rf"(?<![十好这那了过没])几{_GRADE}|(?<![十好这那了过没茶])几\Z|(?<![十好这那过等近前最])几(?:天|日|周|年|小时|分钟|个月)[之以]?内(?:要|得|能|可以|必须)"
    rf"|(?:{_RATE}|{_HAS}|用|需要|要|(?<!可)能|可以|支持|(?<=.)共|剩)(?:[交付带吃喝打放])?几{_MEASURE}[^\s,，。;；没不来想会在了过才就]{{0,4}}\Z"
)
_A_FEW = re.compile(
    r"想|等|再|给|就|只|才|大概|大约|可能|也许|最多|至少|\A(?:我|我们|咱们)?(?:要|需要|有|能|可以|用)|\A(?:我|我们|咱们)[每一]|[我们](?:要|需要)(?!交|付|带)|还要"
)
_REASON = re.compile(r"[^\s,，。;；][^,，。;；]{3,40}的(?:理由|原因|缘由)\Z")
_REASON_TOLD = re.compile(r"[是有给找写讲说没这]|说明|明白|理解|知道|需要")
_PAST_DAY = r"(?:大前天|前天|昨天|昨晚|上上?个?(?:周|星期|礼拜)[一二三四五六日天末]?|上个?月|去年)"
_OF_A_DAY = re.compile(
    rf"{_PAST_DAY}\Z|(?:{_PAST_DAY}|\d{{1,2}}月\d{{1,2}}[日号])[^,，。;；]{{0,20}}的(?:事|事情|事儿)\Z"
)
_FOLLOWS_UP = re.compile(
    r"(?:(?:那么?|还有|至于|关于|我的|我们的)(?![边里儿个还可是倒不就也真要得怎没])|[^,，。;；]{0,8}[说提聊讲谈定]的(?![是没对也就很不得]))"
    r"(?![^,，。;；]*(?:正在|[我你他她们]在|还在|还没|挺|很|着呢))[^,，。;；]{1,16}呢\Z"
)
"""那预算呢, 上次说的餐厅呢; 我在忙呢 tells."""
_EXCLAIMS = re.compile(
    r"怎么(?:会(?:这样|那样)?|可能|说呢?|又[^,，。;；]{0,8}了)\Z|什么鬼\Z|哪有\Z|哪里哪里\Z|谁知道呢?\Z"
)
_TOLD = re.compile(
    r"不知道|知道了|不清楚|不晓得|不记得|写着|写了|写道|听说|聊聊|说说|讲讲|谈谈|想想|看看|讨论|取决|问题是|问了|问我|他说|她说|说他|说她|忘了|管他|看情况|无所谓"
    r"|我们?(?:都|也|已经)?(?:知道|明白|懂)"
)


_HAVE_WE = re.compile(r"(?:我们|咱们|大家|我|你)?(?:之前|以前|上次|曾经)?(?:有没有|是不是|是否)[聊说谈提讲讨]")
"""Asks whatever follows: 有没有说过“盒子”, whose quotes would be a clause of their own."""


def asks(folded: str) -> bool:
    if "\n" in folded:
        return False
    bare = folded.rstrip(" 。.!！~～")
    if _PARTICLE.search(bare[-4:]):
        return _TOLD.search(bare) is None
    if len(bare) > BARE_QUESTION_CHARACTERS_MAX or _EXCLAIMS.match(bare):
        return False
    if _HAVE_WE.match(bare) and not _TOLD.search(bare):
        return True
    if _OF_A_DAY.match(bare) or _FOLLOWS_UP.match(bare) or (_REASON.match(bare) and not _REASON_TOLD.search(bare[:-3])):
        return True
    return _asks_last(bare, *(clauses(bare) or [(0, 0)])[-1])


def _asks_last(bare: str, first: int, last: int) -> bool:
    """Whether the last clause asks. 谁愿意去，谁就去 says one word twice and asks nothing."""
    many = _HOW_MANY.search(bare, first, last)
    if many is not None and not _A_FEW.search(bare, first, last) and not _TOLD.search(bare, 0, many.start()):
        return True
    word = _WORD.search(bare, first, last)
    if word is None:
        return False
    before, after = bare[: word.start()], bare[word.end() :]
    if _TOLD.search(before) or _NOT_SETTLED.search(before) or word[0] in before or f"就{word[0]}" in after:
        return False
    if (
        before.endswith(("就是", "也是", "不管", "无论", "不论"))
        if word[0] in _ALWAYS_ASKS
        else _INDEFINITE_AFTER.match(after)
    ):
        return False
    if word[0] in {"什么", "啥", "多少"} and _NOT_ANY.search(before):
        return False
    return not (word[0] in {"什么", "啥", "怎么", "怎么样"} and before.endswith(_INDEFINITE_BEFORE[:-1]))


_DATE = (
    r"大前天|前天|昨天|今天|明天|后天|今早|今晚|昨晚|明早|明晚|刚才|刚刚|现在|目前|当时|那时候?|最近|之前|以前|从前|上次|上回|这次|下次|去年|今年|明年|前年"
    r"|[上下这本]{1,3}个?(?:周|星期|礼拜|月)[一二三四五六日天末]?|(?:周|星期|礼拜)[一二三四五六日天末]"
    r"|\d{4}-\d{1,2}(?:-\d{1,2})?|\d{2,4} ?年|\d{1,2} ?月(?: ?\d{1,2} ?[日号])?|\d{1,2} ?[日号](?![门楼线库机桌房车])|[一二三四五六七八九十]{1,3}月|月初|月底|年初|年底|年前"
    r"|早上|上午|中午|下午|晚上|凌晨|[一二三四五六七八九十两几\d]{1,3} ?(?:个月|天|周|年|小时)(?:之?前|以前)|\d{1,2}[:点]\d{0,2}"
)
_LEAD = re.compile(
    rf"(?:{_DATE}|[\s:：·(（]+|你好|您好|念念|请问|请|麻烦|帮我查一?下?|帮我|告诉我|想问一?下?|问一?下|我想知道|我想问|想知道"
    r"|那么|那个|那(?![个边里])|对了|所以|还有|你?还?记不记得|你?还?记得|你知道|知不知道|你忘了|你没记住"
    r"|我们|咱们|大家|[我你](?:对|把)|[我你]的|我(?=[跟和给有说在上之以最喜讨决定])|你(?=[有说记知])|到底|究竟"
    r"|(?:有没有|是不是|是否|有无)(?:聊|谈|提|说|讨论|讲|决?定)?[起到及过了]?"
    r"|(?:聊|谈|提|说|讨论|讲)(?:[起到及过了]|的(?=\S))|关于|有关|对于|针对|至于"
    r"|决定(?!权)好?了?|怎么定下来的?|怎么定的?|怎么说的?|定没定|定下了?|定[了过的]|说好了?|约好了?|写过"
    r"|用什么|选什么|有什么|是什么|叫什么|吃什么|喝什么|做什么|什么时候|什么样的?|什么|为什么|为啥|怎么样?|如何|哪个|哪些|哪天|哪里|哪儿|哪位|哪家?"
    r"|谁(?:负责|在管|管|来|是)?|多少|第?几(?:点|号|次|遍|个|天(?:[之以]?内)?|月|楼)|啥|咋|偏好|喜好|的(?!士)|了(?!解)|是(?=\S))"
)
_TRAIL_DATE = re.compile(rf"(?:{_DATE})\Z")
_TRAIL = tuple(
    sorted(
        (
            "吗 么 嘛 呢 啊 呀 吧 啦 了 的 是 我 你 我们 你们 咱们 大家 来着 没有 过没有 了没有 过没 了没 怎么样 开始 结束 决定 决定了 定了 定过 定的 "
            "聊过 说过 谈过 提过 讲过 讨论过 写过 记过 记了 放在 停在 存在 搁在 偏好 喜好 的记录 的事 的事情 这件事 那件事 这事 是不是 有没有 对不对 "
            "好不好 行不行 到底 究竟 怎么定 怎么定的 怎么说 怎么说的"
        ).split(),
        key=len,
        reverse=True,
    )
)
_KEPT_ENDS = ("目的", "标的", "有的", "什么", "怎么")
_SPLIT = re.compile(
    rf"(?:{_RATE}|{_HAS}|用|需要|要|能|可以|支持|还有|还剩|共|剩|吃|喝|打){{0,2}}几(?:{_MEASURE}|{_GRADE})"
    r"|([\u4e00-\u9fff])[没不]\1|是[^\s,，。;；]{1,8}还(?:是|\Z)"
    r"|(?:(?<![成首古帝京迁])都)?(?:(?<![笔日书登标传速游])记(?:下来?|录)?(?=[了过什啥])|决定|定下|还剩|还有|剩|喜欢|讨厌|定|聊|说|谈|提|讲|讨论|是|在|用|有|叫|选|改成|改到|放|停|存|藏|搁|要|跑|做)?(?:了|过|的|在|到|成)?"
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
    return (first, max(first, last)) if folded[first:last] not in {"事", "事情"} else (last, last)
