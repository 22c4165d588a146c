"""Known people: the targets of a question whose rows come from several tables."""

from __future__ import annotations

import numpy as np

from quintain.data import Schema, Table, Trees
from quintain.data.columns import Columns
from quintain.data.people import People
from quintain.data.people_schema import OF, PERSON, ROW, TABLE, PeopleSchema


def known_people(table: Table, data: Schema) -> People:
    """The targets of a question with the rows that it shows, ordered by the names of the targets.

    The question may show some rows alone, so every row belongs to its target directly.

    Parameters
    ----------
    table : the question: one line per row of a target.
    data : the schema of the data, which says which tables there are.
    """
    schema = PeopleSchema.of_flat(data).loose().flat()
    cells = {name: table.columns[name] for name in schema.names if "." in name}
    cells |= {TABLE: table.columns[TABLE], PERSON: table.columns["target"]}
    cells |= dict.fromkeys((ROW, OF), np.full(len(table), ""))
    people = Trees.from_rows(Columns(schema, cells)).people
    assert people.keys is not None  # trees have keys
    return people.take(np.argsort(people.keys))
