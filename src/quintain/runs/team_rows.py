"""Team rows: what the rows of a release could do to a contest whose teams choose them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quintain.contests import Track
from quintain.data import Data, Table
from quintain.measures import RecordMeasure
from quintain.releases import NumberedRelease, RowsRule
from quintain.runs.finding import Finding
from quintain.runs.scores.cells import gate_failures, measure_release
from quintain.runs.submissions.team_release import with_numbers


def wrong_numbers(track: Track, private: Data, test: Data | None) -> Iterator[Finding]:
    """Find gates that accept the private data themselves, each row with the number of another.

    The judge takes the numbers of a team for the truth. Attackers who find the right row of such a
    release are told that they are wrong. Each row gets the number of the row before it in sorted
    order, which is often similar.
    """
    if not (track.goal.needs_origins and track.teams_release and isinstance(private, Table)):
        return
    order = private.order()
    origins = np.empty_like(order)
    origins[order] = np.roll(order, 1)
    lie = NumberedRelease(private, origins).with_numbers()
    if gate_failures(track, measure_release(track, private, lie, test)):
        return
    measured = any(isinstance(one.measure, RecordMeasure) for one in track.release_measures)
    yield Finding(
        "warning" if measured else "stop",
        "wrong-numbers",
        f"track {track.id}: the private data themselves pass every gate, if each row names the "
        "private record of another row",
        "no attack on such a release can succeed, though it hides nothing; measure utility record "
        'by record, with a gate: utility = [{ use = "equal-cells", at_least = ... }]',
    )


def too_many_rows(track: Track, private: Data, most: int) -> Iterator[Finding]:
    """Find tables of teams that may have any number of records up to ``most``, a file's limit."""
    if not (track.teams_release and isinstance(private, Table)):
        return
    if any(isinstance(rule, RowsRule) and (rule.same or rule.most) for rule in track.rule):
        return
    yield Finding(
        "warning",
        "too-many-rows",
        f"track {track.id}: a release may have {most:,} records; the private data have "
        f"{len(private):,}",
        "attacks compare each record with every target, so one team can make scoring take hours "
        'and all memory; add a rule: rule = [{ use = "rows", most = ... }]',
    )


def other_samples(track: Track, private: Data, other: Data, test: Data | None) -> Iterator[Finding]:
    """Find gates that accept another sample of a team as the release of the one that it names.

    ``other`` is a further sample by the design of the track.
    """
    if not track.teams_release or other.digest() == private.digest():
        return
    origins = np.arange(len(other))
    origins[len(private) :] = -1
    if gate_failures(
        track, measure_release(track, private, with_numbers(track, other, origins), test)
    ):
        return
    yield Finding(
        "warning",
        "other-samples",
        f"track {track.id}: each team has {track.samples} samples, and one of them, unchanged, "
        "passes every gate as the release of another",
        "attackers look for people of the sample that the team names, so no attack on such a "
        "release can succeed, though it shows true records; set a gate that a fresh sample fails, "
        "or leave samples out",
    )
