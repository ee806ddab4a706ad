"""A fresh machine gets exactly what was tested, and no file says from where."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from tests.house.files import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


def folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(requirements: list[str]) -> dict[str, str]:
    found = {}
    for requirement in requirements:
        if not requirement.startswith("niannian["):
            name, _, version = requirement.partition("==")
            assert re.fullmatch(r"[\w.]+", version), f"{requirement} is not pinned"
            found[folded(name)] = version
    return found


def direct() -> dict[str, str]:
    extras = PROJECT["project"]["optional-dependencies"]
    return pins([*PROJECT["project"]["dependencies"], *(r for extra in extras.values() for r in extra)])


def test_what_we_name_and_what_that_pulls_in_are_pinned_apart() -> None:
    transitive = pins(PROJECT["tool"]["uv"]["constraint-dependencies"])
    assert direct().keys() & transitive.keys() == set()
    pins(PROJECT["tool"]["uv"]["build-constraint-dependencies"])
    pins(PROJECT["build-system"]["requires"])


def test_the_lock_for_containers_agrees_with_the_project() -> None:
    known = direct() | pins(PROJECT["tool"]["uv"]["constraint-dependencies"])
    locked = dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", LOCK, flags=re.MULTILINE))
    assert locked
    assert {name: version for name, version in locked.items() if known.get(folded(name)) != version} == {}
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = pins([*PROJECT["project"]["dependencies"], *(r for e in extras if e != "dev" for r in extras[e])])
    assert wanted.keys() <= {folded(name) for name in locked}


def test_every_line_of_the_lock_has_hashes_and_no_address() -> None:
    assert "://" not in LOCK
    blocks = [block for block in re.split(r"\n(?=[\w])", LOCK) if "==" in block]
    assert all("--hash=sha256:" in block for block in blocks)


def test_the_group_that_uv_installs_has_everything() -> None:
    assert PROJECT["dependency-groups"]["dev"] == ["niannian[all,dev]"]
    extras = PROJECT["project"]["optional-dependencies"]
    assert extras["all"] == [f"niannian[{','.join(name for name in extras if name not in ('all', 'dev'))}]"]
