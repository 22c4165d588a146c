"""PATE-GAN: the budget and the claim, the votes, the released records, and odd input."""

import math
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.accounting.pate import delta_of
from quintain.data import Column, Schema, Table
from quintain.data.sources.cps.cps import FILE, Cps
from quintain.errors import MissingExtra, NoiseError, PartError, Rejected
from quintain.measures import reading_rng
from quintain.measures.utility.table.marginals import Marginals
from quintain.noise import Noise
from quintain.registry import build
from quintain.samples.targets import Targets
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.independent import IndependentModel
from quintain.sanitizers.synthetic.pategan import PateGan, PateGanModel, student
from quintain.sanitizers.synthetic.pategan import synthesizer as pategan
from quintain.sanitizers.synthetic.pategan.encoding import Encoding, draw_levels
from quintain.sanitizers.synthetic.pategan.plan import Plan
from quintain.sanitizers.synthetic.pategan.student import Student
from quintain.sanitizers.synthetic.pategan.teachers import Teachers
from quintain.sanitizers.synthetic.pategan.view import View
from quintain.testing import example, example_table, people
from tests.sanitizers.synthetic.model_cases import assert_survives_its_file, oddly_named

SMALL = {"teachers": 50, "queries": 60, "rounds": 2, "steps": 3}


class Recorder(Noise):
    """Test noise that records every request."""

    def __init__(self, seed=0):
        super().__init__(Noise.for_test(seed)._key, test=True)
        self.answers, self.parts = [], []

    def laplace(self, scale, size):
        self.answers.append((scale, size))
        return super().laplace(scale, size)

    def integers(self, high, size):
        # Discrete Laplace noise also draws integers; the tests ignore those.
        self.parts.append((high, size))
        return super().integers(high, size)


def integers(*sizes, nullable=False):
    return Schema(
        columns=tuple(
            Column(name=f"c{i}", kind="integer", low=0, high=size - 1, nullable=nullable)
            for i, size in enumerate(sizes)
        )
    )


def chain(*sizes, rows=600, seed=0, nullable=False):
    """Make a chain of columns: each repeats the one before it, with random exceptions."""
    rng = np.random.default_rng(seed)
    last, codes = rng.random(rows), {}
    for i, size in enumerate(sizes):
        last = np.where(rng.random(rows) < 0.2, rng.random(rows), last)
        codes[f"c{i}"] = np.floor(last * size).astype(int)
    return Table(integers(*sizes, nullable=nullable), codes)


def sanitized(data, *, seed=1, noise=None, **parameters):
    pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    part = PateGan(**{**SMALL, **parameters})
    return sanitize(part, data, rng=rng, noise=noise or Noise.for_test(seed))


def released(data, **arguments):
    return sanitized(data, **arguments).release


def fitted(data, *, seed=1, noise=None, **parameters):
    pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    part = PateGan(**{**SMALL, **parameters})
    return part.fit(data, rng=rng, noise=noise or Noise.for_test(seed))


def distance(data, release, ways):
    return Marginals(ways=ways).measure(data, release, None, rng=reading_rng())[f"tv{ways}"].value


# --- the budget and the claim ---------------------------------------------------------------------


def test_the_claim_is_epsilon_and_delta_for_one_record_more_or_less():
    claim = released(chain(3, 3), epsilon=0.7, delta=1e-6).claim
    assert (claim.epsilon, claim.delta, claim.neighbours) == (0.7, 1e-6, "add-remove")
    assert PateGan().delta == 1e-5


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("epsilon", [0.3, 5.0, 500.0])
def test_all_answers_fit_the_budget_and_use_it_up(epsilon, share, delta):
    noise = Recorder()
    fitted(chain(3, 4, 2), noise=noise, epsilon=epsilon, delta=delta, marginal_share=share)
    histograms = 3 if share else 1
    assert [size for _, size in noise.answers[:histograms]] == ([3, 4, 2] if share else [1])
    answers = {}
    for number, (scale, size) in enumerate(noise.answers):
        # A record is in one cell of a histogram, but may change every count of votes.
        answers[scale] = answers.get(scale, 0) + (1 if number < histograms else size)
    votes = sum(size for _, size in noise.answers[histograms:])
    assert votes == min(60, votes)
    assert delta_of(epsilon, answers) <= delta
    tighter = {scale * 0.999: count for scale, count in answers.items()}
    assert votes < 60 or delta_of(epsilon, tighter) > delta


