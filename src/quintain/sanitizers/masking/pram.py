"""PRAM: replace values at random, with known probabilities (post-randomisation)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, field_validator

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array, Floats
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.mask import Masking, chosen_columns

LARGEST = 2000
"""The largest domain: a matrix of transitions has the square of it as entries."""


@register("pram-v1")
class Pram(Masking):
    """Replaces values at random by others of their column, with stated probabilities.

    A value stays with probability ``keep``; otherwise it becomes one of the other values, all
    equally likely. ``matrices`` states other probabilities: row i has the probabilities of the new
    values of value i, in the order of the schema. With ``invariant`` the expected counts of the
    release are the counts of the private data. For that the value is drawn twice: once by the
    matrix, and then back to a value that could have led there, in proportion to how often it does.
    A missing value stays missing. The release claims no differential privacy; ``rr`` does.

    >>> import quintain as q
    >>> from quintain.testing.examples import TABLE
    >>> toys = q.Table.of(TABLE.select(["flag"]), {"flag": ["no", "no", "no", "yes"]})
    >>> release = q.sanitize("pram", toys, matrices={"flag": [[0.5, 0.5], [0, 1]]}, seed=3)
    >>> [record["flag"] for record in release.data.records()]
    ['no', 'yes', 'yes', 'yes']

    Parameters
    ----------
    columns : the columns to change; all categories if not given.
    keep : the probability to keep a value, for columns without a matrix.
    matrices : the transition matrix for each of some columns.
    invariant : whether the expected counts stay as they are.

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg and de Wolf, Post randomisation for statistical disclosure
    control: theory and implementation, Journal of Official Statistics 14 (1998).
    """

    method: ClassVar[str] = "PRAM"
    need: ClassVar[str] = f"a finite domain of at most {LARGEST} values"

    keep: Annotated[float, Field(ge=0, le=1)] = 0.8
    matrices: dict[str, tuple[tuple[float, ...], ...]] = Field(default_factory=dict)
    invariant: bool = False

    @classmethod
    def examples(cls) -> list[Self]:
        """The same probabilities for all columns, a matrix, and invariant PRAM."""
        turn = {"flag": ((0.5, 0.5), (0.0, 1.0))}
        return [cls(), cls(matrices=turn), cls(invariant=True, columns=("colour", "size"))]

    @field_validator("matrices")
    @classmethod
    def _are_transitions(
        cls, matrices: dict[str, tuple[tuple[float, ...], ...]]
    ) -> dict[str, tuple[tuple[float, ...], ...]]:
        for name, rows in matrices.items():
            for number, row in enumerate(rows, start=1):
                if len(row) != len(rows):
                    raise ValueError(
                        f"{name}: row {number} has {len(row)} probabilities, expected {len(rows)}"
                    )
                if not all(0 <= p <= 1 for p in row) or abs(sum(row) - 1) > 1e-9:
                    raise ValueError(
                        f"{name}: row {number} must have numbers from 0 to 1 whose sum is 1"
                    )
        return matrices

    def fits(self, column: Column) -> bool:
        """Whether the domain is small enough for a matrix; integers only if they are named."""
        chosen = column.listed or column.name in {*(self.columns or ()), *self.matrices}
        return chosen and column.discrete and column.size <= LARGEST

    def require(self, schema: Schema) -> None:
        """The columns must have small domains, and matrices as many rows as values."""
        super().require(schema)
        for name in self.choose_columns(schema):
            self.transitions(schema[name])

    def choose_columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns to change; a matrix for any other column is refused."""
        names = super().choose_columns(schema)
        unused = [name for name in self.matrices if name not in names]
        chosen_columns(self.id, schema, tuple(unused), self.fits, self.need)
        if unused:
            raise PartError(
                f"{self.id}: matrices names {', '.join(unused)}, which columns does not"
            )
        return names

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Draw a new value for every cell that has one."""
        out = {}
        for name in names:
            codes = data.columns[name].copy()
            present = codes >= 0
            matrix = self.transitions(data.schema[name])
            drawn = draw_rows(matrix, codes[present], noise)
            if self.invariant:
                counts = np.bincount(codes[present], minlength=len(matrix))
                drawn = draw_rows(reverse(matrix, counts), drawn, noise)
            codes[present] = drawn
            out[name] = codes
        return out

    def transitions(self, column: Column) -> Floats:
        """The probabilities of new values (columns) for each old value (rows)."""
        size = column.size
        if column.name not in self.matrices:
            if size == 1:
                return np.ones((1, 1))
            matrix = np.full((size, size), (1 - self.keep) / (size - 1))
            np.fill_diagonal(matrix, self.keep)
            return matrix
        given = np.array(self.matrices[column.name])
        if len(given) != size:
            raise PartError(
                f"{self.id}: the matrix of column {column.name!r} has {len(given)} rows; "
                f"the column has {size} values"
            )
        return given

    def detail(self) -> str:
        """The probabilities in words."""
        how = ", with the expected counts kept" if self.invariant else ""
        given = f", by a matrix for {', '.join(self.matrices)}" if self.matrices else ""
        return f"each value kept with probability {self.keep:g}{given}{how}"


def reverse(matrix: Floats, counts: Array) -> Floats:
    """The probabilities of old values given the new ones, if the old ones have these counts."""
    joint = matrix * counts[:, None]
    total = joint.sum(axis=0)
    possible = total > 0
    back = np.eye(len(matrix))
    back[possible] = (joint[:, possible] / total[possible]).T
    return back


def draw_rows(matrix: Floats, codes: Array, noise: Noise) -> Array:
    """For each code a new one, drawn by the row of the matrix that the code names."""
    cumulative = np.cumsum(matrix, axis=1)
    draws = noise.uniform(len(codes)) * cumulative[codes, -1]
    # One search over all rows: row i lies between 2 i and 2 i + 2.
    flat = (cumulative + 2.0 * np.arange(len(matrix))[:, None]).ravel()
    place = np.searchsorted(flat, draws + 2.0 * codes, side="right")
    last = len(matrix) - 1 - np.argmax(matrix[:, ::-1] > 0, axis=1)  # a sum may be rounded up
    drawn: Array = np.minimum(place - codes * len(matrix), last[codes]).astype(codes.dtype)
    return drawn
