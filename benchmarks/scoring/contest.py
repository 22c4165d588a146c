"""A large contest with all cells in the cache, made in seconds: readings are random, not measured.

Scoring again does not depend on how a reading was made, so random ones cost the same. Everything
else is as a live contest leaves it: rules, samples, releases, guesses and their journal.
"""

from __future__ import annotations

import random
from pathlib import Path

from quintain.commitment import sha256
from quintain.contests import load
from quintain.jobs.files import write_file
from quintain.journal.events import Submitted
from quintain.measures import Reading
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import writing
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.prepare import prepare
from quintain.runs.score import attack_all
from quintain.runs.scores.stored import NOTHING, Survey
from quintain.runs.submissions.counting import file_of, submissions
from quintain.runs.submissions.submit import LONG_AGO

MEASURES = ("membership_advantage", "auc", "tpr_at_fpr")


def large_contest(root: Path, teams: int, entries: int) -> Folder:
    """The edition ``tiny`` with many teams and entries; every team has answered every task."""
    keep = [round(0.1 + 0.8 * i / entries, 5) for i in range(entries)]
    changes = {
        "repeats": 1,
        "dataset": {"rows": 400},
        "sample": {"targets": 20, "background": 60},
        "sanitizer": [{"use": "rr", "grid": {"keep": keep}}],
        "baseline": [{"id": "random", "attack": "random"}],
        "team": [{"id": name} for name in names(teams)],
    }
    write_rules(root, load("tiny", overrides=changes))
    folder = Folder(root)
    prepare(folder, seed=3)
    _hand_in(folder, names(teams))
    attack_all(folder)
    _fill(folder)
    return folder


def names(teams: int) -> list[str]:
    """The ids of the teams."""
    return [f"team-{i:03d}" for i in range(teams)]


def answer(targets: list[object], rng: random.Random) -> bytes:
    """A random answer to one task, as the content of its file."""
    lines = [f"{target},{rng.random():.3f}\n" for target in targets]
    return ("target,probability\n" + "".join(lines)).encode()


def targets_of(folder: Folder) -> dict[str, list[object]]:
    """The targets that each answer file must name, by file name."""
    (track,) = folder.edition().track
    return {
        f"{task.name}.csv": [row["target"] for row in folder.question(track, task).table.records()]
        for task in folder.tasks(track)
    }


def _hand_in(folder: Folder, teams: list[str]) -> None:
    """One submission per team, in the journal as any other but without the checks."""
    (track,) = folder.edition().track
    rng, questions = random.Random(1), targets_of(folder)
    salts = folder.committed_secrets().nonce_key()
    with writing(folder) as journal:
        for team in teams:
            files = {name: answer(targets, rng) for name, targets in questions.items()}
            submitted = Submitted(
                team=team,
                track=track.id,
                phase=track.phase[0].id,
                kind="guess",
                files={name: sha256(content) for name, content in sorted(files.items())},
            )
            for name, content in files.items():
                write_file(folder.at(file_of(submitted, name)), content)
            journal.append(submitted, now=LONG_AGO, salts=salts)


def _fill(folder: Folder) -> None:
    """Store a random reading under the key of every cell."""
    (track,) = folder.edition().track
    rng = random.Random(2)
    survey = Survey.of(folder, track, submissions(folder))
    readings = {
        (cell.entry, attacker): {name: _drawn(rng) for name in MEASURES}
        for attacker, cells in survey.changed.items()
        for cell in cells
    }
    keys = {name: {c.entry: c.key for c in cells} for name, cells in survey.changed.items()}
    stored = NOTHING.update(tuple(survey.view.by_entry), survey.keys, keys, readings)
    stored.write(folder.at(paths.stored_readings(track.id)))


def _drawn(rng: random.Random) -> Reading:
    low, value, high = sorted(rng.random() for _ in range(3))
    return Reading(value=value, low=low, high=high, n=20, better="lower", method="drawn")
