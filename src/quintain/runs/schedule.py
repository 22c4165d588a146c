"""Schedule: find phases that are over, have no dates, or are in an order that cannot work."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import combinations

from quintain.contests import Edition, Phase, Track
from quintain.figures.format import minute
from quintain.runs.finding import Finding

_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def missing_phases(edition: Edition) -> Iterator[Finding]:
    """Find tracks in which nobody can submit anything."""
    for track in edition.track:
        if not track.phase:
            yield Finding(
                "stop",
                "no-phase",
                f"track {track.id} has no [[phase]]",
                "nobody can submit anything",
            )


def phases_over(edition: Edition, now: datetime) -> Iterator[Finding]:
    """Find phases that closed before the contest was launched."""
    for track in edition.track:
        for phase in track.phase:
            if phase.closes is not None and phase.closes <= now:
                yield Finding(
                    "stop",
                    "phase-over",
                    f"track {track.id}: phase {phase.id} closed on {phase.closes:%Y-%m-%d}",
                    f"every {phase.submit} would be refused as too late; change the dates",
                )


def phases_without_dates(edition: Edition) -> Iterator[Finding]:
    """Find phases that never open or close by themselves although others come after them."""
    if sum(len(track.phase) for track in edition.track) < 2:
        return
    for track in edition.track:
        undated = [p.id for p in track.phase if p.opens is None or p.closes is None]
        if undated:
            yield Finding(
                "warning",
                "no-dates",
                f"track {track.id}: {_phases(undated)} no dates, but the contest has several "
                "phases",
                "teams may submit to all of them at any time, also after they have seen what "
                "others submitted; set opens and closes",
            )


def phases_out_of_order(edition: Edition) -> Iterator[Finding]:
    """Find phases of a track that overlap although one needs the other to be over."""
    for track in edition.track:
        for one, other in combinations(track.phase, 2):
            if one.submit != other.submit:
                release, guess = sorted((one, other), key=lambda phase: phase.submit != "release")
                yield from _late_releases(track, release, guess)
            elif _overlap(_span([one]), _span([other])):
                yield Finding(
                    "warning",
                    "overlapping-phases",
                    f"track {track.id}: phases {one.id} and {other.id} are open at the same time "
                    f"for a {one.submit}",
                    f"every {one.submit} would count in {one.id} alone; change the dates",
                )


def _late_releases(track: Track, release: Phase, guess: Phase) -> Iterator[Finding]:
    if release.closes is not None and guess.opens is not None and release.closes > guess.opens:
        yield Finding(
            "stop",
            "late-releases",
            f"track {track.id}: releases are accepted in {release.id} until "
            f"{minute(release.closes)}, but {guess.id} opens before, at {minute(guess.opens)}",
            "attackers can guess only when the releases are handed over, and that is refused while "
            "releases are accepted; let one phase close before the other opens",
        )


def overlapping_rounds(edition: Edition) -> Iterator[Finding]:
    """Find rounds that begin before an earlier one is over; tracks of equal dates are no rounds."""
    spans = [(track.id, _span(track.phase)) for track in edition.track if _is_dated(track)]
    for (one, first), (other, second) in combinations(sorted(spans, key=lambda s: s[1]), 2):
        if first != second and _overlap(first, second):
            yield Finding(
                "warning",
                "overlapping-rounds",
                f"round {other} opens on {second[0]:%Y-%m-%d}, before round {one} closes on "
                f"{first[1]:%Y-%m-%d}",
                f"teams see the data of {other} while they still answer {one}; change the dates, "
                "unless the tracks are meant to run side by side",
            )


def _is_dated(track: Track) -> bool:
    return bool(track.phase) and all(p.opens and p.closes for p in track.phase)


def _span(phases: tuple[Phase, ...] | list[Phase]) -> tuple[datetime, datetime]:
    """From the first opening to the last closing; without dates, all the time there is."""
    return min(p.opens or _FIRST for p in phases), max(p.closes or _LAST for p in phases)


def _overlap(one: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _phases(names: list[str]) -> str:
    return f"phase {names[0]} has" if len(names) == 1 else f"phases {' and '.join(names)} have"
