"""Worst case: the targets that the attacks see best, chosen on one half of the runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.audits.games.distinguishers import Scored, score_runs
from quintain.audits.games.guessing import Rule, best_rule, relative_ranks
from quintain.audits.games.record import Record
from quintain.data.arrays import Floats, Mask
from quintain.progress import track


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """The chosen targets with their attacks, and what they say of the runs that give the bound.

    Parameters
    ----------
    chosen : one distinguisher per chosen target, the best first.
    rule : which coins of all chosen targets are guessed.
    ranks : for each chosen target, the ranks of the runs that give the bound.
    coins : for each chosen target, who was in the data of those runs.
    threshold : for the best target alone, the score above which a guess is "in".
    """

    chosen: tuple[Scored, ...]
    rule: Rule
    ranks: Floats
    coins: Mask
    threshold: float

    def right(self) -> tuple[int, int]:
        """How many guesses about all chosen targets are right, and how many there are."""
        return self.rule.count(self.ranks.ravel(), self.coins.ravel())


def choose_worst(record: Record, targets: int) -> WorstCase:
    """Choose targets, attacks and rules on the training half of the runs alone."""
    training = record.training()
    best = [
        _best_attack(record, target, training)
        for target in track(range(targets), "distinguishers", targets)
    ]
    best.sort(key=lambda pair: (-pair[1], pair[0].target))
    order = [scored for scored, _ in best]
    rule, count, most = Rule(0.5, 0.5), 1, -np.inf
    for size in range(1, len(order) + 1):
        ranks, coins = _half(record, order[:size], training)
        candidate, shown = best_rule(ranks.ravel(), coins.ravel())
        if shown > most:
            rule, count, most = candidate, size, shown
    chosen = tuple(order[:count])
    ranks, coins = _half(record, chosen, ~training)
    first = chosen[0]
    threshold = best_threshold(first.scores[training], record.coins[training, first.target])
    return WorstCase(chosen, rule, ranks, coins, threshold)


def _best_attack(record: Record, target: int, training: Mask) -> tuple[Scored, float]:
    coins = record.coins[training, target]
    shown = [
        (scored, best_rule(relative_ranks(scored.scores[training]), coins)[1])
        for scored in score_runs(record, target)
    ]
    return max(shown, key=lambda pair: pair[1])


def _half(
    record: Record, chosen: list[Scored] | tuple[Scored, ...], half: Mask
) -> tuple[Floats, Mask]:
    ranks = np.stack([relative_ranks(scored.scores[half]) for scored in chosen])
    return ranks, np.stack([record.coins[half, scored.target] for scored in chosen])


def best_threshold(scores: Floats, coins: Mask) -> float:
    """The score that separates the two kinds of runs best: most right guesses on either side."""
    values = np.unique(scores)
    between = np.concatenate([values[:1] - 1, (values[1:] + values[:-1]) / 2])
    right = [int(((scores > value) == coins).sum()) for value in between]
    return float(between[int(np.argmax(right))])
