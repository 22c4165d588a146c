"""The nearest-record attack as AMIC handed it out, against a plain search over all pairs."""

import time

import numpy as np
import pytest

from quintain.attacks import Knowledge
from quintain.attacks.nearest import Nearest
from quintain.data.sources.adult import Adult
from quintain.guesses.membership_set import MembershipSet
from quintain.releases import Release
from quintain.samples.sample import Subset


def adults(rows, seed):
    return Adult(rows=rows).generate(np.random.default_rng(seed))


def masked(table, rng):
    """A few hours more or less, and some occupations drawn again."""
    hours = table.columns["hours-per-week"] + rng.integers(-2, 3, len(table))
    drawn = rng.random(len(table)) < 0.2
    work = np.where(
        drawn, rng.permutation(table.columns["occupation"]), table.columns["occupation"]
    )
    return table.replace({"hours-per-week": hours.clip(0, 98), "occupation": work})


def named(release, base, distance, guesses):
    sample = Subset(rows=len(release)).draw(base, rng=np.random.default_rng(0))
    question, _ = MembershipSet(guesses=guesses).ask(sample, Release(release))
    guess = Nearest(distance=distance).infer(
        Knowledge(question, base), Release(release), rng=np.random.default_rng(1)
    )
    return guess.table.columns["row"].tolist()


def slow(release, base, distance, guesses):
    """All pairs, by the formulas of the sample code and of the rules."""
    pairs = []
    base_records = [list(record.items()) for record in base.records()]
    for place, record in enumerate(release.records()):
        costs = []
        for row, other in enumerate(base_records):
            gaps = [abs(record[k] - v) for k, v in other if isinstance(v, int)]
            wrong = sum(record[k] != v for k, v in other if isinstance(v, str))
            squares = sum(gap**2 for gap in gaps) + 2 * wrong
            costs.append((squares if distance == "euclidean" else sum(gaps) + wrong, row))
        cost, row = min(costs)
        pairs.append((cost, place, row))
    rows = dict.fromkeys(row for _, _, row in sorted(pairs))
    return list(rows)[:guesses]


@pytest.mark.parametrize("distance", ["euclidean", "manhattan"])
def test_rows_are_named_by_distance_and_each_once(distance):
    base = adults(400, 1)
    rng = np.random.default_rng(2)
    release = masked(base.take(rng.choice(400, 150)), rng)
    expected = slow(release, base, distance, 60)
    assert len(expected) == 60
    assert named(release, base, distance, 60) == expected


def test_equally_near_rows_go_by_their_number():
    base = adults(50, 3)
    base = base.concat(base)  # every row is there twice
    order = np.random.default_rng(4).permutation(50)
    expected = slow(base.take(order), base, "euclidean", 40)
    assert named(base.take(order), base, "euclidean", 40) == expected
    assert set(expected) <= set(range(50))


def test_ten_thousand_records_are_looked_up_in_a_hundred_thousand_and_not_in_all_pairs():
    base = adults(100_000, 5)
    rng = np.random.default_rng(6)
    release = masked(base.take(rng.choice(len(base), 10_000, replace=False)), rng)
    named(release, base, "euclidean", 100)  # warm
    start = time.process_time()
    named(release, base, "euclidean", 100)
    assert time.process_time() - start < 20  # far from what any machine needs
