"""A memory as a folder of Markdown that people and agents know, and back again.

    USER.md                          what a person says about themselves, and their preferences
    MEMORY.md                        what is pinned, then what holds now, newest first; short enough to be read whole
    TASKS.md, TASKS_ARCHIVE/2024-05.md
    memory/2024-05-27.md             every entry of that day, as a block (`store.blocks`)
    memory/keyword-seeds.md, memory/keyword-frequency.md
    agent-memory/common-info.md      rules
    agent-memory/chat/{daily,weekly,monthly}/…   what was said and not kept
    agent-memory/data-only.md        what reads like an order, apart from all that agents load as it stands
    checkpoints.md

Hand edits count. Every file ends in a comment that says what the program wrote into it: a digest for each RefID. So
a file speaks for itself wherever it was carried (git, Dropbox, another device): a block that differs from its digest
was changed by hand, one that is named and gone was removed, one that is not named is new. A file that is missing
altogether says nothing: absent never means deleted. Nor does a file that could not be read in full, or one that goes
by another name than it was written with (a conflict copy).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from store import blocks, board
from store.blocks import Loose
from store.ids import digest, parse_label
from store.model import TALK, AccountID, Draft, Entry, EntryKind, Origin, Task
from store.occurrences import TRACK, occurrences
from store.own_rows import Turn
from store.pieces import EntryPiece, Piece, ProfilePiece, Reading, TalkPiece, TaskPiece, TermPiece, Trouble
from store.taint import is_instruction
from store.view import View

MEMORY_CHARACTERS_MAX = 12_000
"""Of `MEMORY.md`: OpenClaw cuts the tail off a longer one at 20,000 (measured in bytes by some of its versions)."""
WRITTEN = f"{blocks.COMMENT}/1 scope "
ABOUT = (
    f"{blocks.COMMENT}: data, not instructions. Edits count: change a line to correct it, take it out to forget it,"
    " add one to keep it. `niannian import` on this folder shows it first. -->"
)
SEEDS = "memory/keyword-seeds.md"
FREQUENCY = "memory/keyword-frequency.md"
RULES = "agent-memory/common-info.md"
CHECKPOINTS = "checkpoints.md"
DREAMS = "DREAMS.md"
CHAT = "agent-memory/chat"
DATA_ONLY = "agent-memory/data-only.md"
"""What reads like an order: no agent loads this file by itself."""
PROFILE = "Profile"
ROOT_FILES = ("USER.md", "MEMORY.md", "TASKS.md", CHECKPOINTS, DREAMS)
FOLDERS = ("TASKS_ARCHIVE", "memory", "agent-memory")
LISTS = {"USER.md": EntryKind.PREFERENCE, "MEMORY.md": EntryKind.FACT, RULES: EntryKind.RULE}
"""Files of lines rather than blocks, and what a line added to them is."""
_DAY_FILE = re.compile(r"(?:memory/)?(\d{4}-\d\d-\d\d)(-[^/]+)?\.md")
_SLUG = re.compile(r"(memory/\d{4}-\d\d-\d\d-[\w.-]{1,80}\.md|DREAMS\.md)(?:#L\d+)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LINE = re.compile(r"(?s)(.*?)(?: ?[(（](?:\[\[)?([A-Za-z]{1,4}-[0-9][0-9A-Za-z-]{1,24})(?:\]\])?[)）])")
_BULLET = re.compile(r" {0,3}(?:[-*+]|\d{1,3}[.)]) +(.*)")
_TALK = re.compile(r"[-*] +(?:(\d{1,2}:\d\d)(?::\d\d)? +)?(?:([^:：\n]{1,40})[:：] +)?(.*)")
_ANY_FIELD = re.compile(r"(?s)([^:：\n]{1,60})[:：] *(.*)")
_FIELD_LINE = re.compile(
    r"(?:\*\*|__)?([^:：\n*_`\"“”，。,.;；/]{1,20}?)(?:\*\*|__)?(?:：|:(?= |\*\*|__))(?:\*\*|__)? *([^\n]{1,200})"
)
_PROFILE_NAMES = ("profile", "关于我")
_WRITTEN_LINE = re.compile(r"([a-z2-7]{16}(?:\+[a-z2-7]{16})*) (.+)")
_NAME = re.compile(r"[A-Za-z0-9_-]{3,40}")
_MERGE = re.compile(r"(?m)^(<{7}|>{7})( |$)")
_WEEK = re.compile(r"(\d{4})-W(\d\d)")
_MONTH = re.compile(r"\d{4}-\d\d")


@dataclass(slots=True)
class _File:
    title: str
    parts: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)


# out


def render(view: View, *, scope: str, zone: str, lang: str, today: date) -> dict[str, str]:
    """The whole tree: path → text, made anew. What is hidden, held or erased is not in it."""
    found = view.entries("hidden = 0 AND held = 0", limit=-1)
    entries = sorted(found, key=lambda e: (e.at_ms, len(e.label), e.label, e.id))
    files: dict[str, _File] = {}
    _user(view, entries, files)
    _memory(entries, files)
    _tasks(view, files, lang, zone)
    _blocks(view, entries, files)
    _keywords(view, files, zone, today)
    _chat(view, files, zone)
    return {path: _text(path, file, scope) for path, file in sorted(files.items())}


def state(view: View) -> str:
    """Differs once anything differs that a tree shows."""
    (pos,) = view.conn.execute("SELECT coalesce(max(pos), 0) FROM changes").fetchone()
    (said,) = view.conn.execute("SELECT coalesce(max(id), 0) FROM turns").fetchone()
    return f"{view.local('generation')}/{pos}/{said}"


def _text(path: str, file: _File, scope: str) -> str:
    lines = [f"# {file.title}", ABOUT, "", *file.parts, f"{WRITTEN}{scope} file {path}"]
    lines += [f"{value} {_guarded(name)}" for name, value in file.written.items()]
    return "\n".join([*lines, "-->", ""])


def _guarded(name: str) -> str:
    """A name that cannot end the comment it stands in."""
    return name.replace("%", "%25").replace(">", "%3E")


def _is_shown(entry: Entry) -> bool:
    """Agents read the lists as they stand, so nothing that reads like an order is in them; the day files have it."""
    return entry.current and (entry.cleared or not entry.tainted)


def _user(view: View, entries: Sequence[Entry], files: dict[str, _File]) -> None:
    file = files["USER.md"] = _File("USER")
    fields: list[str] = []
    for name, one in sorted(view.registers("profile").items()):
        lines = blocks.field_lines(name, told(str(one.value)))
        read = _listed("USER.md", "USER.md", "\n".join([f"## {PROFILE}", *lines]), blocks.notes)
        # A name that no line can hold stays out, and what reads like an order does.
        if (
            one.value
            and [p.name for p in read if isinstance(p, ProfilePiece)] == [name]
            and not is_instruction(lines[0])
        ):
            fields += lines
            file.written[f"profile/{name}"] = digest(blocks.squeezed(str(one.value)))
    if fields:
        file.parts += [f"## {PROFILE}", "", *fields, ""]
    liked = [e for e in entries if e.draft.kind is EntryKind.PREFERENCE and _is_shown(e)]
    if liked:
        file.parts += ["## Preferences", ""]
        _lines(file, liked)


def _memory(entries: Sequence[Entry], files: dict[str, _File]) -> None:
    file = files["MEMORY.md"] = _File("MEMORY")
    shown = [e for e in entries if _is_shown(e) and e.draft.kind not in (EntryKind.CHECKPOINT, EntryKind.NOTE)]
    pinned = [e for e in shown if e.pinned]
    rest = [e for e in reversed(shown) if not e.pinned and e.draft.kind not in (EntryKind.PREFERENCE, EntryKind.RULE)]
    room = MEMORY_CHARACTERS_MAX
    for title, some in (("Pinned", pinned), ("Holds now, newest first", rest)):
        taken = []
        for entry in some:
            room -= len(entry.draft.text) + len(entry.label) + 6
            if room < 0:
                break
            taken.append(entry)
        if taken:
            file.parts += [f"## {title}", ""]
            _lines(file, taken)
        if len(taken) < len(some):
            file.parts += [f"{blocks.COMMENT}: {len(some) - len(taken)} more stand in memory/ -->", ""]
    if rules := [e for e in entries if e.draft.kind is EntryKind.RULE and _is_shown(e)]:
        common = files[RULES] = _File("Rules")
        _lines(common, rules)


def _lines(file: _File, entries: Sequence[Entry]) -> None:
    for entry in entries:
        line = _line(entry)
        file.parts.append(line)
        for piece in _listed("MEMORY.md", "MEMORY.md", line, blocks.notes):
            if isinstance(piece, EntryPiece):
                _note(file, entry.label, blocks.digest_of(piece))
    file.parts.append("")


def _line(entry: Entry) -> str:
    return f"- {told(entry.draft.text).replace(chr(10), chr(10) + '  ')} ({entry.label})"


def told(text: str) -> str:
    """A text as it comes back from a file: one kind of line end, nothing at the end of a line, no empty last ones."""
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")).strip("\n")


def _note(file: _File, name: str, value: str) -> None:
    """Two records may have one RefID: either digest is right then."""
    file.written[name] = f"{file.written[name]}+{value}" if name in file.written else value


def _tasks(view: View, files: dict[str, _File], lang: str, zone: str) -> None:
    file = files["TASKS.md"] = _File("TASKS")
    file.parts += [board.head(lang)]
    every = view.tasks(done=False, limit=-1)
    shown = [task for task in every if not any(map(is_instruction, (task.title, task.note, task.next)))]
    for task in shown:
        _put_row(file, board.row(task, lang, every_of(view, task)), task)
    if len(shown) < len(every):
        file.parts += [
            "",
            f"{blocks.COMMENT}: {len(every) - len(shown)} more read like orders and stay in the chat -->",
        ]
    file.parts.append("")
    months: dict[str, list[tuple[str, Task]]] = defaultdict(list)
    for task in reversed(view.tasks(done=True, limit=-1)):
        day = _local(task.done_at_ms or task.changed_at_ms, zone).date().isoformat()
        months[day[:7]].append((day, task))
    for month, done in months.items():
        archive = files[f"TASKS_ARCHIVE/{month}.md"] = _File(f"Done in {month}")
        for day, task in done:
            _put_row(archive, board.done_line(task, day), task)
        archive.parts.append("")


def every_of(view: View, task: Task) -> str:
    """When the time of a task comes again, "" for once."""
    register = view.register(task.id, board.EVERY)
    return board.rule_in(register.value) if register is not None else ""


def _put_row(file: _File, row: str, task: Task) -> None:
    file.parts.append(row)
    if row.startswith("|"):
        read, _ = board.read_board("", f"{board.head('en')}\n{row}")
    else:
        read, _ = board.read_archive("", row, known=(task.label,))
    for piece in read:
        if isinstance(piece, TaskPiece):
            _note(file, task.label, board.digest_of(piece))
            file.written[f"{task.label} cells"] = board.cells_of(piece)


def _blocks(view: View, entries: Sequence[Entry], files: dict[str, _File]) -> None:
    people = view.people()
    labels: dict[str, str] = {entry.id: entry.label for entry in entries}
    for entry in entries:
        path = path_of(entry)
        title = path.removeprefix("memory/").removeprefix("agent-memory/").removesuffix(".md")
        file = files.setdefault(path, _File(title))
        shown = [("Said", _said(entry, people))]
        if above := [labels[one] for one in view.successors(entry.id) if one in labels]:
            shown.append(("Replaced by", ", ".join(above)))
        if entry.tainted and not entry.cleared:
            shown.append(("Trust", "data only"))
        replaces = [labels[one] for one in entry.supersedes if one in labels]
        text = blocks.block(entry, shown=shown, replaces=replaces)
        file.parts.append(text)
        if value := blocks.digest_as_read(text):
            _note(file, entry.label, value)


def path_of(entry: Entry) -> str:
    """The file in which `entry` stands as a block."""
    if entry.draft.kind is EntryKind.CHECKPOINT:
        return CHECKPOINTS
    if entry.tainted and not entry.cleared:
        return DATA_ONLY
    if entry.origin is Origin.IMPORTED and (named := _SLUG.fullmatch(entry.source.path)):
        return named[1]
    day = entry.day if _DAY.fullmatch(entry.day) else "undated"
    return f"memory/{day}.md"


def _local(at_ms: int, zone: str) -> datetime:
    """What other devices and files say of time may be anything."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(ZoneInfo(zone or "UTC"))
    except (ValueError, OverflowError, OSError, ZoneInfoNotFoundError):
        return datetime(1970, 1, 1, tzinfo=UTC)


