"""Cells: the jobs that measure each release and each cell, and the gates.

Their results are a function of the folder's public and secret files and its submissions:
``verify`` calls the same functions and compares bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from quintain.commitment import sha256
from quintain.contests import Edition, Track
from quintain.contests.fields import EditionMeasure
from quintain.contests.roster import Roster
from quintain.data import Data
from quintain.data.arrays import Mask
from quintain.errors import Faults, FolderError, SubmissionError
from quintain.guesses import Question
from quintain.measures import BlindLaw, Case, GuessMeasure, Reading, average
from quintain.plays import LASTING
from quintain.rankings import Contestant
from quintain.rankings.results import pack_finds
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.scores.stored import readings_bytes
from quintain.runs.submissions.checking import read_guess, with_numbers
from quintain.runs.tasks.experiments import describe_refusal, draw_sample

# Split: the targets on which shown scores are computed, and the others, which decide the ranking.
#
# The split is secret, the same for all teams, and the same for all entries that share a sample.
# What a team learns from its scores is then about targets that do not count at the end.


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
    return Halves(case.of_targets(shown), case.of_targets(~shown))


def draw_shown(targets: int, share: float, *, rng: np.random.Generator) -> Mask:
    """Which targets the shown scores are about; at least one, and never all.

    >>> draw_shown(5, 0.4, rng=np.random.default_rng(1)).tolist()
    [False, True, True, False, False]
    """
    size = min(max(round(share * targets), 1), targets - 1)
    shown = np.zeros(targets, bool)
    shown[rng.choice(targets, size, replace=False)] = True
    return shown


Attempted = Sequence[tuple[str, str]]
"""For each task of an entry, the path of a guess and the SHA-256 of its content."""

_FRESH = 3
"""How many fresh samples are averaged to show what the gates demand."""


def blind_laws(track: Track, population: int | None) -> dict[str, BlindLaw]:
    """The distribution of readings under blind guessing, if the sizes of a track determine it."""
    private = None if population is None else track.sample.private_size(population)
    if population is None or private is None:
        return {}
    laws: dict[str, BlindLaw] = {}
    for measured in track.privacy:
        if not isinstance(measured.measure, GuessMeasure) or measured.groups is not None:
            continue
        law = measured.measure.blind_law(track.goal, population, private)
        if law is not None:
            laws |= dict.fromkeys(measured.reads, law)
    return laws


def contestants(edition: Edition, track: Track, roster: Roster) -> tuple[Contestant, ...]:
    """Teams, then baselines; baselines compete only in a rehearsal, in which they joined."""
    teams = [Contestant(t.id, t.name, t.competing) for t in edition.team]
    joined = set(roster.ids)
    return (*teams, *(Contestant(b.id, b.name, b.id in joined) for b in track.baseline))


def gate_failures(track: Track, readings: Mapping[str, Reading]) -> list[str]:
    """Why a release is disqualified, and by how much; empty if it passes every gate."""
    faults = []
    for measured in track.release_measures:
        faults += measured.failures({key: readings[key] for key in measured.reads})
    return faults


def measure_utility(
    root: Path, track_id: str, entry: str, repeat: int, repeats: int
) -> Mapping[str, bytes]:
    """Every reading of one release."""
    folder, task = Folder(root), Task(track_id, entry, repeat, repeats)
    track = folder.edition().track_by_id(track_id)
    readings: dict[str, Reading] = {}
    if track.release_measures:
        original, release = folder.private(track, task), folder.full_release(track, task)
        readings = measure_release(track, original, release, folder.test_data(track_id))
    return {paths.cached_utility(task): readings_bytes(readings)}


def measure_release(
    track: Track, original: Data, release: Data, test: Data | None
) -> dict[str, Reading]:
    """Every reading of a release beside its original, under the edition's names."""
    readings: dict[str, Reading] = {}
    for measured in track.release_measures:
        readings |= _or_refusal(measured, partial(measured.of_release, original, release, test))
    return track.with_derived(readings)


