"""The account of PATE-GAN, compared with the mechanism, closed forms and other accounts."""

import math
from decimal import Decimal, getcontext
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quintain.accounting.pate import (
    Ledger,
    _losses,
    _merge,
    delta_of,
    least_scale,
    most_answers,
)
from quintain.errors import NoiseError
from quintain.randomness.noise import Noise
from quintain.sanitizers.synthetic.pategan.synthesizer import make_plan

ANSWERS = st.dictionaries(
    st.floats(0.2, 500), st.integers(1, 300), min_size=1, max_size=3
)  # scale: how many


def laplace(scale, shift, reach):
    """Compute the probabilities of a count with discrete Laplace noise, from the definition."""
    weight = np.exp(-np.abs(np.arange(-reach, reach + 1) - shift) / scale)
    return weight * math.tanh(1 / (2 * scale))


# --- the account is right -------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0, 1.6])
def test_delta_is_that_of_three_noisy_counts_output_by_output(epsilon):
    # Sum max(0, P - e^epsilon Q) over all triples of outputs; the mass beyond the reach is tiny.
    scales = 1.5, 2.0, 2.0
    with_it, without = ([laplace(scale, shift, 60) for scale in scales] for shift in (1, 0))
    p = np.einsum("i,j,k->ijk", *with_it)
    q = np.einsum("i,j,k->ijk", *without)
    plain = np.maximum(p - math.exp(epsilon) * q, 0).sum()
    assert delta_of(epsilon, {1.5: 1, 2.0: 2}) == pytest.approx(plain, rel=2e-6, abs=1e-12)


def convolved(answers, grid):
    """Convolve the losses of many answers; every 1 / scale is a multiple of the grid's step."""
    total = np.ones(1)
    for scale, count in answers.items():
        # The loss of each output of one answer, independently of the account.
        reach = int(80 * scale)
        p, q = laplace(scale, 1, reach), laplace(scale, 0, reach)
        loss = np.rint(np.log(p / q) / grid).astype(int)
        half = round(1 / scale / grid)
        assert abs(loss).max() <= half
        one = np.bincount(loss + half, weights=p, minlength=2 * half + 1)
        for _ in range(count):
            total = np.convolve(total, one)
    middle = len(total) // 2
    return (np.arange(len(total)) - middle) * grid, total


@pytest.mark.parametrize(
    "answers", [{4.0: 60}, {2.0: 10, 8.0: 50}, {1.0: 3, 4.0: 20, 16.0: 40}], ids=str
)
def test_delta_is_that_of_a_convolved_privacy_loss_distribution(answers):
    losses, chances = convolved(answers, 1 / 16)
    assert chances.sum() == pytest.approx(1)
    for epsilon in (0.0, 0.3, 1.0, 2.5, 6.0):
        over = losses > epsilon
        plain = (chances[over] * -np.expm1(epsilon - losses[over])).sum()
        assert delta_of(epsilon, answers) == pytest.approx(plain, rel=1e-5, abs=1e-15)


def test_noise_of_many_scales_costs_no_memory_and_hardly_more_delta():
    # Twelve scales give 7 ** 11 sums of losses before the last one.
    answers = {100 / step: 6 for step in range(1, 13)}
    losses, chances = convolved(answers, 0.01)
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        plain = (np.maximum(-np.expm1(epsilon - losses), 0) * chances).sum()
        assert plain <= delta_of(epsilon, answers) <= plain * 1.01


