"""The files of the tree as the house tests see them: what is or could be committed, nothing made by tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("bot", "scheduler", "sync", "store")

_TOP = (*PACKAGES, "bench", "docker", "docs", "tests", "tools", "web", ".ci")
_MADE = {"__pycache__", "node_modules", "build", "dist"}
_TEXT = {"", ".cfg", ".ftl", ".golden", ".html", ".js", ".json", ".lock", ".md", ".py", ".sh", ".toml", ".txt", ".yml"}


def all_files() -> Iterator[Path]:
    """Every text file of the project, whether git knows it yet or not."""
    for path in sorted(ROOT.iterdir()):
        if path.is_file() and path.suffix in _TEXT and path.name not in {"uv.lock", ".git", ".coverage"}:
            yield path
    for top in _TOP:
        for path in sorted((ROOT / top).rglob("*")):
            made = _MADE.intersection(path.parts) or any(part.endswith(".egg-info") for part in path.parts)
            if path.is_file() and path.suffix in _TEXT and not made:
                yield path


def sources(*packages: str) -> Iterator[Path]:
    for package in packages or PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
