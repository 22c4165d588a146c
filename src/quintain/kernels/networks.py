"""Neural networks for series, in PyTorch: on a processor or a GPU, many small ones at once.

Sanitizers, attacks and measures share these networks. PyTorch is optional and slow to import, so
it is imported only when something is computed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from quintain.data.series import Series
from quintain.errors import MissingExtra, PartError
from quintain.jobs.progress import track
from quintain.kernels.series import PreparedSeries, Scaling, prepare

if TYPE_CHECKING:
    import torch
    from torch import Tensor


# Devices: networks compute on the CPU, reproducibly, or on a GPU.


Device = Literal["auto", "cpu", "cuda"]
"""The choices of a part; "auto" uses a GPU if the machine has one."""


def has_torch() -> bool:
    """Whether PyTorch is installed; this does not import it."""
    return importlib.util.find_spec("torch") is not None


@contextmanager
def computing(device: Device, feature: str) -> Iterator[torch.device]:
    """The device for a block of computations; refuses with the install line if PyTorch is missing.

    On the CPU a single thread computes, so that sums are the same on every machine.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtra(feature, "torch", "torch") from None
    if device == "cuda" and not torch.cuda.is_available():
        raise PartError(
            f'{feature}: this machine has no GPU; device = "auto" also works without one'
        )
    if device != "cpu" and torch.cuda.is_available():
        yield torch.device("cuda")
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield torch.device("cpu")
    finally:
        torch.set_num_threads(threads)


