"""Mixed columns as the arrays that networks read: some numbers and some codes per record.

A category becomes a code, one per observed value, and one more where it is missing. A number (or a
time, or an integer) becomes a number of about unit size, in one of two ways. *Quantiles*: the place
of the value in the order of its column, as a normal score; a code says whether it is missing.
*Modes*: a mixture of normal distributions is fitted to the column, and a value becomes a code for
its mode and its distance from the middle of the mode; one more code stands for a missing value.

References
----------
Xu, Skoularidou, Cuesta-Infante and Veeramachaneni (2019), Modeling tabular data using conditional
GAN, has the modes. Kotelnikov, Baranchuk, Rubachev and Babenko (2023), TabDDPM, has the quantiles.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array, Floats, Ints, Mask, Singles, distinct
from quintain.data.codec import missing_cells, missing_value
from quintain.kernels.observed import as_written, count_decimals

Normalisation = Literal["quantiles", "modes"]

MOST_KNOTS = 1000
"""A column of more distinct numbers keeps so many quantiles of them."""
_EDGE = 1e-5
"""Places are kept this far from 0 and 1, where normal scores are infinite."""
_MOST_MODES = 10
_LEAST_WEIGHT = 0.005
_MODE_SAMPLE = 10_000
"""The mixture is fitted to so many values at most."""
_REACH = 4.0
"""Within how many standard deviations of a mode its values lie, as in the publication."""
_LEAST_SPREAD = 1e-3
"""Of a mode, as a share of the spread of the column."""


class Encoded(NamedTuple):
    """Records as networks read them: numbers (records x numbers) and codes (records x codes)."""

    numbers: Singles
    codes: Ints


class ColumnCode(ABC):
    """How the values of one column become at most one number and at most one code.

    Attributes
    ----------
    column : the column.
    has_number : whether it has a number.
    size : how many codes it has; 0 if it has none.
    """

    kind: ClassVar[str]
    column: Column
    missing: bool

    @property
    @abstractmethod
    def has_number(self) -> bool: ...

    @property
    @abstractmethod
    def size(self) -> int: ...

    @abstractmethod
    def encode(self, contents: Array, rng: np.random.Generator | None) -> tuple[Floats, Ints]:
        """The numbers and the codes of cells; both are zero where the column has none."""

    @abstractmethod
    def decode(self, numbers: Floats, codes: Ints) -> Array:
        """The cells of numbers and codes."""

    @abstractmethod
    def arrays(self) -> dict[str, Array]:
        """Everything that :meth:`from_arrays` needs."""

    @classmethod
    @abstractmethod
    def from_arrays(
        cls, column: Column, missing: bool, arrays: Mapping[str, Array]
    ) -> ColumnCode: ...


@dataclass(frozen=True, slots=True, eq=False)
class ObservedLevels(ColumnCode):
    """A category: a code for each observed value, and the last code where it is missing."""

    kind: ClassVar[str] = "levels"

    column: Column
    missing: bool
    values: Array

    @classmethod
    def learn(cls, column: Column, contents: Array) -> ObservedLevels:
        """The values that occur."""
        absent = missing_cells(column, contents)
        return cls(column, bool(absent.any()), distinct(contents[~absent]))

    @property
    def has_number(self) -> bool:
        """It has none."""
        return False

    @property
    def size(self) -> int:
        """The observed values, and one if some are missing."""
        return len(self.values) + self.missing

    def encode(self, contents: Array, rng: np.random.Generator | None) -> tuple[Floats, Ints]:
        """The place of each value; a value that never occurred gets a neighbour's."""
        places = np.searchsorted(self.values, contents).clip(0, max(len(self.values) - 1, 0))
        places[missing_cells(self.column, contents)] = self.size - 1
        return np.zeros(len(contents)), places.astype(np.int64)

    def decode(self, numbers: Floats, codes: Ints) -> Array:
        """The value of each code."""
        every = np.append(self.values, missing_value(self.column)).astype(np.int64)
        return np.asarray(every[codes])

    def arrays(self) -> dict[str, Array]:
        """The values that occur."""
        return {"values": self.values.astype(np.int64)}

    @classmethod
    def from_arrays(
        cls, column: Column, missing: bool, arrays: Mapping[str, Array]
    ) -> ObservedLevels:
        """From what :meth:`arrays` gave."""
        return cls(column, missing, arrays["values"])