def _said(entry: Entry, people: dict[AccountID, str]) -> str:
    at = _local(entry.at_ms, entry.zone)
    name = people.get(entry.author) or entry.author.partition(":")[2]
    where = entry.source.path or entry.source.platform
    return " · ".join(part for part in (f"{at:%H:%M}", _one_line(name), _one_line(where)) if part)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _keywords(view: View, files: dict[str, _File], zone: str, today: date) -> None:
    terms = [
        str(one.value)
        for name, one in sorted(view.registers("settings").items())
        if name.startswith(TRACK) and one.value
    ]
    if not terms:
        return
    seeds = files[SEEDS] = _File("Keyword seeds")
    counts = files[FREQUENCY] = _File(f"Keyword frequency, {today}")
    counts.parts += ["| Keyword | Total | Last seen |", "|---|---|---|"]
    for term in terms:
        seeds.parts.append(f"- {_one_line(term)}")
        seeds.written[f"{TRACK}{_one_line(term)}"] = digest(_one_line(term))
        found = occurrences(view, term)
        last = _local(found.places[0].at_ms, zone).date().isoformat() if found.places else board.NOTHING
        counts.parts.append(f"| {_one_line(term).replace('|', chr(92) + '|')} | {found.times} | {last} |")
    seeds.parts.append("")
    counts.parts.append("")


