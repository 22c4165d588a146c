"""The generator, the model and the release of PATE-GAN, on made and on real data."""

import sys
import time

import numpy as np
import pytest

from quintain.data.sources.cps import FILE, Cps
from quintain.errors import MissingExtra
from quintain.randomness.noise import Noise
from quintain.samples.targets import Targets
from quintain.sanitizers.synthetic.independent import IndependentModel
from quintain.sanitizers.synthetic.pategan import PateGan, PateGanModel
from tests.sanitizers.synthetic.model_cases import assert_survives_its_file, oddly_named
from tests.sanitizers.synthetic.pategan.pategan_cases import (
    chain,
    distance,
    fitted,
    released,
    sanitized,
)

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
    from quintain.sanitizers.synthetic.pategan.generator import GeneratorAdam

    target = torch.tensor([1.0, -2.0, 30.0])
    own, library = torch.zeros(3), torch.zeros(3, requires_grad=True)
    adam, reference = GeneratorAdam([own]), torch.optim.Adam([library], lr=0.05)
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
    assert time.process_time() - start < 600  # far from what any machine needs
    assert distance(data, release.data, 1) < 0.02
    assert distance(data, release.data, 2) < 0.09
