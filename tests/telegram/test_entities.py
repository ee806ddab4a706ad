"""A reply as text and entities; the property holds for anything that may be stored."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from telegram import MessageEntity
from wcwidth import iter_graphemes

from bot.message import Button, Line, Reply, Shape
from bot.platforms.telegram.entities import plain, render
from bot.platforms.telegram.splitting import parts
from bot.platforms.telegram.utf16 import units
from tests.telegram.validator import complaints

AWKWARD = st.sampled_from(
    "D-2024-05-27-01|D-2024-05-27-b01|T-240527-01|AUTO-20240527-01|👨‍👩‍👧‍👦|🇨🇳|🏳️‍🌈|𠮷|e\u0301|\ud83d|\udc00|\x00|\r\n|\t|\u202e|\u2028|```"
    "|_*[]()~`>#+-=|{}.!|<b>|</b>|&amp;|。”|. |　| |\n|\u200b|https://evil.example|@keepbot|/new|😀".split("|")
)
WORDS = st.lists(st.one_of(AWKWARD, st.text(st.characters(codec=None), max_size=6)), max_size=8).map("".join)
LINES = st.lists(st.tuples(WORDS, st.booleans()), max_size=6)
MOST = st.sampled_from([16, 25, 40, 4096])


def check(lines: list[tuple[str, bool]], most: int) -> None:
    """With small messages few words are cut often."""
    reply = Reply(tuple(Line(words, is_stored) for words, is_stored in lines), (Button("Undo", "tok"),))
    found = parts(reply, most)
    for part in found:
        text, entities = render(part)
        assert complaints(text, entities, most) == []
    assert _visible(found) == _visible([reply]), "nothing lost, nothing added"
    pieces = [line.words for part in found for line in part.lines]
    clusters = [cluster for words, _ in lines for cluster in iter_graphemes(words)]
    if "".join(pieces) == "".join(words for words, _ in lines) and all(units(one) <= most for one in clusters):
        assert [one for piece in pieces for one in iter_graphemes(piece)] == clusters, "no visible sign is cut"
    assert [part.buttons for part in found[:-1]] == [()] * len(found[:-1])
    assert not found or found[-1].buttons == reply.buttons


def _visible(replies: list[Reply]) -> str:
    """Blank messages are left out, so blanks do not count here; `test_splitting` counts them."""
    words = "".join(plain(line.words) for reply in replies for line in reply.lines)
    return "".join(words.replace("\u200b", "").replace("\u2060", "").replace("\ufeff", "").split())


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(LINES, MOST)
def test_whatever_is_stored_can_be_sent(lines: list[tuple[str, bool]], most: int) -> None:
    check(lines, most)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(LINES, MOST)
def test_whatever_is_stored_can_be_sent_ten_thousand_times(lines: list[tuple[str, bool]], most: int) -> None:
    check(lines, most)


def reply_of(*lines: str | Line) -> Reply:
    return Reply(tuple(line if isinstance(line, Line) else Line(line) for line in lines))


def marked(reply: Reply) -> list[tuple[str, str]]:
    """What stands under each entity."""
    text, entities = render(reply)
    raw = text.encode("utf-16-le")
    return [(one.type, raw[one.offset * 2 : (one.offset + one.length) * 2].decode("utf-16-le")) for one in entities]


def stored(*words: str) -> list[Line]:
    return [Line(one, stored=True) for one in words]


def test_b21_markup_in_notes_stays_text() -> None:
    lines = stored('<a href="http://evil.example">your bank</a>', "use a<b && c>d", "[x](http://evil.example)")
    text, entities = render(reply_of("</b><i>x:", *lines))
    assert text == "</b><i>x:\n" + "\n".join(line.words for line in lines)
    assert [one.type for one in entities] == [MessageEntity.BLOCKQUOTE]


@pytest.mark.parametrize("note", ["2026-12-01 – ship v1.2 (beta)!", "a_b*c[d](e)~f>g#h+i-j=k|l{m}.n"])
def test_b25_reserved_signs_arrive_as_they_are(note: str) -> None:
    assert render(reply_of("Saved:", *stored(note)))[0] == f"Saved:\n{note}"


@pytest.mark.parametrize("note", ["use ``` to open a block", "_", "*not closed", "`"])
def test_b26_what_is_not_closed_arrives_as_it_is(note: str) -> None:
    text, entities = render(reply_of(*stored(note)))
    assert text == note
    assert complaints(text, entities) == []


FAMILY, FLAG = "👨‍👩‍👧‍👦", "🇨🇳"


@pytest.mark.parametrize(
    "words",
    ["x" * 4095 + "🎩" + "y" * 50, "x" * 4090 + FAMILY + "y" * 50, "x" * 4095 + FLAG + FLAG, "x" * 4095 + "𠮷字"],
    ids=["hat", "family", "flags", "astral"],
)
def test_b27_no_cut_goes_through_a_sign(words: str) -> None:
    found = parts(reply_of(words))
    texts = [render(part)[0] for part in found]
    assert len(texts) == 2
    assert "".join(texts) == words
    assert all(complaints(*render(part)) == [] for part in found)
    for sign in ("🎩", FAMILY, FLAG, "𠮷"):
        assert sum(text.count(sign) for text in texts) == words.count(sign)


def test_b28_signs_outside_the_first_plane_count_twice() -> None:
    found = [render(part)[0] for part in parts(reply_of("😀" * 5000))]
    assert [len(text) for text in found] == [2048, 2048, 904]


def test_stored_lines_in_a_row_are_one_quotation() -> None:
    found = marked(reply_of("🎩 You decided:", *stored("cap 𠮷", "at 30k"), "because:", *stored("half is spent")))
    assert found == [("blockquote", "cap 𠮷\nat 30k"), ("blockquote", "half is spent")]


def test_our_labels_are_code_and_stored_ones_are_words() -> None:
    line = Line("Saved as D-2024-05-27-01，又见T-240527-b01、AUTO-20240527-01 D-2024-05-27-x1a201。")
    assert marked(reply_of(line)) == [
        ("code", "D-2024-05-27-01"),
        ("code", "T-240527-b01"),
        ("code", "AUTO-20240527-01"),
        ("code", "D-2024-05-27-x1a201"),
    ]
    assert marked(reply_of(*stored("see D-2024-05-27-01"))) == [("blockquote", "see D-2024-05-27-01")]
    assert marked(reply_of("ID-2024-05-27-01 D-2024-05-27-011-2 XD-2024-05-27-01")) == []


def test_blank_ends_are_left_out_and_the_places_follow() -> None:
    text, entities = render(reply_of("", *stored("  cap 🎩  ", ""), "D-2024-05-27-01", " "))
    assert text == "cap 🎩  \n\nD-2024-05-27-01"
    assert [(one.type, one.offset, one.length) for one in entities] == [("blockquote", 0, 9), ("code", 10, 15)]


def test_blank_stored_words_are_no_quotation() -> None:
    assert marked(reply_of("a", *stored(" ", ""), "b")) == []


def test_signs_that_telegram_drops_are_shown() -> None:
    assert plain("a\x00b\x1b[0m\r\n\tc\x7f\x85") == "a␀b␛[0m␍\n\tc␡\ufffd"
    assert plain("\u202eabc\u2066d\u2028e\ud83d") == "abcd e\ufffd"
    assert render(reply_of(*stored("\x00")))[0] == "␀", "a note of nothing else is still to be seen"


def test_more_than_a_hundred_labels_are_marked_as_far_as_telegram_looks() -> None:
    _text, entities = render(reply_of("D-2024-05-27-01 " * 150))
    assert len(entities) == 100


def test_a_toast_is_one_piece_and_a_blank_reply_is_none() -> None:
    toast = Reply((Line("x" * 5000),), shape=Shape.TOAST)
    assert parts(toast) == [toast]
    assert parts(reply_of(" ", "\n")) == []
    assert parts(Reply(())) == []
