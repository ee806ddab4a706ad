"""The words people use for each command. Only tables; matching is in `grammar`, meaning in `commands`."""

from __future__ import annotations

from bot.intents import (
    AddWords,
    Archive,
    Board,
    Checkpoints,
    Decisions,
    Empty,
    Forget,
    Intent,
    LearningStats,
    NewSession,
    Profile,
    Rules,
    ShowMemory,
    Simple,
    Today,
    Track,
    Trail,
    Undo,
    Vocab,
    VocabDo,
    WhereWereWe,
    Why,
)

LEAD_INS = (
    "念念", "请你", "请", "你", "麻烦你", "麻烦", "帮我", "帮忙", "给我", "替我", "劳驾",
    "niannian", "please", "pls", "hey", "ok", "okay",
)  # fmt: skip
"""Said in front of a command; they count only when a command follows."""

SLASH_NAMES = (
    "start help whoami id remember recall search find decisions memory why history correct forget undo pin unpin count "
    "tasks board todo remind doing ready blocked done archive new reset checkpoints stop retry today vocab add stats "
    "keep pause resume time tz digest diary quiet profile rules rule track trail settings lang privacy status export link pair listen"
).split()

LANGUAGE_NAMES = {
    **dict.fromkeys("zh|中文|汉语|普通话|简体中文|chinese".split("|"), "zh"),
    **dict.fromkeys("en|英文|英语|english".split("|"), "en"),
}


def _table(*rows: tuple[Intent, str]) -> dict[str, Intent]:
    return {phrase.strip(): intent for intent, phrases in rows for phrase in phrases.split("|")}


