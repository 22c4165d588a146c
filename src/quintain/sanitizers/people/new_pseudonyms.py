"""New pseudonyms: everybody gets another name, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quintain.data.people import People
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method
from quintain.sanitizers.people.tree_mask import TreeMask
from quintain.sanitizers.shuffling import permutation


@register("new-pseudonyms-v1")
class NewPseudonyms(TreeMask):
    """Gives everybody a pseudonym p1, p2 ... in a random order; all rows stay as they are.

    Rows of one person still share a pseudonym, so an attacker who knows some of them finds all.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> people = example("people")
    >>> release = q.sanitize("new-pseudonyms", people, seed=1)
    >>> release.data
    <Trees of 20 persons: patients 20 rows, visits 82 rows, prescriptions 83 rows>
    """

    def change(self, people: People, *, noise: Noise) -> tuple[People, Method]:
        """Number the people in a random order."""
        numbers = (permutation(people.size, noise) + 1).astype(np.str_)
        names = np.char.add("p", numbers)
        return replace(people, keys=names), Method(name="new pseudonyms", rows=people.size)
