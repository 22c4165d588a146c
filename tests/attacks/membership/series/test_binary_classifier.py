"""The binary classifier of Hide-and-Seek: it finds targets that look like the release."""

import sys

import numpy as np
import pytest

from quintain.attacks.membership.series.binary_classifier import BinaryClassifier, Classifier
from quintain.data import Series
from quintain.data.sources.icu import Icu
from quintain.errors import MissingExtra
from quintain.kernels.networks import as_batch, computing, prepare_timed

torch = pytest.importorskip("torch")

SMALL = BinaryClassifier(hidden=8, layers=1, epochs=6, batch=16, rate=0.01, device="cpu")


@pytest.fixture(scope="module")
def stays() -> Series:
    """The first half lies higher than the second in one feature."""
    plain = Icu(rows=120, features=4, steps=10, missing=0).generate(np.random.default_rng(0))
    values = np.array(plain.values)
    values[: plain.offsets[60], 1] += 4 * values[:, 1].std()
    return Series(plain.schema, plain.ids, plain.offsets, values)


def scores(attacker: BinaryClassifier, targets: Series, released: Series) -> np.ndarray:
    return attacker.scores(targets, released, 10, rng=np.random.default_rng(1))


def test_targets_that_look_like_the_release_are_guessed_to_be_members(stays):
    attacker = SMALL.model_copy(update={"scaled_by": "targets"})
    first = scores(attacker, stays, stays.take(np.arange(60)))
    assert first[:60].min() > np.median(first[60:])
    again = scores(attacker, stays, stays.take(np.arange(60)))
    assert (first == again).all()


def test_the_last_row_of_a_person_counts_and_padding_does_not(stays):
    with computing("cpu", "a test") as device:
        batch = as_batch(prepare_timed(stays, 10), device)
        network = Classifier(batch, 5, 2, rng=np.random.default_rng(2))
        odds = network.read(batch)
        filled = batch.values.clone()
        filled[batch.real == 0] = 7.0
        after = network.read(type(batch)(filled, batch.real))
    torch.testing.assert_close(after, odds)
    assert odds.std() > 0


def test_without_pytorch_the_error_says_how_to_install_it(stays, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"the binary classifier needs torch: pip install"):
        scores(SMALL, stays, stays)
