"""Submit: check a submission and store it with a receipt, or refuse it and change nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from quintain.contests import Track
from quintain.errors import Faults, SubmissionError
from quintain.figures.format import count
from quintain.journal.events import Submitted
from quintain.journal.receipt import Receipt
from quintain.measures import Reading
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.folder.record import record, writing
from quintain.runs.scores.cells import measure_release
from quintain.runs.submissions.admission import Admission, admit, expect
from quintain.runs.submissions.checking import (
    check_artefacts,
    check_guesses,
    check_program,
    check_release,
    chosen_sample,
    guess_file,
    split_numbers,
)
from quintain.runs.submissions.counting import store
from quintain.runs.submissions.own_queries import check_queries, query_files
from quintain.wording.languages import tell, tell_count

# Examination: everything that the judge can say about a submission before it is scored.


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

    def round_for_team(self, track: Track) -> Examination:
        """What the team sees of it: what rests on secret test records is rounded."""
        if not track.tests_in_secret:
            return self
        digits = track.feedback.digits
        failed = [
            tell("%(name)s fails its gate", name=name) for name in track.failed_gates(self.readings)
        ]
        rounded = {name: _round_reading(reading, digits) for name, reading in self.readings.items()}
        return replace(self, readings=rounded, gate_failures=tuple(failed))

    def only_gates(self, track: Track) -> Examination:
        """What a team sees that may not see its utility: the measures that gates read."""
        gated = track.measured_gates
        names = frozenset(gated).union(*map(track.rests_on, gated))
        for measured in track.release_measures:
            names |= set() if names.isdisjoint(measured.reads) else set(measured.reads)
        shown = {name: reading for name, reading in self.readings.items() if name in names}
        return replace(self, readings=shown)

    def warnings(self) -> list[str]:
        """What the rules allow, but the team may not have meant.

        Answers of earlier submissions still count, so a team may submit its answers one by one,
        and a task without an answer is not a fault.

        >>> Examination(tasks=5, unanswered=("identity",)).warnings()
        ['1 of 5 tasks not answered: identity']
        """
        if not self.unanswered:
            return list(self.remarks)
        names = ", ".join(self.unanswered[:5]) + (" ..." if len(self.unanswered) > 5 else "")
        answered = tell_count(
            "%(missing)s of %(n)s task not answered: %(names)s",
            "%(missing)s of %(n)s tasks not answered: %(names)s",
            self.tasks,
            missing=len(self.unanswered),
            names=names,
        )
        return [*self.remarks, answered]


def has_own_gates(track: Track) -> bool:
    """Whether gates read nothing but the release and what its team has, too.

    Then the team can compute them itself, and to show them tells it nothing.
    """
    return not track.tests_in_secret and bool(track.measured_gates)


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
        check_program(folder, track, admission.phase, files, faults)
        return Examination(faults)
    check_artefacts(folder, admission, files, faults, absent)
    main = {name: files[name] for name in files if name not in admission.artefacts}
    if admission.phase.submit == "guess":
        queries = _queries(folder, admission, main)
        check_queries(folder, track, team, queries, faults)
        guesses = {name: main[name] for name in main if name not in queries}
        check_guesses(folder, track, team, guesses, faults, admission.phase)
        return _with_tasks(folder, admission, main, faults)
    release = check_release(folder, track, team, main, faults, sample)
    if release is None or faults:
        return Examination(faults)
    original = folder.private(track, Task(track.id, team), sample)
    data, _ = split_numbers(track, release, original)
    remarks = tuple(text for rule in track.rule for text in rule.remarks(original, data))
    if not measure or not track.release_measures:
        return Examination(faults, remarks=remarks)
    readings = measure_release(track, original, release, folder.test_data(track.id))
    failures = tuple(track.gate_failures(readings))
    return Examination(faults, readings, failures, remarks=remarks)


def _queries(folder: Folder, admission: Admission, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with queries to models."""
    known = query_files(folder.read(admission.track), admission.team)
    return {name: files[name] for name in sorted(files) if name in known}


def _round_reading(reading: Reading, digits: int) -> Reading:
    """A reading without its interval, which would tell about single test records."""
    value = round(reading.value, digits) + 0.0 if reading.measured else reading.value
    update = {"value": value, "low": value, "high": value, "method": "rounded"}
    return reading.model_copy(update=update)


def _with_tasks(
    folder: Folder, admission: Admission, files: Mapping[str, bytes], faults: Faults
) -> Examination:
    """Say which tasks still have no answer; a team does not attack its own release."""
    track, team = admission.track, admission.team
    view = folder.read(track)
    every = view.tasks_for(team)
    tasks = [task for task in every if admission.phase.takes(task.goal)]
    answered = set(files).union(*(submission.files for submission in admission.earlier))
    names = [task.name for task in tasks if guess_file(track, task, team) not in answered]
    own = {guess_file(track, task, team) for task in view.seen_by(team).tasks if task not in every}
    remarks = [
        tell("%(name)s is about your own release: the answer does not count", name=name)
        for name in sorted(own & set(files))
    ]
    return Examination(faults, tasks=len(tasks), unanswered=tuple(names), remarks=tuple(remarks))


LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""The time of a rehearsal if the phases have no dates; a real clock would change bytes."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A submission that is in the journal: its receipt, its quota and its examination."""

    submission: Submitted
    receipt: Receipt
    admission: Admission
    examination: Examination

    def sentence(self) -> str:
        """The submission in one line for a terminal, with what is left of the quota."""
        return ", ".join(
            [submitted_text(self.submission), *filter(None, [self.admission.quota_left()])]
        )

    def warnings(self) -> list[str]:
        """What the rules allow, but the team may not have meant."""
        return [*self.examination.warnings(), *self._not_counting()]

    def _not_counting(self) -> list[str]:
        """Say so if the team has chosen other submissions than this one."""
        admission = self.admission
        chosen = admission.state.chosen(admission.team, admission.track.id, admission.phase.id)
        if not chosen:
            return []
        numbers = ", ".join(map(str, chosen))
        return [
            tell(
                "team %(team)s chose what counts (%(numbers)s): choose again to change it",
                team=admission.team,
                numbers=numbers,
            )
        ]


def submitted_text(submission: Submitted) -> str:
    """A submission in a few words.

    >>> event = Submitted(number=7, team="red", track="main", phase="attack", kind="guess",
    ...     files={"a.csv": "12ab"})
    >>> submitted_text(event)
    'event 7: team red submitted 1 file'
    """
    files = count(len(submission.files), "file")
    of = "" if submission.sample is None else f", made from sample {submission.sample}"
    return f"event {submission.number}: team {submission.team} submitted {files}{of}"


def admission_for(
    folder: Folder,
    team: str,
    *,
    track: str | None = None,
    kind: str | None = None,
    now: datetime | None = None,
) -> Admission:
    """The submission that a team would make to this folder now or next; see ``expect``."""
    folder.require_prepared()
    moment, earlier = now or datetime.now(UTC), list(folder.journal().submissions(team))
    return expect(folder.edition(), folder.state(), earlier, team, moment, track, kind)


def submit(
    folder: Folder,
    team: str,
    files: Mapping[str, bytes],
    *,
    track: str | None = None,
    kind: str | None = None,
    sample: int | None = None,
    now: datetime | None = None,
    examined: Callable[[Admission, Examination], None] | None = None,
    gates: bool = False,
    examination: Examination | None = None,
    imported: int | None = None,
) -> Accepted:
    """Check a submission and store it, or raise and change nothing.

    The release is measured now if the rules show its utility to the team.

    Parameters
    ----------
    gates : whether to look at gates also if the rules do not show utility, where the team could
        compute them itself.
    sample : the private sample that a release is made from, where the team has a choice.
    examined : called with what the team may see, right before the submission is recorded.
    examination : what is known of the files, if the job that made them has checked them; they are
        not read again.
    imported : the number of the submission on the platform where the team made it.
    """
    folder.require_secrets()
    moment = now or datetime.now(UTC)
    admission = _admit(folder, team, moment, track, kind, files)
    chosen = chosen_sample(admission, files, sample)
    shows = admission.track.feedback.releases == "utility"
    measures = shows or (gates and has_own_gates(admission.track))
    if examination is None:
        examination = examine(folder, admission, files, measure=measures, sample=chosen)
    examination.raise_if_faulty()
    examination = examination.round_for_team(admission.track)
    if not shows:
        examination = examination.only_gates(admission.track)
    if examined is not None:
        examined(admission, examination)
    digests = store(folder, files)
    with writing(folder) as journal:
        # Another submission may have used the quota, or the phase may have ended since.
        earlier, admission = admission.earlier, _admit(folder, team, moment, track, kind, files)
        if earlier != admission.earlier and admission.phase.submit == "guess":
            queries = _queries(folder, admission, files)
            check_queries(folder, admission.track, team, queries, faults := Faults())
            faults.raise_if_any(SubmissionError)
        event = _event(admission, digests, chosen, imported)
        recorded = record(folder, journal, event, now=moment)
    return Accepted(recorded.event, recorded.receipt, admission, examination)


def _admit(
    folder: Folder,
    team: str,
    now: datetime,
    track: str | None,
    kind: str | None,
    files: Mapping[str, bytes],
) -> Admission:
    journal = folder.journal()
    earlier = list(journal.submissions(team))
    moment = journal.time_after(now)
    return admit(folder.edition(), folder.state(), earlier, team, moment, track, kind, files)


def _event(
    admission: Admission, digests: dict[str, str], sample: int | None, imported: int | None
) -> Submitted:
    return Submitted(
        team=admission.team,
        track=admission.track.id,
        phase=admission.phase.id,
        kind="program" if admission.program else admission.phase.submit,
        files=digests,
        sample=sample,
        imported=imported,
    )
