"""Words to learn, as people keep them: a table with or without a first row of names, or one word a line. Pure.

A newcomer's trap: most such tables have no names, so what a column holds is judged by what stands in it; only the first
is always the word. A line that holds no word is named, and left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from store.formats import csv_rows
from store.ids import is_word
from store.model import CARD_TEXT_CHARACTERS_MAX, WORD_CHARACTERS_MAX
from store.pieces import Trouble

TAGS_MAX = 20
_DELIMITERS = "\t,;|，"
_SAMPLE = 50

_NAMES = {
    name: column
    for column, names in {
        "word": "word words term vocabulary headword front expression english 单词 词 生词 词语 词汇 英文 英语 正面 单詞",
        "meaning": "meaning meanings definition translation trans back chinese gloss 释义 中文 意思 解释 翻译 含义 词义 背面",
        "ipa": "ipa phonetic phonetics pronunciation 音标 读音 发音",
        "pos": "pos partofspeech wordclass 词性",
        "example": "example examples sentence sentences usage context 例句 例子 句子 用法",
        "tags": "tags tag labels category 标签 分类 类别",
        "state": "state status 状态",
        "added": "added 添加 加入",
        "due": "due 到期",
        "answers": "answers 回答",
    }.items()
    for name in names.split()
}
COLUMNS = ("word", "ipa", "pos", "meaning", "example", "tags", "state", "added", "due", "answers")
"""Of our own tables, in their order."""

_POS = r"(?:n|v|vt|vi|adj|adv|a|ad|prep|pron|conj|num|art|int|interj|aux|abbr|pl|phr)\."
_POS_CELL = re.compile(rf"(?:{_POS}[\s,&/]*)+", re.IGNORECASE)
_IPA_CELL = re.compile(r"/[^/]+/|\[[^\]]+\]")
_LETTER = r"[^\W_\u3400-\u9fff]"
_LATIN_WORD = rf"(?!\d){_LETTER}(?:{_LETTER}|(?:['’\-.]| +(?!{_POS}))(?={_LETTER}))*(?:\.|\+\+|#)?"
_LINE = re.compile(
    rf"(?P<word>{_LATIN_WORD})(?!{_LETTER}|:\d|://)"
    rf"(?:\s*(?P<ipa>/[^/]+/|\[[^\]]+\]))?(?:\s*(?P<pos>{_POS}(?:\s*[&/,]?\s*{_POS})*))?\s*(?:[:：=—–,，;；-]\s*)?(?P<meaning>.*)"
)
_SWAPPED = re.compile(rf"(?P<meaning>[\u3400-\u9fff]+)\s*[\s=:：—–-]\s*(?P<word>{_LATIN_WORD})")
_PHRASE_WORDS_MAX = 6
"""What is longer is a sentence."""
_BULLET = re.compile(r"\s*(?:[-*+•·]\s+|\d{1,5}[.)、．]\s*)?")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Answer:
    """One try at a word, as another program has kept it."""

    number: int
    """Its name there, which is also its moment in ms UTC."""
    rating: int
    took_ms: int = 0


@dataclass(frozen=True, slots=True)
class WordPiece:
    """One word, and what the file says of it."""

    path: str
    line: int
    word: str
    meaning: str = ""
    ipa: str = ""
    pos: str = ""
    example: str = ""
    tags: tuple[str, ...] = ()
    state: str = ""
    added: str = ""
    answers: tuple[Answer, ...] = ()


def read(path: str, text: str) -> tuple[list[WordPiece], list[Trouble]]:
    """Raises nothing: what cannot be read is trouble, by line."""
    table = _table(text)
    if table is None:
        return _list(path, text)
    columns, rows = table
    pieces: list[WordPiece] = []
    troubles: list[Trouble] = []
    for row in rows:
        if row.cells is None:
            troubles.append(Trouble(path, row.line, "trouble-quote"))
            continue
        is_ours = tuple(columns) == COLUMNS
        cells = {
            name: csv_rows.unguarded(cell, is_ours=is_ours)
            for name, cell in zip(columns, row.cells, strict=False)
            if name
        }
        made = piece_of(path, row.line, cells)
        if isinstance(made, Trouble):
            troubles.append(made)
        else:
            pieces.append(made)
    return pieces, troubles


def piece_of(path: str, line: int, cells: dict[str, str]) -> WordPiece | Trouble:
    """From cells that are named as the columns are."""
    word = " ".join(cells.get("word", "").split())
    if len(word) > WORD_CHARACTERS_MAX:
        return Trouble(path, line, "trouble-long-word", {"most": WORD_CHARACTERS_MAX})
    if not is_word(word) or not any(character.isalpha() for character in word):
        return Trouble(path, line, "trouble-no-word")
    long = next((name for name, cell in cells.items() if len(cell) > CARD_TEXT_CHARACTERS_MAX), None)
    if long:
        return Trouble(path, line, "trouble-long-field", {"word": word, "most": CARD_TEXT_CHARACTERS_MAX})
    return WordPiece(
        path,
        line,
        word,
        cells.get("meaning", "").strip(),
        plain_ipa(cells.get("ipa", "")),
        " ".join(cells.get("pos", "").split()),
        cells.get("example", "").strip(),
        tuple(dict.fromkeys(csv_rows.unlisted(cells.get("tags", ""))))[:TAGS_MAX],
        cells.get("state", "").strip().lower(),
        cells.get("added", "").strip(),
    )


def plain_ipa(text: str) -> str:
    """Without what it stands between: /…/ and […]."""
    return text.strip().strip("/[]").strip()


# tables


def _table(text: str) -> tuple[Sequence[str], Iterable[csv_rows.Row]] | None:
    """(what each column is, the rows behind the first); None for a list."""
    sample = text[:40_000]
    first = re.match(r"sep=([,;\t|])\s*\n", text)
    for delimiter in first[1] if first else _DELIMITERS:
        body = text[first.end() :] if first else text
        head = next(iter(csv_rows.rows(sample[first.end() if first else 0 :], delimiter)), None)
        named = [column_of(cell) for cell in head.cells] if head is not None and head.cells else []
        if "word" in named and (len(named) > 1 or (head is not None and head.line == 1 and "\n" in text)):
            rows = iter(csv_rows.rows(body, delimiter))
            next(rows)
            return _once(named), rows
    found = _unnamed(sample)
    if found is None:
        return None
    columns, delimiter = found
    return columns, csv_rows.rows(text, delimiter)


def column_of(cell: str) -> str:
    """What a column of this name holds; "" for one that is not known."""
    return _NAMES.get(re.sub(r"[\s_-]+", "", cell).lower().lstrip("\ufeff"), "") if len(cell) <= 40 else ""


def _once(named: Sequence[str]) -> list[str]:
    """The first column of a name has it."""
    return ["" if name in named[:at] else name for at, name in enumerate(named)]


def _unnamed(sample: str) -> tuple[list[str], str] | None:
    """Columns of a table that does not name them; None where most rows are not cut into the same number of cells."""
    for delimiter in _DELIMITERS:
        rows = [
            row.cells for row, _ in zip(csv_rows.rows(sample, delimiter), range(_SAMPLE), strict=False) if row.cells
        ]
        widths = Counter(len(cells) for cells in rows)
        width, count = widths.most_common(1)[0] if widths else (1, 0)
        is_tab = delimiter == "\t"
        if width < 2 or count * 5 < len(rows) * (3 if is_tab else 4):
            continue
        cells = [row for row in rows if len(row) == width]
        if sum(re.fullmatch(_LATIN_WORD, row[0].strip()) is not None for row in cells) * 2 > len(cells):
            return _judged(cells, width), delimiter
    return None


def _judged(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    columns = ["word"]
    left = ["meaning", "example", "tags"]
    for at in range(1, width):
        column = [row[at].strip() for row in rows if row[at].strip()]
        if "ipa" not in columns and _mostly(column, lambda cell: _IPA_CELL.fullmatch(cell) is not None):
            columns.append("ipa")
        elif "pos" not in columns and _mostly(column, lambda cell: _POS_CELL.fullmatch(cell) is not None):
            columns.append("pos")
        else:
            columns.append(left.pop(0) if left else "")
    return columns


def _mostly(cells: Sequence[str], fits: Callable[[str], bool]) -> bool:
    return bool(cells) and sum(map(fits, cells)) * 3 > len(cells) * 2


# lists


def _list(path: str, text: str) -> tuple[list[WordPiece], list[Trouble]]:
    """One word a line, with what may stand behind it: /ipa/, part of speech, meaning. Headings and remarks are passed."""
    pieces: list[WordPiece] = []
    troubles: list[Trouble] = []
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.replace("**", "").strip()
        if not bare or bare.startswith("#"):
            continue
        if bare.startswith(">"):  # an example of the word above, as we write them
            if pieces and not pieces[-1].example:
                pieces[-1] = _with_example(pieces[-1], bare[1:].strip())
            continue
        made = _line(path, number, bare)
        if isinstance(made, Trouble):
            troubles.append(made)
        else:
            pieces.append(made)
    return pieces, troubles


def _line(path: str, number: int, bare: str) -> WordPiece | Trouble:
    words = bare[_BULLET.match(bare).end() :]  # type: ignore[union-attr]  # it matches nothing at the least
    at = _HAN.search(words)
    latin = words[: at.start()] if at else words
    found = _LINE.match(words if at is None or latin.strip() else "")
    if at is not None and not latin.strip():  # a word of Chinese alone, or behind what it means
        swapped = _SWAPPED.fullmatch(words)
        return piece_of(path, number, swapped.groupdict() if swapped else {"word": words})
    if found is None or _is_prose(words, found) or words.startswith(("http://", "https://")):
        return Trouble(path, number, "trouble-no-word")
    cells = {name: value or "" for name, value in found.groupdict().items()}
    return piece_of(path, number, cells)


def _is_prose(line: str, found: re.Match[str]) -> bool:
    """A line of a letter says nothing of its words, and ends as a sentence does."""
    n = len(found["word"].split())
    if n > _PHRASE_WORDS_MAX:
        return True
    is_bare = not (found["ipa"] or found["pos"] or found["meaning"])
    return is_bare and n > (2 if line.endswith(".") else 1) and line.endswith((".", ",", "!", "?", ":"))


def _with_example(piece: WordPiece, example: str) -> WordPiece:
    return WordPiece(
        piece.path, piece.line, piece.word, piece.meaning, piece.ipa, piece.pos, example[:CARD_TEXT_CHARACTERS_MAX], piece.tags
    )  # fmt: skip
