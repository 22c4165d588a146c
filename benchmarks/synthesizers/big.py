"""How long synthesizers need for big tables, and how much memory, in one thread.

    python -m benchmarks.synthesizers.big [--tables 1000000x15 10000x100] [--epsilon E] [--seeds N]

The tables are simulated. A column has 2 to 20 values. It copies one of the columns before it, or a
mixture of two, and one in five values is random. Every run is its own process, so that its peak
memory is its own. The CPU seconds do not include making the table and measuring the result.
"TVD1" is the mean total variation distance of single columns from the private data, "TVD2" that of
pairs of columns, 300 at most; each with half of its 95 % interval over seeds (Student's t).
"Shuffled" is TVD2 of columns that are shuffled one by one, without any noise. The release has as
many records as the data. All seeds have the same table, but other noise.
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
from quintain.randomness.noise import Noise
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
MOST_MARGINALS = 300


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


def distance(private: Table, release: Table, ways: int) -> float:
    """Compute the mean distance of marginals over some sets of so many columns."""
    sets = list(combinations(private.schema.columns, ways))
    some = np.random.default_rng(0).permutation(len(sets))[:MOST_MARGINALS]
    distances = []
    for columns in (sets[n] for n in some):
        sizes = tuple(column.size for column in columns)
        shares = []
        for table in (private, release):
            cells = np.ravel_multi_index([table.columns[c.name] for c in columns], sizes)
            shares.append(np.bincount(cells, minlength=np.prod(sizes)) / len(table))
        distances.append(np.abs(shares[0] - shares[1]).sum() / 2)
    return float(np.mean(distances))


def run_one(size: str, name: str, epsilon: float, seeds: int) -> str:
    """Give the cells of one line of the table; seconds and memory are those of the first seed."""
    rows, columns = map(int, size.split("x"))
    private = big_table(rows, columns, np.random.default_rng(0))
    part = SANITIZERS[name].model_validate({"epsilon": epsilon, "rows": rows})
    one_way, two_way, cost = [], [], ""
    for seed in range(seeds):
        rng, noise = np.random.default_rng(seed), Noise.for_test(seed)
        before, start = peak(), time.process_time()
        made = as_table(sanitize(part, private, rng=rng, noise=noise).release.data)
        cost = cost or f"{time.process_time() - start:.1f} | {peak():.0f} | {before:.0f}"
        one_way.append(distance(private, made, 1))
        two_way.append(distance(private, made, 2))
    rng = np.random.default_rng(0)
    mixed = {n: rng.permutation(values) for n, values in private.columns.items()}
    apart = distance(private, Table(private.schema, mixed), 2)
    errors = " | ".join(mean_and_reach(values, 4) for values in (one_way, two_way))
    return f"{cost} | {errors} | {apart:.4f}"


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
    head = "rows x columns | sanitizer | CPU s | peak RSS MB | before MB | TVD1 | TVD2 | shuffled"
    print(f"| {head} |\n{'|---' * 8}|", flush=True)
    given = "--epsilon", options.epsilon, "--seeds", options.seeds
    for size in options.tables:
        for name in options.sanitizers:
            cells = run_alone(__file__, *given, "--one", size, name)
            print(f"| {size.replace('x', ' x ')} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
