"""What people read comes out of the locale files, is there in both languages, and is short enough for its place."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from fluent.syntax import FluentParser
from fluent.syntax import ast as ftl
from fluent.syntax.visitor import Visitor

from bot.phrases.templates import SLOTS
from bot.provenance import REASONS
from bot.words import LANGUAGES
from scheduler.promotion import PROPOSED
from store.filters import UnreadReason
from store.model import CardState, Confidence, EntryKind, Origin, Role, TaskState
from store.ports import EmbedderTrouble
from store.trail import Outcome
from tests.house.files import ROOT

BOT = ROOT / "bot"
LOCALES = BOT / "locales"

BUILT = {
    "kind-": EntryKind,
    "origin-": Origin,
    "role-": Role,
    "confidence-": Confidence,
    "state-": TaskState,
    "outcome-": Outcome,
    "embedder-": (*EmbedderTrouble, "starting", "late"),
    "missed-": ("later", "kind", "author", "time", "away", "earlier", "gate", "words", "rank"),
    "search-hint-": UnreadReason,
    "agent-": Outcome,
    "layer-": ("l1", "l2", "l3"),
    "task-field-": ("title", "state", "blocked-by", "resume-step"),
    "field-": ("because", "impact", "next", "verify"),
    "ask-": ("blocked-by", "resume-step"),
    "answer-": ("said", "decided", "said-span", "decided-span"),
    "nothing-": ("private", "group", "private-plain", "group-plain"),
    "weekday-": tuple(map(str, range(7))),
    "days-row-": ("0", "2", "4"),
    "exam-": ("cet4", "cet6", "ky", "toefl", "ielts", "gre"),
    "learn-grades-": ("2", "4"),
    "card-": ("again", "hard", "good", "easy"),
    "button-grade-": ("again", "hard", "good", "easy"),
    "card-is-": (*CardState, "known-state", "suspended-state"),
    "card-count-": ("due", "new", "later", "known", "suspended"),
    "menu-": (
        "help", "remember", "recall", "decisions", "memory", "tasks", "todo", "remind", "today", "add", "vocab",
        "stats", "new", "checkpoints", "undo",
        "profile", "rules", "track", "settings", "privacy", "status",
    ),
    "courtesy-": ("thanks", "fine", "hello"),
    "config-source-": ("file", "env", "default"),
    "empty-": ("remember", "recall", "forget", "correct", "count", "remind", "ref", "task"),
    "import-count-": (
        "new", "same", "changed", "removed", "forgotten", "taken", "renamed", "masked", "files-wrong", "parts-wrong",
    ),
    "import-done-": ("new", "changed", "removed", "skipped", "renamed", "masked", "files-left", "parts-left"),
    "daily-what-": ("words", "digest", "words-digest", "backup", "tidy"),
    "uncertain-": ("reply", "words", "digest", "reminder"),
    "tidy-": ("nightly",),
    "backup-": ("nightly",),
    "daily-was-": ("now", "today", "tomorrow", "later"),
    "daily-line-": tuple(f"{kind}{rest}" for kind in ("words", "digest") for rest in ("", "-rests", "-until")),
    "words-": ("moved", "time-kept", "are-off", "plain"),
    "digest-": ("moved", "time-kept", "are-off", "plain"),
    "export-done-": ("tree", "jsonl", "csv", "hermes"),
    "skill-slot-": SLOTS,
    "case-": ("problem", "error", "action", "outcome"),
    "tidy-why-": (*REASONS, "once", "agreed", "left"),
    "diary-why-": (*PROPOSED, "nearly"),
    "": (
        "memory-title", "memory-empty", "decisions-title", "decisions-empty", "rules-title", "rules-empty",
        "pinned-already", "unpinned-already",
    ),
}  # fmt: skip
"""Ids that code puts together: what stands before the variable part, and what the part can be."""

ERRORS = re.compile(r"(?:error|warning|doctor)-")
"""Named where they are raised, in `store` and `sync` too; the doctor has tests of its own."""


class _Variables(Visitor):
    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_VariableReference(self, node: ftl.VariableReference) -> None:
        self.found.add(node.id.name)


@cache
def messages(lang: str) -> dict[str, ftl.Message]:
    resource = FluentParser().parse((LOCALES / f"{lang}.ftl").read_text("utf-8"))
    junk = [entry for entry in resource.body if isinstance(entry, ftl.Junk)]
    assert not junk, junk[0].content
    found = [entry for entry in resource.body if isinstance(entry, ftl.Message)]
    assert len({message.id.name for message in found}) == len(found), "an id stands twice"
    return {message.id.name: message for message in found}


def variables(message: ftl.Message) -> set[str]:
    visitor = _Variables()
    visitor.visit(message)
    return visitor.found


def plain(message: ftl.Message) -> str | None:
    """The text of a message without variables."""
    assert message.value is not None
    parts = message.value.elements
    return "".join(p.value for p in parts if isinstance(p, ftl.TextElement)) if all(
        isinstance(p, ftl.TextElement) for p in parts
    ) else None  # fmt: skip


def test_both_languages_say_the_same_things_with_the_same_facts() -> None:
    zh, en = (messages(lang) for lang in LANGUAGES)
    assert zh.keys() == en.keys()
    # A plural needs the number itself beside the way it is shown; Chinese has none.
    plural = {"n", "shown", "times", "entries", "tasks", "waiting"}
    unlike = {
        name: (variables(zh[name]), variables(en[name]))
        for name in zh
        if variables(zh[name]) - plural != variables(en[name]) - plural
    }
    built_around = {"answer-said", "answer-decided"}  # a Chinese sentence puts who and when in front itself
    unnamed = {"nothing-group", "nothing-group-plain"}  # 群记忆 needs no name where English has Team's memory
    assert unlike.keys() == built_around | unnamed, unlike


@cache
def _strings(path: Path) -> set[str]:
    """String constants of a file without its docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    }


