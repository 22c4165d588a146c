"""The generator of PATE-GAN: a small network that turns latent noise into shares of levels.

Given its latent noise, a record's columns are drawn independently from softmax shares. All
dependence between columns comes from the latent noise. The student compares levels and pairs of
levels, so its expected score over drawn records equals its score at the shares. Gradients are
therefore exact, and the draw needs no relaxation.

A record has one level per column, defined by public facts alone. A column with few values has one
level per value, and one for a missing value where the schema allows it. In a column with many
values, a level is a range of neighbouring codes. Where shares are known (paid for with a part of
the privacy budget), the ranges are cut so that each has about the same share of the records;
otherwise they are equally long. Inside a range, values follow the known shares.

To compare records, let phi(x) be the levels of a record and all products of levels of two columns.
Each level is centred at the generator's share s and divided by the root of s plus a constant, so
that rare levels count more than common ones, but do not dominate. The similarity of two records is

$$ \\langle \\phi(x), \\phi(y) \\rangle = \\sum_a k_a + \\sum_{a < b} k_a k_b, $$

where k_a, their similarity in column a, is looked up in a small table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from threadpoolctl import threadpool_limits

from quintain.data import Schema, Table
from quintain.data.arrays import Floats, Ints, Singles
from quintain.errors import MissingExtra, PartError
from quintain.sanitizers.synthesizer import Arrays

if TYPE_CHECKING:
    from torch import Tensor


LATENT = 16
HIDDEN = 128
_RATE = 3e-3
_DECAYS = 0.9, 0.999
_BATCH = 512
_LOOK = 4000
"""How many latent points are used to compute the generator's own moments."""
_LEAST_SHARE = 1e-6
_BOUND = 30.0
"""The bound on scores of levels; their exponentials can then be summed without overflow."""

RIDGE = 0.1
"""The constant that is added to a share, so that rare levels do not dominate the others."""

_NEVER = 1e-9
"""The share of a value that was never counted; inside a range it must stay possible."""


