"""Global seeds: what objects of other makers draw from, if nobody can hand them a generator.

Quintain itself never draws from global generators. Other libraries do, and a run that is to be
repeated must repeat their draws as well.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np


@contextmanager
def global_seeds(seed: int) -> Iterator[None]:
    """Seed the global generators of Python, NumPy and torch; they are put back afterwards.

    Those of Python and NumPy take every bit of the seed, that of torch 32 of them.

    >>> before = random.getstate()
    >>> with global_seeds(1):
    ...     first = random.random(), float(np.random.rand())
    >>> with global_seeds(1):
    ...     again = random.random(), float(np.random.rand())
    >>> first == again, random.getstate() == before
    (True, True)
    """
    own, of_numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 - theirs
    with ExitStack() as stack:
        if "torch" in sys.modules:
            import torch

            stack.enter_context(torch.random.fork_rng(devices=[]))
            torch.manual_seed(seed % 2**64)
        random.seed(seed)
        np.random.seed(_words(seed))  # noqa: NPY002 - theirs
        try:
            yield
        finally:
            random.setstate(own)
            np.random.set_state(of_numpy)  # noqa: NPY002 - theirs


def has_short_generator() -> bool:
    """Whether one of the generators may give what follows from 32 bits: that of torch, if it runs.

    On a processor, torch begins its Mersenne twister with the last 32 bits of a seed.
    """
    return "torch" in sys.modules


def _words(seed: int) -> list[int]:
    """A seed as words of 32 bits, the lowest first.

    >>> _words(5), _words(2**32 + 5)
    ([5], [5, 1])
    """
    words = [seed % 2**32]
    while seed := seed >> 32:
        words.append(seed % 2**32)
    return words
