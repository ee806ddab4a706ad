"""The runner is tried before it is trusted: on a scripted stage, then on a toy application in real processes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import pytest

from tests.golden import script
from tests.golden.device import DeviceBroke, ForkServer, Shown
from tests.golden.faults import NotYet
from tests.golden.match import Sent, SentAs
from tests.golden.platforms import START, Outcome, TerminalStage
from tests.golden.runner import Unlike, play
from tests.golden.screen import PtyProcess, Screen, as_replies
from tests.golden.steps import AnyStep, Say

LIN = "private lin"


class ScriptedStage:
    """Answers each action with the next list of replies."""

    def __init__(self, *answers: list[Sent], log: str = "", held: bool = True, status: int | None = 0) -> None:
        self._answers = list(answers)
        self._log, self._held, self._status = log, held, status
        self._now = START
        self.closed = False

    def _next(self) -> Outcome:
        return Outcome(tuple(self._answers.pop(0)) if self._answers else (), LIN)

    def now(self) -> datetime:
        return self._now

    def say(self, say: Say, text: str) -> Outcome:
        return self._next()

    def press(self, person: str, label: str) -> Outcome:
        return self._next()

    def run(self, arguments: Sequence[str]) -> Outcome:
        return self._next()

    def exit_status(self, *, wait: bool) -> int | None:
        return self._status

    def later(self, *, wait: bool) -> Outcome:
        return Outcome()

    def move_clock(self, to: datetime) -> Outcome:
        self._now = to
        return Outcome()

    def restart(self) -> Outcome:
        return self._next()

    def kill(self) -> Outcome:
        return self._next()

    def fault(self, name: str, argument: str) -> Outcome:
        return self._next()

    def llm(self, answer: str | None) -> None:
        raise NotYet("no model")

    def on(self, device: str) -> None: ...

    def sync(self) -> Outcome:
        return Outcome()

    def relay(self, on: bool) -> None: ...

    def unheld(self, refs: Iterable[str]) -> list[str]:
        return [] if self._held else list(refs)

    def on_disk(self, pieces: Iterable[str]) -> list[str]:
        return [piece for piece in pieces if piece == "on disk"]

    def log(self) -> str:
        return self._log

    def close(self) -> None:
        self.closed = True


def said(*lines: str) -> list[tuple[int, AnyStep]]:
    (conversation,) = script.parse("\n".join(["== 01 name · title", *lines]))
    return list(conversation.said("en"))


def message(text: str, *buttons: str, chat: str = LIN, failed: bool = False) -> Sent:
    return Sent(chat, text, buttons, failed=failed)


SAVED = "Saved · D-2024-05-27-01"


def test_what_the_script_says_passes_and_the_stage_is_closed() -> None:
    stage = ScriptedStage([message(SAVED, "Undo")], [message("You said it.")], [Sent(LIN, "late", shape=SentAs.TOAST)])
    play(
        said(f"@lin: a ▸ < {SAVED} [Undo] ▸ ~ D-2024 & [Undo]", "@lin: b ▸ ~ said ▸ ! Undo", "@lin: c ▸ <toast late"),
        stage,
    )
    assert stage.closed


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        pytest.param(["@lin: a ▸ < here it is [X]"], [[message("here it Is", "X")]], id="a character differs"),
        pytest.param(["@lin: a ▸ < here it is [X]"], [[message("here it is", "X", "Y")]], id="a button too many"),
        pytest.param(["@lin: a ▸ < here it is [X]"], [[message("here it is")]], id="a button missing"),
        pytest.param(["@lin: a ▸ < here it is"], [[]], id="no reply"),
        pytest.param(["@lin: a ▸ ~ here"], [[]], id="no reply to look into"),
        pytest.param(["@lin: a ▸ < b"], [[message("b", chat="group Team")]], id="another chat"),
        pytest.param(["@lin: a ▸ <edit b"], [[message("b")]], id="a new message instead of an edit"),
        pytest.param(["@lin: a ▸ <none"], [[message("b")]], id="a reply instead of none"),
        pytest.param(["@lin: a ▸ < b ▸ <none"], [[message("b"), message("c")]], id="a second reply instead of none"),
        pytest.param(["@lin: a ▸ < b"], [[message("b"), message("oh", failed=True)]], id="an error left over"),
        pytest.param(["@lin: a", "@lin: c ▸ < b"], [[message("oh", failed=True)], [message("b")]], id="set-up failed"),
        pytest.param(["@lin: a", "@lin: c"], [[message("Not saved: full")], []], id="set-up did not save"),
        pytest.param(["@lin: a ▸ ! b"], [[message("a b c")]], id="a forbidden word"),
        pytest.param(["@lin: a ▸ ! Undo"], [[message("a", "Undo")]], id="a forbidden button"),
        pytest.param(["@lin: a", "@lin: c ▸ !! b"], [[message("a b c")], []], id="a forbidden word before"),
        pytest.param(["@lin: a ▸ !! on disk"], [[]], id="a forbidden word in a file"),
        pytest.param(["@lin: a ▸ < b", "@lin: a ▸ <="], [[message("b")], [message("b", "X")]], id="not the same"),
        pytest.param(["@lin: a"], [[message("Great!")]], id="bad manners in set-up"),
        pytest.param(["$ niannian x ▸ exit 2"], [[]], id="another exit status"),
    ],
)
def test_what_the_script_does_not_say_fails(lines: list[str], answers: list[list[Sent]]) -> None:
    stage = ScriptedStage(*answers)
    with pytest.raises(Unlike, match=r"^conversations.golden:\d"):
        play(said(*lines), stage)
    assert stage.closed


def test_a_command_that_fails_unasked_fails_the_conversation() -> None:
    with pytest.raises(Unlike, match="exit status 3"):
        play(said("$ niannian x", "@lin: a"), ScriptedStage(status=3))
    play(said("$ niannian x ▸ exit 3", "@lin: a"), ScriptedStage(status=3))


def test_the_checks_of_every_run() -> None:
    with pytest.raises(Unlike, match="no scope holds D-2024-05-27-01"):
        play(said("@lin: a"), ScriptedStage([message(SAVED)], held=False))
    with pytest.raises(Unlike, match="a log line holds"):
        play(said("@lin: the flowerpot"), ScriptedStage([], log="INFO Heard flowerpot"))


def test_forbidden_words_of_an_earlier_action_do_not_count() -> None:
    play(said("@lin: a ▸ ~ b", "@lin: c ▸ ! b"), ScriptedStage([message("b")], [message("d")]))


# The toy application, in real processes


def toy(server: ForkServer, folder: Path, *lines: str) -> None:
    play(said(*lines), TerminalStage(server, folder, "en", app="stub"))


def test_a_conversation_with_a_process(fork_server: ForkServer, tmp_path: Path) -> None:
    toy(
        fork_server,
        tmp_path,
        "@lin (05-22 14:10): remember one ▸ < Saved · D-2024-05-22-01⏎“one” [Undo]",
        "kill ▸ @noor (group Team, 05-27 10:00): remember two ▸ ~ D-2024-05-27-02",
        "restart ▸ @wei: list ▸ < Wei sees one, two ▸ ! three",
        "@noor press [Undo] ▸ <toast Only Lin can press this",
        "press [Undo] ▸ <edit Undone · D-2024-05-27-02",
        "@lin: hm ▸ <none",
        "at 05-28 09:00 ▸ < rent",
    )


def test_a_number_presses_the_newest_buttons_of_the_session(fork_server: ForkServer, tmp_path: Path) -> None:
    toy(
        fork_server,
        tmp_path,
        "@lin: remember one",
        "@lin: remember two ▸ press [Undo] ▸ <edit Undone · D-2024-05-27-02",
    )


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["@lin: lie"], "no scope holds D-2024-05-27-09"),
        (["@lin: secrets in logs"], "a log line holds"),
        (["@lin: remember one ▸ <none"], "nothing should be sent"),
    ],
)
def test_a_process_that_misbehaves_is_caught(
    lines: list[str], why: str, fork_server: ForkServer, tmp_path: Path
) -> None:
    with pytest.raises(Unlike, match=why):
        toy(fork_server, tmp_path, *lines)


def test_a_process_that_raises_is_a_failure_with_its_traceback(fork_server: ForkServer, tmp_path: Path) -> None:
    with pytest.raises(DeviceBroke, match="RuntimeError: as asked"):
        toy(fork_server, tmp_path, "@lin: raise")


@pytest.mark.parametrize(
    "line",
    ["llm: hi", "@lin (group Team, overheard): x", "@lin (edit): x", "fault moon"],
)
def test_a_step_of_a_later_stage_says_so(line: str, fork_server: ForkServer, tmp_path: Path) -> None:
    with pytest.raises(NotYet):
        toy(fork_server, tmp_path, line)


# The pseudo-terminal

CHAT = """
import sys
from prompt_toolkit import PromptSession
session = PromptSession()
print("\\x1b[1m你好，我是念念。\\x1b[0m\\n  “你说过的”\\n1 对  2 换一个  3 English\\n")
while (line := session.prompt("› ")) != "bye":
    print("· " + line if line == "1" else "got " + line + "\\n")
