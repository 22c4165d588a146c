"""Worst case: the targets that the attacks see best, chosen on one half of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.audits.games.choosing.distinguishers import Scored, score_runs
from quintain.audits.games.choosing.guessing import RULES, Rule, best_rule, confidence_by_training
from quintain.audits.games.record import Record
from quintain.data.arrays import Floats, Mask
from quintain.measures.epsilon.thresholds import best_threshold
from quintain.measures.reading import LEVEL
from quintain.progress import track


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """The chosen targets with their attacks, and what they say of the runs that give the bound.

    Parameters
    ----------
    chosen : one distinguisher per chosen target, the best first.
    rule : which coins of all chosen targets are guessed.
    confidence : for each chosen target, what the attack says of the runs that give the bound.
    coins : for each chosen target, who was in the data of those runs.
    scores : for the best target alone, the scores of those runs.
    threshold : for the best target alone, the score above which a guess is "in".
    """

    chosen: tuple[Scored, ...]
    rule: Rule
    confidence: Floats
    coins: Mask
    scores: Floats
    threshold: float

    def right(self) -> tuple[int, int]:
        """How many guesses about all chosen targets are right, and how many there are."""
        return self.rule.count(self.confidence, self.coins)


def choose_worst(record: Record, targets: int) -> WorstCase:
    """Choose targets, attacks and rules on the training half of the runs alone."""
    training = record.training()
    best = [
        _best_attack(record, target, training)
        for target in track(range(targets), "distinguishers", targets)
    ]
    best.sort(key=lambda pair: (-pair[1], pair[0].target))
    order = [scored for scored, _ in best]
    rule, count, most = RULES[0], 1, -np.inf
    for size in range(1, len(order) + 1):
        confidence, coins = _half(record, order[:size], training)
        candidate, shown = best_rule(confidence, coins)
        if shown > most:
            rule, count, most = candidate, size, shown
    chosen = tuple(order[:count])
    confidence, coins = _half(record, chosen, ~training)
    first = chosen[0]
    threshold = _threshold(first.scores[training], record.coins[training, first.target])
    return WorstCase(chosen, rule, confidence, coins, first.scores[~training], threshold)


def _best_attack(record: Record, target: int, training: Mask) -> tuple[Scored, float]:
    shown = []
    for scored in score_runs(record, target):
        confidence, coins = _half(record, [scored], training)
        shown.append((scored, best_rule(confidence, coins)[1]))
    return max(shown, key=lambda pair: pair[1])


def _half(record: Record, chosen: Sequence[Scored], half: Mask) -> tuple[Floats, Mask]:
    """For each target what its attack says of some runs, and the coins of these."""
    training = record.training()
    confidence = [
        confidence_by_training(
            one.scores[half], one.scores[training], record.coins[training, one.target]
        )
        for one in chosen
    ]
    return np.stack(confidence), np.stack([record.coins[half, one.target] for one in chosen])


def _threshold(known: Floats, coins: Mask) -> float:
    if coins.all() or not coins.any():
        return float(np.median(known))
    return best_threshold(known[coins], known[~coins], 0.0, LEVEL)
