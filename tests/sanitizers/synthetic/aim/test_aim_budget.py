"""AIM: what it spends and claims, and that runs on neighbours cannot be told apart better."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.accounting.budget import Budget
from quintain.accounting.zcdp import rho_for
from quintain.data import Column, Schema, Table
from quintain.errors import NoiseError, Rejected
from quintain.measures.epsilon import DEFAULT
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers.synthetic import aim
from quintain.sanitizers.synthetic.aim import Aim, Candidates, ModelSizes, Offers, all_marginals
from quintain.sanitizers.synthetic.counted_columns import count_values
from quintain.sanitizers.synthetic.pgm.refit import Refit
from tests.sanitizers.synthetic.aim.aim_cases import fitted, released
from tests.sanitizers.synthetic.model_cases import Recorder
from tests.sanitizers.synthetic.mst.mst_cases import table

# --- what it spends and claims --------------------------------------------------------------------


def test_the_claim_is_epsilon_and_delta_for_one_record_more_or_less():
    claim = released(table(3, 3, 3), epsilon=0.7, delta=1e-6).claim
    assert (claim.epsilon, claim.delta, claim.neighbours) == (0.7, 1e-6, "add-remove")


@pytest.mark.parametrize(("columns", "epsilon"), [(1, 0.1), (2, 2.0), (4, 50.0)])
def test_the_costs_of_all_rounds_add_up_to_the_budget(columns, epsilon):
    noise = Recorder()
    fitted(table(*[3] * columns), noise=noise, epsilon=epsilon, delta=1e-6)
    spent = sum(1 / (2 * sigma**2) for sigma, _ in noise.gaussians)
    spent += sum(epsilon**2 / 8 for _, epsilon, _ in noise.choices)
    assert spent == pytest.approx(rho_for(epsilon, 1e-6), rel=1e-9)
    counted = len(noise.gaussians) - len(noise.choices)
    assert counted in (columns, 2 * columns)
    sigmas = [sigma for sigma, _ in noise.gaussians[counted:-1]]
    assert all(after in (before, before / 2) for before, after in pairwise(sigmas))


@pytest.mark.parametrize(("epsilon", "share"), [(0.1, 0.7), (10.0, 0.2)])
def test_columns_with_much_noise_are_counted_again_for_more_of_the_budget(epsilon, share):
    noise, data = Recorder(), table(4, 4, 4, rows=1000)
    rounds = Aim(epsilon=epsilon).play(data, noise=noise)
    counted = len(noise.gaussians) - len(noise.choices)
    assert counted == (3 if share == aim.COLUMN_SHARE else 6)
    spent = sum(1 / (2 * sigma**2) for sigma, _ in noise.gaussians[:counted])
    assert spent == pytest.approx(share * rounds.budget.rho)
    assert rounds.budget.spent == pytest.approx(rounds.budget.rho)


def test_how_often_columns_are_counted_follows_from_noisy_counts_alone(monkeypatch):
    # Both tables give the same noisy counts, so all decisions must be the same.
    class Replayed(Budget):
        def count(self, counts, sigma, noise, **given):
            super().count(counts, sigma, noise, **given)
            return np.full(counts.shape, 300.0)

    monkeypatch.setattr(aim, "Budget", Replayed)
    sigmas = []
    for rows in (10, 100_000):
        noise = Recorder()
        Aim(epsilon=0.3, ways=2, workload=(("c0",),)).play(table(4, 4, rows=rows), noise=noise)
        sigmas.append(noise.gaussians[:2])
    assert sigmas[0] == sigmas[1] and len(sigmas[0]) == 2


def test_a_second_count_is_fused_with_the_first():
    data, noise = table(4, 3, rows=1000), Noise.for_test(1)
    budget = Budget(10.0)
    once = count_values(data, data.schema.columns, sigma=2.0, budget=budget, noise=noise)
    twice = once.count_again(1.0, budget, noise)
    assert twice.sigma == pytest.approx((1 / 4 + 1) ** -0.5)
    assert twice.error < once.error / 2
    assert once.error == pytest.approx(2 * np.sqrt(2 / np.pi) * 3.5 / 2000, rel=0.02)


def test_a_candidate_that_is_too_large_is_drawn_again_at_no_cost(monkeypatch):
    budget, noise = Budget(1.0), Recorder()
    monkeypatch.setattr("quintain.sanitizers.synthetic.aim.Budget", lambda rho: budget)
    model = fitted(table(6, 6, 6, 6), noise=noise, epsilon=50.0, most_cells=80)
    assert sum(potential.log.size for potential in model.graph.potentials) <= 80
    assert len(noise.choices) > len(noise.gaussians) - 4
    assert budget.spent == pytest.approx(1.0)


class Diary(ModelSizes):
    """Sizes that write down what was published before each survey, and what the survey found."""

    def __init__(self, *given):
        super().__init__(*given)
        self.added, self.surveys, self.answers = [], [], []

    def add(self, marginal):
        super().add(marginal)
        self.added.append(marginal)

    def survey(self, tree):
        super().survey(tree)
        self.surveys.append((len(self.added), tree))

    def small(self, tree, limit):
        found = super().small(tree, limit)
        self.answers.append((len(self.surveys), tree, limit, found.tolist()))
        return found


def test_sizes_found_in_advance_follow_from_what_was_published(monkeypatch):
    monkeypatch.setattr(aim, "_MANY_CANDIDATES", 0)
    monkeypatch.setattr(aim, "_SURVEY_ROUNDS", 2)
    monkeypatch.setattr(aim, "_CROWDED", 0.0)
    monkeypatch.setattr(aim, "ModelSizes", Diary)
    rounds = Aim(epsilon=50.0, most_cells=150).play(table(6, 5, 4, 3, 6, 5), noise=Recorder())
    assert rounds.budget.spent == pytest.approx(rounds.budget.rho)
    tree = rounds.fit.calibration.tree
    assert sum(rounds.fit.domain.cells(clique) for clique in tree.cliques) <= 150
    assert not all(rounds.sizes.answers[-1][3])
    # Draws that were refused cost nothing, so no answer may depend on them.
    again = ModelSizes(rounds.fit.domain, rounds.offers.candidates.marginals, 150)
    added = asked = 0
    for surveys, tree, limit, found in rounds.sizes.answers:
        for count, then in rounds.sizes.surveys[asked:surveys]:
            for marginal in rounds.chosen[added:count]:
                again.add(marginal)
            again.survey(then)
            added = count
        asked = surveys
        assert again.small(tree, limit).tolist() == found
        inside = [tree.home(marginal) >= 0 for marginal in again.marginals]
        assert all(found[number] for number in np.flatnonzero(inside))


def test_what_does_not_fit_is_not_drawn_if_sizes_are_found_in_advance(monkeypatch):
    monkeypatch.setattr(aim, "_MANY_CANDIDATES", 0)
    monkeypatch.setattr(aim, "_SURVEY_ROUNDS", 1)
    monkeypatch.setattr(aim, "_CROWDED", 0.0)
    monkeypatch.setattr(aim, "ModelSizes", Diary)
    noise = Recorder()
    rounds = Aim(epsilon=50.0, most_cells=80).play(table(6, 6, 6, 6), noise=noise)
    tree = rounds.fit.calibration.tree
    assert sum(rounds.fit.domain.cells(clique) for clique in tree.cliques) <= 80
    assert not all(all(found) for *_, found in rounds.sizes.answers)
    assert len(noise.choices) == len(rounds.chosen)


def test_a_budget_refuses_what_it_cannot_pay():
    budget, noise = Budget(1.0), Noise.for_test(1)
    budget.count(np.zeros(2, int), 1.0, noise)
    budget.choose([0.0, 1.0], 2.0, 1.0, noise)
    with pytest.raises(NoiseError, match=r"costs 0.005 would exceed the budget of 1 zCDP"):
        budget.count(np.zeros(2, int), 10.0, noise)
    assert budget.spent == 1.0


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_one_record_moves_a_score_by_at_most_its_weight(seed):
    data = table(4, 3, 5, rows=200, seed=seed)
    counted = count_values(
        data, data.schema.columns, sigma=0.5, budget=Budget(6.0), noise=Noise.for_test(seed)
    ).merge_rare()
    candidates = Candidates.of(all_marginals(data.schema.names, 3), counted.domain)
    fit = Refit(counted.domain, counted.counts)
    fit.fit(tolerance=0.1, steps=20)
    full = Offers(counted, candidates).score(fit, 1.0)
    for codes in counted.codes.values():
        codes[0] = 0 if codes[0] else 1  # A changed record is one less and one more.
    moved = np.abs(Offers(counted, candidates).score(fit, 1.0).scores - full.scores)
    weights = dict(zip(candidates.marginals, candidates.weights, strict=True))
    assert all(moved <= 2 * np.array([weights[m] for m in full.marginals]) + 1e-9)
    assert full.sensitivity == max(candidates.weights)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"epsilon": 0}, "greater than 0"),
        ({"delta": 1}, "less than 1"),
        ({"ways": 4}, "at most 3"),
        ({"weights": [1.0]}, "one weight for each marginal"),
        ({"workload": []}, "the workload is empty"),
        ({"workload": [["a", "b"]], "weights": [-1.0]}, "greater than 0"),
    ],
)
def test_invalid_parameters_are_refused(parameters, words):
    with pytest.raises(Rejected, match=words):
        build("sanitizer", {"use": "aim", **parameters})


# --- thousands of runs on neighbours --------------------------------------------------------------

COLUMNS = tuple(Column(name=name, kind="category", values=("a", "b")) for name in ("x", "y"))


@pytest.fixture
def audit(monkeypatch):
    """Give the bound on epsilon from the noisy counts of runs with and without an odd record."""
    monkeypatch.setattr(aim, "_STEPS", 1)  # The fits spend nothing, so rough ones will do.

    def bound(runs, epsilon, delta=1e-3):
        aim, sides = Aim(epsilon=epsilon, delta=delta), []
        for side, values in enumerate((["a"] * 40 + ["b"], ["a"] * 40)):
            data = Table.of(Schema(columns=COLUMNS), {"x": values, "y": values})
            played = (aim.play(data, noise=Noise.for_test(2 * run + side)) for run in range(runs))
            sides.append(np.array([evidence(one.fit.measured) for one in played]))
        return DEFAULT.bound(*sides, delta=delta, level=0.99, rng=np.random.default_rng(0)).value

    return bound


def evidence(measured):
    """How much the noisy counts speak for the odd record, which is in the last cell of each."""
    return sum(m.counts.flat[-1] / m.variance.flat[-1] for m in measured)


@pytest.mark.slow
def test_the_claim_holds_for_the_counts(audit):
    assert 1.0 < audit(150, 10.0) <= 10.0


@pytest.mark.slow
def test_an_ignored_delta_is_caught(audit, monkeypatch):
    # Pure epsilon implies epsilon**2 / 2 zCDP; the way back costs a delta.
    monkeypatch.setattr(
        "quintain.sanitizers.synthetic.aim.rho_for", lambda epsilon, _: epsilon**2 / 2
    )
    assert audit(500, 2.0) > 2.0


@pytest.mark.slow
def test_noise_divided_by_the_number_of_records_is_caught(audit, monkeypatch):
    right = Noise.gaussian
    monkeypatch.setattr(Noise, "gaussian", lambda self, sigma, size: right(self, sigma / 41, size))
    assert audit(60, 1.0) > 1.0


def test_a_choice_without_noise_is_caught(monkeypatch):
    # Two pairs of columns are equally far from independent, until one record decides.
    data = table(2, 2, 2, 2, rows=201)
    half = np.arange(201) % 2
    codes = {"c0": half, "c1": np.append(half[:-1], 1), "c2": half, "c3": half}
    counted = count_values(
        data.replace(codes),
        data.schema.columns,
        sigma=0.01,
        budget=Budget(1e5),
        noise=Noise.for_test(1),
    ).merge_rare()
    candidates = Candidates.of({("c0", "c1"): 1.0, ("c2", "c3"): 1.0}, counted.domain)
    fewer = replace(counted, codes={name: codes[:-1] for name, codes in counted.codes.items()})

    def bound(runs):
        sides = []
        for side, columns in enumerate((counted, fewer)):
            one = aim.Rounds(columns, candidates, Budget(1.0), 10**6)
            one.epsilon, chosen = 1.0, []
            for run in range(runs):
                one.budget = Budget(1.0)
                chosen.append(one._choose(Noise.for_test(2 * run + side))[0])
            sides.append(np.array([float(names == ("c2", "c3")) for names in chosen]))
        return DEFAULT.bound(*sides, delta=0.0, level=0.99, rng=np.random.default_rng(0)).value

    assert bound(100) <= 1.0
    monkeypatch.setattr(Noise, "choose", lambda self, scores, *_: int(np.argmax(scores)))
    assert bound(100) > 1.0
