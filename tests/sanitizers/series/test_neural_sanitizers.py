"""Neural sanitizers: their pieces against the formulas, and what they keep and reveal."""

import sys

import numpy as np
import pytest

from quintain.data import Series
from quintain.data.sources.icu import Icu
from quintain.errors import MissingExtra
from quintain.kernels.networks import Batch, as_batch, computing, prepare_timed
from quintain.kernels.series import complete, prepare
from quintain.randomness.noise import Noise
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.series.neural.adversarial import Adversarial
from quintain.sanitizers.series.neural.genetic import Genetic
from quintain.sanitizers.series.neural.timegan import TimeGan

torch = pytest.importorskip("torch")

TINY = {"width": 2, "iterations": 3, "batch": 4, "noise_steps": 3, "device": "cpu"}
GENETIC = Genetic(predictors=2, rounds=3, per_cluster=6, hidden=3, epochs=1, device="cpu")
TIMEGAN = TimeGan(iterations=3, batch=16, hidden=4, device="cpu")


@pytest.fixture(scope="module")
def stays() -> Series:
    return Icu(rows=60, features=5, steps=12).generate(np.random.default_rng(0))


@pytest.fixture(scope="module")
def images(stays) -> "torch.Tensor":
    """Each person's columns between 0 and 1 over time."""
    values = Series(stays.schema, stays.ids, stays.offsets, complete(stays)).padded(12)[0]
    low, high = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
    return torch.from_numpy(((values - low) / np.maximum(high - low, 1e-9)).astype(np.float32))


@pytest.fixture(autouse=True)
def one_thread():
    with computing("cpu", "a test"):
        yield


def release(sanitizer: Sanitizer, data: Series, seed: int = 0):
    return sanitize(
        sanitizer, data, rng=np.random.default_rng(seed), noise=Noise.for_test(seed)
    ).release


def origins(stays: Series, released: Series) -> np.ndarray:
    """For each released person the original that is nearest in values."""
    one, other = (prepare(side, 12).padded().reshape(60, -1) for side in (stays, released))
    return ((other[:, None] - one[None]) ** 2).sum(axis=2).argmin(axis=1)


@pytest.mark.parametrize("sanitizer", [Adversarial(**TINY), GENETIC, TIMEGAN], ids=lambda h: h.id)
def test_without_pytorch_there_is_the_line_that_installs_it(sanitizer, stays, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'quintain\[torch\]'"):
        release(sanitizer, stays)


@pytest.mark.parametrize("sanitizer", [Adversarial(**TINY), GENETIC, TIMEGAN], ids=lambda h: h.id)
def test_methods_are_declared_and_nothing_is_missing(sanitizer, stays):
    result = release(sanitizer, stays)
    assert result.claim is None
    assert result.methods[0].name == "imputation"
    assert len(result.data) == 60 and result.data.ids.tolist() == list(range(60))
    assert np.isfinite(result.data.values).all()
    assert not release(sanitizer, stays, 1).data.equals(result.data)


# --- clusters -------------------------------------------------------------------------------------


def test_clusters_are_found_and_their_centres():
    from quintain.sanitizers.series.neural.genetic import k_means, most_central

    rng = np.random.default_rng(2)
    middles = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    points = np.repeat(middles, 20, axis=0) + rng.normal(size=(60, 2))
    cloud = torch.from_numpy(points.astype(np.float32))
    best = min(
        (k_means(cloud, 3, rng=np.random.default_rng(seed)) for seed in range(5)),
        key=lambda labels: _scatter(points, labels.numpy()),
    )
    for cluster in range(3):
        assert len(set(best[20 * cluster : 20 * cluster + 20].tolist())) == 1
    central = most_central(cloud, best).numpy()
    for label, person in enumerate(central):
        members = np.flatnonzero(best.numpy() == label)
        apart = ((points[members] - points[members].mean(axis=0)) ** 2).sum(axis=1)
        assert person == members[apart.argmin()]


def _scatter(points: np.ndarray, labels: np.ndarray) -> float:
    groups = (points[labels == label] for label in np.unique(labels))
    return sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)


