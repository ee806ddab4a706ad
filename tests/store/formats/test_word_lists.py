"""Lists of words: tables with and without a first row, one word a line, and what is no word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.formats.word_lists import TAGS_MAX, WordPiece, read
from store.model import CARD_TEXT_CHARACTERS_MAX, WORD_CHARACTERS_MAX
from store.pieces import Trouble


def words(text: str) -> list[tuple[str, ...]]:
    """(word, meaning, ipa, pos, example) of each, without what is empty at the end."""
    pieces, troubles = read("list", text)
    assert troubles == []
    found = []
    for one in pieces:
        cells = [one.word, one.meaning, one.ipa, one.pos, one.example]
        while not cells[-1]:
            cells.pop()
        found.append(tuple(cells))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "word,meaning,ipa\nparadigm,范式,/ˈpærədaɪm/\nset,放,\n",
        "单词;释义;音标\nparadigm;范式;[ˈpærədaɪm]\nset;放;",
        "Meaning\tWord\tPhonetic\n范式\tparadigm\tˈpærədaɪm\n放\tset\t",
        "sep=;\nword;meaning;ipa\nparadigm;范式;ˈpærədaɪm\nset;放;",
        "\ufeffWord,Meaning,IPA,Nonsense\nparadigm,范式,ˈpærədaɪm,x\nset,放,,y",
        "paradigm,范式,/ˈpærədaɪm/\nset,放,\n",
        "paradigm\t/ˈpærədaɪm/\t范式\nset\t\t放\n",
        "paradigm /ˈpærədaɪm/ 范式\nset 放\n",
        "# my words\n\n1. **paradigm** [ˈpærədaɪm] - 范式\n2、set：放",
    ],
)
def test_the_same_two_words_in_many_hands(text: str) -> None:
    assert words(text) == [("paradigm", "范式", "ˈpærədaɪm"), ("set", "放")]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("serendipity", ("serendipity",)),
        ("give up", ("give up",)),
        ("set vt. & vi. 放", ("set", "放", "", "vt. & vi.")),
        ("well-known a. 著名的", ("well-known", "著名的", "", "a.")),
        ("o’clock adv. 点钟", ("o’clock", "点钟", "", "adv.")),
        ("e.g. 例如", ("e.g.", "例如")),
        ("naïve adj. 天真的", ("naïve", "天真的", "", "adj.")),
        ("wither v. to dry up", ("wither", "to dry up", "", "v.")),
        ("paradigm - a typical example", ("paradigm", "a typical example")),
        ("范式", ("范式",)),
        ("• grasp = 抓住", ("grasp", "抓住")),
        ("C++ 语言", ("C++", "语言")),
        ("C# n. 语言", ("C#", "语言", "", "n.")),
        ("范式 paradigm", ("paradigm", "范式")),
        ("范式：paradigm", ("paradigm", "范式")),
        ("放弃 give up", ("give up", "放弃")),
        ("卡拉OK", ("卡拉OK",)),
        ("范式 1962", ("范式 1962",)),
        ("time 12:30", ("time", "12:30")),
        ("see https://a.b/c", ("see", "https://a.b/c")),
        ("at the drop of a hat", ("at the drop of a hat",)),
        ("et al.", ("et al.",)),
    ],
)
def test_a_line_is_taken_apart(line: str, found: tuple[str, ...]) -> None:
    assert words(line) == [found]


def test_our_own_list_comes_back_with_its_examples() -> None:
    assert words("- **wither** /ˈwɪðə/ v. 枯萎\n  > it withered\n  > twice\n- **go**\n") == [
        ("wither", "枯萎", "ˈwɪðə", "v.", "it withered"),
        ("go",),
    ]


def test_columns_without_names_are_judged_by_what_stands_in_them() -> None:
    rows = "\n".join(f"w{a}\tn.\t/wɜːd/\t词{a}\tThis is w{a}.\tcet4, mine" for a in "abcde")
    pieces, _ = read("list", rows)
    assert pieces[0] == WordPiece("list", 1, "wa", "词a", "wɜːd", "n.", "This is wa.", ("cet4", "mine"))


def test_a_sentence_with_commas_is_no_table() -> None:
    assert [one.word for one in read("list", "one\ntwo\nthree, four\nfive\nsix\nseven")[0]] == [
        "one", "two", "three", "five", "six", "seven",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("word,meaning\n,空\n", Trouble("list", 2, "trouble-no-word")),
        ("word,meaning\na,b\n123,数\n", Trouble("list", 3, "trouble-no-word")),
        ('word,meaning\na,b\n"open,c\n', Trouble("list", 3, "trouble-quote")),
        (f"word\n{'x' * (WORD_CHARACTERS_MAX + 1)}\n", Trouble("list", 2, "trouble-long-word", {"most": WORD_CHARACTERS_MAX})),
        (
            f"word,meaning\na,{'x' * (CARD_TEXT_CHARACTERS_MAX + 1)}\n",
            Trouble("list", 2, "trouble-long-field", {"word": "a", "most": CARD_TEXT_CHARACTERS_MAX}),
        ),
        ("good\nDear Tom,\n", Trouble("list", 2, "trouble-no-word")),
        ("good\nSee you soon.\n", Trouble("list", 2, "trouble-no-word")),
        ("good\nwe met at the lake and went home\n", Trouble("list", 2, "trouble-no-word")),
        ("good\nhttps://a.b/c\n", Trouble("list", 2, "trouble-no-word")),
        ("good\n12345\n", Trouble("list", 2, "trouble-no-word")),
        ("good\n——\n", Trouble("list", 2, "trouble-no-word")),
    ],
)  # fmt: skip
def test_what_is_no_word_is_named_by_its_line(text: str, trouble: Trouble) -> None:
    assert read("list", text)[1] == [trouble]


def test_a_formula_of_our_own_table_is_itself_again() -> None:
    ours = "word,ipa,pos,meaning,example,tags,state,added,due,answers\n'=a,,,'=1+1,,x,known,2024-05-27\n"
    (piece,) = read("list", ours)[0]
    assert (piece.word, piece.meaning, piece.state, piece.added) == ("=a", "=1+1", "known", "2024-05-27")


def test_tags_are_told_apart_and_bounded() -> None:
    (piece,) = read("list", f'word,tags\na,"{",".join(map(str, range(99)))}"\n')[0]
    assert piece.tags[:2] == ("0", "1")
    assert len(piece.tags) == TAGS_MAX


@given(st.text(alphabet=st.sampled_from("ab/.,;\t\n\"'| -*#>=范：1n[]"), max_size=200))
def test_any_text_is_read_or_named(text: str) -> None:
    pieces, troubles = read("list", text)
    lines = text.count("\n") + 1
    assert all(1 <= one.line <= lines for one in [*pieces, *troubles])
    assert all(one.word.strip() == one.word != "" for one in pieces)
