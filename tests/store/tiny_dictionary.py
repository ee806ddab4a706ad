"""A dictionary of thirty words, written for tests: enough to learn from, to look up, and to be wrong about.

`put(home)` makes it the home's dictionary. Six words are asked for by cet4 alone, eleven by cet6 and
by nothing easier.
"""

from __future__ import annotations

from pathlib import Path

from store import dictionary_file
from store.dictionary import Definition

SOURCE = "tiny"
NOTICE = "Thirty words written for the tests of niannian. Do with them what you like."


def _word(
    word: str, ipa: str, pos: str, zh: str, en: str, tags: str = "", forms: str = "", rank: int = 0
) -> Definition:
    return Definition(
        word, ipa, pos, tuple(zh.split("|")) if zh else (), tuple(en.split("|")), tuple(tags.split()),
        tuple(forms.split()), rank,
    )  # fmt: skip


WORDS = (
    _word("paradigm", "ˈpærədaɪm", "n.", "范式；典范", "a typical example or model of something", "cet6 ky gre", "paradigms", 5201),
    _word("serendipity", "ˌserənˈdɪpəti", "n.", "意外发现美好事物的运气", "the luck of finding good things by chance", "gre", "", 23199),
    _word("abandon", "əˈbændən", "v.", "放弃；抛弃", "to leave and not come back to", "cet4 cet6", "abandons abandoned abandoning", 2600),
    _word("benefit", "ˈbenɪfɪt", "n. v.", "n. 好处；益处|v. 有益于", "n. something that helps|v. to help", "cet4 cet6 ky", "benefits benefited benefiting", 800),
    _word("capable", "ˈkeɪpəbl", "adj.", "有能力的", "able to do something", "cet4 cet6", "", 2100),
    _word("debate", "dɪˈbeɪt", "n. v.", "n. 辩论|v. 争论", "n. an open argument|v. to argue about", "cet4 cet6", "debates debated debating", 1900),
    _word("efficient", "ɪˈfɪʃnt", "adj.", "效率高的", "working well without waste", "cet4", "", 2700),
    _word("frame", "freɪm", "n. v.", "n. 框架|v. 给……装框", "n. what holds a picture|v. to put into a frame", "cet4", "frames framed framing", 1500),
    _word("grasp", "ɡræsp", "v.", "抓住；领会", "to take hold of; to understand", "cet4", "grasps grasped grasping", 4100),
    _word("harvest", "ˈhɑːvɪst", "n. v.", "n. 收成|v. 收割", "n. what the fields gave|v. to bring it in", "cet4", "harvests harvested harvesting", 4500),
    _word("injure", "ˈɪndʒə", "v.", "伤害", "to hurt somebody's body", "cet4", "injures injured injuring", 3900),
    _word("ambiguous", "æmˈbɪɡjuəs", "adj.", "模棱两可的", "with more than one meaning", "cet6 ky toefl gre", "", 7100),
    _word("meticulous", "məˈtɪkjələs", "adj.", "一丝不苟的", "careful about every detail", "cet6 gre", "", 12600),
    _word("subtle", "ˈsʌtl", "adj.", "微妙的", "not easy to notice", "cet6 ky toefl", "subtler subtlest", 3600),
    _word("ubiquitous", "juːˈbɪkwɪtəs", "adj.", "无处不在的", "found everywhere at once", "cet6 gre", "", 8148),
    _word("resilient", "rɪˈzɪliənt", "adj.", "有韧性的；能复原的", "able to recover quickly", "cet6 gre", "", 9800),
    _word("scrutiny", "ˈskruːtəni", "n.", "细查；审视", "a long and careful look", "cet6 toefl", "", 5300),
    _word("tedious", "ˈtiːdiəs", "adj.", "冗长乏味的", "long, slow and dull", "cet6 gre", "", 9100),
    _word("vulnerable", "ˈvʌlnərəbl", "adj.", "脆弱的；易受伤害的", "easily hurt", "cet6 ky", "", 3300),
    _word("wither", "ˈwɪðə", "v.", "枯萎；凋谢", "to dry up and die", "cet6", "withers withered withering", 11200),
    _word("plausible", "ˈplɔːzəbl", "adj.", "貌似有理的", "that could well be true", "cet6 gre", "", 7600),
    _word("go", "ɡəʊ", "v.", "去；走", "to move to another place", "", "goes went gone going", 30),
    _word("good", "ɡʊd", "adj.", "好的", "of the kind one wants", "", "better best", 90),
    _word("bad", "bæd", "adj.", "坏的", "of the kind nobody wants", "", "worse worst", 280),
    _word("ax", "æks", "n.", "斧", "a tool for splitting wood", "", "axes", 6900),
    _word("axis", "ˈæksɪs", "n.", "轴；轴线", "the line about which something turns", "toefl", "axes", 5400),
    _word("leaf", "liːf", "n.", "叶子", "a flat green part of a plant", "", "leaves", 1600),
    _word("leave", "liːv", "v.", "离开", "to go away from", "", "leaves left leaving", 140),
    _word("lead", "liːd, led", "n. v.", "n. 铅|v. 带领", "n. a soft heavy metal|v. to go in front", "cet4", "leads led leading", 318),
    _word("give up", "", "phr.", "放弃", "to stop trying", "", "gives up", 0),
)  # fmt: skip


def put(home: Path) -> None:
    """Makes it the dictionary of this home."""
    dictionary_file.put(home, WORDS, source=SOURCE, notice=NOTICE)
