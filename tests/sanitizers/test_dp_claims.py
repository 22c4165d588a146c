"""Thousands of runs on neighbouring data: no claim is broken, and a planted bug is caught.

A distinguishing test gives a lower bound on the epsilon a sanitizer really has. A sound one stays
under its claim. The same test must fail when noise is divided by the number of records, or when
delta is ignored; otherwise it would prove nothing.
"""

from contextlib import nullcontext

import numpy as np
import pytest

from quintain.accounting.pate import Ledger, least_scale
from quintain.data import Column, Schema, Table
from quintain.errors import NoiseError
from quintain.measures.epsilon.thresholds import audited_epsilon
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.masking.randomized_response import RandomizedResponse
from quintain.sanitizers.synthetic.independent import Independent
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.pategan import PateGan
from quintain.sanitizers.synthetic.pategan import synthesizer as pategan
from quintain.sanitizers.synthetic.pategan.generator import View
from quintain.sanitizers.synthetic.pategan.synthesizer import PateganPlan, make_plan
from quintain.sanitizers.synthetic.pategan.training import PateganTraining, Teachers
from quintain.sanitizers.synthetic.privbayes import PrivBayes

RUNS = 800
"""Enough where the budget is of some size; a bug that matters shows in far fewer."""
SCHEMA = Schema(
    columns=tuple(Column(name=name, kind="category", values=("a", "b")) for name in ("x", "y"))
)


def table(*rows):
    return Table.of(SCHEMA, {name: [row[j] for row in rows] for j, name in enumerate("xy")})


# Few records, so that hardly anything but the noise hides the one that makes the difference.
ADDED = table(("a", "a"), ("b", "b")), table(("a", "a"))
REPLACED = table(("b", "b")), table(("a", "a"))


def visible(release):
    """How much of the odd record shows: column by column, and in both at once."""
    is_b = release.codes() == 1
    return is_b.sum() + is_b.all(axis=1).sum()


def audit(sanitizer, neighbours, delta=0.0, runs=RUNS):
    scores = []
    for side, data in enumerate(neighbours):
        scores_of_side = []
        for run in range(runs):
            rng = np.random.default_rng([side, run])
            release = sanitize(sanitizer, data, rng=rng, noise=Noise.for_test(rng)).release
            scores_of_side.append(visible(release.data))
        scores.append(np.array(scores_of_side))
    return audited_epsilon(*scores, delta=delta, level=0.999).value


SOUND = [
    (Independent(epsilon=2.0), ADDED, 0.0),
    (PrivBayes(epsilon=2.0), ADDED, 0.0),
    (Mst(epsilon=4.0, delta=1e-3), ADDED, 1e-3),
    (RandomizedResponse(keep=0.4), REPLACED, 0.0),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sanitizer", "neighbours", "delta"), SOUND, ids=lambda x: getattr(x, "id", "")
)
def test_the_claim_holds(sanitizer, neighbours, delta):
    release = sanitize(
        sanitizer, neighbours[0], rng=np.random.default_rng(0), noise=Noise.for_test(0)
    ).release
    assert release.claim is not None
    bound = audit(sanitizer, neighbours, delta)
    assert bound <= release.claim.epsilon, f"{sanitizer.id}: at least {bound:.2f}"
    assert bound > 0.25, f"{sanitizer.id}: the test sees nothing, so it shows nothing"


@pytest.mark.parametrize("cls", [Independent, PrivBayes])
def test_noise_divided_by_the_number_of_records_is_caught(cls, monkeypatch):
    right = Noise.laplace
    monkeypatch.setattr(Noise, "laplace", lambda self, scale, size: right(self, scale / 11, size))
    assert audit(cls(epsilon=1.0), ADDED, runs=200) > 1.0


def audit_counts(epsilon, delta, runs):
    """MST learns of people by noisy counts alone; these tell more of one than synthetic rows."""
    sanitizer, scores = Mst(epsilon=epsilon, delta=delta), []
    for side, data in enumerate(ADDED):
        measured = (
            sanitizer.measure(data, noise=Noise.for_test(2 * run + side))[0] for run in range(runs)
        )
        scores.append(
            [sum(m.counts.flat[-1] / m.variance.flat[-1] for m in one) for one in measured]
        )
    return audited_epsilon(*map(np.array, scores), delta=delta, level=0.999).value


@pytest.mark.slow
def test_the_claim_holds_for_the_counts_of_mst():
    assert 0.5 < audit_counts(4.0, 1e-3, RUNS) <= 4.0


