"""Releases of known safety that a stranger would try, and the verdicts that are right for each.

Each kind makes a table of texts and numbers, as people would write it in a file, from 1,000 people
or so. Some releases know the control too, some are written otherwise than the original, some lay
bare a few people only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from benchmarks.audit.adult_people import CATEGORIES, People
from benchmarks.audit.generators import copies, private, strangers
from quintain.data import Table, as_table
from quintain.data.arrays import Array
from quintain.kernels.neighbours import Distance, k_nearest
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.masking.microaggregation import Microaggregation
from quintain.sanitizers.synthetic.mst import Mst

ALARM = ("unsafe", "some-leakage")
NO_GREEN = ("unsafe", "cannot-say")
"""Right where the release knows the control: nobody can say that it is safe."""
FINE = ("nothing-found",)
BARE = ("unsafe",)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of release: the verdicts that are right for it, and how to make one."""

    right: tuple[str, ...]
    make: Callable[[People, np.random.Generator], pa.Table]


def written(table: Table) -> pa.Table:
    """The cells as a file would have them."""
    records = table.records()
    return pa.table({name: [record[name] for record in records] for name in table.schema.names})


def of_table(generate: Callable[[People, np.random.Generator], Table]) -> Callable[..., pa.Table]:
    """A generator of tables as one of written cells."""
    return lambda people, rng: written(generate(people, rng))


# --- releases that know the control ---


def everybody_verbatim(people: People, rng: np.random.Generator) -> Table:
    """Original and control together, in random order."""
    whole = people.original.concat(people.control)
    return whole.take(rng.permutation(len(whole)))


