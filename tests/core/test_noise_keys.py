"""What noise may be keyed with, and the stream that a key gives."""

import hashlib
import secrets

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.errors import NoiseError
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree, digest_path

KEY = SeedTree.from_int(1).key("noise")


def test_the_same_key_gives_the_same_stream():
    assert Noise.from_key(KEY).bytes(100) == Noise.from_key(KEY).bytes(100)


def test_another_key_gives_another_stream():
    other = SeedTree.from_int(2).key("noise")
    assert Noise.from_key(KEY).bytes(32) != Noise.from_key(other).bytes(32)


def test_five_bytes_and_seven_are_twelve():
    noise = Noise.from_key(KEY)
    assert noise.bytes(5) + noise.bytes(7) == Noise.from_key(KEY).bytes(12)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3000), max_size=20))
def test_a_stream_does_not_depend_on_the_pieces_it_is_read_in(sizes):
    noise = Noise.for_test(41)
    pieces = b"".join(noise.bytes(size) for size in sizes)
    assert pieces == Noise.for_test(41).bytes(sum(sizes))


@pytest.mark.parametrize("sizes", [(50_000, 50_000), (1 << 16, 1), (1, 1 << 17, 70_000, 5)])
def test_large_pieces_go_on_where_the_last_one_ended(sizes):
    # The stream is made in blocks of 2**16 bytes; what is left of one must not be lost.
    noise = Noise.for_test(43)
    pieces = b"".join(noise.bytes(size) for size in sizes)
    assert pieces == Noise.for_test(43).bytes(sum(sizes))


def test_the_stream_is_the_published_formula():
    # SHAKE256 of the key and a block number in eight bytes, 2**16 bytes a block.
    blocks = [hashlib.shake_256(KEY + i.to_bytes(8, "big")).digest(1 << 16) for i in range(2)]
    assert Noise.from_key(KEY).bytes(1 << 17) == b"".join(blocks)


def test_words_are_little_endian_and_uniform_numbers_are_their_upper_bits():
    stream = Noise.from_key(KEY).bytes(24)
    words = [int.from_bytes(stream[i : i + 8], "little") for i in (0, 8, 16)]
    assert Noise.from_key(KEY).words(3).tolist() == words
    assert Noise.from_key(KEY).uniform(3).tolist() == [(word >> 11) / 2**53 for word in words]


def test_a_long_stream_does_not_repeat_itself():
    noise = Noise.for_test(42)
    blocks = [noise.bytes(32) for _ in range(5000)]
    assert len(set(blocks)) == 5000


def test_a_child_does_not_depend_on_what_its_parent_drew():
    fresh, used = Noise.from_key(KEY), Noise.from_key(KEY)
    used.laplace(3.0, 1000)
    assert fresh.child("column", 3).bytes(64) == used.child("column", 3).bytes(64)


def test_drawing_from_a_child_leaves_its_parent_alone():
    fresh, used = Noise.from_key(KEY), Noise.from_key(KEY)
    used.child("column").bytes(1000)
    assert fresh.bytes(64) == used.bytes(64)


def test_children_differ_from_each_other_and_from_their_parent():
    noise = Noise.from_key(KEY)
    streams = [
        noise.child().bytes(32),
        noise.child("a").bytes(32),
        noise.child("b").bytes(32),
        noise.child("a", "b").bytes(32),
        noise.child("a").child("b").bytes(32),
        noise.child("ab").bytes(32),
        noise.bytes(32),
    ]
    assert len(set(streams)) == len(streams)


def test_noise_is_not_the_seed_tree_of_the_same_bytes():
    assert Noise.from_key(KEY).child("a").bytes(32) != SeedTree(KEY).key("a")


def test_a_child_is_keyed_by_its_path_below_the_word_noise():
    # The word keeps it apart from a seed tree that happens to have the same root.
    key = digest_path(KEY, ("noise", "column", 3))
    assert Noise.from_key(KEY).child("column", 3).bytes(64) == Noise.from_key(key).bytes(64)
    assert key != SeedTree(KEY).key("column", 3)


