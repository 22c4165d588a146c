"""Tree: roots and proofs of the published vectors, of a plain reference, and hostile proofs."""

import hashlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.journal.tree import (
    LARGEST_SIZE,
    Tree,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
    leaf_hash,
)

LINES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The lines of the certificate-transparency project and its roots for 0 to 8 of them
(transparency-dev/merkle, testonly/constants.go)."""

LEAVES = [leaf_hash(line) for line in LINES]
INCLUSION = {
    0: [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    5: [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}
CONSISTENCY = {
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}
"""Proofs from the same source."""


def hexes(proof):
    return [value.hex() for value in proof]


# --- a plain reference, straight from the definitions of RFC 9162, sections 2.1.1 to 2.1.4 --------


def split(leaves):
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return leaves[:k], leaves[k:]


def reference_root(leaves):
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    left, right = split(leaves)
    return hashlib.sha256(b"\x01" + reference_root(left) + reference_root(right)).digest()


def reference_path(index, leaves):
    if len(leaves) == 1:
        return []
    left, right = split(leaves)
    if index < len(left):
        return [*reference_path(index, left), reference_root(right)]
    return [*reference_path(index - len(left), right), reference_root(left)]


def reference_subproof(size, leaves, is_whole=True):
    if size == len(leaves):
        return [] if is_whole else [reference_root(leaves)]
    left, right = split(leaves)
    if size <= len(left):
        return [*reference_subproof(size, left, is_whole), reference_root(right)]
    return [*reference_subproof(size - len(left), right, False), reference_root(left)]


def some_leaves(count):
    return [leaf_hash(b"line %d" % number) for number in range(count)]


# --- roots and proofs -----------------------------------------------------------------------------


def test_the_published_roots_come_out():
    assert [Tree.of(LINES[:size]).root().hex() for size in range(9)] == ROOTS


def test_the_published_proofs_come_out():
    assert {i: hexes(inclusion_proof(LEAVES, i)) for i in INCLUSION} == INCLUSION
    proofs = {(a, b): hexes(consistency_proof(LEAVES[:b], a)) for a, b in CONSISTENCY}
    assert proofs == CONSISTENCY


def test_every_size_up_to_40_agrees_with_the_reference():
    tree = Tree.EMPTY
    for size in range(1, 41):
        leaves = some_leaves(size)
        next_proof = tree.proof_of_next()
        tree = tree.append(leaves[-1])
        root = tree.root()
        assert (tree.size, root) == (size, reference_root(leaves))
        assert len(tree.peaks) == size.bit_count()
        assert next_proof == inclusion_proof(leaves, size - 1)
        for index in range(size):
            proof = inclusion_proof(leaves, index)
            assert proof == reference_path(index, leaves)
            assert is_included(leaves[index], index, size, proof, root)
            earlier = index + 1
            proof = consistency_proof(leaves, earlier)
            assert proof == reference_subproof(earlier, leaves)
            assert is_consistent(earlier, reference_root(leaves[:earlier]), size, root, proof)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 700), st.data())
def test_any_size_agrees_with_the_reference(size, data):
    index = data.draw(st.integers(0, size - 1))
    leaves = some_leaves(size)
    root = reference_root(leaves)
    assert inclusion_proof(leaves, index) == reference_path(index, leaves)
    assert is_included(leaves[index], index, size, reference_path(index, leaves), root)
    proof = reference_subproof(index + 1, leaves)
    assert consistency_proof(leaves, index + 1) == proof
    assert is_consistent(index + 1, reference_root(leaves[: index + 1]), size, root, proof)


def test_an_empty_journal_is_the_beginning_of_every_journal():
    root = Tree.of(LINES).root()
    assert consistency_proof(LEAVES, 0) == []
    assert is_consistent(0, Tree.EMPTY.root(), 8, root, [])
    assert not is_consistent(0, root, 8, root, [])
    assert not is_consistent(0, Tree.EMPTY.root(), 8, root, [root])


# --- hostile proofs -------------------------------------------------------------------------------


def with_a_bit_changed(values):
    for position, value in enumerate(values):
        for bit in range(8 * len(value)):
            changed = bytearray(value)
            changed[bit // 8] ^= 1 << bit % 8
            yield [*values[:position], bytes(changed), *values[position + 1 :]]


@pytest.mark.parametrize(("index", "size"), [(0, 8), (5, 8), (6, 7), (4, 5)])
def test_one_changed_bit_spoils_an_inclusion_proof(index, size):
    proof = inclusion_proof(LEAVES[:size], index)
    values = [LEAVES[index], bytes.fromhex(ROOTS[size]), *proof]
    assert is_included(values[0], index, size, values[2:], values[1])
    for leaf, root, *changed in with_a_bit_changed(values):
        assert not is_included(leaf, index, size, changed, root)


@pytest.mark.parametrize(("size", "later"), [(1, 8), (4, 7), (6, 8), (3, 7), (8, 8)])
def test_one_changed_bit_spoils_a_consistency_proof(size, later):
    proof = consistency_proof(LEAVES[:later], size)
    values = [bytes.fromhex(ROOTS[size]), bytes.fromhex(ROOTS[later]), *proof]
    assert is_consistent(size, values[0], later, values[1], values[2:])
    for earlier_root, later_root, *changed in with_a_bit_changed(values):
        assert not is_consistent(size, earlier_root, later, later_root, changed)


HASH = b"\x07" * 32
HOSTILE = [[], [b""], [b"short"], [HASH[:31]], [HASH + b"\x00"], [HASH] * 3, [HASH] * 5000, [None]]
SIZES = [-1, 0, 1, 2, 7, 8, LARGEST_SIZE, LARGEST_SIZE + 1, 2**4000]


def test_verifiers_refuse_hostile_values_and_never_raise():
    root = bytes.fromhex(ROOTS[8])
    for proof in HOSTILE:
        for size in SIZES:
            for other in SIZES:
                assert not is_included(HASH, other, size, proof, root)
                is_same_tree = 0 <= size == other <= LARGEST_SIZE and not proof
                assert is_consistent(other, root, size, root, proof) == is_same_tree
    for broken in (b"", b"x", HASH * 2):
        assert not is_included(broken, 0, 1, [], broken)
        assert not is_consistent(5, broken, 5, broken, [])


def test_a_proof_fits_one_position_and_has_one_length():
    size = 21
    leaves = some_leaves(size)
    root = reference_root(leaves)
    proofs = [inclusion_proof(leaves, index) for index in range(size)]
    for index, proof in enumerate(proofs):
        fits = [i for i in range(size) if is_included(leaves[index], i, size, proof, root)]
        assert fits == [index]
        assert not is_included(leaves[index], index, size, proof[:-1], root)
        assert not is_included(leaves[index], index, size, [*proof, HASH], root)


def test_a_proof_about_leaves_that_are_missing_is_refused_in_words():
    with pytest.raises(IndexError, match="a tree of 8 leaves has no leaf 8"):
        inclusion_proof(LEAVES, 8)
    with pytest.raises(IndexError, match="has no beginning of 9 leaves"):
        consistency_proof(LEAVES, 9)


def test_appending_to_a_long_journal_costs_as_little_as_to_a_short_one():
    def seconds(tree):
        begin = time.process_time()
        for _ in range(2000):
            tree.append(HASH).root()
        return time.process_time() - begin

    # All peaks are merged: 2^7 - 1 lines against 2^17 - 1. The number of hashes is in proportion
    # to the number of digits, 7 against 17.
    short, long = (Tree(2**digits - 1, (HASH,) * digits) for digits in (7, 17))
    assert min(seconds(long) for _ in range(3)) < 6 * min(seconds(short) for _ in range(3))
