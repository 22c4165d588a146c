r"""Gated recurrent units: several layers of many models at once.

A layer of one model reads the series $x_1, x_2 \dots$ and updates a state

$$ r = \sigma(W_r x + U_r h), z = \sigma(W_z x + U_z h), n = \tanh(W_n x + r (U_n h)),
h' = (1 - z) n + z h, $$

without biases. Layer l at row t needs layer l - 1 at row t and itself at row t - 1. So all layers
of all models are computed together, each layer one row behind the one below, in one product of
stacked matrices per row. For many small models this is several times as fast as one model after
another; a single model on a GPU uses the vendor's library."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class Gru(Protocol):
    """Recurrent layers of one or more models.

    Attributes
    ----------
    weights : the trained tensors; several models are stacked along the first axis.
    hidden : the size of a state.
    """

    weights: list[Tensor]
    hidden: int

    def __call__(self, series: Tensor) -> Tensor:
        """The states of the top layer, models x persons x rows x hidden.

        ``series`` is models x persons x rows x columns.
        """


def make_gru(
    models: int,
    columns: int,
    hidden: int,
    layers: int,
    device: torch.device,
    *,
    rng: np.random.Generator,
) -> Gru:
    """Make layers with random weights, which are the same on every device."""
    import torch

    def draw(*shape: int) -> Tensor:
        bound = 1 / np.sqrt(hidden)
        return torch.from_numpy(rng.uniform(-bound, bound, shape).astype(np.float32)).to(device)

    weights = [
        draw(models, 3 * hidden, columns),
        draw(models, layers - 1, 3 * hidden, hidden),
        draw(models, layers, 3 * hidden, hidden),
        draw(models, layers, 3 * hidden, 1),
        draw(models, layers, 3 * hidden, 1),
    ]
    if models == 1 and device.type == "cuda":
        return VendorGru(weights)
    return StackedGru(weights)


class StackedGru:
    """Our own implementation, for any number of models.

    Parameters
    ----------
    weights : of the series to the first layer, of each layer to the next, of each layer to itself,
        and the biases of the input from below and from before. The second-to-last axis has the
        three gates r, z and n."""

    def __init__(self, weights: list[Tensor]) -> None:
        self.weights = weights
        self.hidden = weights[2].shape[3]

    def __call__(self, series: Tensor) -> Tensor:
        """The states of the top layer."""
        import torch

        entry = self.weights[0]
        below, before, below_bias, before_bias = (
            weight.transpose(0, 1).contiguous() for weight in self.weights[1:]
        )
        models, persons, rows, columns = series.shape
        flat = series.permute(0, 3, 2, 1).reshape(models, columns, rows * persons)
        first = torch.baddbmm(below_bias[0], entry, flat).view(models, -1, rows, persons)
        first = first.permute(2, 0, 1, 3).contiguous()
        given = first, below, before, below_bias[1:], before_bias
        if torch.is_grad_enabled():
            states: Tensor = _function().apply(*given)
        else:
            states = _top(_forward(*given, keep=False)[0])
        return states.permute(1, 3, 0, 2)


class VendorGru:
    """PyTorch's implementation, which uses the vendor's library on a GPU; for one model.

    Parameters
    ----------
    weights : as for :class:`StackedGru`.
    """

    def __init__(self, weights: list[Tensor]) -> None:
        import torch

        entry, below, before, below_bias, before_bias = (weight.detach()[0] for weight in weights)
        layers, _, self.hidden = before.shape
        self._net = torch.nn.GRU(entry.shape[1], self.hidden, layers, batch_first=True)
        self._net.to(entry.device)
        weight = self._net.state_dict()
        for layer in range(layers):
            weight[f"weight_ih_l{layer}"].copy_(below[layer - 1] if layer else entry)
            weight[f"weight_hh_l{layer}"].copy_(before[layer])
            weight[f"bias_ih_l{layer}"].copy_(below_bias[layer, :, 0])
            weight[f"bias_hh_l{layer}"].copy_(before_bias[layer, :, 0])
        self.weights: list[Tensor] = [*self._net.parameters()]

    def __call__(self, series: Tensor) -> Tensor:
        """The states of the top layer."""
        states: Tensor = self._net(series[0])[0]
        return states[None]


@cache
def _function() -> Any:
    """The recurrence with its gradient; defined on first use, because PyTorch is optional."""
    import torch

    def forward(ctx: Any, *given: Tensor) -> Tensor:
        states, gates = _forward(*given)
        _, below, before, *_ = given
        ctx.save_for_backward(states, gates, below, before)
        return _top(states).contiguous()

    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        states, gates, below, before = ctx.saved_tensors
        return _backward(states, gates, below, before, gradients[0])

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Recurrence", (torch.autograd.Function,), methods)


def _top(states: Tensor) -> Tensor:
    """The states of the top layer at each row."""
    return states[states.shape[1] :, -1]


def _forward(
    first: Tensor,
    below: Tensor,
    before: Tensor,
    below_bias: Tensor,
    before_bias: Tensor,
    *,
    keep: bool = True,
) -> tuple[Tensor, Tensor]:
    """States (turns x layers x models x hidden x persons) and gates, turn after turn.

    Persons come last, so that a gate of a model lies in one piece. Gates are kept only for the
    gradient.
    """
    import torch

    rows, models, _, persons = first.shape
    layers, hidden = len(before), before.shape[3]
    turns = rows + layers - 1
    states = first.new_zeros(turns + 1, layers, models, hidden, persons)
    gates = first.new_empty(turns if keep else 1, layers, models, 4 * hidden, persons)
    from_below = first.new_zeros(layers, models, 3 * hidden, persons)
    up, on, up_bias, on_bias = (
        weight.flatten(0, 1) for weight in (below, before, below_bias, before_bias)
    )
    for turn in range(turns):
        old = states[turn]
        if turn < rows:
            from_below[0] = first[turn]
        if layers > 1:
            torch.baddbmm(up_bias, up, old[:-1].flatten(0, 1), out=from_below[1:].flatten(0, 1))
        from_before = torch.baddbmm(on_bias, on, old.flatten(0, 1)).view_as(from_below)
        both, memory, n = torch.split(gates[turn if keep else 0], [2 * hidden, hidden, hidden], 2)
        torch.add(
            from_below[:, :, : 2 * hidden], from_before[:, :, : 2 * hidden], out=both
        ).sigmoid_()
        memory.copy_(from_before[:, :, 2 * hidden :])
        r, z = torch.split(both, hidden, 2)
        torch.addcmul(from_below[:, :, 2 * hidden :], r, memory, out=n).tanh_()
        torch.lerp(n, old, z, out=states[turn + 1])
        states[turn + 1, turn + 1 :] = 0  # these layers have not begun
    return states, gates


def _backward(
    states: Tensor, gates: Tensor, below: Tensor, before: Tensor, wanted: Tensor
) -> tuple[Tensor, ...]:
    """Gradients of everything :func:`_forward` was given; ``wanted`` is that of the top states."""
    import torch

    turns, layers, models, _, persons = gates.shape
    hidden, rows = states.shape[3], turns - layers + 1
    up, on = (weight.flatten(0, 1).transpose(1, 2) for weight in (below, before))
    from_below = gates.new_empty(turns, layers, models, 3 * hidden, persons)
    from_before = torch.empty_like(from_below)
    slope = torch.zeros_like(states[0])
    for turn in reversed(range(turns)):
        old, (r, z, memory, n) = states[turn], torch.split(gates[turn], hidden, 2)
        if turn >= layers - 1:
            slope[-1] += wanted[turn - layers + 1]
        slope[turn + 1 :] = 0
        to_r, to_z, to_n = torch.split(from_below[turn], hidden, 2)
        torch.mul(slope * (1 - z), 1 - n * n, out=to_n)
        torch.mul(slope * (old - n), z * (1 - z), out=to_z)
        torch.mul(to_n * memory, r * (1 - r), out=to_r)
        from_before[turn] = from_below[turn]
        from_before[turn, :, :, 2 * hidden :] *= r
        slope *= z
        slope += torch.bmm(on, from_before[turn].flatten(0, 1)).view_as(slope)
        if layers > 1:
            slope[:-1] += torch.bmm(up, from_below[turn, 1:].flatten(0, 1)).view_as(slope[1:])
    return (
        from_below[:rows, 0],
        _outer(from_below[:, 1:], states[:-1, :-1]).view_as(below),
        _outer(from_before, states[:-1]).view_as(before),
        from_below[:, 1:].sum((0, 4))[..., None],
        from_before.sum((0, 4))[..., None],
    )


def _outer(left: Tensor, right: Tensor) -> Tensor:
    """Sums of outer products over turns and persons, for each layer and model."""
    import torch

    def flattened(weight: Tensor) -> Tensor:
        turns, layers, models, size, persons = weight.shape
        return weight.permute(1, 2, 3, 0, 4).reshape(layers * models, size, turns * persons)

    return torch.bmm(flattened(left), flattened(right).transpose(1, 2))