def averages(table: Table) -> Table:
    """Each record is the middle between it and the nearest other one."""
    _, near = k_nearest(table, table, 2, Distance("gower"))
    other = table.take(near[:, 1])
    columns = {}
    for column in table.schema.columns:
        one, two = table.columns[column.name], other.columns[column.name]
        numeric = column.kind != "category"
        columns[column.name] = ((one + two) // 2).astype(one.dtype) if numeric else one
    return Table(table.schema, columns)


def averages_of_everybody(people: People, rng: np.random.Generator) -> Table:
    """Averages made from original and control; as many rows as the original."""
    whole = averages(people.original.concat(people.control))
    return whole.take(rng.permutation(len(whole))[: len(people.original)])


# --- few people ---


def rarest(people: People, rng: np.random.Generator) -> Table:
    """The ten people farthest from everybody else, verbatim among strangers."""
    pool = people.original.concat(people.control)
    far, _ = k_nearest(people.original, pool, 6, Distance("gower"))
    bare = people.original.take(np.argsort(-far[:, 5], kind="stable")[:10])
    rest = strangers(people, rng).take(np.arange(len(people.original) - 10))
    return shuffled_rows(bare.concat(rest), rng)


def one_person(people: People, rng: np.random.Generator) -> Table:
    """One person of the original fifty times, among strangers."""
    own = np.full(50, rng.integers(len(people.original)))
    rest = strangers(people, rng).take(np.arange(len(people.original) - 50))
    return shuffled_rows(people.original.take(own).concat(rest), rng)


def common_rows(people: People, rng: np.random.Generator) -> Table:
    """Strangers, and every row of the original that people of the control have too."""
    common = np.isin(keys(people.original), keys(people.control))
    shared = people.original.take(np.flatnonzero(common))
    rest = strangers(people, rng).take(np.arange(len(people.original) - len(shared)))
    return shuffled_rows(shared.concat(rest), rng)


# --- the original, written or changed otherwise ---


def in_capitals(people: People, rng: np.random.Generator) -> pa.Table:
    """The original with categories in capital letters and the age in months."""
    rows = written(shuffled_rows(people.original, rng)).to_pydict()
    rows |= {name: [text.upper() for text in rows[name]] for name in CATEGORIES if name in rows}
    rows["age"] = [12 * age for age in rows["age"]]
    return pa.table(rows)


def coarse(people: People, rng: np.random.Generator) -> pa.Table:
    """Age in two bands, sex and income: every cell has many people."""
    rows = written(shuffled_rows(people.original, rng)).to_pydict()
    bands = ["40 or younger" if age <= 40 else "older than 40" for age in rows["age"]]
    return pa.table({"age": bands, "sex": rows["sex"], "income": rows["income"]})


def bands(people: People, rng: np.random.Generator) -> pa.Table:
    """The original with ages in bands of five years, written as words; the rest is as it was."""
    rows = written(shuffled_rows(people.original, rng)).to_pydict()
    rows["age"] = [f"{age // 5 * 5}-{age // 5 * 5 + 4}" for age in rows["age"]]
    return pa.table(rows)


def coded(
    generate: Callable[[People, np.random.Generator], Table],
    people: People,
    rng: np.random.Generator,
) -> pa.Table:
    """A table with a random code in place of each value of all categories."""
    rows = written(generate(people, rng)).to_pydict()
    for name in CATEGORIES:
        if name in rows:
            values = sorted(set(rows[name]))
            codes = dict(zip(values, rng.permutation(len(values)).tolist(), strict=True))
            rows[name] = [f"C{codes[value]}" for value in rows[name]]
    return pa.table(rows)


def with_id(people: People, rng: np.random.Generator) -> pa.Table:
    """The original with a number of its own for every row."""
    rows = written(shuffled_rows(people.original, rng))
    return rows.add_column(0, "id", pa.array(rng.permutation(len(people.original)) + 100_000))


def quasi_identifiers(people: People, rng: np.random.Generator) -> Table:
    """Age, sex, race, education and hours as they were; all other columns are of strangers."""
    exact = ("age", "sex", "race", "education", "hours-per-week")
    own, other = people.original.columns, strangers(people, rng)
    return shuffled_rows(other.replace({n: own[n] for n in exact if n in own}), rng)


def shuffled_columns(people: People, rng: np.random.Generator) -> Table:
    """Every column in an order of its own."""
    values = people.original.columns
    return people.original.replace(
        {name: rng.permutation(column) for name, column in values.items()}
    )


def swapped(people: People, rng: np.random.Generator) -> Table:
    """Two random people of each pair exchange half of their columns."""
    table = shuffled_rows(people.original, rng)
    partner = np.arange(len(table)) ^ 1
    partner = np.minimum(partner, len(table) - 1)
    names = rng.permutation(table.schema.names)[: len(table.schema.names) // 2]
    return table.replace({name: table.columns[name][partner] for name in names})


def bootstrap(people: People, rng: np.random.Generator) -> Table:
    """The original drawn with replacement."""
    return people.original.take(rng.integers(len(people.original), size=len(people.original)))


def rounded(people: People, rng: np.random.Generator) -> Table:
    """The original with ages and hours rounded to five."""
    table = shuffled_rows(people.original, rng)
    five = {n: np.minimum(v // 5 * 5 + 2, v.max()) for n, v in table.columns.items()}
    return table.replace({n: five[n].astype(table.columns[n].dtype) for n in NUMBERS})


def noisy(people: People, rng: np.random.Generator) -> Table:
    """The original; a tenth of a standard deviation of noise on ages and hours."""
    table, columns = shuffled_rows(people.original, rng), {}
    for name in NUMBERS:
        values, size = table.columns[name], table.schema[name].size
        moved = np.rint(values + rng.normal(0, 0.1 * values.std(), len(values)))
        columns[name] = moved.clip(0, size - 1).astype(values.dtype)
    return table.replace(columns)


def microaggregated(people: People, rng: np.random.Generator) -> Table:
    """Means over groups of five for all numbers together."""
    part = Microaggregation(k=5)
    table = shuffled_rows(people.original, rng)
    return as_table(sanitize(part, table, rng=rng, noise=Noise.for_test(0)).release.data)


NUMBERS = ("age", "hours-per-week")


def shuffled_rows(table: Table, rng: np.random.Generator) -> Table:
    """The same rows in random order."""
    return table.take(rng.permutation(len(table)))


def keys(table: Table) -> Array:
    """One text per row, equal for equal rows."""
    return np.array([repr(sorted(record.items())) for record in table.records()])


def five_times(people: People, rng: np.random.Generator) -> Table:
    """Strangers, each five times."""
    return strangers(people, rng).take(np.tile(np.arange(len(people.original)), 5))


KINDS: Mapping[str, Kind] = {
    "whole table verbatim": Kind(NO_GREEN, of_table(everybody_verbatim)),
    "averages of the whole table": Kind(NO_GREEN, of_table(averages_of_everybody)),
    "ten rarest people": Kind(ALARM, of_table(rarest)),
    "one person fifty times": Kind(ALARM, of_table(one_person)),
    "in capitals, age in months": Kind(BARE, in_capitals),
    "two bands of age, sex, income": Kind(FINE, coarse),
    "columns shuffled": Kind(ALARM, of_table(shuffled_columns)),
    "groups of five": Kind(ALARM, of_table(microaggregated)),
    "strangers": Kind(FINE, of_table(strangers)),
    "strangers five times": Kind(FINE, of_table(five_times)),
    "common rows": Kind((*FINE, "cannot-say"), of_table(common_rows)),
    "MST 0.1": Kind(FINE, of_table(partial(private, Mst(epsilon=0.1)))),
    "MST 1000": Kind(BARE, of_table(partial(private, Mst(epsilon=1000)))),
    "pairs swapped": Kind(BARE, of_table(swapped)),
    "bootstrap": Kind(BARE, of_table(bootstrap)),
    "averages of two": Kind(BARE, of_table(lambda people, _: averages(people.original))),
    "rounded": Kind(BARE, of_table(rounded)),
    "noise": Kind(BARE, of_table(noisy)),
    "id added": Kind(BARE, with_id),
    "exact quasi-identifiers": Kind(BARE, of_table(quasi_identifiers)),
    "bands of five years in words": Kind(BARE, bands),
    "original in codes": Kind(BARE, partial(coded, lambda people, _: people.original)),
    "copies 10 % in codes": Kind(BARE, partial(coded, partial(copies, 0.1))),
    "strangers in codes": Kind(FINE, partial(coded, strangers)),
}
"""The table of a stranger who held the audit against releases that its authors had not named, and
three releases in codes."""