@given(
    st.dictionaries(st.floats(2, 50), st.integers(1, 20), min_size=3, max_size=4),
    st.floats(0, 20),
)
def test_merged_losses_never_make_delta_too_small(answers, epsilon):
    exact = delta_of(epsilon, answers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quintain.accounting.pate._MOST_SUMS", 256)
        merged = delta_of(epsilon, answers)
    # Each of four merges raises a loss by less than the width of its grid of at least 16 places.
    raised = 4 * 2 * sum(count / scale for scale, count in answers.items()) / 15
    assert exact * (1 - 1e-9) <= merged
    if epsilon > raised:
        assert merged <= delta_of(epsilon - raised, answers) * (1 + 1e-9)


@given(st.floats(0.05, 100), st.floats(0, 1))
def test_one_answer_is_randomized_response(scale, part):
    loss = 1 / scale
    epsilon = part * loss
    closed = (math.exp(loss) - math.exp(epsilon)) / (1 + math.exp(loss))
    assert delta_of(epsilon, {scale: 1}) == pytest.approx(closed, rel=1e-5, abs=1e-9)
    assert delta_of(0.0, {scale: 1}) == pytest.approx(math.tanh(loss / 2), rel=1e-5)


@pytest.mark.parametrize("count", [1, 2, 7, 40])
@pytest.mark.parametrize("step", [0.01, 0.3, 2.0])
def test_the_composition_theorem(count, step):
    # Kairouz, Oh and Viswanath (2015), theorem 3.3, with delta = 0 for each answer.
    for i in range(count // 2 + 1):
        terms = (
            math.comb(count, n)
            * (math.exp((count - n) * step) - math.exp((count - 2 * i + n) * step))
            for n in range(i)
        )
        published = sum(terms) / (1 + math.exp(step)) ** count
        delta = delta_of((count - 2 * i) * step, {1 / step: count})
        assert delta == pytest.approx(published, rel=1e-5, abs=1e-10)


@pytest.mark.parametrize(
    ("epsilon", "answers"),
    [(0.5, {40.0: 200, 9.0: 6}), (0.1, {1000.0: 800}), (60.0, {0.4: 60, 3.0: 300})],
    ids=str,
)
def test_rounding_never_makes_delta_too_small(epsilon, answers):
    # The same sum with 80 digits.
    getcontext().prec = 80
    groups = []
    for scale, count in answers.items():
        step = 1 / Decimal(scale)
        gain = 1 / (1 + (-step).exp())
        groups.append(
            [
                (step * (2 * k - count), math.comb(count, k) * gain**k * (1 - gain) ** (count - k))
                for k in range(count + 1)
            ]
        )
    true = Decimal(0)
    for drawn in product(*groups):
        loss, chance = sum(d[0] for d in drawn), math.prod(d[1] for d in drawn)
        if loss > Decimal(epsilon):
            true += chance * (1 - (Decimal(epsilon) - loss).exp())
    assert float(true) > 1e-30
    assert true <= Decimal(delta_of(epsilon, answers)) <= true * Decimal("1.00001")


@settings(deadline=None)
@given(ANSWERS, st.floats(0, 20))
def test_renyi_accounting_is_never_below(answers, epsilon):
    log_deltas = []
    for order in np.geomspace(1.01, 2000, 60):
        renyi = 0.0
        for scale, count in answers.items():
            gain, loss = -np.logaddexp(0, -1 / scale), -np.logaddexp(0, 1 / scale)
            both = np.logaddexp(
                order * gain + (1 - order) * loss, order * loss + (1 - order) * gain
            )
            renyi += count * both / (order - 1)
        # Canonne, Kamath and Steinke (2020), proposition 12.
        excess = (order - 1) * (renyi - epsilon)
        log_deltas.append(excess - math.log(order - 1) + order * math.log1p(-1 / order))
    bound = math.exp(min(0.0, *log_deltas))
    assert delta_of(epsilon, answers) <= bound * (1 + 1e-5) + 1e-300


@settings(deadline=None)
@example({0.34375: 111}, 2.0, 3.0)
@given(ANSWERS, st.floats(0, 20), st.floats(1.01, 3))
def test_more_epsilon_and_more_noise_mean_less_delta(answers, epsilon, factor):
    delta = delta_of(epsilon, answers)
    assert 0 <= delta <= 1
    assert delta_of(epsilon * factor, answers) <= delta * (1 + 1e-12)
    assert delta_of(epsilon, {scale * factor: n for scale, n in answers.items()}) <= delta * 1.0001
    assert delta_of(epsilon, {scale: n + 1 for scale, n in answers.items()}) >= delta * 0.9999


@given(ANSWERS)
def test_without_delta_losses_add_up(answers):
    most = sum(count / scale for scale, count in answers.items())
    assert delta_of(most * 1.0001, answers) == 0
    # However unlikely the largest loss is, it is not impossible.
    assert delta_of(most * 0.9999, answers) > 0


def test_a_delta_too_small_for_a_float_stays_positive():
    assert 0 < delta_of(19_999.0, {1.0: 20_000}) < 1e-300
    assert delta_of(20_001.0, {1.0: 20_000}) == 0


def test_no_answers_cost_nothing():
    assert delta_of(0.0, {}) == 0
    assert delta_of(0.0, {3.0: 0}) == 0


# --- how much noise, how many answers -------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.floats(0.01, 1000), st.sampled_from([0.0, 1e-9, 1e-5, 0.01]), st.integers(1, 2000))
def test_the_least_noise_fits_the_budget_and_less_noise_does_not(epsilon, delta, count):
    before = {40 / epsilon: 10}
    scale = least_scale(epsilon, delta, before, count)
    assert delta_of(epsilon, {**before, scale: count}) <= delta
    assert delta_of(epsilon, {**before, scale * 0.9999: count}) > delta


@settings(deadline=None, max_examples=30)
@given(st.floats(0.1, 100), st.sampled_from([0.0, 1e-9, 1e-5]), st.floats(2, 200))
def test_the_most_answers_fit_and_one_more_does_not(epsilon, delta, scale):
    count = most_answers(epsilon, delta, {}, scale, 5000)
    assert delta_of(epsilon, {scale: count}) <= delta
    assert count == 5000 or delta_of(epsilon, {scale: count + 1}) > delta
    if delta == 0 and count < 5000:
        assert count in (math.floor(epsilon * scale), math.floor(epsilon * scale) - 1)


def test_delta_buys_many_more_answers():
    # Losses of either sign cancel: with delta the number grows with the square of the scale.
    assert most_answers(1.0, 0.0, {}, 500.0, 100_000) in (499, 500)
    assert 15_000 < most_answers(1.0, 1e-5, {}, 500.0, 100_000) < 25_000


def test_without_budget_left_no_noise_is_enough():
    with pytest.raises(NoiseError, match="the privacy budget is used up"):
        least_scale(1.0, 1e-5, {0.5: 1}, 10)


@settings(deadline=None, max_examples=30)
@given(
    st.floats(1e-6, 9e5),
    st.sampled_from([0.0, 1e-5, 0.5]),
    st.sampled_from([0.0, 0.1, 0.5, 0.99]),
    st.integers(1, 40),
    st.integers(1, 3000),
    st.integers(0, 1000),
)
def test_a_plan_never_costs_more_than_the_budget(epsilon, delta, share, columns, teachers, queries):
    plan = make_plan(
        epsilon, delta, share=share, columns=columns, teachers=teachers, queries=queries
    )
    assert delta_of(epsilon, plan.answers()) <= delta
    assert plan.queries <= queries
    assert plan.counts == (columns if share else 1)
    if share:
        assert delta_of(epsilon * share, {plan.count_scale: columns}) <= delta
    if plan.queries:
        assert plan.vote_scale <= teachers / 2


# --- the ledger -----------------------------------------------------------------------------------


class Recorder(Noise):
    """Test noise that records every request."""

    def __init__(self):
        super().__init__(Noise.for_test(0)._key, test=True)
        self.requests = []

    def laplace(self, scale, size):
        self.requests.append((scale, size))
        return super().laplace(scale, size)


def test_a_histogram_is_one_answer_and_votes_are_many():
    ledger = Ledger(100.0, 1e-5)
    noise = Recorder()
    ledger.histogram(np.array([3, 4, 5]), 2.0, noise)
    ledger.votes(np.array([3, 4, 5]), 7.0, noise)
    ledger.votes(np.array([3, 4]), 7.0, noise)
    assert ledger.answers == {2.0: 1, 7.0: 5}
    assert noise.requests == [(2.0, 3), (7.0, 3), (7.0, 2)]


def test_answers_are_counts_with_discrete_laplace_noise():
    errors = Ledger(1e5, 1e-5).votes(np.full(4000, 100), 3.0, Noise.for_test(1)) - 100
    assert errors.dtype == np.int64
    assert abs(errors.mean()) < 0.4
    # The variance is 2 e^(1/b) / (e^(1/b) - 1)^2.
    variance = 2 * math.exp(1 / 3) / math.expm1(1 / 3) ** 2
    assert errors.var() == pytest.approx(variance, rel=0.15)


def test_a_refused_query_answers_nothing_and_costs_nothing():
    ledger, noise = Ledger(1.0, 0.0), Recorder()
    ledger.votes(np.array([1, 2]), 4.0, noise)
    with pytest.raises(NoiseError, match="3 more answers with noise of scale 4 would exceed"):
        ledger.votes(np.array([1, 2, 3]), 4.0, noise)
    assert noise.requests == [(4.0, 2)]
    assert ledger.answers == {4.0: 2}
    ledger.histogram(np.array([1, 2, 3]), 4.0, noise)
    assert ledger.answers == {4.0: 3}


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.booleans(), st.floats(0.5, 60), st.integers(1, 30)), max_size=12),
    st.sampled_from([0.0, 1e-6, 1e-3]),
)
def test_no_sequence_of_questions_exceeds_the_budget(questions, delta):
    ledger, noise = Ledger(2.0, delta), Recorder()
    answered = {}
    for is_histogram, scale, cells in questions:
        ask = ledger.histogram if is_histogram else ledger.votes
        try:
            ask(np.zeros(cells, np.int64), scale, noise)
        except NoiseError:
            continue
        answered[scale] = answered.get(scale, 0) + (1 if is_histogram else cells)
    assert ledger.answers == answered
    assert delta_of(2.0, answered) <= delta