@dataclass(frozen=True, slots=True, eq=False)
class Quantiles(ColumnCode):
    """A number as the normal score of its place in the order of its column.

    A value that is frequent, and every value of an integer with few of them, has an interval of
    places as long as its share; records with this value are spread over it at random. Between other
    values, places are interpolated.

    Parameters
    ----------
    values : the values with known places, in rising order.
    begin, end : the interval of places of each.
    decimals : with how many decimals the column writes its numbers; None if it does not matter.
    """

    kind: ClassVar[str] = "quantiles"

    column: Column
    missing: bool
    values: Floats
    begin: Floats
    end: Floats
    decimals: int | None

    @classmethod
    def learn(cls, column: Column, contents: Array) -> Quantiles:
        """Count the values; of too many distinct ones, keep quantiles."""
        absent = missing_cells(column, contents)
        there = contents[~absent]
        values, counts = np.unique(there, return_counts=True)
        numbers, decimals = values.astype(np.float64), count_decimals(column, values)
        end = np.cumsum(counts) / max(len(there), 1)
        begin = end - counts / max(len(there), 1)
        atom = counts > 1 if column.fractional else np.ones(len(values), bool)
        if len(values) > MOST_KNOTS:
            shares = np.linspace(0, 1, MOST_KNOTS)
            atom = counts >= np.maximum(2, len(there) / MOST_KNOTS)
            kept = atom | np.isin(values, np.quantile(there, shares, method="nearest"))
            numbers, begin, end, atom = numbers[kept], begin[kept], end[kept], atom[kept]
        middle = (begin + end) / 2
        begin, end = np.where(atom, begin, middle), np.where(atom, end, middle)
        return cls(column, bool(absent.any()), numbers, begin, end, decimals)

    @property
    def has_number(self) -> bool:
        """Unless every value is missing."""
        return len(self.values) > 0

    @property
    def size(self) -> int:
        """Two if some values are missing and others are not."""
        return 2 if self.missing and self.has_number else 0

    def encode(self, contents: Array, rng: np.random.Generator | None) -> tuple[Floats, Ints]:
        """Normal scores, 0 where it is missing; without ``rng``, in the middle of intervals."""
        absent = missing_cells(self.column, contents)
        score: Floats = np.zeros(len(contents))
        if self.has_number:
            place = self._places(contents[~absent].astype(np.float64), rng)
            score[~absent] = ndtri(np.clip(place, _EDGE, 1 - _EDGE))
        return score, absent.astype(np.int64)

    def _places(self, numbers: Floats, rng: np.random.Generator | None) -> Floats:
        after = np.searchsorted(self.values, numbers, side="right")
        below = np.maximum(after - 1, 0)
        above = np.minimum(after, len(self.values) - 1)
        within = 0.5 if rng is None else rng.random(len(numbers))
        known = self.begin[below] + within * (self.end - self.begin)[below]
        gap = np.maximum(self.values[above] - self.values[below], 1e-300)
        way = np.clip((numbers - self.values[below]) / gap, 0, 1)
        between = self.end[below] + way * (self.begin[above] - self.end[below])
        return np.asarray(np.where(self.values[below] == numbers, known, between))

    def decode(self, numbers: Floats, codes: Ints) -> Array:
        """The values at the places of normal scores."""
        empty = np.full(len(numbers), missing_value(self.column))
        if not self.has_number:
            return empty
        places = np.column_stack([self.begin, self.end]).ravel()
        drawn = np.interp(ndtr(numbers), places, np.repeat(self.values, 2))
        written = as_written(self.column, drawn, self.decimals)
        return np.where((codes == 1) & self.missing, empty, written)

    def arrays(self) -> dict[str, Array]:
        """The values with their places, and the decimals."""
        decimals = -1 if self.decimals is None else self.decimals
        return {
            "values": self.values,
            "begin": self.begin,
            "end": self.end,
            "decimals": np.array([decimals]),
        }

    @classmethod
    def from_arrays(cls, column: Column, missing: bool, arrays: Mapping[str, Array]) -> Quantiles:
        """From what :meth:`arrays` gave."""
        places = {name: arrays[name] for name in ("values", "begin", "end")}
        return cls(column, missing, decimals=_decimals(arrays), **places)


