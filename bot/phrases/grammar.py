"""`parse`: one message → one intent, in both languages, in time linear in its length.

The order of trial: nothing to see · slash command · a RefID alone · a whole phrase (任务板, board) · a
command word in front (记住…, todo: …), lead-ins like 请 and please skipped · a question · unclear.
A sentence that only contains a command word stays unclear: nothing is ever stored by guess.
"""

from __future__ import annotations

from collections.abc import Collection

from bot.intents import Empty, ForOtherBot, Intent, Parsed, Remember, TaskMove, Unclear, UnknownCommand, Why
from bot.phrases import commands as on
from bot.phrases import slash, tasks, vocab
from bot.phrases.fields import draft_of, labelled_lines
from bot.phrases.patterns import pattern
from bot.phrases.questions import question_in
from bot.phrases.scan import HAN, HEAD_CHARACTERS, Meter, ref_at, stands
from bot.phrases.tail import Rule, Tail
from bot.phrases.words import ALONE, LEAD_INS

OUR_NAMES = ("niannian", "keepbot")
_WHOLE_PHRASE_MAX = 60
_LEAD_INS_MAX = 3


def parse(text: str, *, is_reply: bool = False, names: Collection[str] = OUR_NAMES) -> Parsed:
    """Never raises. `is_reply`: the message answers another one, so a bare 记住 keeps that one.

    `names` are the user names this bot goes by, without @, in lower case.
    """
    meter = Meter()
    lang = "zh" if meter.search(HAN, text) else "en"
    body = meter.strip(text)
    if meter.blank(body):
        return Parsed(Empty(), lang, steps=meter.steps)
    if body[0] in "/／":
        intent = _slash(body, meter, is_reply, names)
        return Parsed(intent, lang, slash=True, steps=meter.steps)
    found = ref_at(meter.fold(body, 48))
    if found is not None and found[1] == len(body):
        return Parsed(Why(found[0]), lang, slash=True, steps=meter.steps)
    intent = _plain(body, meter, is_reply, names) or question_in(body, meter) or Unclear(body)
    return Parsed(intent, lang, steps=meter.steps)


def _slash(body: str, meter: Meter, is_reply: bool, names: Collection[str]) -> Intent:
    found = meter.match(slash.WORD, body)
    if found is None:
        if HAN.match(body, 1):
            return _plain(body[1:], meter, is_reply, names) or Unclear(body)
        return Unclear(body)
    typed, bot = found[1], (found[2] or "").lower()
    if bot and bot not in {name.lower() for name in names}:
        return ForOtherBot()
    start = meter.after_joint(body, found.end())
    rest = body[start:]
    name = meter.fold(typed, 32).replace("-", "_")
    if HAN.match(typed):
        intent = _plain(body[1 : found.end(1)] + body[found.end() :], meter, is_reply, names)
        return intent or UnknownCommand(typed, "", rest)
    known = slash.RULES.get(name)
    if known is None:
        return UnknownCommand(typed, slash.nearest(name, meter), rest)
    return known(Tail(rest, " ", meter.fold(rest), meter, is_reply, slash=True)) or Unclear(body)


_AROUND = " 。.!！?？~～…,，、;；:：\"“”'"
_SOFT_ENDS = ("吧", "呀", "啊", "啦", "呢", "一下", " please", " pls", " now", "哦", "哈")


def _plain(body: str, meter: Meter, is_reply: bool, names: Collection[str]) -> Intent | None:
    body = body[_mention(body, meter, names) :]
    if labelled_lines(body[: HEAD_CHARACTERS * 25], meter) >= 2:
        return Remember(draft_of(body, meter))
    for _ in range(_LEAD_INS_MAX + 1):
        folded = meter.fold(body)
        intent = _whole(body, folded, meter) or pattern(body, folded, meter) or _worded(body, folded, meter, is_reply)
        if intent is not None:
            return intent
        lead = next((word for word in LEAD_INS if stands(word, folded, 0)), None)
        if lead is None:
            return None
        body = body[meter.after_joint(body, len(lead)) :]
    return None


