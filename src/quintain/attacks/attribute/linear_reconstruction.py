"""Linear reconstruction: solve many equations about sums of a secret, one per query."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Column, Schema, Table, as_table
from quintain.data.arrays import Array, Floats, Mask, Rows
from quintain.data.codec import missing_cells
from quintain.errors import PartError
from quintain.guesses import AttributeQuestion, Guess, Question
from quintain.kernels.cells import cell_keys
from quintain.kernels.value_classes import QuantileBins
from quintain.registry import register
from quintain.releases import Release

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_BINS = 10  # numbers with more values than this are cut into as many bins
_MOST = 100  # hidden values that are told apart
_STEPS = 200  # the limit on the steps of the solver
_NEAR = 1e-3  # how exactly the equations are solved: the shares are not more exact


@register("linear-reconstruction-v1")
class LinearReconstruction(Attack):
    r"""Finds the hidden values that agree with as many statistics of the release as possible.

    A query is a combination of values in some known columns. For each query the release says which
    share of its records has a certain hidden value; the targets that fit the query should have
    about this share, too. With $s_i$ = 1 if target i has the value, $T_q$ the targets and $R_q$ the
    released records that fit the query, and $p_q$ the share:

    $$ \min_s \sum_q (\sum_{i \in T_q} s_i - |T_q| p_q)^2 / (1 + |T_q|^2 / (|R_q| + 1))
       + d^2 \sum_i (s_i - p)^2 $$

    The divisor says how far a share of so few records may be from the truth by chance. Few such
    statistics are harmless, but many together determine the secret of everybody, also of people
    who do not stand out. If there are more than two hidden values, each is asked for against the
    rest, and the likeliest is guessed. Shares are used in place of counts, because the attacker
    does not know which targets are members.

    Parameters
    ----------
    ways : how many known columns a query is about at most.
    sets : how many sets of columns are asked about at most: all small ones, then random ones.
    damping : d in the formula, how strongly a target without evidence is held at the share p of
        the whole release.

    References
    ----------
    Dinur and Nissim, Revealing information while preserving privacy, PODS 2003. Annamalai, Gadotti
    and Rocher, A linear reconstruction approach for attribute inference attacks against synthetic
    data, USENIX Security 2024.

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"sex": ["f", "f", "m", "m"], "ill": ["yes", "yes", "no", "no"]})
    >>> targets = pa.table({"sex": ["m", "f"]})
    >>> guess = q.attack("linear-reconstruction", release, targets=targets, secret="ill", seed=0)
    >>> [record["ill"] for record in guess.table.records()]
    ['no', 'yes']
    """

    answers: ClassVar[tuple[type[Question], ...]] = (AttributeQuestion,)

    ways: Annotated[int, Field(ge=1, le=6)] = 3
    sets: Annotated[int, Field(ge=1, le=100_000)] = 300
    damping: Annotated[float, Field(gt=0)] = 0.3

    @classmethod
    def examples(cls) -> list[Self]:
        """The usual queries, and those about single columns."""
        return [cls(), cls(ways=1, damping=1.0)]

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Reconstruct one value against the rest, or each of several."""
        question, table = knowledge.question_as(AttributeQuestion), as_table(release.data)
        stored = table.columns[question.secret.name]
        usable = ~missing_cells(question.secret, stored)
        values, codes = np.unique(stored[usable], return_inverse=True)
        self._few_values(question.secret, values)
        if len(values) < 2:
            return question.answer(np.full(len(question.table), values[0] if len(values) else 0))
        known, shown = encode_numbers(question.records(), table.take(usable))
        equations = Equations.of(known, shown, self._column_sets(known.schema.names, rng))
        wanted = range(len(values)) if len(values) > 2 else [1]
        bits = [equations.reconstruct(codes == code, self.damping) for code in wanted]
        best = np.argmax(bits, axis=0) if len(bits) > 1 else (bits[0] > 0.5).astype(np.int64)
        return question.answer(values[best])

    def _few_values(self, secret: Column, values: Array) -> None:
        if len(values) > _MOST:
            raise PartError(
                f"{self.id} guesses columns with few values; {secret.name!r} has {len(values)} in "
                f"the release, and the limit is {_MOST}"
            )

    def _column_sets(self, names: Sequence[str], rng: np.random.Generator) -> list[list[str]]:
        """All sets of one column, then of two and so on; a random choice where they are many."""
        out: list[list[str]] = []
        for size in range(1, min(self.ways, len(names)) + 1):
            room, total = self.sets - len(out), math.comb(len(names), size)
            if total <= room:
                out += [list(chosen) for chosen in combinations(names, size)]
                continue
            draws = [rng.choice(len(names), size, replace=False) for _ in range(room)]
            distinct = dict.fromkeys(tuple(np.sort(places).tolist()) for places in draws)
            out += [[names[place] for place in places] for places in distinct]
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Equations:
    """What a release says about sums of a secret over targets, for many queries.

    Parameters
    ----------
    targets : queries x targets; 1 where a target fits a query.
    records : queries x released records; 1 where a released record fits a query.
    """

    targets: csr_array
    records: csr_array

    @classmethod
    def of(cls, known: Table, shown: Table, column_sets: Sequence[Sequence[str]]) -> Equations:
        """One query per combination of values that some target and some released record have."""
        places: list[tuple[Rows, Rows]] = []
        start = 0
        for names in column_sets:
            keys = cell_keys(known, names), cell_keys(shown, names)
            cells = np.intersect1d(*keys)
            places.append((_places(keys[0], cells, start), _places(keys[1], cells, start)))
            start += len(cells)
        of_targets, of_records = zip(*places, strict=True)
        targets = _indicators(of_targets, start, len(known))
        return cls(targets, _indicators(of_records, start, len(shown)))

    def reconstruct(self, secret: Mask, damping: float) -> Floats:
        """For each target, how likely it has the secret that some released records have."""
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import lsqr

        share = float(secret.mean())
        sizes, released = (np.asarray(side.sum(axis=1)) for side in (self.targets, self.records))
        shares = (self.records @ secret.astype(np.float64)) / released
        weight = 1 / np.sqrt(1 + sizes**2 / (released + 1))
        left = (diags_array(weight) @ self.targets).tocsr()
        right = weight * sizes * (shares - share)  # the unknowns are the differences from the share
        return np.asarray(share + lsqr(left, right, damping, _NEAR, _NEAR, iter_lim=_STEPS)[0])


