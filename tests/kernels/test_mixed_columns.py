"""Mixed columns as numbers and codes: nothing is lost, and strangers are known as such."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.kernels.mixed_columns import MOST_KNOTS, MixedCoding, Quantiles
from tests.sanitizers.synthetic.mixed_tables import mixed

EACH = pytest.mark.parametrize("normalisation", ["quantiles", "modes"])


@EACH
def test_records_survive_their_coding(normalisation):
    data = mixed()
    coding = MixedCoding.learn(data, normalisation, rng=np.random.default_rng(1))
    for rng in (np.random.default_rng(2), None):
        encoded = coding.encode(data, rng=rng)
        assert coding.decode(encoded).equals(data)
        assert np.abs(encoded.numbers).max() < 5
        assert (encoded.codes < coding.sizes).all()
    again = MixedCoding.from_arrays(data.schema, coding.arrays())
    assert again.decode(encoded).equals(data)


def test_quantiles_of_frequent_and_of_rare_values_are_normal():
    rng = np.random.default_rng(1)
    numbers = np.where(rng.random(5000) < 0.4, 0.0, rng.lognormal(size=5000))
    column = Column(name="pay", kind="real")
    code = Quantiles.learn(column, numbers)
    assert len(code.values) <= 2 * MOST_KNOTS
    scores, _ = code.encode(numbers, rng)
    assert abs(scores.mean()) < 0.05 and abs(scores.std() - 1) < 0.05
    drawn = code.decode(rng.standard_normal(5000), np.zeros(5000, np.int64))
    assert abs((drawn == 0).mean() - 0.4) < 0.03
    for share in (0.5, 0.75, 0.95):
        assert np.quantile(drawn, share) == pytest.approx(np.quantile(numbers, share), rel=0.15)


def test_values_that_never_occurred_have_places_between_their_neighbours():
    code = Quantiles.learn(Column(name="x", kind="real"), np.array([0.0, 1.0, 2.0, 3.0]))
    scores, _ = code.encode(np.array([-9.0, 0.0, 0.5, 1.0, 9.0]), None)
    assert np.all(np.diff(scores)[1:3] > 0) and scores[0] <= scores[1] < scores[4]


def test_a_record_with_a_new_category_is_a_stranger():
    column = Column(name="town", kind="category", values=("bath", "kent"), nullable=True)
    schema = Schema(columns=(column,))
    data = Table.of(schema, {"town": ["kent", "kent"]})
    coding = MixedCoding.learn(data, "quantiles", rng=np.random.default_rng(1))
    asked = Table.of(schema, {"town": ["bath", "kent", None]})
    assert coding.strangers(asked).tolist() == [True, False, True]