# --- near sums of losses --------------------------------------------------------------------------


def test_near_losses_are_raised_to_the_next_place_of_a_grid():
    losses, logs = np.array([0.0, 1.0, 2.5, 4.0]), np.log([0.1, 0.2, 0.3, 0.4])
    raised, merged = _merge(losses, logs, 3)
    assert raised.tolist() == [0.0, 2.0, 4.0]
    assert np.exp(merged) == pytest.approx([0.1, 0.2, 0.7])
    # As many as there may be stay as they are, and places that nobody needs are left out.
    assert _merge(losses, logs, 4)[0].tolist() == losses.tolist()
    assert _merge(np.array([0.0, 0.1, 4.0]), logs[:3], 2)[0].tolist() == [0.0, 4.0]
    shuffled = _merge(losses[::-1], logs[::-1], 3)
    assert shuffled[0].tolist() == [0.0, 2.0, 4.0]
    assert np.exp(shuffled[1]) == pytest.approx([0.1, 0.2, 0.7])


def test_the_losses_of_answers_are_those_of_coins():
    losses, logs = _losses(2.0, 3)
    right = 1 / (1 + math.exp(-0.5))
    assert losses == pytest.approx([-1.5, -0.5, 0.5, 1.5])
    assert (losses[2:] > [0.5, 1.5]).all()  # rounding never makes one too small
    chances = [math.comb(3, k) * right**k * (1 - right) ** (3 - k) for k in range(4)]
    assert np.exp(logs) == pytest.approx(chances)


def test_a_delta_that_rounds_to_nothing_or_to_everything_stays_a_probability():
    assert delta_of(0.0, {0.001: 5}) == 1.0
    assert delta_of(1.001, {1.0: 1}) == 0.0
    tiny = delta_of(2999.9, {1.0: 3000})
    assert 0 < tiny < 1e-300


def test_the_smallest_noise_and_the_most_answers_stop_at_their_ends():
    assert least_scale(1e9, 0.0, {}, 1) == 1e-6
    with pytest.raises(NoiseError, match="used up"):
        least_scale(1.0, 0.0, {1.0: 1}, 1)
    assert most_answers(1.001, 0.0, {}, 4.0, 100) == 4
    assert most_answers(1.001, 0.0, {}, 4.0, 3) == 3
    assert most_answers(1.001, 0.0, {4.0: 4}, 4.0, 3) == 0