ALONE: dict[str, Intent] = _table(
    (Simple("start"), "开始|start"),
    (Simple("help"), "帮助|help|怎么用|你会什么|你能做什么|what can you do|how does this work|help me"),
    (Simple("whoami"), "我是谁|who am i|whoami"),
    (Simple("status"), "状态|status"),
    (Simple("privacy"), "隐私|privacy"),
    (Simple("lang"), "语言|language|lang"),
    (Simple("lang", "zh"), "说中文|讲中文|中文|speak chinese|chinese"),
    (Simple("lang", "en"), "说英文|说英语|英文|english|speak english"),
    (Simple("tz"), "时区|zone|time zone|timezone"),
    (Simple("settings"), "设置|settings"),
    (Simple("export"), "导出|export"),
    (Simple("link"), "关联账号|link account|link my account"),
    (Simple("pair"), "放行|let in"),
    (Simple("stop"), "停|停下|停止|stop"),
    (Simple("retry"), "再来一次|再试一次|again|try again|retry"),
    (Today(), "今日单词|今天的单词|背单词|我要背单词|我想背单词|开始背单词|复习单词|开始复习|开始复习单词|today|today's words|my words for today|words for today"),
    (Vocab(), "复习|单词|每日单词|words|vocab|daily words"),
    (Vocab(VocabDo.ON), "打开每日单词|开启每日单词|开始每日单词|每日单词打开|每日单词开|daily words on|turn on daily words|turn daily words on"
                        "|start daily words|turn on my daily words"),
    (Vocab(VocabDo.OFF), "关掉每日单词|关闭每日单词|停掉每日单词|停止每日单词|停止背单词|每日单词关掉|每日单词关|daily words off|turn off daily words"
                         "|turn daily words off|stop daily words|turn off my daily words|stop my daily words"),
    (Vocab(VocabDo.LIST), "单词卡|我的单词卡|所有单词卡|单词卡列表|word cards|my cards|my word cards|list my cards|show my cards"),
    (AddWords(), "加词|加单词|加生词|加单词卡|add word|add a word|add this word|add words"),
    (LearningStats(), "学习统计|stats|learning stats|my stats"),
    (Simple("pause"), "暂停|暂停单词|暂停每日单词|暂停推送|pause|pause words|pause the words|pause daily words|pause my daily words"),
    (Simple("resume"), "恢复|现在恢复|取消暂停|恢复单词|恢复推送|resume|resume now|resume words|resume the words|unpause"),
    (Simple("time"), "推送时间|push time"),
    (Simple("digest"), "早报|digest|morning digest"),
    (Simple("digest", "on"), "打开早报|开早报|我要早报|turn on the digest|turn on the morning digest"),
    (Simple("digest", "off"), "关掉早报|关早报|停掉早报|取消早报|不要早报|turn off the digest|turn off the morning digest|stop the digest|stop the morning digest"),
    (Simple("diary"), "整理日记|看整理日记|夜间整理日记|tidy diary|the tidy diary|show the tidy diary"),
    (Simple("quiet"), "免打扰|免打扰时间|quiet hours"),
    (Track(), "关注词|关注的词|关注了哪些词|关注了什么词|关注词有哪些|track|tracked words|what do you track|what are you tracking"
              "|which words do you track|show tracked words"),
    (Board(), "任务板|看板|看任务板|任务板有什么|任务板上有什么|待办列表|待办清单|待办有哪些|有哪些待办|有什么待办|任务列表"
              "|board|the board|show board|show the board|tasks|task board|todo list|to-do list|todos"
              "|what's on the board|what is on the board|whats on the board"),
    (Archive(), "看归档|归档|archive|show archive|show the archive|archived tasks"),
    (Empty("todo"), "加一件|待办|add one|todo|to-do"),
    (Empty("done"), "完成|done"),
    (Empty("doing"), "开始做|doing"),
    (Empty("ready"), "就绪|ready"),
    (Empty("blocked"), "中断|blocked"),
    (Decisions(), "决定|所有决定|决定列表|有哪些决定|我们有哪些决定|decisions|all decisions|show decisions|list decisions"),
    (ShowMemory(), "所有记忆|全部记忆|看记忆|show memory|show your memory|show my memory|memory"
                   "|memory.md 现在写了什么|memory.md现在写了什么|memory.md 写了什么|memory.md写了什么|memory.md 里有什么"
                   "|what does memory.md say|what does memory.md say right now|what does memory.md say now|what's in memory.md"
                   "|what does your memory say about me|what does your memory say|what do you remember about me"
                   "|what do you remember|what do you know about me|你的记忆里有什么|你记忆里有什么|你的记忆里写了我什么|你记得我什么"
                   "|你都记住了什么|你记住了什么|你记住了哪些|你都记得什么|你记得什么|你记了什么|你知道我什么|记住了什么|记住了哪些"),
    (Why("words"), "为什么没有单词|为什么今天没有单词|今天怎么没有单词|单词怎么没来|怎么没推送|why no words|why no words today|why were there no words"),
    (Why("digest"), "为什么没有早报|今天怎么没有早报|早报怎么没来|why no digest|why no digest today"),
    (Trail(), "怎么找的|你怎么找的|是怎么找的|你是怎么找到的|怎么找到的|how did you look|how did you find it|how did you find that"
              "|how did you find this|trail"),
    (NewSession(), "新对话|重新开始|新会话|开新对话|开始新对话|开个新对话|new|new chat|new conversation|new session|start over|reset"),
    (Checkpoints(), "检查点|存档|看检查点|checkpoints|checkpoint|show checkpoints"),
    (WhereWereWe(), "上次做到哪了|上次做到哪|上次做到哪里了|上次做到哪里|上次做到哪儿了|我们做到哪了|做到哪了|做到哪里了|上次聊到哪了|上次聊到哪里了"
                    "|我们上次做到哪了|我们上次聊到哪了|上次说到哪了|聊到哪了|说到哪了|where were we|where did we stop|where did we leave off|where was i"),
    (Profile(), "关于我|about me|my profile|profile"),
    (Rules(), "规则|所有规则|有什么规则|有哪些规则|rules|the rules|show rules|what are the rules"),
    (Undo(), "撤销|撤消|撤销刚才的|撤销上一条|撤销刚才那条|undo|undo that|undo it|undo this|undo the last one"),
    (Forget(""), "忘了刚才说的|忘掉刚才说的|忘记刚才说的|忘了刚才的|忘掉刚才的|忘了刚才那条|忘掉刚才那条|忘记刚才那条|忘掉刚才那句|忘了刚才那句"
                 "|忘了我刚才说的|忘掉我刚才说的|忘了刚刚说的|忘掉刚刚说的|忘掉上一条|忘了上一条|忘掉这条|忘了这条|忘掉那条|忘了那条|忘掉这个|忘了这个"
                 "|忘掉它|忘了它|忘掉这句|忘了这句|忘掉吧|忘了吧|forget that|forget this|forget it|forget that one|forget this one"
                 "|forget the last one|forget the last|forget what i said|forget what i just said|forget about it|forget about that"),
)  # fmt: skip
"""Whole messages, folded, without the punctuation around them."""

_COURTESIES = {
    "thanks": "谢谢|谢谢你|谢谢念念|多谢|谢了|谢啦|感谢|辛苦了|thanks|thank you|thx|ty|thanks a lot|thank you niannian|cheers|many thanks",
    "fine": "好|好的|好吧|好呀|好啊|好嘞|行|可以|嗯|嗯嗯|嗯好|哦|噢|知道了|收到|明白|明白了|了解|没事|ok|okay|k|kk|fine|good|great|cool|nice"
            "|alright|all right|sure|got it|i see|understood|never mind|nevermind|no problem|yes|yep|yeah",
    "hello": "你好|你好呀|你好啊|您好|嗨|哈喽|早|早上好|早安|晚安|晚上好|下午好|在吗|hi|hello|hey|hello there|hi there|good morning|good evening"
             "|good night|good afternoon",
}  # fmt: skip
_COURTEOUS = {phrase: name for name, phrases in _COURTESIES.items() for phrase in phrases.split("|")}


def courtesy_in(text: str) -> str:
    """`thanks`, `fine` or `hello` when that is all a message says: it is answered in kind and offered to nobody's memory."""
    if len(text) > 30:
        return ""
    return _COURTEOUS.get(" ".join(text.casefold().strip(" 。.!！~～,，").split()), "")
