"""Checks of sample designs: they are reproducible, and members are in the private data."""

from __future__ import annotations

import numpy as np

from quintain.data import as_table
from quintain.data.data_part import DataPart
from quintain.samples import Design
from quintain.testing.examples import example, example_table, people


def check_sample(part: Design) -> None:
    """The same seed gives the same sample, and the members' records are in the private data."""
    table = example_table(rows=300)
    population = example(part.shapes[0]) if isinstance(part, DataPart) else table
    once = part.draw(population, rng=np.random.default_rng(3))
    again = part.draw(population, rng=np.random.default_rng(3))
    assert once.private.digest() == again.private.digest(), f"{part.id} is not reproducible"
    assert (once.members == again.members).all()
    assert len(once.target_rows) == len(once.target_of)
    assert once.target_of.max(initial=-1) < len(once.members)
    if population is not table:
        return  # a design for one kind of data may cut its records
    inside = people(table.take(once.target_rows[once.members[once.target_of]]))
    both = inside.concat(as_table(once.private)).row_keys()
    is_inside = np.isin(both[: len(inside)], both[len(inside) :])
    assert is_inside.all(), f"{part.id}: a member's record is not in the private data"
