"""How well people in several tables keep their marginals, with a promise per person.

    QUINTAIN_DATA=folder python -m benchmarks.people.marginals [--seeds 3] [--epsilons 1 10]

The private data are the customers of a shop (customer, invoice, line) and the accounts of a bank
(account, client, card, loan, order); without the files, 2,000 simulated patients. Domains are
public. "people-marginals" counts everybody once in each table. "apart, m" makes each table alone by
MST from at most m random rows of each person, whose budget per row is smaller by as much (group
privacy), and gives each row a random row above it. Both promise the same epsilon per person.

Errors are mean total variation distances (0 is best) of all columns, all pairs within a table, and
all pairs of a column and one of a table above it; of the numbers of rows below a row, and of pairs
of a column and such a number.
Numbers and times are counted in at most 10 cells with equally many private rows. Each figure is a
mean with its 95 % interval over seeds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from itertools import combinations, product

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.means import mean_and_reach
from benchmarks.people.data import read_people
from quintain.accounting.zcdp import epsilon_for, rho_for
from quintain.data import Table, as_table
from quintain.data.arrays import Array, Codes, Rows
from quintain.data.people import People
from quintain.randomness.noise import Noise
from quintain.sanitizers.people.marginals import PeopleMarginals
from quintain.sanitizers.people.stages import Stage, is_number, stages, to_people
from quintain.sanitizers.synthetic.mst import Mst

CELLS = 10
MOST = 1000
DELTA = 1e-9
MEANINGS = (
    "columns",
    "pairs within",
    "pairs across",
    "numbers",
    "pairs with numbers",
    "CPU s",
)


def together(people: People, epsilon: float, seed: int, rows: int) -> People:
    """All tables from one model of people."""
    rng = np.random.default_rng(seed)
    part = PeopleMarginals(epsilon=epsilon, delta=DELTA, rows=rows)
    model = part.fit(people, rng=rng, noise=Noise.for_test(seed))
    return model.sample(model.size, rng=rng)


def apart(people: People, epsilon: float, seed: int, most: int) -> People:
    """Each table alone, from at most so many rows of each person, and rows in random places."""
    rng, noise = np.random.default_rng(seed), Noise.for_test(seed)
    tables = {name: stage for name, stage in stages(people, 1).items() if name}
    widths = {name: len(people.schema[name].columns) for name in tables}
    rho = rho_for(epsilon, DELTA) / sum(widths.values())
    cells: dict[str, Table] = {}
    parents: dict[str, Rows] = {}
    size = 0
    for name, stage in tables.items():
        rows = min(most, int(stage.branch.lengths().max()))
        kept = random_rows(stage, rows, rng)
        names = stage.table.schema.names[: widths[name]]
        share = epsilon_for(rho * widths[name] / rows**2, DELTA)
        private = stage.table.take(kept).select(names)
        made = Mst(epsilon=share, delta=DELTA).sanitize(private, rng=rng, noise=noise)
        cells[name] = as_table(made.release.data)
        above = size if stage.above in (None, "") else len(cells[str(stage.above)])
        size = size or len(cells[name])
        parents[name] = rng.integers(max(1, above), size=len(cells[name]))
    return to_people(people.schema, cells, parents, size)


def random_rows(stage: Stage, most: int, rng: np.random.Generator) -> Rows:
    """At most so many rows of each person."""
    person = stage.branch.person
    order = np.lexsort((rng.random(len(person)), person))
    starts = np.searchsorted(person[order], person[order])
    return np.sort(order[np.arange(len(order)) - starts < most])


def errors(private: People, release: People) -> dict[str, float]:
    """The mean distances by what they are about."""
    both = [stages(people, MOST) for people in (private, release)]
    distances: dict[str, list[float]] = {meaning: [] for meaning in MEANINGS[:-1]}
    known: list[dict[str, dict[str, Codes]]] = [{}, {}]
    for name in both[0]:
        own = cells_of(both[0][name].table, both[1][name].table)
        above = both[0][name].above
        around: list[dict[str, Codes]] = [{}, {}]
        for side, tables in enumerate(both):
            if above is not None:
                parent = tables[name].branch.parent
                around[side] = {n: codes[parent] for n, codes in known[side][above].items()}
            known[side][name] = {**around[side], **own[side]}
        for a in own[0]:
            distance = _distance(*(side[a] for side in own))
            distances["numbers" if is_number(a) else "columns"].append(distance)
        pairs = [(own, a, b, "pairs within") for a, b in combinations(own[0], 2)]
        pairs += [(around, a, b, "pairs across") for a, b in product(own[0], around[0])]
        for other, a, b, meaning in pairs:
            codes = (own[side][a] * 10_000 + other[side][b] for side in (0, 1))
            counted = "pairs with numbers" if is_number(a) or is_number(b) else meaning
            distances[counted].append(_distance(*codes))
    return {meaning: float(np.mean(values)) for meaning, values in distances.items() if values}


def cells_of(private: Table, release: Table) -> list[dict[str, Codes]]:
    """The cell of every value on both sides, by column; the private data decide on the cells."""
    out: list[dict[str, Codes]] = [{}, {}]
    for column in private.schema.columns:
        for side, table in enumerate((private, release)):
            values: Array = table.columns[column.name]
            if column.kind != "category":
                own = private.columns[column.name] + private.schema[column.name].offset
                edges = np.unique(np.quantile(own, np.arange(1, CELLS) / CELLS, method="lower"))
                plain = values + table.schema[column.name].offset
                values = np.searchsorted(edges, plain, side="left")
            out[side][column.name] = values.astype(np.int64)
    return out


def _distance(one: Codes, other: Codes) -> float:
    _, cell = np.unique(np.concatenate([one, other]), return_inverse=True)
    size = int(cell.max(initial=0)) + 1
    shares = [
        np.bincount(codes, minlength=size) / max(1, len(codes))
        for codes in (cell[: len(one)], cell[len(one) :])
    ]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def line(
    name: str,
    people: People,
    make: Callable[[People, float, int, int], People],
    epsilon: float,
    rows: int,
    seeds: int,
) -> str:
    """One line of the table."""
    runs: list[Mapping[str, float]] = []
    for seed in range(seeds):
        start = time.process_time()
        release = make(people, epsilon, seed, rows)
        seconds = time.process_time() - start
        runs.append({**errors(people, release), "CPU s": seconds})
    shown = [mean_and_reach([run[m] for run in runs], 3) for m in MEANINGS[:-1]]
    shown.append(f"{np.mean([run['CPU s'] for run in runs]):.1f}")
    return f"| {name} | {epsilon:g} | {' | '.join(shown)} |"


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[1.0, 10.0])
    parser.add_argument("--most", type=int, nargs="+", default=[1, 5, 20])
    given = parser.parse_args()
    for title, people, rows in read_people():
        print(f"{title}\n\n| way | epsilon | {' | '.join(MEANINGS)} |")
        print("|---" * (len(MEANINGS) + 2) + "|")
        for epsilon in given.epsilons:
            name = "people-marginals"
            print(line(name, people, together, epsilon, rows, given.seeds), flush=True)
            for most in given.most:
                name = f"apart, {most}"
                print(line(name, people, apart, epsilon, most, given.seeds), flush=True)
        print()


if __name__ == "__main__":
    main()
