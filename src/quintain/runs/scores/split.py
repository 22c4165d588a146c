"""Split: the targets on which shown scores are computed, and the others, which decide the ranking.

The split is secret, the same for all teams, and the same for all entries that share a sample. What
a team learns from its scores is then about targets that do not count at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quintain.contests import Track
from quintain.data.arrays import Mask
from quintain.guesses import Guess, Truth
from quintain.measures import Case
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.task import Task


class Halves(NamedTuple):
    """One answered question in two parts: for the scores that are shown, and for the ranking."""

    shown: Case
    final: Case


def split_case(folder: Folder, track: Track, task: Task, case: Case) -> Halves:
    """Both parts of a case; without a split, each is the whole case."""
    share = track.feedback.shown_on
    if share is None:
        return Halves(case, case)
    owner = "shared" if track.shared_sample else task.entry
    rng = folder.secrets().seeds(track.id, "shown-targets", owner).rng(task.repeat)
    shown = draw_shown(len(case.truth.table), share, rng=rng)
    return Halves(case_of_targets(case, shown), case_of_targets(case, ~shown))


def draw_shown(targets: int, share: float, *, rng: np.random.Generator) -> Mask:
    """Which targets the shown scores are about; at least one, and never all.

    >>> draw_shown(5, 0.4, rng=np.random.default_rng(1)).tolist()
    [False, True, True, False, False]
    """
    size = min(max(round(share * targets), 1), targets - 1)
    shown = np.zeros(targets, bool)
    shown[rng.choice(targets, size, replace=False)] = True
    return shown


def case_of_targets(case: Case, kept: Mask) -> Case:
    """The case as if only some targets had been asked about; ``kept`` is in the truth's order."""
    truth, guess = case.truth.table, case.guess.table
    names = truth.columns["target"].astype(np.str_)[kept]
    answered = np.isin(guess.columns["target"].astype(np.str_), names)
    return Case(
        Truth(truth.take(np.flatnonzero(kept))), Guess(guess.take(np.flatnonzero(answered)))
    )