def test_an_answer_over_budget_is_refused_before_it_is_given(monkeypatch):
    noise, wrong = Recorder(), Plan(counts=3, count_scale=6.0, queries=60, vote_scale=20.0)
    monkeypatch.setattr(pategan, "make_plan", lambda *_, **__: wrong)
    with pytest.raises(NoiseError, match="would exceed the budget of epsilon 1, delta 1e-05"):
        fitted(chain(3, 4, 2), noise=noise, epsilon=1.0, rounds=3)
    assert noise.answers == [(6.0, 3), (6.0, 4), (6.0, 2)]


def test_a_budget_for_no_query_leaves_the_histograms_and_says_so():
    release = released(chain(3, 4), epsilon=1.0, teachers=1)
    assert "the budget allows no label query" in release.methods[0].detail
    data = chain(3, 40, rows=5000)
    release = released(data, epsilon=1e4, queries=0, rows=5000).data
    assert distance(data, release, 1) < 0.01
    drawn = release.codes()
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.05


def test_the_release_says_how_the_budget_was_spent():
    data = chain(3, 4)
    plan = PateGan(**SMALL, epsilon=20.0).plan(data.schema)
    detail = released(data, epsilon=20.0).methods[0].detail
    assert f"50 teachers answered {plan.queries} label queries" in detail
    assert f"histograms of every column with noise of scale {plan.count_scale:.4g}" in detail
    assert "uniform distribution" in released(data, marginal_share=0.0).methods[0].detail


def test_constant_columns_cost_nothing():
    noise = Recorder()
    data = Table(integers(1, 4, 1), {f"c{i}": np.zeros(300, int) for i in range(3)})
    release = released(data, noise=noise, epsilon=100.0)
    assert noise.answers[0][1] == 4
    assert {size for _, size in noise.answers[1:]} == {30}
    assert (release.data.codes() == 0).mean() > 0.98


def test_the_number_of_records_is_not_the_secret_one():
    data = people(example_table())
    sizes = {fitted(data, epsilon=0.5, seed=seed, queries=0).size for seed in range(10)}
    assert len(sizes) > 5
    assert abs(fitted(data, epsilon=1000.0).size - len(data)) <= 1
    assert fitted(data, epsilon=1e-6, delta=0.0, queries=0).size <= pategan.MOST_RECORDS


# --- teachers -------------------------------------------------------------------------------------


def random_view(sizes, rng, *, pairs=True):
    shares = np.concatenate([rng.dirichlet(np.ones(size)) for size in sizes])
    column = np.repeat(np.arange(len(sizes)), sizes)
    moments = rng.normal(0, 0.05, (len(column), len(column))) * (column[:, None] < column)
    return View(sizes, shares, moments, pairs)


def features(view, records):
    """Write out phi: levels and pairs of levels of two columns, centred and divided by roots."""
    root = np.sqrt(view.weights)
    levels = view.centred(records) / root
    if not view.pairs:
        return levels
    pairs = [
        (levels[:, a][:, :, None] * levels[:, b][:, None, :]).reshape(len(records), -1)
        for i, a in enumerate(view.blocks)
        for b in view.blocks[i + 1 :]
    ]
    return np.concatenate([levels, *pairs], axis=1)


def generated_mean(view):
    """Compute the mean of phi over the generator's records from the view."""
    root = np.sqrt(view.weights)
    moments = view.moments * root[:, None] * root
    pairs = [moments[a, b].ravel() for i, a in enumerate(view.blocks) for b in view.blocks[i + 1 :]]
    return np.concatenate([np.zeros(len(view.shares)), *(pairs if view.pairs else [])])