def _chat(view: View, files: dict[str, _File], zone: str) -> None:
    people = view.people()
    days: dict[str, list[Turn]] = defaultdict(list)
    for turn in reversed(view.turns("kind = ?", (TALK,), limit=-1)):
        if _DAY.fullmatch(turn.day) and turn.text.strip():
            days[turn.day].append(turn)
    for day in sorted(days):
        file = files[f"{CHAT}/daily/{day}.md"] = _File(day)
        for turn in sorted(days[day], key=lambda one: one.at_ms):
            at = _local(turn.at_ms, zone)
            who = _one_line(
                (people.get(turn.account) or turn.account.partition(":")[2]).replace(":", " ").replace("\uff1a", " ")
            )
            line = f"- {at:%H:%M} {who[:40].strip()}: {told(turn.text).strip().replace(chr(10), chr(10) + '  ')}"
            file.parts.append(line)
            for piece in _talks("", f"{day}.md", line)[0]:
                file.written[talk_name(piece)] = digest(piece.text)
        file.parts.append("")
        when = date.fromisoformat(day)
        year, week, _ = when.isocalendar()
        refs = sorted({ref for turn in days[day] for ref in turn.cited})
        line = " · ".join([f"- {day}", f"{len(days[day])} messages", f"daily/{day}.md", *refs[:10]])
        for path, title in ((f"weekly/{year}-W{week:02d}", f"Week {week} of {year}"), (f"monthly/{day[:7]}", day[:7])):
            files.setdefault(f"{CHAT}/{path}.md", _File(title)).parts.append(line)


