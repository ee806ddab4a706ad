"""Lists and pages: the board with many tasks, the archive by months, memory with pins, decisions, counts, evidence."""

from __future__ import annotations

from tests.flow.world import World


async def test_a_board_of_45_tasks_has_three_pages_that_go_round(world: World) -> None:
    lin = await world.person()
    for number in range(1, 46):
        await lin.say(f"todo: task number {number}")
    await lin.say("start T-240527-45")
    await lin.say("/blocked T-240527-44 by Bob, resume: ask")
    first = await lin.say("board")
    assert first.startswith("Board · doing 1 · ready 43 · blocked 1\ndoing T-240527-45")
    assert len(first.split("\n")) == 21
    assert lin.labels == ["◀", "1/3", "▶"]
    assert "2/3" in (await lin.press("▶"), lin.labels)[1]
    last = await lin.press("▶")
    assert last.count("\n") == 6
    assert "by: Bob · resume: ask" in last
    assert "1/3" in (await lin.press("▶"), lin.labels)[1]
    assert "3/3" in (await lin.press("◀"), lin.labels)[1]


async def test_the_archive_by_months_and_pages(world: World) -> None:
    lin = await world.person()
    assert await lin.say("archive") == "The archive is empty still."
    for number in range(1, 23):
        await lin.say(f"todo: task {number}")
        await lin.say(f"done T-240527-{number:02}")
    world.at("2024-06-03T10:00")
    await lin.say("todo: in June")
    await lin.say("done T-240603-01")
    assert await lin.say("board") == "The board is clear. The 2024-06 archive has 1 done task."
    assert (await lin.press("Archive")).startswith("Archive 2024-06 · 1 task\nMon 3 Jun T-240603-01 in June")
    assert lin.labels == ["2024-05"]
    assert (await lin.press("2024-05")).startswith("Archive 2024-05 · 22 tasks")
    assert lin.labels == ["◀", "1/2", "▶"]
    assert (await lin.press("▶")).count("\n") == 2
    assert await lin.say("/archive 2023-01") == "The archive has nothing for 2023-01."
    assert lin.labels == ["2024-06", "2024-05"]


async def test_memory_shows_pinned_entries_first_and_the_rest_by_pages(world: World) -> None:
    lin = await world.person()
    for number in range(1, 24):
        await lin.say(f"remember fact number {number}")
        world.later(seconds=1)
    await lin.say("pin D-2024-05-27-03")
    first = await lin.say("/memory")
    assert first.startswith("In private memory: 23 current entries, newest first:\npinned D-2024-05-27-03")
    assert first.count("\n") == 10
    assert lin.labels == ["13 more"]
    await lin.press("13 more")
    assert lin.labels == ["3 more"]
    last = await lin.press("3 more")
    assert last.endswith("D-2024-05-27-01 “fact number 1”")
    assert lin.labels == []
    shown = await lin.say("/find fact")
    assert shown.startswith("The 10 that fit best:")
    assert lin.labels == ["7 more"]


async def test_decisions_and_their_query(world: World) -> None:
    lin = await world.person()
    assert (await lin.say("decisions")).startswith("No decisions yet.")
    await lin.say("remember: we decided to use SQLite because it is one file")
    await lin.say("remember tea")
    assert await lin.say("decisions") == "1 current decision, newest first:\nD-2024-05-27-01 “use SQLite”"
    assert "“use SQLite”" in await lin.say("/decisions SQLite")
    assert "no entry yet on “bananas”" in await lin.say("/decisions bananas")