def scores_one_by_one(view, records, part, count, queries):
    """Score each query by each teacher's definition; None for a teacher without records."""
    phi, mean = features(view, records), generated_mean(view)
    centred = features(view, queries) - mean
    parts = [phi[part == j] for j in range(count)]
    return [centred @ (own.mean(axis=0) - mean) if len(own) else None for own in parts]


@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_votes_follow_the_definition(seed, pairs):
    rng = np.random.default_rng(seed)
    sizes = [2, 3, 5, 4]
    view = random_view(sizes, rng, pairs=pairs)
    records, queries = (rng.integers(sizes, size=(rows, 4)) for rows in (60, 40))
    part = rng.integers(20, size=60)
    part[part == 7] = 8  # at least one teacher has no records
    plain = scores_one_by_one(view, records, part, 20, queries)
    votes = Teachers(records, part, 20).votes(queries, view)
    surest = [score for score in plain if score is not None]
    clear = np.abs(surest).min(axis=0) > 1e-4
    assert clear.sum() > 20
    idle = sum(score is None and j % 2 == 1 for j, score in enumerate(plain))
    expected = (np.array(surest) > 0).sum(axis=0) + idle
    assert (votes[clear] == expected[clear]).all()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6))
def test_one_record_more_changes_each_count_of_votes_by_one_at_most(seed):
    rng = np.random.default_rng(seed)
    sizes = [2, 7, 3]
    view = random_view(sizes, rng, pairs=bool(seed % 2))
    records, queries = (rng.integers(sizes, size=(rows, 3)) for rows in (40, 50))
    part = rng.integers(12, size=40)
    place = int(rng.integers(40))
    fewer = np.delete(records, place, axis=0), np.delete(part, place)
    both = [Teachers(r, p, 12).votes(queries, view) for r, p in ((records, part), fewer)]
    assert np.abs(both[0] - both[1]).max() <= 1


def test_a_teacher_votes_as_if_it_were_alone():
    # Exactly equal: not even a rounding error depends on the records of others.
    rng = np.random.default_rng(0)
    sizes = [3, 4, 2, 6]
    view = random_view(sizes, rng)
    records, queries = (rng.integers(sizes, size=(rows, 4)) for rows in (300, 200))
    part = rng.integers(30, size=300)
    alone = sum(
        Teachers(records[part == j], np.zeros((part == j).sum(), int), 1).votes(queries, view)
        for j in range(30)
    )
    assert (Teachers(records, part, 30).votes(queries, view) == alone).all()


def test_parts_are_disjoint_and_drawn_in_secret(monkeypatch):
    calls = []

    class Watched(Teachers):
        def __init__(self, records, part, count):
            calls.append((records, part, count))
            super().__init__(records, part, count)

    monkeypatch.setattr(pategan, "Teachers", Watched)
    data, noise = chain(3, 4, 2), Recorder()
    fitted(data, noise=noise, epsilon=1000.0, teachers=40)
    ((records, part, count),) = calls
    # Each record has one teacher, so the parts are disjoint.
    assert count == 40
    assert part.shape == (len(data),)
    assert (records == data.codes()).all()
    assert (40, 600) in noise.parts
    # The same rng and other noise give other parts.
    fitted(data, noise=Recorder(2), epsilon=1000.0, teachers=40)
    assert (calls[1][1] != part).any()


# --- levels ---------------------------------------------------------------------------------------


def test_a_record_keeps_its_values_through_levels_if_they_are_few():
    data = chain(3, 4, 2)
    uniform = [np.full(size, 1 / size) for size in (3, 4, 2)]
    encoding = Encoding.cut(data.schema, uniform, 100)
    assert encoding.sizes == [3, 4, 2]
    levels = encoding.encode(data.codes())
    assert encoding.decode(levels, rng=np.random.default_rng(0)).equals(data)


