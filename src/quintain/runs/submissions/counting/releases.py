"""Releases: which of those that teams submitted count for the contest.

The last ones count, unless the team chose others. A program that was replaced by a later one makes
nothing that counts, also if it has run already.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quintain.contests import Track
from quintain.journal.events import Submitted
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import CARD
from quintain.runs.submissions.counting.chosen import is_chosen, last_programs
from quintain.runs.submissions.submitted import file_of, submissions


@dataclass(frozen=True, slots=True)
class TeamRelease:
    """A team's release that counts: its entry, and its files below the root.

    Parameters
    ----------
    sample : the private sample that it is made from, where the team had a choice.
    artefacts : the names and the places of further files that attackers get.
    """

    id: str
    team: str
    data: str
    card: str | None = None
    sample: int | None = None
    artefacts: tuple[tuple[str, str], ...] = ()

    def paths(self, folder: Folder) -> list[Path]:
        """The files of the release, on this machine."""
        places = [place for _, place in self.artefacts]
        return [folder.at(name) for name in (self.data, self.card, *places) if name is not None]


def counting_releases(folder: Folder, track: Track, size: int) -> list[TeamRelease]:
    """The releases that count after ``size`` events, without those that are disqualified."""
    state = folder.journal().state(size)
    return [
        one
        for one in last_releases(folder, track, size)
        if not state.excluded(one.team, track.id, one.id)
    ]


def last_releases(folder: Folder, track: Track, size: int) -> list[TeamRelease]:
    """The releases that each team chose, or its last ones, whatever was decided on them."""
    phase = track.phase_for("release")
    keep = 1 if phase is None else phase.keep
    state = folder.journal().state(size)
    submitted = [one for one in submissions(folder) if one.number <= size and one.track == track.id]
    makers = [program.number for program in last_programs(state, submitted, "release", track)]
    by_team: dict[str, list[Submitted]] = {}
    for one in submitted:
        if one.kind == "release":
            by_team.setdefault(one.team, []).append(one)
    out = []
    for team, own in sorted(by_team.items()):
        counting = [
            (number, release)
            for number, release in enumerate(own, start=1)
            if is_chosen(state, release) and release.made_by in (None, *makers)
        ]
        for number, release in counting[-keep:]:
            entry = team if keep == 1 else f"{team}.{number}"
            out.append(_release(track, entry, release))
    return out


def _release(track: Track, entry: str, event: Submitted) -> TeamRelease:
    """A submission as an entry: its data, its card, and what attackers get beside them."""
    phase = next(phase for phase in track.phase if phase.id == event.phase)
    artefacts = phase.artefacts(track.id, event.team)
    (name,) = (name for name in event.files if name != CARD and name not in artefacts)
    card = file_of(event, CARD) if CARD in event.files else None
    handed = tuple(
        (file, file_of(event, file))
        for file, artefact in artefacts.items()
        if artefact.published == "with-release" and file in event.files
    )
    return TeamRelease(entry, event.team, file_of(event, name), card, event.sample, handed)
