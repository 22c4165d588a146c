"""Does the audit see a few people whom a release lays bare, and how often does it see ghosts?

    QUINTAIN_DATA=folder python -m benchmarks.audit.few_people [SEEDS [FIRST [ROWS]]]

Each seed deals Adult with 12 columns anew: an original and a control of so many people, and
strangers. Three kinds of release know nobody: strangers, strangers five times, and few designs
(each of 20 strangers 25 times, beside other strangers). The others have strangers and a few people:
the ten rarest verbatim, ten at random, or one person many times. Only the tests of a few people
run. Seeds count from FIRST, so that other people are drawn than those that a rule was set with.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import FILES, People, people, population
from benchmarks.audit.generators import strangers
from benchmarks.bench.machine import people as named
from benchmarks.bench.machine import real_data
from quintain.attacks.exposed import most_exposed
from quintain.audits.checks.laid_bare import lay_bare, tail_alarms
from quintain.data import Table
from quintain.data.arrays import Rows
from quintain.measures.intervals import clopper_pearson

SEEDS, FIRST, ROWS = 200, 1000, 500
DESIGNS, TIMES = 20, 25
HEAD = (
    "| release | any alarm (exact 95 % interval) | run | uniques | multiplicity | unsafe |\n"
    "|---|---|---|---|---|---|"
)
Make = Callable[[People, np.random.Generator], Table]
Choose = Callable[[Table, np.random.Generator], Rows]


def repeat(times: int, dealt: People, rng: np.random.Generator) -> Table:
    """Strangers, each several times."""
    table = strangers(dealt, rng)
    return table.take(np.repeat(np.arange(len(table)), times))


def designs(dealt: People, rng: np.random.Generator) -> Table:
    """Few strangers many times, and others once."""
    table = strangers(dealt, rng)
    return table.take(np.concatenate([np.repeat(np.arange(DESIGNS), TIMES), np.arange(len(table))]))


def some_bare(
    whom: Callable[[Table, np.random.Generator], Rows], dealt: People, rng: np.random.Generator
) -> Table:
    """People of the original among strangers."""
    rows = whom(dealt.original, rng)
    rest = strangers(dealt, rng).take(np.arange(len(dealt.original) - len(rows)))
    return dealt.original.take(rows).concat(rest)


def rarest(count: int, table: Table, rng: np.random.Generator) -> Rows:
    """Those who stand out most."""
    return most_exposed(table, count)


def random(count: int, table: Table, rng: np.random.Generator) -> Rows:
    """Anybody."""
    return rng.choice(len(table), count, replace=False)


def often(times: int, table: Table, rng: np.random.Generator) -> Rows:
    """One person, many times."""
    return np.repeat(rng.integers(len(table), size=1), times)


NOBODY: dict[str, Make] = {
    "strangers": partial(repeat, 1),
    "strangers, five times": partial(repeat, 5),
    "few designs": designs,
}
SOMEBODY: dict[str, Make] = {
    "ten rarest": partial(some_bare, partial(rarest, 10)),
    "five rarest": partial(some_bare, partial(rarest, 5)),
    "ten at random": partial(some_bare, partial(random, 10)),
    "fifteen at random": partial(some_bare, partial(random, 15)),
    "one person 50 times": partial(some_bare, partial(often, 50)),
    "one person 15 times": partial(some_bare, partial(often, 15)),
    "one person 10 times": partial(some_bare, partial(often, 10)),
}


def count(everybody: Table, make: Make, number: int, seeds: range, rows: int) -> str:
    """How often each test gives alarm to release ``number``, as the cells of a table."""
    alarms = np.zeros(3, np.int64)
    either = unsafe = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 3, number])
        dealt = people(everybody, rows, rng=rng)
        found = lay_bare(dealt.original, make(dealt, rng), dealt.control, rng=rng)
        own = np.array([sign.alarm for sign in found.signs])
        alarms += own
        either += bool(own.any())
        unsafe += bool(tail_alarms(found))
    low, high = clopper_pearson(either, len(seeds))
    cells = " | ".join(map(str, (*alarms.tolist(), unsafe)))
    return f"{either} of {len(seeds)} ({100 * low:.1f}% to {100 * high:.1f}%) | {cells}"


def main() -> None:
    """Print one line per kind of release."""
    seeds, first, rows = (
        int(sys.argv[place]) if len(sys.argv) > place else default
        for place, default in enumerate((SEEDS, FIRST, ROWS), start=1)
    )
    everybody, start = population(), time.process_time()
    print(f"{named(real_data(*FILES))}, {rows} + {rows} people\n\n{HEAD}")
    few = max(1, seeds // 10)
    for number, (name, make) in enumerate((NOBODY | SOMEBODY).items()):
        drawn = range(first, first + (seeds if name in NOBODY else few))
        print(f"| {name} | {count(everybody, make, number, drawn, rows)} |", flush=True)
    print(f"\n{time.process_time() - start:.0f} CPU s")


if __name__ == "__main__":
    main()
