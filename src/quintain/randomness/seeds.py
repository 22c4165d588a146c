"""Reproducible draws: one tree of seeds per edition, with a random stream for every path.

Samples, shuffles and attacks draw from here. The *path* of a stream (track, entry, repeat, team)
decides what it gives, never the order of calls. So one more team or one more worker process does
not change the streams of the others. Privacy noise does **not** come from here: see
:mod:`quintain.randomness.noise`.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import numpy as np

Step = str | int


def digest_path(root: bytes, path: tuple[Step, ...]) -> bytes:
    """SHA-256 of a root and a path; two different paths never give the same text to hash."""
    hasher = hashlib.sha256(root)
    for step in path:
        text = str(step).encode()
        hasher.update(len(text).to_bytes(8, "big") + text)
    return hasher.digest()


@dataclass(frozen=True, slots=True)
class SeedTree:
    """A branch of the seed tree: the same path always gives the same random numbers.

    >>> tree = SeedTree.from_int(7)
    >>> [int(tree.rng("sample", number).integers(1000)) for number in (0, 1, 0)]
    [798, 448, 798]
    >>> int(tree.child("sample").rng(1).integers(1000))
    448
    """

    root: bytes
    path: tuple[Step, ...] = ()

    @classmethod
    def from_int(cls, seed: int) -> SeedTree:
        """The tree of a public seed: good for a rehearsal, never for a live contest."""
        return cls(hashlib.sha256(f"quintain seed {seed}".encode()).digest())

    @classmethod
    def fresh(cls) -> SeedTree:
        """A tree from 256 random bits that nobody can guess."""
        return cls(secrets.token_bytes(32))

    def child(self, *steps: Step) -> SeedTree:
        """The branch at a path below this one."""
        return SeedTree(self.root, (*self.path, *steps))

    def key(self, *steps: Step) -> bytes:
        """The 256 bits that belong to a path below this branch."""
        return digest_path(self.root, (*self.path, *steps))

    def rng(self, *steps: Step) -> np.random.Generator:
        """The random generator that belongs to a path below this branch."""
        seed = int.from_bytes(self.key(*steps), "big")
        return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(seed)))
