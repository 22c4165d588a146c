"""Contests that are played at a chosen size, and what the audit finds in each of their releases."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.audit.experiment import ATTACKS, measure_experiment
from benchmarks.bench.machine import real_data
from quintain.audits.release import audit_release
from quintain.audits.results import Finding
from quintain.contests import Track, load
from quintain.data import Data, shape_of
from quintain.guesses.membership import Membership
from quintain.jobs.executor import Executor
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.play import play
from quintain.runs.tasks.experiments import draw_sample
from quintain.samples import Sample
from quintain.samples.sample import private_part
from quintain.sanitizers.sanitizer import Shadow

Row = dict[str, Any]
Cell = list[Any]
"""The attack, the measure, the value and both ends of its interval."""

EPSILONS = [1.0, 10.0, 100.0, 1000.0]
KEPT = frozenset({"auc", "accuracy", "reid", "content_link", "content_link_whole"})
"""The readings of the audit that the tables show."""
TOO_SLOW = frozenset({"gen-lra"})
"""Attacks whose cost grows with the square of the base data; SNAKE has 160,926 people."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A contest whose releases are audited.

    Parameters
    ----------
    file : the file with its real data.
    size : how large it is unless told otherwise.
    people : what the size counts.
    changes : what the size changes in the edition.
    """

    file: str
    size: int
    people: str
    changes: Callable[[int], dict[str, Any]]

    @property
    def real(self) -> bool:
        """Whether the real data are there."""
        return real_data(self.file)


def _snake(size: int) -> dict[str, Any]:
    grids = [
        {"use": "mst", "name": "mst-{epsilon}", "delta": 1e-9},
        {"use": "privbayes", "name": "privbayes-{epsilon}"},
    ]
    attacks: list[dict[str, Any]] = [{"use": "nearest"}, {"use": "tree-ratio"}]
    attacks += [{"use": name, "shadows": 5} for name in ("mama-mia", "matched-filter")]
    return {
        "utility": [],
        "sample": {"background": size},
        "sanitizer": [{**g, "rows": size, "grid": {"epsilon": EPSILONS}} for g in grids],
        "baseline": [{"id": attack["use"], "attack": attack} for attack in attacks],
    }


def _amic(size: int) -> dict[str, Any]:
    return {
        "overall": [],
        "award": [],
        "population": {"generator": {"rows": 100 * size}, "take": 10 * size},
        "rule": [],
        "sample": {"rows": size},
        "track": [{"id": "main", "title": "Final round, without gates"}],
    }


CONTESTS = {
    "snake1": Contest("snake_base.parquet", 10_000, "background people", _snake),
    "amic": Contest("adult.data", 10_000, "private records", _amic),
    "darc": Contest(
        "darc_ground_truth.parquet", 40_000, "transactions", lambda n: {"dataset": {"rows": n}}
    ),
    "hide-and-seek": Contest(
        "physionet2012.npz", 1_000, "stays", lambda n: {"utility": [], "dataset": {"rows": n}}
    ),
}


def played(name: str, size: int, out: Path, *, seed: int, workers: int) -> Folder:
    """Play a contest into a folder, or go on with it."""
    contest = CONTESTS[name]
    changes = contest.changes(size)
    changes["dataset"] = {**changes.get("dataset", {}), "real": contest.real}
    return play(load(name, overrides=changes), out, seed=seed, executor=Executor(workers))


def audited(folder: Folder, task: Task, *, seed: int) -> Row:
    """What the audit finds in one release, beside what the contest found."""
    track = folder.edition().track_by_id(task.track)
    owner = folder.owners(track).get(task.entry, task.entry)
    sample = draw_sample(folder, track, owner, 0)
    released = folder.full_release(track, task)
    start = time.process_time()
    audit = audit_release(sample.private, released, control_of(sample, seed), seed=seed)
    seconds = time.process_time() - start
    return {
        "release": owner,
        "people": len(sample.private),
        "verdict": audit.verdict,
        "p": audit.p,
        "exposed": [audit.exposed_share.value, audit.exposed_share.low],
        "names": [audit.nameable_records.value, audit.nameable_records.low],
        "smallest": audit.smallest_detectable.value,
        "readings": _cells(one for one in audit.readings if one.name in KEPT),
        "asked": _cells(_of_targets(folder, track, task, sample, seed)),
        "contest": contest_cells(folder, task),
        "cpu": seconds,
    }


def control_of(sample: Sample, seed: int) -> Data | None:
    """As many people of the population as are private, but others; None if there are no others."""
    assert sample.private_rows is not None  # these designs tell
    others = np.setdiff1d(np.arange(len(sample.population)), sample.private_rows)
    if not len(others) or len(sample.private_rows) != len(sample.private):
        return None
    size = min(len(others), len(sample.private_rows))
    rows = np.random.default_rng(seed).choice(others, size, replace=False)
    return private_part(sample.population, np.sort(rows))


def _of_targets(
    folder: Folder, track: Track, task: Task, sample: Sample, seed: int
) -> Iterable[Finding]:
    """What the attacks of the audit say to the contest's own question about targets."""
    targets = len(sample.target_rows) < len(sample.population)
    one_row = shape_of(sample.private).row_is_person
    if not (targets and isinstance(track.goal, Membership) and one_row):
        return ()
    sanitizer = track.entries.get(task.entry)
    rng = np.random.default_rng(seed)
    code = Shadow(sanitizer) if sanitizer else None
    attacks = [attack for attack in ATTACKS if attack.name() not in TOO_SLOW]
    release = folder.release(track, task)
    return measure_experiment(sample, release, rng=rng, attacks=attacks, code=code).findings


def contest_cells(folder: Folder, task: Task) -> list[Cell]:
    """The figures of the contest about a release."""
    with folder.at("results/matrix.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["entry"] == task.entry]
    return [
        [r["attacker"], r["measure"], *(float(r[k] or "nan") for k in ("value", "low", "high"))]
        for r in rows
    ]


def _cells(findings: Iterable[Finding]) -> list[Cell]:
    """The figures of findings; the name of an attack says what it compares."""
    out: list[Cell] = []
    for one in findings:
        reading = one.reading
        name = one.attack if not one.parameters.get("compare") else _compared(one)
        out.append([name, one.name, reading.value, reading.low, reading.high])
    return out


def _compared(finding: Finding) -> str:
    """The name of an attack that can compare several things, with what it compares."""
    return f"{finding.attack} ({finding.parameters['compare']})"
