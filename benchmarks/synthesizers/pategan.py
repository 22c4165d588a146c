"""How fast and how good PATE-GAN is, for both starts and four values of epsilon.

    QUINTAIN_DATA=folder-with-the-table python -m benchmarks.synthesizers.pategan [--seeds N]

The task is that of SNAKE: about 9,735 people with 15 attributes in, 10,000 people out. Without the
real data the benchmark uses the stand-in. Every run is its own process with one thread. The CPU
seconds include loading PyTorch, but not loading the data and measuring the result. TVD1 and TVD2
are the mean total variation distances of one- and two-way marginals from the private data. The last
column is the delta of all answered queries, by the exact account; the claim is 1e-5.

Other programs at a nominal epsilon of 1 on such a task, one run each: reprosyn .442 and .649 in 29
s and 724 MB, synthcity 0.2.12 .189 and .333 in 66 s and 1,421 MB; neither accounts for what it
releases. Independent columns without any noise have a TVD2 of .10, a fresh sample of people .05.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import people, run_alone
from benchmarks.bench.snake_task import EPSILONS, ROWS, keep, load, measure, private_table, source
from quintain.accounting.pate import delta_of
from quintain.sanitizers.synthetic.pategan import PateGan


def run_one(file: Path, epsilon: float, share: float, seeds: int) -> str:
    """The cells of one line of the table: means over seeds."""
    private = load(file)
    sanitizer = PateGan(epsilon=epsilon, marginal_share=share, rows=ROWS)
    figures, _ = measure(sanitizer, private, seeds)
    plan = sanitizer.plan(private.schema)
    bought = f"{plan.queries:,} | {plan.vote_scale:.1f}"
    delta = delta_of(epsilon, plan.answers())
    cost = f"{figures.seconds:.1f} | {figures.memory:.0f}"
    return f"{cost} | {figures.one_way:.4f} | {figures.two_way:.4f} | {bought} | {delta:.2g}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        file, epsilon, share = options.one
        print(run_one(Path(file), float(epsilon), float(share), options.seeds))
        return
    private, kind = private_table(), people(source().real)
    print(f"{len(private):,} people of the {kind} in, {ROWS:,} out, mean of {options.seeds} runs\n")
    head = "CPU s | peak RSS MB | TVD1 | TVD2 | labels | noise scale | delta"
    print(f"| start | epsilon | {head} |\n|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file = keep(private, Path(folder))
        for start, share in (("histograms", PateGan().marginal_share), ("uniform", 0.0)):
            for epsilon in options.epsilons:
                cells = run_alone(__file__, "--seeds", options.seeds, "--one", file, epsilon, share)
                print(f"| {start} | {epsilon:g} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
