"""How well attacks find households in SNAKE 1, and whether ours beat the winner's; prints tables.

    QUINTAIN_DATA=folder-with-snake_base.parquet python -m benchmarks.snake.attacks [--reps 20]

Every repetition is a task like those of 2023: 50 of 100 households of at least five among about
9,730 people, with repeats of households; the release has 10,000 records. All attacks see the same
release and have the same number of shadow runs, so the tables compare them in pairs. Without the
real data the benchmark uses the stand-in. It keeps finished repetitions in ``benchmarks/results``
and does not run them again; delete the file after a change to an attack or a sanitizer.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.snake_task import DESIGN, EPSILONS, ROWS, source
from quintain import registry
from quintain.attacks import Attack, Knowledge, attack
from quintain.data import Table
from quintain.guesses import members_and_scores
from quintain.guesses.membership import Membership
from quintain.jobs.job import fingerprint
from quintain.measures.privacy.membership.auc import auc
from quintain.measures.privacy.membership.confidence_weighted import weighted_score
from quintain.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.shadow import Shadow

KEPT = Path(__file__).resolve().parent.parent / "results" / "snake_attacks.jsonl"
WINNER = "mama-mia"
OURS = ("matched-filter", "tree-ratio", "shadow-trained", "density-ratio", "nearest")
SEED = 0
# A plain re-implementation of MAMA-MIA with five shadow runs on such tasks: AUC and historic score,
# against a prototype of MST and the PrivBayes of the contest, over 4 to 20 repetitions.
# Last, the winner's score on the final board of 2023-11-20: a single draw each.
BEFORE = {
    ("mst", 1.0): (0.526, 0.530, 0.606),
    ("mst", 10.0): (0.708, 0.725, 0.788),
    ("mst", 100.0): (0.807, 0.824, 0.763),
    ("mst", 1000.0): (0.818, 0.829, 0.809),
    ("privbayes", 1.0): (0.518, 0.521, 0.648),
    ("privbayes", 10.0): (0.586, 0.594, 0.709),
    ("privbayes", 100.0): (0.836, 0.851, 0.835),
    ("privbayes", 1000.0): (0.967, 0.967, 0.938),
}

Cell = tuple[str, float]
Figures = dict[Cell, dict[str, dict[str, np.ndarray[Any, Any]]]]


@dataclass(frozen=True, slots=True)
class Repetition:
    """One task: a sanitizer, an epsilon and the number of the draw."""

    sanitizer: str
    epsilon: float
    number: int

    def part(self) -> Sanitizer:
        """The sanitizer under attack."""
        part = registry.find("sanitizer", self.sanitizer)
        assert issubclass(part, Sanitizer)
        return part(epsilon=self.epsilon, rows=ROWS)

    def key(self) -> str:
        """A fingerprint of everything that decides its figures, except the code."""
        specs = [attacker.spec() for attacker in attackers().values()]
        return fingerprint(self, self.part().spec(), specs, DESIGN.spec(), SEED, source().spec())


@cache
def population() -> Table:
    """The base data, loaded once."""
    return source().data(np.random.default_rng(SEED))


@cache
def attackers() -> dict[str, Attack]:
    """The attacks with their default parameters."""
    by_name = {}
    for name in (WINNER, *OURS):
        part = registry.find("attack", name)
        assert issubclass(part, Attack)
        by_name[name] = part()
    return by_name


def run(repetition: Repetition) -> dict[str, Any]:
    """Draw, sanitize, attack and score; the draw of a number is the same for every cell."""
    rng = np.random.default_rng([SEED, repetition.number])
    sample = DESIGN.draw(population(), rng=rng)
    sanitizer = repetition.part()
    release = sanitize(sanitizer, sample.private, rng=rng, noise=Noise.for_test(rng)).release
    question, truth = Membership().ask(sample, release)
    knowledge = Knowledge(question, population(), sanitizer.spec(), Shadow(sanitizer))
    figures = {}
    for name, attacker in attackers().items():
        begin = time.process_time()
        rng = np.random.default_rng([SEED, repetition.number, 1])
        members, scores = members_and_scores(truth, attack(attacker, knowledge, release, rng=rng))
        figures[name] = {
            "auc": auc(members, scores).value,
            "score": float(weighted_score(members[None], scores[None])[0]),
            "cpu": time.process_time() - begin,
        }
    return {"key": repetition.key(), "figures": figures}


def collect(wanted: Sequence[Repetition], processes: int) -> dict[str, dict[str, Any]]:
    """The figures of all repetitions by key; runs and keeps those that are missing."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = KEPT.read_text().splitlines() if KEPT.is_file() else []
    figures = {}
    for line in lines:
        # A run that was killed may leave half a line.
        if line.endswith("}"):
            figures |= {(kept := json.loads(line))["key"]: kept["figures"]}
    todo = [one for one in wanted if one.key() not in figures]
    with ExitStack() as stack:
        file = stack.enter_context(KEPT.open("a"))
        file.write("\n" if lines and not lines[-1].endswith("}") else "")
        if todo:
            population()  # before the fork, so that the processes share it
        pool = stack.enter_context(multiprocessing.get_context("fork").Pool(processes))
        for done in pool.imap_unordered(run, todo):
            file.write(json.dumps(done) + "\n")
            file.flush()
            figures[done["key"]] = done["figures"]
    return figures


