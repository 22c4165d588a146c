"""Reproducible draws: one tree of seeds for an edition, branched by path.

Samples, shuffles and attacks draw from here. Every stream is found by its *path* (track, entry,
repeat, team), never by the order of calls, so adding a team or a worker moves nobody's stream.
Privacy noise does **not** come from here: see :mod:`quintain.noise`.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import numpy as np

Step = str | int


def digest_path(root: bytes, path: tuple[Step, ...]) -> bytes:
    """SHA-256 of a root and a path, unambiguous whatever the steps contain."""
    hasher = hashlib.sha256(root)
    for step in path:
        text = str(step).encode()
        hasher.update(len(text).to_bytes(8, "big") + text)
    return hasher.digest()


@dataclass(frozen=True, slots=True)
class SeedTree:
    """A branch of the seed tree.

    >>> tree = SeedTree.from_int(7)
    >>> int(tree.rng("sample", 0).integers(1000)) == int(tree.rng("sample", 0).integers(1000))
    True
    >>> tree.child("sample").rng(0).integers(2**40) == tree.rng("sample", 0).integers(2**40)
    np.True_
    """

    root: bytes
    path: tuple[Step, ...] = ()

    @classmethod
    def from_int(cls, seed: int) -> SeedTree:
        """The tree of a small public seed: fine for a rehearsal, not for a live contest."""
        return cls(hashlib.sha256(f"quintain seed {seed}".encode()).digest())

    @classmethod
    def fresh(cls) -> SeedTree:
        """A tree nobody can guess."""
        return cls(secrets.token_bytes(32))

    def child(self, *steps: Step) -> SeedTree:
        """The branch at a path below this one."""
        return SeedTree(self.root, (*self.path, *steps))

    def key(self, *steps: Step) -> bytes:
        """256 bits that belong to a path."""
        return digest_path(self.root, (*self.path, *steps))

    def rng(self, *steps: Step) -> np.random.Generator:
        """The generator that belongs to a path."""
        seed = int.from_bytes(self.key(*steps), "big")
        return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(seed)))