def _places(keys: Rows, cells: Rows, start: int) -> Rows:
    """The number of the query that each row fits; -1 for none."""
    place = np.minimum(np.searchsorted(cells, keys), max(len(cells) - 1, 0))
    if not len(cells):
        return np.full(len(keys), -1)
    return np.where(cells[place] == keys, place + start, -1)


def _indicators(places: Sequence[Rows], queries: int, rows: int) -> csr_array:
    from scipy.sparse import csr_array

    query = np.concatenate(places)
    row = np.tile(np.arange(rows), len(places))
    fits = query >= 0
    ones = np.ones(int(fits.sum()))
    return csr_array((ones, (query[fits], row[fits])), shape=(queries, rows))


def encode_numbers(known: Table, table: Table) -> tuple[Table, Table]:
    """Targets and released records with a few values in each column."""
    shown = table.select(known.schema.names)
    bins = QuantileBins.of(_as_reals(shown), _BINS)
    return bins.encode(_as_reals(known)), bins.encode(_as_reals(shown))


def _as_reals(table: Table) -> Table:
    """The table with integers of many values as real numbers, which bins can cut."""
    many = [c for c in table.schema.columns if c.whole and c.discrete and c.size > _BINS]
    reals = {c.name: Column(name=c.name, kind="real", nullable=c.nullable) for c in many}
    columns = tuple(reals.get(column.name, column) for column in table.schema.columns)
    numbers = {name: table.numbers(name) for name in reals}
    return Table(Schema(columns=columns), {**table.columns, **numbers})
