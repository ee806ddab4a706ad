"""Documents match the code."""

from __future__ import annotations

import re
import tomllib

import pytest

from bot.config import SETTINGS, Setting
from tests.house.files import ROOT

CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_described(setting: Setting) -> None:
    section = CONFIGURATION.partition(f"\n## [{setting.section}]\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith(f"| `{setting.key}` |")]
    assert len(rows) == 1, f"docs/configuration.md needs one row for {setting.name}"
    cells = [cell.strip() for cell in rows[0].strip("|").split("|")]
    assert cells[1] == (" · ".join(f"`{c}`" for c in setting.choices) if setting.choices else setting.type.value)
    assert cells[2] == (f"`{setting.default}`" if setting.default is not None else "—")
    assert cells[3].split(", ") == [f"`{name}`" for name in (setting.env, setting.env_file) if name]
    assert len(cells[4]) > 10


def test_no_setting_is_described_that_does_not_exist() -> None:
    described = re.findall(r"^\| `(\w+)` \|", CONFIGURATION, flags=re.MULTILINE)
    assert sorted(described) == sorted(setting.key for setting in SETTINGS)


def test_the_changelog_knows_this_version_or_has_one_coming() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[({re.escape(version)}|Unreleased)\]", changelog, flags=re.MULTILINE)


def test_every_decision_has_its_number_and_its_three_parts() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [path.name[:4] for path in decisions] == [f"{number:04}" for number in range(1, len(decisions) + 1)]
    for path in decisions:
        headings = re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert headings[:3] == ["Context", "Decision", "Consequences"], path


def test_a_link_between_documents_leads_to_a_file() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_ci_runs_the_command_of_the_readme() -> None:
    command = "pip install uv && uv run pytest"
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
