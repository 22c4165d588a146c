"""Submit: check a submission and store it with a receipt, or refuse it and change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from quintain.contests.roster import Roster
from quintain.figures.counts import count
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.admission import Admission, admit, expect
from quintain.runs.submissions.examination import Examination, examine
from quintain.runs.submissions.ledger import append, cut_off_line, locked, receipts
from quintain.runs.submissions.receipt import GENESIS, Receipt

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""The time of a rehearsal if the phases have no dates; a real clock would change bytes."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A submission that is in the ledger: its receipt, its quota and its examination."""

    receipt: Receipt
    admission: Admission
    examination: Examination
    cut_off: bool = False

    def sentence(self) -> str:
        """The receipt in one line for a terminal, with what is left of the quota."""
        files = count(len(self.receipt.files), "file")
        parts = [files, *filter(None, [self.admission.left()])]
        name = f"submission {self.receipt.number} of team {self.receipt.team}"
        return f"{name}: {', '.join(parts)}"

    def warnings(self) -> list[str]:
        """What the rules allow, but the team may not have meant."""
        warnings = self.examination.warnings()
        if self.cut_off:
            warnings.append(
                "the last line of the ledger was cut off; the submission of that line was never "
                f"accepted, and the line is now in {paths.CUT_OFF}"
            )
        return warnings


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
    edition, moment = folder.edition(), now or datetime.now(UTC)
    return expect(edition, Roster.of(edition), receipts(folder), team, moment, track, kind)


def submit(
    folder: Folder,
    team: str,
    files: Mapping[str, bytes],
    *,
    track: str | None = None,
    kind: str | None = None,
    now: datetime | None = None,
    rehearsal: bool = False,
) -> Accepted:
    """Check a submission and store it, or raise and change nothing.

    Baselines may hand in only in a ``rehearsal``.
    """
    folder.require_secrets()
    edition, moment = folder.edition(), now or datetime.now(UTC)
    roster = Roster.of(edition)
    if rehearsal:
        roster = roster.with_baselines(edition)
    admission = admit(edition, roster, receipts(folder), team, moment, track, kind, files)
    examination = examine(folder, admission, files, measure=False)
    examination.raise_if_faulty()
    with locked(folder):
        earlier = receipts(folder)
        admission = admit(edition, roster, earlier, team, moment, track, kind, files)
        cut_off = bool(cut_off_line(folder))
        receipt = append(folder, earlier, _receipt(admission), files)
    return Accepted(receipt, admission, examination, cut_off)


def _receipt(admission: Admission) -> Receipt:
    """A receipt without its number and its hash, which the ledger adds."""
    return Receipt(
        number=0,
        team=admission.team,
        track=admission.track.id,
        phase=admission.phase.id,
        kind="program" if admission.program else admission.phase.submit,
        time=admission.time.isoformat().replace("+00:00", "Z"),
        files={},
        previous=GENESIS,
    )