print("left")
sys.exit(75)
"""


def test_a_person_at_a_terminal(tmp_path: Path) -> None:
    process = PtyProcess([], folder=tmp_path, environment={}, program=(sys.executable, "-c", CHAT))
    try:
        (greeting,) = process.settle()
        assert greeting.text == "你好，我是念念。\n“你说过的”"
        assert [label for label, _ in greeting.buttons] == ["对", "换一个", "English"]
        assert process.number_of("换一个") == 2
        assert process.type("1") == [Shown("1", (), "toast")]
        assert process.type("花盆") == [Shown("got 花盆", (), "any")]
        assert process.status(wait_s=0) is None
        assert process.type("bye") == [Shown("left", (), "any")]
        assert process.status(wait_s=5) == 75
    finally:
        process.close()


def test_a_screen_draws_over_itself_and_answers_queries() -> None:
    screen = Screen()
    screen.feed("abc\rx\x1b[Ky\r\n中文\x1b[2D!\x1b[")
    screen.feed("6n\x1b]0;title\x07\x1b[?25l")
    assert screen.lines() == ["xy", "中!"]
    assert screen.replies == b"\x1b[2;4R"


def test_blocks_become_replies() -> None:
    assert as_replies(["a", "", "", "· b", "", "1 of them", "c"]) == [
        Shown("a", (), "any"),
        Shown("b", (), "toast"),
        Shown("1 of them\nc", (), "any"),
    ]
