"""Which format files are in, and reading them: the one door to the readers.

Tables and JSON say themselves what they are. Markdown is judged folder by folder: ours (or that of
memory-system-ops), Hermes, an OpenClaw workspace, basic-memory; notes of no form are read as a workspace. A folder of
files from several programs is read file by file, each in its own way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from store import blocks, tree
from store.formats import (
    basic_memory,
    csv_rows,
    front_matter,
    hermes,
    json_values,
    jsonl,
    markdown,
    mcp_graph,
    mem0,
    openclaw,
)
from store.formats.encoding import text_of
from store.pieces import File, Piece, Reading, Trouble

Progress = Callable[[int, int], None]
"""(files read, files in all)"""
FORMATS = ("tree", "openclaw", "hermes", "basic-memory", "mcp-graph", "mem0", "csv", "jsonl")
_TABLES = (".csv", ".tsv")
_JSON = (".json", ".jsonl", ".ndjson")
_ROOTS = frozenset(
    {*openclaw.MEMORIES, openclaw.USER, *openclaw.TOLD, openclaw.DREAMS, hermes.ARCHIVE, "TASKS.md", tree.CHECKPOINTS}
)
"""Files that stand at the root of what one program wrote."""
_FOLDERS = ("memory", "agent-memory", "TASKS_ARCHIVE")
_OF_A_TREE = (*openclaw.MEMORIES, openclaw.USER, "TASKS.md", tree.CHECKPOINTS)


@dataclass(slots=True)
class _Gathered:
    pieces: list[tuple[str, Piece]] = field(default_factory=list)
    """Each with its format."""
    troubles: list[Trouble] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    wrote: dict[str, str] = field(default_factory=dict)
    copies: set[str] = field(default_factory=set)
    written: dict[tuple[str, str], str] = field(default_factory=dict)
    formats: Counter[str] = field(default_factory=Counter)

    def take(self, name: str, found: tuple[Sequence[Piece], Sequence[Trouble]]) -> None:
        pieces, troubles = found
        self.pieces += [(name, piece) for piece in pieces]
        self.troubles += troubles
        self.formats[name] += len(pieces)


def read(files: Sequence[File], *, progress: Progress = lambda done, total: None) -> Reading:
    """Everything that can be read, file by file in the order of their names, and what cannot. Never raises."""
    gathered = _Gathered()
    notes: list[tuple[str, str]] = []
    for number, file in enumerate(sorted(files, key=lambda file: file.path), start=1):
        text, trouble = text_of(file)
        suffix = _suffix(file.path)
        if trouble is not None:
            gathered.troubles.append(trouble)
        elif suffix in _TABLES:
            gathered.take("csv", csv_rows.read(file.path, text))
        elif suffix in _JSON and file.path.rpartition("/")[2] != hermes.ARCHIVE:
            _json(gathered, file.path, text, alone=len(files) == 1)
        else:
            notes.append((file.path, text))
        progress(number, len(files))
    for root, group in _groups(notes):
        _markdown(gathered, root, group)
    return _reading(gathered)


def _reading(gathered: _Gathered) -> Reading:
    order = {name: place for place, name in enumerate(FORMATS)}
    most = max(gathered.formats, key=lambda name: (gathered.formats[name], -order[name]), default="openclaw")
    return Reading(
        "tree" if gathered.wrote else most,
        [piece for _, piece in gathered.pieces],
        sorted(gathered.troubles, key=lambda trouble: (trouble.path, trouble.line)),
        sorted(gathered.ignored),
        gathered.wrote,
        frozenset(gathered.copies),
        gathered.written,
    )


def _suffix(path: str) -> str:
    head, dot, end = path.rpartition("/")[2].rpartition(".")
    return f".{end.lower()}" if dot and head else ""


def _json(gathered: _Gathered, path: str, text: str, *, alone: bool) -> None:
    """By what its first object is. Settings and logs of other programs hold nothing to import."""
    if not text.strip():
        return
    first = next(json_values.lines(text), None)
    value = first.value if first is not None else None
    if value is not None and jsonl.is_ours(value):
        gathered.take("jsonl", jsonl.read(path, text))
    elif value is not None and mcp_graph.is_graph(value):
        gathered.take("mcp-graph", mcp_graph.read(path, text))
    elif any(found.value is not None and mem0.is_memory(found.value) for found in _some(text, mem0.LISTS)):
        gathered.take("mem0", mem0.read(path, text))
    elif any(found.value is not None for found in _some(text, mcp_graph.LISTS) if found.list_name):
        gathered.take("mcp-graph", mcp_graph.read(path, text))
    elif _is_broken_jsonl(text):
        gathered.take("jsonl", jsonl.read(path, text))
    elif alone:
        gathered.troubles.append(Trouble(path, 0, "trouble-format"))
    else:
        gathered.ignored.append(path)


def _some(text: str, names: Sequence[str]) -> Iterator[json_values.Found]:
    for number, found in enumerate(json_values.items(text, names)):
        yield found
        if number >= 20:
            return


def _is_broken_jsonl(text: str) -> bool:
    """Ours, though the first line cannot be read."""
    return any(
        found.value is not None and jsonl.is_ours(found.value)
        for number, found in enumerate(json_values.lines(text[:200_000]))
        if number < 20
    )


# Markdown


def _groups(notes: Sequence[tuple[str, str]]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """(root, its files): each file goes to the nearest folder above it that a program has made its own."""
    roots = {_root_at(path) for path, _ in notes} - {None}
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, text in notes:
        above = [path[: at + 1] for at, character in enumerate(path) if character == "/"]
        found[max((one for one in ["", *above] if one in roots or not one), key=len)].append((path, text))
    yield from sorted(found.items())


def _root_at(path: str) -> str | None:
    folder, _, name = path.rpartition("/")
    if name in _ROOTS:
        return f"{folder}/" if folder else ""
    parts = folder.split("/")
    return next(("".join(f"{one}/" for one in parts[:at]) for at, part in enumerate(parts) if part in _FOLDERS), None)


def _markdown(gathered: _Gathered, root: str, group: Sequence[tuple[str, str]]) -> None:
    inside = [(path.removeprefix(root), text) for path, text in group]
    if tree.is_tree(inside):
        _tree(gathered, root, inside)
    elif _is_hermes(root, inside):
        for path, text in group:
            name = path.removeprefix(root)
            if name in (hermes.MEMORY, hermes.USER, hermes.ARCHIVE):
                gathered.take("hermes", hermes.read(path, text))
            else:
                gathered.take("openclaw", openclaw.read(path, text, name=name))
    elif not _is_workspace(inside) and any(basic_memory.is_note(text) for _, text in inside):
        for path, text in group:
            gathered.take("basic-memory", basic_memory.read(path, text))
    else:
        for path, text in group:
            gathered.take("openclaw", openclaw.read(path, text, name=path.removeprefix(root)))


def _is_workspace(inside: Sequence[tuple[str, str]]) -> bool:
    return any(name in _ROOTS or (name.startswith("memory/") and markdown.day_in_name(name)[0]) for name, _ in inside)


def _is_hermes(root: str, inside: Sequence[tuple[str, str]]) -> bool:
    names = {name for name, _ in inside}
    if not names & {hermes.MEMORY, hermes.USER, hermes.ARCHIVE} or names & {*openclaw.TOLD, openclaw.DREAMS}:
        return False
    if root.endswith("memories/") or hermes.ARCHIVE in names:
        return True
    named = (text for name, text in inside if name in (hermes.MEMORY, hermes.USER))
    return any(line.strip() == hermes.MARK for text in named for line in text.split("\n"))


def _tree(gathered: _Gathered, root: str, inside: Sequence[tuple[str, str]]) -> None:
    """Our layout; what of it other programs wrote is theirs to be read."""
    own: list[tuple[str, str]] = []
    for name, text in inside:
        header = front_matter.split(root + name, text)
        if header.trouble is not None:
            gathered.troubles.append(header.trouble)
            continue
        if not _is_of_a_tree(name, text):
            gathered.take("openclaw", openclaw.read(root + name, text, name=name))
            continue
        day = markdown.day_in_name(name)[0]
        gathered.take("tree", ([replace(piece, day=day) for piece in front_matter.rest(root + name, header)], []))
        own.append((name, header.body))
    found = tree.read(own, loose=openclaw.loose)
    gathered.take(
        "tree",
        (
            [replace(piece, path=root + piece.path) for piece in found.pieces],
            [replace(trouble, path=root + trouble.path) for trouble in found.troubles],
        ),
    )
    gathered.ignored += [root + path for path in found.ignored]
    gathered.wrote |= {root + path: scope for path, scope in found.wrote.items()}
    gathered.copies |= {root + path for path in found.copies}
    gathered.written |= {(root + path, name): value for (path, name), value in found.written.items()}


def _is_of_a_tree(name: str, text: str) -> bool:
    if blocks.COMMENT in text or name in _OF_A_TREE:
        return True
    if name.startswith(openclaw.DREAMING) or name in openclaw.TOLD:
        return False
    return name.startswith(tuple(f"{folder}/" for folder in _FOLDERS)) or blocks.has_blocks(text)