def by_cell(wanted: Sequence[Repetition], by_key: dict[str, dict[str, Any]]) -> Figures:
    """For each cell, attack and kind of figure, the values in the order of the draws."""
    out: Figures = {}
    for cell in dict.fromkeys((one.sanitizer, one.epsilon) for one in wanted):
        lines = [by_key[o.key()] for o in wanted if (o.sanitizer, o.epsilon) == cell]
        out[cell] = {
            name: {kind: np.array([line[name][kind] for line in lines]) for kind in lines[0][name]}
            for name in (WINNER, *OURS)
        }
    return out


def mean_and_error(values: np.ndarray[Any, Any], sign: str = "") -> str:
    """Mean and standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():{sign}.3f} ± {error:.3f}"


def print_areas(figures: Figures) -> None:
    """Print the AUC of every attack."""
    print(f"| | {WINNER} before | {WINNER} | {' | '.join(OURS)} |")
    print("|---" * (3 + len(OURS)) + "|")
    for (sanitizer, epsilon), of in figures.items():
        cells = [mean_and_error(of[name]["auc"]) for name in (WINNER, *OURS)]
        before = f"{BEFORE[sanitizer, epsilon][0]:.3f}"
        print(f"| {sanitizer} {epsilon:g} | {before} | {' | '.join(cells)} |")


def print_differences(figures: Figures) -> None:
    """Print each of ours minus the winner, on the same releases; a star marks real differences."""
    from scipy.stats import ttest_rel

    pairs = [(cell, name) for cell in figures for name in OURS]
    chances = {
        (cell, name): float(
            ttest_rel(figures[cell][name]["auc"], figures[cell][WINNER]["auc"]).pvalue
        )
        for cell, name in pairs
    }
    # Holm: the smallest of m chances must be below .05 / m, the next below .05 / (m - 1), ...
    sure = set()
    for left, pair in enumerate(sorted(pairs, key=chances.__getitem__)):
        if not chances[pair] < 0.05 / (len(pairs) - left):
            break
        sure.add(pair)
    print(f"| | {' | '.join(OURS)} |")
    print("|---" * (1 + len(OURS)) + "|")
    for (sanitizer, epsilon), of in figures.items():
        cells = [
            mean_and_error(of[name]["auc"] - of[WINNER]["auc"], "+")
            + (" *" if ((sanitizer, epsilon), name) in sure else "")
            for name in OURS
        ]
        print(f"| {sanitizer} {epsilon:g} | {' | '.join(cells)} |")


def print_scores(figures: Figures) -> None:
    """Print the historic score beside the board of 2023, and the CPU seconds of all attacks."""
    print(f"| | board 2023 | before | {WINNER} | best of ours | | CPU s, all attacks |")
    print("|---|---|---|---|---|---|---|")
    for (sanitizer, epsilon), of in figures.items():
        _, before, board = BEFORE[sanitizer, epsilon]
        best = max(OURS, key=lambda name: float(np.mean(of[name]["score"])))
        cost = sum(float(of[name]["cpu"].mean()) for name in of)
        scores = " | ".join(mean_and_error(of[name]["score"]) for name in (WINNER, best))
        start = f"| {sanitizer} {epsilon:g} | {board:.3f} | {before:.3f}"
        print(f"{start} | {scores} | {best} | {cost:.1f} |")


def main() -> None:
    """Run the missing repetitions and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--reps", type=int, default=20)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sanitizers", nargs="+", default=["mst", "privbayes"])
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    options = parser.parse_args()
    wanted = [
        Repetition(sanitizer, epsilon, number)
        for number in range(options.reps)
        for sanitizer in options.sanitizers
        for epsilon in options.epsilons
    ]
    figures = by_cell(wanted, collect(wanted, options.processes))
    kind = "the historic table" if source().real else "the stand-in"
    print(f"{options.reps} tasks from {kind} per row; mean ± standard error\n")
    print("AUC over households:\n")
    print_areas(figures)
    print(f"\nDifference to the AUC of {WINNER} on the same releases; * marks where a paired")
    print("t-test tells them apart, at level .05 for the whole table (Holm):\n")
    print_differences(figures)
    print("\nHistoric score of SNAKE 1 (chance is .5):\n")
    print_scores(figures)


if __name__ == "__main__":
    main()
