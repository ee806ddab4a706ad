"""The same vectors, run by what a browser client is built on: WebCrypto, @hpke/core, cborg, @automerge/automerge."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from tests.house.files import ROOT

FOLDER = ROOT / "tools" / "memsync_vectors"
PACKAGES = json.loads((FOLDER / "package.json").read_text("utf-8"))["dependencies"]


def missing() -> str:
    """Why the script cannot run here; "" when it can."""
    node = shutil.which("node")
    if node is None:
        return "node is not installed"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    if int((re.findall(r"\d+", version) or ["0"])[0]) < 20:
        return "node is older than 20"
    for name, wanted in PACKAGES.items():
        package = FOLDER / "node_modules" / name / "package.json"
        if not package.exists() or json.loads(package.read_text("utf-8"))["version"] != wanted:
            return f"{name} {wanted} is not installed: npm install --no-package-lock in tools/memsync_vectors"
    return ""


def test_the_javascript_side_passes_the_same_vectors() -> None:
    reason = missing()
    if reason:
        pytest.skip(reason)
    done = subprocess.run(
        ["node", "run.mjs"], cwd=FOLDER, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ran = re.search(r"^(\d+) cases, 0 differ$", done.stdout, re.MULTILINE)
    assert ran is not None, done.stdout
    cases = sum(
        len(json.loads(path.read_text("utf-8")).get("cases", []))
        for path in (ROOT / "tests" / "vectors").glob("*.json")
    )
    assert int(ran[1]) > cases, "all of them, and the engine's own"
