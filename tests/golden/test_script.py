"""The grammar of `golden/1`: what it reads, and the line it names when it refuses."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.golden import manners, script
from tests.golden.match import Sent, SentAs
from tests.golden.script import BadScript
from tests.golden.steps import (
    LANGUAGES,
    LLM,
    AnyStep,
    At,
    Contains,
    Exit,
    Expect,
    Fault,
    Hearing,
    Hole,
    Kind,
    Known,
    Moment,
    NotContains,
    On,
    Placeholder,
    Press,
    Relay,
    Restart,
    Run,
    Say,
    Sync,
    Text,
    Wait,
)


def steps(*lines: str, lang: str = "en") -> list[AnyStep]:
    (conversation,) = script.parse("\n".join(["== 01 name · title", *lines]))
    return [step for _line, step in conversation.said(lang)]


def text(words: str) -> Text:
    return Text((words,))


def test_the_whole_script_is_read_in_both_languages() -> None:
    conversations = script.read()
    assert [one.number for one in conversations] == list(range(1, 49))
    for conversation in conversations:
        for lang in LANGUAGES:
            assert list(conversation.said(lang))
        kinds = {lang: [type(step) for _, step in conversation.said(lang)] for lang in LANGUAGES}
        assert kinds["zh"] == kinds["en"], f"{conversation.number:02} does one thing in each language"


def test_the_script_keeps_the_manners_it_asks_for() -> None:
    shapes = {Kind.EDIT: SentAs.EDIT, Kind.TOAST: SentAs.TOAST}
    for conversation in script.read():
        for lang in LANGUAGES:
            typed: list[str] = []
            for line, step in conversation.said(lang):
                if isinstance(step, Say):
                    typed += [part for part in step.text.parts if isinstance(part, str)]
                if isinstance(step, Expect) and step.kind not in (Kind.NONE, Kind.SAME, Kind.REACT):
                    words = "".join(part if isinstance(part, str) else "7" for part in step.text.parts)
                    sent = Sent("private lin", words, step.buttons, shapes.get(step.kind, SentAs.MESSAGE))
                    assert manners.complaint(sent, typed) is None, f"line {line}"


def test_a_heading_says_where_it_runs() -> None:
    script_text = "\n".join(
        f"== {number:02} {name} · 标题{limit}\n@lin: x"
        for number, (name, limit) in enumerate(
            [("a", ""), ("b", " (terminal)"), ("c", " (telegram)"), ("d", " (chat)")]
        )
    )
    places = [one.platforms for one in script.parse(script_text)]
    assert places == [("terminal", "telegram", "feishu"), ("terminal",), ("telegram",), ("telegram", "feishu")]


def test_sides_share_the_beginning_of_a_step() -> None:
    line = "@lin (group Team): 记住 x ‖ remember x ▸ <toast 好 ‖ Good ▸ ~ 甲 & [乙] ‖ a & [b] ▸ press [乙] ‖ press [b]"
    assert steps(line, lang="zh") == [
        Say("lin", text("记住 x"), group="Team"),
        Expect(Kind.TOAST, text("好")),
        Contains((text("甲"),), ("乙",)),
        Press("乙"),
    ]
    assert steps(line, lang="en") == [
        Say("lin", text("remember x"), group="Team"),
        Expect(Kind.TOAST, text("Good")),
        Contains((text("a"),), ("b",)),
        Press("b"),
    ]


def test_an_empty_side_is_no_step_in_that_language() -> None:
    line = "@lin: 你好 ‖ hello ▸ < 你好 ‖  ▸ press [甲] ‖ ▸ ‖ press [b]"
    assert [type(step) for step in steps(line, lang="zh")] == [Say, Expect, Press]
    assert steps(line, lang="en") == [Say("lin", text("hello")), Press("b")]


def test_what_stands_in_the_brackets_of_a_message() -> None:
    assert steps("@noor (group Team, overheard): hi") == [Say("noor", text("hi"), "Team", Hearing.OVERHEARD)]
    assert steps("@lin (group Team, reply): hi") == [Say("lin", text("hi"), "Team", reply=True)]
    assert steps("@lin (edit): hi") == [Say("lin", text("hi"), edit=True)]
    assert steps("@lin (forward from Rust Weekly): hi") == [Say("lin", text("hi"), forward_from="Rust Weekly")]
    assert steps("@lin (private, 05-22 14:10): a: (b)") == [Say("lin", text("a: (b)"), at=Moment(5, 22, 14, 10))]
    assert steps("@lin: x{好*3}y") == [Say("lin", text("x好好好y"))]


def test_a_reply_has_lines_holes_and_buttons() -> None:
    (step,) = steps("< a [D-1] ⏎ b⏎  c {…} {n} {code=c} {six} [OK] [Not now]")
    assert step == Expect(
        Kind.EXACT,
        Text(
            (
                "a [D-1]\nb\n  c ",
                Placeholder(Hole.ANY),
                " ",
                Placeholder(Hole.NUMBER),
                " ",
                Placeholder(Hole.CODE, "c"),
                " ",
                Placeholder(Hole.SIX),
            )
        ),
        ("OK", "Not now"),
    )


def test_a_remembered_placeholder_can_be_said_and_typed() -> None:
    assert steps("< join {code=c}", "@lin: /pair {c}", "$ niannian device join {c}")[1:] == [
        Say("lin", Text(("/pair ", Known("c")))),
        Run((text("device"), text("join"), Text((Known("c"),)))),
    ]


def test_the_small_steps() -> None:
    assert steps("@lin: x ▸ @noor press [X] ▸ $ niannian import 'a b' ▸ exit 2 ▸ at 05-28 08:00 ▸ wait 31m") == [
        Say("lin", text("x")),
        Press("X", "noor"),
        Run((text("import"), text("a b"))),
        Exit(2),
        At(Moment(5, 28, 8, 0)),
        Wait(timedelta(minutes=31)),
    ]
    assert steps("restart ▸ on phone ▸ sync ▸ relay off ▸ relay on ▸ fault words 5 due, x ▸ llm: (down) ▸ llm: hi") == [
        Restart(),
        On("phone"),
        Sync(),
        Relay(on=False),
        Relay(on=True),
        Fault("words", "5 due, x"),
        LLM(None),
        LLM("hi"),
    ]
    assert steps("@lin: x ▸ < a ▸ <= ▸ <none ▸ <react 👍 ▸ <to noor hi ▸ <group Team hi [A]")[2:] == [
        Expect(Kind.SAME),
        Expect(Kind.NONE),
        Expect(Kind.REACT, text("👍")),
        Expect(Kind.TO, text("hi"), to="noor"),
        Expect(Kind.GROUP, text("hi"), ("A",), to="Team"),
    ]
    assert steps("! a & b ▸ !! c d") == [NotContains(("a", "b"), "action"), NotContains(("c d",), "conversation")]


@pytest.mark.parametrize(
    "bad",
    [
        "lin: hello",
        "@lin hello",
        "@lin:",
        "@lin (loudly): hello",
        "@lin (overheard): hello",
        "@lin (reply, reply): hello",
        "@lin (05-32 10:00): hello",
        "@lin: hello {name}",
        "@lin: hello {…}",
        "@lin: /pair {c}",
        "@lin: a ‖ b ‖ c",
        "@lin: a ▸  ▸ < b",
        "<edited x",
        "<to Noor x",
        "<react",
        "<",
        "< {code=C}",
        "<=",
        "~ a &  & b",
        "press X",
        "exit 0",
        "exit soon",
        "$ rm -rf x",
        "$ niannian 'a",
        "wait 31",
        "wait 0m",
        "at 10:00",
        "relay maybe",
        "restart now",
        "on Phone!",
        "fault Disk Full",
        "== 01 name",
        "== 02 name · title (boat)",
        "== 1 name · title",
        "== 01 other · title",
    ],
)
def test_a_bad_line_is_refused_by_its_number(bad: str) -> None:
    with pytest.raises(BadScript) as refused:
        script.parse(f"== 01 name · title\non home\n{bad}\n@lin: x")
    assert refused.value.line == 3
    assert str(refused.value).startswith("line 3: ")


def test_nothing_can_be_pressed_first() -> None:
    with pytest.raises(BadScript, match="line 2: a press before"):
        script.parse("== 01 a · b\npress [X]")


def test_a_conversation_has_a_heading_and_steps() -> None:
    with pytest.raises(BadScript, match="line 1: a step before"):
        script.parse("@lin: x")
    with pytest.raises(BadScript, match="line 1: conversation 01 has no steps"):
        script.parse("== 01 a · b\n== 02 c · d\n@lin: x")
