"""What counts as the same reply, and the manners that every reply must have."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path

import pytest

from tests.golden import manners, match, script
from tests.golden.match import Memory, Sent, SentAs
from tests.golden.steps import Contains, Expect

CHAT = "private lin"


def expected(line: str) -> Expect:
    (conversation,) = script.parse(f"== 01 a · b\n{line}")
    step = next(step for _, step in conversation.said("en"))
    assert isinstance(step, Expect)
    return step


def why_not(line: str, sent: Sent, memory: Memory | None = None) -> str | None:
    return match.whole(expected(line), sent, memory or Memory(), chat=CHAT)


def test_a_reply_is_whole_and_exact() -> None:
    assert why_not("< a⏎b [X] [Y]", Sent(CHAT, "a\nb", ("X", "Y"))) is None
    for words, buttons in [
        ("a\nb.", ("X", "Y")),
        ("a\nB", ("X", "Y")),
        ("a\nb", ("X",)),
        ("a\nb", ("X", "Y", "Z")),
        ("a\nb", ("Y", "X")),
        ("a\nb", ()),
        ("a b", ("X", "Y")),
        ("a\nb\n", ("X", "Y")),
    ]:
        assert why_not("< a⏎b [X] [Y]", Sent(CHAT, words, buttons)) is not None


def test_shape_and_place_count() -> None:
    assert why_not("<edit a", Sent(CHAT, "a", shape=SentAs.EDIT)) is None
    assert why_not("<edit a", Sent(CHAT, "a", shape=SentAs.ANY)) is None
    assert why_not("<toast a", Sent(CHAT, "a", shape=SentAs.TOAST)) is None
    assert why_not("<to noor a", Sent("private noor", "a")) is None
    assert why_not("<group Team a", Sent("group Team", "a")) is None
    assert why_not("< a", Sent(CHAT, "a", shape=SentAs.EDIT)) is not None
    assert why_not("<toast a", Sent(CHAT, "a", shape=SentAs.ANY)) is not None
    assert why_not("<edit a", Sent(CHAT, "a")) is not None
    assert why_not("< a", Sent("group Team", "a")) is not None
    assert why_not("<to noor a", Sent(CHAT, "a")) is not None


def test_placeholders_learn_and_keep() -> None:
    memory = Memory()
    assert why_not("< {n} of {code=c}, {six} {…}", Sent(CHAT, "1,240 of AB-12, 123456 and more"), memory) is None
    assert memory.names == {"c": "AB-12", "six": "123456"}
    assert why_not("< again {six}", Sent(CHAT, "again 123456"), memory) is None
    assert why_not("< again {six}", Sent(CHAT, "again 654321"), memory) is not None
    assert why_not("< {…}", Sent(CHAT, "one\ntwo")) is not None
    assert why_not("< {…}", Sent(CHAT, "")) is not None
    assert why_not("< {n}", Sent(CHAT, "1,24")) is not None


def test_a_piece_may_stand_anywhere_and_a_button_must_be_one() -> None:
    (conversation,) = script.parse("== 01 a · b\n~ b{n} & [X]")
    step = next(step for _, step in conversation.said("en"))
    assert isinstance(step, Contains)
    assert match.contains(step, Sent(CHAT, "a b7 c", ("Y", "X")), Memory()) is None
    assert match.contains(step, Sent(CHAT, "a b c", ("X",)), Memory()) is not None
    assert match.contains(step, Sent(CHAT, "b7 [X]", ("Y",)), Memory()) is not None


@pytest.mark.parametrize(
    "sent",
    [
        Sent(CHAT, "a", ("1", "2", "3", "4")),
        Sent(CHAT, "a", ("a label of many words",)),
        Sent(CHAT, "a", ("这个按钮的字太多了",)),
        Sent(CHAT, "好！"),
        Sent(CHAT, "Good!"),
        Sent(CHAT, "Good ✅"),
        Sent(CHAT, "好的 👍"),
        Sent(CHAT, 'It is "here"'),
        Sent(CHAT, "在「这里」"),
        Sent(CHAT, "您好"),
        Sent(CHAT, ""),
        Sent(CHAT, "a  "),
        Sent(CHAT, "Saved"),
        Sent(CHAT, "Saved · private memory"),
        Sent(CHAT, "好，记下了。"),
        Sent(CHAT, "It wasn't there.\nSaved, D-2024-05-27-01"),
        Sent(CHAT, "Saved · D-2024-05-27-01\n1\n2\n3\n4"),
        Sent(CHAT, "\n".join("line" for _ in range(23))),
        Sent(CHAT, "a\nb\nc\nd", failed=True),
        Sent(CHAT, "一二三四五六七八九十一二三四五六七八九十一", shape=SentAs.TOAST),
        Sent(CHAT, "👍", shape=SentAs.REACTION),
        Sent("group Team", "🎉", shape=SentAs.REACTION),
    ],
)
def test_bad_manners(sent: Sent) -> None:
    assert manners.complaint(sent) is not None


@pytest.mark.parametrize(
    "sent",
    [
        Sent(
            CHAT, 'Saved · D-2024-05-27-01 · private memory\n“so good! ✅ "yes" 您”\nbecause: it is', ("Undo", "Edit")
        ),
        Sent(CHAT, "Not saved: the disk is full."),
        Sent(CHAT, "The 2024-05 archive has 1 done task."),
        Sent(CHAT, "paradigm", ("Again", "Hard", "Good", "Easy")),
        Sent(CHAT, "之前确实没有，现在补上。\n记下了 · D-2024-05-27-01 · 私聊记忆\n“我不吃香菜”"),
        Sent("group Team", "👍", shape=SentAs.REACTION),
    ],
)
def test_good_manners(sent: Sent) -> None:
    assert manners.complaint(sent) is None


def test_marks_a_person_typed_may_come_back() -> None:
    assert manners.complaint(Sent(CHAT, "blocked by: the rain!"), ["the rain!"]) is None


def test_a_receipt_names_something_held(tmp_path: Path) -> None:
    scope = tmp_path / "scopes" / "a"
    scope.mkdir(parents=True)
    connection = sqlite3.connect(scope / "memory.db")
    connection.execute("CREATE TABLE labels(label TEXT)")
    connection.execute("CREATE TABLE turns(text TEXT)")
    connection.execute("INSERT INTO labels VALUES ('D-2024-05-27-01')")
    connection.execute("INSERT INTO turns VALUES ('Saved · D-2024-05-27-02')")
    connection.commit()
    connection.close()
    replies = [
        Sent(CHAT, "Saved · D-2024-05-27-01"),
        Sent(CHAT, "记下了 · D-2024-05-27-02 · “Saved · D-2024-05-27-03”"),
    ]
    refs = manners.receipts(replies)
    assert refs == ["D-2024-05-27-01", "D-2024-05-27-02"]
    assert manners.unheld(refs, tmp_path) == ["D-2024-05-27-02"]


def test_words_in_files_are_found_plain_and_deflated(tmp_path: Path) -> None:
    packer = zlib.compressobj(wbits=-15)
    inside = packer.compress(b"so secret, so secret, so secret") + packer.flush()
    blob = b"\x85\x6f\x4a\x83" + b"sums" + b"\x02" + bytes([len(inside)]) + inside
    connection = sqlite3.connect(tmp_path / "memory.db")
    connection.execute("CREATE TABLE changes(bytes BLOB)")
    connection.execute("INSERT INTO changes VALUES (?)", (blob,))
    connection.commit()
    connection.close()
    (tmp_path / "note").write_text("open word")
    assert set(manners.found_in(tmp_path, ["so secret", "open word", "neither"])) == {"so secret", "open word"}


def test_a_log_that_repeats_people_is_caught() -> None:
    quiet = "INFO store.memory Stored an entry {'ref': 'D-2024-05-27-01'}"
    assert manners.leaked(quiet, ["remember the spare key is under the flowerpot", "/why D-2024-05-27-01"]) is None
    assert manners.leaked(quiet + "\nx flowerpot", ["the key is under the flowerpot"]) == "x flowerpot"
    assert manners.leaked("x 花盆", ["钥匙在花盆下面"]) == "x 花盆"
    assert manners.leaked("key is on", ["the key is on it"]) == "key is on"
