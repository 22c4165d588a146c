"""How well attacks find households in SNAKE 1, and which are the best; prints tables.

    QUINTAIN_DATA=folder-with-snake_base.parquet python -m benchmarks.snake.attacks [--reps 20]

Every repetition is a task like those of 2023: 50 of 100 households of at least five among about
9,730 people, with repeats of households; the release has 10,000 records. All attacks see the same
release and have the same number of shadow runs, so the tables compare them in pairs. The last
column of the first table is no attack but a bound: joint-ratio on the tables that the sanitizer
really chose, counted in the private data without noise. Without the real data the benchmark uses
the stand-in. It keeps finished repetitions in ``benchmarks/results`` and does not run them again;
delete the file after a change to an attack or a sanitizer.
"""

from __future__ import annotations

import argparse

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.means import mean_and_error
from benchmarks.bench.snake_task import EPSILONS, source
from benchmarks.snake.repetitions import (
    ATTACKS,
    NEW,
    OLDER,
    ORACLE,
    OTHERS,
    Cell,
    Figures,
    Repetition,
    collect,
)
from quintain.measures.holm import sure_differences

SANITIZERS = ("mst", "privbayes", "aim", "pategan")
# The score of the winner (MAMA-MIA) on the final board of 2023-11-20: a single draw each.
BOARD = {
    "mst": (0.606, 0.788, 0.763, 0.809),
    "privbayes": (0.648, 0.709, 0.835, 0.938),
    "pategan": (0.570, 0.591, 0.649, 0.631),
}


def print_areas(figures: Figures) -> None:
    """Print the AUC of every attack, and of the noise-free tables."""
    print(f"| | {' | '.join(ATTACKS)} | {ORACLE} |")
    print("|---" * (2 + len(ATTACKS)) + "|")
    for (sanitizer, epsilon), of in figures.items():
        names = (*ATTACKS, ORACLE)
        cells = [mean_and_error(of[name]["auc"]) if name in of else "" for name in names]
        print(f"| {sanitizer} {epsilon:g} | {' | '.join(cells)} |")


def chances(figures: Figures) -> dict[tuple[Cell, str], float]:
    """The p-values of paired t-tests between the new attack and each other, in each cell."""
    from scipy.stats import ttest_rel

    values = {
        (cell, name): float(ttest_rel(of[NEW]["auc"], of[name]["auc"]).pvalue)
        for cell, of in figures.items()
        for name in OTHERS
    }
    # Equal answers, or a single task, have no p-value.
    return {pair: value if np.isfinite(value) else 1.0 for pair, value in values.items()}


def print_differences(figures: Figures) -> None:
    """Print the new attack minus each other, on the same releases; a star marks what is sure."""
    sure = sure_differences(chances(figures))
    print(f"| {NEW} minus | {' | '.join(OTHERS)} |")
    print("|---" * (1 + len(OTHERS)) + "|")
    best = []
    for cell, of in figures.items():
        gaps = {name: of[NEW]["auc"] - of[name]["auc"] for name in OTHERS}
        stars = {name: " *" if (cell, name) in sure else "" for name in OTHERS}
        cells = [mean_and_error(gap, sign="+") + stars[name] for name, gap in gaps.items()]
        print(f"| {cell[0]} {cell[1]:g} | {' | '.join(cells)} |")
        if all(stars[name] and gaps[name].mean() > 0 for name in OLDER):
            best.append(f"{cell[0]} {cell[1]:g}")
    print(f"\n{NEW} is above {', '.join(OLDER)}, beyond chance,")
    print(f"in {len(best)} of {len(figures)} cells: {', '.join(best) or 'none'}.")


def print_scores(figures: Figures) -> None:
    """Print the historic score beside the board of 2023."""
    print(f"| | board 2023 | mama-mia | {NEW} | best | |")
    print("|---" * 6 + "|")
    for (sanitizer, epsilon), of in figures.items():
        boards = dict(zip(EPSILONS, BOARD.get(sanitizer, ()), strict=False))
        board = f"{boards[epsilon]:.3f}" if epsilon in boards else ""
        best = max(ATTACKS, key=lambda name: float(np.mean(of[name]["score"])))
        scores = [mean_and_error(of[name]["score"]) for name in ("mama-mia", NEW, best)]
        print(f"| {sanitizer} {epsilon:g} | {board} | {' | '.join(scores)} | {best} |")


def print_costs(figures: Figures) -> None:
    """Print the CPU seconds of every attack on one release."""
    print(f"| | {' | '.join(ATTACKS)} | all |")
    print("|---" * (2 + len(ATTACKS)) + "|")
    for (sanitizer, epsilon), of in figures.items():
        costs = [float(of[name]["cpu"].mean()) for name in ATTACKS]
        cells = " | ".join(f"{cost:.1f}" for cost in (*costs, sum(costs)))
        print(f"| {sanitizer} {epsilon:g} | {cells} |")


def main() -> None:
    """Run the missing repetitions and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--reps", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the number of the first task")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sanitizers", nargs="+", default=SANITIZERS)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    options = parser.parse_args()
    wanted = [
        Repetition(sanitizer, epsilon, number)
        for number in range(options.first, options.first + options.reps)
        for sanitizer in options.sanitizers
        for epsilon in options.epsilons
    ]
    figures = collect(wanted, options.processes)
    kind = "the historic table" if source().real else "the stand-in"
    print(f"{options.reps} tasks from {kind} per row; mean ± standard error\n")
    print("AUC over households:\n")
    print_areas(figures)
    print(f"\nAUC of {NEW} less that of each other attack on the same releases; * marks where a")
    print("paired t-test tells them apart, at level .05 for the whole table (Holm):\n")
    print_differences(figures)
    print("\nHistoric score of SNAKE 1 (chance is .5):\n")
    print_scores(figures)
    print("\nCPU seconds per release, shadow runs included:\n")
    print_costs(figures)


if __name__ == "__main__":
    main()
