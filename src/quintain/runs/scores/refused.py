"""Refused: which releases and attacks of a track are missing because a part refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quintain.figures.counts import count
from quintain.rankings import Refusals
from quintain.runs.folder import cached
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.view import TrackView, read_refused
from quintain.runs.tasks.baselines import absent_releases

_SHOWN = 5
"""How many entries a sentence names."""


def refusals_of(folder: Folder, view: TrackView) -> Refusals:
    """Read the reasons that jobs left in the folder; run the jobs first."""
    releases = folder.refused(view.track) | dict(_releases(folder, view))
    return Refusals(releases, dict(_attacks(folder, view)))


def _releases(folder: Folder, view: TrackView) -> Iterator[tuple[str, str]]:
    """The players of a rehearsal that made no release."""
    for job in absent_releases(folder, view.track):
        team = str(job.args[1])
        path = folder.at(cached.refused_release(view.track.id, team))
        if path.is_file():
            yield team, path.read_text().strip()


def _attacks(folder: Folder, view: TrackView) -> Iterator[tuple[tuple[str, str], str]]:
    """The cells without a guess; of several repetitions, the first that was refused says why."""
    for baseline in view.track.baseline:
        place = folder.at(cached.refused_guesses(view.track.id, baseline.id))
        for entry, reason in read_refused(place, view.tasks).items():
            yield (entry, baseline.id), reason


def refusal_sentences(tracks: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """What parts refused, one sentence per reason; ``tracks`` are those of the standings."""
    for name, track in tracks:
        where = f" in track {name}" if len(tracks) > 1 else ""
        refused = track.get("refused", {"releases": (), "attacks": ()})
        for one in refused["releases"]:
            yield f"the release of {one['id']}{where}: {one['reason']}"
        pairs = {(one["entry"], one["attacker"]): one["reason"] for one in refused["attacks"]}
        for (attacker, reason), entries in Refusals(attacks=pairs).by_reason().items():
            some = ", ".join(entries[:_SHOWN]) + (" ..." if len(entries) > _SHOWN else "")
            of = f"{len(entries)} of {count(len(track['entries']), 'entry', 'entries')}"
            yield f"{attacker} on {of}{where} ({some}): {reason}"
