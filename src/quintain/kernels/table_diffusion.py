r"""Diffusion over mixed columns: a network that takes noise out of records, step by step (TabDDPM).

Numbers get normal noise, $x_t = \sqrt{\bar\alpha_t} x_0 + \sqrt{1 - \bar\alpha_t} e$, and the
network predicts e. Codes are replaced at random, $x_t \sim \bar\alpha_t x_0 + (1 -
\bar\alpha_t) / K$ over their K values, and the network predicts $x_0$. The loss is the mean squared
error of e plus the mean over codes of the divergence between the true and the predicted step back.

References
----------
Kotelnikov, Baranchuk, Rubachev and Babenko (2023), TabDDPM: modelling tabular data with diffusion
models. Hoogeboom and others (2021), Argmax flows and multinomial diffusion. Nichol and Dhariwal
(2021), Improved denoising diffusion probabilistic models, has the schedule of the noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quintain.data.arrays import Array, Floats
from quintain.kernels.perceptrons import Blocks, Weights, draw_layers, on_device, run_layers

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_FREQUENCIES = 32
_LEAST = 1e-30


def noise_shares(steps: int) -> Floats:
    """How much of a record is left after each step of noise: nearly 1, then down to nearly 0."""
    places = (np.arange(steps + 1) / steps + 0.008) / 1.008
    left = np.cos(places * np.pi / 2) ** 2
    kept = np.maximum(left[1:] / left[:-1], 1e-3)
    return np.asarray(np.cumprod(kept))


def draw_diffusion(
    numbers: int, sizes: Sequence[int], hidden: Sequence[int], *, rng: np.random.Generator
) -> dict[str, Array]:
    """The first weights of a network for so many numbers and codes of these sizes."""
    width = numbers + sum(sizes)
    return {
        **draw_layers("time", [2 * _FREQUENCIES, hidden[0], hidden[0]], rng=rng),
        **draw_layers("entry", [width, hidden[0]], rng=rng),
        **draw_layers("layers", [*hidden, width], rng=rng),
    }


class TableDiffusion:
    """A network with its schedule of noise.

    Parameters
    ----------
    weights : by name, as :func:`draw_diffusion` names them.
    sizes : how many values each code can have.
    steps : how many steps of noise there are.
    """

    def __init__(
        self, weights: Mapping[str, Array], sizes: Sequence[int], steps: int, device: torch.device
    ) -> None:
        import torch

        self.weights: Weights = on_device(weights, device)
        self.blocks = Blocks(sizes, device)
        self.steps, self.device = steps, device
        self.numbers = self.weights["entry.0.weight"].shape[1] - self.blocks.width
        self.left = torch.tensor(noise_shares(steps), dtype=torch.float32, device=device)
        before = torch.cat([torch.ones(1, device=device), self.left[:-1]])
        self._before, self._kept = before, self.left / before
        rate = np.exp(-np.log(1e4) * np.arange(_FREQUENCIES) / _FREQUENCIES)
        self._rates = torch.tensor(rate, dtype=torch.float32, device=device)
        self._even = 1 / self.blocks.spread(self.blocks.members.sum(0)[None])

    def predict(self, noisy: Tensor, hot: Tensor, step: Tensor) -> tuple[Tensor, Tensor]:
        """The noise of numbers, and the logarithms of the shares of codes without noise."""
        import torch

        angle = (step * (1000 / self.steps))[:, None] * self._rates
        when = run_layers(self.weights, "time", torch.cat([angle.cos(), angle.sin()], 1))
        entry = run_layers(self.weights, "entry", torch.cat([noisy, hot], 1))
        out = run_layers(self.weights, "layers", torch.relu(entry + when))
        return out[:, : self.numbers], self.blocks.log_shares(out[:, self.numbers :])

    def losses(
        self, numbers: Tensor, codes: Tensor, step: Tensor, noise: Tensor, uniform: Tensor
    ) -> Tensor:
        """The losses of records: the squared error of each number, the divergence of each code.

        Parameters
        ----------
        step : the step of noise of each record.
        noise, uniform : normal noise for each number, uniform noise for each value of each code.
        """
        import torch

        left = self.left[step][:, None]
        noisy = left.sqrt() * numbers + (1 - left).sqrt() * noise
        clean = self.blocks.hot(codes)
        seen = self._replace(left * clean + (1 - left) * self._even, uniform)
        error, log_shares = self.predict(noisy, seen, step)
        true, made = (self._step_back(seen, shares, step) for shares in (clean, log_shares.exp()))
        apart = true * (true.clamp_min(_LEAST).log() - made.clamp_min(_LEAST).log())
        return torch.cat([(error - noise) ** 2, apart @ self.blocks.members], 1)

    def mean_loss(self, losses: Tensor) -> Tensor:
        """The loss of each record, from its losses by number and code."""
        numbers, codes = losses[:, : self.numbers], losses[:, self.numbers :]
        total = 0 * losses.sum(1)
        for part in (numbers, codes):
            if part.shape[1]:
                total = total + part.mean(1)
        return total

    def noise(self, rows: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Noise for the numbers and the codes of records."""
        import torch

        normal = torch.randn(rows, self.numbers, generator=generator, device=self.device)
        uniform = torch.rand(rows, self.blocks.width, generator=generator, device=self.device)
        return normal, uniform

    def sample(self, rows: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Draw the numbers and the codes of new records: start from noise and go back."""
        import torch

        numbers, uniform = self.noise(rows, generator)
        hot = self._replace(self._even.expand(rows, -1), uniform)
        for at in range(self.steps - 1, -1, -1):
            step = torch.full((rows,), at, dtype=torch.long, device=self.device)
            error, log_shares = self.predict(numbers, hot, step)
            normal, uniform = self.noise(rows, generator)
            numbers = self._less_noise(numbers, error, at, normal)
            hot = self._replace(self._step_back(hot, log_shares.exp(), step), uniform)
        return numbers, self.blocks.likeliest(hot)

    def _less_noise(self, numbers: Tensor, error: Tensor, at: int, normal: Tensor) -> Tensor:
        """The numbers one step earlier."""
        left, before, kept = (part[at] for part in (self.left, self._before, self._kept))
        clean = (numbers - (1 - left).sqrt() * error) / left.sqrt()
        clean = clean.clamp(-5, 5)  # no normal score is further out
        middle = (before.sqrt() * (1 - kept) * clean + kept.sqrt() * (1 - before) * numbers) / (
            1 - left
        )
        spread = ((1 - before) / (1 - left) * (1 - kept)).clamp_min(0).sqrt()
        return middle + spread * normal

    def _step_back(self, seen: Tensor, clean: Tensor, step: Tensor) -> Tensor:
        """The shares of codes one step earlier, given what is seen and the shares without noise."""
        kept, before = self._kept[step][:, None], self._before[step][:, None]
        shares = (kept * seen + (1 - kept) * self._even) * (
            before * clean + (1 - before) * self._even
        )
        return shares / self.blocks.spread(shares @ self.blocks.members).clamp_min(_LEAST)

    def _replace(self, shares: Tensor, uniform: Tensor) -> Tensor:
        """Draw a code of each block by its shares, as zeros and ones."""
        return self.blocks.hot(self.blocks.draw(shares.clamp_min(_LEAST).log(), uniform))
