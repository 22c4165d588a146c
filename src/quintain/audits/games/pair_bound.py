"""Pair bound: the runs on two neighbouring data sets, from the first call to a bound on epsilon.

Training runs come in two rounds. The first tries all pairs of neighbours. The second asks more
about the two that show most. Then one pair and one rule are fixed, and only runs that nobody has
looked at give the bound. So the choice costs nothing, however much is tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quintain.audits.games.design import smallest_refuted
from quintain.audits.games.distinguishing import TellingRule, best_rule
from quintain.audits.games.pair_runs import (
    PairGame,
    PairRuns,
    play_pair,
    read_pair,
    runs_per_job,
)
from quintain.audits.results import EpsilonBound
from quintain.jobs.executor import Executor
from quintain.measures import Reading
from quintain.measures.epsilon.joint_exact import JointExact
from quintain.measures.epsilon.method import Counts
from quintain.releases import Claim

TRAINING = 0.4
"""The share of the runs that chooses; of many runs, half of that."""
MANY = 1000
FIRST = 0.6
"""The share of the training runs in the first round, over all pairs."""
FINALISTS = 2
FEWEST = 2
"""So many runs of either side each pair has in the first round at least."""


@dataclass(frozen=True, slots=True)
class PairRounds:
    """How many runs either side of a pair has in each round.

    >>> PairRounds.of(100, pairs=6)
    PairRounds(first=2, second=4, reading=30)
    >>> PairRounds.of(5000, pairs=6)
    PairRounds(first=50, second=100, reading=2000)
    """

    first: int
    second: int
    reading: int

    @classmethod
    def of(cls, runs: int, pairs: int) -> PairRounds:
        """Divide the runs of a setting among the rounds."""
        training = int(runs * (TRAINING if runs < MANY else TRAINING / 2))
        first = max(FEWEST, int(training * FIRST) // (2 * pairs))
        finalists = min(FINALISTS, pairs)
        second = max(FEWEST, (training - 2 * pairs * first) // (2 * finalists))
        reading = (runs - 2 * pairs * first - 2 * finalists * second) // 2
        return cls(first, second, max(FEWEST, reading))


def most_pairs(runs: int) -> int:
    """How many pairs so few runs can try; those with made-up people come first.

    >>> [most_pairs(runs) for runs in (20, 60, 100)]
    [1, 5, 9]
    """
    return max(1, runs // 10 - 1)


@dataclass(frozen=True, slots=True)
class PairResult:
    """What the runs on two neighbouring data sets prove.

    Parameters
    ----------
    refutes : the least true epsilon that this design refutes in 80 of 100; None without a claim,
        and if there is none.
    """

    bound: EpsilonBound
    refutes: float | None


def play_pairs(
    game: PairGame,
    root: Path,
    key: str,
    runs: int,
    claim: Claim | None,
    *,
    level: float,
    executor: Executor,
    label: str,
) -> PairResult:
    """Play all rounds, and read the last one."""
    every = range(min(len(game.pairs), most_pairs(runs)))
    rounds, per_job = PairRounds.of(runs, len(every)), runs_per_job(runs)
    delta = 0.0 if claim is None else claim.delta
    first = range(rounds.first)

    def play(pairs: list[int], span: range, what: str) -> None:
        wanted = [(pair, span) for pair in pairs]
        words = f"{label}: {what}"
        play_pair(game, root, key, wanted, executor=executor, label=words, per_job=per_job)

    play(list(every), first, "neighbours, trying all pairs")
    seen = {pair: read_pair(root, pair, [first], per_job) for pair in every}
    rules = {pair: best_rule(runs, delta) for pair, runs in seen.items()}
    best = sorted(rules, key=lambda pair: _rank(rules[pair]), reverse=True)[:FINALISTS]
    # Numbers of runs begin anew in each round, at multiples of a job.
    begins = _after(rounds.first, per_job)
    second = range(begins, begins + rounds.second)
    play(best, second, "neighbours, choosing")
    taught = {pair: read_pair(root, pair, [first, second], per_job) for pair in best}
    chosen = {pair: best_rule(runs, delta) for pair, runs in taught.items()}
    winner = max(best, key=lambda pair: _rank(chosen[pair]))
    rule = chosen[winner]
    begins = _after(second.stop, per_job)
    last = range(begins, begins + rounds.reading)
    play([winner], last, "neighbours, reading")
    fresh = read_pair(root, winner, [last], per_job)
    bound = _bound_about(game.pairs[winner].name, rule, fresh, delta, level)
    refutes = (
        None
        if claim is None
        else smallest_refuted(claim.epsilon, rounds.reading, delta=delta, level=level)
    )
    return PairResult(bound, refutes if refutes != np.inf else None)


def _rank(rule: TellingRule | None) -> tuple[float, float]:
    return (-1.0, 0.0) if rule is None else rule.rank


def _after(stop: int, per_job: int) -> int:
    return -(-stop // per_job) * per_job


def _bound_about(
    who: str, rule: TellingRule | None, fresh: PairRuns, delta: float, level: float
) -> EpsilonBound:
    inside, method = fresh.inside, JointExact()
    scores = np.zeros(len(inside)) if rule is None else rule.scores(fresh)
    counts = Counts.above(0.0, scores[inside], scores[~inside])
    value = method.of_counts(counts, delta=delta, level=level)
    reading = Reading.at_least(value, counts.n, "lower", method=method.name, level=level)
    note = (
        f"{who}: said to be in the data after {counts.hits} of {counts.with_it} runs with them, "
        f"and after {counts.false} of {counts.without} without them"
    )
    perfect = Counts.perfect(counts.with_it, counts.without)
    return EpsilonBound(
        method=method.name,
        attack="nothing ever differs" if rule is None else rule.name,
        target="neighbours",
        bound=reading.model_copy(update={"note": note}),
        ceiling=method.of_counts(perfect, delta=delta, level=level),
        decides=True,
    )
