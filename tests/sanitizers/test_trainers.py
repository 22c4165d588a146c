"""Trainers: what DP-SGD adds up, clips and claims."""

import sys

import numpy as np
import pytest

import quintain as q
from quintain.errors import MissingExtra
from quintain.measures.utility.model_accuracy import is_right
from quintain.randomness.noise import Noise
from quintain.sanitizers.models.dp_sgd import _FINENESS, TrainDpSgd
from quintain.testing.examples import example_table, people

RECORDS = people(example_table(rows=80))


def test_a_gradient_is_no_longer_than_the_noise_covers():
    rng = np.random.default_rng(1)
    gradients = rng.normal(size=(50, 40)) * rng.exponential(3, size=(50, 1))
    for clip in (0.1, 1.0, 100.0):
        cut = TrainDpSgd(label="flag", clip=clip)._clip(gradients)
        assert cut.dtype == np.int64
        assert np.sqrt((cut**2).sum(axis=1)).max() <= _FINENESS + np.sqrt(40) / 2


class Recorder(Noise):
    """Noise that remembers how much of it was asked for."""

    __slots__ = ("sigmas", "tosses")

    def __init__(self):
        super().__init__(bytes(range(32)), test=True)
        self.sigmas, self.tosses = [], []

    def bernoulli(self, probability, size):
        self.tosses.append((probability, size))
        return super().bernoulli(probability, size)

    def gaussian(self, sigma, size):
        self.sigmas.append(sigma)
        return super().gaussian(sigma, size)


def test_every_step_draws_its_records_and_its_noise_from_the_secret_stream():
    noise = Recorder()
    trainer = TrainDpSgd(label="flag", epsilon=2.0, steps=7, rate=0.3, hidden=(3,))
    trainer.train(RECORDS, rng=np.random.default_rng(0), noise=noise)
    assert noise.tosses == [(0.3, len(RECORDS))] * 7
    from quintain.accounting.subsampled_gaussian import sigma_of_steps

    weights = (5 + 1) * 3 + (3 + 1) * 2
    longest = _FINENESS + np.sqrt(weights) / 2
    assert noise.sigmas == [longest * sigma_of_steps(0.3, 2.0, 7, 1e-5)] * 7


def test_a_step_without_any_record_is_noise_alone():
    trainer = TrainDpSgd(label="flag", steps=3, rate=0.001, hidden=())
    model = trainer.train(RECORDS, rng=np.random.default_rng(0), noise=Noise.for_test(1))
    assert model.architecture == "logistic"


def test_the_claim_stands_on_the_card():
    release = q.sanitize("train-dp-sgd", RECORDS, label="flag", epsilon=8, steps=3, seed=1)
    assert release.claim.epsilon == 8 and release.claim.delta == 1e-5
    assert "DP-SGD: 16 hidden units, 3 steps" in release.methods[0].detail


def test_a_label_that_no_model_can_predict_is_refused():
    assert "'size' is not a category" in q.part("train-logistic", label="size").refusal(
        RECORDS.schema
    )


@pytest.mark.slow
def test_pytorch_trains_the_same_network_from_the_same_seed():
    pytest.importorskip("torch")
    settings = {"label": "flag", "hidden": [4], "epochs": 3, "dropout": 0.5}
    once, again, other = (
        q.sanitize("train-torch", RECORDS, **settings, seed=seed).data for seed in (1, 1, 2)
    )
    assert once.digest() == again.digest() != other.digest()
    assert once.architecture == "network"
    logistic = q.sanitize("train-torch", RECORDS, label="flag", hidden=[], epochs=1, seed=1)
    assert logistic.data.architecture == "logistic"


def test_training_with_pytorch_leaves_its_random_numbers_alone():
    torch = pytest.importorskip("torch")
    torch.manual_seed(7)
    wanted = torch.rand(3)
    torch.manual_seed(7)
    q.sanitize("train-torch", RECORDS, label="flag", epochs=1, seed=1)
    assert torch.equal(torch.rand(3), wanted)


def test_pytorch_learns_what_a_network_of_numpy_learns():
    pytest.importorskip("torch")
    people_of_adult = q.part("adult", rows=1500).data(np.random.default_rng(1))
    train, test = people_of_adult.take(range(1000)), people_of_adult.take(range(1000, 1500))
    accuracy = {
        name: is_right(
            q.sanitize(name, train, label="income", hidden=[16], epochs=10, seed=1).data, test
        ).mean()
        for name in ("train-network", "train-torch")
    }
    assert abs(accuracy["train-torch"] - accuracy["train-network"]) < 0.05
    assert accuracy["train-torch"] > 0.7


def test_without_pytorch_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'quintain\[torch\]'"):
        q.sanitize("train-torch", RECORDS, label="flag", seed=1)
