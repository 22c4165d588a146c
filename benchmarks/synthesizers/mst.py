"""How fast and how good MST is: CPU seconds, memory and distances, in one thread.

    QUINTAIN_DATA=folder-with-the-table python -m benchmarks.synthesizers.mst [--peers]

The task is like those of SNAKE 1: 50 of 100 households of at least five among about 10,000 people
with 15 columns; the release has 10,000 records. Without the real data the benchmark uses the
stand-in. Each epsilon runs in its own process. TVD1 and TVD2 are the mean total variation distances
to the private table, over all columns and over all pairs.

With --peers, the estimation step of mbi (Private-PGM, by the authors of the method) runs on the
same noisy counts. The benchmark first installs mbi into a temporary environment. The times of mbi
include compiling.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import people, run_alone
from benchmarks.bench.snake_task import EPSILONS, ROWS, keep, load, measure, private_table, source
from quintain.data import Table
from quintain.randomness.noise import Noise
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.pgm import Domain, Measurement, estimate, estimate_total

# Private-PGM of May 2023 with the settings of the contest, on two cores of an aarch64 machine: wall
# seconds, peak MB, TVD of columns and of pairs. It was not run at epsilon 100.
REFERENCE = {
    1.0: "27.0 s, 265 MB, .0291, .1128",
    10.0: "28.4 s, 265 MB, .0052, .0661",
    1000.0: "30.0 s, 265 MB, .0024, .0591",
}
PEER = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
import mbi
from mbi.estimation import LBFGS, MirrorDescent

folder, estimator = sys.argv[1:]
given = json.load(open(f"{folder}/given.json"))
arrays = np.load(f"{folder}/given.npz")
domain = mbi.Domain(tuple(given["domain"]), tuple(given["domain"].values()))
measured = []
for number, columns in enumerate(given["columns"]):
    # Merged values have more noise than others, so every cell is divided by its own.
    spread = np.sqrt(arrays[f"variance{number}"].ravel())
    counts = arrays[f"counts{number}"].ravel() / spread
    query = lambda factor, spread=spread: factor.datavector() / spread
    measured.append(mbi.LinearMeasurement(counts, tuple(columns), query=query))
start = time.process_time()
chosen = {"mirror descent": MirrorDescent, "L-BFGS": LBFGS}[estimator]()
model = chosen.estimate(domain, measured, known_total=given["total"])
tables = [np.asarray(model.project(tuple(c)).datavector()) for c in given["columns"]]
took = time.process_time() - start
np.savez(f"{folder}/fitted.npz", *tables)
print(json.dumps([took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def run_one(file: Path, epsilon: float, seeds: int) -> str:
    """The cells of one line of the table; means over seeds."""
    table = load(file)
    start = time.process_time()
    for seed in range(seeds):
        Mst(epsilon=epsilon).structure(table, noise=Noise.for_test(seed))
    tree = (time.process_time() - start) / seeds
    figures, _ = measure(Mst(epsilon=epsilon, rows=ROWS), table, seeds)
    cost = f"{figures.seconds:.3f} | {tree:.3f} | {figures.memory:.0f}"
    return f"{cost} | {figures.one_way:.4f} | {figures.two_way:.4f}"


def noisy_counts(table: Table, epsilon: float) -> tuple[Domain, list[Measurement]]:
    """The noisy counts that MST measures in one run: the input of the estimation."""
    measured, levels = Mst(epsilon=epsilon).measure(table, noise=Noise.for_test(0))
    return Domain.of({name: level.count for name, level in levels.items()}), measured


def loss(tables: list[np.ndarray[Any, Any]], measured: list[Measurement]) -> float:
    """Half of the squared distance to the noisy counts, in units of their variance."""
    return sum(
        float(((t.ravel() - m.counts.ravel()) ** 2 / m.variance.ravel()).sum()) / 2
        for t, m in zip(tables, measured, strict=True)
    )


def compare_estimation(table: Table, epsilons: Sequence[float]) -> None:
    """Print our estimation beside that of mbi, on the same noisy counts."""
    print(
        "\nEstimation alone, on the same noisy counts. The loss is half of the squared distance to"
    )
    print("them, in units of their variance; lower is better.\n")
    print("| epsilon | engine | CPU s | peak RSS MB | loss |")
    print("|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
        python = folder / "env/bin/python"
        subprocess.run([python, "-m", "pip", "-q", "install", "mbi"], check=True)
        for epsilon in epsilons:
            domain, measured = noisy_counts(table, epsilon)
            total = estimate_total(measured)
            for label, direct in (("ours, trees", True), ("ours, general", False)):
                start = time.process_time()
                model = estimate(measured, domain, total=total, direct=direct)
                tables = [model.marginal(m.columns) for m in measured]
                took = time.process_time() - start
                print(f"| {epsilon:g} | {label} | {took:.3f} | | {loss(tables, measured):,.1f} |")
            write_counts(folder, domain, measured, total)
            for label in ("mirror descent", "L-BFGS"):
                done = subprocess.run(
                    [python, "-c", PEER, folder, label], check=True, stdout=subprocess.PIPE
                )
                took, memory = json.loads(done.stdout)
                with np.load(folder / "fitted.npz") as fitted:
                    far = loss([fitted[f"arr_{i}"] for i in range(len(measured))], measured)
                print(
                    f"| {epsilon:g} | mbi, {label} | {took:.1f} | {memory:.0f} | {far:,.1f} |",
                    flush=True,
                )


def write_counts(folder: Path, domain: Domain, measured: list[Measurement], total: float) -> None:
    """Write noisy counts into files for the process of mbi."""
    columns = [m.columns for m in measured]
    facts = {"domain": dict(zip(domain.names, domain.sizes, strict=True)), "total": total}
    (folder / "given.json").write_text(json.dumps({**facts, "columns": columns}))
    arrays = {f"counts{i}": m.counts for i, m in enumerate(measured)}
    arrays |= {f"variance{i}": m.variance for i, m in enumerate(measured)}
    np.savez(folder / "given.npz", allow_pickle=False, **arrays)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--peers", action="store_true", help="install mbi and compare with it")
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        file, epsilon = options.one
        print(run_one(Path(file), float(epsilon), options.seeds))
        return
    private, real = private_table(), source().real
    kind = people(real)
    print(f"{len(private):,} people of the {kind} in, {ROWS:,} out, mean of {options.seeds} runs\n")
    head = "epsilon | CPU s | CPU s, tree alone | peak RSS MB | TVD1 | TVD2"
    print(f"| {head} | Private-PGM of 2023 (another machine) |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file = keep(private, Path(folder))
        for epsilon in options.epsilons:
            cells = run_alone(__file__, "--seeds", options.seeds, "--one", file, epsilon)
            reference = REFERENCE.get(epsilon, "not run") if real else "for the real data only"
            print(f"| {epsilon:g} | {cells} | {reference} |", flush=True)
    if options.peers:
        compare_estimation(private, options.epsilons)


if __name__ == "__main__":
    main()
