"""What tests of synthesizers share: noise that records requests, and models read from files."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers.synthetic.independent import IndependentModel


class Recorder(Noise):
    """Test noise that records every request."""

    def __init__(self, key=bytes(32), *, test=True):
        super().__init__(key, test=test)
        self.gaussians, self.choices = [], []

    def gaussian(self, sigma, size):
        self.gaussians.append((sigma, size))
        return super().gaussian(sigma, size)

    def choose(self, scores, epsilon, sensitivity):
        self.choices.append((len(scores), epsilon, sensitivity))
        return super().choose(scores, epsilon, sensitivity)


def oddly_named(high):
    """Make 300 records; column names look like arguments and separators, one has missing values."""
    schema = Schema(
        columns=(
            Column(name="file", kind="category", values=("x",)),
            Column(name="x, y", kind="integer", low=3, high=high, nullable=True),
            Column(name="z", kind="category", values=("p", "q")),
        )
    )
    values = {"file": ["x"] * 300, "x, y": [3, high, None] * 100, "z": ["p", "q", "q"] * 100}
    return Table.of(schema, values)


class OtherModel(IndependentModel):
    """A model of another kind."""

    kind = "other"


def assert_survives_its_file(model, other_model=OtherModel):
    """Check that a model read from its file is the same, and that no other class reads it."""
    again = type(model).from_bytes(model.to_bytes())
    assert type(again) is type(model)
    assert (again.schema, again.size) == (model.schema, model.size)
    assert again.focal_points() == model.focal_points()
    one, other = (m.sample(300, rng=np.random.default_rng(5)) for m in (model, again))
    assert one.equals(other)
    with pytest.raises(PartError, match=f"holds a {model.kind} model, not a other model"):
        other_model.from_bytes(model.to_bytes())
