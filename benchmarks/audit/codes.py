"""Codes in place of values: for how many cells does the audit find out what they stand for?

    QUINTAIN_DATA=folder python -m benchmarks.audit.codes [--seeds 10] [--first 0] [--rows 1000]

Each seed deals people of Adult into an original, a control and strangers, makes releases, and puts
a random code in place of each value of all eight categories. Prints how many of these columns are
matched, of how many releases all are, and the share of cells that get the right value.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from functools import partial

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import People, people, population
from benchmarks.audit.generators import Generator, copies, private, strangers
from benchmarks.audit.known_truth import microaggregated
from quintain.data import Table
from quintain.data.learning.matching.codes import match_codes
from quintain.sanitizers.synthetic.mst import Mst

KINDS: Mapping[str, Generator] = {
    "original": lambda people, _: people.original,
    "strangers": strangers,
    "copies 3 %": partial(copies, 0.03),
    "groups of five": microaggregated,
    "MST 1000": partial(private, Mst(epsilon=1000)),
    "MST 10": partial(private, Mst(epsilon=10)),
    "MST 1": partial(private, Mst(epsilon=1)),
}


def main() -> None:
    """Match the codes of every release, and print how many cells get the right value."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rows", type=int, default=1_000)
    given = parser.parse_args()
    everybody = population()
    heads = ("release", "columns matched", "all matched", "right cells, mean", "worst", "CPU s")
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|", flush=True)
    for name, generate in KINDS.items():
        right, whole, columns, seconds = [], 0, 0, 0.0
        for seed in range(given.first, given.first + given.seeds):
            rng = np.random.default_rng([seed, 3])
            dealt = people(everybody, given.rows, rng=rng)
            start = time.process_time()
            shares, coded = match(dealt, generate(dealt, rng), rng)
            seconds += time.process_time() - start
            right += shares
            columns += coded
            whole += len(shares) == coded
        cells = f"{np.mean(right):.1%} | {min(right):.1%}" if right else " | "
        print(
            f"| {name} | {len(right)} of {columns} | {whole} of {given.seeds} | {cells} | "
            f"{seconds / given.seeds:.2f} |",
            flush=True,
        )


def match(dealt: People, release: Table, rng: np.random.Generator) -> tuple[list[float], int]:
    """For each matched column the share of cells with the right value; how many have codes."""
    schema, contents, codes = release.schema, dict(release.columns), {}
    columns = []
    for column in schema.columns:
        if column.kind == "category":
            count = len(column.values)
            codes[column.name] = rng.permutation(count)
            names = tuple(f"C{number}" for number in range(count))
            contents[column.name] = count + codes[column.name][release.columns[column.name]]
            column = column.model_copy(update={"values": (*column.values, *names)})
        columns.append(column)
    schema = schema.model_copy(update={"columns": tuple(columns)})
    tables = [Table(schema, dict(sample.columns)) for sample in (dealt.original, dealt.control)]
    shares = []
    for matched in match_codes(tables, Table(schema, contents), rng=rng):
        values = release.schema[matched.column.name].values
        own = codes[matched.column.name]
        hits = [matched.values.get(f"C{own[place]}") == value for place, value in enumerate(values)]
        shares.append(float(np.mean(np.array(hits)[release.columns[matched.column.name]])))
    return shares, len(codes)


if __name__ == "__main__":
    main()