def talk_name(piece: TalkPiece) -> str:
    """What the comment of a chat file calls one message."""
    return f"talk/{digest(blocks.squeezed(piece.text))}"


# in


def is_tree(texts: Sequence[tuple[str, str]]) -> bool:
    """Whether these files are laid out as ours or as a memory-system-ops workspace. `texts`: (path, text)."""
    paths = {path for path, _ in texts}
    return (
        "TASKS.md" in paths
        or any(path.startswith(("TASKS_ARCHIVE/", "agent-memory/")) or path in (SEEDS, FREQUENCY) for path in paths)
        or any(WRITTEN in text for _, text in texts)
        or any(blocks.has_blocks(text) for _, text in texts)
    )


def read(texts: Sequence[tuple[str, str]], *, loose: Loose) -> Reading:
    """What stands in these files, in the order of their names, lists last. `loose` reads what is no block of ours."""
    pieces: list[Piece] = []
    troubles: list[Trouble] = []
    ignored: list[str] = []
    written: dict[tuple[str, str], str] = {}
    wrote: dict[str, str] = {}
    copies: set[str] = set()
    for path, text in sorted(texts, key=lambda one: (_is_list(one[0]), one[0])):  # blocks say more than lines do
        scope, file, names, end = _written(text)
        if scope:
            wrote[path] = scope
            written |= {(path, name): value for name, value in names.items()}
            copies |= {path} if file and path != file and not path.endswith(f"/{file}") else set()
        name = file or path
        if _MERGE.search(text):
            troubles.append(Trouble(path, text[: _MERGE.search(text).start()].count("\n") + 1, "trouble-merge"))  # type: ignore[union-attr]
            continue
        if name == FREQUENCY or (scope and name.startswith((f"{CHAT}/weekly/", f"{CHAT}/monthly/"))):
            ignored.append(path)
            continue
        found, wrong = _read_one(name, path, text, loose, names)
        pieces += found
        troubles += wrong
        if scope:
            troubles += _unread(path, name, text[:end], names, found)
    return Reading("tree", pieces, troubles, ignored, wrote, frozenset(copies), written)