def _mention(body: str, meter: Meter, names: Collection[str]) -> int:
    """Our own @name in front, as some edges leave it."""
    if body[:1] not in "@＠":
        return 0
    folded = meter.fold(body, 64)
    name = next((name for name in names if stands(name.lower(), folded, 1)), None)
    return 0 if name is None else meter.after_joint(body, 1 + len(name))


def _whole(body: str, folded: str, meter: Meter) -> Intent | None:
    if len(body) > _WHOLE_PHRASE_MAX:
        return None
    seen = "".join(c for c in folded if c.isprintable())
    key = " ".join(seen.strip(_AROUND).split())
    meter.steps += len(folded)
    intent = ALONE.get(key)
    if intent is None:
        soft = next((end for end in _SOFT_ENDS if key.endswith(end)), "")
        intent = ALONE.get(key.removesuffix(soft).strip(_AROUND)) if soft else None
    if isinstance(intent, Empty) and seen.rstrip().endswith(("?", "？")):
        return None
    return intent


def _words(rule: Rule, phrases: str) -> dict[str, Rule]:
    return dict.fromkeys(phrases.split("|"), rule)


WORDED: dict[str, Rule] = {
    **_words(on.remember, "记住|记一下|记下来|记下|记着|帮我记一下|帮我记住|帮我记下来|帮我记下|帮我记着|帮我记|替我记住|替我记|给我记住|给我记|note that"),
    **_words(on.remember_until, "记到|只记到|就记到|帮我记到"),
    **_words(on.remember_english, "remember"),
    **_words(on.keep_this, "keep this|save this|note this|make a note|take a note"),
    **_words(on.rule, "规则|rule"),
    **_words(on.correct, "更正一下|更正"),
    **_words(on.correct_with_colon, "correct|correction"),
    **_words(on.change_to, "改成|改为"),
    **_words(on.no_but, "不对|no|不是这样|错了|not quite"),
    **_words(on.you_forgot, "你没记住|你没有记住|你没记下来|你没记下|你没记|你忘了|你忘记了|你忘记|你怎么忘了|你居然忘了|you forgot|you've forgotten"
                            "|you have forgotten|you didn't keep|you didn't remember|you didn't save|you did not keep|you did not remember"
                            "|you didn't note|you don't remember"),
    **_words(on.forget, "忘掉|forget"),
    **_words(on.forget_if_pointed, "忘了|忘记"),
    **_words(on.undo, "撤销|撤消|undo"),
    **_words(on.pin, "置顶|pin"),
    **_words(on.unpin, "取消置顶|unpin"),
    **_words(on.why, "出处|where from"),
    **_words(on.why_only_ref, "why|source|where is"),
    **_words(on.history, "旧版"),
    **_words(on.history_only_ref, "earlier|history|历史"),
    **_words(on.decisions, "decisions about|decisions on|decisions for|decisions"),
    **_words(on.search, "查一下|搜一下|搜索你的记忆关于|搜索你的记忆|搜索记忆|搜索一下|在记忆里查|查查记忆|search your memory for|search your memory about"
                        "|search your memory|search my memory for|search memory for|search for|recall"),
    **_words(on.search_cold, "翻旧记忆|翻翻旧记忆|翻一下旧记忆|翻收起来的|翻收起的|search the archive for|search the archive|search archive for"
                             "|search archive|search what was put away for|search what was put away|search put away"),
    **_words(on.search_if_free, "搜索|查询|search"),
    **_words(tasks.add_task, "待办|待办事项|加一件|加任务|加个待办|加待办|新任务|todo|to-do|add task|add a task|add todo|add to-do"),
    **_words(tasks.add_task_with_colon, "to do|任务|task|add one|new task"),
    **_words(tasks.archive, "归档|看归档|archive"),
    **_words(tasks.mover(TaskMove.DONE, words_need_colon=False), "完成|完成了"),
    **_words(tasks.mover(TaskMove.DONE, words_need_colon=True), "done|done with|搞定|finish|finished"),
    **_words(tasks.mover(TaskMove.DOING, words_need_colon=False), "开始做"),
    **_words(tasks.mover(TaskMove.DOING, words_need_colon=True), "doing|start doing|start|在做|继续做"),
    **_words(tasks.mover(TaskMove.READY, words_need_colon=True), "就绪|ready"),
    **_words(tasks.mover(TaskMove.BLOCKED, words_need_colon=True), "中断|blocked|卡住"),
    **_words(tasks.remind, "提醒我一下|提醒我|提醒大家|提醒我们|remind me to|remind us to|remind me|remind us|remind everyone"),
    **_words(on.profile, "关于我|about me|my profile"),
    **_words(on.simple("tz", r"[a-z_]{2,20}(?:/[a-z_+\-0-9]{1,30}){0,2}|(?:utc|gmt)?[+-]\d{1,2}(?::?\d{2})?|[\u4e00-\u9fff]{1,10}"), "时区|time zone|timezone|zone"),
    **_words(on.simple("lang", "zh|en|中文|英文|英语|简体中文|english|chinese"), "语言|language|lang"),
    **_words(on.simple("time", r"\d{1,2}(?:[:点]\d{0,2}(?:分|半)?)? ?(?:[ap]m)?"), "推送时间|push time|time"),
    **_words(on.simple("pause", r"(?:到|until )?[^\n,，。;；]{0,4}\d[^\n,，。;；]{0,12}|到[^\n,，。;；]{1,10}|until \w{1,10}|[一二两三四五六七八九十]{1,3} ?(?:天|日|周|个?星期|个?月)"), "暂停|pause|pause for"),
    **_words(on.simple("quiet", r"\d{1,2}[:点]?\d{0,2} ?[^\d]{1,4} ?\d{1,2}[:点]?\d{0,2}|关|关闭|off|none"), "免打扰|quiet hours"),
    **_words(on.simple("digest", r"开|关|开启|关闭|on|off|\d{1,2}(?:[:点时]\d{0,2})?(?:分|半)? ?(?:[ap]m)?|(?:早上|上午)\d{1,2}点半?"), "早报|digest|morning digest"),
    **_words(vocab.add, "加词|加单词|加生词|加单词卡|添加单词"),
    **_words(vocab.add_word, "add word|add words|add the word|add the words|add a card|add card"),
    **_words(vocab.new_word, "生词|新单词|new word|new words"),
    **_words(vocab.not_known_by_me, "我不认识|我不认得"),
    **_words(vocab.not_known, "不认识|不认得|i don't know the word|don't know the word|i do not know the word"),
    **_words(vocab.vocab, "每日单词|daily words"),
    **_words(on.track, "关注词|track the word|track the term|track the phrase"),
    **_words(on.track_quoted, "关注|关注一下"),
    **_words(on.untrack, "不再关注词|不再关注|取消关注词|取消关注|别再关注|stop tracking the word|stop tracking|untrack"),
    **_words(on.simple("pair", r"[a-z0-9-]{4,24}"), "放行|let in"),
}  # fmt: skip
_BY_FIRST: dict[str, list[str]] = {}
for _word in sorted(WORDED, key=len, reverse=True):
    _BY_FIRST.setdefault(_word[0], []).append(_word)


def _worded(body: str, folded: str, meter: Meter, is_reply: bool) -> Intent | None:
    for word in _BY_FIRST.get(folded[:1], ()):
        meter.steps += len(word)
        if not stands(word, folded, 0):
            continue
        start = meter.after_joint(body, len(word))
        rest = body[start:]
        intent = WORDED[word](Tail(rest, body[len(word) : start], meter.fold(rest), meter, is_reply))
        if intent is not None:
            return intent
    return None