@pytest.mark.slow
def test_delta_ignored_is_caught(monkeypatch):
    # epsilon-DP implies epsilon**2 / 2 zCDP; the other way round it would take a delta.
    monkeypatch.setattr(
        "quintain.sanitizers.synthetic.mst.rho_for", lambda epsilon, delta: epsilon**2 / 2
    )
    assert audit_counts(2.0, 1e-3, 3 * RUNS) > 2.0


def test_a_kept_value_too_many_is_caught():
    claimed = RandomizedResponse(keep=0.2)
    release = sanitize(
        claimed, REPLACED[0], rng=np.random.default_rng(0), noise=Noise.for_test(0)
    ).release
    assert audit(RandomizedResponse(keep=0.8), REPLACED, runs=200) > release.claim.epsilon


# --- PATE-GAN -------------------------------------------------------------------------------------
#
# Training takes too long for thousands of runs, and it sees noisy answers only. So the answers are
# listened to instead: histograms, and the votes of real teachers on records like the odd one. A
# single teacher shows most of it; the plan is that of many, since one would be worth no query.


class Heard(Ledger):
    """A ledger that gives away what the noisy answers say of the odd record."""

    evidence = 0.0

    def histogram(self, counts, scale, noise):
        noisy = super().histogram(counts, scale, noise)
        self._weigh(noisy[1:], scale)
        return noisy

    def votes(self, counts, scale, noise):
        noisy = super().votes(counts, scale, noise)
        self._weigh(noisy, scale)
        return noisy

    def _weigh(self, noisy, scale):
        """The log likelihood ratio of counts of one against counts of nought."""
        Heard.evidence += ((np.abs(noisy) - np.abs(noisy - 1)) / scale).sum()


def ask_about_the_odd_record(self, ask, sizes, shares, *, rng):
    ask(np.ones((self.queries, 2), int), View([2, 2], np.full(4, 0.5), np.zeros((4, 4)), True))
    return {}


@pytest.fixture
def listening_plan(monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(pategan, "Ledger", Heard)
    monkeypatch.setattr(pategan, "one_thread", nullcontext)
    monkeypatch.setattr(PateganTraining, "run", ask_about_the_odd_record)
    # Of few answers each tells most: an error of the account would show.
    plan = make_plan(1.0, 1e-6, share=0.1, columns=2, teachers=1000, queries=2)
    assert plan.queries == 2
    monkeypatch.setattr(PateGan, "plan", lambda self, schema: plan)
    return plan


def audit_answers(runs, teachers=1):
    sanitizer = PateGan(epsilon=1.0, delta=1e-6, teachers=teachers, rounds=1)
    scores = []
    for side, data in enumerate(ADDED):
        scores_of_side = []
        for run in range(runs):
            rng = np.random.default_rng([side, run])
            Heard.evidence = 0.0
            sanitizer.fit(data, rng=rng, noise=Noise.for_test(rng))
            scores_of_side.append(Heard.evidence)
        scores.append(np.array(scores_of_side))
    return audited_epsilon(*scores, delta=1e-6, level=0.999).value


@pytest.mark.slow
def test_the_claim_of_pategan_holds(listening_plan):
    assert 0.5 < audit_answers(2 * RUNS) <= 1.0


@pytest.mark.slow
def test_noise_divided_by_the_number_of_records_is_caught_in_pategan(listening_plan, monkeypatch):
    right = Noise.laplace
    monkeypatch.setattr(Noise, "laplace", lambda self, scale, size: right(self, scale / 11, size))
    assert audit_answers(500) > 1.0


@pytest.mark.slow
def test_votes_charged_as_one_answer_are_caught(listening_plan, monkeypatch):
    scale = least_scale(1.0, 1e-6, {listening_plan.count_scale: listening_plan.counts}, 1)
    wrong = PateganPlan(
        listening_plan.counts, listening_plan.count_scale, listening_plan.queries, scale
    )
    monkeypatch.setattr(PateGan, "plan", lambda self, schema: wrong)
    with pytest.raises(NoiseError, match="would exceed the budget"):
        audit_answers(1)
    monkeypatch.setattr(Ledger, "votes", Ledger.histogram)
    assert audit_answers(500) > 1.0


@pytest.mark.slow
def test_teachers_who_share_records_are_caught(listening_plan, monkeypatch):
    class Sharing(Teachers):
        def __init__(self, records, part, count):
            everybody = np.repeat(np.arange(count), len(records))
            super().__init__(np.tile(records, (count, 1)), everybody, count)

    monkeypatch.setattr(pategan, "Teachers", Sharing)
    assert audit_answers(500, teachers=11) > 1.0
