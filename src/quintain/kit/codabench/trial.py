"""Trial: score blind guesses with the program of a bundle, and compare with our own scores.

A bundle is written only if its program reads the truth and gives our scores, bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quintain.contests import Track
from quintain.errors import Fault, QuintainError
from quintain.guesses import Guess
from quintain.kit.codabench.program import guesses as program
from quintain.kit.codabench.program.faults import Faults as ProgramFaults
from quintain.kit.codabench.program.score import program_part
from quintain.measures import Case
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import Task
from quintain.seeds import SeedTree


def trial_faults(folder: Folder, track: Track, plan: dict[str, Any]) -> list[Fault]:
    """The entries that cannot be scored, each with the reason.

    Raises if the program scores a blind guess differently from quintain.
    """
    faults = []
    for entry, tasks in folder.read(track).by_entry.items():
        guesses = [_blind(folder, track, task) for task in tasks]
        cases = [Case(folder.truth(track, t), g) for t, g in zip(tasks, guesses, strict=True)]
        readings = track.guess_measures[0].of_guesses(cases)
        gaps = [(name, reading.note) for name, reading in readings.items() if not reading.measured]
        faults += [Fault(f"{entry} cannot be scored: {name}: {note}") for name, note in gaps]
        if not gaps:
            ours = [reading.value for reading in readings.values()]
            _compare(entry, ours, _program_scores(folder, track, tasks, guesses, plan))
    return faults


def _compare(entry: str, ours: list[float], scores: list[float]) -> None:
    if scores != ours:
        raise QuintainError(
            f"the scoring program gives {scores} for a blind guess at {entry}, but quintain gives "
            f"{ours}: please report this as a fault of quintain"
        )


def _blind(folder: Folder, track: Track, task: Task) -> Guess:
    rng = SeedTree.from_int(0).rng("codabench", task.name)
    return folder.question(track, task).blind(rng=rng)


def _program_scores(
    folder: Folder,
    track: Track,
    tasks: Sequence[Task],
    guesses: Sequence[Guess],
    plan: dict[str, Any],
) -> list[float]:
    """What the program makes of the same guesses, from their files."""
    cases, faults = [], ProgramFaults()
    for task, guess in zip(tasks, guesses, strict=True):
        content = csv_bytes(guess.table, header=track.files.header)
        rows = program.read_guess(f"{task.name}.csv", content, task.name, plan, faults)
        truth = program.read_truth(task.name, folder.at(paths.truth(task)).read_bytes(), plan)
        cases.append((truth, {} if rows is None else rows.values))
    if faults.total:
        raise QuintainError("\n".join(faults.first(20)))
    scores: list[float] = program_part(plan["goal"]).measure(cases, plan["measure"])
    return scores