# Series as the arrays that networks read: time scaled like a feature, rows from the start.


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Series on the device of a network.

    Parameters
    ----------
    values : persons x steps x columns; 0 after a person's last row.
    real : persons x steps, 1 where a person has a row and 0 elsewhere.
    """

    values: Tensor
    real: Tensor

    def __len__(self) -> int:
        return len(self.values)

    def mean(self) -> Tensor:
        """The mean of each column over all rows."""
        return self.values.sum((0, 1)) / self.real.sum().clamp(min=1)

    def take(self, persons: Tensor) -> Batch:
        """The batch of some persons; their numbers may have any shape."""
        return Batch(self.values[persons], self.real[persons])


def prepare_timed(series: Series, steps: int, scaling: Scaling | None = None) -> PreparedSeries:
    """Prepared series whose time is scaled too: the longest stay ends at 1.

    Unscaled, the hours would outweigh all features together in any error or distance.
    """
    if scaling is not None:
        return prepare(series, steps, scaling=scaling)
    prepared = prepare(series, steps)
    span = prepared.scaling.span.copy()
    span[0] = float(prepared.values[:, 0].max(initial=0.0)) or 1.0
    return prepared.rescale(Scaling(prepared.scaling.low, span))


def as_batch(prepared: PreparedSeries, device: torch.device) -> Batch:
    """Prepared series as tensors: each begins at the first step."""
    import torch

    real = np.arange(prepared.steps) < prepared.lengths[:, None]
    values = np.zeros((*real.shape, prepared.values.shape[1]), np.float32)
    values[real] = prepared.values
    flags = real.astype(np.float32)
    return Batch(torch.from_numpy(values).to(device), torch.from_numpy(flags).to(device))


def repeat_last_row(prepared: PreparedSeries) -> npt.NDArray[np.float32]:
    """Persons x steps x columns; the last row of a person fills the steps after it."""
    place = np.minimum(np.arange(prepared.steps), np.maximum(prepared.lengths, 1)[:, None] - 1)
    rows = prepared.offsets[:-1, None] + place
    if len(prepared.values) == 0:
        return np.zeros((*rows.shape, prepared.values.shape[1]), np.float32)
    repeated: npt.NDArray[np.float32] = prepared.values.astype(np.float32)[
        np.minimum(rows, len(prepared.values) - 1)
    ]
    repeated[prepared.lengths == 0] = 0
    return repeated


# Adam: gradient descent with a step size of its own for each weight.


_TINY = 1e-8


class Adam:
    """Adam of Kingma and Ba (2015), over all weights in one long vector.

    PyTorch's own version loads a compiler, which takes longer than a small training. Every weight
    has its own step size, so models stacked along an axis train as if each were alone.

    Parameters
    ----------
    weights : leaf tensors; they are changed in place.
    rate : the length of a step; it may change between steps.
    decays : how slowly the averages of gradients and of their squares forget.
    """

    def __init__(
        self,
        weights: Sequence[Tensor],
        rate: float = 1e-3,
        decays: tuple[float, float] = (0.9, 0.999),
    ) -> None:
        import torch

        self._weights = [tensor.requires_grad_() for tensor in weights]
        self._sizes = [tensor.numel() for tensor in weights]
        self.rate, self._decays = rate, decays
        self._mean = torch.zeros(sum(self._sizes), device=weights[0].device)
        self._square = torch.zeros_like(self._mean)
        self._steps = 0

    def step(self, loss: Tensor) -> None:
        """Move the weights one step against the gradient of a loss."""
        import torch

        gradients = torch.autograd.grad(loss, self._weights)
        with torch.no_grad():
            gradient = torch.cat([tensor.reshape(-1) for tensor in gradients])
            self._steps += 1
            fast, slow = (1 - decay**self._steps for decay in self._decays)
            self._mean.lerp_(gradient, 1 - self._decays[0])
            self._square.lerp_(gradient.square_(), 1 - self._decays[1])
            move = (self._square / slow).sqrt_().add_(_TINY).reciprocal_().mul_(self._mean)
            for weight, part in zip(self._weights, torch.split(move, self._sizes), strict=True):
                weight.sub_(part.view_as(weight), alpha=self.rate / fast)


# The weights with which a network had its smallest loss.


class BestWeights:
    """Remembers the weights with the smallest loss.

    Parameters
    ----------
    weights : leaf tensors; they are changed in place when the best are restored.

    Attributes
    ----------
    least : the smallest loss so far.
    """

    def __init__(self, weights: Sequence[Tensor]) -> None:
        self._weights = weights
        self._best = [tensor.detach().clone() for tensor in weights]
        self.least = float(np.inf)

    def offer(self, loss: float) -> None:
        """Remember the current weights if their loss is the smallest so far."""
        if loss < self.least:
            self.least = loss
            _copy(self._weights, self._best)

    def restore(self) -> None:
        """Set the weights back to the best ones."""
        _copy(self._best, self._weights)


def _copy(source: Sequence[Tensor], into: Sequence[Tensor]) -> None:
    import torch

    with torch.no_grad():
        for tensor, copy in zip(source, into, strict=True):
            copy.copy_(tensor)


# Gated recurrent units: several layers of many models at once.
#
# A layer of one model reads the series $x_1, x_2 \dots$ and updates a state
#
# $$ r = \sigma(W_r x + U_r h), z = \sigma(W_z x + U_z h), n = \tanh(W_n x + r (U_n h)), h' = (1 -
# z) n + z h, $$
#
# without biases. Layer l at row t needs layer l - 1 at row t and itself at row t - 1. So all layers
# of all models are computed together, each layer one row behind the one below, in one product of
# stacked matrices per row. For many small models this is several times as fast as one model after
# another; a single model on a GPU uses the vendor's library.


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

    def flatten(weight: Tensor) -> Tensor:
        turns, layers, models, size, persons = weight.shape
        return weight.permute(1, 2, 3, 0, 4).reshape(layers * models, size, turns * persons)

    return torch.bmm(flatten(left), flatten(right).transpose(1, 2))


# Forecasters: recurrent networks that predict a feature from the others, or the next row.
#
# Hide-and-Seek judged the utility of a release with these networks. Many are trained at once, one
# per task and seed. A network sees only the rows so far.


Flags = npt.NDArray[np.float32]
Persons = npt.NDArray[np.int64]

_CELLS = {"cpu": 1 << 22, "cuda": 1 << 26}
"""The approximate number of inputs per block when nothing is learned."""


@dataclass(frozen=True, slots=True)
class LearningTask:
    """The column or row that a network predicts.

    Parameters
    ----------
    column : a column, predicted from the others of the same row and the rows before; None for
        all columns of the next row, predicted from all columns so far.
    """

    column: int | None = None

    def inputs(self, columns: int) -> Flags:
        """1 for each column that a network may see."""
        return np.asarray(np.arange(columns) != self.column, np.float32)

    def targets(self, columns: int) -> Flags:
        """1 for each column that a network predicts."""
        return np.ones(columns, np.float32) if self.column is None else 1 - self.inputs(columns)


@dataclass(frozen=True, slots=True)
class Training:
    """How forecasters are trained.

    Parameters
    ----------
    hidden, layers : the size of each network.
    epochs : how often it sees every series.
    batch : the number of series per step.
    held_out : the share of series that select the best epoch and are not trained on.
    rate : the length of a step.
    """

    hidden: int
    layers: int = 3
    epochs: int = 20
    batch: int = 128
    held_out: float = 0.2
    rate: float = 1e-3

    def run(self, data: Batch, tasks: Sequence[LearningTask], seeds: Sequence[int]) -> Forecasters:
        """Networks for every task and seed: all tasks of the first seed, then of the next.

        A seed decides which series are held out and the order of the others; all seeds together
        decide the initial weights.
        """
        import torch

        device = data.values.device
        first = np.random.default_rng([len(tasks), *seeds])
        models = Forecasters([*tasks] * len(seeds), data.mean(), self, rng=first)
        adam = Adam(models.weights, self.rate)
        rngs = [np.random.default_rng(seed) for seed in seeds]
        orders = np.array([rng.permutation(len(data)) for rng in rngs])
        kept = max(1, len(data) - int(len(data) * self.held_out))
        unseen = orders[:, kept:] if kept < len(data) else orders
        best = torch.full((models.count,), torch.inf, dtype=torch.float64, device=device)
        best_weights = [weight.detach().clone() for weight in models.weights]
        for _ in track(range(self.epochs), "training forecasters", self.epochs):
            for order, rng in zip(orders, rngs, strict=True):
                rng.shuffle(order[:kept])
            for start in range(0, kept, self.batch):
                batch = orders[:, start : min(start + self.batch, kept)]
                adam.step(models.loss(data.take(models.persons_per_model(batch))))
            missed = models.squares(data, unseen)[0].sum((1, 2))
            _keep(best_weights, models.weights, missed < best)
            best = torch.minimum(best, missed)
        _keep(models.weights, best_weights, torch.ones_like(best, dtype=torch.bool))
        return models


def _keep(best: Sequence[Tensor], offered: Sequence[Tensor], better: Tensor) -> None:
    """Copy the weights of the models that improved."""
    import torch

    with torch.no_grad():
        for current, candidate in zip(best, offered, strict=True):
            current.copy_(
                torch.where(better.view(-1, *[1] * (current.dim() - 1)), candidate, current)
            )


class Forecasters:
    """Networks side by side, one for each task.

    Parameters
    ----------
    tasks : what each network predicts.
    mean : of each column; untrained networks predict values around it.
    training : the size of the networks.

    Attributes
    ----------
    count : the number of networks.
    outputs : the number of columns that each predicts.
    weights : the trained tensors.
    """

    def __init__(
        self,
        tasks: Sequence[LearningTask],
        mean: Tensor,
        training: Training,
        *,
        rng: np.random.Generator,
    ) -> None:
        import torch

        def on_device(array: npt.NDArray[np.float32]) -> Tensor:
            return torch.from_numpy(array).to(device)

        self.count, hidden = len(tasks), training.hidden
        columns, device = len(mean), mean.device
        self._gru = make_gru(self.count, columns, hidden, training.layers, device, rng=rng)
        bound = np.sqrt(6 / (hidden + columns))
        out = rng.uniform(-bound, bound, (self.count, hidden, columns)).astype(np.float32)
        self._out, self._bias = on_device(out), mean.repeat(self.count, 1, 1)
        self._inputs = on_device(np.array([task.inputs(columns) for task in tasks]))[:, None, None]
        self._targets = on_device(np.array([task.targets(columns) for task in tasks]))[
            :, None, None
        ]
        self.outputs = self._targets.sum((1, 2, 3))
        self._ahead = torch.tensor([task.column is None for task in tasks], device=device)
        self.weights: list[Tensor] = [*self._gru.weights, self._out, self._bias]

    def persons_per_model(self, persons: Persons) -> Tensor:
        """The persons of each seed (seeds x persons) for each of its models."""
        import torch

        spread = persons.repeat(self.count // len(persons), axis=0)
        return torch.from_numpy(spread).to(self._out.device)

    def loss(self, given: Batch) -> Tensor:
        """The mean square error of each model over all cells, added up: the training loss.

        ``given`` has an axis of models before that of persons.
        """
        cells = given.real[0].numel() * self.outputs
        return (self._squares(given).sum((1, 2, 3)) / cells).sum()

    def squares(self, data: Batch, persons: Persons | None = None) -> tuple[Tensor, Tensor]:
        """Sum squared errors per model, person and column, and count the predicted rows.

        Parameters
        ----------
        persons : the persons for the models of each seed, seeds x persons; all by default.
        """
        import torch

        everybody = np.arange(len(data))[None] if persons is None else persons
        size = max(1, _CELLS[self._out.device.type] // (self.count * data.values[0].numel()))
        missed, counts = [], []
        with torch.no_grad():
            for start in range(0, everybody.shape[1], size):
                given = data.take(self.persons_per_model(everybody[:, start : start + size]))
                missed.append(self._squares(given).sum(2).double())
                counts.append(self._target(given.real).sum(2).double())
        return torch.cat(missed, 1), torch.cat(counts, 1)

    def _squares(self, given: Batch) -> Tensor:
        """Squared errors of predicted cells, models x persons x rows x columns."""
        states = self._gru(given.values * self._inputs)
        models, persons, rows, hidden = states.shape
        flat = states.reshape(models, persons * rows, hidden)
        predicted = (flat @ self._out + self._bias).view(models, persons, rows, -1)
        counts = self._target(given.real)[..., None] * self._targets
        return (predicted - self._target(given.values)).square() * counts

    def _target(self, rows: Tensor) -> Tensor:
        """The same row, or the next one for models that look ahead."""
        import torch

        after = torch.cat([rows[:, :, 1:], torch.zeros_like(rows[:, :, :1])], dim=2)
        return torch.where(self._ahead.view(-1, *[1] * (rows.dim() - 1)), after, rows)
