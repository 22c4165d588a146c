"""Average people: how well releases show who is in, for people who were drawn at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.audits.games.choosing.guessing import Rule, best_rule, confidence_by_rank
from quintain.audits.games.record import Record
from quintain.audits.games.seeing.observer import SHARED
from quintain.data.arrays import Floats, Mask
from quintain.kernels.tables.logistic import logistic_weights

RIDGE = 10.0


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
        return self.rule.count(confidence_by_rank(self.scores.ravel()), self.coins.ravel())


def choose_average(record: Record, worst: int) -> AveragePeople:
    """Choose the evidence and the rule on the training half of the runs alone.

    Scores of a person are compared with those of the same person in other runs, because what is
    usual differs between people.
    """
    training = record.training()[record.watched]
    coins = record.coins[record.watched, worst:]
    raw = record.shared[:, worst:]
    moving = [place for place in range(raw.shape[2]) if np.ptp(raw[:, :, place]) > 0]
    kinds = {SHARED[place]: raw[:, :, place] for place in moving} or {SHARED[0]: raw[:, :, 0]}
    calibrated = {name: _calibrated(scores, training) for name, scores in kinds.items()}
    calibrated["combined"] = _combined(list(calibrated.values()), coins, training)
    tried = []
    for name, scores in calibrated.items():
        rule, shown = best_rule(
            confidence_by_rank(scores[training].ravel()), coins[training].ravel()
        )
        tried.append((shown, name, rule))
    _, name, rule = max(tried, key=lambda one: one[0])
    scores = calibrated[name][~training]
    others = {kind: values[~training] for kind, values in kinds.items()}
    others["combined"] = calibrated["combined"][~training]
    return AveragePeople(name, rule, scores, coins[~training], others)


def _combined(kinds: list[Floats], coins: Mask, training: Mask) -> Floats:
    """All kinds of evidence together, with weights from the training runs of all people."""
    table = np.stack(kinds, axis=2)
    known = table[training].reshape(-1, table.shape[2])
    weights = logistic_weights(known, coins[training].ravel(), RIDGE)
    return np.asarray(table @ weights[1:])


def _calibrated(scores: Floats, training: Mask) -> Floats:
    """Scores of each person relative to the training runs."""
    middle, spread = scores[training].mean(axis=0), scores[training].std(axis=0)
    return np.asarray((scores - middle) / (spread + np.median(spread) + 1e-9))
