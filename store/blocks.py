"""Entries as blocks of Markdown, both ways: what a person reads in a day file, edits, and what is read back.

    ## D-2024-05-27-01
    - Decision: use SQLite
    - Why: one file is easy to back up
    - Scope: project=site
    - Tags: db, storage

A block begins at a heading that is a RefID, or at the line that holds its words (`Decision`, `Fact`, …) when the block
before has them already: so the files of memory-system-ops, where the RefID is a field, are read by the same rule. A
field goes on in lines that are two spaces in; names of fields are read in English and Chinese, and written in English.
Whatever stands outside of blocks is kept as it stands, paragraph by paragraph, as notes.

A newcomer's trap: `digest_of` is taken of what is *read back* from what was written, never of the entry itself. So a
text that Markdown cannot hold to the letter (spaces at the end of a line) is no edit when nobody has touched it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from store.archive import day_of
from store.changes import Json, canonical
from store.ids import digest, label_parts, parse_label
from store.model import ENTRY_CHARACTERS_MAX, Confidence, Draft, Entry, EntryKind
from store.pieces import EntryPiece, Trouble

Loose = Callable[[str, int, str, str], Iterable[EntryPiece]]
"""(path, line, words, day) → what a paragraph that is no block is kept as."""
COMMENT = "<!-- niannian"
"""How the comments begin that the program writes for itself."""
_KINDS = {
    "decision": EntryKind.DECISION, "决定": EntryKind.DECISION, "决策": EntryKind.DECISION,
    "fact": EntryKind.FACT, "事实": EntryKind.FACT,
    "preference": EntryKind.PREFERENCE, "偏好": EntryKind.PREFERENCE,
    "quote": EntryKind.QUOTE, "摘录": EntryKind.QUOTE, "引用": EntryKind.QUOTE,
    "rule": EntryKind.RULE, "规则": EntryKind.RULE,
    "note": EntryKind.NOTE, "笔记": EntryKind.NOTE,
    "checkpoint": EntryKind.CHECKPOINT, "检查点": EntryKind.CHECKPOINT,
}  # fmt: skip
_FIELDS = {
    "why": "why", "because": "why", "reason": "why", "因为": "why", "原因": "why", "理由": "why",
    "impact": "impact", "影响": "impact",
    "next": "next", "下一步": "next",
    "verify": "verify", "验证": "verify",
    "refid": "refid", "ref": "refid", "编号": "refid", "引用号": "refid",
    "scope": "scope", "about": "scope", "关于": "scope", "作用域": "scope",
    "confidence": "confidence", "置信度": "confidence", "把握": "confidence",
    "tags": "tags", "标签": "tags",
    "aliases": "aliases", "also called": "aliases", "又叫": "aliases", "别名": "aliases",
    "until": "until", "到": "until",
    "importance": "importance", "重要度": "importance",
    "pinned": "pinned", "置顶": "pinned",
    "replaces": "replaces", "取代": "replaces",
    "replaced by": "shown", "said": "shown", "trust": "shown",
}  # fmt: skip
"""`shown`: written for people to read, and passed over when it is read back."""
_CONFIDENCES = {
    "high": Confidence.HIGH, "高": Confidence.HIGH,
    "medium": Confidence.MEDIUM, "mid": Confidence.MEDIUM, "中": Confidence.MEDIUM,
    "low": Confidence.LOW, "低": Confidence.LOW,
}  # fmt: skip
_FIELD = re.compile(r"[-*+] {1,3}(?:\*\*)?([^:：\n*]{1,24}?) ?(?:\*\*)?[:：](?:\*\*)?(?: (.*)|(.*))")
_HEADING = re.compile(r"#{1,6} +(.*?) *#*")
_SEPARATORS = re.compile(r"[,，、;；]")
_NUMBER = re.compile(r"[0-9]{1,4}")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_YES = ("yes", "true", "1", "是")
IMPORTANCE_MAX = 1000


# out


def heading(label: str) -> str:
    return f"## {label}"


def block(entry: Entry, *, shown: Sequence[tuple[str, str]] = (), replaces: Sequence[str] = ()) -> str:
    """One entry as a block, with a newline at its end. `shown`: fields for people only, (name, text)."""
    draft = entry.draft
    lines = [heading(entry.label), *field_lines(_NAMES[draft.kind], draft.text)]
    for name in ("why", "impact", "next", "verify"):
        if text := getattr(draft, name):
            lines += field_lines(name.capitalize(), text)
    for key, value in draft.about:
        lines += field_lines("Scope", f"{_atom(key)}={_atom(value)}")
    if draft.confidence:
        lines.append(f"- Confidence: {draft.confidence.value}")
    for name, items in (("Tags", (*draft.tags, *entry.more_tags)), ("Aliases", draft.aliases)):
        if items:
            lines += field_lines(name, ", ".join(map(_atom, items)))
    if draft.until:
        lines.append(f"- Until: {draft.until}")
    if draft.importance is not None:
        lines.append(f"- Importance: {draft.importance}")
    if entry.pinned:
        lines.append("- Pinned: yes")
    if replaces:
        lines.append(f"- Replaces: {', '.join(replaces)}")
    for name, text in shown:
        lines += field_lines(name, text)
    return "\n".join(lines) + "\n"


_NAMES = {kind: kind.value.capitalize() for kind in EntryKind}


def field_lines(name: str, text: str) -> list[str]:
    """`- Name: text`, its further lines two spaces in; an empty line stays empty."""
    first, *rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [f"- {name}: {first}", *(f"  {line}" if line.strip() else "" for line in rest)]


def _atom(text: str) -> str:
    """A tag, a key or a value as it is, or as JSON where it holds what separates them."""
    if (
        text not in ("", "-")
        and text == text.strip()
        and text[0] != "#"
        and not _SEPARATORS.search(text)
        and not re.search(r'[="\n\r]', text)
    ):
        return text
    return json.dumps(text, ensure_ascii=False)


def squeezed(text: str) -> str:
    """What editors and formatters leave alone: they wrap lines, trim their ends and put a backslash before marks."""
    return _ESCAPE.sub(r"\1", " ".join(text.split()))


def digest_of(piece: EntryPiece) -> str:
    """16 characters that are equal for pieces that say the same."""
    draft = piece.draft
    if piece.only_words:
        return digest(squeezed(draft.text))
    value: dict[str, Json] = {
        "kind": draft.kind.value,
        "text": squeezed(draft.text),
        "why": squeezed(draft.why),
        "impact": squeezed(draft.impact),
        "next": squeezed(draft.next),
        "verify": squeezed(draft.verify),
        "about": sorted([key, value] for key, value in draft.about),
        "confidence": draft.confidence.value if draft.confidence else "",
        "tags": sorted(draft.tags),
        "aliases": sorted(draft.aliases),
        "until": draft.until,
        "importance": draft.importance,
        "pinned": piece.pinned,
    }
    return digest(canonical(value))


def digest_as_read(text: str) -> str:
    """The digest of the entry that a block says; "" for one that no block can hold."""
    read, _ = read_day("", text)
    return digest_of(read[0]) if len(read) == 1 else ""


# in


@dataclass(slots=True)
class _Block:
    line: int
    label: str = ""
    fields: list[tuple[str, int, list[str]]] = field(default_factory=list)
    """(name, line, its lines)"""
    kind: EntryKind | None = None

    @property
    def is_begun(self) -> bool:
        return self.kind is not None

    @property
    def is_empty(self) -> bool:
        return not self.label and not any(line.strip() for _, _, value in self.fields for line in value)


def has_blocks(text: str) -> bool:
    """Whether any line begins an entry in our form."""
    return any(
        (found := _FIELD.fullmatch(line)) and _name(found[1]) in _KINDS
        for line in text.split("\n")
        if line.startswith(("- ", "* ", "+ "))
    )


def read_day(
    path: str, text: str, *, day: str = "", loose: Loose | None = None
) -> tuple[list[EntryPiece], list[Trouble]]:
    """The entries of one file, in order, and what of it cannot be read.

    `day`: that of the file, ISO or "". `loose`: reads what is no block; without it that is kept as notes.
    """
    pieces: list[EntryPiece] = []
    troubles: list[Trouble] = []
    lines = text.split("\n")
    for start, end in _spans(lines, day):
        if isinstance(start, _Block):
            if start.is_empty:
                continue  # a template that nobody has filled in
            try:
                pieces.append(_piece(path, start, day))
            except _Unreadable as error:
                troubles.append(Trouble(path, error.line, error.code, dict(error.facts)))
        else:
            words = "\n".join(lines[start:end]).strip("\n")
            pieces += (loose or notes)(path, start + 1, words, day)
    return pieces, troubles


def notes(path: str, line: int, words: str, day: str) -> Iterator[EntryPiece]:
    """`words` as they stand, as one note or, past 8,000 characters, as several."""
    for part in parts(words):
        yield EntryPiece(path, line, Draft(part, EntryKind.NOTE), day=day)
        line += part.count("\n")


def parts(words: str) -> list[str]:
    """`words` in pieces an entry can hold, cut at a line's end where there is one."""
    found = []
    while len(words) > ENTRY_CHARACTERS_MAX:
        cut = words.rfind("\n", 1, ENTRY_CHARACTERS_MAX + 1)
        cut = cut if cut > 0 else ENTRY_CHARACTERS_MAX
        found.append(words[:cut])
        words = words[cut:].lstrip("\n")
    return [*found, words] if words.strip() else found


