"""How fast and how good AIM is, beside MST, PrivBayes and other implementations of AIM.

    QUINTAIN_DATA=folder-with-the-data python -m benchmarks.synthesizers.aim [--seeds N]

The tables are Adult (30,162 people, nine columns) and a task of SNAKE 1 (about 9,735 people, 15
columns; 10,000 out). Without the real data the benchmark uses the stand-ins. Every run is its own
process with one thread. CPU seconds include neither loading the data nor measuring.

"Error" is the mean over the workload of the L1 distance between the shares of a marginal in the
release and in the private data. The workload has all marginals of three columns with at most
10,000 cells. TVD2 is half of this distance for pairs. "Learning" is the accuracy of models that
learned from the release less that of models that learned from the private data, over all columns,
for other people (``train-on-release``). Standard errors are over seeds.

Peers run only if their environments are given: ``--mbi PYTHON MECHANISMS`` needs a Python with mbi
1.1.0, jax 0.7.0 and pandas 2.2.3, and the folder ``mechanisms`` of the authors' repository, which
has AIM; ``--dpmm PYTHON`` needs one with dpmm 0.1.9. They run once, with the first seed. A run is
stopped after ``--limit`` seconds, and the table says so. As they take long, ``--tables adult:6``
compares the first six columns only. The shares and rounds of our AIM were
tuned on these two tables at epsilon 1 with seeds from 1000, so the comparison favours it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import peak, people, real_data, run_alone
from benchmarks.bench.means import mean_and_error
from benchmarks.bench.snake_task import ROWS, private_table, source
from quintain.data import Table, as_table
from quintain.data.sources.adult import TRAIN, Adult
from quintain.measures import reading_rng
from quintain.measures.utility.table.train_on_release import TrainOnRelease
from quintain.randomness.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.synthetic.aim import Aim
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

MOST_CELLS = 10_000
ENGINES: dict[str, tuple[type[Sanitizer], dict[str, int]]] = {
    "mst": (Mst, {}),
    "privbayes": (PrivBayes, {}),
    "aim, 2 ways": (Aim, {"ways": 2}),
    "aim, 3 ways": (Aim, {"ways": 3}),
}


def tables(name: str) -> tuple[Table, Table, int, bool]:
    """Give the private table, other people, the number of records to draw, and if it is real.

    With "adult:6", both tables have their first six columns only.
    """
    name, _, columns = name.partition(":")
    private, others, rows, real = _whole_tables(name)
    kept = private.schema.names[: int(columns) if columns else None]
    return private.select(kept), others.select(kept), rows, real


def _whole_tables(name: str) -> tuple[Table, Table, int, bool]:
    """Give the same with all columns."""
    if name == "adult":
        adult = Adult(real=real_data(TRAIN[0]))
        rng = np.random.default_rng(0)
        private = as_table(adult.data(rng))
        return private, as_table(adult.test_data(rng)), len(private), adult.real
    private = private_table()
    everybody = as_table(source().data(np.random.default_rng(0))).select(private.schema.names)
    others = np.random.default_rng(1).permutation(len(everybody))[:ROWS]
    return private, everybody.take(others), ROWS, source().real


def marginal_error(private: Table, release: Table, ways: int) -> float:
    """Compute the mean L1 distance of the shares in marginals that are not too large."""
    sizes = {column.name: column.size + column.nullable for column in private.schema.columns}
    errors = []
    for names in combinations(sizes, ways):
        cells = int(np.prod([sizes[name] for name in names]))
        if cells > MOST_CELLS:
            continue
        shares = []
        for table in (private, release):
            place = np.zeros(len(table), np.int64)
            for name in names:
                place = place * sizes[name] + table.columns[name] % sizes[name]
            shares.append(np.bincount(place, minlength=cells) / len(table))
        errors.append(np.abs(shares[0] - shares[1]).sum())
    return float(np.mean(errors))


def quality(private: Table, release: Table, others: Table) -> list[float]:
    """Give the error of the workload, the distance of pairs, and what learning loses."""
    learned = TrainOnRelease().measure(private, release, others, rng=reading_rng())
    three, two = (marginal_error(private, release, ways) for ways in (3, 2))
    return [three, two / 2, learned["train_on_release"].value]


def run_one(table: str, engine: str, epsilon: float, seed: int) -> str:
    """Give the figures of one release as JSON."""
    private, others, rows, _ = tables(table)
    cls, options = ENGINES[engine]
    part = cls.model_validate({"epsilon": epsilon, "rows": rows, **options})
    start = time.process_time()
    rng, noise = np.random.default_rng(seed), Noise.for_test(seed)
    release = as_table(sanitize(part, private, rng=rng, noise=noise).release.data)
    seconds, memory = time.process_time() - start, peak()
    return json.dumps([seconds, memory, *quality(private, release, others)])


def run_peer(program: str, paths: list[str], table: str, epsilon: float, limit: int) -> list[float]:
    """Give the figures of one release of another program; none if it takes too long."""
    private, others, rows, _ = tables(table)
    sizes = {column.name: column.size + column.nullable for column in private.schema.columns}
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "codes.npz", allow_pickle=False, **dict(private.columns))
        (Path(folder) / "sizes.json").write_text(json.dumps(sizes))
        script = Path(__file__).with_name("aim_peer.py")
        settings = [program, folder, epsilon, rows, 2, 80, 0, *paths[1:]]
        try:
            done = subprocess.run(
                [paths[0], str(script), *map(str, settings)],
                stdout=subprocess.PIPE, text=True, check=True, timeout=limit,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return []
        with np.load(Path(folder) / "peer.npz") as made:
            release = Table(private.schema, {name: made[name] for name in sizes})
    cost: list[float] = json.loads(done.stdout.splitlines()[-1])
    return [*cost, *quality(private, release, others)]


def line(table: str, engine: str, epsilon: float, figures: list[list[float]]) -> str:
    """Give one line of the table: means, and standard errors where there are several seeds."""
    seconds, memory, *_ = np.mean(figures, axis=0).tolist()
    cells = [f"{table} | {epsilon:g} | {engine} | {seconds:.1f} | {memory:.0f}"]
    cells += [mean_and_error(values, 4) for values in np.transpose(figures)[2:]]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tables", nargs="+", default=["adult", "snake"])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[1.0, 10.0])
    parser.add_argument("--engines", nargs="+", default=list(ENGINES))
    parser.add_argument("--mbi", nargs=2, metavar=("PYTHON", "MECHANISMS"))
    parser.add_argument("--dpmm", nargs=1, metavar="PYTHON")
    parser.add_argument("--limit", type=int, default=7200, help="seconds for one run of a peer")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        table, engine, epsilon, seed = options.one
        print(run_one(table, engine, float(epsilon), int(seed)))
        return
    for table in options.tables:
        private, _, rows, real = tables(table)
        print(f"{table}: {len(private):,} people of the {people(real)} in, {rows:,} out\n")
    head = "table | epsilon | engine | CPU s | peak RSS MB | error | TVD2 | learning"
    print(f"| {head} |\n|---|---|---|---|---|---|---|---|", flush=True)
    for table in options.tables:
        for epsilon in options.epsilons:
            for engine in options.engines:
                runs = [
                    run_alone(__file__, "--one", table, engine, epsilon, seed)
                    for seed in range(options.seeds)
                ]
                print(line(table, engine, epsilon, [json.loads(run) for run in runs]), flush=True)
            for program in ("mbi", "dpmm"):
                paths = getattr(options, program)
                if not paths:
                    continue
                figures = run_peer(program, paths, table, epsilon, options.limit)
                name = f"AIM of {program}, 2 ways"
                late = f"| {table} | {epsilon:g} | {name} | over {options.limit:,} s | | | | |"
                print(line(table, name, epsilon, [figures]) if figures else late, flush=True)


if __name__ == "__main__":
    main()