@dataclass(frozen=True, slots=True, eq=False)
class Modes(ColumnCode):
    """A number as a code for its mode and its distance from the middle of the mode.

    Parameters
    ----------
    mean, spread, weight : of each mode.
    ends : the smallest and the largest value.
    decimals : with how many decimals the column writes its numbers; None if it does not matter.
    """

    kind: ClassVar[str] = "modes"

    column: Column
    missing: bool
    mean: Floats
    spread: Floats
    weight: Floats
    ends: Floats
    decimals: int | None

    @classmethod
    def learn(cls, column: Column, contents: Array, *, rng: np.random.Generator) -> Modes:
        """Fit a mixture of at most ten normal distributions; rare modes are left out."""
        absent = missing_cells(column, contents)
        values = contents[~absent]
        numbers, decimals = values.astype(np.float64), count_decimals(column, distinct(values))
        if not len(numbers):
            none: Floats = np.zeros(0)
            return cls(column, True, none, none, none, none, decimals)
        centre, width = float(numbers.mean()), float(numbers.std()) or 1.0
        mean, spread, weight = _fit_mixture((numbers - centre) / width, rng=rng)
        kept = weight >= min(_LEAST_WEIGHT, float(weight.max()))
        return cls(
            column,
            bool(absent.any()),
            centre + width * mean[kept],
            width * np.maximum(spread[kept], _LEAST_SPREAD),
            weight[kept] / weight[kept].sum(),
            np.array([numbers.min(), numbers.max()]),
            decimals,
        )

    @property
    def has_number(self) -> bool:
        """Unless every value is missing."""
        return len(self.mean) > 0

    @property
    def size(self) -> int:
        """The modes, and one if some values are missing."""
        return len(self.mean) + self.missing if self.has_number else 0

    def encode(self, contents: Array, rng: np.random.Generator | None) -> tuple[Floats, Ints]:
        """Draw the mode of each value by its probability; without ``rng``, take the likeliest."""
        absent = missing_cells(self.column, contents)
        number, code = np.zeros(len(contents)), np.full(len(contents), max(self.size - 1, 0))
        if not self.has_number or absent.all():
            return number, code.astype(np.int64)
        values = contents[~absent].astype(np.float64)
        away = (values[:, None] - self.mean) / self.spread
        log = np.log(self.weight / self.spread) - away**2 / 2
        if rng is not None:
            log = log + rng.gumbel(size=log.shape)
        mode = log.argmax(axis=1)
        near = away[np.arange(len(values)), mode] / _REACH
        number[~absent], code[~absent] = np.clip(near, -1, 1), mode
        return number, code.astype(np.int64)

    def decode(self, numbers: Floats, codes: Ints) -> Array:
        """The value at a distance from the middle of a mode, between the ends of the column."""
        empty = np.full(len(numbers), missing_value(self.column))
        if not self.has_number:
            return empty
        mode = np.minimum(codes, len(self.mean) - 1)
        drawn = self.mean[mode] + _REACH * self.spread[mode] * np.clip(numbers, -1, 1)
        written = as_written(self.column, np.clip(drawn, *self.ends), self.decimals)
        return np.where(codes == len(self.mean), empty, written)

    def arrays(self) -> dict[str, Array]:
        """The modes, the ends and the decimals."""
        decimals = -1 if self.decimals is None else self.decimals
        modes = {name: getattr(self, name) for name in ("mean", "spread", "weight", "ends")}
        return {**modes, "decimals": np.array([decimals])}

    @classmethod
    def from_arrays(cls, column: Column, missing: bool, arrays: Mapping[str, Array]) -> Modes:
        """From what :meth:`arrays` gave."""
        modes = {name: arrays[name] for name in ("mean", "spread", "weight", "ends")}
        return cls(column, missing, decimals=_decimals(arrays), **modes)


def _decimals(arrays: Mapping[str, Array]) -> int | None:
    """The decimals from the arrays of a column, where -1 stands for none."""
    decimals = int(arrays["decimals"][0])
    return None if decimals < 0 else decimals


_KINDS: Mapping[str, type[ColumnCode]] = {
    kind.kind: kind for kind in (ObservedLevels, Quantiles, Modes)
}


