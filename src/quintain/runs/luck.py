"""Luck: what teams get without any skill, by the people about whom the rules ask them.

Readings of two attackers differ by skill, and by chance: who is asked about easier people.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from quintain.contests import Track
from quintain.runs.leaks import LintFinding

MOST_LUCK = 0.1
"""A difference between two attackers that chance must not exceed, in 19 of 20 cases."""


def few_targets(track: Track) -> Iterator[LintFinding]:
    """Find questions per attacker that are too short to tell two attackers apart."""
    if not track.asks_each or track.targets_each is None:
        return
    asked = track.targets_each * track.repeats
    luck = luck_between(asked)
    if luck > MOST_LUCK:
        yield LintFinding(
            "warning",
            "few-targets",
            f"track {track.id}: each attacker is asked about {asked} people of its own: of two "
            f"equal attackers, one can be right {luck:.2f} more often by chance",
            f"ranks can be luck; ask about {least_targets(track.repeats)} people or more, repeat "
            "the experiment, or let all attackers answer the same question",
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
