"""Bytes → text: each encoding told apart, nothing guessed at, nothing that no text can hold."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from store.formats.encoding import decode, text_of
from store.pieces import File, Trouble

COMMON = "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴讲领茶绿咖啡数据库提醒记忆决定偏好"
LETTERS = st.characters(min_codepoint=32, max_codepoint=126)
TEXTS = st.text(st.one_of(LETTERS, st.sampled_from(COMMON + "，。：“”！？、《》（）\n")), max_size=80)


@given(TEXTS)
def test_utf8_and_everything_with_a_mark_is_read_exactly(text: str) -> None:
    assert decode(text.encode()) == text
    assert decode(codecs.BOM_UTF8 + text.encode()) == text
    assert decode(codecs.BOM_UTF16_LE + text.encode("utf-16-le")) == text or text.startswith("\0")
    assert decode(codecs.BOM_UTF16_BE + text.encode("utf-16-be")) == text
    assert decode(codecs.BOM_UTF32_LE + text.encode("utf-32-le")) == text


@given(TEXTS, st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf16_without_a_mark_is_told_by_its_line_ends(text: str, encoding: str) -> None:
    """Nearly every text file ends in one; a text of nothing but characters is nobody's file."""
    text += "\n"
    assume(len(text) < 20 * text.count("\n") or any(c.isascii() for c in text[:-1]))
    assert decode(text.encode(encoding)) == text


@given(TEXTS)
def test_gb18030_is_told_from_utf8(text: str) -> None:
    data = text.encode("gb18030")
    try:
        data.decode()
    except UnicodeDecodeError:
        assert decode(data) == text
    else:
        assert decode(data) == data.decode()


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60))
def test_any_text_of_utf8_without_a_nul_is_itself(text: str) -> None:
    assume(not text.startswith("\ufeff"))
    assert decode(text.encode()) == text


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_named(data: bytes) -> None:
    text, trouble = text_of(File("a.md", data))
    assert trouble is None or not text
    assert "\0" not in text
    text.encode()  # no half of a character


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "naïve résumé".encode("latin-1"), b"\xff\xfe\x00", b"\x80\x81\xff", b"\xef\xbb\xbf\xff"],
    ids=["picture", "latin-1", "half of UTF-16", "nothing", "a mark that lies"],
)  # fmt: skip
def test_what_is_none_of_them_is_named(data: bytes) -> None:
    assert text_of(File("a.md", data)) == ("", Trouble("a.md", 0, "trouble-encoding"))


def test_a_nul_is_named_with_its_line() -> None:
    assert text_of(File("a.md", b"one\ntwo\nth\0ree\n")) == ("", Trouble("a.md", 3, "trouble-nul"))
    # As UTF-16 this would be likely enough Chinese, but for how few zeros there are.
    assert text_of(File("a.md", b"aN" * 20 + b"\0x")) == ("", Trouble("a.md", 1, "trouble-nul"))
    wide = "一\n\0二\n".encode("utf-16")
    assert text_of(File("a.md", wide)) == ("", Trouble("a.md", 2, "trouble-nul"))


def test_line_ends_become_one_kind() -> None:
    assert text_of(File("a.md", b"a\r\nb\nc\r"))[0] == "a\nb\nc\r"


def test_traditional_characters_in_gb18030_are_read() -> None:
    text = "我們決定資料庫用這個，因為備份只要複製一個檔案。"
    assert decode(text.encode("gb18030")) == text
