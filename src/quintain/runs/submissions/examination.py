"""Examination: everything that the judge can say about a submission before it is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quintain.errors import Faults, SubmissionError
from quintain.figures.counts import count
from quintain.measures import Reading
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.task import Task
from quintain.runs.scores.cells import gate_failures, measure_release
from quintain.runs.submissions.admission import Admission
from quintain.runs.submissions.checking import (
    check_guesses,
    check_program,
    check_release,
    guess_file,
)


@dataclass(frozen=True, slots=True)
class Examination:
    """The faults, readings and gaps of one submission.

    Parameters
    ----------
    faults : why it is refused; a submission with a fault is refused as a whole.
    readings : what is measured on a release, under the edition's names.
    gate_failures : why a release would be disqualified.
    tasks : how many tasks of the track the team can answer.
    unanswered : those of them that neither this submission nor an earlier one answers.
    """

    faults: Faults = field(default_factory=Faults)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    gate_failures: tuple[str, ...] = ()
    tasks: int = 0
    unanswered: tuple[str, ...] = ()

    def raise_if_faulty(self) -> None:
        """Refuse the submission with every fault."""
        self.faults.raise_if_any(SubmissionError)

    def warnings(self) -> list[str]:
        """What the rules allow, but the team may not have meant.

        Answers of earlier submissions still count, so a team may submit its answers one by one,
        and a task without an answer is no fault.

        >>> Examination(tasks=5, unanswered=("identity",)).warnings()
        ['1 of 5 tasks not answered: identity']
        """
        if not self.unanswered:
            return []
        names = ", ".join(self.unanswered[:5]) + (" ..." if len(self.unanswered) > 5 else "")
        return [f"{len(self.unanswered)} of {count(self.tasks, 'task')} not answered: {names}"]


def examine(
    folder: Folder, admission: Admission, files: Mapping[str, bytes], *, measure: bool = True
) -> Examination:
    """Check the files of a submission; with ``measure``, also measure a release."""
    faults, track, team = Faults(), admission.track, admission.team
    if admission.program:
        check_program(folder, admission.phase, files, faults)
        return Examination(faults)
    if admission.phase.submit == "guess":
        check_guesses(folder, track, team, files, faults)
        return _with_tasks(folder, admission, files, faults)
    release = check_release(folder, track, team, files, faults)
    if release is None or faults or not measure or not track.release_measures:
        return Examination(faults)
    original = folder.private(track, Task(track.id, team))
    readings = measure_release(track, original, release, folder.test_data(track.id))
    return Examination(faults, readings, tuple(gate_failures(track, readings)))


def _with_tasks(
    folder: Folder, admission: Admission, files: Mapping[str, bytes], faults: Faults
) -> Examination:
    """Say which tasks still have no answer; a team does not attack its own release."""
    track, team = admission.track, admission.team
    owners = folder.owners(track)
    tasks = [task for task in folder.tasks(track) if owners.get(task.entry) != team]
    answered = set(files).union(*(one.files for one in admission.earlier))
    names = [task.name for task in tasks if guess_file(track, task, team) not in answered]
    return Examination(faults, tasks=len(tasks), unanswered=tuple(names))
