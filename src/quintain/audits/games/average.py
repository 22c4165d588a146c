"""Average people: how well releases show who is in, for people who were drawn at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.audits.games.guessing import Rule, best_rule, relative_ranks
from quintain.audits.games.observer import SHARED
from quintain.audits.games.record import Record
from quintain.data.arrays import Floats, Mask


@dataclass(frozen=True, slots=True, eq=False)
class AveragePeople:
    """The attack and the rule that were chosen on one half, and what they say of the other half.

    Parameters
    ----------
    attack : the name of the chosen evidence.
    scores : runs x people, for the runs that give the bound.
    coins : who was in the data.
    raw : the scores of every attack as they were, for curves and areas.
    """

    attack: str
    rule: Rule
    scores: Floats
    coins: Mask
    raw: dict[str, Floats]

    def right(self) -> tuple[int, int]:
        """How many guesses are right, and how many there are."""
        return self.rule.count(relative_ranks(self.scores.ravel()), self.coins.ravel())


def choose_average(record: Record, worst: int) -> AveragePeople:
    """Choose the evidence and the rule on the training half of the runs alone.

    Scores of a person are compared with those of the same person in other runs, because what is
    usual differs between people.
    """
    training = record.training()[record.watched]
    coins = record.coins[record.watched, worst:]
    tried = []
    for place, name in enumerate(SHARED):
        raw = record.shared[:, worst:, place]
        scores = _calibrated(raw, training)
        rule, shown = best_rule(relative_ranks(scores[training].ravel()), coins[training].ravel())
        tried.append((shown, name, rule, scores))
    _, name, rule, scores = max(tried, key=lambda one: one[0])
    raw_scores = {n: record.shared[~training, worst:, i] for i, n in enumerate(SHARED)}
    return AveragePeople(name, rule, scores[~training], coins[~training], raw_scores)


def _calibrated(scores: Floats, training: Mask) -> Floats:
    """Scores of each person relative to the training runs."""
    middle, spread = scores[training].mean(axis=0), scores[training].std(axis=0)
    return np.asarray((scores - middle) / (spread + np.median(spread) + 1e-9))
