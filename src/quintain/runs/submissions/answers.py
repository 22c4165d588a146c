"""Answers: which guess files count, and the digest of each, without reading the guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from quintain.contests import Track
from quintain.jobs.files import file_digest
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.task import Task
from quintain.runs.folder.view import TrackView
from quintain.runs.submissions.checking import guess_file
from quintain.runs.submissions.receipt import Receipt


class Answer(NamedTuple):
    """A guess file: its path below the root and the SHA-256 of its content."""

    path: str
    digest: str


Answers = dict[str, list[Answer]]
"""By file name, the guesses that count, the earliest first."""

Attempt = tuple[Answer, ...]
"""One answer to each task of an entry."""


def submitted_answers(track: Track, receipts: Sequence[Receipt]) -> dict[str, Answers]:
    """For each team and file name, the guesses that count: the last one, or all of them.

    The digests are those of the ledger.
    """
    out: dict[str, Answers] = {}
    best = any(phase.counts == "best" for phase in track.phase if phase.submit == "guess")
    for receipt in receipts:
        if receipt.track == track.id and receipt.kind == "guess":
            files = out.setdefault(receipt.team, {})
            for name, digest in receipt.files.items():
                answer = Answer(receipt.path(name), digest)
                files[name] = [*files.get(name, ()), answer] if best else [answer]
    return out


def all_answers(folder: Folder, view: TrackView, receipts: Sequence[Receipt]) -> dict[str, Answers]:
    """Every answer that counts; a baseline that submitted none counts with those it just made."""
    out = submitted_answers(view.track, receipts)
    for baseline in view.track.baseline:
        if baseline.attack is not None:
            files = out.setdefault(baseline.id, {})
            for task in view.tasks:
                path = paths.baseline_guess(baseline.id, task)
                name = guess_file(view.track, task, baseline.id)
                if name not in files and folder.at(path).is_file():
                    files[name] = [Answer(path, file_digest(folder.at(path)))]
    return out


def attempts(
    track: Track, tasks: Sequence[Task], attacker: str, files: Mapping[str, Sequence[Answer]]
) -> list[Attempt]:
    """An attacker's complete answers to all tasks of an entry; none if a task has no answer."""
    if len(tasks) == 1:
        return [(answer,) for answer in files.get(guess_file(track, tasks[0], attacker), ())]
    by_task = [files.get(guess_file(track, task, attacker), ()) for task in tasks]
    if not all(by_task):
        return []
    most = max(len(answers) for answers in by_task)
    return [tuple(answers[min(i, len(answers) - 1)] for answers in by_task) for i in range(most)]
