"""Family resampling: synthetic people who get the rows of similar private people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Table, Trees, as_trees
from quintain.data.arrays import Ints, Rows
from quintain.data.people import Branch, People, Ragged
from quintain.kernels.distances import gower
from quintain.kernels.neighbours import k_nearest
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer

Lot = Literal["person", "table", "row"]
"""What comes from the same private person: all rows, those of one table, or a single row."""


@register("family-resampling-v1")
class FamilyResampling(Sanitizer):
    """Draws people from a model of neighbours, and gives them the rows of similar private people.

    The row of a synthetic person in the first table is mixed: around a random private person, each
    value comes from one of the most similar people. The rows in other tables are copies of the rows
    of private people who are similar to it, with all that belongs to them. If people have no first
    table, all people are similar.

    Nothing is claimed. A row of the release is a private row, so an attacker who knows a rare row
    sees that its person is in the private data.

    Parameters
    ----------
    near : among how many similar people the rows are drawn; more, if more are equally similar.
    donor_of : what comes from the same private person: all rows of a synthetic "person", all of
        them in one "table", or a single "row".
    people : how many people to draw; by default as many as there are.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> people = example("people")
    >>> q.sanitize("family-resampling", people, donor_of="row", seed=1).data
    <Trees of 20 persons: patients 20 rows, visits 91 rows, prescriptions 94 rows>
    """

    shapes: ClassVar[tuple[str, ...]] = ("people",)

    near: Annotated[int, Field(ge=1, le=1000)] = 5
    donor_of: Lot = "table"
    people: Annotated[int, Field(ge=1)] | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """Rows of one person for all tables, and another person for every row."""
        return [cls(donor_of="person"), cls(donor_of="row", near=3)]

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw the first rows, look for similar people, and copy their rows."""
        trees = as_trees(data)
        private = trees.people
        size = self.people or private.size
        first, similar = self._draw_first(private, size, noise)
        drawn: dict[str, Copies] = {}
        everybody = np.arange(size)
        one = similar.draw(everybody, noise)
        for table in private.schema.tables:
            branch, above = private.tables[table.name], private.schema.above(table)
            if table.reference is None:
                copies = Copies(one, everybody)
            elif above:
                copies = copy_rows(branch.parent, len(private.tables[above]), drawn[above].rows)
            else:
                donor = similar.draw(everybody, noise) if self.donor_of == "table" else one
                copies = copy_rows(branch.person, private.size, donor)
                if self.donor_of == "row":
                    copies = _exchange(branch, copies, similar, noise)
            drawn[table.name] = copies
        made = _plant(private, drawn, first, size)
        detail = f"each {self.donor_of} from one of {self.near} similar people"
        method = Method(name="synthetic data generation", rows=size, detail=detail)
        return Sanitized(Release(Trees.of(made, trees.schema.title), methods=(method,)))

    def _draw_first(
        self, people: People, size: int, noise: Noise
    ) -> tuple[Table | None, SimilarPeople]:
        """The first row of each synthetic person, and the private people who are similar to it."""
        root = people.schema.root
        if root is None or not root.columns:
            return None, SimilarPeople.everybody(people.size, size)
        rows = people.tables[root.name].rows
        table = Table(rows.schema, rows.columns)
        seeds = table.take(noise.integers(people.size, size))
        around = SimilarPeople.of(seeds, table, self.near)
        mixed = Table(
            table.schema,
            {
                name: cells[around.draw(np.arange(size), noise)]
                for name, cells in table.columns.items()
            },
        )
        return mixed, SimilarPeople.of(mixed, table, self.near)


@dataclass(frozen=True, slots=True, eq=False)
class SimilarPeople:
    """The private people who are most similar to each of some rows; all who are equal to the last.

    Parameters
    ----------
    kinds : for each row the nearest kinds of people, who have equal rows.
    ends : how many people the kinds have, added up; further kinds are not needed.
    members : the people of each kind.
    """

    kinds: Rows
    ends: Ints
    members: Ragged

    @classmethod
    def everybody(cls, people: int, rows: int) -> SimilarPeople:
        """All people, for each of so many rows."""
        kinds = np.zeros((rows, 1), np.int64)
        return cls(kinds, kinds + people, Ragged.of(np.zeros(people, np.int64), 1))

    @classmethod
    def of(cls, rows: Table, people: Table, near: int) -> SimilarPeople:
        """At least so many people for each row, if there are so many."""
        _, first, kind = np.unique(people.row_keys(), return_index=True, return_inverse=True)
        members = Ragged.of(kind, len(first))
        distance = gower(people.schema, [people])
        _, kinds = k_nearest(rows, people.take(first), min(near, len(first)), distance)
        ends = np.cumsum(members.lengths()[kinds], axis=1)
        enough = (ends < near).sum(axis=1)  # the first kind with which there are enough
        most = np.take_along_axis(ends, np.minimum(enough, kinds.shape[1] - 1)[:, None], axis=1)
        return cls(kinds, np.minimum(ends, most), members)

    def draw(self, rows: Rows, noise: Noise) -> Rows:
        """A random one of the people who are similar to each of the rows with these numbers."""
        ends = self.ends[rows]
        place = (noise.uniform(len(rows)) * ends[:, -1]).astype(np.int64)
        at = (ends <= place[:, None]).sum(axis=1)
        before = np.where(at > 0, ends[np.arange(len(rows)), at - 1], 0)
        kind = self.kinds[rows, at]
        drawn: Rows = self.members.order[self.members.offsets[kind] + place - before]
        return drawn


class Copies(NamedTuple):
    """Rows that are copied, and for each of them the number of the copied row above it."""

    rows: Rows
    parent: Rows


def copy_rows(parent: Rows, size: int, above: Rows) -> Copies:
    """Copy all rows that belong to some rows above, which may appear several times.

    >>> copies = copy_rows(np.array([0, 1, 0, -1]), 2, np.array([1, 0, 0]))
    >>> copies.rows.tolist(), copies.parent.tolist()
    ([1, 0, 2, 0, 2], [0, 1, 1, 2, 2])
    """
    below = Ragged.of(parent, size)
    lengths = below.lengths()[above]
    copied = np.repeat(np.arange(len(above)), lengths)
    place = np.arange(len(copied)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return Copies(below.order[below.offsets[above][copied] + place], copied)


def _exchange(branch: Branch, copies: Copies, similar: SimilarPeople, noise: Noise) -> Copies:
    """Replace each row by a random row of a similar person, if that one has any."""
    of = branch.index()
    donor = similar.draw(copies.parent, noise)
    lengths = of.lengths()[donor]
    drawn = (noise.uniform(len(donor)) * lengths).astype(np.int64)
    some = lengths > 0
    rows = copies.rows.copy()
    rows[some] = of.order[of.offsets[donor[some]] + drawn[some]]
    return Copies(rows, copies.parent)


def _plant(people: People, drawn: Mapping[str, Copies], first: Table | None, size: int) -> People:
    """People with the copied rows."""
    person: dict[str, Ints] = {}
    tables: dict[str, Branch] = {}
    for table in people.schema.tables:
        copies = drawn[table.name]
        above = people.schema.above(table)
        person[table.name] = person[above][copies.parent] if above else copies.parent
        branch = people.tables[table.name]
        made = branch.take(copies.rows, copies.parent, person[table.name], size)
        if table.reference is None and first is not None:
            made = Branch(first, made.parent, made.person, size, made.order)
        tables[table.name] = made
    return People(people.schema, size, None, tables)
