"""Shown targets: those on which shown scores are computed; the others decide the ranking.

The split is secret, the same for all teams, and the same for all entries that share a sample. What
a team learns from its scores is then about targets that do not count at the end, for itself and for
everybody else: where attackers have questions of their own, the targets of all are split together.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quintain.contests import Track
from quintain.data import Table
from quintain.data.arrays import Mask
from quintain.runs.folder.paths import Task
from quintain.runs.folder.secrets import Secrets


def shown_targets(secrets: Secrets, track: Track, task: Task, truth: Table) -> Mask:
    """Which targets of a release the shown scores are about; ``truth`` has all of them."""
    share = track.feedback.shown_on
    assert share is not None  # without a share, there is nothing to split
    owner = replace(task, entry="shared") if track.shared_sample else task
    rng = secrets.seeds(track.id, "shown-targets", *owner.stream).rng(task.repeat)
    return draw_shown(len(truth), share, rng=rng)


def draw_shown(targets: int, share: float, *, rng: np.random.Generator) -> Mask:
    """Which targets the shown scores are about.

    >>> draw_shown(5, 0.4, rng=np.random.default_rng(1)).tolist()
    [False, True, True, False, False]
    """
    shown = np.zeros(targets, bool)
    shown[rng.choice(targets, shown_count(targets, share), replace=False)] = True
    return shown


def shown_count(targets: int, share: float) -> int:
    """About how many targets shown scores are; at least one, and never all.

    >>> shown_count(20, 0.3), shown_count(20, 0.01), shown_count(2, 0.9)
    (6, 1, 1)
    """
    return min(max(round(share * targets), 1), max(targets - 1, 0))
