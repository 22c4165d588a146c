"""Diffusion over mixed columns: its noise, its losses, and the step back."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from quintain.kernels.perceptrons import Blocks  # noqa: E402
from quintain.kernels.table_diffusion import (  # noqa: E402
    TableDiffusion,
    draw_diffusion,
    noise_shares,
)

CPU = torch.device("cpu")


def network(numbers=2, sizes=(3, 2), steps=10):
    weights = draw_diffusion(numbers, sizes, (16, 16), rng=np.random.default_rng(0))
    return TableDiffusion(weights, sizes, steps, CPU)


def test_noise_grows_until_nothing_is_left():
    left = noise_shares(100)
    assert left[0] > 0.99 and left[-1] < 1e-4
    assert (np.diff(left) < 0).all()


def test_shares_of_blocks_agree_with_softmax():
    blocks = Blocks((3, 2), CPU)
    scores = torch.tensor([[300.0, 1.0, -2.0, 0.5, 0.5], [0.0, 1.0, 2.0, -500.0, 3.0]])
    shares = blocks.log_shares(scores)
    for part, whole in zip(shares.split([3, 2], 1), scores.split([3, 2], 1), strict=True):
        assert torch.allclose(part, torch.log_softmax(whole, 1))
    assert blocks.likeliest(scores).tolist() == [[0, 0], [2, 1]]


def test_the_step_back_follows_from_bayes():
    """The shares one step earlier equal those of a chain that is written out."""
    diffusion, steps = network(numbers=0, sizes=(3,)), 4
    left = diffusion.left.numpy().astype(float)
    kept = left / np.append(1.0, left[:-1])
    for seen in range(3):
        clean = np.array([0.7, 0.2, 0.1])
        before = left[steps - 1] * clean + (1 - left[steps - 1]) / 3
        likely = kept[steps] * np.eye(3)[seen] + (1 - kept[steps]) / 3
        expected = before * likely / (before * likely).sum()
        got = diffusion._step_back(
            torch.eye(3)[seen][None],
            torch.tensor(clean, dtype=torch.float32)[None],
            torch.tensor([steps]),
        )
        assert np.allclose(got.numpy()[0], expected, atol=1e-5)


def test_losses_are_zero_for_a_network_that_knows_everything(monkeypatch):
    diffusion = network()
    numbers, codes = torch.randn(5, 2), torch.tensor([[0, 1]] * 5)
    noise = diffusion.noise(5, torch.Generator().manual_seed(1))
    step = torch.arange(5)
    assert (diffusion.losses(numbers, codes, step, *noise)[:, 2:] >= 0).all()
    sure = (diffusion.blocks.hot(codes) * 50 - 50).log_softmax(1)
    monkeypatch.setattr(
        diffusion, "predict", lambda *_: (noise[0], diffusion.blocks.log_shares(sure * 9))
    )
    assert diffusion.losses(numbers, codes, step, *noise).abs().max() < 1e-4
