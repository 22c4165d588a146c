"""Submit: check a submission and store it with a receipt, or refuse it and change nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from quintain.figures.counts import count
from quintain.journal.events import Submitted
from quintain.journal.receipt import Receipt
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing
from quintain.runs.submissions.admission import Admission, admit, expect
from quintain.runs.submissions.examination import Examination, examine
from quintain.runs.submissions.sample_choice import chosen_sample
from quintain.runs.submissions.submitted import store

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
        return ", ".join([submitted_text(self.submission), *filter(None, [self.admission.left()])])

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
        return [f"team {admission.team} chose what counts ({numbers}): choose again to change it"]


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


def expected(
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
) -> Accepted:
    """Check a submission and store it, or raise and change nothing.

    The release is measured now if the rules show its utility to the team.

    Parameters
    ----------
    sample : the private sample that a release is made from, where the team has a choice.
    examined : called with what the team may see, right before the submission is recorded.
    """
    folder.require_secrets()
    moment = now or datetime.now(UTC)
    admission = _admit(folder, team, moment, track, kind, files)
    chosen = chosen_sample(admission, files, sample)
    shows = admission.track.feedback.releases == "utility"
    examination = examine(folder, admission, files, measure=shows, sample=chosen)
    examination.raise_if_faulty()
    examination = examination.shown(admission.track)
    if examined is not None:
        examined(admission, examination)
    digests = store(folder, files)
    with writing(folder) as journal:
        # Another submission may have used the quota, or the phase may have ended since.
        admission = _admit(folder, team, moment, track, kind, files)
        recorded = record(folder, journal, _event(admission, digests, chosen), now=moment)
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


def _event(admission: Admission, digests: dict[str, str], sample: int | None) -> Submitted:
    return Submitted(
        team=admission.team,
        track=admission.track.id,
        phase=admission.phase.id,
        kind="program" if admission.program else admission.phase.submit,
        files=digests,
        sample=sample,
    )