def test_many_values_become_ranges_of_equal_shares_and_values_keep_their_shares():
    schema = integers(1000)
    share = np.random.default_rng(0).dirichlet(np.full(1000, 0.3))
    encoding = Encoding.cut(schema, [share], 20)
    level_share = encoding.level_shares()
    assert len(level_share) <= 20
    assert np.median(level_share) == pytest.approx(1 / 20, rel=0.3)
    codes = np.repeat(np.arange(1000), 300)[:, None]
    drawn = encoding.decode(encoding.encode(codes), rng=np.random.default_rng(1))
    # Every value stays in its range, and follows the shares inside it.
    assert (encoding.encode(drawn.codes()) == encoding.encode(codes)).all()
    first = encoding.level_of[0] == 0
    counts = np.bincount(drawn.columns["c0"], minlength=1000)[first]
    assert np.abs(counts / counts.sum() - share[first] / share[first].sum()).sum() < 0.05


def test_levels_are_drawn_by_their_shares():
    rng = np.random.default_rng(0)
    sizes = [2, 5]
    shares = np.concatenate([rng.dirichlet(np.ones(s), 8) for s in sizes], axis=1)
    drawn = draw_levels(np.repeat(shares, 5000, axis=0), sizes, rng=rng).reshape(8, 5000, 2)
    for row in range(8):
        for i, block in enumerate((slice(0, 2), slice(2, 7))):
            frequency = np.bincount(drawn[row, :, i], minlength=sizes[i]) / 5000
            assert frequency == pytest.approx(shares[row, block], abs=0.03)


# --- the student ----------------------------------------------------------------------------------


def test_the_student_solves_its_regression(monkeypatch):
    monkeypatch.setattr(student, "_ENOUGH", 1e-12)
    rng = np.random.default_rng(0)
    sizes = [2, 3, 4]
    learner = Student(random_view(sizes, rng), 0.01, 0.05)
    for _ in range(2):
        queries = rng.integers(sizes, size=(80, 3))
        votes, blind, spread = rng.random(80), rng.uniform(0.4, 0.6, 80), rng.uniform(1, 2, 80)
        view = random_view(sizes, rng)
        learner.learn(queries, votes, blind, spread, view)
    lines, scale = learner._linear(), learner._scale(view)
    learner._solve(lines, view)
    # The same with every product of two levels written out, and a free intercept for each round.
    kept = scale > 0
    products = lines.points[:, :, None] * lines.points[:, None, :]
    design = np.column_stack([products[:, kept], lines.turn == 0, lines.turn == 1])
    ridge = np.concatenate([1 / scale[kept].astype(float) ** 2, [0, 0]])
    weighted = design.T * lines.weight
    exact = np.linalg.solve(weighted @ design + np.diag(ridge), weighted @ lines.response)
    assert learner._estimate[kept] == pytest.approx(exact[:-2], abs=1e-3 * np.abs(exact[:-2]).max())
    assert not learner._estimate[~kept].any()


# --- the generator --------------------------------------------------------------------------------


def test_the_network_is_the_same_with_and_without_torch():
    torch = pytest.importorskip("torch")
    from quintain.sanitizers.synthetic.pategan.generator import Generator, latent, level_shares

    shares = np.array([0.2, 0.8, 0.5, 0.25, 0.25])
    generator = Generator([2, 3], shares, rng=np.random.default_rng(0))
    points = latent(50, rng=np.random.default_rng(1))
    with torch.no_grad():
        expected = generator._forward(torch.from_numpy(points)).numpy()
    assert level_shares(generator.weights, [2, 3], points) == pytest.approx(expected, abs=1e-5)


def test_steps_are_those_of_adam():
    torch = pytest.importorskip("torch")
    from quintain.sanitizers.synthetic.pategan.generator import Adam

    target = torch.tensor([1.0, -2.0, 30.0])
    own, library = torch.zeros(3), torch.zeros(3, requires_grad=True)
    adam, reference = Adam([own]), torch.optim.Adam([library], lr=0.05)
    for _ in range(40):
        adam.step(((own - target) ** 2).sum(), 0.05)
        reference.zero_grad()
        ((library - target) ** 2).sum().backward()
        reference.step()
    assert own.tolist() == pytest.approx(library.tolist(), rel=1e-4)


