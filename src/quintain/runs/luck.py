"""Luck: what teams get without any skill, by the people about whom the rules ask them.

Readings of two attackers differ by skill, and by chance: who is asked about easier people. Where
the samples of teams overlap, a team knows rows of others from its own sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from quintain.contests import Edition, Track
from quintain.runs.leaks import LintFinding
from quintain.runs.tasks.shown_targets import shown_count

MOST_KNOWN = 0.05
"""How much more often a team's own rows may be in the sample of another than other rows."""
MOST_LUCK = 0.1
"""A difference between two attackers that chance must not exceed, in 19 of 20 cases."""


def few_targets(track: Track) -> Iterator[LintFinding]:
    """Find questions per attacker that are too short to tell two attackers apart."""
    if not track.asks_each or track.targets_each is None:
        return
    shown_on = track.feedback.shown_on
    shown = 0 if shown_on is None else shown_count(track.targets_each, shown_on)
    ranked = 1 - shown / track.targets_each
    people = (track.targets_each - shown) * track.repeats
    luck, verb = luck_between(people), "ranked by" if shown else "asked about"
    if luck > MOST_LUCK:
        yield LintFinding(
            "warning",
            "few-targets",
            f"track {track.id}: each attacker is {verb} {people} people of its own: of two equal "
            f"attackers, one can be right {luck:.2f} more often by chance",
            f"ranks can be luck; ask about {math.ceil(least_targets(track.repeats) / ranked)} "
            "people or more, repeat the experiment, or let all attackers answer the same question",
        )


def luck_between(targets: int) -> float:
    """By how much two equal attackers' shares of right answers differ at most, in 19 of 20 cases.

    Each is asked about so many people of its own, and an answer is right with probability one
    half, at which chance matters most.

    >>> round(luck_between(100), 3), round(luck_between(400), 3)
    (0.139, 0.069)
    """
    return 1.96 * math.sqrt(2 * 0.25 / targets)


def least_targets(repeats: int = 1) -> int:
    """How many targets keep the difference within :data:`MOST_LUCK`.

    >>> least_targets(), least_targets(repeats=8)
    (193, 25)
    """
    return math.ceil(0.5 * (1.96 / MOST_LUCK) ** 2 / repeats)


def known_rows(track: Track, population: int) -> Iterator[LintFinding]:
    """Find samples whose overlap tells a team who is in the samples of others."""
    rows, common = track.sample.private_size(population), track.sample.common
    if rows is None or common is None or rows >= population:
        return
    own, other = own_row_odds(population, rows, common)
    if abs(own - other) > MOST_KNOWN:
        yield LintFinding(
            "warning",
            "known-rows",
            f"track {track.id}: two teams have {common} of {rows} private records in common: "
            f"{own:.0%} of a team's own records are in the sample of another, and {other:.0%} of "
            "all others",
            f"a team that looks at its own sample alone is right {abs(own - other):.2f} more often "
            f"about one of these than about the other, without any attack; about "
            f"{rows * rows // population} in common tell nothing",
        )


def own_row_odds(population: int, rows: int, common: int) -> tuple[float, float]:
    """How likely a record is in the sample of another team: one of the own sample, and any other.

    >>> own_row_odds(10_000, 1000, 736), own_row_odds(10_000, 1000, 100)
    ((0.736, 0.029333333333333333), (0.1, 0.1))
    """
    return common / rows, (rows - common) / (population - rows)


MOST_EMPTY = 0.05
"""The largest probability with which a cohort may have too few teams."""


def small_cohorts(edition: Edition) -> Iterator[LintFinding]:
    """Find cohorts that may well have too few of the teams that the rules name."""
    teams, cohorts = len(edition.team), edition.cohorts
    if cohorts is None or not teams:
        return
    least = 2 if cohorts.attacks == "own" else 1
    chance = small_cohort_odds(teams, len(cohorts.names), least)
    if chance > MOST_EMPTY:
        yield LintFinding(
            "warning",
            "small-cohorts",
            f"with {teams} teams and {len(cohorts.names)} cohorts, a cohort has fewer than {least} "
            f"with a probability of up to {chance:.0%}",
            "a hash decides, and nobody can move a team afterwards; use fewer cohorts, or wait "
            "for more teams",
        )


def small_cohort_odds(teams: int, cohorts: int, least: int) -> float:
    """How likely it is at most that some cohort has fewer than ``least`` teams.

    >>> small_cohort_odds(4, 2, 1), round(small_cohort_odds(10, 2, 2), 4)
    (0.125, 0.0215)
    """
    share = 1 / cohorts
    few = [math.comb(teams, n) * share**n * (1 - share) ** (teams - n) for n in range(least)]
    return min(1.0, cohorts * sum(few))
