"""Level model: a graphical model over levels, and the values that each level stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from quintain.data import Schema, Table
from quintain.data.arrays import Ints
from quintain.sanitizers.synthesizer import Arrays, FittedModel
from quintain.sanitizers.synthetic.pgm import Domain, GraphicalModel, Levels


@dataclass(frozen=True, slots=True, eq=False)
class LevelModel(FittedModel):
    """The base of models with tables over levels; a level is one value, or several rare ones."""

    schema: Schema
    size: int
    graph: GraphicalModel
    levels: dict[str, Levels]

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw records along the tree; a column with a single possible value gets that value."""
        drawn = self.graph.sample(rows, rng)
        columns: dict[str, Ints] = {}
        for column in self.schema.columns:
            codes = np.zeros(rows, np.int64)
            if column.name in drawn:
                codes = self.levels[column.name].expand(drawn[column.name], rng)
            columns[column.name] = np.where(codes == column.size, -1, codes)
        return Table(self.schema, columns)

    def arrays(self) -> Arrays:
        """Give the tables of the tree, and the values of each level."""
        out = self.graph.arrays()
        out["columns"] = np.array([self.schema.names.index(name) for name in self.levels])
        for number, levels in enumerate(self.levels.values()):
            out[f"kept_{number}"], out[f"rare_{number}"] = levels.kept, levels.rare
            out[f"shares_{number}"] = levels.shares
        return out

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> Self:
        """Make a model from what :meth:`arrays` gave."""
        levels = {
            schema.names[place]: Levels(*(arrays[f"{k}_{i}"] for k in ("kept", "rare", "shares")))
            for i, place in enumerate(arrays["columns"])
        }
        domain = Domain.of({name: level.count for name, level in levels.items()})
        return cls(schema, size, GraphicalModel.from_arrays(domain, arrays), levels)
