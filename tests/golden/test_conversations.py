"""The golden conversations of VOICE §3.2 and of `more.golden`, each in each language, on the stages that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden import script
from tests.golden.device import ForkServer
from tests.golden.platforms import Stage, TerminalStage
from tests.golden.runner import play
from tests.golden.steps import LANGUAGES, LLM, AnyStep, Contains, Conversation
from tests.golden.telegram import TelegramStage

CONVERSATIONS = script.read()
MORE = script.read(Path(__file__).with_name("more.golden"))
"""Conversations of our own, for flows that VOICE leaves open. They run wherever a stage exists."""

REQUIRED = {
    "terminal": {*range(1, 4), *range(5, 23), 26, 29, 32, 33, 34, 35, 36, 37, 38, 39, 41, 42, 43, 44, 45, 46},
    "telegram": {*range(2, 30), 36, 37, 38, 39, 40, 41, 42, 44, 46, 47, 48},
}
"""Numbers that must pass there."""

WAITING_FOR = {
    30: "a model",
    31: "a model",
    34: "other devices beside one that listens",
}

CUT = {20: LLM}
"""Played up to this step only."""

PIECES_NOT_YET = {43: re.compile("relay|中继")}
"""What a conversation says about things that come later; the rest of it is played."""

CHECKED = {22}
"""On Telegram, another library reads every call of the bot here: it takes seconds to load, once."""

ON_A_SCREEN = {1: "zh", 32: "zh", 33: "en", 34: "zh", 35: "zh", 43: "zh", 45: "en", 51: "zh", 52: "en"}
"""Played on a pseudo-terminal or by several devices, where silence is all that says that it waits: quick in this language only."""

LONG_ON_TELEGRAM = frozenset(one.number for one in MORE)
"""There a whole bot listens for each: our own conversations are played there in the long run only."""


def at_this_stage(conversation: Conversation, lang: str) -> Iterator[tuple[int, AnyStep]]:
    """The steps that must already hold."""
    cut = CUT.get(conversation.number)
    for line, step in conversation.said(lang):
        if cut is not None and isinstance(step, cut):
            return
        if isinstance(step, Contains) and (later := PIECES_NOT_YET.get(conversation.number)):
            step = Contains(tuple(piece for piece in step.pieces if not later.search(str(piece))), step.buttons)
        yield line, step


def cases() -> Iterator[object]:
    for conversation in (*CONVERSATIONS, *MORE):
        for lang in LANGUAGES:
            for platform in conversation.platforms:
                why = _skipped(conversation, platform)
                marks = [pytest.mark.skip(reason=why)] if why else []
                if not _is_quick(conversation, lang, platform):
                    marks.append(pytest.mark.slow)
                name = f"{conversation.number:02}-{conversation.name}-{lang}-{platform}"
                yield pytest.param(conversation, lang, platform, id=name, marks=marks)


def _is_quick(conversation: Conversation, lang: str, platform: str) -> bool:
    """Every conversation is played at a terminal in one language, every other one on Telegram in the other; all of them,
    in both, in the long run."""
    number = conversation.number
    at_terminal = ON_A_SCREEN.get(number, "zh" if number % 2 else "en")
    if platform == "terminal":
        return lang == at_terminal
    is_alone = "terminal" not in conversation.platforms or number not in {*REQUIRED["terminal"], *LONG_ON_TELEGRAM}
    return number not in LONG_ON_TELEGRAM and lang == "zh" and (is_alone or number % 2 == 0)


def _skipped(conversation: Conversation, platform: str) -> str:
    if platform not in REQUIRED:
        return f"waits for the {platform} stage"
    if conversation.number in REQUIRED[platform] or conversation in MORE:
        return ""
    return f"waits for {WAITING_FOR[conversation.number]}"


@pytest.mark.golden
@pytest.mark.parametrize(("conversation", "lang", "platform"), list(cases()))
def test_conversation(
    conversation: Conversation, lang: str, platform: str, fork_server: ForkServer, tmp_path: Path
) -> None:
    play(at_this_stage(conversation, lang), _stage(conversation, lang, platform, fork_server, tmp_path))


def _stage(conversation: Conversation, lang: str, platform: str, server: ForkServer, folder: Path) -> Stage:
    if platform == "terminal":
        return TerminalStage(server, folder, lang)
    return TelegramStage(server, folder, lang, check_requests=conversation.number in CHECKED)


@pytest.mark.parametrize("platform", REQUIRED)
def test_every_conversation_that_waits_says_for_what(platform: str) -> None:
    there = {one.number for one in CONVERSATIONS if platform in one.platforms}
    assert REQUIRED[platform] <= there
    assert there - REQUIRED[platform] <= set(WAITING_FOR)
    waiting = {
        one.number
        for one in CONVERSATIONS
        if set(one.platforms) & {p for p in REQUIRED if one.number not in REQUIRED[p]}
    }
    assert waiting == set(WAITING_FOR)


def test_no_two_conversations_share_a_number_or_name() -> None:
    every = (*CONVERSATIONS, *MORE)
    assert len({one.number for one in every}) == len({one.name for one in every}) == len(every)


def test_what_is_cut_is_really_cut() -> None:
    for number in CUT:
        conversation = CONVERSATIONS[number - 1]
        for lang in LANGUAGES:
            assert 0 < len(list(at_this_stage(conversation, lang))) < len(list(conversation.said(lang)))