def _spans(lines: Sequence[str], day: str) -> Iterator[tuple[_Block, int] | tuple[int, int]]:
    """The file cut up: blocks, and (first, behind the last) line of every paragraph that belongs to none."""
    current: _Block | None = None
    loose: int | None = None
    inside = False
    at_hand = False  # the line before is a field's: Markdown reads on into the next, indented or not
    for number, line in enumerate([*lines, ""]):
        last = number == len(lines)
        if inside or line.startswith(COMMENT) or _is_title(lines, number):  # what the program wrote for itself
            inside = "-->" not in line and not line.startswith("# ")
            kind, name, value = "ours", "", ""
        else:
            kind, name, value = _kind_of(line, day, current is not None and bool(current.fields or current.label))
        goes_on = kind == "loose" and at_hand and not line.startswith(("#", "- ", "* ", "+ ", "|", ">", "```"))
        at_hand = False
        if current is not None and (kind == "more" or goes_on):
            _go_on(current, line)
            at_hand = True
            continue
        if kind == "blank" and not last:
            if current is not None:
                _go_on(current, "")
            if loose is not None:
                yield loose, number
                loose = None
            continue
        starts = kind == "label" or (kind == "field" and name in _KINDS and (current is None or current.is_begun))
        starts = starts or (kind == "field" and current is None)
        if current is not None and (starts or kind not in ("field", "label")):
            yield current, number
            current = None
        if loose is not None and (starts or kind == "ours" or last):
            yield loose, number
            loose = None
        if kind == "label":
            current = _Block(number + 1, label=value)
            if name:  # a name that somebody gave it in its heading
                current.fields.append(("aliases", number + 1, [_atom(name)]))
        elif kind == "field":
            if current is None:
                current = _Block(number + 1)
            _take(current, name, number + 1, value)
            at_hand = True
        elif kind == "loose" and loose is None:
            loose = number
    if loose is not None:
        yield loose, len(lines)


