"""The seed tree: the path of a stream decides what it gives, and nothing else."""

import hashlib
import secrets
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.randomness.seeds import SeedTree, digest_path

TREE = SeedTree.from_int(7)
steps = st.one_of(st.text(max_size=4), st.integers(-3, 300))
paths = st.lists(steps, max_size=4).map(tuple)


def draws(tree, *path):
    return tree.rng(*path).integers(2**62, size=3).tolist()


def test_the_same_path_gives_the_same_stream():
    assert draws(TREE, "sample", 3) == draws(SeedTree.from_int(7), "sample", 3)


def test_a_stream_does_not_depend_on_what_was_drawn_before():
    first = SeedTree.from_int(7)
    for team in ("red", "blue", "green"):
        first.rng("attack", team).random(1000)
    assert draws(first, "attack", "white") == draws(SeedTree.from_int(7), "attack", "white")


def test_every_call_starts_the_stream_anew():
    assert draws(TREE, "x") == draws(TREE, "x")


@pytest.mark.slow
@settings(deadline=None)
@given(paths, paths)
def test_a_child_is_the_same_as_the_longer_path(head, tail):
    assert TREE.child(*head).key(*tail) == TREE.key(*head, *tail)
    assert TREE.child(*head).child(*tail).key() == TREE.key(*head, *tail)
    assert draws(TREE.child(*head), *tail) == draws(TREE, *head, *tail)


@settings(deadline=None)
@given(paths, paths)
def test_different_paths_have_different_keys(one, other):
    same = tuple(map(str, one)) == tuple(map(str, other))
    assert (TREE.key(*one) == TREE.key(*other)) == same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "bc"), ("ab", "c")),
        (("a", "b"), ("ab",)),
        (("a", ""), ("a",)),
        (("", "a"), ("a", "")),
        ((1, 23), (12, 3)),
        (("a/b",), ("a", "b")),
        (("a\0b",), ("a", "b")),
        ((), ("",)),
    ],
)
def test_paths_that_read_alike_when_joined_stay_apart(one, other):
    assert TREE.key(*one) != TREE.key(*other)
    assert draws(TREE, *one) != draws(TREE, *other)


def test_a_step_cannot_imitate_the_length_in_front_of_the_next():
    # Only the length in front of the first step keeps these two apart.
    forged = "a" + (1).to_bytes(8, "big").decode() + "b"
    assert TREE.key(forged) != TREE.key("a", "b")


def test_the_order_of_the_steps_matters():
    assert TREE.key("track", "team") != TREE.key("team", "track")


def test_a_number_and_its_text_are_the_same_step():
    # Paths are read back from files and from command lines, where numbers are text.
    assert TREE.key("repeat", 3) == TREE.key("repeat", "3")


def test_neighbouring_seeds_and_steps_give_unrelated_streams():
    streams = [tuple(draws(SeedTree.from_int(seed), i)) for seed in range(5) for i in range(5)]
    assert all(not set(a) & set(b) for a, b in combinations(streams, 2))


def test_the_key_is_the_published_formula():
    # SHA-256 of the root, then each step with its length in eight bytes.
    root = hashlib.sha256(b"quintain seed 7").digest()
    path = b"\0\0\0\0\0\0\0\6sample" + b"\0\0\0\0\0\0\0\x0212"
    assert TREE.key("sample", 12) == hashlib.sha256(root + path).digest()
    assert digest_path(root, ("sample", 12)) == TREE.key("sample", 12)


def test_the_length_counts_bytes_not_letters():
    root = TREE.root
    assert TREE.key("é") == hashlib.sha256(root + b"\0\0\0\0\0\0\0\2" + "é".encode()).digest()


def test_the_generator_is_pcg64dxsm_seeded_by_all_256_bits():
    key = int.from_bytes(TREE.key("x"), "big")
    expected = np.random.PCG64DXSM(np.random.SeedSequence(key))
    assert TREE.rng("x").bit_generator.random_raw(4).tolist() == expected.random_raw(4).tolist()


def test_fresh_trees_differ():
    assert len({SeedTree.fresh().root for _ in range(20)}) == 20
    assert len(SeedTree.fresh().root) == 32


def test_a_fresh_tree_is_256_bits_of_the_operating_system(monkeypatch):
    drawn = bytes(range(100, 200))
    monkeypatch.setattr(secrets, "token_bytes", lambda count: drawn[:count])
    assert SeedTree.fresh() == SeedTree(drawn[:32])


def test_no_two_seeds_give_the_same_tree():
    seeds = [*range(-500, 500), 2**31, 2**32, 2**63, 2**64, 10**40]
    assert len({SeedTree.from_int(seed).root for seed in seeds}) == len(seeds)
