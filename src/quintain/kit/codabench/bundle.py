"""Bundle: the current phase of a contest as one zip that organisers upload to CodaBench.

::

    competition.yaml     title, pages, one task, phases, one leaderboard
    logo.png, pages/     what visitors see
    public_data/         from the participant's kit: schema, population, releases, questions
    starting_kit/        a checker and README.md; for guesses also examples and a baseline
    scoring_program/     score.py and its modules, plan.json, metadata.yaml
    reference_data/      for guesses: the truth, or one half of it
    ORGANISERS.md        what CodaBench has no setting for

If teams make releases, the bundle is the release phase until the hand-over, and the guess phase
after it. Each is a competition of its own on CodaBench, because a bundle cannot add tasks to one.

What participants can download is a part of their kit. The truth is in the reference data and
nowhere else. It is not among the solutions, because everybody sees those.
"""

from __future__ import annotations

from typing import Literal

from quintain.contests import Track
from quintain.errors import Refused, Rejected
from quintain.kit.codabench.cautions import cautions
from quintain.kit.codabench.guess_bundle import guess_site, worker_files
from quintain.kit.codabench.plan import Where
from quintain.kit.codabench.refusals import require_exportable
from quintain.kit.codabench.release_bundle import release_site
from quintain.kit.codabench.yaml.schema import check_bundle
from quintain.kit.kit import public_files
from quintain.runs.folder.folder import Folder
from quintain.runs.lint import rehearsal_note
from quintain.runs.submissions.admission import choose_track
from quintain.runs.submissions.upload import zip_bytes


def bundle_bytes(folder: Folder, *, truth: Where = "bundle", track: str | None = None) -> bytes:
    """The zip to upload; the same folder gives the same bytes.

    Parameters
    ----------
    truth : "bundle" puts the truth into the reference data; "worker" splits it, see
        :func:`worker_bytes`.
    track : the track, if the edition has several. CodaBench has one leaderboard and no parallel
        phases, so a bundle has one track.
    """
    chosen = _exportable(folder, track)
    if current_phase(folder, chosen) == "release":
        _require_truth_in_bundle(chosen, truth)
        site = release_site(folder, chosen)
    else:
        site = guess_site(folder, chosen, truth)
    files = site.files(public_files(folder, chosen), rehearsal_note(folder).encode())
    faults = [*check_bundle(files), *cautions(files)]
    if faults:
        raise Rejected(faults)
    return zip_bytes(files)


def worker_bytes(folder: Folder, *, track: str | None = None) -> bytes:
    """The zip for the worker of a bundle made with ``truth="worker"``: the other half of the truth.

    Unpack it where the worker mounts ``/app/data``.
    """
    return zip_bytes(worker_files(folder, _exportable(folder, track)))


def current_phase(folder: Folder, track: Track) -> Literal["release", "guess"]:
    """What teams submit now: releases until they are handed over, then guesses."""
    waiting = track.teams_release and track.id not in folder.state().handed_over
    return "release" if waiting else "guess"


def _exportable(folder: Folder, name: str | None) -> Track:
    """The track, if its current phase can run on CodaBench."""
    folder.require_prepared()
    track = choose_track(folder.edition(), name)
    require_exportable(track, current_phase(folder, track))
    return track


def _require_truth_in_bundle(track: Track, truth: Where) -> None:
    if truth == "worker":
        raise Refused(
            f"the releases of track {track.id} are not handed over, so there is no truth to split: "
            "leave --truth worker out"
        )
