"""Shown releases: what a contest gives away with its releases, beside the releases themselves."""

from __future__ import annotations

import math
from collections.abc import Iterator

from quintain.contests import Track
from quintain.contests.feedback import EXACT_BITS
from quintain.figures.counts import count
from quintain.runs.finding import Finding
from quintain.runs.leaks import phase_submissions


def shown_utility(track: Track, tests: int) -> Iterator[Finding]:
    """Find utility that is shown with every release and rests on secret test records.

    A team has its own sample, so utility on public records tells it nothing new. ``tests`` is the
    number of test records.
    """
    if track.feedback.releases == "none" or not track.tests_in_secret or not tests:
        return
    tries = sum(phase_submissions(phase) for phase in track.phase if phase.submit == "release")
    bits = tries * utility_bits(track)
    limited = math.isfinite(bits)
    much = f"at most {bits:.0f} bits" if limited else "any number of bits"
    yield Finding(
        "warning" if limited else "stop",
        "shown-utility",
        f"track {track.id} shows the utility of every release on {count(tests, 'secret record')}: "
        f"a team can gain {much} about them",
        "a team can fit its release to the test records. Limit the submissions of the phase, show "
        "fewer digits, measure within bounds, or make the test records public",
    )


def utility_bits(track: Track) -> float:
    """The most bits that the readings of one release tell: their rounded values and their gates."""
    bits, digits = 0.0, track.feedback.digits
    for measured in track.release_measures:
        low, high = measured.measure.within
        levels = (high - low) * 10.0**digits + 2  # one more if nothing is measured
        value = min(math.log2(levels), EXACT_BITS)
        bits += sum(value + bool(measured.gate(name).bounds) for name in measured.reads)
    return bits


def unread_artefacts(track: Track) -> Iterator[Finding]:
    """Find files that attackers get and that no rule, gate or measure reads."""
    for phase in track.phase:
        for artefact in phase.artefact:
            if artefact.published == "with-release":
                yield Finding(
                    "warning",
                    "unread-artefact",
                    f"track {track.id}: {artefact.name} ({artefact.file}) goes to the attackers, "
                    "and no rule, gate or built-in attack reads it",
                    "it can hold the private data themselves, or undo what the release hides; the "
                    "utility of the release does not count what it adds",
                )
