"""Plain references: the scores from their definitions, over all pairs, cell by cell."""

from math import exp, log

from hypothesis import strategies as st

from quintain.data import Column, Schema, Table

SCHEMA = Schema(
    columns=(
        Column(name='a "quoted" name', kind="category", values=("x", 'y "z"'), nullable=True),
        Column(name="age in years", kind="integer", low=0, high=10),
        Column(name="wage", kind="real", low=0, high=10, nullable=True),
        Column(name="always 7", kind="real"),
    )
)
ROWS = st.tuples(
    st.sampled_from([None, "x", 'y "z"']),
    st.integers(0, 10),
    st.sampled_from([None, 0.0, 2.5, 10.0]),
    st.just(7.0),
)
TABLES = st.lists(ROWS, min_size=2, max_size=8)


def table_of(rows):
    return Table.of(SCHEMA, dict(zip(SCHEMA.names, zip(*rows, strict=True), strict=True)))


def distance(one, other):
    """How far two records are apart: between 0 and 1 in each column."""
    category = float(one[0] != other[0])
    age = abs(one[1] - other[1]) / 10
    if one[2] is None or other[2] is None:
        return category + age + float(one[2] is not other[2])
    return category + age + abs(one[2] - other[2]) / 10


def without(rows, one):
    """The rows without the first that equals a record."""
    rest = list(rows)
    if one in rest:
        rest.remove(one)
    return rest


def nearest(rows, one, k):
    return sorted(distance(one, other) for other in rows)[:k]


def dcr_difference(release, base, one):
    others = nearest(without(base, one), one, 1) or [float(len(one))]
    return others[0] - nearest(release, one, 1)[0]


def dcr_ratio(release, base, one, c):
    others = nearest(without(base, one), one, 1) or [float(len(one))]
    return log(others[0] + c) - log(nearest(release, one, 1)[0] + c)


def knn_ratio(release, base, one, k):
    here, there = nearest(release, one, k), nearest(without(base, one), one, k)
    reach = sorted([*here, *there])[:k][-1]
    counts = [sum(d <= reach + 1e-12 for d in side) for side in (here, there)]
    return log((counts[0] + 0.5) / len(release)) - log((counts[1] + 0.5) / len(base))


def local_density_ratio(release, base, one, k, h):
    here, there = nearest(release, one, k), nearest(without(base, one), one, k)
    sums = [sum(exp(-d / h) for d in side) or exp(-1 / h) for side in (here, there)]
    return log(sums[0] / len(release)) - log(sums[1] / len(base))


def gen_lra(release, base, one, k, reach, h, c):
    """With and without the record, the density at each of the nearest released records.

    Gives the least and the largest sum: any of the released records that are equally far away may
    be the last that counts.
    """

    def gain(s):
        own = exp(-distance(one, s) / h)
        away = nearest(base, s, reach)
        people = sum(exp(-d / h) for d in away)
        if one in base and distance(one, s) <= away[-1] + 1e-9:
            people = max(people - own, 0.0)
        return log(1 + own / (c + people))

    last = nearest(release, one, k)[-1]
    surely = [gain(s) for s in release if distance(one, s) < last - 1e-9]
    perhaps = sorted(gain(s) for s in release if abs(distance(one, s) - last) <= 1e-9)
    left = min(k, len(release)) - len(surely)
    return sum(surely) + sum(perhaps[:left]), sum(surely) + sum(perhaps[len(perhaps) - left :])


def agreeing(rows, one, k):
    """How many rows differ from a record in exactly k columns."""
    return sum(sum(a != b for a, b in zip(one, row, strict=True)) == k for row in rows)


def surprise(release, base, one, w):
    if one not in release:
        return -log(len(release) + 2)
    people = sum(w**k * agreeing(without(base, one), one, k) for k in range(3))
    return -log(people * len(release) / len(base) + w**3)


def near_copies(release, base, one, w):
    copies = sum(w**k * agreeing(release, one, k) for k in range(3))
    people = sum(w**k * agreeing(without(base, one), one, k) for k in range(3))
    return log(copies + w**2) - log(people * len(release) / len(base) + w**2)
