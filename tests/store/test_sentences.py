"""Where a text may be shortened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.sentences import sentence_ends
from tests.store.clusters import TRICKY, is_inside_cluster

CASES = {
    "One. Two! Three? Four": ["One.", " Two!", " Three?", " Four"],
    "预算三万。下周再看！行吗？好": ["预算三万。", "下周再看！", "行吗？", "好"],
    "no end at all": ["no end at all"],
    "Ask Dr. Noor, e.g. on 3.5 km. Then go": ["Ask Dr. Noor, e.g. on 3.5 km.", " Then go"],
    "J. Smith came, approx. five of them. All left": ["J. Smith came, approx. five of them.", " All left"],
    "She said “Go. Now.” and left. We stayed": ["She said “Go. Now.” and left.", " We stayed"],
    "他说：“走吧。我等你。”然后走了。完": ["他说：“走吧。我等你。”", "然后走了。", "完"],
    "（第一。第二。）第三。": ["（第一。第二。）", "第三。"],
    "- milk\n- bread\n- eggs": ["- milk", "\n- bread", "\n- eggs"],
    "1. Boil it.\n2. Eat it.": ["1. Boil it.", "\n2. Eat it."],
    "hard wrapped\nand going on.\n\nNew": ["hard wrapped\nand going on.", "\n\nNew"],
    "(never closed. Still\nThe next. And more": ["(never closed. Still", "\nThe next.", " And more"],
    "Really?! Yes... maybe. So": ["Really?!", " Yes... maybe.", " So"],
    "store/sentences.py is v1.2.3": ["store/sentences.py is v1.2.3"],
    "好。\ufe00再来。": ["好。\ufe00再来。"],
    "  ": [],
    "": [],
}


@pytest.mark.parametrize(("text", "sentences"), CASES.items())
def test_a_text_falls_into_whole_sentences(text: str, sentences: list[str]) -> None:
    ends = sentence_ends(text)
    assert [text[start:end] for start, end in zip([0, *ends], ends, strict=False)] == sentences


@given(st.lists(st.one_of(st.sampled_from(TRICKY), st.text(max_size=6)), max_size=40).map("".join))
def test_no_end_is_inside_a_character(text: str) -> None:
    ends = sentence_ends(text)
    assert ends == sorted(set(ends))
    assert ends[-1:] == ([len(text.rstrip())] if text.strip() else [])
    assert not [end for end in ends[:-1] if is_inside_cluster(text, end)]


def test_brackets_that_are_never_closed_are_no_ends() -> None:
    text = "(a. “b。" * 1000
    assert sentence_ends(text) == [len(text)]
