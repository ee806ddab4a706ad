"""What may import what: the contracts of pyproject.toml hold."""

from __future__ import annotations

import ast
import subprocess
import sys

from tests.house.files import PACKAGES, ROOT


def test_the_import_contracts_hold() -> None:
    """In a process of its own: import-linter keeps global state and changes the import path."""
    run = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(cache_dir=None, no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", run],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_package_init_holds_one_docstring_and_nothing_else() -> None:
    """A thing is imported from the file where it lives."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("__init__.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            assert ast.get_docstring(tree), path
            assert len(tree.body) == 1, path
