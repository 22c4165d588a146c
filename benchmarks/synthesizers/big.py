"""How long synthesizers need for big tables, and how much memory, in one thread.

    python -m benchmarks.synthesizers.big [--tables 1000000x15 10000x100] [--epsilon E] [--seeds N]

The tables are simulated. A column has 2 to 20 values. It copies one of the columns before it, or a
mixture of two, and one in five values is random. Every run is its own process, so that its peak
memory is its own. The CPU seconds do not include making the table and measuring the result.
"TVD2" is the mean total variation distance of two-way marginals from the private data, over 300
pairs at most, with half of its 95 % interval over seeds (Student's t); "shuffled" is the same
distance for columns that are shuffled one by one, without any noise. The release has as many
records as the data. All seeds have the same table, but other noise.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import peak, run_alone
from benchmarks.bench.means import mean_and_reach
from quintain.data import Column, Schema, Table, as_table
from quintain.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.synthetic.aim import Aim
from quintain.sanitizers.synthetic.independent import Independent
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

TABLES = ("1000000x15", "10000x100")
SANITIZERS: dict[str, type[Sanitizer]] = {
    "mst": Mst,
    "privbayes": PrivBayes,
    "aim": Aim,
    "independent": Independent,
}
PAIRS = 300


def big_table(rows: int, columns: int, rng: np.random.Generator) -> Table:
    """Make columns that depend on columns before them."""
    hidden = [rng.random(rows)]
    for number in range(1, columns):
        one, other = rng.integers(0, number, 2)
        mixed = np.where(rng.random(rows) < 0.7, hidden[one], hidden[other])
        hidden.append(np.where(rng.random(rows) < 0.2, rng.random(rows), mixed))
    sizes = rng.integers(2, 21, columns).tolist()
    schema = Schema(
        columns=tuple(
            Column(name=f"c{i}", kind="integer", low=0, high=size - 1)
            for i, size in enumerate(sizes)
        )
    )
    values = zip(schema.names, hidden, sizes, strict=True)
    return Table(schema, {name: np.floor(v * size).astype(int) for name, v, size in values})


def two_way(private: Table, release: Table) -> float:
    """Compute the mean distance of two-way marginals over some pairs of columns."""
    pairs = list(combinations(private.schema.columns, 2))
    some = np.random.default_rng(0).permutation(len(pairs))[:PAIRS]
    distances = []
    for one, other in (pairs[n] for n in some):
        shares = []
        for table in (private, release):
            cells = table.columns[one.name].astype(np.int64) * other.size
            cells += table.columns[other.name]
            shares.append(np.bincount(cells, minlength=one.size * other.size) / len(table))
        distances.append(np.abs(shares[0] - shares[1]).sum() / 2)
    return float(np.mean(distances))


def run_one(size: str, name: str, epsilon: float, seeds: int) -> str:
    """Give the cells of one line of the table; seconds and memory are those of the first seed."""
    rows, columns = map(int, size.split("x"))
    private = big_table(rows, columns, np.random.default_rng(0))
    part = SANITIZERS[name].model_validate({"epsilon": epsilon, "rows": rows})
    errors, cost = [], ""
    for seed in range(seeds):
        rng, noise = np.random.default_rng(seed), Noise.for_test(seed)
        before, start = peak(), time.process_time()
        made = as_table(sanitize(part, private, rng=rng, noise=noise).release.data)
        cost = cost or f"{time.process_time() - start:.1f} | {peak():.0f} | {before:.0f}"
        errors.append(two_way(private, made))
    rng = np.random.default_rng(0)
    mixed = {n: rng.permutation(values) for n, values in private.columns.items()}
    apart = two_way(private, Table(private.schema, mixed))
    return f"{cost} | {mean_and_reach(errors, 4)} | {apart:.4f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--sanitizers", nargs="+", default=list(SANITIZERS))
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        size, name = options.one
        print(run_one(size, name, options.epsilon, options.seeds))
        return
    print(f"epsilon {options.epsilon:g}, {options.seeds} seeds\n")
    head = "rows x columns | sanitizer | CPU s | peak RSS MB | before MB | TVD2 | shuffled"
    print(f"| {head} |\n|---|---|---|---|---|---|---|", flush=True)
    given = "--epsilon", options.epsilon, "--seeds", options.seeds
    for size in options.tables:
        for name in options.sanitizers:
            cells = run_alone(__file__, *given, "--one", size, name)
            print(f"| {size.replace('x', ' x ')} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
