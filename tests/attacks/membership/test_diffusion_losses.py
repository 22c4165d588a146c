"""Losses of diffusion: who has the model finds its records; what is needed is said."""

import numpy as np
import pytest

import quintain as q
from quintain.attacks import Knowledge, ThreatModel
from quintain.attacks.membership.diffusion_losses import DiffusionShadows
from quintain.errors import KnowledgeError
from quintain.guesses import Membership
from quintain.measures.privacy.roc_curve import auc
from quintain.samples.targets import Targets
from quintain.sanitizers.sanitizer import Shadow

pytest.importorskip("torch")

SMALL = {"batch": 20, "hidden": (32,), "device": "cpu", "publish_model": True}
MADE = q.part("sanitizer/tabddpm", steps=300, noise_steps=20, rate=1e-2, **SMALL)
SHORT = q.part("sanitizer/tabddpm", steps=2, noise_steps=20, **SMALL)
EVERYBODY = q.part("adult", rows=100).data(np.random.default_rng(1))
TARGETS, TRUTH = EVERYBODY.take(range(40)), [True] * 20 + [False] * 20


@pytest.fixture(scope="module")
def release():
    return q.sanitize(MADE, EVERYBODY.take(range(20)), seed=1)


def test_a_model_that_remembers_tells_its_records_by_their_losses(release):
    guess = q.attack("diffusion-loss", release, targets=TARGETS, draws=4, device="cpu", seed=0)
    assert q.measure("auc", guess, TRUTH)["auc"].value > 0.7


def test_shadow_models_learn_from_half_of_the_targets_each(release):
    design = Targets(targets=40, members="half", background=0)
    question, _ = Membership().ask(design.draw(EVERYBODY, rng=np.random.default_rng(2)), release)
    knowledge = Knowledge(question, EVERYBODY, code=Shadow(SHORT))
    attack = DiffusionShadows(shadows=2, draws=2, steps=(0.1, 0.3), device="cpu")
    rng = np.random.default_rng(0)
    seen, known, inside = attack.evidence(knowledge, release, rng=rng)
    assert seen.shape == (40, 4) and known.shape == (2, 40, 4)
    assert inside.sum(axis=1).tolist() == [20, 20]
    guess = attack.infer(knowledge, release, rng=rng)
    assert len(np.unique(guess.table.columns["probability"])) > 20


def test_what_an_attack_needs_is_said():
    data = EVERYBODY.take(range(20))
    short = {"steps": 1, "batch": 10, "hidden": (8,), "device": "cpu"}
    closed = q.sanitize("tabddpm", data, **short, seed=1)
    assert closed.weights == b""
    with pytest.raises(KnowledgeError, match=r"needs weights \(the weights of the model\)"):
        q.attack("diffusion-loss", closed, targets=data, seed=0)
    other = q.sanitize("tvae", data, **short, publish_model=True, seed=1)
    with pytest.raises(KnowledgeError, match=r"attacks models of tabddpm; .* carries one of tvae"):
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
