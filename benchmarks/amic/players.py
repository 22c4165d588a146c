"""Strong players for AMIC: which releases pass the gates, and which records attackers find.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.amic.players [--seeds 20]

As in AMIC, 10,000 of 100,000 distinct records are private, and an attacker names 100. Each seed
draws new private data and makes new releases. A release passes a round if it passes every gate.
Hits of 100 are means over the seeds with a 95 % interval; a blind guess has 10. The last column is
the best attacker on each release; the best of several blind guesses is also far above 10.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.amic.utility import MEASURES, made, population, source
from quintain.attacks import Attack, Knowledge
from quintain.data import Table, as_table
from quintain.guesses.membership_set import MembershipSet
from quintain.measures import Reading, reading_rng
from quintain.measures.reading import average
from quintain.plays import Situation, play_or_raise
from quintain.registry import build
from quintain.releases import Release
from quintain.samples import Sample
from quintain.samples.sample import Subset

FIRST = {"histogram": 0.99, "cov. (row)": 0.4, "F Husband": 0.85, "F <=50K": 0.85}
FINAL = {"worst": 0.97, "correlation": 0.1, "F Husband": 0.95, "F <=50K": 0.95}
GUESSES = 100


def trees(at_least: float) -> list[dict[str, Any]]:
    """The two decision trees of AMIC, with the score that a release must keep."""
    return [
        {"target": "relationship", "positive": "Husband", "depth": 3, "at_least": at_least},
        {"target": "income", "positive": "<=50K", "depth": 5, "at_least": at_least},
    ]


SANITIZERS: dict[str, dict[str, Any]] = {
    "annealed, final round": {
        "use": "annealed-synthetic",
        "histogram": None,
        "covariance": None,
        "trees": trees(0.95),
    },
    "annealed, both rounds": {"use": "annealed-synthetic", "trees": trees(0.95)},
    "evasion of age": {"use": "evasion", "columns": ["age"]},
    "microaggregation 5": {"use": "microaggregation", "k": 5},
    "integer noise 4": {"use": "integer-noise", "scale": 4.0},
    "swapping of half": {"use": "swapping", "share": 0.5, "window": 1.0},
    "swapping of all": {"use": "swapping", "window": 1.0},
    "rrp .5": {"use": "rrp", "keep": 0.5},
    "moments": {"use": "moments"},
    "chow-liu": {},
}
ATTACKS: dict[str, dict[str, Any]] = {
    "attack.py": {"use": "nearest", "distance": "euclidean"},
    "linkage": {"use": "record-linkage"},
    "forest": {"use": "forest-ratio"},
    "one-way": {"use": "forest-ratio", "excess": 1e9},
    "tracing": {"use": "tracing"},
}


def chow_liu(table: Table, rng: np.random.Generator) -> Table:
    """Synthetic records from the exact two-way counts along a tree; no noise."""
    from quintain.attacks.membership.tree_ratio import spanning_tree

    edges = spanning_tree(table)
    drawn = {edges[0][0]: rng.choice(table.columns[edges[0][0]], len(table))}
    for parent, child in edges:
        order = np.argsort(table.columns[parent], kind="stable")
        values = table.columns[parent][order]
        low, high = (np.searchsorted(values, drawn[parent], side) for side in ("left", "right"))
        drawn[child] = table.columns[child][order[rng.integers(low, high)]]
    return Table(table.schema, drawn)


def passes(values: Mapping[str, float], bounds: Mapping[str, float]) -> bool:
    """Whether every gate is passed; of correlations, lower is better."""
    return all(
        values[name] <= bound if name == "correlation" else values[name] >= bound
        for name, bound in bounds.items()
    )


def hits(sample: Sample, release: Release, seed: int) -> list[int]:
    """The hits of every attacker."""
    goal = MembershipSet(guesses=GUESSES)
    question, truth = goal.ask(sample, release)
    counts = []
    for spec in ATTACKS.values():
        attacker = build("attack", spec)
        assert isinstance(attacker, Attack)
        knowledge = Knowledge(question, sample.population)
        guess = play_or_raise(
            attacker, Situation(goal, release, knowledge), rng=np.random.default_rng(seed)
        )
        rows, members = guess.table.columns["row"], truth.table.columns["row"]
        counts.append(int(np.isin(rows, members).sum()))
    return counts


def blind(rng: np.random.Generator, rows: int, members: int) -> float:
    """The expected best of as many blind guesses as there are attacks."""
    drawn = rng.hypergeometric(members, rows - members, GUESSES, (100_000, len(ATTACKS)))
    return float(drawn.max(axis=1).mean())


def shown(values: npt.ArrayLike) -> str:
    """A mean with its interval over the seeds."""
    return "{0.value:.1f} [{0.low:.1f}, {0.high:.1f}]".format(
        average([Reading.exact(float(v), GUESSES, "lower") for v in np.asarray(values)])
    )


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--only", nargs="*", default=list(SANITIZERS))
    options = parser.parse_args()
    base = population(10 * options.rows, 0)
    test = as_table(source().test_data(np.random.default_rng(1)))
    people = "real" if source().real else "stand-in"
    print(f"{people} people, {options.seeds} seeds, {options.rows} of {len(base)} private\n")
    print("| release | CPU s | first round | final round |", " | ".join(ATTACKS), "| best |")
    print("|---" * (len(ATTACKS) + 5) + "|")
    for name in options.only:
        passed, counts, seconds = [], [], []
        for seed in range(options.seeds):
            sample = Subset(rows=options.rows).draw(base, rng=np.random.default_rng(seed))
            private = as_table(sample.private)
            start = time.process_time()
            if SANITIZERS[name]:
                release = made(SANITIZERS[name], private, seed)
            else:
                release = Release(chow_liu(private, np.random.default_rng(seed)))
            seconds.append(time.process_time() - start)
            values = {
                title: next(
                    iter(measure.measure(private, release.data, test, rng=reading_rng()).values())
                ).value
                for title, measure in MEASURES.items()
            }
            passed.append([passes(values, FIRST), passes(values, FINAL)])
            counts.append(hits(sample, release, seed))
        rounds = " | ".join(f"{count} of {options.seeds}" for count in np.sum(passed, axis=0))
        cells = " | ".join(shown(column) for column in np.transpose(counts))
        best = shown(np.max(counts, axis=1))
        print(f"| {name} | {np.mean(seconds):.2f} | {rounds} | {cells} | {best} |", flush=True)
    best_blind = blind(np.random.default_rng(0), len(base), options.rows)
    floor = " | ".join(["10.0"] * len(ATTACKS))
    print(f"| blind guesses | | | | {floor} | {best_blind:.1f} |")


if __name__ == "__main__":
    main()
