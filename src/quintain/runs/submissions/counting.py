"""Counting: which releases in the ledger count for the contest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quintain.contests import Track
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import CARD
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.receipt import Receipt


@dataclass(frozen=True, slots=True)
class TeamRelease:
    """A team's release that counts: its entry, and its files below the root."""

    id: str
    team: str
    data: str
    card: str | None = None

    def paths(self, folder: Folder) -> list[Path]:
        """The files of the release and of its card, on this machine."""
        return [folder.at(name) for name in (self.data, self.card) if name is not None]


def counting_releases(folder: Folder, track: Track) -> list[TeamRelease]:
    """The releases that count: the last ones of each team, as many as the phase keeps."""
    phase = track.phase_for("release")
    keep = 1 if phase is None else phase.keep
    by_team: dict[str, list[Receipt]] = {}
    for receipt in receipts(folder):
        if receipt.track == track.id and receipt.kind == "release":
            by_team.setdefault(receipt.team, []).append(receipt)
    out = []
    for team, own in sorted(by_team.items()):
        for number, receipt in list(enumerate(own, start=1))[-keep:]:
            (name,) = (name for name in receipt.files if name != CARD)
            card = receipt.path(CARD) if CARD in receipt.files else None
            entry = team if keep == 1 else f"{team}.{number}"
            out.append(TeamRelease(entry, team, receipt.path(name), card))
    return out
