"""Cells: the jobs that measure each release and each cell.

Their results are a function of the folder's public and secret files and its submissions:
``verify`` calls the same functions and compares bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from quintain.commitment import sha256
from quintain.contests import Edition, Track
from quintain.contests.fields import EditionMeasure, MeasuredPrivacy
from quintain.contests.roster import Roster
from quintain.data import Data
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
from quintain.runs.tasks.shown_targets import shown_targets


class Halves(NamedTuple):
    """One answered question in two parts: for the scores that are shown, and for the ranking."""

    shown: Case
    final: Case


def split_case(folder: Folder, track: Track, task: Task, case: Case) -> Halves:
    """Both parts of a case; without a split, each is the whole case."""
    if track.feedback.shown_on is None:
        return Halves(case, case)
    whole = replace(task, attacker=None)
    truth = case.truth if task.attacker is None else folder.truth(track, whole)
    shown = shown_targets(folder.secrets(), track, whole, truth.table)
    own, every = (part.table.columns["target"].astype(np.str_) for part in (case.truth, truth))
    kept = np.isin(own, every[shown])
    return Halves(case.of_targets(kept), case.of_targets(~kept))


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
    for aim in track.aims:
        for measured in track.measures_for(aim.id):
            if measured.groups is not None:
                continue
            law = cast(GuessMeasure, measured.measure).blind_law(aim.goal, population, private)
            if law is not None:
                laws |= dict.fromkeys(measured.reads, law)
    return laws


def contestants(edition: Edition, track: Track, roster: Roster) -> tuple[Contestant, ...]:
    """Teams, then baselines; baselines compete only in a rehearsal, in which they joined."""
    cohorts = {team.id: team.cohort for team in roster.entrants}
    teams = [Contestant(t.id, t.name, t.competing, cohorts.get(t.id, "")) for t in edition.team]
    baselines = (
        Contestant(b.id, b.name, b.id in cohorts, cohorts.get(b.id, "")) for b in track.baseline
    )
    return (*teams, *baselines)


def measure_utility(root: Path, *of_task: Any) -> Mapping[str, bytes]:
    """Every reading of one release."""
    folder, task = Folder(root), Task(*of_task)
    track_id = task.track
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
        readings |= read_release(measured, original, release, test)
    return track.with_derived(readings)


def read_release(
    measured: EditionMeasure, original: Data, release: Data, test: Data | None
) -> dict[str, Reading]:
    """The readings of one measure of a release beside its original."""
    return _or_refusal(measured, partial(measured.of_release, original, release, test))


def measure_fresh(root: Path, track_id: str) -> Mapping[str, bytes]:
    """The readings of further samples that nobody sanitized, to compare the gates with."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    test = folder.test_data(track_id)
    drawn = [draw_sample(folder, track, "fresh", i).private for i in range(_FRESH + 1)]
    # Everybody is in every sample; or releases are models, and a sample is not one.
    if drawn[0].digest() == drawn[1].digest() or track.model is not None:
        return {paths.fresh_readings(track_id): readings_bytes({})}
    others = [with_numbers(track, further, None) for further in drawn[1:]]
    samples = [measure_release(track, drawn[0], further, test) for further in others]
    readings = {name: average([sample[name] for sample in samples]) for name in samples[0]}
    return {paths.fresh_readings(track_id): readings_bytes(readings)}


def measure_cell(
    root: Path,
    track_id: str,
    entry: str,
    attacker: str,
    attempts: Sequence[tuple[str, Sequence[Attempted]]],
) -> Mapping[str, bytes]:
    """Every privacy reading of one attacker on one entry, from its best attempt at each goal.

    The first measure of a goal decides which attempt is best for the attacker. If scores are
    shown on other targets than those of the ranking, there are two files. Each has its own best
    attempt, because the choice would tell about the targets of the ranking.
    """
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    releases = folder.read(track).seen_by(attacker).by_entry[entry]
    final: dict[str, Reading] = {}
    shown: dict[str, Reading] = {}
    out: dict[str, bytes] = {}
    for goal, tries in attempts:
        measures, tasks = track.measures_for(goal), [task.about(goal) for task in releases]
        tried = [_read_attempt(folder, track, tasks, attempt) for attempt in tries]
        best, readings = _best(measures, [[half.final for half in halves] for halves in tried])
        final |= readings
        if goal in track.finders:
            records = [track.finders[goal].found_records(half.final) for half in tried[best]]
            place = paths.cached_finds(track_id, entry, attacker, goal)
            out[place] = pack_finds(np.concatenate(records))
        if track.feedback.shown_on is not None:
            _, readings = _best(measures, [[half.shown for half in halves] for halves in tried])
            shown |= readings
    out[paths.cached_cell(track_id, entry, attacker)] = readings_bytes(final)
    if track.feedback.shown_on is not None:
        out[paths.cached_shown_cell(track_id, entry, attacker)] = readings_bytes(shown)
    return out


def _read_attempt(
    folder: Folder, track: Track, tasks: Sequence[Task], attempt: Attempted
) -> list[Halves]:
    halves = []
    for task, (name, digest) in zip(tasks, attempt, strict=True):
        content, faults = folder.at(name).read_bytes(), Faults(name)
        if sha256(content) != digest:
            raise FolderError(f"{name}: is not the file that the team submitted")
        guess = read_guess(folder, track, task, name, content, faults)
        faults.raise_if_any(SubmissionError)
        assert guess is not None  # no guess without a fault
        case = Case(folder.truth(track, task), guess, asked_of_groups(folder, track, task))
        halves.append(split_case(folder, track, task, case))
    return halves


def asked_of_groups(folder: Folder, track: Track, task: Task) -> Question | None:
    """The question, if a measure needs it to choose a subgroup of the targets."""
    needed = any(measured.groups is not None for measured in track.measures_for(task.goal))
    return folder.question(track, task) if needed else None


def measure_guesses(
    measures: Sequence[MeasuredPrivacy], cases: Sequence[Case]
) -> dict[str, Reading]:
    """Every reading of an attacker's guesses at one entry, under the edition's names."""
    readings: dict[str, Reading] = {}
    for measured in measures:
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


def _best(
    measures: Sequence[MeasuredPrivacy], attempts: Sequence[Sequence[Case]]
) -> tuple[int, dict[str, Reading]]:
    """The attempt that is best for the attacker, the first of equal ones: number and readings."""
    first, better = next(iter(measures[0].reads.items()))
    sign = 1 if better == "lower" else -1
    measured = [measure_guesses(measures, cases) for cases in attempts]
    tried = [readings[first] for readings in measured]
    values = [sign * reading.value if reading.measured else -math.inf for reading in tried]
    best = values.index(max(values))
    return best, measured[best]
