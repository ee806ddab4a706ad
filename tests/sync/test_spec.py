"""`docs/spec/memsync.md`: every MUST has a number and names what holds it."""

from __future__ import annotations

import re

from sync import cbor, envelope, following, incoming, meeting, membership, pairing, roster, session
from sync.ports import FILE_BYTES_MAX
from sync.transports import folder
from tests.house.files import ROOT

TEXT = (ROOT / "docs" / "spec" / "memsync.md").read_text("utf-8")
RULES = re.findall(r"^- \*\*MS-(\d+)\*\* (.*)$", TEXT, re.MULTILINE)
CODE = re.compile(r"`[^`\n]+`|^ .*$|^[a-z]+ .*(?:drop|later) .*$", re.MULTILINE)
"""Where a code may stand: between backticks, and in the table of what is received."""
BODY = TEXT.partition("## 1. ")[2]


def test_the_rules_are_numbered_in_order() -> None:
    assert [int(number) for number, _ in RULES] == list(range(1, len(RULES) + 1))


def test_no_must_stands_outside_a_rule() -> None:
    loose = [line for line in BODY.splitlines() if "MUST" in line and not line.startswith("- **MS-")]
    assert loose == []


def test_every_rule_names_what_holds_it() -> None:
    for number, text in RULES:
        found = re.search(r"\*\((?:vector: (\w+)|test: ([\w/]+\.py)::(\w+))\)\*$", text)
        assert found, f"MS-{number}"
        vector, path, name = found.groups()
        if vector:
            assert (ROOT / "tests" / "vectors" / f"{vector}.json").exists(), f"MS-{number}"
        if path:
            assert f"def {name}(" in (ROOT / path).read_text("utf-8"), f"MS-{number}"


def test_the_codes_of_the_page_are_those_of_the_sources() -> None:
    sources = "".join(path.read_text("utf-8") for top in ("sync", "store") for path in (ROOT / top).rglob("*.py"))
    families = "baseline|change|envelope|malformed|payload|roster|wrap"
    codes = set(re.findall(rf"\b((?:{families})-[a-z-]+)\b", "\n".join(re.findall(CODE, TEXT))))
    assert len(codes) > 50
    for code in codes:
        assert f'"{code}"' in sources or code.endswith(("-cbor", "-spelling")), code


def test_the_bounds_of_the_page_are_those_of_the_sources() -> None:
    assert envelope.ENVELOPE_BYTES_MAX == 900 * 1024
    assert envelope.SEQ_MAX == 2**48
    assert (envelope.DOCUMENTS_MAX, envelope.CHANGES_MAX, envelope.DEVICES_MAX, envelope.RANGES_MAX) == (
        256,
        2000,
        64,
        16,
    )
    assert (roster.ENTRY_BYTES_MAX, roster.HEIGHT_MAX, roster.DEVICES_MAX) == (64 * 1024, 10_000, 64)
    assert cbor.DEPTH_MAX == 6
    assert (session.BEYOND_MAX, following.CANDIDATES_MAX, following.WRAPS_MAX, incoming.FETCHES_MAX) == (
        1000,
        256,
        64,
        10_000,
    )
    assert incoming.BASELINE_BYTES_MAX == FILE_BYTES_MAX == 64 * 1024 * 1024
    assert (incoming.BRAKE_RECORDS, incoming.BRAKE_SHARE, incoming.BRAKE_RECORDS_MIN) == (50, 0.2, 5)
    assert (folder.SEGMENT_BYTES_MAX, folder.FRAME_BYTES_MAX, folder.NAMES_MAX) == (256 * 1024, 1024 * 1024, 20_000)
    assert (meeting.LIMIT_S, meeting.NOTE_BYTES_MAX) == (60 * 60, 16 * 1024 * 1024)
    assert (membership.WELCOME_SCOPES_MAX, pairing.NAME_CHARACTERS_MAX) == (4096, 40)