def test_no_cluster_is_empty_even_where_points_coincide():
    from quintain.sanitizers.series.neural.genetic import k_means

    labels = k_means(torch.zeros(10, 3), 4, rng=np.random.default_rng(0))
    assert set(labels.tolist()) == set(range(int(labels.max()) + 1))


# --- adversarial ----------------------------------------------------------------------------------


def test_contrast_pulls_pairs_together_and_pushes_others_apart():
    from quintain.sanitizers.series.neural.adversarial import contrast

    first, second = torch.tensor([[0.0], [0.0], [0.0]]), torch.tensor([[0.5], [0.5], [2.0]])
    loss = contrast(first, second, torch.tensor([1.0, 0.0, 0.0]))
    assert float(loss) == pytest.approx((0.25 + 0.25 + 0.0) / 3 / 2)


def test_the_embedding_learns_to_know_people_again(images):
    from quintain.sanitizers.series.neural.adversarial import PairTraining, contrast

    fuzzy = images + 0.075 * torch.randn(images.shape, generator=torch.Generator().manual_seed(1))
    losses = []
    for iterations in (1, 60):
        training = PairTraining(width=4, iterations=iterations, batch=32)
        embedding = training.run(images, rng=np.random.default_rng(1))
        dice = torch.Generator().manual_seed(2)
        first, second = embedding.points(images, dice), embedding.points(fuzzy, dice)
        pulled = contrast(first, second, torch.ones(60))
        losses.append(float(pulled + contrast(first, first.roll(1, 0), torch.zeros(60))))
    assert losses[1] < 0.3 * losses[0]


@pytest.mark.slow
def test_an_embedding_that_loses_everybody_goes_back(images, monkeypatch):
    from quintain.sanitizers.series.neural import adversarial

    class Breaking(adversarial.Adam):
        """Puts everybody at one point, once."""

        steps = 0

        def step(self, loss):
            super().step(loss)
            Breaking.steps += 1
            if Breaking.steps == 120:
                with torch.no_grad():
                    for weight in self._weights[-2:]:
                        weight.fill_(1000.0)

    monkeypatch.setattr(adversarial, "Adam", Breaking)
    collapsed = adversarial.Embedding(
        4, *images.shape[1:], images.device, rng=np.random.default_rng(1)
    )
    for weight in collapsed.weights[-2:]:
        weight.fill_(1000.0)
    assert collapsed.points(images).std(0).max() == 0
    trained = adversarial.PairTraining(4, 300, 32).run(images, rng=np.random.default_rng(1))
    assert Breaking.steps == 300
    spread = (trained.points(images)[:, None] - trained.points(images)).norm(dim=2)
    assert spread.median() > 0.9


def test_noise_drags_towards_the_other_and_a_penalty_keeps_it_small(images):
    from quintain.sanitizers.series.neural.adversarial import Dragging, PairTraining

    embedding = PairTraining(2, 20, 16).run(images, rng=np.random.default_rng(1))
    first, others = images[:8], images[8:16]
    goal = embedding.points(others)

    def away(noise):
        return (embedding.points(first + noise) - goal).norm(dim=1)

    free = Dragging(40, 1e-2, 0.0).run(embedding, first, others)
    small = Dragging(40, 1e-2, 5.0).run(embedding, first, others)
    assert torch.equal(embedding.points(others), goal)  # the weights are fixed
    assert (away(free) < away(0.0075 * others)).all()
    assert (small.flatten(1).norm(dim=1) < free.flatten(1).norm(dim=1)).all()
    assert not free.requires_grad