def _code() -> list[Path]:
    return [path for package in ("bot", "store", "sync", "scheduler") for path in (ROOT / package).rglob("*.py")]


@cache
def used() -> set[str]:
    built = {f"{head}{part}" for head, parts in BUILT.items() for part in parts}
    return built | {text for path in _code() for text in _strings(path)}


def test_every_id_in_the_files_is_used() -> None:
    idle = {name for name in messages("zh") if name not in used()}
    assert not {name for name in idle if not ERRORS.match(name)}, idle


def test_every_id_that_code_names_exists() -> None:
    calls = re.compile(r"(?:words|button|toast|pressed|told|chosen|HELP)\(\s*\"([a-z][a-z0-9-]+)\"")
    named = {name for path in BOT.rglob("*.py") for name in calls.findall(path.read_text("utf-8"))}
    built = {f"{head}{part}" for head, parts in BUILT.items() for part in parts}
    assert len(named) > 100
    assert not (named | built) - messages("en").keys()


def test_every_error_code_has_its_sentence() -> None:
    """What `sync` raises over foreign bytes is counted, not told."""
    raised = re.compile(r"\"(error-[a-z-]+)\"")
    code = [path for path in _code() if "sync" not in path.relative_to(ROOT).parts[:1]]
    named = {name for path in code for name in raised.findall(path.read_text("utf-8"))}
    assert len(named) > 40
    assert not named - messages("en").keys()


def test_no_sentence_for_people_stands_in_the_code() -> None:
    """Han characters and full sentences belong to the locales; the grammar's tables and the secret scan read people."""
    reads = re.compile(r"phrases/|hints\.py|zones\.py|secret|render\.py|words\.py|turn\.py")
    sentence = re.compile(r"[A-Z][a-z']+ [a-z']+ [a-z' ]+[.?]$")
    told = {
        (path.name, text)
        for path in BOT.rglob("*.py")
        if not reads.search(path.as_posix())
        for text in _strings(path)
        if re.search(r"[㐀-鿿]", text) or sentence.search(text)
    }
    allowed = {"中文", "英文"}
    assert not {one for one in told if one[1] not in allowed}


def test_labels_fit_a_button_and_toasts_fit_a_toast() -> None:
    for lang, button, toast in (("zh", 8, 20), ("en", 16, 40)):
        for name, message in messages(lang).items():
            text = plain(message)
            if text is not None and name.startswith("button-"):
                assert len(text) <= button, (lang, name)
            if text is not None and name.startswith("toast-"):
                assert len(text) <= toast, (lang, name)


def test_the_voice_is_kept() -> None:
    """No exclamation, no 您, no straight quotes around words, no emoji."""
    for lang in LANGUAGES:
        text = (LOCALES / f"{lang}.ftl").read_text("utf-8")
        said = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
        said = re.sub(r'\{"[^"]*"\}', "", said)
        assert not re.search(r"[!！您\"「」✅]", said)
