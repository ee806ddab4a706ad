"""The seams of a sentence: spaces between Han and Latin, none between Han and Han, what was typed left alone."""

from __future__ import annotations

import pytest

from bot.words import FACT_CHARACTERS_MAX, language_of, words

SEAMS = [
    ("toast-only", {"who": "Lin"}, "这个只有 Lin 能按"),
    ("toast-only", {"who": "小林"}, "这个只有小林能按"),
    ("button-theirs", {"who": "小林"}, "小林这条"),
    ("button-theirs", {"who": "Wei"}, "Wei 这条"),
    ("memory-empty", {"memory": "群记忆 · Team"}, "群记忆 · Team 还是空的。说“记住……”我就记下。"),
    ("memory-empty", {"memory": "群记忆 · 读书会"}, "群记忆 · 读书会还是空的。说“记住……”我就记下。"),
    ("zone-unknown", {"zone": "“Mars”"}, "没有“Mars”这个时区。写城市或时区名，比如 柏林、Europe/Berlin。"),
    (
        "checkpoint-shown",
        {"when": "5月22日（周三）", "ref": "A"},
        "5月22日（周三）的检查点 A，只是记录，我没有接着做：",
    ),
    ("field-because", {"text": "a b 你 好"}, "因为：a b 你 好"),
    ("looked-in", {"shown": "12", "n": 12}, "查过：今天、任务板、词频表、全部 12 条。"),
    ("error-entry-too-long", {"length": 21000, "most": 8000}, "没存下：这段 21000 字，一条最多 8000 字。请分成几条。"),
]


@pytest.mark.parametrize(("name", "facts", "expected"), SEAMS, ids=[expected for _, _, expected in SEAMS])
def test_chinese_seams(name: str, facts: dict[str, object], expected: str) -> None:
    assert words("zh")(name, **facts) == expected


def test_what_looks_like_our_marks_is_left_as_typed() -> None:
    for typed in ("\ufdd0你\ufdd1", "\ufdd0", "你\ufdd1 好"):
        assert words("zh")("field-because", text=typed) == f"因为：{typed}"


def test_a_value_longer_than_fluent_takes_is_cut() -> None:
    for lang in ("zh", "en"):
        text = words(lang)("field-because", text="x" * 5000)
        assert text.endswith("x…")
        assert len(text) < FACT_CHARACTERS_MAX + 20


def test_the_language_of_a_message() -> None:
    assert [language_of(text, "en") for text in ("记住 x", "remember", "123", "😀")] == ["zh", "en", "en", "en"]
    assert language_of("1 2 3", "zh") == "zh"