async def test_why_of_every_state(world: World) -> None:
    lin = await world.person()
    await lin.say("remember: we decided to use SQLite because it is one file, impact: ops, next: drill, verify: log")
    await lin.say("correct D-2024-05-27-01 we decided to use Postgres")
    old = await lin.say("/why D-2024-05-27-01")
    assert "decision · earlier" in old
    assert old.endswith("replaced by D-2024-05-27-02")
    assert "because: it is one file · impact: ops · next: drill" in old
    assert (await lin.say("/why D-2024-05-27-02")).endswith("replaces D-2024-05-27-01")
    await lin.say("pin D-2024-05-27-02")
    assert "current · pinned" in await lin.say("d-2024-5-27-2")
    await lin.say("/undo D-2024-05-27-02")
    assert "pinned" not in await lin.say("/why D-2024-05-27-02"), "the last write on it was the pin"
    await lin.say("/undo D-2024-05-27-02")
    assert await lin.say("/why D-2024-05-27-02") == "D-2024-05-27-02 is no longer in memory."
    assert "decision · current" in await lin.say("/why D-2024-05-27-01")
    assert "is no RefID" in await lin.say("/why bananas")
    assert "“use SQLite”" in await lin.say("/why SQLite")


async def test_a_long_chain_names_ten_at_most(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the score is 0")
    for number in range(1, 14):
        await lin.say(f"correct D-2024-05-27-01 the score is {number}")
    assert "…" in (await lin.say("/why D-2024-05-27-14")).split("replaces")[1]
    assert "14 versions" in await lin.say("/history D-2024-05-27-01")


async def test_counting(world: World) -> None:
    lin = await world.person()
    world.at("2024-05-03T21:00")
    await lin.say("remember this line: the paradigm shift, a paradigm")
    assert (
        await lin.say("how often have I met the word paradigm?") == "“paradigm”: 2 times in 1 entry.\nAll of it today."
    )
    world.at("2024-05-27T10:00")
    await lin.say("remember the paradigm is old")
    assert "First Fri 3 May, last today." in await lin.say("/count paradigm")
    assert (await lin.press("Show lines")).startswith("2 places, newest first:")
    assert "has not come up yet" in await lin.say("/count zebra")


async def test_names_in_a_group_list_what_that_person_said(world: World) -> None:
    noor, wei = await world.person("Noor", "Team"), await world.person("Wei", "Team")
    await noor.say("remember: we decided to run the tests twice because one slipped through")
    await wei.say("remember Noor's desk is by the window")
    assert "run the tests twice" in await wei.say("what did Noor say?")
    assert "desk" not in await wei.say("what did Noor decide?")
    assert "entry yet on “decision by Wei”" in await noor.say("what did Wei decide?")
    assert "desk is by the window" in await noor.say("did we ever talk about the desk?")
    assert "— Wei" in noor.last.text


async def test_dates_in_questions(zh: World) -> None:
    lin = await zh.person()
    zh.at("2024-05-26T10:00")
    await lin.say("记住：决定预算上限 3 万，因为花了一半")
    zh.at("2024-05-27T10:00")
    assert (await lin.say("昨天定了什么？")).startswith("昨天 = 5月26日，你决定的：")
    assert "“前天的决定”" in await lin.say("前天定了什么？")
    await lin.say("记住买了牛奶")
    assert "牛奶" in await lin.say("今天说了什么？")


async def test_about_the_talk_itself(world: World) -> None:
    lin, team = await world.person(), await world.person("Lin", "Team")
    assert await lin.say("who am i") == "Lin · owner · terminal:owner · private memory"
    assert await team.say("who am i") == "Lin · admin · terminal:owner · Team's memory"
    assert "nothing is uploaded" in await lin.say("privacy")
    assert "Team's memory holds what this group" in await team.say("privacy")
    assert "device home · zone Asia/Shanghai" in await lin.say("status")
    assert await lin.say("stop") == "Nothing is running."
    assert await lin.say("export") == (
        "Your memory holds 0 entries. On the machine niannian runs on, niannian export FOLDER writes them as files."
    )
    assert await team.say("export") == "Exports happen in a private chat."
    assert await team.press("Open private") == "Please write to me in private"
    await lin.say("/lang")
    assert lin.labels == ["中文", "English"]
    assert await lin.press("中文") == "好，以后命令和按钮用中文。"
    assert (await lin.say("/help")).startswith("记：")
    assert (await lin.say("help")).startswith("keep:"), "words are answered in their own language"


async def test_the_greeting_is_for_a_new_home_once(world: World) -> None:
    lin = await world.person()
    hello = await world.app.gateway.greet(lin.session.inbound())
    assert hello is not None
    lin.session.show(hello)
    lin.last = hello
    assert lin.labels == ["Right", "Change", "中文"]
    await lin.press("中文")
    assert lin.labels == ["对", "换一个", "English"]
    assert await lin.press("换一个") == "现在按 Asia/Shanghai 走。换成哪里？写城市或时区名，比如 柏林、Europe/Berlin。"
    assert "没有“火星”这个时区" in await lin.say("火星")
    await lin.press("换一个")
    assert "Europe/Berlin" in await lin.say("柏林")
    assert await world.app.gateway.greet(lin.session.inbound()) is None


async def test_profile_limits(world: World) -> None:
    lin = await world.person()
    assert "“About me” has no “sign”." in await lin.say("about me: sign =")
    for bad in ("a/b = c", "a = " + "y" * 501, "名" * 21 + " = c"):
        assert (await lin.say(f"/profile {bad}")).startswith(("Not saved: a name has", "没存下：名字最多")), bad
    for number in range(100):
        assert (await lin.say(f"about me: field {number} = x")).startswith("Good")
    assert await lin.say("about me: one more = x") == "Not saved: “about me” holds at most 100 things."
    await lin.say("about me: field 7 =")
    assert (await lin.say("about me: one more = x")).startswith("Good")


async def test_tasks_and_profile_answer_questions_and_task_refs_lead_to_tasks(world: World) -> None:
    lin = await world.person()
    await lin.say("about me: allergy = peanuts")
    assert await lin.say("what is my allergy?") == "From “about me”:\nallergy: “peanuts”"
    await lin.say("todo: renew the passport\nand the card\nand the licence")
    assert "On the board:\nready T-240527-01" in await lin.say("where is my passport?")
    assert (await lin.press("Board")).startswith("Board · doing 0 · ready 1")
    await lin.say("/history T-240527-01")
    assert lin.labels == ["Full text", "Start"]
    assert "and the licence" in await lin.press("Full text")
    await lin.say("correct T-240527-01")
    assert "renew it all" in await lin.say("renew it all")
    assert "needs no pin" in await lin.say("pin T-240527-01")
    await lin.say("done T-240527-01")
    assert "finished today 10:00, archived in 2024-05." in await lin.say("T-240527-01")
    await lin.say("/new")
    assert (await lin.say("AUTO-20240527-01")).startswith("Checkpoint AUTO-20240527-01 from today 10:00")
    assert await lin.say("pin AUTO-20240527-01") == "A checkpoint cannot be changed."
    assert await lin.say("correct AUTO-20240527-01 x") == "A checkpoint cannot be changed."


async def test_you_forgot_something_close(world: World) -> None:
    lin = await world.person()
    for text in ("the weekly moved online", "the printer is upstairs", "to water the balcony"):
        await lin.say(f"remember {text}")
    close = await lin.say("you forgot the rota of hosts and speakers and snacks for the weekly")
    assert close.startswith("Nothing fits exactly; the closest I have:")
    assert (await lin.press("Save this")).startswith("Saved · D-2024-05-27-04")


async def test_courtesies_are_answered_in_kind_and_never_kept(world: World) -> None:
    """B70: thanks and ok are no facts, and neither is what the bot itself said."""
    lin = await world.person()
    for said, expected in (("thanks!", "You're welcome."), ("OK", "Good."), ("hello", "I'm here."), ("好的", "好。")):
        assert (await lin.say(said)).startswith(expected)
    await lin.say("remember the car is on B2")
    for _ in range(5):
        assert "“the car is on B2”" in await lin.say("where is the car?")
    assert "1 current entry" in await lin.say("/memory")
    await lin.say("where is the bus?")
    assert "The chat has nothing on “bus”" in await lin.press("Search chat")