def test_a_person_is_dragged_towards_the_farthest_of_the_candidates(images, monkeypatch):
    from quintain.sanitizers.series.neural.adversarial import Dragging, PairTraining

    seen = []

    def run(self, embedding, first, others, dice=None):
        seen.append((embedding.points(first), embedding.points(others)))
        return torch.zeros_like(first)

    monkeypatch.setattr(Dragging, "run", run)
    embedding = PairTraining(2, 20, 16).run(images, rng=np.random.default_rng(1))
    hider = Adversarial(**TINY, per_cluster=10, candidates=5000)  # so everybody is a candidate
    labels, _ = hider._noise(embedding, images, rng=np.random.default_rng(2))
    ((first, others),) = seen
    assert len(first) == len(set(labels.tolist())) > 1
    apart = torch.cdist(first, embedding.points(images)).max(dim=1).values
    torch.testing.assert_close((others - first).norm(dim=1), apart, atol=1e-4, rtol=1e-4)


def test_in_order_a_person_keeps_range_and_length_and_loses_the_missing_pattern(stays):
    result = release(Adversarial(**TINY), stays)
    origin = origins(stays, result.data)
    assert sorted(origin.tolist()) == list(range(60))
    assert (result.data.lengths == stays.lengths[origin]).all()
    true = Series(stays.schema, stays.ids, stays.offsets, complete(stays)).take(origin)
    ranges = np.ptp(np.nan_to_num(stays.values, nan=0.0), axis=0)
    assert (
        np.abs(result.data.values - true.values) < 0.1 * ranges + 0.1 * true.values.max(0)
    ).all()


def test_as_shipped_lengths_and_missing_values_stay_with_the_wrong_person(stays):
    result = release(Adversarial(**TINY, as_shipped=True), stays)
    assert [method.name for method in result.methods] == ["noise addition", "shuffling"]
    missing = {(~np.isnan(rows)).tobytes() for rows in _persons(stays)}
    assert {(~np.isnan(rows)).tobytes() for rows in _persons(result.data)} == missing
    assert len(set(origins(stays, result.data).tolist())) < 50  # in order it is 60


def _persons(series: Series) -> list[np.ndarray]:
    return [series.take([person]).values[:, 1:] for person in range(len(series))]


# --- genetic --------------------------------------------------------------------------------------


def test_evolved_noise_is_as_large_as_predictors_allow(stays):
    from quintain.kernels.networks import LearningTask, Training
    from quintain.sanitizers.series.neural.genetic import Evolution, root_errors

    batch = as_batch(prepare_timed(stays, 12), torch.device("cpu"))
    judges = Training(hidden=3, layers=1, epochs=2).run(
        batch, [LearningTask(1), LearningTask()], [1]
    )
    usual = root_errors(judges, batch)
    sizes = []
    for bound in (1.2, 4.5):
        evolution = Evolution(population=4, rounds=6, failures=5, bound=bound)
        rng = np.random.default_rng(1)
        noise = evolution.run(judges, batch, batch.values, rng=rng)
        after = root_errors(judges, Batch(batch.values + noise, batch.real))
        assert (after <= bound * usual * (1 + 1e-5) + 1e-7).all()
        sizes.append(float(noise.square().mean().sqrt()))
    assert 0 < sizes[0] < sizes[1]


def test_where_no_candidate_passes_the_last_that_passed_are_used(stays):
    from quintain.kernels.networks import LearningTask, Training
    from quintain.sanitizers.series.neural.genetic import Evolution

    batch = as_batch(prepare_timed(stays, 12), torch.device("cpu"))
    judges = Training(hidden=3, layers=1, epochs=2).run(batch, [LearningTask()], [1])
    runs = [
        Evolution(population=4, rounds=rounds, failures=1, bound=1.05).run(
            judges, batch, batch.values, rng=np.random.default_rng(1)
        )
        for rounds in (30, 40)
    ]
    assert torch.equal(*runs)  # after one failure of everybody nothing changes any more
    none = Evolution(population=4, rounds=30, failures=1, bound=0.0)
    assert not none.run(judges, batch, batch.values, rng=np.random.default_rng(1)).any()


def test_the_noise_of_a_cluster_is_shared(stays):
    alone = Genetic(**{**GENETIC.parameters(), "per_cluster": 1000})
    prepared = prepare_timed(stays, 12)
    added = alone._evolve_noise(prepared, rng=np.random.default_rng(1))
    assert np.ptp(added, axis=0).max() == 0
    result = release(alone, stays).data
    assert sorted(result.lengths.tolist()) == sorted(stays.lengths.tolist())