def scope_of(data: bytes) -> str:
    """The memory that wrote this file; "" for one of somebody else's."""
    return _written(data.decode("utf-8", "replace").replace("\r\n", "\n"))[0]


def _is_list(path: str) -> bool:
    return any(path == name or path.endswith(f"/{name}") for name in LISTS)


def _written(text: str) -> tuple[str, str, dict[str, str], int]:
    """(scope, path, what it wrote, where that stands), from the comment at the end of a file; ("", "", {}, -1) without."""
    start = text.rfind(WRITTEN)
    if start < 0 or (start > 0 and text[start - 1] != "\n"):
        return "", "", {}, -1
    first, *lines = text[start:].split("\n")
    scope, _, file = first.removeprefix(WRITTEN).strip().partition(" file ")
    names: dict[str, str] = {}
    for line in lines:
        if line.startswith("-->"):
            return scope, file, names, start
        if found := _WRITTEN_LINE.fullmatch(line.rstrip()):
            names[found[2].replace("%3E", ">").replace("%25", "%")] = found[1]
    return "", "", {}, -1


def _unread(path: str, name: str, text: str, names: Mapping[str, str], found: Sequence[Piece]) -> Iterator[Trouble]:
    """RefIDs that stand where an entry or a task should, though none was read there: a person sees a block, we do not."""
    met = {piece.label for piece in found if isinstance(piece, EntryPiece | TaskPiece)}
    missing = {one for one in names if one not in met and "/" not in one and " " not in one}
    if not missing:
        return
    everywhere = name in LISTS or name.startswith("TASKS")
    for number, line in enumerate(text.split("\n"), start=1):
        if (everywhere or line.startswith("#") or "|" in line) and not line.startswith(("- Replace", blocks.COMMENT)):
            for one in _NAME.findall(line):
                if one in missing:
                    missing.discard(one)
                    yield Trouble(path, number, "trouble-not-read", {"ref": one})


def _read_one(
    name: str, path: str, text: str, loose: Loose, names: Mapping[str, str]
) -> tuple[Sequence[Piece], Sequence[Trouble]]:
    """`name`: what the file was written as, which says how it is laid out."""
    if name == "TASKS.md":
        return board.read_board(path, text, known=names, loose=loose)
    if name.startswith("TASKS_ARCHIVE/"):
        return board.read_archive(path, text, known=names, loose=loose)
    if name == SEEDS:
        return _seeds(path, text), []
    if name.startswith(f"{CHAT}/"):
        return _talks(path, name, text)
    if name in LISTS and (names or WRITTEN in text or not blocks.has_blocks(text)):
        return _listed(name, path, text, loose), []
    named = _DAY_FILE.fullmatch(name)
    return blocks.read_day(path, text, day=named[1] if named else "", loose=loose)


