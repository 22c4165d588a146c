"""Rounds: submit all files of a track at once, under the names of its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quintain.contests import Track
from quintain.errors import Fault, Faults, Refused, Rejected, SubmissionError
from quintain.journal.events import Submitted
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.checking import guess_file, release_file
from quintain.runs.submissions.submit import submit


@dataclass(frozen=True, slots=True)
class RoundSubmitted:
    """The submissions of a round, and why other teams were refused."""

    submitted: list[Submitted]
    refused: Faults


def submit_round(
    folder: Folder, track: Track, kind: str, files: Mapping[str, bytes]
) -> RoundSubmitted:
    """Submit all teams' releases or guesses, by file name; each team's files are one submission.

    A team with a faulty file is refused and changes nothing; the others are accepted.
    """
    owner = round_names(folder, track, kind)
    by_team: dict[str, dict[str, bytes]] = {}
    for name, content in sorted(files.items()):
        if name in owner:
            by_team.setdefault(owner[name], {})[name] = content
    if not by_team:
        names = ", ".join(list(owner)[:3])
        raise Rejected([Fault(f"no file is a {kind} of this round; expected {names} ...")])
    accepted: list[Submitted] = []
    refused = Faults()
    for team, own in by_team.items():
        try:
            accepted.append(submit(folder, team, own, track=track.id, kind=kind).submission)
        except SubmissionError as error:
            refused.extend(error.faults)
            refused.count(error.total - len(error.faults))
        except Refused as error:
            refused.add(str(error))
    return RoundSubmitted(accepted, refused)


def round_names(folder: Folder, track: Track, kind: str) -> dict[str, str]:
    """The team that each file name of the rules belongs to."""
    teams = folder.state().roster.ids
    if kind == "release":
        pairs = sorted({(release_file(track, t, i), t) for t in teams for i in track.choices})
    else:
        pairs = [
            (guess_file(track, task, team), team) for task in folder.tasks(track) for team in teams
        ]
    phases = [phase for phase in track.phase if phase.submit == kind]
    pairs += [(name, t) for phase in phases for t in teams for name in phase.artefacts(track.id, t)]
    if len(dict(pairs)) < len(pairs):
        raise Rejected(
            [Fault(f"in this edition, the file name of a {kind} does not name its team")]
        )
    return dict(pairs)