class Generator:
    """The generator while it is trained: it draws records and learns from the student.

    Parameters
    ----------
    sizes : how many levels each column has.
    shares : the shares of levels to begin with.
    rng : public randomness, for the first weights and for latent noise.
    """

    def __init__(self, sizes: Sequence[int], shares: Floats, *, rng: np.random.Generator) -> None:
        import torch

        self._sizes, self._shares, self._rng = list(sizes), shares, rng
        first = first_weights(shares, rng=rng)
        self._weights = {name: torch.from_numpy(weight) for name, weight in first.items()}
        self._adam = GeneratorAdam(
            [weight for name, weight in self._weights.items() if name != "b3"]
        )
        column = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(self._sizes))
        self._members = torch.nn.functional.one_hot(column).float()
        self._pairs = (column[:, None] < column).float()

    @property
    def weights(self) -> Arrays:
        """Copy the present weights into arrays."""
        return {name: weight.detach().numpy().copy() for name, weight in self._weights.items()}

    def view(self, *, pairs: bool) -> View:
        """Describe what the generator makes at present: shares, and covariances between columns."""
        shares = level_shares(self.weights, self._sizes, latent(_LOOK, rng=self._rng))
        gap = shares - self._shares
        moments = gap.T @ gap / len(gap) * self._pairs.numpy()
        return View(self._sizes, self._shares, moments, pairs)

    def draw(self, count: int) -> Ints:
        """Draw generated records, as levels."""
        shares = level_shares(self.weights, self._sizes, latent(count, rng=self._rng))
        return draw_levels(shares, self._sizes, rng=self._rng)

    def train(self, shares: Floats, moments: Floats, steps: int, *, last: bool) -> None:
        """Train until a student with these shares and moments cannot separate generated records.

        The student's score is linear in the generator's own moments. So the student sees no
        difference if the generator's moments equal the moments that the student has learned.
        """
        import torch

        self._shares = np.maximum(shares, _LEAST_SHARE)
        centre = torch.from_numpy(self._shares).float()
        aim = torch.from_numpy(moments).float()
        root = (centre + RIDGE).rsqrt()
        weigh = self._pairs * root[:, None] * root
        self._fit_shares(centre)
        for step in range(steps):
            gap = self._forward(self._latent(_BATCH)) - centre
            apart = (gap.T @ gap / _BATCH - aim) * weigh
            loss = (apart**2).sum() + ((gap.mean(0) * root) ** 2).sum()
            self._adam.step(loss, _RATE * (1 - step / steps) if last else _RATE)
            if step % 10 == 9:
                self._fit_shares(centre)
        self._fit_shares(centre, _BATCH * min(32, 2 + steps // 8), 12 if last else 4)

    def _fit_shares(self, shares: Tensor, count: int = 2 * _BATCH, turns: int = 2) -> None:
        """Adjust the biases of the output so that each column has its shares."""
        import torch

        with torch.no_grad():
            points = self._latent(count)
            for _ in range(turns):
                current = self._forward(points).mean(0)
                self._weights["b3"] += torch.log(shares) - torch.log(current.clamp_min(1e-7))

    def _latent(self, count: int) -> Tensor:
        import torch

        return torch.from_numpy(latent(count, rng=self._rng))

    def _forward(self, points: Tensor) -> Tensor:
        """Compute the same as :func:`level_shares`, in a form that PyTorch can differentiate."""
        import torch

        hidden = torch.relu(points @ self._weights["w1"] + self._weights["b1"])
        hidden = torch.relu(hidden @ self._weights["w2"] + self._weights["b2"])
        scores = hidden @ self._weights["w3"] + self._weights["b3"]
        shares = torch.exp(scores.clamp(-_BOUND, _BOUND))
        return shares / (shares @ self._members @ self._members.T)


def require_torch() -> None:
    """Raise an error with the install command if PyTorch is missing."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtra("PATE-GAN", "torch", "torch") from None


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread inside this block, so that sums are the same every time."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(threads)


def first_weights(shares: Floats, *, rng: np.random.Generator) -> Arrays:
    """Draw the weights to train from, such that levels start near the given shares."""

    def layer(rows: int, columns: int) -> Singles:
        return rng.standard_normal((rows, columns), np.float32) / np.float32(np.sqrt(rows))

    return {
        "w1": layer(LATENT, HIDDEN),
        "b1": np.zeros(HIDDEN, np.float32),
        "w2": layer(HIDDEN, HIDDEN),
        "b2": np.zeros(HIDDEN, np.float32),
        "w3": layer(HIDDEN, len(shares)),
        "b3": np.log(np.maximum(shares, _LEAST_SHARE)).astype(np.float32),
    }


def latent(count: int, *, rng: np.random.Generator) -> Singles:
    """Draw points of the latent noise."""
    return rng.standard_normal((count, LATENT), dtype=np.float32)


def level_shares(weights: Arrays, sizes: Sequence[int], points: Singles) -> Floats:
    """Compute the shares of levels at latent points, without PyTorch."""
    hidden = np.maximum(points @ weights["w1"] + weights["b1"], 0)
    hidden = np.maximum(hidden @ weights["w2"] + weights["b2"], 0)
    scores = np.clip(hidden @ weights["w3"] + weights["b3"], -_BOUND, _BOUND)
    shares: Floats = np.exp(scores.astype(np.float64))
    starts = np.cumsum([0, *sizes[:-1]])
    shares /= np.repeat(np.add.reduceat(shares, starts, axis=1), sizes, axis=1)
    return shares


class GeneratorAdam:
    """An optimiser that adapts the step of each weight (Kingma and Ba 2015, Adam).

    PyTorch's own version loads a compiler, which takes longer than a small training.
    """

    def __init__(self, weights: Sequence[Tensor]) -> None:
        self._weights = [weight.requires_grad_() for weight in weights]
        self._means = [weight.detach() * 0 for weight in weights]
        self._squares = [weight.detach() * 0 for weight in weights]
        self._steps = 0

    def step(self, loss: Tensor, rate: float) -> None:
        """Take one step against the gradient of a loss."""
        import torch

        self._steps += 1
        fast, slow = (1 - decay**self._steps for decay in _DECAYS)
        with torch.no_grad():
            gradients = torch.autograd.grad(loss, self._weights)
            state = zip(self._weights, gradients, self._means, self._squares, strict=True)
            for weight, gradient, mean, square in state:
                mean.lerp_(gradient, 1 - _DECAYS[0])
                square.lerp_(gradient**2, 1 - _DECAYS[1])
                weight -= rate / fast * mean / ((square / slow).sqrt() + 1e-8)


@dataclass(frozen=True, eq=False)
class View:
    """What is known about the generator in one round; all of it is public.

    Parameters
    ----------
    sizes : how many levels each column has.
    shares : the generator's share of each level, column after column.
    moments : covariances of the generator's levels; zero unless the first is of an earlier column.
    pairs : whether to compare pairs of levels as well, or single levels only.
    """

    sizes: Sequence[int]
    shares: Floats
    moments: Floats
    pairs: bool

    @cached_property
    def weights(self) -> Floats:
        """Give the weight of each level in a comparison."""
        return 1 / (self.shares + RIDGE)

    @cached_property
    def blocks(self) -> list[slice]:
        """Locate the levels of each column among all levels."""
        ends = np.cumsum(self.sizes)
        return [slice(int(e - s), int(e)) for s, e in zip(self.sizes, ends, strict=True)]

    def centre(self, records: Ints) -> Floats:
        """Turn levels into zeros and ones, then centre and weight them."""
        onehot = np.zeros((len(records), len(self.shares)))
        starts = np.array([block.start for block in self.blocks])
        onehot[np.arange(len(records))[:, None], records + starts] = 1
        return (onehot - self.shares) * self.weights

    @cached_property
    def similarity(self) -> list[Singles]:
        """Tabulate, for each column, the similarity of two levels."""
        tables = []
        for block in self.blocks:
            share, weight = self.shares[block], self.weights[block]
            pull = share * weight
            table = np.diag(weight) - pull[:, None] - pull + share @ pull
            tables.append(table.astype(np.float32))
        return tables

    def kernel(self, queries: Ints, records: Ints) -> Singles:
        """Compute the similarity of records (rows) and queries (columns), each on its own."""
        total = np.zeros((len(records), len(queries)), np.float32)
        squares, part = np.zeros_like(total), np.empty_like(total)
        for i, table in enumerate(self.similarity):
            np.take(table[:, queries[:, i]], records[:, i], axis=0, out=part, mode="clip")
            total += part
            np.multiply(part, part, out=part)
            squares += part
        if self.pairs:
            # The sum over pairs a < b of k_a k_b is half of (sum k)**2 - sum k**2.
            np.multiply(total, total, out=part)
            part -= squares
            part *= np.float32(0.5)
            total += part
        return total

    def mean_similarity(self, records: Ints) -> Floats:
        """Compute the mean similarity of each record to the generator's records."""
        out = np.zeros(len(records))
        blocks = self.blocks if self.pairs else []
        for b, second in enumerate(blocks):
            for a, first in enumerate(blocks[:b]):
                out += self._pair(first, second)[records[:, a], records[:, b]]
        return out

    def _pair(self, a: slice, b: slice) -> Floats:
        """Tabulate, for two columns, the mean similarity of a pair of levels to the generator's."""
        table = self.moments[a, b] * self.weights[a, None] * self.weights[b]
        rows, columns = self.shares[a] @ table, table @ self.shares[b]
        centred: Floats = table - rows - columns[:, None] + self.shares[a] @ columns
        return centred

    @property
    def own_similarity(self) -> float:
        """Compute the mean similarity between the generator's own records."""
        if not self.pairs:
            return 0.0
        return float((self.moments**2 * self.weights[:, None] * self.weights).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The levels of every column, and the codes that each level stands for.

    Parameters
    ----------
    schema : the columns.
    level_of : for each column, the level of every code, never falling.
    shares : for each column, the share of every code.
    """

    schema: Schema
    level_of: tuple[Ints, ...]
    shares: tuple[Floats, ...]

    @classmethod
    def cut(cls, schema: Schema, shares: Sequence[Floats], width: int) -> Self:
        """Choose levels for known shares; all columns together have about ``width`` at most."""
        limit = most_levels([len(share) for share in shares], width)
        levels = []
        for share in shares:
            if len(share) <= limit:
                levels.append(np.arange(len(share)))
                continue
            middle = (np.cumsum(share) - share / 2) / share.sum()
            ranges = np.minimum((middle * limit).astype(np.int64), limit - 1)
            levels.append(np.unique(ranges, return_inverse=True)[1].astype(np.int64))
        return cls(schema, tuple(levels), tuple(shares))

    @property
    def sizes(self) -> list[int]:
        """Count the levels of each column."""
        return [int(levels[-1]) + 1 for levels in self.level_of]

    def level_shares(self) -> Floats:
        """Give the share of every level, column after column."""
        known = zip(self.level_of, self.shares, strict=True)
        return np.concatenate([np.bincount(levels, weights=share) for levels, share in known])

    def encode(self, codes: Ints) -> Ints:
        """Turn codes into levels; one array column per table column."""
        columns = [levels[codes[:, i]] for i, levels in enumerate(self.level_of)]
        return np.column_stack(columns)

    def decode(self, levels: Ints, *, rng: np.random.Generator) -> Table:
        """Make records with these levels; inside a range, draw values by their shares."""
        columns = {}
        known = zip(self.schema.columns, self.level_of, self.shares, strict=True)
        for i, (column, level_of, share) in enumerate(known):
            edges = np.concatenate([[0.0], np.cumsum(share + _NEVER)])
            first = np.searchsorted(level_of, levels[:, i], side="left")
            last = np.searchsorted(level_of, levels[:, i], side="right")
            point = edges[first] + rng.random(len(levels)) * (edges[last] - edges[first])
            code = np.searchsorted(edges, point, side="right") - 1
            code = np.clip(code, first, last - 1)
            columns[column.name] = np.where(code == column.size, -1, code)
        return Table(self.schema, columns)


def domain_sizes(schema: Schema) -> list[int]:
    """Count the codes of each column, with one for a missing value where that is allowed."""
    return [column.size + column.nullable for column in schema.columns]


def codes_of(data: Table) -> Ints:
    """Give the codes of all records; a missing value has the code after the last one."""
    columns = []
    for column in data.schema.columns:
        codes = data.columns[column.name].astype(np.int64)
        missing = codes < 0
        if missing.any() and not column.nullable:
            raise PartError(f"column {column.name!r} has missing values, which its schema forbids")
        if (codes >= column.size).any():
            raise PartError(f"column {column.name!r} has values that its schema does not list")
        codes[missing] = column.size
        columns.append(codes)
    return np.column_stack(columns)


def most_levels(sizes: Sequence[int], width: int) -> int:
    """Give the most levels of one column such that all columns together have about ``width``.

    >>> most_levels([2, 5, 199, 65], 107)
    50
    """
    limit = 2
    while sum(min(size, limit + 1) for size in sizes) <= width and limit < max(sizes):
        limit += 1
    return limit


def draw_levels(shares: Floats, sizes: Sequence[int], *, rng: np.random.Generator) -> Ints:
    """Draw one level per column for every row of shares, independently between columns.

    The draws of a column are spread evenly, so the column as a whole varies less than with
    independent draws. Each single row follows exactly its shares.
    """
    rows = len(shares)
    levels = np.empty((rows, len(sizes)), np.int64)
    end = 0
    for i, size in enumerate(sizes):
        start, end = end, end + size
        edges = np.cumsum(shares[:, start:end], axis=1)
        point = (rng.permutation(rows) + rng.random(rows)) / rows * edges[:, -1]
        levels[:, i] = np.minimum((edges <= point[:, None]).sum(axis=1), size - 1)
    return levels
