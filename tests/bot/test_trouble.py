"""Which lines tell of trouble, show an error, say what was done, and say that it worked."""

from __future__ import annotations

import pytest

from bot.phrases.trouble import says_it_worked, says_what_was_done, shows_error, tells_trouble


@pytest.mark.parametrize(
    "line",
    [
        "TypeError: 'NoneType' object is not subscriptable", "error: cannot find module", "HTTP 503 from the gateway", "exit code 137",
        "报错：连接被拒绝", "接口返回 500", "bash: permission denied", "FATAL: role does not exist", "ECONNREFUSED 127.0.0.1:5432",
    ],
)  # fmt: skip
def test_errors(line: str) -> None:
    assert shows_error(line) and tells_trouble(line)


@pytest.mark.parametrize(
    "line",
    [
        "the build fails since this morning",
        "打印机连不上了",
        "my phone won't start",
        "页面一直超时",
        "the importer got stuck again",
    ],
)
def test_trouble(line: str) -> None:
    assert tells_trouble(line) and not shows_error(line)


@pytest.mark.parametrize(
    "line", ["we walked by the river", "晚饭吃了面", "the meeting moved to Friday", "票买好了", "I like the new desk"]
)
def test_no_trouble(line: str) -> None:
    assert not tells_trouble(line) and not shows_error(line)


@pytest.mark.parametrize(
    "line",
    [
        "I pinned the parser to 2.3.1",
        "把超时调大到 30 秒",
        "restarted the router",
        "we rolled back to Tuesday's version",
        "换了一根网线",
    ],
)
def test_what_was_done(line: str) -> None:
    assert says_what_was_done(line)


@pytest.mark.parametrize(
    "line",
    [
        "should I restart it?",
        "the notes mention a changed default",
        "要不要换成旧版本",
        "maybe we could restart it",
        "I restarted it, still not working",
        "如果换成旧版本呢",
    ],
)
def test_what_was_only_thought_of_or_did_not_help(line: str) -> None:
    assert not says_what_was_done(line)


@pytest.mark.parametrize(
    "line", ["it works again", "构建通过了，好了", "that fixed it", "tests are green", "现在正常了", "no more errors"]
)
def test_it_worked(line: str) -> None:
    assert says_it_worked(line)


@pytest.mark.parametrize(
    "line",
    [
        "does it work now?",
        "I hope it works now",
        "still not working",
        "还没好",
        "if it works again we ship",
        "好了吗？",
    ],
)
def test_it_did_not_yet(line: str) -> None:
    assert not says_it_worked(line)
