"""Readings of releases: the names that a track gives them, and those computed from others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from quintain.measures import Direction, Reading

if TYPE_CHECKING:
    from quintain.contests.edition import Track


def directions(track: Track) -> dict[str, Direction]:
    """Every reading of releases, measured, given or derived, and which direction is better."""
    better = {name: how for one in track.release_measures for name, how in one.reads.items()}
    better |= {given.name: given.better for given in track.given}
    for derived in track.derived:
        better[derived.name] = derived.better or better[derived.of[0]]
    return better


def with_derived(track: Track, readings: Mapping[str, Reading]) -> dict[str, Reading]:
    """The readings with every derived one whose parts are there; a given one stays as it is."""
    out = dict(readings)
    for derived in track.derived:
        if derived.name not in out and all(name in out for name in derived.names):
            out[derived.name] = derived.reading(out)
    return out


def with_given(
    track: Track, readings: Mapping[str, Reading], entry: str, owner: str | None
) -> dict[str, Reading]:
    """The readings of an entry with those that come from outside, and those derived from them."""
    given = {one.name: one.reading(entry, owner) for one in track.given}
    return with_derived(track, {**readings, **given})


def given_failures(track: Track, readings: Mapping[str, Reading]) -> list[str]:
    """One sentence for each gate that a given reading fails; one that is not there fails none."""
    return [
        failure
        for given in track.given
        if given.name in readings and readings[given.name].measured
        for failure in given.failures(readings[given.name])
    ]
