"""From which exposed share on is a release unsafe? Effects of releases whose safety is known.

    QUINTAIN_DATA=folder python -m benchmarks.audit.thresholds [SEEDS [FIRST [ROWS]]]

Each seed deals Adult with 12 columns anew: an original and a control of so many people, and
strangers. The membership attacks look at each release. The table has the exposed share (people who
are found at a false positive rate of at most 1 %), the advantage, and the number of nameable
people, each with the mean and the largest of their lower bounds. The thresholds of the
verdict were set with the seeds from 100 to 105; those from 0 to 19 are kept for the check.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import FILES, People, people, population
from benchmarks.audit.generators import GENERATORS, Generator, copies, private
from benchmarks.bench.machine import people as named
from benchmarks.bench.machine import real_data
from quintain.audits.pool import Pool
from quintain.audits.risks.membership import measure_membership
from quintain.data import Table
from quintain.kernels.neighbours import Distance, k_nearest
from quintain.measures import Reading
from quintain.measures.pooled.exposed import advantage, exposed_share
from quintain.measures.pooled.nameable import nameable
from quintain.releases import Release
from quintain.sanitizers.synthetic.mst import Mst

SEEDS, FIRST, ROWS = 20, 100, 500
GROUP = 5
HEAD = (
    "| release | exposed share: mean, bounds, largest | advantage: mean, bounds, largest "
    "| nameable: mean, bounds, largest |\n|---|---|---|---|"
)


def averages(dealt: People, rng: np.random.Generator) -> Table:
    """Groups of five similar people, each with the mean or the commonest value of its group."""
    table = dealt.original
    left = rng.permutation(len(table))
    group = np.zeros(len(table), np.int64)
    number = 0
    while len(left):
        size = len(left) if len(left) < 2 * GROUP else GROUP
        near = k_nearest(table.take(left[:1]), table.take(left), size, Distance("gower"))[1][0]
        group[left[near]] = number
        left, number = np.delete(left, near), number + 1
    columns = {}
    for column in table.schema.columns:
        cells = table.columns[column.name]
        if column.kind == "category":
            votes = np.zeros((number, int(cells.max()) + 1))
            np.add.at(votes, (group, cells), 1)
            columns[column.name] = votes.argmax(axis=1)[group].astype(cells.dtype)
        else:
            means = np.bincount(group, cells) / np.bincount(group)
            columns[column.name] = np.rint(means)[group].astype(cells.dtype)
    return Table(table.schema, columns)


def bootstrap(dealt: People, rng: np.random.Generator) -> Table:
    """People of the original, drawn with replacement."""
    return dealt.original.take(rng.integers(len(dealt.original), size=len(dealt.original)))


RELEASES: Mapping[str, Generator] = {
    **{name: GENERATORS[name] for name in ("strangers", "MST 1", "MST 10", "PrivBayes 10")},
    "averages of five": averages,
    "copies 3 %": partial(copies, 0.03),
    "copies 10 %": partial(copies, 0.1),
    "MST 100": partial(private, Mst(epsilon=100)),
    "MST 1000": partial(private, Mst(epsilon=1000)),
    **{name: GENERATORS[name] for name in ("kernel density", "SMOTE")},
    "bootstrap": bootstrap,
}


def effects(dealt: People, release: Table, seed: int) -> tuple[Reading, Reading, Reading]:
    """The exposed share, the advantage and the number of names, by the membership attacks."""
    pool = Pool.of(dealt.original, dealt.control, rng=np.random.default_rng([seed, 4]))
    result = measure_membership(pool, Release(release), rng=np.random.default_rng([seed, 5]))
    scores = [evidence.scores for evidence in result.evidence]
    rngs = (np.random.default_rng([seed, 6, number]) for number in range(3))
    return (
        exposed_share(scores, pool.members, rng=next(rngs)),
        advantage(scores, pool.members, rng=next(rngs)),
        nameable(scores, pool.members, rng=next(rngs)).count,
    )


def lines(everybody: Table, seeds: range, rows: int) -> Iterator[str]:
    """One line per release."""
    for number, (name, make) in enumerate(RELEASES.items()):
        found = []
        for seed in seeds:
            dealt = people(everybody, rows, rng=np.random.default_rng([seed, 1]))
            release = make(dealt, np.random.default_rng([seed, 2, number]))
            found.append(effects(dealt, release, seed))
        cells = (
            f"{np.mean([r.value for r in kind]):.3g}, {np.mean([r.low for r in kind]):.3g}, "
            f"{max(r.low for r in kind):.3g}"
            for kind in zip(*found, strict=True)
        )
        yield f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    count, first, rows = (
        int(sys.argv[place]) if len(sys.argv) > place else default
        for place, default in enumerate((SEEDS, FIRST, ROWS), start=1)
    )
    start, seeds = time.process_time(), range(first, first + count)
    print(f"{named(real_data(*FILES))}, {rows} + {rows} people, seeds {first} to {seeds[-1]}\n")
    print(HEAD)
    for line in lines(population(), seeds, rows):
        print(line, flush=True)
    print(f"\n{time.process_time() - start:.0f} CPU s")


if __name__ == "__main__":
    main()