def _fit_mixture(numbers: Floats, *, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """The means, standard deviations and weights of a mixture of normal distributions."""
    several = len(np.unique(numbers))
    if several < 2:
        return numbers[:1], np.ones(1), np.ones(1)
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import BayesianGaussianMixture

    mixture = BayesianGaussianMixture(
        n_components=min(_MOST_MODES, several),
        weight_concentration_prior=1e-3,
        random_state=int(rng.integers(2**31)),
    )
    chosen = rng.permutation(len(numbers))[:_MODE_SAMPLE]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # modes need not be exact
        mixture.fit(numbers[chosen, None])
    return mixture.means_[:, 0], np.sqrt(mixture.covariances_[:, 0, 0]), mixture.weights_


@dataclass(frozen=True, slots=True, eq=False)
class MixedCoding:
    """How the records of a table become numbers and codes, and back.

    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> coding = MixedCoding.learn(table, "quantiles", rng=np.random.default_rng(1))
    >>> encoded = coding.encode(table, rng=np.random.default_rng(1))
    >>> encoded.numbers.shape[1], coding.sizes
    (1, (3, 2))
    >>> coding.decode(encoded).equals(table)
    True
    """

    schema: Schema
    columns: tuple[ColumnCode, ...]

    @classmethod
    def learn(
        cls, table: Table, normalisation: Normalisation, *, rng: np.random.Generator
    ) -> MixedCoding:
        """Choose how each column is coded."""
        columns: list[ColumnCode] = []
        for column in table.schema.columns:
            contents = table.columns[column.name]
            if column.listed:
                columns.append(ObservedLevels.learn(column, contents))
            elif normalisation == "quantiles":
                columns.append(Quantiles.learn(column, contents))
            else:
                columns.append(Modes.learn(column, contents, rng=rng))
        return cls(table.schema, tuple(columns))

    @property
    def width(self) -> int:
        """How many numbers a record has."""
        return sum(column.has_number for column in self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each code of a record can have."""
        return tuple(column.size for column in self.columns if column.size)

    @property
    def category_codes(self) -> tuple[int, ...]:
        """The places of the codes that are categories, and not modes or missing values."""
        coded = [column for column in self.columns if column.size]
        return tuple(at for at, column in enumerate(coded) if isinstance(column, ObservedLevels))

    def encode(self, table: Table, *, rng: np.random.Generator | None) -> Encoded:
        """Records as numbers and codes; without ``rng`` nothing is drawn at random."""
        numbers, codes = [], []
        for column in self.columns:
            number, code = column.encode(table.columns[column.column.name], rng)
            if column.has_number:
                numbers.append(number)
            if column.size:
                codes.append(code)
        empty = np.zeros((len(table), 0))
        return Encoded(
            np.column_stack([empty, *numbers]).astype(np.float32),
            np.column_stack([empty, *codes]).astype(np.int64),
        )

    def decode(self, encoded: Encoded) -> Table:
        """Numbers and codes as records."""
        numbers, codes = iter(encoded.numbers.T.astype(np.float64)), iter(encoded.codes.T)
        zeros = np.zeros(len(encoded.codes))
        contents = {}
        for column in self.columns:
            number = next(numbers) if column.has_number else zeros
            code = next(codes) if column.size else zeros.astype(np.int64)
            contents[column.column.name] = column.decode(number, code)
        return Table(self.schema, contents)

    def strangers(self, table: Table) -> Mask:
        """The records with a category, or a missing value, that did not occur when it learned."""
        strange = np.zeros(len(table), bool)
        for column in self.columns:
            contents = table.columns[column.column.name]
            absent = missing_cells(column.column, contents)
            strange |= absent & (not column.missing)
            if isinstance(column, ObservedLevels):
                strange |= ~absent & ~np.isin(contents, column.values)
        return strange

    def arrays(self) -> dict[str, Array]:
        """Everything that :meth:`from_arrays` needs beside the schema."""
        kinds = list(_KINDS)
        out: dict[str, Array] = {
            "columns.kind": np.array([kinds.index(column.kind) for column in self.columns]),
            "columns.missing": np.array([column.missing for column in self.columns], np.int64),
        }
        for at, column in enumerate(self.columns):
            out |= {f"columns.{at}.{name}": array for name, array in column.arrays().items()}
        return out

    @classmethod
    def from_arrays(cls, schema: Schema, arrays: Mapping[str, Array]) -> MixedCoding:
        """Make the coding again from the result of :meth:`arrays`."""
        columns, kinds = [], list(_KINDS.values())
        for at, column in enumerate(schema.columns):
            kind = kinds[int(arrays["columns.kind"][at])]
            start = f"columns.{at}."
            own = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
            columns.append(kind.from_arrays(column, bool(arrays["columns.missing"][at]), own))
        return cls(schema, tuple(columns))
