"""Linear reconstruction: where it is known to work, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from quintain.attacks import Attack, Knowledge, LinearReconstruction, Nearest
from quintain.attacks.attribute.linear_reconstruction import Equations
from quintain.data import Column, Schema, Table
from quintain.errors import PartError
from quintain.guesses.attribute import AttributeQuestion
from quintain.guesses.goal import TARGET
from quintain.releases import Release

PEOPLE, COLUMNS, VALUES, RELEASED = 60, 6, 6, 60_000


def marginals_only(seed: int) -> tuple[AttributeQuestion, np.ndarray, Release]:
    """Random secrets, and a release in which no record has more than two true values of a person.

    Every released record takes two columns and the secret from one person. All else is random.
    """
    rng = np.random.default_rng(seed)
    people = rng.integers(VALUES, size=(PEOPLE, COLUMNS))
    secret = rng.permutation(PEOPLE) < PEOPLE // 2
    person = rng.integers(PEOPLE, size=RELEASED)
    rows = rng.integers(VALUES, size=(RELEASED, COLUMNS))
    for _ in range(2):
        column = rng.integers(COLUMNS, size=RELEASED)
        rows[np.arange(RELEASED), column] = people[person, column]
    names = [f"q{place}" for place in range(COLUMNS)]
    known = [Column(name=n, kind="category", values=tuple("abcdef")) for n in names]
    ill = Column(name="ill", kind="category", values=("no", "yes"))
    released = {name: rows[:, place] for place, name in enumerate(names)}
    shown = {name: people[:, place] for place, name in enumerate(names)}
    targets = Table(Schema(columns=(TARGET, *known)), {"target": np.arange(PEOPLE), **shown})
    table = Table(Schema(columns=(*known, ill)), {**released, "ill": secret[person]})
    return AttributeQuestion(targets, ill), secret, Release(table)


def accuracy(part: Attack, seed: int) -> float:
    question, secret, release = marginals_only(seed)
    guess = part.infer(Knowledge(question), release, rng=np.random.default_rng(0))
    return float((guess.table.columns["ill"] == secret).mean())


def test_many_statistics_give_away_secrets_that_no_released_record_shows() -> None:
    reconstructed = np.mean([accuracy(LinearReconstruction(ways=2), seed) for seed in range(3)])
    nearest = np.mean([accuracy(Nearest(), seed) for seed in range(3)])
    assert reconstructed > 0.85  # one half is chance
    assert reconstructed > nearest + 0.1


def test_exact_answers_to_random_subsets_determine_every_bit() -> None:
    """Dinur and Nissim: four times as many exact sums over random subsets as people."""
    rng = np.random.default_rng(0)
    secret = rng.random(64) < 0.5
    subsets = csr_array((rng.random((256, 64)) < 0.5).astype(float))
    bits = Equations(subsets, subsets).reconstruct(secret, damping=0.01)
    np.testing.assert_array_equal(bits > 0.5, secret)


def test_two_queries_determine_nothing() -> None:
    rng = np.random.default_rng(0)
    secret = rng.random(64) < 0.5
    subsets = csr_array((rng.random((2, 64)) < 0.5).astype(float))
    bits = Equations(subsets, subsets).reconstruct(secret, damping=0.01)
    assert ((bits > 0.5) == secret).mean() < 0.8


def test_a_number_with_many_values_is_refused_in_words() -> None:
    wage, sex = (
        Column(name="wage", kind="real", low=0, high=1),
        Column(name="sex", kind="category", values=("f", "m")),
    )
    release = Table(
        Schema(columns=(sex, wage)), {"sex": np.zeros(300, int), "wage": np.linspace(0, 1, 300)}
    )
    targets = Table(Schema(columns=(TARGET, sex)), {"target": [0], "sex": [0]})
    with pytest.raises(PartError, match="'wage' has 300 in the release, and the limit is 100"):
        LinearReconstruction().infer(
            Knowledge(AttributeQuestion(targets, wage)),
            Release(release),
            rng=np.random.default_rng(0),
        )


def test_column_sets_are_distinct_and_within_the_limit() -> None:
    names = [f"c{place}" for place in range(30)]
    part = LinearReconstruction(ways=3, sets=100)
    sets = part._column_sets(names, np.random.default_rng(0))
    assert len(sets) <= 100
    assert len({tuple(chosen) for chosen in sets}) == len(sets)
    assert sum(len(chosen) == 1 for chosen in sets) == 30


def test_a_constant_secret_is_guessed_for_everybody() -> None:
    question, _, release = marginals_only(0)
    assert isinstance(release.data, Table)
    constant = Release(release.data.replace({"ill": np.ones(RELEASED, int)}))
    guess = LinearReconstruction().infer(
        Knowledge(question), constant, rng=np.random.default_rng(0)
    )
    assert (guess.table.columns["ill"] == 1).all()
