"""How long synthesizers need for big tables, and how much memory, in one thread.

    python -m benchmarks.synthesizers.big [--tables 1000000x15 10000x100] [--epsilon E]

The tables are simulated. A column has 2 to 20 values. It copies one of the columns before it, or a
mixture of two, and one in five values is random. Every run is its own process, so that its peak
memory is its own. The CPU seconds do not include making the table and measuring the result.
"TVD2" is the mean total variation distance of two-way marginals from the private data, over 300
pairs at most; "independent" is the same distance for columns that are shuffled one by one, without
any noise. The release has as many records as the data.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import peak, run_alone
from quintain.data import Column, Schema, Table, as_table
from quintain.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.synthetic.aim import Aim
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

TABLES = ("1000000x15", "10000x100")
SANITIZERS: dict[str, type[Sanitizer]] = {"mst": Mst, "privbayes": PrivBayes, "aim": Aim}
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


def run_one(size: str, name: str, epsilon: float) -> str:
    """Give the cells of one line of the table."""
    rows, columns = map(int, size.split("x"))
    private = big_table(rows, columns, np.random.default_rng(0))
    rng, noise = np.random.default_rng(0), Noise.for_test(0)
    before, start = peak(), time.process_time()
    part = SANITIZERS[name].model_validate({"epsilon": epsilon, "rows": rows})
    made = as_table(sanitize(part, private, rng=rng, noise=noise).release.data)
    seconds, memory = time.process_time() - start, peak()
    mixed = {n: rng.permutation(values) for n, values in private.columns.items()}
    apart = two_way(private, Table(private.schema, mixed))
    cost = f"{seconds:.1f} | {memory:.0f} | {before:.0f}"
    return f"{cost} | {two_way(private, made):.4f} | {apart:.4f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--sanitizers", nargs="+", default=list(SANITIZERS))
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        size, name = options.one
        print(run_one(size, name, options.epsilon))
        return
    print(f"epsilon {options.epsilon:g}\n")
    head = "rows x columns | sanitizer | CPU s | peak RSS MB | before MB | TVD2 | independent"
    print(f"| {head} |\n|---|---|---|---|---|---|---|", flush=True)
    for size in options.tables:
        for name in options.sanitizers:
            cells = run_alone(__file__, "--epsilon", options.epsilon, "--one", size, name)
            print(f"| {size.replace('x', ' x ')} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