def test_the_generator_learns_given_shares_and_moments():
    pytest.importorskip("torch")
    from quintain.sanitizers.synthetic.pategan.generator import Generator, one_thread

    shares, moments = np.array([0.3, 0.7, 0.5, 0.5]), np.zeros((4, 4))
    moments[:2, 2:] = [[0.1, -0.1], [-0.1, 0.1]]
    generator = Generator([2, 2], np.full(4, 0.5), rng=np.random.default_rng(0))
    with one_thread():
        generator.train(shares, moments, 150, last=True)
    drawn = generator.draw(20_000)
    both = np.bincount(drawn @ [2, 1], minlength=4) / 20_000
    assert both == pytest.approx([0.25, 0.05, 0.25, 0.45], abs=0.03)


# --- the model and the release --------------------------------------------------------------------


@pytest.mark.parametrize("marginal_share", [0.0, 0.5])
def test_with_much_epsilon_dependence_between_columns_is_kept(marginal_share):
    data = chain(3, 3, 3, rows=3000)
    drawn = released(
        data,
        epsilon=1000.0,
        teachers=300,
        queries=1500,
        rounds=4,
        steps=30,
        marginal_share=marginal_share,
        rows=3000,
    ).data
    alone = {name: np.bincount(codes, minlength=3) / 3000 for name, codes in data.columns.items()}
    independent = IndependentModel(data.schema, 3000, alone)
    none = distance(data, independent.sample(3000, rng=np.random.default_rng(0)), 2)
    assert none > 0.25
    assert distance(data, drawn, 1) < 0.06
    assert distance(data, drawn, 2) < 0.4 * none


def test_the_same_seeds_give_the_same_bytes_and_leave_torch_as_it_was():
    torch = pytest.importorskip("torch")
    data = chain(3, 4, 2)
    state, threads = torch.random.get_rng_state(), torch.get_num_threads()
    models = []
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            models.append(fitted(data, epsilon=50.0))
            assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(threads)
    assert models[0].to_bytes() == models[1].to_bytes()
    assert torch.equal(torch.random.get_rng_state(), state)
    once, other = released(data, epsilon=50.0), released(data, noise=Noise.for_test(2))
    assert once.data.digest() == released(data, epsilon=50.0).data.digest()
    assert once.data.digest() != other.data.digest()


def test_a_saved_model_is_the_same_model():
    assert_survives_its_file(fitted(oddly_named(high=400), epsilon=50.0))


def test_any_number_of_records_can_be_drawn():
    model = fitted(chain(3, 4))
    for rows in (0, 1, 17, 45_000):
        assert len(model.sample(rows, rng=np.random.default_rng(0))) == rows
    assert len(released(chain(3, 4), rows=33).data) == 33


def test_a_network_has_no_focal_points():
    assert sanitized(chain(3, 4)).trace.focal_points == ()


def test_missing_values_are_one_more_value():
    data = chain(2, 2, rows=2000, nullable=True)
    a = np.where(np.arange(2000) % 4 == 0, -1, data.columns["c0"])
    data = data.replace({"c0": a, "c1": (a < 0).astype(int)})
    parameters = {"teachers": 200, "queries": 800, "rounds": 4, "steps": 30}
    drawn = released(data, epsilon=1000.0, rows=2000, **parameters).data
    missing = drawn.columns["c0"] < 0
    assert missing.mean() == pytest.approx(0.25, abs=0.03)
    assert (drawn.columns["c1"] == missing).mean() > 0.85


# --- without PyTorch ------------------------------------------------------------------------------


def test_without_torch_the_error_shows_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"needs torch: pip install 'quintain\[torch\]'"):
        PateGan().fit(chain(3, 4), rng=np.random.default_rng(0), noise=Noise.for_test(0))


def test_a_model_can_be_drawn_from_without_torch(monkeypatch):
    content = fitted(chain(3, 4)).to_bytes()
    monkeypatch.setitem(sys.modules, "torch", None)
    model = PateGanModel.from_bytes(content)
    assert len(model.sample(10, rng=np.random.default_rng(0))) == 10


