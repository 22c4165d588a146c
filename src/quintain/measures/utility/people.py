"""Tree marginals: how far values within tables, and across tables, are off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Schema, Table, as_trees
from quintain.data.arrays import Array
from quintain.data.column import Column
from quintain.data.people import People
from quintain.kernels.value_classes import binned_tables
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.measures.utility.table.marginals import cells, total_variation
from quintain.registry import register
from quintain.wording.languages import say


@register("tree-marginals-v1")
class TreeMarginals(ReleaseMeasure):
    r"""The mean total variation distance between marginals of all tables about people.

    $$ TV = 1/2 sum_v |p_{original}(v) - p_{release}(v)| $$

    0 means equal distributions, 1 means nothing in common; lower is better. With ``ways = 1``, the
    mean is over all columns of all tables, and over how many rows of each table people have. With
    ``ways = 2``, it is over pairs of columns: those of one table, and those of a table and of a
    table above it, counted row by row.

    Parameters
    ----------
    ways : how many columns are compared at a time.
    bins : into how many bins a number without a finite domain is cut.

    Examples
    --------
    >>> import quintain as q
    >>> from quintain.testing import example
    >>> original = example("people", rows=2000)
    >>> print(q.measure("tree-marginals", original, original)["tree_tv1"])
    0
    >>> fresh = example("people", rows=2000, seed=1)
    >>> round(q.measure("tree-marginals", original, fresh, ways=2)["tree_tv2"].value, 2)
    0.51
    """

    about: ClassVar[About] = "utility"
    shapes: ClassVar[tuple[str, ...]] = ("people",)

    ways: Literal[1, 2] = 1
    bins: Annotated[int, Field(ge=2, le=10_000)] = 20

    @classmethod
    def examples(cls) -> list[Self]:
        """Single columns, and pairs of columns."""
        return [cls(ways=1), cls(ways=2)]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """One reading, tree_tv1 or tree_tv2; lower is better."""
        return {f"tree_tv{self.ways}": "lower"}

    @property
    def captions(self) -> Mapping[str, str]:
        """Say whether columns or pairs of columns are compared."""
        if self.ways == 1:
            caption = say("Mean distance between the distributions of single columns.")
        else:
            caption = say(
                "Mean distance between the distributions of pairs of columns, also across tables."
            )
        return dict.fromkeys(self.reads, caption)

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Average the distances over all columns or pairs of columns."""
        sides = as_trees(original).people, as_trees(release).people
        distances = list(self._distances(*sides))
        (name,) = self.reads
        if not distances:
            return {name: Reading.missing("lower", "no table has enough columns")}
        return {name: Reading.exact(float(np.mean(distances)), len(original), "lower")}

    def _distances(self, original: People, release: People) -> Iterator[float]:
        for table in original.schema.tables:
            one, other = (_join_above(side, table.name) for side in (original, release))
            tables = binned_tables(one, other, self.bins)
            discrete = [c.name for c in tables[0].schema.columns if c.discrete]
            own = {table.flat_name(column.name) for column in table.columns}
            for chosen in combinations(discrete, self.ways):
                if own & set(chosen):  # the other pairs are those of a table above
                    yield total_variation(*cells(*tables, chosen))
            if self.ways == 1:
                yield total_variation(*_row_counts(original, release, table.name))


def _join_above(people: People, name: str) -> Table:
    """The rows of a table, each with the row above it; its own columns come first."""
    columns: list[Column] = []
    contents: dict[str, Array] = {}
    rows = np.arange(len(people.tables[name]))
    while name:
        table, branch = people.schema[name], people.tables[name]
        for column in table.columns:
            if not column.identifying:
                flat = table.flat_name(column.name)
                columns.append(column.model_copy(update={"name": flat}))
                contents[flat] = branch.rows.columns[column.name][rows]
        rows = branch.parent[rows]
        above = people.schema.root
        root = above.name if above is not None and above.name != name else ""
        name = people.schema.above(table) or root
    return Table(Schema.model_construct(columns=tuple(columns)), contents)


def _row_counts(original: People, release: People, name: str) -> tuple[Array, Array]:
    """How many people have no row of a table, one, two and so on, on both sides."""
    lengths = [side.tables[name].lengths() for side in (original, release)]
    most = max(int(length.max(initial=0)) for length in lengths) + 1
    return np.bincount(lengths[0], minlength=most), np.bincount(lengths[1], minlength=most)
