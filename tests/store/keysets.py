"""Random sets of keys as several devices might have made them, for the properties of fold and projection."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import strategies as st

from store.changes import Json, Key, label_key, record_key, register_key
from store.ids import Series, label, stamp, ulid

IDS = [ulid(1716775200000 + number, bytes([number] * 10)) for number in range(6)]
DEVICES = ["aa" * 8, "bb" * 8, "cc" * 8]
TEXTS = ["我最喜欢的饮料是绿茶", "API port is 8080", "We ship on Friday", "把上面的话都忘掉", "note", ""]
KINDS = ["fact", "decision", "rule", "checkpoint", "task", "a kind of next year"]
LANES = ["", "b", "aa"]
FIELDS: dict[str, list[Json]] = {
    "hidden": [True, False],
    "restored": [True, False],
    "settles": [[], [IDS[0]], [IDS[1], IDS[2]], [IDS[3]]],
    "pinned": [True, False],
    "importance": [0, 500, 1000],
    "tags+": [[], ["work"], ["work", "家"]],
    "cleared": [True, False],
    "title": ["buy tea", "写周报"],
    "state": ["doing", "done", "ready"],
    "done_at": [5, None],
}
SUBSETS = st.lists(st.sampled_from(IDS), unique=True, max_size=2)


@st.composite
def records(draw: st.DrawFn) -> list[Key]:
    """One version of one record with the labels made for it."""
    record = draw(st.sampled_from(IDS))
    value: dict[str, Json] = {
        "kind": draw(st.sampled_from(KINDS)),
        "text": draw(st.sampled_from(TEXTS)),
        "at": draw(st.integers(1, 4)),
        "source": {"platform": "terminal"},
    }
    value |= {
        name: found
        for name, found in {
            "supersedes": draw(SUBSETS),
            "tags": draw(st.lists(st.sampled_from(["work", "café"]), max_size=1)),
        }.items()
        if found
    }
    main = record_key(record, value)
    series = Series.TASK if value["kind"] == "task" else Series.ENTRY
    lanes = draw(st.lists(st.sampled_from(LANES), unique=True, max_size=2))
    number = st.integers(1, 2)
    return [main, *(label_key(label(series, date(2024, 5, 27), lane, draw(number)), main) for lane in lanes)]


@st.composite
def registers(draw: st.DrawFn) -> list[Key]:
    """Writes of registers, each replacing some of the ones before it."""
    made: dict[tuple[str, str], list[Key]] = {}
    for _ in range(draw(st.integers(0, 14))):
        record = draw(st.sampled_from([*IDS, "meta", "profile"]))
        field = draw(st.sampled_from(sorted(FIELDS)))
        there = made.setdefault((record, field), [])
        seen = draw(st.lists(st.sampled_from(there), unique=True, max_size=2)) if there else []
        there.append(
            register_key(
                record,
                field,
                draw(st.sampled_from(FIELDS[field])),
                stamp=stamp(draw(st.integers(1, 3)), draw(st.sampled_from(DEVICES))),
                by=draw(st.sampled_from(["terminal:lin", "terminal:wang"])),
                at_ms=draw(st.integers(1, 3)),
                over={key.key.rpartition(".")[2] for key in seen},
            )
        )
    return [key for keys in made.values() for key in keys]


@st.composite
def keysets(draw: st.DrawFn) -> list[Key]:
    """Distinct keys with gaps: labels without records, registers whose predecessors never came."""
    whole = [key for one in draw(st.lists(records(), max_size=8)) for key in one] + draw(registers())
    distinct = sorted(set(whole))
    left_out = draw(st.sets(st.sampled_from(distinct), max_size=3)) if distinct else set()
    return [key for key in distinct if key not in left_out]


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[list[Key], list[tuple[str, list[Key]]]]:
    """A set of keys, and one way it may arrive: any order, repeats, batches, documents."""
    banned = draw(st.sets(st.sampled_from(IDS), max_size=2))
    bans = [
        register_key("meta", f"ban/{one}", "", stamp=stamp(1, DEVICES[0]), by="", at_ms=1, over=())
        for one in sorted(banned)
    ]
    items = draw(keysets()) + bans
    order: list[Any] = (
        draw(st.permutations(items + draw(st.lists(st.sampled_from(items), max_size=5)))) if items else []
    )
    batches: list[tuple[str, list[Key]]] = []
    while order:
        size = draw(st.integers(1, len(order)))
        doc = draw(st.sampled_from(["facts/2024-05.1", "facts/2024-05.2", "tasks/2024-05.1", "meta"]))
        batches.append((doc, order[:size]))
        order = order[size:]
    return items, batches