# --- odd input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 9e5])
@pytest.mark.parametrize("rows", [1, 2])
def test_very_few_records_are_enough(rows, epsilon, share):
    data = people(example_table()).take(np.arange(rows))
    release = released(data, epsilon=epsilon, marginal_share=share, rows=5)
    assert len(release.data) == 5


@pytest.mark.parametrize("sizes", [(1,), (1, 1), (2,), (1, 3)], ids=str)
def test_columns_with_a_single_value(sizes):
    data = Table(integers(*sizes), {f"c{i}": np.zeros(40, int) for i in range(len(sizes))})
    release = released(data, epsilon=1000.0)
    assert abs(len(release.data) - 40) <= 1
    assert (release.data.codes() == 0).mean() > 0.9


def test_records_that_are_all_equal():
    data = Table(integers(5, 5, 5), {f"c{i}": np.full(200, i) for i in range(3)})
    release = released(data, epsilon=1000.0, rows=200)
    assert (release.data.codes() == [0, 1, 2]).mean() > 0.98


def test_two_hundred_columns():
    data = chain(*[2 + i % 3 for i in range(200)], rows=200)
    release = released(data, epsilon=500.0, queries=40, rounds=1, rows=100)
    assert len(release.data.schema.columns) == 200
    assert len(release.data) == 100


def test_more_teachers_than_records():
    assert len(released(chain(3, 4, rows=20), teachers=500, rows=10).data) == 10


def test_more_rounds_than_queries():
    noise = Recorder()
    released(chain(3, 4), noise=noise, epsilon=100.0, queries=3, rounds=10)
    assert [size for _, size in noise.answers] == [3, 4, 1, 1, 1]


def test_a_domain_too_large_to_count_is_refused():
    data = Table(integers(6_000_000, 2), {"c0": np.arange(10), "c1": np.zeros(10, int)})
    with pytest.raises(PartError, match="have 6,000,002 possible values in all; the limit is"):
        released(data)


def test_a_column_without_a_finite_domain_is_refused():
    schema = Schema(columns=(Column(name="weight", kind="real"),))
    with pytest.raises(PartError, match="needs a finite domain for every column"):
        released(Table(schema, {"weight": np.zeros(5)}))
    with pytest.raises(PartError, match="sanitizes table, not transactions"):
        released(example("transactions", rows=20))


def test_a_value_missing_against_the_schema_is_refused():
    with pytest.raises(PartError, match="column 'c0' has missing values, which its schema forbids"):
        released(Table(integers(2), {"c0": np.array([0, -1])}))


def test_a_category_outside_the_schema_is_refused():
    schema = Schema(columns=(Column(name="sex", kind="category", values=("f", "m")),))
    with pytest.raises(PartError, match="column 'sex' has values that its schema does not list"):
        released(Table(schema, {"sex": np.array([0, 2])}))


@pytest.mark.parametrize("epsilon", [0, -1, math.inf, math.nan, 1e6, "much"])
def test_an_invalid_epsilon_is_refused(epsilon):
    with pytest.raises(Rejected, match="epsilon"):
        build("sanitizer", {"use": "pategan", "epsilon": epsilon})


@pytest.mark.parametrize("delta", [-1e-9, 1, math.nan])
def test_an_invalid_delta_is_refused(delta):
    with pytest.raises(Rejected, match="delta"):
        build("sanitizer", {"use": "pategan", "delta": delta})


# --- real data ------------------------------------------------------------------------------------


@pytest.mark.real_data
def test_quality_and_speed_on_a_task_of_snake(real_data):
    if not (real_data / FILE[0]).is_file():
        pytest.skip(f"no real data: {real_data / FILE[0]} does not exist")
    pytest.importorskip("torch")
    design = Targets(
        targets=100, unit="household", min_unit_size=5, members="half", background=9460
    )
    population = Cps(real=True, duplicates="keep").load()
    data = design.draw(population, rng=np.random.default_rng(0)).private
    start = time.process_time()
    release = released(
        data, epsilon=100.0, rows=10_000, teachers=1000, queries=3000, rounds=4, steps=30
    )
    assert time.process_time() - start < 30
    assert distance(data, release.data, 1) < 0.02
    assert distance(data, release.data, 2) < 0.09