def _is_title(lines: Sequence[str], number: int) -> bool:
    """The heading that stands above the first comment of a file of ours."""
    return number + 1 < len(lines) and lines[number].startswith("# ") and lines[number + 1].startswith(COMMENT)


def _kind_of(line: str, day: str, open_block: bool) -> tuple[str, str, str]:
    """(what it is, field, value): `blank`, `ours`, `label`, `field`, `more`, `loose`."""
    if not line.strip():
        return "blank", "", ""
    if open_block and line.startswith("  "):
        return "more", "", line
    if found := _HEADING.fullmatch(line):
        words = found[1].strip()
        first, _, rest = words.partition(" ")
        if first.startswith("[[") and first.endswith("]]"):
            first = first[2:-2]
        if label_parts(first) is not None:
            return "label", rest.strip(), parse_label(first) or first
        if line.startswith("# ") and (words == day or _is_day(words)):
            return "ours", "", ""
        return "loose", "", ""
    if (found := _FIELD.fullmatch(line)) and (name := _name(found[1])):
        return "field", name, found[2] if found[2] is not None else found[3] or ""
    return "loose", "", ""


def _name(words: str) -> str:
    folded = " ".join(words.strip().lower().split())
    if folded in _KINDS:
        return folded
    return folded if folded in _FIELDS else ""


def _is_day(words: str) -> bool:
    try:
        date.fromisoformat(words)
    except ValueError:
        return False
    return len(words) == len("2024-05-27")


def _take(current: _Block, name: str, line: int, value: str) -> None:
    if name in _KINDS and not current.is_begun:
        current.kind = _KINDS[name]
        current.fields.append(("text", line, [value]))
    else:
        current.fields.append((_FIELDS.get(name, name), line, [value]))


def _go_on(current: _Block, line: str) -> None:
    if current.fields:
        current.fields[-1][2].append(line.removeprefix("  "))


class _Unreadable(Exception):
    def __init__(self, line: int, code: str, **facts: str | int) -> None:
        self.line = line
        self.code = code
        self.facts = facts


