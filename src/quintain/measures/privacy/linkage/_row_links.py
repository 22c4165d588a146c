"""Row links: find a person's pseudonym by looking up single rows of the original in the release.

The attack fills a dictionary. Its keys are some attributes of a published row, its values are
pseudonyms; later rows overwrite earlier ones. Then the attack looks up each row of the original, in
order, and guesses the result for that person and month; again later rows overwrite earlier ones.
The published order is random, so the score is the expectation over that order: of all published
rows under the last key that matches, the share with the right pseudonym.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array
from quintain.kernels.row_keys import Keys
from quintain.releases.pseudonyms import PseudonymTable


def expected_share(
    truth: PseudonymTable, cell: Keys, keys: tuple[Keys, Keys], pseudonym: Array
) -> float:
    """The expected share of person-months whose pseudonym the dictionary attack guesses.

    Parameters
    ----------
    cell : for every row of the original, the number of its person-month.
    keys : the dictionary keys of the rows of the original, and those of the published rows.
    pseudonym : the pseudonym of every published row.
    """
    known, published = keys
    right = truth.cells.ravel()
    live_cells = int(np.count_nonzero(right >= 0))
    if not live_cells:
        return 0.0
    size = int(max(known.max(initial=0), published.max(initial=0))) + 1
    count = np.bincount(published, minlength=size)
    rows_with_match = np.flatnonzero((count[known] > 0) & (right[cell] >= 0))
    last = np.full(len(right), -1)
    last[cell[rows_with_match]] = rows_with_match
    guessed = np.flatnonzero(last >= 0)
    key = known[last[guessed]]
    hits = _count_pairs(key, right[guessed], published, pseudonym, size)
    return float((hits / count[key]).sum()) / live_cells


def _count_pairs(
    key: Keys, name: Array, published: Keys, pseudonym: Array, size: int
) -> npt.NDArray[np.int64]:
    """For each pair of key and name, the number of published rows that have both."""
    looked_up = np.zeros(size, bool)
    looked_up[key] = True
    rows = np.flatnonzero(looked_up[published])
    names = int(max(name.max(initial=0), pseudonym.max(initial=0))) + 1
    wanted, which = np.unique(key * names + name, return_inverse=True)
    pairs = published[rows] * names + pseudonym[rows]
    place = np.minimum(np.searchsorted(wanted, pairs), max(len(wanted) - 1, 0))
    matches = place[wanted[place] == pairs]
    return np.bincount(matches, minlength=len(wanted))[which]
