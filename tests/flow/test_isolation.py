"""The wall: what is said in one scope is in no reply, row, index, log or file of another."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

import pytest

from store.model import AccountID, Role
from tests.flow.world import Person, World
from tests.golden.manners import found_in

WORDS = ("zebrafish", "斑马鱼")
ASKED = (
    "what is the canary word?", "暗号是什么？", "/memory", "/find zebrafish", "/find 斑马鱼", "/decisions", "/tasks",
    "/rules", "/profile", "/history D-2024-05-27-01", "/why D-2024-05-27-01", "D-2024-05-27-01", "T-240527-01",
    "/undo D-2024-05-27-01", "/forget D-2024-05-27-01", "/correct D-2024-05-27-01", "/pin D-2024-05-27-01",
    "/done T-240527-01", "/count zebrafish", "did we ever talk about the zebrafish?", "you forgot that we said so",
    "/trail", "/checkpoints", "where were we", "/status", "/whoami", "/archive", "no, the canary word is none",
    "what does your memory say about me", "/export", "undo", "forget that", "Lin?", "what did Lin say?",
)  # fmt: skip


async def fill(person: Person) -> None:
    for said in (
        "remember the canary word is zebrafish", "记住暗号是斑马鱼", "todo: feed the zebrafish",
        "about me: pet = zebrafish", "rule: mind the zebrafish", "the zebrafish is awake", "where is the zebrafish bowl?",
    ):  # fmt: skip
        await person.say(said)


async def scope_file(world: World, person: Person) -> Path:
    claim = person.session.speaker
    device = world.app.home.device
    found = (
        device.private_scope(claim.account)
        if claim.chat.id == claim.account
        else device.group_scope(f"{claim.chat.platform}:{claim.chat.id}", claim.account)
    )
    assert found is not None
    return world.home / "scopes" / found.scope


@pytest.mark.parametrize(
    ("speaker", "listener"),
    [
        (("Lin", None), ("Noor", None)),
        (("Lin", None), ("Lin", "Team")),
        (("Lin", None), ("Noor", "Team")),
        (("Noor", None), ("Lin", None)),
        (("Noor", None), ("Noor", "Team")),
        (("Noor", "Team"), ("Noor", None)),
        (("Noor", "Team"), ("Lin", "Reading")),
    ],
    ids=lambda who: "/".join(part for part in who if part),
)
async def test_the_wall(
    world: World,
    caplog: pytest.LogCaptureFixture,
    speaker: tuple[str, str | None],
    listener: tuple[str, str | None],
) -> None:
    """Every command asked from the other side: no reply, row, index, log line or file holds the words."""
    caplog.set_level(logging.DEBUG)
    inside, outside = await world.person(*speaker), await world.person(*listener)
    await fill(inside)
    said = []
    for question in ASKED:
        reply = await outside.say(question)
        typed = any(word in question for word in WORDS)
        said += [] if typed else [reply]
        assert "feed the" not in reply
        assert "bowl" not in reply
    assert not [reply for reply in said for word in WORDS if word in reply]
    mine, other = await scope_file(world, inside), await scope_file(world, outside)
    assert found_in(mine, ["feed the zebrafish"])
    await world.app.close()
    assert not found_in(other, ["feed the zebrafish", "mind the zebrafish", "暗号是斑马鱼", "canary word is zebrafish"])
    elsewhere = [path for path in world.home.rglob("*") if path.is_file() and mine not in path.parents]
    assert not [path for path in elsewhere if "暗号是斑马鱼".encode() in path.read_bytes()]
    assert not [record for record in caplog.records for word in WORDS if word in f"{record.msg}{vars(record)}"]
    await world.start()


async def test_another_persons_memory_is_empty_to_me(world: World) -> None:
    """B2: one store per person, and nothing hints at the others."""
    lin, noor = await world.person(), await world.person("Noor")
    await lin.say("remember I am allergic to peanuts")
    assert await noor.say("/memory") == "Nothing is in private memory yet. Say “remember …” and I keep it."
    assert "all 0 entries" in await noor.say("what am I allergic to?")
    assert "peanut" not in await noor.say("/export")
    assert "0 entries" in await noor.say("/status")


async def test_the_groups_answer_is_the_same_whoever_asks_and_whatever_is_private(world: World) -> None:
    """B1: no oracle, not even for the owner, and not for a name that only a private scope knows."""
    lin, noor, lin_here = await world.person(), await world.person("Noor"), await world.person("Lin", "Team")
    noor_here = await world.person("Noor", "Team")
    await world.person("Mallory")
    questions = ("what is the canary word?", "did we ever talk about KIWI-7?", "Mallory?", "what did Mallory say?",
                 "/memory", "/profile", "/rules", "/status", "/tasks", "/trail", "where is the key?")  # fmt: skip

    async def answers(person: Person) -> list[tuple[str, list[str]]]:
        return [(await person.say(question), person.labels) for question in questions]

    before = await answers(lin_here)
    await lin.say("remember the canary word is KIWI-7")
    await lin.say("remember Mallory has the key")
    await noor.say("remember where the key is: under the mat")
    assert await answers(lin_here) == before
    first = await answers(noor_here)
    assert first == before


async def test_a_name_that_only_a_private_scope_knows_does_not_change_how_a_group_reads_it(world: World) -> None:
    noor = await world.person("Noor", "Team")
    await noor.say("remember Mallory likes tea")
    before = await noor.say("Mallory?")
    await world.person("Mallory")
    assert await noor.say("Mallory?") == before
    assert "Mallory likes tea" in before


async def test_two_accounts_of_one_name_are_two_people(world: World) -> None:
    """B5: identity is the account; the name is only shown."""
    one, two = await world.phone("5001", "Lin Q"), await world.phone("5009", "Lin Q")
    await one.say("1", "remember my locker is 7")
    assert "Nothing is in private memory" in (await two.say("1", "/memory")).text
    one_here, two_here = await world.phone("5001", "Lin Q", "Team"), await world.phone("5009", "Lin Q", "Team")
    await one_here.say("2", "remember the release branch is main")
    saved = await two_here.say("3", "remember the release branch is stable")
    rivals = await one_here.say("4", "which branch is the release branch?")
    assert [button.label for button in rivals.buttons] == ["stable", "main", "Keep both"]
    assert "Only Lin Q can press this" in (await one_here.press("5", saved, "Undo")).text
    both = await one_here.say("6", "what did Lin Q say?")
    assert "“the release branch is main”" in both.text
    assert "“the release branch is stable”" in both.text


async def test_somebody_who_was_not_let_in_gets_one_line_and_leaves_nothing(world: World) -> None:
    lin = await world.phone("5001", "Lin", "Team")
    stranger = await world.phone("5001", "Lin")
    object.__setattr__(stranger, "_account", AccountID("telegram:666"))
    reply = await stranger.say("1", "remember zebrafish")
    assert reply.text.startswith("We haven't met")
    assert not found_in(world.home, ["zebrafish"])
    assert (await lin.say("2", "/memory")).text.startswith("Nothing is in Team's memory")


async def test_each_scope_is_a_database_of_its_own(world: World) -> None:
    lin, noor, team = await world.person(), await world.person("Noor"), await world.person("Noor", "Team")
    for person in (lin, noor, team):
        await person.say("remember tea")
    folders = {await scope_file(world, person) for person in (lin, noor, team)}
    assert len(folders) == 3
    for folder in folders:
        conn = sqlite3.connect(f"file:{folder / 'memory.db'}?mode=ro", uri=True)
        assert conn.execute("SELECT count(*) FROM entries").fetchone() == (1,)
        conn.close()


async def test_no_log_line_holds_what_was_typed(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """At DEBUG, of every logger that exists: ours, aiosqlite's, asyncio's."""
    caplog.set_level(logging.DEBUG)
    for name in ("bot", "store", "sync", "aiosqlite", "asyncio"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    lin = await world.person()
    phone = await world.phone("5001", "Lin")
    await fill(lin)
    for question in ASKED:
        await lin.say(question)
    for number, said in enumerate(("remember zebrafish", "undo", "undo", "/nonsense zebrafish", "forget zebrafish")):
        await phone.say(str(number), said)
    await world.restart()
    lines = [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    assert not [line for line in lines for word in (*WORDS, "canary") if word in line]


async def test_roles_in_a_group(world: World) -> None:
    """Settings belong to admins; a member asks and gets one line. The same press is a toast only they see."""
    lin, noor = await world.person("Lin", "Team"), await world.person("Noor", "Team")
    assert await noor.say("/lang zh") == "Please ask an admin to change this."
    assert await noor.say("/settings") == await lin.say("/settings")
    assert await noor.press("Zone") == "Please ask an admin to change this."
    assert noor.last.shape.value == "toast"
    assert "Europe/Berlin" in await lin.say("/tz Berlin")
    assert "zone: Europe/Berlin" in await noor.say("/settings")
    assert world.app.home.device.account(AccountID("terminal:owner")).role is Role.OWNER  # type: ignore[union-attr]


async def test_spaces_around_a_name_make_no_second_person(world: World) -> None:
    """“Lin ” beside Lin would pass for the owner in a group."""
    lin = await world.app.session(" Lin ", " Team ")
    assert lin.speaker.account == AccountID("terminal:owner")
    assert lin.speaker.chat == (await world.app.session(None, "Team")).speaker.chat
    noor = await world.app.session(" Noor")
    assert noor.speaker == (await world.app.session("Noor")).speaker
