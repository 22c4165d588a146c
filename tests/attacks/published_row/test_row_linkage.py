"""Row linkage: probabilistic record linkage with one row for each target."""

from dataclasses import replace

import numpy as np
import pytest

from quintain.attacks import Knowledge
from quintain.attacks.record_comparison import assign_columns, best_pairs, posterior
from quintain.data import Column, Schema, Table
from quintain.guesses.published_row import PublishedRow, rows_and_guesses
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import publication
from quintain.samples.targets import Targets
from quintain.sanitizers import sanitize

SCHEMA = Schema(
    columns=(
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="job", kind="category", values=tuple("abcdefgh")),
        Column(name="town", kind="category", values=tuple("rstuvwxyz")),
        Column(name="weight", kind="real", low=0, high=200, nullable=True),
        Column(name="day", kind="time"),
    )
)


def people(count=600, seed=0):
    rng = np.random.default_rng(seed)
    weight = rng.normal(70, 12, count).round(1)
    weight[rng.random(count) < 0.1] = np.nan
    return Table(
        SCHEMA,
        {
            "age": rng.integers(0, 100, count),
            "job": rng.choice(8, count, p=[0.4, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05]),
            "town": rng.integers(9, size=count),
            "weight": weight,
            "day": rng.integers(1, 20_000, count) * 86_400,
        },
    )


def rows_found(spec, use="row-linkage", goal=None, release_change=None):
    goal = goal or PublishedRow()
    design = Targets(targets=200, members="half", background=200)
    sample = design.draw(people(), rng=np.random.default_rng(1))
    made = sanitize(
        build("sanitizer", spec),
        sample.private,
        rng=np.random.default_rng(2),
        noise=Noise.for_test(3),
    )
    data = made.release.data if release_change is None else release_change(made.release.data)
    published = publication(data, made.trace.origins, rng=np.random.default_rng(4))
    rng = np.random.default_rng(6)
    question, truth = goal.ask_published(sample, made.release, published, rng=rng)
    release = replace(made.release, data=published.data)
    part = build("attack", use if isinstance(use, dict) else {"use": use})
    guess = part.infer(Knowledge(question), release, rng=np.random.default_rng(5))
    return rows_and_guesses(truth, guess)


def share(pair):
    rows, guesses = pair
    return float((rows == guesses)[rows >= 0].mean())


def test_every_row_of_an_identity_release_is_found():
    assert share(rows_found({"use": "identity"})) == 1.0


def shuffled_columns(data):
    rng = np.random.default_rng(9)
    return data.replace({name: rng.permutation(data.columns[name]) for name in data.schema.names})


@pytest.mark.parametrize("use", ["row-linkage", "nearest"])
def test_rows_of_a_release_with_shuffled_columns_are_found_by_chance_only(use):
    found = rows_found({"use": "identity"}, use, release_change=shuffled_columns)
    assert share(found) <= 0.04  # one of 300 rows is expected; 4 of 100 has probability 0.0003


def test_two_known_columns_find_fewer_rows_than_all():
    some = share(rows_found({"use": "identity"}, goal=PublishedRow(knows=("age", "job"))))
    assert 0.3 < some < 0.9


def test_changed_numbers_and_kept_categories_are_learned():
    noise = {"use": "integer-noise", "columns": ["age"], "scale": 8.0}
    rrp = {"use": "rrp", "columns": ["job", "town"], "keep": 0.5}
    spec = {"use": "pipeline", "steps": [noise, rrp]}
    few = PublishedRow(knows=("age", "job", "town", "weight"))
    learned = share(rows_found(spec, goal=few))
    near = share(rows_found(spec, "nearest", goal=few))
    assert learned > 0.7 > near


def test_no_row_is_given_to_two_targets():
    _, guesses = rows_found({"use": "rrp", "keep": 0.5})
    assert len(np.unique(guesses)) == len(guesses)


def test_targets_without_a_likely_row_are_said_to_be_absent():
    rows, guesses = rows_found({"use": "identity"}, goal=PublishedRow(absent=True))
    assert (rows == guesses).mean() > 0.95


def test_a_release_with_fewer_rows_than_targets_is_answered():
    spec = {"use": "partial-extraction", "share": 0.1}
    goal = PublishedRow(absent=True)
    rows, guesses = rows_found(spec, goal=goal)
    assert (rows >= 0).sum() < 30
    assert (rows == guesses).mean() > 0.9


def test_the_assignment_maximises_the_total_and_may_leave_rows_alone():
    weights = np.array([[5.0, 4.0, 0.0], [5.0, 0.0, 0.0], [4.5, 1.0, -9.0]])
    columns, kept = best_pairs(weights, 3)
    assert assign_columns(columns, kept, 3).tolist() == [1, 2, 0]  # 4 + 0 + 4.5
    assert assign_columns(columns, kept, 3, alone=0.5).tolist() == [1, 0, -1]  # 4 + 5 + 0.5


def test_candidates_that_are_all_taken_leave_a_row_alone():
    columns, kept = best_pairs(np.array([[5.0, 1.0], [5.5, 1.0]]), 1)
    assert assign_columns(columns, kept, 2).tolist() == [-1, 0]


def test_the_posterior_of_weights_without_information_is_spread_evenly():
    np.testing.assert_allclose(posterior(np.zeros((1, 3)), 0.6), np.full((1, 3), 0.2))
