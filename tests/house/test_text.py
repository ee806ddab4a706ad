"""What no file of ours may hold."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.files import PACKAGES, ROOT, all_files, name_of, sources

# Spelled in halves, so that this file does not find itself.
REGISTRY = re.compile("|".join(["py" + r"pi\.org", "python" + "hosted", "npm" + r"js\.(org|com)", "index" + "-url"]))
DOWNLOAD = re.compile(r"https?://\S+\.(" + r"whl|tar\.gz|tgz|zip|deb|exe)\b")
MACHINE = re.compile(r"(?<![\w.~-])/" + r"(work|root)/(?=\w)|(?<!\w)/" + r"home/[a-z]\w*/|[A-Z]:\\" + r"Users\\")
HAN = re.compile(r"[\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")

MAY_HOLD_CHINESE = re.compile(
    r"(bot/locales/|bot/phrases|bot/platforms/telegram/(addressing|entities|people|splitting)\.py|bot/(secret_named|secret_value|hints|zones|render|words)\.py"
    r"|store/(blocks|board|tree|cues|dates(_[a-z]+)?|disguise|filters|sentences|text|taint|taint_words|query)\.py|store/formats/(csv_rows|ecdict|markdown|word_lists)\.py|tests/|docs/|bench/|README|CHANGELOG)"
)


def holding(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in all_files():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{name_of(path)}:{number}: {line.strip()[:100]}")
    return found


def test_the_walk_sees_the_tree() -> None:
    names = {name_of(path) for path in all_files()}
    assert {"pyproject.toml", "requirements.lock", ".gitignore", ".ci/run", "store/model.py", "LICENSE"} <= names
    assert name_of(ROOT / "tests" / "house" / "test_text.py") in names


@pytest.mark.parametrize("pattern", [REGISTRY, DOWNLOAD, MACHINE], ids=["registry", "download", "machine-path"])
def test_no_file_names_where_things_come_from_or_this_machine(pattern: re.Pattern[str]) -> None:
    assert holding(pattern) == []


def test_the_patterns_find_what_they_are_for() -> None:
    assert REGISTRY.search("https://py" + "pi.org/simple")
    assert DOWNLOAD.search("https://example.org/a/b-1.0" + ".whl")
    assert MACHINE.search('open("/' + 'work/main")')
    assert MACHINE.search("cd /" + "root/x")
    assert not MACHINE.search("docs/work/x and ./root/x")


def test_uv_lock_is_not_committed() -> None:
    assert "uv.lock" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    if shutil.which("git") and (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "uv.lock"], cwd=ROOT, capture_output=True, text=True, check=False)
        assert listed.stdout == ""


def test_every_test_folder_is_a_package() -> None:
    """A lone tests/store/__init__.py, or a missing one, hides or shadows the package `store`."""
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    assert [name_of(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def test_words_for_people_stand_in_the_locales_only() -> None:
    """Chinese is what shows: a sentence for a person outside `bot/locales` would have an English twin nobody sees.

    `render` and `words` hold how days, quotes and spaces are written, which is no sentence.
    Comments and docstrings may give examples in both languages; what a program could say may not.
    """
    found = [line for line in holding(HAN) if not MAY_HOLD_CHINESE.match(line) and ".py:" not in line.split(" ")[0]]
    for path in sources(*PACKAGES, "tools"):
        if not MAY_HOLD_CHINESE.match(name_of(path)):
            found += [f"{name_of(path)}:{node.lineno}" for node in spoken(path) if HAN.search(node.value)]
    assert found == []


def spoken(path: Path) -> Iterator[ast.Constant]:
    """The strings of a source file that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes:
            yield node


def test_no_file_is_a_drawer() -> None:
    drawers = {"utils", "util", "helpers", "common", "base", "manager", "misc"}
    assert [name_of(path) for path in sources(*PACKAGES) if path.stem in drawers] == []
