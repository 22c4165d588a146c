"""Tree: one hash for a whole journal, with short proofs about its lines.

The *root* is the hash of a binary tree over all lines, as certificate logs use it. An inclusion
proof shows that a line is in the journal with this root. A consistency proof shows that a later
journal begins with all lines of an earlier one. Both have about log2(size) hashes.

References
----------
Laurie, B., Messeri, E. and Stradling, R. (2021). RFC 9162, Certificate Transparency Version 2.0,
section 2.1. The hashes are the same as in RFC 6962 (2013).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

HASH_BYTES = 32
LARGEST_SIZE = 2**63
"""No journal gets so long; the limit keeps proofs about absurd sizes short."""


def leaf_hash(line: bytes) -> bytes:
    """The leaf of a line; the first byte keeps leaves and inner nodes apart."""
    return hashlib.sha256(b"\x00" + line).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Tree:
    """What is needed to append to a journal and to know its root: a few hashes, not all lines.

    Parameters
    ----------
    size : how many lines the journal has.
    peaks : the roots of its complete subtrees, the largest first: one for each 1 in the binary
        number ``size``.

    >>> Tree.EMPTY.append(leaf_hash(b"one")).append(leaf_hash(b"two")) == Tree.of([b"one", b"two"])
    True
    """

    EMPTY: ClassVar[Tree]

    size: int
    peaks: tuple[bytes, ...]

    @classmethod
    def of(cls, lines: Iterable[bytes]) -> Tree:
        """The tree over these lines."""
        tree = cls.EMPTY
        for line in lines:
            tree = tree.append(leaf_hash(line))
        return tree

    def append(self, leaf: bytes) -> Tree:
        """The tree with one more leaf; this one stays as it is."""
        peaks, rest = self.peaks, self.size
        while rest & 1:  # the last peak and the new one are equally large
            peaks, leaf, rest = peaks[:-1], _node(peaks[-1], leaf), rest >> 1
        return Tree(self.size + 1, (*peaks, leaf))

    def root(self) -> bytes:
        """The hash that stands for all lines."""
        if not self.peaks:
            return hashlib.sha256().digest()
        *larger, root = self.peaks
        for peak in reversed(larger):
            root = _node(peak, root)
        return root

    def proof_of_next(self) -> list[bytes]:
        """The inclusion proof of the leaf that is appended next, in the tree that then results."""
        return list(reversed(self.peaks))


Tree.EMPTY = Tree(0, ())


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that show that leaf ``index`` is in the tree over ``leaves``, from the bottom."""
    if not 0 <= index < len(leaves):
        raise IndexError(f"a tree of {len(leaves)} leaves has no leaf {index}")
    proof, start, stop = [], 0, len(leaves)
    for is_left, left_size in _turns(index, stop):
        middle = start + left_size
        beside, start, stop = (
            ((middle, stop), start, middle) if is_left else ((start, middle), middle, stop)
        )
        proof.append(_root(leaves[slice(*beside)]))
    return proof[::-1]


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether ``proof`` shows that the tree of this size and root has the leaf at ``index``."""
    if not 0 <= index < size <= LARGEST_SIZE or not _are_hashes(leaf, root, *proof):
        return False
    turns = list(_turns(index, size))
    if len(turns) != len(proof):
        return False
    for (is_left, _), beside in zip(reversed(turns), proof, strict=True):
        leaf = _node(leaf, beside) if is_left else _node(beside, leaf)
    return leaf == root


def consistency_proof(leaves: Sequence[bytes], size: int) -> list[bytes]:
    """The hashes that show that the tree over ``leaves`` begins with its first ``size`` leaves."""
    if not 0 <= size <= len(leaves):
        raise IndexError(f"a tree of {len(leaves)} leaves has no beginning of {size} leaves")
    if size in (0, len(leaves)):
        return []
    proof, start, stop = [], 0, len(leaves)
    while start + size < stop:
        middle = start + _left_size(stop - start)
        if start + size <= middle:
            beside, stop = (middle, stop), middle
        else:
            beside, size, start = (start, middle), start + size - middle, middle
        proof.append(_root(leaves[slice(*beside)]))
    if start:  # a verifier knows the root of the beginning, but not of a part of it
        proof.append(_root(leaves[start:stop]))
    return proof[::-1]


def is_consistent(
    size: int, root: bytes, later_size: int, later_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether ``proof`` shows that the later tree begins with all leaves of the earlier one."""
    if not 0 <= size <= later_size <= LARGEST_SIZE or not _are_hashes(root, later_root, *proof):
        return False
    if size == later_size:
        return root == later_root and not proof
    if size == 0:
        return root == Tree.EMPTY.root() and not proof
    sides = list(_sides(size, later_size))
    hashes = [root, *proof] if all(sides) else list(proof)
    if len(hashes) != len(sides) + 1:
        return False
    first, *others = hashes
    earlier = later = first
    for is_left, beside in zip(reversed(sides), others, strict=True):
        if is_left:
            later = _node(later, beside)
        else:
            earlier, later = _node(beside, earlier), _node(beside, later)
    return (earlier, later) == (root, later_root)


def _left_size(size: int) -> int:
    """How many of several leaves are in the left subtree: the largest power of two below."""
    return 1 << (size - 1).bit_length() - 1


def _turns(index: int, size: int) -> Iterator[tuple[bool, int]]:
    """The way from the root to a leaf: whether it is on the left, and how large the left is."""
    while size > 1:
        left_size = _left_size(size)
        is_left = index < left_size
        yield is_left, left_size
        index, size = (index, left_size) if is_left else (index - left_size, size - left_size)


def _sides(size: int, later_size: int) -> Iterator[bool]:
    """The way from the root to where the earlier tree ends with a complete subtree."""
    while size < later_size:
        left_size = _left_size(later_size)
        is_left = size <= left_size
        yield is_left
        size, later_size = (
            (size, left_size) if is_left else (size - left_size, later_size - left_size)
        )


def _root(leaves: Sequence[bytes]) -> bytes:
    """The root over some leaves, level by level; a node without a neighbour moves up."""
    level = list(leaves)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [_node(left, right) for left, right in pairs] + level[len(level) & ~1 :]
    return level[0]


def _are_hashes(*values: bytes) -> bool:
    return all(isinstance(value, bytes) and len(value) == HASH_BYTES for value in values)