@pytest.mark.parametrize(
    "key", [b"", b"7", b"0123456789abcdef", bytes(range(31)), bytes(range(33))]
)
def test_a_key_of_another_size_is_refused(key):
    with pytest.raises(NoiseError, match=f"32 secret bytes, not {len(key)}: use Noise.from_os()"):
        Noise.from_key(key)


@pytest.mark.parametrize("key", [0, 42, None])
def test_a_seed_is_no_key(key):
    with pytest.raises(NoiseError, match=r"Noise\.for_test\(seed\) for a release that is marked"):
        Noise.from_key(key)


def test_a_refused_key_is_not_printed():
    with pytest.raises(NoiseError) as caught:
        Noise.from_key(bytearray(b"TOPSECRET-TOPSECRET-TOPSECRET-32"))
    assert "TOPSECRET" not in str(caught.value)
    assert "not a bytearray" in str(caught.value)


def test_noise_does_not_show_its_key():
    assert KEY.hex() not in repr(Noise.from_key(KEY))
    assert repr(KEY) not in repr(Noise.from_key(KEY))


@pytest.mark.parametrize("key", [bytes(32), b"\xff" * 32, b"a" * 32, b"ab" * 16, b"secret!!" * 4])
def test_a_key_anybody_would_guess_is_refused(key):
    with pytest.raises(NoiseError, match="this noise key is not a secret"):
        Noise.from_key(key)


@pytest.mark.parametrize(
    "key",
    [
        b"correct horse battery staple 123",
        b"9f86d081884c7d659a2feaa0c55ad015",
        bytes(range(40, 72)),
    ],
)
def test_a_printable_phrase_is_refused(key):
    with pytest.raises(NoiseError, match="it is a text, and texts can be guessed"):
        Noise.from_key(key)


def test_a_run_has_a_stream_of_its_own_for_each_table_sanitizer_and_time():
    noise, again = Noise.from_key(KEY), Noise.from_key(KEY)
    streams = [noise.for_run("table", "mst").bytes(32), again.for_run("table", "mst").bytes(32)]
    assert streams[0] == streams[1]
    streams += [Noise.from_key(KEY).for_run(*facts).bytes(32) for facts in (("other", "mst"), ())]
    streams += [noise.for_run("table", "mst").bytes(32)]
    assert len(set(streams)) == 4


def test_only_a_key_of_somebody_is_keyed():
    assert Noise.from_key(KEY).keyed
    assert not Noise.from_key(KEY).child("a").keyed  # as editions draw
    assert not Noise.from_os().keyed
    assert not Noise.for_test(1).keyed


def test_test_noise_is_marked_and_so_are_its_children():
    assert Noise.for_test(7).test
    assert Noise.for_test(np.random.default_rng(7)).test
    assert Noise.for_test(7).child("a").child("b").test


def test_secret_noise_is_not_marked_as_a_test():
    assert not Noise.from_key(KEY).test
    assert not Noise.from_os().test
    assert not Noise.from_os().child("a").test


def test_noise_from_the_operating_system_differs_each_time():
    assert len({Noise.from_os().bytes(16) for _ in range(20)}) == 20


def test_noise_from_the_operating_system_is_keyed_by_32_bytes_of_it(monkeypatch):
    monkeypatch.setattr(secrets, "token_bytes", lambda count: KEY[:count])
    assert Noise.from_os().bytes(64) == Noise.from_key(KEY).bytes(64)


def test_test_noise_repeats():
    assert Noise.for_test(7).bytes(32) == Noise.for_test(7).bytes(32)
    assert Noise.for_test(7).bytes(32) != Noise.for_test(8).bytes(32)
    one, other = (Noise.for_test(np.random.default_rng(3)) for _ in range(2))
    assert one.bytes(32) == other.bytes(32)