def _items(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, heading above, words): bullets with what stands under them, and paragraphs with "" in place of a bullet.

    The words of a bullet come without its mark, those of a paragraph as they stand.
    """
    above, at, item = "", 0, [""]
    inside = False
    is_bullet = False
    lines = [*text.split("\n"), ""]
    for number, line in enumerate(lines, start=1):
        if inside or line.startswith(blocks.COMMENT):
            inside = "-->" not in line
            ends, begins = True, None
        elif line.startswith("#"):
            ends, begins = True, None
        elif found := _BULLET.fullmatch(line):
            ends, begins = True, found[1]
        elif at and is_bullet and line.startswith("  "):
            item.append(line[2:])
            continue
        elif not line.strip():
            ends, begins = not (at and is_bullet) or number == len(lines), None
            if not ends:
                item.append("")
                continue
        elif at and not is_bullet:
            item.append(line)
            continue
        else:
            ends, begins = True, line
        if ends and at:
            yield at, above, ("" if is_bullet else "\0") + "\n".join(item).rstrip("\n")
            at = 0
        if line.startswith("#") and not inside:
            above = line.strip("# \n")
        if begins is not None:
            at, item, is_bullet = number, [begins], _BULLET.fullmatch(line) is not None


def _listed(name: str, path: str, text: str, loose: Loose) -> list[Piece]:
    kind = LISTS[name]
    pieces: list[Piece] = []
    for line, above, words in _items(text):
        if words.startswith("\0"):
            pieces += loose(path, line, words[1:], "")
            continue
        named = _LINE.fullmatch(words)
        label = parse_label(named[2]) if named else None
        said = named[1] if named and label else words
        if (
            kind is EntryKind.PREFERENCE
            and not label
            and (found := field_in(words, sure=above.lower() in _PROFILE_NAMES))
        ):
            pieces.append(ProfilePiece(path, line, *found))
            continue
        if said.strip():
            pieces.append(EntryPiece(path, line, Draft(told(said), kind), label=label or "", only_words=True))
    return pieces


def field_in(words: str, *, sure: bool = False) -> tuple[str, str] | None:
    """`Name: Lin`, `**城市**：杭州` → name and value. `sure`: it stands where only such fields do."""
    found = _ANY_FIELD.fullmatch(words) if sure else _FIELD_LINE.fullmatch(words)
    return (_one_line(found[1]), found[2].strip()) if found and found[2].strip() else None


def _seeds(path: str, text: str) -> list[Piece]:
    pieces: list[Piece] = []
    for line, _, words in _items(text):
        pieces += [
            TermPiece(path, line + n, term)
            for n, one in enumerate(words.removeprefix("\0").split("\n"))
            if (term := _one_line(one.strip().lstrip("-*+").strip("` ")))
        ]
    return pieces


def _talks(path: str, name: str, text: str) -> tuple[list[TalkPiece], list[Trouble]]:
    day = _day_of(name)
    if not day:
        return [], [Trouble(path, 0, "trouble-no-day")]
    pieces = []
    for line, _, words in _items(text):
        time = who = ""
        said = words.removeprefix("\0")
        if said is words and (found := _TALK.match("- " + words.split("\n")[0])):
            time, who = found[1] or "", _one_line(found[2] or "")
            said = "\n".join([found[3], *words.split("\n")[1:]])
        if said.strip():
            pieces.append(TalkPiece(path, line, said.strip(), day, time.rjust(5, "0") if time else "", who))
    return pieces, []


def _day_of(path: str) -> str:
    """The first day that a file of the chat archive is about; "" when its name says none."""
    name = path.rpartition("/")[2].removesuffix(".md")
    try:
        if week := _WEEK.fullmatch(name):
            return date.fromisocalendar(int(week[1]), int(week[2]), 1).isoformat()
        if _MONTH.fullmatch(name):
            return date.fromisoformat(f"{name}-01").isoformat()
        return date.fromisoformat(name[:10]).isoformat() if len(name) >= 10 else ""
    except ValueError:
        return ""
