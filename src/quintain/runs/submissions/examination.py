"""Examination: everything that the judge can say about a submission before it is scored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from quintain.contests import Track
from quintain.errors import Faults, SubmissionError
from quintain.figures.counts import count
from quintain.measures import Reading
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.task import Task
from quintain.runs.scores.cells import gate_failures, measure_release
from quintain.runs.submissions.admission import Admission
from quintain.runs.submissions.artefacts import check_artefacts
from quintain.runs.submissions.checking import (
    check_guesses,
    check_program,
    check_release,
    guess_file,
)
from quintain.runs.submissions.team_release import split_numbers


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
    remarks : what the rules say about a release that they accept.
    """

    faults: Faults = field(default_factory=Faults)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    gate_failures: tuple[str, ...] = ()
    tasks: int = 0
    unanswered: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def raise_if_faulty(self) -> None:
        """Refuse the submission with every fault."""
        self.faults.raise_if_any(SubmissionError)

    def shown(self, track: Track) -> Examination:
        """What the team sees of it: what rests on secret test records is rounded."""
        if not track.tests_in_secret:
            return self
        digits = track.feedback.digits
        failed = [
            f"{name} fails its gate"
            for measured in track.release_measures
            for name in measured.reads
            if name in self.readings and measured.failures({name: self.readings[name]})
        ]
        rounded = {name: _rounded(one, digits) for name, one in self.readings.items()}
        return replace(self, readings=rounded, gate_failures=tuple(failed))

    def warnings(self) -> list[str]:
        """What the rules allow, but the team may not have meant.

        Answers of earlier submissions still count, so a team may submit its answers one by one,
        and a task without an answer is no fault.

        >>> Examination(tasks=5, unanswered=("identity",)).warnings()
        ['1 of 5 tasks not answered: identity']
        """
        if not self.unanswered:
            return list(self.remarks)
        names = ", ".join(self.unanswered[:5]) + (" ..." if len(self.unanswered) > 5 else "")
        answered = f"{len(self.unanswered)} of {count(self.tasks, 'task')} not answered: {names}"
        return [*self.remarks, answered]


def examine(
    folder: Folder,
    admission: Admission,
    files: Mapping[str, bytes],
    *,
    measure: bool = True,
    sample: int | None = None,
    absent: Collection[str] = (),
) -> Examination:
    """Check the files of a submission; with ``measure``, also measure a release.

    Parameters
    ----------
    sample : the private sample that a release is made from, where the team has a choice.
    absent : artefacts that were submitted and are not at hand, because nobody publishes them.
    """
    faults, track, team = Faults(), admission.track, admission.team
    if admission.program:
        check_program(folder, admission.phase, files, faults)
        return Examination(faults)
    check_artefacts(folder, admission, files, faults, absent)
    main = {name: files[name] for name in files if name not in admission.artefacts}
    if admission.phase.submit == "guess":
        check_guesses(folder, track, team, main, faults)
        return _with_tasks(folder, admission, main, faults)
    release = check_release(folder, track, team, main, faults, sample)
    if release is None or faults:
        return Examination(faults)
    original = folder.private(track, Task(track.id, team), sample)
    data, _ = split_numbers(track, release)
    remarks = tuple(text for rule in track.rule for text in rule.remarks(original, data))
    if not measure or not track.release_measures:
        return Examination(faults, remarks=remarks)
    readings = measure_release(track, original, release, folder.test_data(track.id))
    failures = tuple(gate_failures(track, readings))
    return Examination(faults, readings, failures, remarks=remarks)


def _rounded(reading: Reading, digits: int) -> Reading:
    """A reading without its interval, which would tell about single test records."""
    value = round(reading.value, digits) + 0.0 if reading.measured else reading.value
    update = {"value": value, "low": value, "high": value, "method": "rounded"}
    return reading.model_copy(update=update)


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
