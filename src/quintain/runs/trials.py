"""Trials: what the rules, measures and gates of a contest say about built-in sanitizers.

Organisers see it before anybody is invited: a gate that every release passes, or that none
passes, decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quintain.contests import Track
from quintain.data import Data
from quintain.errors import Faults
from quintain.measures import Reading
from quintain.plays import REFUSALS
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.runs.scores.cells import measure_release
from quintain.runs.submissions.checking import with_numbers
from quintain.sanitizers import Sanitizer, sanitize


@dataclass(frozen=True, slots=True)
class GateTrial:
    """One release for a trial: its readings, and why it would not count.

    Parameters
    ----------
    name : the sanitizer, by the name that the rules give it.
    refusal : why the sanitizer makes no release of these data; empty if it made one.
    """

    name: str
    readings: dict[str, Reading]
    failures: tuple[str, ...] = ()
    refusal: str = ""


def try_sanitizers(track: Track) -> Iterator[GateTrial]:
    """Draw private data for a trial, and measure a release of it by each sanitizer of a track."""
    seeds = SeedTree.from_int(0).child("trial", track.id)
    base = track.dataset.data(seeds.rng("base"))
    private = track.sample.draw(base, rng=seeds.rng("sample")).private
    test = track.dataset.test_data(seeds.rng("test"))
    sanitizers = dict(track.entries)
    sanitizers |= {
        baseline.name or baseline.id: baseline.sanitizer
        for baseline in track.baseline
        if baseline.sanitizer
    }
    for name, sanitizer in sanitizers.items():
        yield _try(track, name, sanitizer, private, test, seeds.child(name))


def _try(
    track: Track, name: str, sanitizer: Sanitizer, private: Data, test: Data | None, seeds: SeedTree
) -> GateTrial:
    noise = Noise.for_test(seeds.rng("noise"))
    try:
        made = sanitize(sanitizer, private, rng=seeds.rng("release"), noise=noise)
    except REFUSALS as problem:
        return GateTrial(name, {}, refusal=str(problem))
    release = with_numbers(track, made.release.data, made.trace.origins)
    faults = Faults(name)
    for rule in track.rule:
        rule.check(private, release, faults)
    broken = [fault.message for fault in faults.findings]
    readings = measure_release(track, private, release, test)
    return GateTrial(name, readings, (*broken, *track.gate_failures(readings)))
