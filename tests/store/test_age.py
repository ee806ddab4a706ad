"""What we write every age opens, what they write we open, and nothing that was touched is taken.

`pyrage` (rage's own code) is the other reader and writer.
"""

from __future__ import annotations

import io

import pyrage
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.age import CHUNK_BYTES, LOG_N, LOG_N_MAX, Opener, Sealer
from store.errors import BackupRefused
from tests.fakes import FakeEntropy

PASSPHRASE = "a quiet heron 念念"
QUICK = 4
"""log2 of the work where the work is not what is tested."""
SEALED_CHUNK = CHUNK_BYTES + 16
SIZES = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 3 * CHUNK_BYTES + 5]


def text_of(size: int) -> bytes:
    return bytes(range(256)) * (size // 256) + bytes(range(size % 256))


def sealed(text: bytes, *, log_n: int = QUICK, piece: int = 10_000) -> bytes:
    out = io.BytesIO()
    sealer = Sealer(out, PASSPHRASE, FakeEntropy(), log_n=log_n)
    for at in range(0, len(text), piece):
        sealer.write(text[at : at + piece])
    sealer.close()
    return out.getvalue()


def opened(data: bytes, passphrase: str = PASSPHRASE, *, piece: int = 7_777) -> bytes:
    opener = Opener(io.BytesIO(data), passphrase)
    out = bytearray()
    while part := opener.read(piece):
        out += part
    return bytes(out)


def refusal(data: bytes, passphrase: str = PASSPHRASE) -> str:
    with pytest.raises(BackupRefused) as refused:
        opened(data, passphrase)
    return refused.value.code


def head_of(data: bytes) -> int:
    """Where the chunks begin."""
    return data.index(b"\n--- ") + 1 + len("--- ") + 43 + 1 + 16


@pytest.mark.parametrize("size", SIZES)
def test_what_we_write_another_age_opens(size: int) -> None:
    assert pyrage.passphrase.decrypt(sealed(text_of(size)), PASSPHRASE) == text_of(size)


def test_what_we_write_for_good_another_age_opens() -> None:
    data = sealed(b"as the program writes it", log_n=LOG_N)
    assert f" {LOG_N}\n".encode() in data[:80]
    assert pyrage.passphrase.decrypt(data, PASSPHRASE) == b"as the program writes it"


@pytest.mark.parametrize("size", [0, 3 * CHUNK_BYTES + 5])
def test_what_another_age_writes_we_open(size: int) -> None:
    assert opened(pyrage.passphrase.encrypt(text_of(size), PASSPHRASE)) == text_of(size)


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 2 * CHUNK_BYTES), max_size=4),
    piece=st.integers(1_000, 3 * CHUNK_BYTES),
)
def test_opening_undoes_sealing_in_whatever_pieces(sizes: list[int], piece: int) -> None:
    text = b"".join(text_of(size) for size in sizes)
    assert opened(sealed(text, piece=piece), piece=piece) == text


def test_a_source_that_gives_little_at_a_time_is_read_whole() -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or 1, 1000))

    opener = Opener(Slow(sealed(text_of(200_000))), PASSPHRASE)
    assert opener.read(300_000) == text_of(200_000)


def test_another_passphrase_is_told_from_damage() -> None:
    assert refusal(sealed(b"text"), "another") == "error-backup-passphrase"
    assert refusal(sealed(b"text"), "") == "error-backup-passphrase"


@pytest.mark.parametrize("log_n", [LOG_N_MAX + 1, 30, 63, 99])
def test_a_file_may_not_ask_for_absurd_work(log_n: int) -> None:
    data = sealed(b"text").replace(f" {QUICK}\n".encode(), f" {log_n}\n".encode(), 1)
    assert refusal(data) == "error-backup-work"


@pytest.mark.parametrize("spelled", [b"0", b"04", b"+4", b"4 ", b"100", b"", b"x"])
def test_the_work_has_one_spelling(spelled: bytes) -> None:
    assert refusal(sealed(b"text").replace(b" 4\n", b" " + spelled + b"\n", 1)) == "error-backup-foreign"


def test_every_cut_is_refused() -> None:
    data = sealed(text_of(2 * CHUNK_BYTES + 100))
    head = head_of(data)
    inside = [head, head + 1, head + SEALED_CHUNK, head + SEALED_CHUNK + 1, head + 2 * SEALED_CHUNK, len(data) - 1]
    for length in [*range(0, head, 3), *inside]:
        assert refusal(data[:length]) in ("error-backup-damaged", "error-backup-foreign"), length


def test_every_flipped_byte_of_the_head_is_refused() -> None:
    data = sealed(b"text")
    for place in range(head_of(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        with pytest.raises(BackupRefused):
            opened(bytes(changed))


def test_flipped_swapped_dropped_doubled_and_added_chunks_are_refused() -> None:
    data = sealed(text_of(3 * CHUNK_BYTES + 100))
    head = data[: head_of(data)]
    body = data[len(head) :]
    chunks = [body[at : at + SEALED_CHUNK] for at in range(0, len(body), SEALED_CHUNK)]
    assert len(chunks) == 4
    one, two, three, last = chunks
    flipped = bytearray(two)
    flipped[40_000] ^= 1
    for broken in (
        [one, bytes(flipped), three, last],
        [two, one, three, last],
        [one, three, last],
        [one, one, two, three, last],
        [one, two, three],
        [one, two, three, last, last],
        [one, two, three, last, b"x"],
        [last],
    ):
        assert refusal(head + b"".join(broken)) == "error-backup-damaged"


def test_a_last_chunk_of_nothing_behind_others_is_refused() -> None:
    """The format says so: one text has one number of chunks."""
    out = io.BytesIO()
    sealer = Sealer(out, PASSPHRASE, FakeEntropy(), log_n=QUICK)
    sealer._seal(text_of(CHUNK_BYTES), last=False)
    sealer.close()
    assert refusal(out.getvalue()) == "error-backup-damaged"


@pytest.mark.parametrize(
    "data",
    [b"", b"PK\3\4", b"age-encryption.org/v2\n-> scrypt", b"\0" * 5000, b"-----BEGIN AGE ENCRYPTED FILE-----\n"],
)
def test_what_is_no_age_file_is_called_so(data: bytes) -> None:
    assert refusal(data) == "error-backup-foreign"


def test_a_file_for_keys_instead_of_a_passphrase_is_called_so() -> None:
    key = pyrage.x25519.Identity.generate()
    assert refusal(pyrage.encrypt(b"text", [key.to_public()])) == "error-backup-foreign"
