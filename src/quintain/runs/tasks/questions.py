"""Questions: the people about whom an attacker is asked, where every attacker has its own.

The goal asks about all targets of a release. An attacker gets as many of them as the rules say,
drawn by a path of the seeds that ends in its id. So adding an attacker moves nobody else's
question, and anybody who has the keys can draw every question again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quintain.contests import Track
from quintain.data import Table
from quintain.data.arrays import Mask
from quintain.data.files import to_bytes
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.tasks.shown_targets import shown_count, shown_targets


def questioned_attackers(track: Track, state: State) -> tuple[str, ...]:
    """Everybody who has questions of its own: baselines with an attack, and teams that joined."""
    if not track.asks_each:
        return ()
    baselines = [baseline.id for baseline in track.baseline if baseline.attack is not None]
    return (*baselines, *(team.id for team in state.roster.entrants if not team.built_in))


def own_questions(
    folder: Folder,
    track: Track,
    task: Task,
    question: Table,
    truth: Table,
    attackers: Iterable[str],
) -> dict[str, bytes]:
    """The questions of attackers about one release, and the answers, as files."""
    out: dict[str, bytes] = {}
    secrets, shown = folder.secrets(), None
    if track.feedback.shown_on is not None:
        shown = shown_targets(secrets, track, task, truth)
    seeds = secrets.seeds(track.id, "question", *task.stream)
    for attacker in attackers:
        own, rng = task.of(attacker), seeds.rng(attacker, task.repeat)
        chosen = draw_targets(truth, track.targets_each or 0, shown, rng=rng)
        *_, place = paths.attacker_files(own, *track.formats)
        out[place] = to_bytes(_about(question, chosen), f".{track.files.data}")
        out[paths.truth(own)] = csv_bytes(_about(truth, chosen))
    return out


def draw_targets(
    truth: Table, wanted: int, shown: Mask | None = None, *, rng: np.random.Generator
) -> Table:
    """So many lines of a truth, in its order; every set of targets is equally likely.

    Nothing in the draw depends on the answers, so coins that decided them stay independent. A
    release that leaves fewer targets, because it deletes rows, is asked about with all of them: a
    refusal would protect it from every attack.

    Parameters
    ----------
    shown : the targets that shown scores are about; every attacker gets the same number of them.
    """
    size = min(wanted, len(truth))
    if shown is None:
        return truth.take(np.sort(rng.choice(len(truth), size, replace=False)))
    sides = np.flatnonzero(shown), np.flatnonzero(~shown)
    count = shown_count(size, float(shown.mean()))
    sizes = count, size - count
    drawn = [rng.choice(side, n, replace=False) for side, n in zip(sides, sizes, strict=True)]
    return truth.take(np.sort(np.concatenate(drawn)))


def _about(table: Table, chosen: Table) -> Table:
    """The lines about the chosen targets, in their order."""
    names, wanted = (part.columns["target"].astype(np.str_) for part in (table, chosen))
    return table.take(np.flatnonzero(np.isin(names, wanted)))


def make_questions(
    root: Path, attacker: str, tasks: Sequence[Sequence[Any]]
) -> Mapping[str, bytes]:
    """The questions of an attacker who comes after the releases; ``tasks`` are plain arguments."""
    folder = Folder(root)
    out: dict[str, bytes] = {}
    for of_task in tasks:
        task = Task(*of_task)
        track = folder.edition().track_by_id(task.track)
        question, truth = folder.whole_question(track, task), folder.truth(track, task)
        out |= own_questions(folder, track, task, question.table, truth.table, [attacker])
    return out
