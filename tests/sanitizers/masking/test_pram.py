"""PRAM: transitions happen as often as the matrix says, and invariant PRAM keeps the counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.errors import PartError, Rejected
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers.masking.pram import Pram, draw_rows, reverse
from quintain.testing.strategies import tables
from tests.sanitizers.masking.masking_cases import masked, persons

MATRIX = ((0.7, 0.2, 0.1), (0.0, 0.9, 0.1), (0.3, 0.3, 0.4))


def transitions(before, after, size):
    """How often each value became each other value, as shares of the rows."""
    table = np.zeros((size, size))
    np.add.at(table, (before, after), 1)
    return table / table.sum(axis=1, keepdims=True)


def test_values_change_as_often_as_the_matrix_says():
    data = persons(20_000)
    after, release = masked("pram", data, columns=["town"], matrices={"town": MATRIX})
    shares = transitions(data.columns["town"], after.columns["town"], 3)
    # Three standard errors of the smallest town, which has about 2,000 records.
    np.testing.assert_allclose(shares, MATRIX, atol=3 * np.sqrt(0.25 / 2000))
    assert shares[1, 0] == 0
    assert release.claim is None


def test_without_a_matrix_the_other_values_are_equally_likely():
    data = persons(20_000)
    after, _ = masked("pram", data, columns=["town"], keep=0.6)
    expected = np.full((3, 3), 0.2) + 0.4 * np.eye(3)
    shares = transitions(data.columns["town"], after.columns["town"], 3)
    np.testing.assert_allclose(shares, expected, atol=0.035)


def test_going_there_and_back_keeps_the_expected_counts_exactly():
    counts, matrix = np.array([700, 0, 300]), np.array(MATRIX)
    both = matrix @ reverse(matrix, counts)
    np.testing.assert_allclose(counts @ both, counts)
    np.testing.assert_allclose(both.sum(axis=1), 1)
    # By hand: of 700 * .1 + 300 * .4 = 190 records at value 3, 70 go back to value 1.
    assert reverse(matrix, counts)[2, 0] == pytest.approx(70 / 190)


def test_invariant_pram_keeps_the_counts_up_to_chance():
    data = persons(20_000)
    plain, _ = masked("pram", data, columns=["town"], keep=0.5)
    kept, _ = masked("pram", data, columns=["town"], keep=0.5, invariant=True)
    before, without, invariant = (
        np.bincount(table.columns["town"], minlength=3) for table in (data, plain, kept)
    )
    assert np.abs(without - before).max() > 1000
    assert np.abs(invariant - before).max() < 4 * np.sqrt(20_000 / 4)
    assert (kept.columns["town"] != data.columns["town"]).mean() > 0.2


@pytest.mark.slow
@given(tables(discrete=True, min_rows=1), st.floats(0, 1), st.booleans(), st.integers(0, 9))
def test_missing_cells_stay_missing_and_others_get_values_of_the_domain(table, keep, inv, seed):
    part = Pram(keep=keep, invariant=inv, columns=table.schema.names)
    drawn = part.mask(
        table, table.schema.names, rng=np.random.default_rng(0), noise=Noise.for_test(seed)
    )
    for name, codes in drawn.items():
        before = table.columns[name]
        assert ((codes < 0) == (before < 0)).all()
        assert (codes < table.schema[name].size).all()
        if inv:  # a value that nobody has cannot appear
            assert set(codes.tolist()) <= set(before.tolist())


def test_a_transition_of_probability_zero_never_happens():
    drawn = draw_rows(np.array([[0.1, 0.9, 0.0]] * 3), np.arange(30_000) % 3, Noise.for_test(1))
    assert set(drawn.tolist()) == {0, 1}


def test_integers_are_changed_only_if_they_are_named():
    grade, age = (
        Column(name="grade", kind="category", values=("a", "b")),
        Column(name="age", kind="integer", low=0, high=3),
    )
    schema = Schema(columns=(grade, age))
    assert Pram().choose_columns(schema) == ("grade",)
    eye = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))
    assert Pram(matrices={"age": eye}).choose_columns(schema) == ("grade", "age")
    table = Table.of(schema, {"grade": ["a"], "age": [2]})
    assert Pram(matrices={"age": eye}, keep=1).mask(
        table, ("grade", "age"), rng=np.random.default_rng(0), noise=Noise.for_test(1)
    )["age"].tolist() == [2]


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[0.5, 0.5]], "row 1 has 2 probabilities, expected 1"),
        ([[0.5, 0.6], [0, 1]], "row 1 must have numbers from 0 to 1 whose sum is 1"),
        ([[1.5, -0.5], [0, 1]], "row 1 must have numbers from 0 to 1 whose sum is 1"),
    ],
)
def test_a_matrix_that_is_none_is_refused(matrix, words):
    with pytest.raises(Rejected, match=words):
        build("sanitizer", {"use": "pram", "matrices": {"town": matrix}})


def test_a_matrix_of_another_size_or_column_gets_a_sentence():
    with pytest.raises(PartError, match="'town' has 2 rows; the column has 3 values"):
        masked("pram", persons(), matrices={"town": [[1, 0], [0, 1]]})
    with pytest.raises(PartError, match="matrices names town, which columns does not"):
        masked("pram", persons(), columns=["grade"], matrices={"town": MATRIX})
    with pytest.raises(PartError, match="unknown column 'twon'"):
        masked("pram", persons(), matrices={"twon": MATRIX})
