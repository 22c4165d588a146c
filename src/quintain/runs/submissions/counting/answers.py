"""Answers: which guess files count, and the digest of each, without reading the guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from quintain.commitment import sha256
from quintain.contests import Track
from quintain.journal.events import Submitted
from quintain.journal.state import State
from quintain.runs.folder import cached
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.task import Task
from quintain.runs.folder.view import TrackView
from quintain.runs.submissions.checking import guess_file
from quintain.runs.submissions.counting.chosen import is_chosen
from quintain.runs.submissions.submitted import file_of


class Answer(NamedTuple):
    """A guess file: its path below the root and the SHA-256 of its content."""

    path: str
    digest: str


Answers = dict[str, list[Answer]]
"""By file name, the guesses that count, the earliest first."""

Attempt = tuple[Answer, ...]
"""One answer to each task of an entry."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What one attacker submitted on a track.

    Parameters
    ----------
    submitted : its submissions of guesses, in order.
    every : whether all answers to a task count, or the last one.
    made : by file name, the answers of a baseline to tasks for which it submitted none.
    """

    submitted: Sequence[Submitted] = ()
    every: bool = False
    made: Mapping[str, Answer] = field(default_factory=dict)

    def digest(self) -> str:
        """A digest of all answers, much faster than a list of them; paths are no part of it."""
        texts = [str(self.every)]
        for one in self.submitted:
            texts += ["", *one.files, *one.files.values()]
        texts += [text for name, answer in self.made.items() for text in (name, answer.digest)]
        return sha256("\n".join(texts).encode())

    def names(self) -> set[str]:
        """The names of the submitted files."""
        return {name for one in self.submitted for name in one.files}

    def files(self) -> Answers:
        """The guesses that count; the digests are those of the journal."""
        out: Answers = {}
        for one in self.submitted:
            for name, digest in one.files.items():
                answer = Answer(file_of(one, name), digest)
                out[name] = [*out.get(name, ()), answer] if self.every else [answer]
        return out | {name: [answer] for name, answer in self.made.items()}


def submitted_guesses(
    track: Track, submitted: Sequence[Submitted], state: State
) -> dict[str, Answered]:
    """What every team submitted on a track, without what it did not choose."""
    every = any(phase.counts == "best" for phase in track.phase if phase.submit == "guess")
    teams: dict[str, list[Submitted]] = {}
    for one in submitted:
        if one.track == track.id and one.kind == "guess" and is_chosen(state, one):
            teams.setdefault(one.team, []).append(one)
    return {team: Answered(several, every) for team, several in teams.items()}


def answered(
    folder: Folder, view: TrackView, submitted: Sequence[Submitted]
) -> dict[str, Answered]:
    """What every attacker answered; a baseline's own answer where it submitted none."""
    out = submitted_guesses(view.track, submitted, folder.state())
    for baseline in view.track.baseline:
        if baseline.attack is not None:
            known = out.get(baseline.id, Answered())
            names, made = known.names(), {}
            for task in view.tasks:
                path = cached.baseline_guess(baseline.id, task)
                name = guess_file(view.track, task, baseline.id)
                if name not in names and folder.at(path).is_file():
                    made[name] = Answer(path, folder.digest(path))
            out[baseline.id] = replace(known, made=made)
    return out


def all_answers(
    folder: Folder, view: TrackView, submitted: Sequence[Submitted]
) -> dict[str, Answers]:
    """Every answer that counts, by attacker."""
    return {name: one.files() for name, one in answered(folder, view, submitted).items()}


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
