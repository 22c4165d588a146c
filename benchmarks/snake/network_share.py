"""What it changes that PrivBayes spends half of its budget on the network, as the SNAKE paper says.

    QUINTAIN_DATA=folder-with-the-table python -m benchmarks.snake.network_share [--reps 20]

Every repetition is a task like those of 2023. PrivBayes makes one release with a tenth of epsilon
for the network (the default) and one with half of it (``snake1-historic``). For each: TVD2, the
mean distance of pairs of columns from the private data, and the AUC of MAMA-MIA over households;
means with standard errors. Without the real data the benchmark uses the stand-in. It keeps finished
repetitions in --kept."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.kept import keep_line, kept_lines
from benchmarks.bench.means import mean_and_error
from benchmarks.bench.snake_task import DESIGN, EPSILONS, ROWS, distances
from benchmarks.snake.repetitions import SEED, population
from quintain.attacks import Knowledge
from quintain.attacks.membership.mama_mia import MamaMia
from quintain.data import as_table
from quintain.guesses import members_and_scores
from quintain.guesses.membership import Membership
from quintain.measures.privacy.roc_curve import auc
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.sanitizer import Shadow
from quintain.sanitizers.synthetic.privbayes import PrivBayes

SHARES = (0.1, 0.5)


def run(number: int, epsilon: float, share: float) -> dict[str, float]:
    """TVD2 of one release, and the AUC of MAMA-MIA; the draw of a number is the same for all."""
    rng = np.random.default_rng([SEED, number])
    sample = DESIGN.draw(population(), rng=rng)
    sanitizer = PrivBayes(epsilon=epsilon, rows=ROWS, network_share=share)
    release = sanitize(sanitizer, sample.private, rng=rng, noise=Noise.for_test(rng)).release
    question, truth = Membership().ask(sample, release)
    known = Knowledge(question, population(), sanitizer.spec(), Shadow(sanitizer))
    situation = Situation(Membership(), release, known)
    guess = play_or_raise(MamaMia(), situation, rng=np.random.default_rng([SEED, number, 1]))
    _, two = distances(as_table(sample.private), as_table(release.data))
    return {"tvd2": two, "auc": auc(*members_and_scores(truth, guess)).value}


def main() -> None:
    """Run the missing repetitions and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--reps", type=int, default=20)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--kept", type=Path, default=Path("benchmarks/results/network_share.jsonl"))
    options = parser.parse_args()
    cells = [(epsilon, share) for epsilon in options.epsilons for share in SHARES]
    kept = {tuple(line["task"]): line["figures"] for line in kept_lines(options.kept)}
    for number in range(options.reps):
        for cell in cells:
            if (number, *cell) not in kept:
                kept[number, *cell] = run(number, *cell)
                line = {"task": [number, *cell], "figures": kept[number, *cell]}
                keep_line(options.kept, line)
    print("| epsilon | share of the network | TVD2 | AUC of MAMA-MIA |\n|---|---|---|---|")
    for cell in cells:
        runs = [kept[number, *cell] for number in range(options.reps)]
        figures = [mean_and_error([run[kind] for run in runs], 4) for kind in ("tvd2", "auc")]
        print(f"| {cell[0]:g} | {cell[1]:g} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