def measure_fresh(root: Path, track_id: str) -> Mapping[str, bytes]:
    """The readings of further samples that nobody sanitized, to compare the gates with."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    test = folder.test_data(track_id)
    drawn = [draw_sample(folder, track, "fresh", i).private for i in range(_FRESH + 1)]
    if drawn[0].digest() == drawn[1].digest():  # everybody is in every sample
        return {paths.fresh_readings(track_id): readings_bytes({})}
    others = [with_numbers(track, further, None) for further in drawn[1:]]
    samples = [measure_release(track, drawn[0], further, test) for further in others]
    readings = {name: average([sample[name] for sample in samples]) for name in samples[0]}
    return {paths.fresh_readings(track_id): readings_bytes(readings)}


def measure_cell(
    root: Path, track_id: str, entry: str, attacker: str, attempts: Sequence[Attempted]
) -> Mapping[str, bytes]:
    """Every privacy reading of one attacker on one entry, from its best attempt.

    The first measure of the edition decides which attempt is best for the attacker. If scores are
    shown on other targets than those of the ranking, there are two files. Each has its own best
    attempt, because the choice would tell about the targets of the ranking.
    """
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    tasks = folder.read(track).by_entry[entry]
    tried = [_read_attempt(folder, track, tasks, attempt) for attempt in attempts]
    cases = [[half.final for half in halves] for halves in tried]
    readings = [measure_guesses(track, case) for case in cases]
    best = _best(track, readings)
    out = {paths.cached_cell(track_id, entry, attacker): readings_bytes(readings[best])}
    if track.finder is not None:
        records = [track.finder.found_records(case) for case in cases[best]]
        out[paths.cached_finds(track_id, entry, attacker)] = pack_finds(np.concatenate(records))
    if track.feedback.shown_on is not None:
        shown = [measure_guesses(track, [half.shown for half in halves]) for halves in tried]
        best = _best(track, shown)
        out[paths.cached_shown_cell(track_id, entry, attacker)] = readings_bytes(shown[best])
    return out


def _read_attempt(
    folder: Folder, track: Track, tasks: Sequence[Task], attempt: Attempted
) -> list[Halves]:
    halves = []
    for task, (name, digest) in zip(tasks, attempt, strict=True):
        content, faults = folder.at(name).read_bytes(), Faults(name)
        if sha256(content) != digest:
            raise FolderError(f"{name}: is not the file that the team submitted")
        guess = read_guess(folder, track, name, content, faults)
        faults.raise_if_any(SubmissionError)
        assert guess is not None  # no guess without a fault
        case = Case(folder.truth(track, task), guess, asked_of_groups(folder, track, task))
        halves.append(split_case(folder, track, task, case))
    return halves


def asked_of_groups(folder: Folder, track: Track, task: Task) -> Question | None:
    """The question, if a measure needs it to choose a subgroup of the targets."""
    needed = any(measured.groups is not None for measured in track.guess_measures)
    return folder.question(track, task) if needed else None


def measure_guesses(track: Track, cases: Sequence[Case]) -> dict[str, Reading]:
    """Every reading of an attacker's guesses at one entry, under the edition's names."""
    readings: dict[str, Reading] = {}
    for measured in track.guess_measures:
        readings |= _or_refusal(measured, partial(measured.of_guesses, cases))
    return readings


def _or_refusal(
    measured: EditionMeasure, read: Callable[[], dict[str, Reading]]
) -> dict[str, Reading]:
    """The readings of a measure; if it refuses, none of them has a value, and a note says why."""
    try:
        return read()
    except LASTING as error:
        note = f"refused: {describe_refusal(error)}"
        return {name: Reading.missing(better, note) for name, better in measured.reads.items()}


def _best(track: Track, measured: Sequence[dict[str, Reading]]) -> int:
    """The number of the attempt that is best for the attacker; the first of equal ones."""
    first, better = next(iter(track.guess_measures[0].reads.items()))
    sign = 1 if better == "lower" else -1
    tried = [readings[first] for readings in measured]
    values = [sign * reading.value if reading.measured else -math.inf for reading in tried]
    return values.index(max(values))
