"""Which of a person's lines tell of trouble, show an error, say what was done, or say that it worked. Pure.

A line is taken whole or not at all; nothing is put together out of pieces of several.
"""

from __future__ import annotations

import re

_ERROR = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception|Failure)\b|(?:error|fatal|panic|failed|exception)\s*[:：]|Traceback\b|HTTP (?:/\d\S* )?[45]\d\d\b|status (?:code )?[45]\d\d\b"
    r"|exit(?:ed with)? (?:code|status) [1-9]\d*|E[A-Z]{4,}\b|ORA-\d+|E\d{3,5}\b|segmentation fault|core dumped|SIG[A-Z]{3,4}\b|permission denied|no such file or directory)"
    r"|(?:报错|错误信息|错误码|错误)\s*[:：是]|报了?\s*[45]\d\d\b|返回\s*[45]\d\d\b",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"报错|出错|失败|崩了|崩溃|挂了|卡住|卡死|不行|打不开|连不上|起不来|启动不了|跑不起来|没反应|有问题|出问题|坏了|超时|死循环|异常|故障"
    r"|\b(?:error|errors|fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|broken|breaks|broke|bug|stuck|hangs?|hung|times? out|timed out|timeout|exception|not working"
    r"|(?:doesn|won|can|isn|didn|don)['’]t (?:work|start|open|connect|run|load|build|compile|respond)|problem|trouble|issue)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"改成|改为|改了|换成|换了|重启|升级|降级|回滚|删了|删掉|加了|加上|装了|重装|清了|清掉|关掉|打开了|设成|设置成|调成|调大|调小|试了|修了|修改|配置成|用.{1,20}代替"
    r"|(?:\A|[,;.:] |\b(?:i|we)(?:['’]ve)? (?:(?:have|had|just|then|also|finally|now) ){0,2}|\b(?:by|and) )(?:changed|switched|replaced|restarted|rebooted|upgraded|downgraded|rolled back|reverted|removed|deleted|added|installed|reinstalled|cleared|set|raised|lowered"
    r"|disabled|enabled|pinned|patched|moved|increased|reduced|tried|bumped|turned (?:on|off)|fixed it by|solved it by|restarting|upgrading|rolling back|pinning|removing|adding|clearing)\b",
    re.IGNORECASE,
)
_WORKED = re.compile(
    r"好了|可以了|行了|解决了|搞定了?|修好了?|通过了|正常了|恢复了|不报错了|跑通了|成功了|没问题了|起来了|连上了"
    r"|\b(?:works? (?:now|again|fine)|working (?:now|again)|(?:is|got|it's|that's) (?:fixed|solved|resolved|working|back|green)|fixed now|solved now|that (?:did it|fixed it|solved it|worked)"
    r"|it worked|passes(?: now| again)?|tests? (?:are )?(?:pass|green)|no (?:more )?errors?(?: any ?more)?|back to normal|succeeded)\b",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"还是不|还没|没有?(?:好|解决|成功)|仍然|依然|能不能|会不会|要不要|如果|希望"
    r"|\b(?:still (?:not|fails?|broken|no)|not (?:yet|fixed|solved|working)|hope|if|would|should|could|maybe|will it)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]")


def shows_error(line: str) -> bool:
    return _ERROR.search(line) is not None


def tells_trouble(line: str) -> bool:
    return shows_error(line) or (_TROUBLE.search(line) is not None and not says_it_worked(line))


def says_what_was_done(line: str) -> bool:
    return _DONE.search(line) is not None and not (_ASKS.search(line) or _NOT_YET.search(line))


def says_it_worked(line: str) -> bool:
    return _WORKED.search(line) is not None and not (_ASKS.search(line) or _NOT_YET.search(line))
