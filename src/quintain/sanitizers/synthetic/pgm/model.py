"""Graphical model: a distribution over many columns, stored as small tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Ints
from quintain.errors import PartError
from quintain.sanitizers.synthetic.pgm.domain import Domain
from quintain.sanitizers.synthetic.pgm.factor import Factor
from quintain.sanitizers.synthetic.pgm.junction_tree import MOST_CELLS, JunctionTree
from quintain.sanitizers.synthetic.pgm.propagation import propagate
from quintain.sanitizers.synthetic.pgm.rounding import draw_given

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class GraphicalModel:
    """A distribution of records: a product of potentials over the cliques of a junction tree.

    Parameters
    ----------
    domain : the columns.
    total : how many records the model describes.
    tree : the junction tree.
    potentials : one factor per clique, up to a constant.
    """

    domain: Domain
    total: float
    tree: JunctionTree
    potentials: tuple[Factor, ...]

    @cached_property
    def beliefs(self) -> list[Factor]:
        """Compute the probabilities of every clique, as logarithms."""
        return propagate(self.tree, self.potentials)[0]

    def marginal(self, columns: Iterable[str], *, most_cells: int = MOST_CELLS) -> Floats:
        """Compute the expected counts of any columns; axes have the given order."""
        wanted = tuple(columns)
        if unknown := set(wanted) - set(self.domain.names):
            raise ValueError(
                f"unknown columns: {', '.join(sorted(unknown))}; "
                f"available: {', '.join(self.domain.names)}"
            )
        home = self.tree.home(wanted)
        if home >= 0:
            return self.total * self.beliefs[home].sum_to(wanted).exp()
        return self.total * self._across(wanted, most_cells).sum_to(wanted).exp()

    def sample(self, rows: int, rng: np.random.Generator) -> dict[str, Ints]:
        """Draw synthetic records column by column; counts are rounded, not drawn.

        A column is drawn given those columns of its clique that were drawn before it.
        """
        drawn: dict[str, Ints] = {}
        for clique, separator, belief in zip(
            self.tree.cliques, self.tree.separators, self.beliefs, strict=True
        ):
            given = separator
            for name in (c for c in clique if c not in separator):
                shape = (self.domain.cells(given), self.domain.size(name))
                weights = belief.sum_to((*given, name)).exp().reshape(shape)
                drawn[name] = draw_given(self._keys(drawn, given, rows), weights, rng)
                given = (*given, name)
        return {name: drawn[name] for name in self.domain.names}

    def arrays(self) -> Arrays:
        """Give all arrays that are needed to make the model again over the same domain."""
        out: Arrays = {
            "total": np.array(self.total),
            "parents": np.array(self.tree.parents, np.int64),
        }
        for number, potential in enumerate(self.potentials):
            places = [self.domain.place(name) for name in potential.columns]
            out[f"clique_{number}"] = np.array(places, np.int64)
            out[f"potential_{number}"] = potential.log
        return out

    @classmethod
    def from_arrays(cls, domain: Domain, arrays: Mapping[str, npt.NDArray[Any]]) -> GraphicalModel:
        """Make the model from what :meth:`arrays` gave."""
        parents = tuple(int(parent) for parent in arrays["parents"])
        cliques = tuple(
            tuple(domain.names[place] for place in arrays[f"clique_{number}"])
            for number in range(len(parents))
        )
        potentials = tuple(
            Factor(clique, np.asarray(arrays[f"potential_{number}"], np.float64))
            for number, clique in enumerate(cliques)
        )
        return cls(domain, float(arrays["total"]), JunctionTree(cliques, parents), potentials)

    def _keys(self, drawn: Mapping[str, Ints], given: Sequence[str], rows: int) -> Ints:
        keys = np.zeros(rows, np.int64)
        for name in given:
            keys = keys * self.domain.size(name) + drawn[name]
        return keys

    def _across(self, wanted: tuple[str, ...], most_cells: int) -> Factor:
        """Combine columns of several cliques: messages carry the wanted columns to the root."""
        wants = set(wanted)
        carried: dict[int, Factor] = {}
        for number in range(len(self.beliefs) - 1, -1, -1):
            belief, separator = self.beliefs[number], self.tree.separators[number]
            incoming = carried.pop(number, None)
            # Given its separator, a branch without wanted columns sums to one.
            if (
                number
                and incoming is None
                and wants.isdisjoint(set(belief.columns) - set(separator))
            ):
                continue
            table = belief - belief.sum_to(separator) if number else belief
            table = self._product(table, incoming, most_cells)
            kept = [c for c in table.columns if c in wants or c in separator]
            message = table.sum_to(kept)
            if number == 0:
                return message
            parent = self.tree.parents[number]
            carried[parent] = self._product(message, carried.get(parent), most_cells)
        raise AssertionError("the loop always ends at the root")

    def _product(self, one: Factor, other: Factor | None, most_cells: int) -> Factor:
        if other is None:
            return one
        columns = {*one.columns, *other.columns}
        cells = self.domain.cells(columns)
        if cells > most_cells:
            raise PartError(
                f"a marginal of {', '.join(self.domain.sort(columns))} has {cells:,} cells; "
                f"the limit is {most_cells:,}"
            )
        return one + other