def _piece(path: str, found: _Block, day: str) -> EntryPiece:
    values: dict[str, str] = {}
    about: list[tuple[str, str]] = []
    lists: dict[str, list[str]] = {"tags": [], "aliases": [], "replaces": []}
    importance: int | None = None
    pinned = False
    confidence: Confidence | None = None
    label = found.label
    for name, line, raw in found.fields:
        value = "\n".join(one.rstrip() for one in raw).rstrip("\n")
        match name:
            case "shown":
                pass
            case "scope":
                about += _pairs(value, line)
            case "tags" | "aliases" | "replaces":
                lists[name] += _atoms(value, line)
            case "refid":
                label = label or parse_label(value.strip().strip("`")) or value.strip()
            case "confidence":
                confidence = _CONFIDENCES.get(value.strip().lower())
                if confidence is None and value.strip() not in ("", "-"):
                    raise _Unreadable(line, "trouble-confidence", value=_cut(value))
            case "importance":
                if not _NUMBER.fullmatch(value.strip()) or int(value) > IMPORTANCE_MAX:
                    raise _Unreadable(line, "trouble-importance", value=_cut(value))
                importance = int(value.strip())
            case "pinned":
                pinned = value.strip().lower() in _YES
            case "until":
                values["until"] = day_of(value.strip())
                if value.strip() and not values["until"]:
                    raise _Unreadable(line, "trouble-day", value=_cut(value))
            case _:
                values[name] = f"{values[name]}\n{value}" if name in values else value
    text = values.pop("text", "")
    if found.kind is None or not text.strip():
        raise _Unreadable(found.line, "trouble-no-words")
    kind = found.kind
    parts_of = label_parts(label)
    if parts_of and parts_of.series == "AUTO":
        kind = EntryKind.CHECKPOINT
    draft = Draft(
        text, kind, about=tuple(about), confidence=confidence, importance=importance,
        tags=tuple(lists["tags"]), aliases=tuple(lists["aliases"]), **values,
    )  # fmt: skip
    if parts_of and parts_of.series == "D" and not day:
        day = parts_of.day
    return EntryPiece(
        path, found.line, draft, label=label, day=day, replaces=tuple(lists["replaces"]), pinned=pinned
    )  # fmt: skip


def _atoms(value: str, line: int) -> list[str]:
    """`a, "b, c"、d` → a · b, c · d; a `-` alone is nothing."""
    found: list[str] = []
    at = 0
    while at < len(value):
        if value[at].isspace() or _SEPARATORS.match(value, at):
            at += 1
            continue
        if value[at] == '"':
            atom, at = _quoted(value, at, line)
            left = _SEPARATORS.search(value, at)
            if value[at : left.start() if left else len(value)].strip():
                raise _Unreadable(line, "trouble-list", value=_cut(value))
        else:
            cut = _SEPARATORS.search(value, at)
            end = cut.start() if cut else len(value)
            atom, at = value[at:end].strip(), end
            atom = atom.removeprefix("#") if atom != "-" else ""
        if atom.strip():
            found.append(atom)
    return found


def _quoted(value: str, at: int, line: int) -> tuple[str, int]:
    """The JSON string that begins at `at`, and where it ends."""
    try:
        atom, end = _JSON.raw_decode(value, at)
    except ValueError as error:
        raise _Unreadable(line, "trouble-quote") from error
    assert isinstance(atom, str)
    return atom, end


_JSON = json.JSONDecoder(strict=False)


def _pairs(value: str, line: int) -> list[tuple[str, str]]:
    """`project=site, user=lin` → both; a part without `=` or `:` belongs to the value before, or stands alone."""
    if value.strip() in ("", "-"):
        return []
    if '"' in value:
        return [_quoted_pair(value.strip(), line)]
    pairs: list[tuple[str, str]] = []
    for part in _SEPARATORS.split(value):
        name, mark, said = part.partition("=" if "=" in part else "：" if "：" in part else ":")
        if mark and name.strip():
            pairs.append((name.strip(), said.strip()))
        elif pairs and part.strip():
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}, {part.strip()}")
        elif part.strip():
            pairs.append(("scope", part.strip()))
    return pairs


def _quoted_pair(value: str, line: int) -> tuple[str, str]:
    name, at = _quoted(value, 0, line) if value[0] == '"' else (value.partition("=")[0], value.find("="))
    rest = value[at:].strip() if at >= 0 else ""
    if not name or not rest.startswith("="):
        raise _Unreadable(line, "trouble-list", value=_cut(value))
    rest = rest[1:].strip()
    if not rest.startswith('"'):
        return name.strip(), rest
    said, end = _quoted(rest, 0, line)
    if rest[end:].strip():
        raise _Unreadable(line, "trouble-list", value=_cut(value))
    return name.strip(), said


def _cut(text: str) -> str:
    return " ".join(text.split())[:40]
