"""Two devices meet at a place in something that carries files; every way it can end."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

import pytest

from store.errors import Rejected
from sync import meeting, pairing
from sync.errors import Malformed
from sync.keys import DeviceKeys
from sync.meeting import LIMIT_S, LOOK_EVERY_S, MEETINGS, SAID, Arrival, Invitation, PairingFailed
from sync.pairing import Inviter, Joiner, meeting_place
from sync.ports import Transport
from sync.transports.folder import Folder
from sync.transports.hub import Hub

SECRET = bytes(range(10))
PLACE = meeting_place(SECRET)
HOME = DeviceKeys(b"\x11" * 32, b"\x12" * 32)
PHONE = DeviceKeys(b"\x21" * 32, b"\x22" * 32)
THIEF = DeviceKeys(b"\x31" * 32, b"\x32" * 32)


class Hands:
    """Waiting lets the others go on; the monotonic clock moves a little each time, since a folder takes real time.

    On a busy machine one write lasts as long as many looks: only where nobody comes may the steps be long.
    """

    def __init__(self, step_s: float = 0.1) -> None:
        self.now = 0.0
        self._step_s = step_s

    async def pause(self, seconds: float) -> None:
        assert seconds == LOOK_EVERY_S
        self.now += self._step_s
        await asyncio.sleep(0)

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(params=["hub", "folder"])
def transport(request: pytest.FixtureRequest, tmp_path: Path) -> Transport:
    return Hub() if request.param == "hub" else Folder(tmp_path)


@cache
def _cipher(secret: bytes) -> object:
    return _Seal(secret)._cipher


_Seal = pairing._Seal


class _SealOnce(_Seal):
    def __init__(self, secret: bytes) -> None:
        self._cipher = _cipher(secret)


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "_Seal", _SealOnce)


def invitation(transport: Transport, hands: Hands, keys: DeviceKeys = HOME, random: bytes = b"\x61" * 44) -> Invitation:
    machine = Inviter(SECRET, keys, "home", random)
    return Invitation(machine, transport, PLACE, pause=hands.pause, monotonic=hands.monotonic)


def arrival(
    transport: Transport, hands: Hands, keys: DeviceKeys = PHONE, expected: bytes | None = None, seed: int = 0x62
) -> Arrival:
    machine = Joiner(SECRET, keys, "phone", bytes([seed]) * 56)
    return Arrival(machine, transport, PLACE, pause=hands.pause, monotonic=hands.monotonic, expected=expected)


async def test_two_devices_meet_compare_and_welcome(transport: Transport) -> None:
    hands = Hands()
    a, b = invitation(transport, hands), arrival(transport, hands, expected=HOME.sign_public)
    at_home, at_phone = await asyncio.gather(a.newcomer(), b.inviter())
    assert at_home.digits == at_phone.digits and (at_home.peer.name, at_phone.peer.name) == ("phone", "home")
    await a.confirm()
    await a.welcome(b"welcome")
    assert not await a.is_taken()
    welcomed = await b.welcome()
    assert welcomed.welcome == b"welcome" and welcomed.peer.sign_public == HOME.sign_public
    await b.leave()
    assert await a.is_taken()
    await meeting.clear(transport, PLACE)
    assert await transport.names(MEETINGS, f"pair/{PLACE}/") == []


async def test_notes_hold_no_name_and_no_key(transport: Transport) -> None:
    hands = Hands()
    a, b = invitation(transport, hands), arrival(transport, hands)
    await asyncio.gather(a.newcomer(), b.inviter())
    for number in "123":
        note = await transport.get(MEETINGS, f"pair/{PLACE}/{number}") or b""
        assert note and not any(one in note for one in (b"phone", b"home", HOME.sign_public, PHONE.sign_public))


async def test_nobody_comes_within_the_hour(transport: Transport) -> None:
    hands = Hands(2)
    with pytest.raises(PairingFailed, match="pairing-time"):
        await invitation(transport, hands).newcomer()
    assert hands.now == LIMIT_S


async def test_a_yes_after_the_hour_lets_nobody_in(transport: Transport) -> None:
    hands = Hands()
    a, b = invitation(transport, hands), arrival(transport, hands)
    await asyncio.gather(a.newcomer(), b.inviter())
    hands.now += LIMIT_S
    with pytest.raises(PairingFailed, match="pairing-time"):
        await a.confirm()
    await a.welcome(b"welcome")
    assert await transport.get(MEETINGS, f"pair/{PLACE}/4") is None


async def test_a_yes_for_a_newcomer_that_left_lets_nobody_in(transport: Transport) -> None:
    hands = Hands()
    a, b = invitation(transport, hands), arrival(transport, hands)
    await asyncio.gather(a.newcomer(), b.inviter())
    await b.leave()
    with pytest.raises(PairingFailed, match="pairing-ended"):
        await a.confirm()
    await a.welcome(b"welcome")
    assert await transport.get(MEETINGS, f"pair/{PLACE}/4") is None


async def test_a_newcomer_waits_an_hour_and_no_longer(transport: Transport) -> None:
    hands = Hands(2)
    with pytest.raises(PairingFailed, match="pairing-time"):
        await arrival(transport, hands).inviter()


async def test_a_refusal_reaches_the_newcomer(transport: Transport) -> None:
    hands = Hands()
    a, b = invitation(transport, hands), arrival(transport, hands)
    await asyncio.gather(a.newcomer(), b.inviter())
    await meeting.clear(transport, PLACE)
    with pytest.raises(PairingFailed, match="pairing-ended"):
        await b.welcome()


async def test_an_inviter_that_falls_silent_is_given_up(transport: Transport) -> None:
    hands = Hands()
    a, b = invitation(transport, hands), arrival(transport, hands)
    await asyncio.gather(a.newcomer(), b.inviter())
    hands.now = LIMIT_S - 60
    with pytest.raises(PairingFailed, match="pairing-time"):
        await b.welcome()


async def test_two_newcomers_are_both_told_and_nobody_gets_in(transport: Transport) -> None:
    """The second finds the place taken and leaves word, so that the inviter stops as well."""
    hands = Hands()
    a, b, c = invitation(transport, hands), arrival(transport, hands), arrival(transport, hands, THIEF)
    await asyncio.gather(a.newcomer(), b.inviter())
    with pytest.raises(PairingFailed, match="pairing-two-devices"):
        await c.inviter()
    await c.leave()  # the word it left stays
    with pytest.raises(PairingFailed, match="pairing-two-devices"):
        await a.confirm()
    await a.welcome(b"welcome")
    assert await transport.get(MEETINGS, f"pair/{PLACE}/4") is None


async def test_a_note_that_was_replaced_is_a_second_device(tmp_path: Path) -> None:
    """A sync tool may bring one newcomer's note over the other's."""
    hands, transport = Hands(), Hub()
    a, b = invitation(transport, hands), arrival(transport, hands)
    await asyncio.gather(a.newcomer(), b.inviter())
    elsewhere = Hub()
    with pytest.raises(PairingFailed, match="pairing-time"):
        await arrival(elsewhere, Hands(), THIEF).inviter()
    transport.files[MEETINGS, f"pair/{PLACE}/1"] = elsewhere.files[MEETINGS, f"pair/{PLACE}/1"]
    with pytest.raises(PairingFailed, match="pairing-two-devices"):
        await a.confirm()
    await a.welcome(b"welcome")


async def test_a_man_in_the_middle_shows_other_digits() -> None:
    """He plays the other to each, with the code in his hands; the commitment leaves him no choice of digits."""
    hands, near_home, near_phone = Hands(), Hub(), Hub()
    a, to_home = invitation(near_home, hands), arrival(near_home, hands, THIEF, seed=0x70)
    b, to_phone = arrival(near_phone, hands), invitation(near_phone, hands, THIEF, b"\x71" * 44)
    at_home, _, at_phone, _ = await asyncio.gather(a.newcomer(), to_home.inviter(), b.inviter(), to_phone.newcomer())
    assert at_home.digits != at_phone.digits


async def test_a_newcomer_that_read_the_qr_knows_whom_to_expect(transport: Transport) -> None:
    hands = Hands()
    a, b = invitation(transport, hands, THIEF), arrival(transport, hands, expected=HOME.sign_public)
    with pytest.raises(PairingFailed, match="pairing-key"):
        await asyncio.gather(a.newcomer(), b.inviter())


@pytest.mark.parametrize("name", ["1", "3", "2", "4"])
async def test_junk_at_the_place_ends_it_in_words(transport: Transport, name: str) -> None:
    hands = Hands()
    a, b = invitation(transport, hands), arrival(transport, hands)
    if name == "4":
        await asyncio.gather(a.newcomer(), b.inviter())
    await transport.put(MEETINGS, f"pair/{PLACE}/{name}", b"junk")

    async def go_on() -> None:
        await asyncio.gather(a.newcomer(), b.inviter())
        await b.welcome()

    with pytest.raises(PairingFailed) as caught:
        await go_on()
    assert isinstance(caught.value, Rejected) and caught.value.reason in SAID


async def test_a_newcomer_can_take_its_notes_back(transport: Transport) -> None:
    hands = Hands()
    a, b = invitation(transport, hands), arrival(transport, hands)
    await asyncio.gather(a.newcomer(), b.inviter())
    await b.leave()
    assert await transport.names(MEETINGS, f"pair/{PLACE}/") == [f"pair/{PLACE}/2"]


@pytest.mark.parametrize("place", ["", "..", "a/b", "1" * 31 + "/"])
async def test_only_a_place_is_cleared(place: str) -> None:
    with pytest.raises(Malformed):
        await meeting.clear(Hub(), place)


def test_a_reason_without_a_sentence_gets_the_plain_one() -> None:
    assert PairingFailed("wrap-public").code == "error-pairing"
    assert PairingFailed("pairing-time").code == "error-pairing-time"
