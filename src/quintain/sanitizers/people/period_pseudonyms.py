"""Period pseudonyms: everybody becomes another person in every month or year."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np

from quintain.data import Data, Schema, Trees, as_trees
from quintain.data.arrays import Ints, Mask, Rows
from quintain.data.codec import missing_cells
from quintain.data.people import Branch, People
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.errors import PartError
from quintain.kernels.purchases import months_of
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.people.family_resampling import copy_rows
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shuffling import permutation
from quintain.sanitizers.transactions.pseudonyms import MONTHS

_DAY = 86_400


@register("period-pseudonyms-v1")
class PeriodPseudonyms(Sanitizer):
    """Gives everybody a new pseudonym for every month or year in which they have a row.

    The rows of one period still share a pseudonym, those of two periods do not. Rows of tables
    without a time, and rows whose time is missing, stay with the first pseudonym. The row in the
    table with one row per person is repeated under every pseudonym, so a rare one links them.

    Parameters
    ----------
    period : how long a pseudonym stays. Years are calendar years.
    column : the time, as TABLE.COLUMN; by default the first time of a table whose rows belong to
        people.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> q.sanitize("period-pseudonyms", example("people"), period="month", seed=1).data
    <Trees of 66 persons: patients 66 rows, visits 82 rows, prescriptions 83 rows>
    """

    shapes: ClassVar[tuple[str, ...]] = ("people",)

    period: Literal["month", "year"] = "month"
    column: str | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """A pseudonym per month, and one per year."""
        return [cls(), cls(period="year", column="visits.day")]

    def require(self, schema: Schema) -> None:
        """There must be a time in a table whose rows belong to people."""
        super().require(schema)
        self._time(PeopleSchema.of_flat(schema))

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Number all pairs of person and period, and make a person of each."""
        trees = as_trees(data)
        table, column = self._time(trees.people.schema)
        branch = trees.people.tables[table.name]
        seconds = branch.rows.columns[column]
        absent = missing_cells(branch.rows.schema[column], seconds)
        days = np.where(absent, 0, seconds) // _DAY
        period = months_of(days.astype(np.int32)) // MONTHS[self.period]
        owner, own = _split(branch.person, period, absent, trees.people.size)
        made = _divide(trees.people, owner, table.name, own)
        names = np.char.add("p", (permutation(len(owner), noise) + 1).astype(np.str_))
        shown = Trees.of(made, trees.schema.title).with_keys(names)
        detail = f"a new pseudonym each {self.period} of {table.name}.{column}"
        method = Method(name="new pseudonyms", rows=len(owner), detail=detail)
        return Sanitized(Release(shown, methods=(method,)))

    def _time(self, schema: PeopleSchema) -> tuple[TableSchema, str]:
        """The table and the column that say to which period a row belongs."""
        times = {
            f"{table.name}.{column.name}": (table, column.name)
            for table in schema.tables
            if table.reference is not None and not schema.above(table)
            for column in table.columns
            if column.temporal
        }
        if not times:
            raise PartError(f"{self.id} needs a time in a table whose rows belong to people")
        if self.column is not None and self.column not in times:
            known = ", ".join(times)
            raise PartError(f"{self.id}: {self.column!r} is not such a time; available: {known}")
        return times[self.column or next(iter(times))]


def _split(person: Rows, period: Ints, absent: Mask, people: int) -> tuple[Rows, Rows]:
    """The person of each pseudonym, person by person, and the pseudonym of each row.

    >>> person, period = np.array([0, 0, 2, 0]), np.array([5, 6, 5, 5])
    >>> owner, own = _split(person, period, np.zeros(4, bool), 3)
    >>> owner.tolist(), own.tolist()
    ([0, 0, 1, 2], [0, 1, 3, 0])
    """
    shifted = period - period.min(initial=0)
    width = int(shifted.max(initial=0)) + 1
    pairs = np.unique((person * width + shifted)[~absent])
    without = np.setdiff1d(np.arange(people), pairs // width)
    keys = np.sort(np.concatenate([pairs, without * width]))
    owner = keys // width
    first = np.searchsorted(owner, person)
    return owner, np.where(absent, first, np.searchsorted(keys, person * width + shifted))


def _divide(people: People, owner: Rows, divided: str, own: Rows) -> People:
    """People as several persons each, of whom one has the rows of other tables."""
    first = np.searchsorted(owner, np.arange(people.size))
    person: dict[str, Rows] = {}
    tables: dict[str, Branch] = {}
    for table in people.schema.tables:
        branch = people.tables[table.name]
        above = people.schema.above(table)
        rows, parent = np.arange(len(branch)), branch.parent
        if table.reference is None:
            rows, parent = copy_rows(branch.person, people.size, owner)
            person[table.name] = parent
        elif above:
            person[table.name] = person[above][parent]
        else:
            person[table.name] = own if table.name == divided else first[branch.person]
            parent = person[table.name]
        tables[table.name] = branch.take(rows, parent, person[table.name], len(owner))
    return People(people.schema, len(owner), None, tables)
