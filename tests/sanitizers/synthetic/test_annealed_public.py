"""Annealing towards public people: bounds hold, and less of the private data is repeated."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.data.sources.adult import Adult
from quintain.errors import PartError
from quintain.kernels.dummies import moments
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.annealed import AnnealedSynthetic, error, redrawn_counts
from quintain.sanitizers.synthetic.annealed_moments import (
    MomentGoal,
    PublicGoal,
    PublicPeople,
    SwapCloseness,
    settle,
)

NAMES = ("age", "education", "occupation", "sex", "income")


def adults(rows, seed):
    return Adult(rows=rows).generate(np.random.default_rng(seed)).select(NAMES)


def counts_of(table, name):
    return np.bincount(table.columns[name], minlength=table.schema[name].size)


@pytest.fixture(scope="module")
def people():
    return adults(4000, 1)


@pytest.fixture(scope="module")
def public():
    return adults(40_000, 2)


def test_rare_values_get_public_counts_within_the_bounds(people, public):
    total = 0.05
    counts = redrawn_counts(people, 0.03, total, Noise.for_test(1), public)
    errors, repeated = [], 0
    for column in people.schema.columns:
        true, new = counts_of(people, column.name), counts[column.name]
        others = counts_of(public, column.name) * len(people) / len(public)
        assert new.sum() == len(people)
        assert new.min() >= 0
        if column.kind == "category":
            assert ((new > 0) == (true > 0)).all()
        errors.append(error(true, new))
        repeated += (np.abs(new - others) < 1.5).sum()
    assert max(errors) <= 0.03
    assert sum(errors) <= total
    assert repeated > 20, "many counts are those of the public people"


def test_a_table_within_the_public_goal_is_within_the_private_bounds(people, public):
    close = SwapCloseness(0.1, 2.5)
    rng = np.random.default_rng(3)
    start = people.replace({n: rng.permutation(v) for n, v in people.columns.items()})
    goal = PublicGoal(people, moments(public), start, close)
    assert goal.excess(moments(start)) > 0
    end = settle(start, goal, (), Noise.for_test(1))
    assert goal.excess(moments(end)) <= 0
    assert MomentGoal(people, close).excess(moments(end)) <= 0


def test_the_release_repeats_less_of_the_private_counts(people, public):
    bounds = {"histogram": 0.985, "tries": 1}
    parts = (
        AnnealedSynthetic(**bounds),
        AnnealedSynthetic(**bounds, public=PublicPeople(source=Adult(rows=40_000))),
    )
    usual = [counts_of(public, n) * (len(people) / len(public)) for n in NAMES[1:3]]
    repeated = []
    for part in parts:
        made = sanitize(part, people, rng=np.random.default_rng(1), noise=Noise.for_test(1))
        assert made.release.methods[0].detail.endswith("kept within bounds")
        # How much of a private deviation from the usual counts is in the release.
        private, released = (
            np.concatenate([counts_of(t, n) for n in NAMES[1:3]]) - np.concatenate(usual)
            for t in (people, made.release.data)
        )
        repeated.append(np.corrcoef(private, released)[0, 1])
    assert repeated[1] < repeated[0]


def test_public_people_need_the_columns_of_the_private_data():
    schema = Schema(columns=(Column(name="pet", kind="category", values=("cat", "dog")),))
    table = Table(schema, {"pet": np.array([0, 1, 1, 0])})
    part = AnnealedSynthetic(public=PublicPeople(source=Adult(rows=50)))
    with pytest.raises(PartError, match="the public data have no column 'pet'"):
        sanitize(part, table, rng=np.random.default_rng(1), noise=Noise.for_test(1))


def test_a_synthetic_public_is_generated_and_distinct():
    recipe = PublicPeople(source={"use": "adult", "rows": 500}, generate=2000, distinct=True)
    table = recipe.table(Adult().data_schema())
    assert len(np.unique(table.row_keys())) == len(table)
    assert 500 < len(table) <= 2000


def test_the_recipe_survives_writing_and_reading():
    public = {"source": {"use": "adult", "rows": 500}, "generate": 2000, "distinct": True}
    part = build("sanitizer", {"use": "annealed-synthetic", "public": public})
    assert build("sanitizer", part.spec()) == part
    assert part.public == PublicPeople(source=Adult(rows=500), generate=2000, distinct=True)
