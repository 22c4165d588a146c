"""Numbered releases: files in which each row names the private record that it was made from.

Where attackers look for the published row of a person, the judge has to know the answer. So teams
submit a release with one more column. The judge removes it before the release is published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data import Column, Data, Schema, Table, as_table, shape_of
from quintain.data.arrays import Rows
from quintain.data.column import LARGEST_DOMAIN
from quintain.errors import Faults, PartError
from quintain.wording.languages import tell

PRIVATE_ROW = Column(
    name="private_row", kind="integer", low=0, high=LARGEST_DOMAIN - 2, nullable=True
)
"""The row of the private record, counted from 0; empty for a record that was made up."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberedRelease:
    """The records of a release, and for each of them the row of its private record, or -1.

    >>> from quintain.testing import example_table
    >>> release = NumberedRelease(example_table(rows=2).select(["size"]), np.array([1, -1]))
    >>> print(release.with_numbers().csv_bytes().decode())
    private_row,size
    1,4
    ,1
    """

    data: Table
    origins: Rows

    @classmethod
    def of(cls, table: Table) -> NumberedRelease:
        """Take the numbers off a table that has them."""
        rows = table.columns[PRIVATE_ROW.name].astype(np.int64)
        return cls(table.drop(PRIVATE_ROW.name), np.where(rows < 0, -1, rows))

    def with_numbers(self) -> Table:
        """The records as a team submits them, with the numbers in front."""
        columns = {PRIVATE_ROW.name: self.origins, **self.data.columns}
        return Table(number_schema(self.data.schema), columns)

    def check(self, private: int, faults: Faults) -> None:
        """Note every number that names no private record, or one that another row names already."""
        first: dict[int, int] = {}
        for row, origin in enumerate(self.origins.tolist()):
            if origin < 0:
                continue
            if origin >= private:
                message = tell(
                    "unknown private record; the rows of the private data are 0..%(last)s",
                    last=private - 1,
                )
            elif origin in first:
                line = faults.line_of(first[origin])
                message = tell("line %(line)s was made from this private record already", line=line)
            else:
                first[origin] = row
                continue
            faults.add(message, line=faults.line_of(row), column=PRIVATE_ROW.name, got=str(origin))


def without_numbers(release: Data) -> Data:
    """The records of a release; the numbers of their private records are dropped, if there are any.

    >>> from quintain.testing import small_shop
    >>> shop = small_shop()
    >>> without_numbers(shop) is shop
    True
    """
    if shape_of(release).row_is_person and PRIVATE_ROW.name in release.schema:
        return NumberedRelease.of(as_table(release)).data
    return release


def number_schema(schema: Schema) -> Schema:
    """The columns of a release with the number of the private record in front."""
    if PRIVATE_ROW.name in schema:
        raise PartError(
            f"the data have a column {PRIVATE_ROW.name!r}; rename it, because releases use this "
            "name for the number of the private record"
        )
    return schema.extended(PRIVATE_ROW)
