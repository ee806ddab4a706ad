"""ECDICT's rows: which are taken, and how their pronunciations and senses are respelled."""

from __future__ import annotations

import pytest

from store.dictionary import Definition
from store.formats.ecdict import RANK_MAX, Row, definitions, ipa, row_of


@pytest.mark.parametrize(
    ("phonetic", "respelled"),
    [
        ("'pærәdaim", "ˈpærədaɪm"),
        (",serәn'dipiti", "ˌserənˈdɪpɪti"),
        ("ә.bri:vi'eiʃәn", "əˌbriːvɪˈeɪʃən"),
        (".æbdi'keiʃәn", "ˌæbdɪˈkeɪʃən"),
        ("'єәriәl", "ˈeərɪəl"),
        ("'εədri", "ˈeədri"),
        ("ri'kɒ:d", "rɪˈkɔːd"),
        ("wә:s", "wɜːs"),
        ("b\\\\:t", "bɜːt"),
        ("b\\:t", "bɜːt"),
        ("haus", "haʊs"),
        ("ɒ:'ðou", "ɔːˈðəʊ"),
        ("'æ^nis", "ˈæɡnɪs"),
        ("dei", "deɪ"),
        ("'hæpi", "ˈhæpi"),
        ("æbsәn'ti:iz(ә)m", "æbsənˈtiːɪz(ə)m"),
        # two readings
        ("li:d. led", "liːd, led"),
        ("'ælɒi. ә'lɒi", "ˈælɔɪ, əˈlɔɪ"),
        ("'eibrәhæm, -hәm", "ˈeɪbrəhæm, -həm"),
        ("'ælәstә(r),-steә(r)", "ˈæləstə(r), -steə(r)"),
        ("'ɔ:lbәn,'æl-", "ˈɔːlbən, ˈæl-"),
        ("'bju:pə; 'bu:pə", "ˈbjuːpə, ˈbuːpə"),
        ("'deikɔ:(r); (?@) dei'kɔ:r", "ˈdeɪkɔː(r), deɪˈkɔːr"),
        # what is clean already stays
        ("ˈæksentɪd", "ˈæksentɪd"),
        ("\u00a0lə'dʒɪstɪkl", "ləˈdʒɪstɪkl"),
        ("[ˈɔ:ltmən", "ˈɔːltmən"),
        ("'lu（:）iʃəm", "ˈlʊ(ː)ɪʃəm"),
        # what holds no sound is no pronunciation
        ("fi'lænθrәpic", ""),
        ("'aiәnclæd", ""),
        ("x1", ""),
        ("", ""),
        ("; .", ""),
    ],
)
def test_pronunciations_are_respelled_or_left_out(phonetic: str, respelled: str) -> None:
    assert ipa(phonetic) == respelled
    assert ipa(respelled) == respelled


def only(*rows: Row) -> Definition:
    (found,) = definitions(rows)
    return found


def test_one_part_of_speech_stands_apart_and_several_before_each_sense() -> None:
    one = only(Row("house", "haus", "n. a dwelling\nn. a `house' of cards", "n. 房子, 住宅", "zk", 213))
    assert (one.pos, one.zh, one.en) == ("n.", ("房子；住宅",), ("a dwelling", "a \u201chouse\u201d of cards"))
    two = only(Row("set", "set", "n a group\nv put\ns fixed", "[计] 设置\nn. 集合\nvt. 放\nvi. 日落", "gk", 213))
    assert two.pos == "n. v."
    assert two.zh == ("n. 集合", "vt. 放", "vi. 日落", "[计] 设置")
    assert two.en == ("n. a group", "v. put", "adj. fixed")


def test_words_of_exams_and_the_most_used_are_taken_and_nothing_else() -> None:
    rows = [
        Row("exam", translation="考试", tag="cet4 zk"),
        Row("used", translation="用", frq=RANK_MAX),
        Row("counted", translation="数", bnc=1),
        Row("rare", translation="罕见", frq=RANK_MAX + 1, bnc=RANK_MAX + 1),
        Row("name", translation="人名"),
        Row("empty", tag="gre"),
        Row("", translation="x", tag="gre"),
    ]
    assert [one.word for one in definitions(rows)] == ["exam", "used", "counted"]


def test_only_six_exams_are_named_and_the_newer_count_goes_first() -> None:
    found = only(Row("a", translation="x", tag="gre zk cet4", bnc=9, frq=7))
    assert (found.tags, found.rank) == (("cet4", "gre"), 7)
    assert only(Row("a", translation="x", bnc=9)).rank == 9


def test_inflections_come_from_both_sides() -> None:
    rows = [
        Row("bad", translation="坏", frq=280, exchange="r:worse/t:worst"),
        Row("worse", translation="更坏", tag="cet4", exchange="0:bad/1:r"),
        Row("baddest", translation="最坏", exchange="0:Bad/1:t"),
        Row("went", translation="go的过去式", exchange="0:go/1:p"),
        Row("set", translation="放", frq=1, exchange="d:set/0:set/1:dp/p:set/i:setting/b:more set/:x/f:y"),
    ]
    found = list(definitions(rows))
    assert [(one.word, one.forms) for one in found] == [
        ("bad", ("worse", "worst")),
        ("worse", ()),
        ("set", ("setting",)),
        ("bad", ("worse",)),
        ("Bad", ("baddest",)),
    ]


def test_cells_of_any_kind_make_a_row() -> None:
    row = row_of(
        {"word": " a ", "translation": "n. 一\\n[计] 二\\r", "bnc": "12", "frq": None, "tag": 7, "collins": "5"}
    )
    assert row == Row("a", translation="n. 一\n[计] 二", bnc=12)
    assert row_of({"bnc": "-3", "frq": "９"}) == Row("")
