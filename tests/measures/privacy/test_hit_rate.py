"""Hit rate: of the records that were named, how many were in; once each, over all repetitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.guesses import Guess, Truth
from quintain.guesses.membership_set import MembershipSet
from quintain.measures import Case, reading_rng
from quintain.measures.intervals import clopper_pearson
from quintain.measures.privacy.found import HitRate
from quintain.releases import Release
from quintain.samples.sample import Subset

POPULATION = Schema(columns=(Column(name="age", kind="integer", low=0, high=999),))
ROWS = MembershipSet().guess_schema(POPULATION)

row_sets = st.sets(st.integers(0, 20), max_size=12)


def case(members, named):
    truth, guess = (Table.of(ROWS, {"row": list(rows)}) for rows in (members, named))
    return Case(Truth(truth), Guess(guess))


def hit_rate(*cases):
    return HitRate().measure(cases, rng=reading_rng())["hit_rate"]


def test_the_hit_rate_is_the_share_of_named_records_that_were_in():
    reading = hit_rate(case(members=[2, 3, 5, 7, 11], named=[1, 2, 3, 4]))
    assert reading.value == 0.5
    assert (reading.low, reading.high) == clopper_pearson(2, 4)
    assert (reading.n, reading.better) == (4, "lower")


@pytest.mark.parametrize(("named", "value"), [([1, 3], 1), ([0, 2], 0), ([0], 0), ([3], 1)])
def test_all_and_no_hits(named, value):
    assert hit_rate(case([1, 3, 5], named)).value == value


def test_the_records_that_were_not_named_do_not_matter():
    assert hit_rate(case(range(100), [0, 500])) == hit_rate(case([0], [0, 500]))


def test_a_record_named_twice_counts_once():
    assert hit_rate(case([1], [1, 1, 1, 2])) == hit_rate(case([1], [1, 2]))


def test_repetitions_are_pooled():
    # 1 of 1 and 1 of 3: pooled 2 of 4, while the mean of the shares would be 2/3.
    reading = hit_rate(case([1], [1]), case([1], [1, 2, 3]))
    assert (reading.value, reading.n) == (0.5, 4)


def test_the_same_row_counts_anew_in_every_repetition():
    assert hit_rate(case([1], [1]), case([1], [1])).n == 2


def test_nothing_named_is_not_measured():
    assert not hit_rate(case([1, 2], [])).measured


def test_nobody_inside_is_no_hit():
    assert hit_rate(case([], [1, 2])).value == 0


@settings(deadline=None)
@given(row_sets, row_sets.filter(bool), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(members, named, random):
    turned = [sorted(members), sorted(named)]
    for rows in turned:
        random.shuffle(rows)
    assert hit_rate(case(*turned)) == hit_rate(case(sorted(members), sorted(named)))
    assert hit_rate(case(*turned)).value == len(members & named) / len(named)


def test_blind_guessing_hits_as_often_as_people_are_in():
    # 30 of 120 are in; 400 blind guesses of 10 rows, standard error about 0.007.
    population = Table(POPULATION, {"age": np.arange(120)})
    cases = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        sample = Subset(rows=30).draw(population, rng=rng)
        question, truth = MembershipSet(guesses=10).ask(sample, Release(sample.private))
        cases.append(Case(truth, question.blind(rng=rng)))
    assert abs(hit_rate(*cases).value - 0.25) < 5 * 0.007


def test_an_attacker_who_knows_reads_one():
    population = Table(POPULATION, {"age": np.arange(40)})
    sample = Subset(rows=10).draw(population, rng=np.random.default_rng(1))
    question, truth = MembershipSet(guesses=10).ask(sample, Release(sample.private))
    knows = question.answer(truth.table.columns["row"])
    assert hit_rate(Case(truth, knows)).value == 1
