"""The stage on Telegram is tried before it is trusted: small scripts, and what must fail does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden import script
from tests.golden.device import ForkServer
from tests.golden.faults import NotYet
from tests.golden.looks import check_looks
from tests.golden.runner import Unlike, play
from tests.golden.telegram import TelegramStage

pytestmark = pytest.mark.net


@pytest.fixture
def stage(fork_server: ForkServer, tmp_path: Path) -> TelegramStage:
    return TelegramStage(fork_server, tmp_path, "en")


def played(steps: str, stage: TelegramStage) -> None:
    (conversation,) = script.parse(f"== 01 try · try\n{steps}")
    play(conversation.said("en"), stage)


def test_what_is_not_meant_for_the_bot_is_left_alone(stage: TelegramStage) -> None:
    played(
        "@noor (group Team, overheard): remember the release branch is main ▸ <none\n"
        "@noor (group Team): /remember@other_bot the release branch is main ▸ <none\n"
        "@lin (group Team): which branch is the release branch? ▸ ~ no entry yet",
        stage,
    )


def test_an_answer_to_the_bot_needs_no_name_and_one_to_a_person_does(stage: TelegramStage) -> None:
    played(
        "@noor (group Team): remember the release branch is main\n"
        "@wei (group Team, reply): which branch is the release branch? ▸ ~ the release branch is main & Noor\n"
        "@noor (group Team, overheard): the car is on B2 ▸ <none\n"
        "@wei (group Team, reply): remember ▸ ~ the car is on B2 & Noor",
        stage,
    )
    written = [message.text for message in stage.telegram.chat(-4001) if message.text and not message.by_bot]
    assert written[1] == "which branch is the release branch?"
    assert written[3] == "@keepbot remember"


def test_a_message_that_comes_again_after_a_kill_is_answered_once(stage: TelegramStage) -> None:
    played("@lin: remember the car is on B2 ▸ kill ▸ <none\n@lin: where is the car? ▸ ~ D-2024-05-27-01", stage)
    assert len(stage.telegram.sent(5001)) == 2


def test_a_button_that_is_gone_can_still_be_pressed(stage: TelegramStage) -> None:
    played(
        "@lin: remember the car is on B2 ▸ press [Undo] ▸ ~ Undone · D-2024-05-27-01\n"
        "press [Undo] ▸ <toast Already done",
        stage,
    )


def test_a_thumb_is_no_message(stage: TelegramStage) -> None:
    played("@lin (group Team): thanks ▸ <react 👍", stage)


def test_whoever_is_not_in_front_of_a_button_cannot_press_it(stage: TelegramStage) -> None:
    with pytest.raises(AssertionError, match=r"no message in front of noor had \[Undo\]"):
        played("@lin: remember the car is on B2 ▸ @noor press [Undo]", stage)


def test_what_telegram_refuses_fails(stage: TelegramStage) -> None:
    stage.telegram.fail("sendMessage", "chat-not-found")
    with pytest.raises(AssertionError, match=r"Telegram refused sendMessage: .*chat not found"):
        played("@lin: remember the car is on B2", stage)


def test_an_answer_in_another_chat_fails(stage: TelegramStage) -> None:
    with pytest.raises(Unlike, match="it went to group Team, not to private lin"):
        played("@lin (group Team): remember the car is on B2 ▸ <to lin Saved", stage)


@pytest.mark.parametrize("step", ["$ niannian doctor", "llm: Hello.", "sync", "on phone", "relay off", "fault locked"])
def test_what_belongs_to_another_stage_says_so(step: str, stage: TelegramStage) -> None:
    with pytest.raises(NotYet):
        played(step, stage)


HAT = "\U0001f3a9"
"""Two units of UTF-16."""


def entity(kind: str, offset: int, length: int) -> dict[str, object]:
    return {"type": kind, "offset": offset, "length": length}


def test_stored_words_are_quoted_and_ids_are_code() -> None:
    text = f"{HAT} D-2024-05-27-01\n“my {HAT}”\nlater"
    ref, words = entity("code", 3, 15), entity("blockquote", 19, 7)
    check_looks(text, [ref, words])
    cut = entity("blockquote", 19, 3)
    for wrong in ([ref], [words], [ref, cut], [entity("code", 2, 15), words], [entity("bold", 3, 15), words]):
        with pytest.raises(AssertionError):
            check_looks(text, wrong)


def test_an_id_in_stored_words_is_part_of_them() -> None:
    check_looks("“as in D-2024-05-27-01” — Noor", [entity("blockquote", 0, 31)])


def test_quotation_marks_inside_our_own_words_need_no_quote() -> None:
    check_looks("“renew the domain”: what is it blocked by?", [])