# --- TimeGAN --------------------------------------------------------------------------------------


def test_rows_that_are_not_there_do_not_count():
    from quintain.sanitizers.series.neural import timegan as nets

    dice = torch.Generator().manual_seed(0)
    first, second, odds = (torch.rand(6, 5, 2, generator=dice) for _ in range(3))
    real = (torch.arange(5) < torch.tensor([[1], [2], [3], [3], [4], [4]])).float()
    hidden = first + 9 * (1 - real[..., None])
    for loss in (nets.distance, nets.next_row, nets.moments_apart):
        torch.testing.assert_close(loss(first, second, real), loss(hidden, second, real))
    shown = first[real == 1] - second[real == 1]
    torch.testing.assert_close(nets.distance(first, second, real), shown.square().mean())
    plain = torch.nn.functional.softplus(-odds[..., 0])[real == 1].mean()
    torch.testing.assert_close(nets.doubt(odds[..., :1], 1.0, real), plain)
    everybody = torch.ones(6, 5)
    spread = (first.var(0, correction=0) + 1e-6).sqrt() - (
        second.var(0, correction=0) + 1e-6
    ).sqrt()
    expected = (first.mean(0) - second.mean(0)).abs().mean() + spread.abs().mean()
    torch.testing.assert_close(nets.moments_apart(first, second, everybody), expected)


@pytest.mark.slow
def test_embedding_and_supervision_learn(stays):
    from quintain.sanitizers.series.neural.timegan import (
        GanTraining,
        distance,
        make_networks,
        next_row,
    )

    batch = as_batch(prepare_timed(stays, 12), torch.device("cpu"))
    training = GanTraining(hidden=6, layers=2, iterations=60, batch=32)
    rng = np.random.default_rng(1)
    nets = make_networks(6, 6, 2, torch.device("cpu"), rng=rng)

    def losses() -> tuple[float, float]:
        with torch.no_grad():
            latent = nets.embedder(batch.values)
            error = next_row(latent, nets.supervisor(latent), batch.real)
            return float(distance(batch.values, nets.recovery(latent), batch.real)), float(error)

    before = losses()
    training._embed(nets, batch, rng)
    embedded = losses()
    training._supervise(nets, batch, rng)
    assert embedded[0] < 0.3 * before[0]
    assert losses()[1] < 0.5 * embedded[1]


def test_new_persons_have_rising_times_and_values_in_the_range_of_the_data(stays):
    result = release(TIMEGAN, stays).data
    assert set(result.lengths) <= set(stays.lengths)
    low, high = np.nanmin(stays.values, axis=0), np.nanmax(stays.values, axis=0)
    assert (result.values[:, 1:] >= low[1:] - 1e-4).all()
    assert (result.values[:, 1:] <= high[1:] + 1e-4).all()
    for person in range(60):
        times = result.take([person]).values[:, 0]
        assert times[0] == 0 and (np.diff(times) >= 0).all()


def test_a_person_who_is_finished_keeps_the_last_noise_while_others_go_on(stays, monkeypatch):
    from quintain.kernels.networks import LearningTask, Training
    from quintain.sanitizers.series.neural import genetic

    batch = as_batch(prepare_timed(stays, 12), torch.device("cpu"))
    judges = Training(hidden=3, layers=1, epochs=2).run(batch, [LearningTask()], [1])
    rounds = []

    def within(limits, judges, children, real):
        """In the first round no child of the first person passes; later every child does."""
        fit = torch.ones(children.shape[:2], dtype=torch.bool)
        fit[0] = bool(rounds)
        rounds.append(fit)
        return fit

    monkeypatch.setattr(genetic, "_within", within)
    evolution = genetic.Evolution(population=4, rounds=3, failures=1, bound=1.05)
    noise = evolution.run(judges, batch, batch.values, rng=np.random.default_rng(1))
    assert len(rounds) == 3
    assert not noise[0].any()
    assert noise[1:].flatten(1).any(1).all()
