"""Random sets of keys as several devices might have made them, for the properties of fold and projection."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import strategies as st

from store.changes import Json, Key, canonical, label_key, record_key, register_key
from store.ids import Series, card_id, digest, label, stamp, ulid

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
WORDS = ["paradigm", "Paradigm", "naïve"]
CARDS = sorted({card_id(word) for word in WORDS})
EVENTS = [ulid(1716768000000, bytes([number] * 10)) for number in range(4)]
CARD_FIELDS: dict[str, list[Json]] = {
    "added": [5, 9, None, -1, "x", 10**30],
    "card_state": ["active", "known", "removed", "a state of next year", 5],
    "meaning": ["范式", "", 5],
    "card_tags": [["cet6"], [], ["a", 1]],
    "order": [0, 7, -1, True],
    "pinned": [True],
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
def cards(draw: st.DrawFn) -> list[Key]:
    """A card, and now and then something else under its id, or a card under another's."""
    record = draw(st.sampled_from([*CARDS, *CARDS, IDS[0]]))
    kind = draw(st.sampled_from(["card", "card", "card", "task", "fact"]))
    value: dict[str, Json] = {"at": 0, "kind": kind, "word": draw(st.sampled_from([*WORDS, "", 5])), "text": "x"}
    return [record_key(record, value)]


@st.composite
def events(draw: st.DrawFn) -> list[Key]:
    """Reviews, undoings and what no version writes; variants of one event among them."""
    made = []
    for _ in range(draw(st.integers(0, 8))):
        value: dict[str, Json] = {
            "at": draw(st.sampled_from([1, 2, 3, -1, 10**30])),
            "card": draw(st.sampled_from([*CARDS, "x", 5])),
            "device": draw(st.sampled_from(DEVICES)),
            "kind": draw(st.sampled_from(["answer", "answer", "import", "reset", "undo", "a kind of next year"])),
            "rating": draw(st.sampled_from([1, 3, 4, 9, "3"])),
            "slot": draw(st.sampled_from(["2024-05-27", "", "2024-02-30"])),
        }
        if draw(st.booleans()):
            value["undoes"] = draw(st.sampled_from([*EVENTS, "x"]))
        text = canonical(value)
        made.append(Key("v", f"{draw(st.sampled_from(EVENTS))}.{digest(text)}", text))
    return made


@st.composite
def registers(draw: st.DrawFn) -> list[Key]:
    """Writes of registers, each replacing some of the ones before it."""
    made: dict[tuple[str, str], list[Key]] = {}
    for _ in range(draw(st.integers(0, 14))):
        record = draw(st.sampled_from([*IDS, *CARDS, "meta", "profile"]))
        fields = CARD_FIELDS if record in CARDS else FIELDS
        field = draw(st.sampled_from(sorted(fields)))
        there = made.setdefault((record, field), [])
        seen = draw(st.lists(st.sampled_from(there), unique=True, max_size=2)) if there else []
        there.append(
            register_key(
                record,
                field,
                draw(st.sampled_from(fields[field])),
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
    whole = [key for one in draw(st.lists(records(), max_size=8)) for key in one] + draw(registers()) + draw(events())
    whole += [key for one in draw(st.lists(cards(), max_size=4)) for key in one]
    distinct = sorted(set(whole))
    left_out = draw(st.sets(st.sampled_from(distinct), max_size=3)) if distinct else set()
    return [key for key in distinct if key not in left_out]


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[list[Key], list[tuple[str, list[Key]]]]:
    """A set of keys, and one way it may arrive: any order, repeats, batches, documents."""
    banned = draw(st.sets(st.sampled_from([*IDS, CARDS[0], EVENTS[0]]), max_size=2))
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
        doc = draw(
            st.sampled_from(
                ["facts/2024-05.1", "facts/2024-05.2", "tasks/2024-05.1", "cards.1", "reviews/2024-05.1", "meta"]
            )
        )
        batches.append((doc, order[:size]))
        order = order[size:]
    return items, batches
