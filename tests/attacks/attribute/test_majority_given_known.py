"""Majority given known: which released records count, and what they reveal."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.attacks import Knowledge
from quintain.attacks.attribute.majority_given_known import (
    MajorityGivenKnown,
    information,
    majorities,
)
from quintain.attacks.random import Random
from quintain.data import Column, Schema, Table
from quintain.guesses import AttributeQuestion
from quintain.guesses.attribute import Attribute
from quintain.releases import Release
from quintain.samples.targets import Targets

SCHEMA = Schema(
    columns=(
        Column(name="job", kind="category", values=("cook", "nurse", "miner")),
        Column(name="town", kind="integer", low=0, high=9999),
        Column(name="ill", kind="category", values=("no", "a bit", "very")),
    )
)
GOAL = Attribute(column="ill")


def guess(records, targets, **parameters):
    """The values guessed for (job, town) of each target from (job, town, ill) of a release."""
    columns = zip(*records, strict=True)
    release = Table.of(SCHEMA, dict(zip(SCHEMA.names, columns, strict=True)))
    columns = {"target": range(len(targets))}
    columns |= dict(zip(("job", "town"), zip(*targets, strict=True), strict=True))
    question = GOAL.question(Table.of(GOAL.question_schema(SCHEMA), columns), SCHEMA)
    part = MajorityGivenKnown(**parameters)
    made = part.infer(Knowledge(question), Release(release), rng=np.random.default_rng(0))
    return [SCHEMA["ill"].values[code] for code in made.table.columns["ill"]]


RECORDS = [
    ("cook", 1, "very"), ("cook", 1, "very"), ("cook", 1, "no"),
    ("cook", 2, "no"), ("cook", 3, "no"), ("cook", 4, "no"),
    ("nurse", 1, "a bit"), ("nurse", 2, "a bit"), ("nurse", 5, "very"),
]  # fmt: skip


def test_the_most_common_value_among_records_that_agree_is_guessed():
    assert guess(RECORDS, [("cook", 1), ("cook", 2), ("nurse", 5)]) == ["very", "no", "very"]


def test_if_nobody_agrees_the_least_informative_column_is_left_out():
    # Nobody is a nurse in town 9. The job says more about the illness than the town, which has five
    # values for nine records: two of three nurses are a bit ill.
    assert guess(RECORDS, [("nurse", 9)]) == ["a bit"]


def test_if_the_job_is_unknown_the_most_common_value_of_all_is_guessed():
    assert guess(RECORDS, [("miner", 9)]) == ["no"]


def test_too_few_that_agree_do_not_count():
    # One nurse lives in town 5; with a support of two, all three nurses count.
    assert guess(RECORDS, [("nurse", 5)], support=2) == ["a bit"]
    assert guess(RECORDS, [("nurse", 5)], support=4) == ["no"]


def test_of_equally_common_values_the_more_common_one_elsewhere_is_guessed():
    tied = [*RECORDS, ("miner", 7, "a bit"), ("miner", 7, "no")]
    assert guess(tied, [("miner", 7)]) == ["no"]


def test_a_column_with_a_different_value_per_person_has_no_information():
    # ln 2 nats of a fair coin, less 99 / 200 that chance gives a hundred values.
    coin = np.arange(100) % 2
    assert information(np.arange(100), coin) == pytest.approx(np.log(2) - 99 / 200)
    assert information(coin, coin) == pytest.approx(np.log(2) - 1 / 200)


@pytest.mark.slow
@given(st.data(), st.integers(1, 30), st.integers(1, 3), st.integers(1, 4))
def test_majorities_are_those_of_the_longest_agreement(data, records, columns, support):
    cells = st.lists(st.integers(-1, 3), min_size=columns, max_size=columns)
    released = data.draw(st.lists(cells, min_size=records, max_size=records))
    targets = data.draw(st.lists(cells, min_size=1, max_size=8))
    hidden = data.draw(st.lists(st.integers(0, 2), min_size=records, max_size=records))
    overall = Counter(hidden)
    expected = []
    for target in targets:
        for length in range(columns, -1, -1):
            agreeing = [
                h for r, h in zip(released, hidden, strict=True) if r[:length] == target[:length]
            ]
            if len(agreeing) >= support or length == 0:
                break
        times = Counter(agreeing)
        expected.append(max(times, key=lambda value: (times[value], overall[value], -value)))
    sides = (np.array(side, np.int32).T for side in (targets, released))
    assert majorities(*map(list, sides), np.array(hidden), support).tolist() == expected


def correlated(rows, rng):
    """The illness follows the job for four people of five; the town is anything."""
    job = rng.integers(3, size=rows)
    ill = np.where(rng.random(rows) < 0.8, job, rng.integers(3, size=rows))
    return Table(SCHEMA, {"job": job, "town": rng.integers(10_000, size=rows), "ill": ill})


def test_on_correlated_data_it_beats_the_blind_guess_and_knows_members_better():
    rng = np.random.default_rng(3)
    sample = Targets(targets=1000, background=1000).draw(correlated(4000, rng), rng=rng)
    release = Release(sample.private)
    question, truth = GOAL.ask(sample, release)
    assert isinstance(question, AttributeQuestion)
    right = {}
    for part in (MajorityGivenKnown(), MajorityGivenKnown(support=100), Random()):
        made = part.infer(Knowledge(question), release, rng=rng)
        right[part] = made.table.columns["ill"] == truth.table.columns["ill"]
    exact, crowd, blind = right.values()
    member = truth.table.columns["member"] == 1
    # The rule itself is right for 0.8 + 0.2 / 3 = 0.867, a blind guess for 1 / 3; 1,000 targets
    # have a standard error of 0.015 at most.
    assert blind.mean() == pytest.approx(1 / 3, abs=0.05)
    assert crowd.mean() == pytest.approx(0.867, abs=0.04)
    # Hardly two people have job and town in common, so a member's own record decides alone; for
    # controls only the job counts.
    assert exact[member].mean() > 0.97
    assert exact[~member].mean() == pytest.approx(0.867, abs=0.06)
