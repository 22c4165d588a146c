"""Sample choice: which of its private samples a team releases, where it has several."""

from __future__ import annotations

import re
from collections.abc import Iterable

from quintain.contests import Track
from quintain.errors import Refused
from quintain.runs.submissions.admission import Admission


def chosen_sample(admission: Admission, files: Iterable[str], given: int | None) -> int | None:
    """The number of the sample that a release is made from; None where there is no choice.

    ``given`` is what the team says. The name of the file says it, too, if the rules put {sample}
    into it. A built-in player releases its first sample.
    """
    track = admission.track
    if admission.phase.submit != "release" or track.samples == 1:
        if given is not None:
            raise Refused("there is no choice among samples here: leave --sample out")
        return None
    named = {number for name in files if (number := named_sample(track, admission.team, name))}
    chosen = {given} - {None} | named
    if not chosen and admission.entrant.built_in:
        return 1
    if len(chosen) != 1:
        what = "two samples are named" if chosen else "no sample is named"
        raise Refused(f"{what}: say from which one you made the release, {_choices(track)}")
    (number,) = chosen
    if number not in track.choices:
        raise Refused(f"sample {number} does not exist: choose one, {_choices(track)}")
    return number


def named_sample(track: Track, team: str, name: str) -> int | None:
    """The number of the sample in the name of a release; None if there is none in it."""
    template = track.files.release or ""
    if "{sample}" not in template:
        return None
    before, after = template.format(track=track.id, team=team, sample="\n").split("\n", 1)
    match = re.fullmatch(f"{re.escape(before)}([0-9]{{1,4}}){re.escape(after)}", name)
    return None if match is None else int(match[1])


def _choices(track: Track) -> str:
    numbers = f"--sample 1 to --sample {track.samples}"
    return f"{numbers}; it is also in the name of the file" if _in_name(track) else numbers


def _in_name(track: Track) -> bool:
    return "{sample}" in (track.files.release or "")
