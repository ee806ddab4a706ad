"""What every transport keeps to: `sync.ports.Transport`, run over each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sync.ports import Transport
from sync.transports.folder import Folder
from sync.transports.hub import Hub

SCOPE = "5c" * 16
OTHER = "0d" * 16
A, B = "aa" * 16, "bb" * 16
ENDLESS = 100
"""Fetches after which a stream that still gives something is taken for one without an end."""


@pytest.fixture(params=["hub", "folder"])
def transport(request: pytest.FixtureRequest, tmp_path: Path) -> Transport:
    if request.param == "hub":
        return Hub()
    (tmp_path / "shared").mkdir()
    return Folder(tmp_path / "shared")


async def all_of(transport: Transport, author: str = A, cursor: str = "") -> tuple[list[bytes], str]:
    """Everything behind `cursor`, and the cursor behind it."""
    out: list[bytes] = []
    for _ in range(ENDLESS):
        fetched = await transport.fetch(SCOPE, author, cursor)
        out += fetched.envelopes
        cursor = fetched.cursor
        if not fetched.envelopes:
            return out, cursor
    raise AssertionError("the stream never ends")


def bodies(first: int, last: int) -> list[bytes]:
    return [f"envelope {number}".encode() for number in range(first, last + 1)]


async def test_a_stream_comes_in_the_order_it_was_published(transport: Transport) -> None:
    await transport.publish(SCOPE, A, bodies(1, 3))
    await transport.publish(SCOPE, A, bodies(4, 4))
    assert (await all_of(transport))[0] == bodies(1, 4)


async def test_nothing_published_is_an_empty_stream(transport: Transport) -> None:
    fetched = await transport.fetch(SCOPE, A, "")
    assert (list(fetched.envelopes), fetched.cursor, fetched.reset) == ([], "", False)
    assert list(await transport.authors(SCOPE)) == []
    await transport.publish(SCOPE, A, [])
    assert (await all_of(transport))[0] == []


async def test_a_cursor_gives_what_came_since(transport: Transport) -> None:
    await transport.publish(SCOPE, A, bodies(1, 3))
    _, cursor = await all_of(transport)
    assert (await all_of(transport, cursor=cursor))[0] == []
    await transport.publish(SCOPE, A, bodies(4, 5))
    fetched = await transport.fetch(SCOPE, A, cursor)
    assert (list(fetched.envelopes), fetched.reset) == (bodies(4, 5), False)


async def test_reading_does_not_use_up(transport: Transport) -> None:
    await transport.publish(SCOPE, A, bodies(1, 3))
    assert await all_of(transport) == await all_of(transport)


async def test_a_fetch_is_bounded_and_the_rest_follows(transport: Transport) -> None:
    large = [number.to_bytes(4, "big") * 2000 for number in range(1200)]
    await transport.publish(SCOPE, A, large)
    first = await transport.fetch(SCOPE, A, "")
    assert 0 < len(first.envelopes) < len(large)
    assert (await all_of(transport))[0] == large


async def test_streams_are_apart(transport: Transport) -> None:
    await transport.publish(SCOPE, A, bodies(1, 1))
    await transport.publish(SCOPE, B, bodies(2, 2))
    await transport.publish(OTHER, A, bodies(3, 3))
    assert list(await transport.authors(SCOPE)) == [A, B]
    assert list(await transport.authors(OTHER)) == [A]
    assert (await all_of(transport, B))[0] == bodies(2, 2)


async def test_a_wiped_stream_begins_anew(transport: Transport) -> None:
    await transport.publish(SCOPE, A, bodies(1, 3))
    _, cursor = await all_of(transport)
    await transport.replace(SCOPE, A, [])
    fetched = await transport.fetch(SCOPE, A, cursor)
    assert (list(fetched.envelopes), fetched.reset) == ([], True)
    assert list(await transport.authors(SCOPE)) == []
    await transport.publish(SCOPE, A, bodies(1, 1))
    fetched = await transport.fetch(SCOPE, A, cursor)
    assert (list(fetched.envelopes), fetched.reset) == (bodies(1, 1), True)


async def test_a_stream_that_was_replaced_by_a_longer_one_is_read_from_its_beginning(transport: Transport) -> None:
    """The old place would lie in the middle of it, and what stands before would never come."""
    before = [bodies(1, 1)[0], bodies(1, 1)[0], *bodies(3, 3)]
    for _ in range(2):  # the second time it even ends alike where we were
        await transport.replace(SCOPE, A, [])
        await transport.publish(SCOPE, A, before)
        _, cursor = await all_of(transport)
        await transport.replace(SCOPE, A, [])
        await transport.publish(SCOPE, A, bodies(1, 6))
        fetched = await transport.fetch(SCOPE, A, cursor)
        assert (list(fetched.envelopes), fetched.reset) == (bodies(1, 6), True)
        before = [*bodies(2, 2), *bodies(2, 2), *bodies(3, 3)]
    assert list((await transport.fetch(SCOPE, A, fetched.cursor)).envelopes) == []


async def test_a_replaced_stream_is_what_replaced_it_and_goes_on_from_there(transport: Transport) -> None:
    await transport.publish(SCOPE, A, bodies(1, 9))
    for first in (5, 7):
        await transport.replace(SCOPE, A, bodies(first, 9))
        assert (await all_of(transport))[0] == bodies(first, 9)
    await transport.publish(SCOPE, A, bodies(10, 10))
    assert (await all_of(transport))[0] == bodies(7, 10)
    assert list(await transport.authors(SCOPE)) == [A]


@pytest.mark.parametrize("read", [0, 1, 3])
async def test_any_reader_goes_on_rightly_when_a_stream_is_replaced(transport: Transport, read: int) -> None:
    """Whatever it had read before: what is new comes, and of the old ones nothing."""
    await transport.publish(SCOPE, A, bodies(1, read))
    _, cursor = await all_of(transport)
    await transport.publish(SCOPE, A, bodies(read + 1, 3))
    await transport.replace(SCOPE, A, bodies(4, 6))
    got, cursor = await all_of(transport, cursor=cursor)
    assert got == bodies(4, 6)
    await transport.publish(SCOPE, A, bodies(7, 7))
    assert (await all_of(transport, cursor=cursor))[0] == bodies(7, 7)


async def test_a_long_stream_may_replace_another(transport: Transport) -> None:
    large = [number.to_bytes(4, "big") * 2000 for number in range(100)]
    await transport.publish(SCOPE, A, large)
    await transport.replace(SCOPE, A, large[40:])
    assert (await all_of(transport))[0] == large[40:]


async def test_replacing_touches_no_other_stream_and_no_file(transport: Transport) -> None:
    for author in (A, B):
        await transport.publish(SCOPE, author, bodies(1, 2))
    await transport.put(SCOPE, "roster/00000000-01.entry", b"x")
    await transport.replace(SCOPE, A, bodies(2, 2))
    await transport.replace(OTHER, A, [])
    assert (await all_of(transport, B))[0] == bodies(1, 2)
    assert await transport.get(SCOPE, "roster/00000000-01.entry") == b"x"


async def test_a_file_is_put_once(transport: Transport) -> None:
    name = "roster/00000000-01020304.entry"
    assert await transport.get(SCOPE, name) is None
    await transport.put(SCOPE, name, b"first")
    await transport.put(SCOPE, name, b"second")
    assert await transport.get(SCOPE, name) == b"first"
    assert await transport.get(OTHER, name) is None


async def test_names_are_those_with_the_prefix_sorted(transport: Transport) -> None:
    for name in (
        "wraps/00000002-bb.wrap",
        "wraps/00000001-aa.wrap",
        "wraps/00000002-aa.wrap",
        "roster/00000000-01.entry",
    ):
        await transport.put(SCOPE, name, b"x")
    assert list(await transport.names(SCOPE, "wraps/00000002-")) == ["wraps/00000002-aa.wrap", "wraps/00000002-bb.wrap"]
    assert list(await transport.names(SCOPE, "wraps/")) == sorted(await transport.names(SCOPE, "wraps/"))
    assert len(await transport.names(SCOPE, "wraps/")) == 3
    assert list(await transport.names(SCOPE, "pair/")) == []
    assert list(await transport.names(OTHER, "wraps/")) == []


async def test_names_are_those_of_one_folder(transport: Transport) -> None:
    for name in ("pair/01/1", "pair/02/1", "roster/00000000-01.entry"):
        await transport.put(SCOPE, name, b"x")
    for prefix in ("", "p", "pair/", "pair/0", "pair"):
        assert list(await transport.names(SCOPE, prefix)) == []
    assert list(await transport.names(SCOPE, "pair/01/")) == ["pair/01/1"]
    await transport.discard(SCOPE, prefix="pair/")
    assert await transport.get(SCOPE, "pair/01/1") == b"x"


async def test_files_are_no_authors_and_streams_no_files(transport: Transport) -> None:
    await transport.put(SCOPE, "roster/00000000-01.entry", b"x")
    await transport.publish(SCOPE, A, bodies(1, 1))
    assert list(await transport.authors(SCOPE)) == [A]
    assert list(await transport.names(SCOPE, "roster/")) == ["roster/00000000-01.entry"]


async def test_discarding_takes_only_what_was_named(transport: Transport) -> None:
    await transport.publish(SCOPE, A, bodies(1, 1))
    await transport.put(SCOPE, "pair/01/1", b"x")
    await transport.put(SCOPE, "pair/02/1", b"y")
    await transport.put(SCOPE, "pair/01/2", b"z")
    await transport.discard(SCOPE, prefix="pair/01/1")
    assert await transport.get(SCOPE, "pair/01/2") == b"z"
    await transport.discard(SCOPE, prefix="pair/01/")
    await transport.discard(SCOPE, prefix="pair/03/")
    assert (await all_of(transport, A))[0] == bodies(1, 1)
    assert await transport.get(SCOPE, "pair/01/1") is None
    assert await transport.get(SCOPE, "pair/02/1") == b"y"


async def test_a_scope_is_there_once_anything_of_it_is(transport: Transport) -> None:
    assert list(await transport.scopes()) == []
    await transport.put(OTHER, "roster/00000000-01.entry", b"x")
    await transport.publish(SCOPE, A, bodies(1, 1))
    assert list(await transport.scopes()) == sorted([SCOPE, OTHER])


async def test_a_file_larger_than_was_asked_for_is_none(transport: Transport) -> None:
    await transport.put(SCOPE, "wraps/00000001-aa.wrap", b"x" * 100)
    assert await transport.get(SCOPE, "wraps/00000001-aa.wrap", 100) == b"x" * 100
    assert await transport.get(SCOPE, "wraps/00000001-aa.wrap", 99) is None
