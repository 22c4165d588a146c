"""Losses of diffusion: who has the model finds its records; what is needed is said."""

import numpy as np
import pytest

import quintain as q
from quintain.attacks import ThreatModel
from quintain.attacks.membership.diffusion_losses import DiffusionShadows
from quintain.errors import KnowledgeError
from quintain.guesses import Membership
from quintain.measures.privacy.roc_curve import auc

pytest.importorskip("torch")

SMALL = {"batch": 40, "hidden": (64,), "device": "cpu", "publish_model": True}
MADE = q.part("sanitizer/tabddpm", steps=500, noise_steps=20, rate=5e-3, **SMALL)
EVERYBODY = q.part("adult", rows=300).data(np.random.default_rng(1))
TARGETS, TRUTH = EVERYBODY.take(range(80)), [True] * 40 + [False] * 40


@pytest.fixture(scope="module")
def release():
    return q.sanitize(MADE, EVERYBODY.take(range(40)), seed=1)


def test_a_model_that_remembers_tells_its_records_by_their_losses(release):
    guess = q.attack("diffusion-loss", release, targets=TARGETS, draws=4, device="cpu", seed=0)
    assert q.measure("auc", guess, TRUTH)["auc"].value > 0.75


def test_shadow_models_are_trained_with_the_sanitizer(release):
    known = {"targets": TARGETS, "population": EVERYBODY, "sanitizer": MADE}
    part = {"shadows": 2, "draws": 2, "steps": (0.1, 0.3), "device": "cpu"}
    guess = q.attack("diffusion-shadows", release, **known, **part, seed=0)
    assert q.measure("auc", guess, TRUTH)["auc"].value > 0.75


def test_what_an_attack_needs_is_said():
    data = EVERYBODY.take(range(20))
    short = {"steps": 1, "batch": 10, "hidden": (8,), "device": "cpu"}
    closed = q.sanitize("tabddpm", data, **short, seed=1)
    assert closed.weights == b""
    with pytest.raises(KnowledgeError, match=r"needs weights \(the weights of the model\)"):
        q.attack("diffusion-loss", closed, targets=data, seed=0)
    other = q.sanitize("tvae", data, **short, publish_model=True, seed=1)
    with pytest.raises(KnowledgeError, match="attacks models of tabddpm; .* carries one of tvae"):
        q.attack("diffusion-loss", other, targets=data, device="cpu", seed=0)


def test_a_threat_model_without_weights_keeps_the_model_back(release):
    assert ThreatModel.giving(Membership(), ["base", "code"]).show(release).weights == b""
    assert ThreatModel.giving(Membership(), ["weights"]).show(release).weights == release.weights


def made_up(rng, shadows=8, records=400, steps=3):
    """Losses of records that differ far more from each other than members from strangers."""
    inside = rng.random((shadows + 1, records)) < 0.5
    hard = rng.normal(0, 2, (records, 1))
    noise = rng.normal(0, 0.3, (shadows + 1, records, 2 * steps))
    losses = np.exp(hard - 0.5 * inside[:, :, None] + noise)
    return losses[0], losses[1:], inside[1:], inside[0]


@pytest.mark.parametrize(("scoring", "least"), [("relative", 0.9), ("ratio", 0.6)])
def test_losses_beside_those_of_other_models_say_more_than_plain_ones(scoring, least):
    *evidence, members = made_up(np.random.default_rng(1))
    plain, other = (
        auc(members, DiffusionShadows(scoring=way).score(*evidence)).value
        for way in ("plain", scoring)
    )
    assert other > plain and other > least
