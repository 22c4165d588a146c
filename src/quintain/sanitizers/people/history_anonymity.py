"""History anonymity: nobody can be singled out by a few values of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Column, Data, Schema
from quintain.data.arrays import Ints, Mask
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema
from quintain.data.schema import ColumnNames
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import ClaimedModel, Method, Sanitized
from quintain.sanitizers.people.tree_mask import TreeMask, flat_columns

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@register("history-anonymity-v1")
class HistoryAnonymity(TreeMask):
    """Drops rows until at least k people share every set of at most m values (k^m-anonymity).

    The value of a row is what its chosen columns say together, and a history is the set of values
    of a person. An attacker who knows m values of somebody, in any tables, finds at least k people
    with all of them, or nobody. Where a set of values has fewer people, the rarest of the values is
    dropped from these people, with all that belongs to the rows. Sets of one value come first, then
    pairs, then triples, and again until nothing is left to drop.

    Other columns stay as they are, and so does the table with one row per person. What an attacker
    knows of them is not covered.

    Parameters
    ----------
    k : how many people must share a set of values.
    m : how many values an attacker knows.
    columns : the columns that an attacker may know, as TABLE.COLUMN; all with a list of categories.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> people = example("people")
    >>> release = q.sanitize("history-anonymity", people, k=3, columns=["visits.ward"], seed=1)
    >>> len(people.people.tables["visits"]), len(release.data.people.tables["visits"])
    (82, 68)
    >>> release.models[0].words()
    'k^2-anonymity with value = 3 of visits.ward'

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2008), Privacy-preserving Anonymization of Set-valued Data.
    """

    k: Annotated[int, Field(ge=2)] = 5
    m: Literal[1, 2, 3] = 2
    columns: ColumnNames | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """Any two values of all tables, and single values of one column."""
        return [cls(k=2), cls(k=3, m=1, columns=("visits.code",))]

    def require(self, schema: Schema) -> None:
        """Every named column must be a category of a table with several rows per person."""
        super().require(schema)
        self._choose_columns(PeopleSchema.of_flat(schema))

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Drop the rows, and claim what holds then."""
        made = super().sanitize(data, rng=rng, noise=noise)
        chosen = self._choose_columns(PeopleSchema.of_flat(data.schema))
        names = tuple(f"{table}.{c.name}" for table, columns in chosen.items() for c in columns)
        model = ClaimedModel(name=f"k^{self.m}-anonymity", value=self.k, columns=names)
        return replace(made, release=replace(made.release, models=(model,)))

    def change(self, people: People, *, noise: Noise) -> tuple[People, Method]:
        """Drop rows from the people of every set that is too small."""
        chosen = self._choose_columns(people.schema)
        values = row_values(
            people, {name: [c.name for c in columns] for name, columns in chosen.items()}
        )
        person = np.concatenate([people.tables[name].person for name in values])
        value = np.concatenate(list(values.values()))
        kept = keep_shared(person, value, people.size, k=self.k, m=self.m)
        ends = np.cumsum([len(array) for array in values.values()])[:-1]
        masks = dict(zip(values, np.split(kept, ends), strict=True))
        fewer = people.keep(masks)
        rows = sum(len(people.tables[name]) - len(fewer.tables[name]) for name in people.tables)
        detail = f"{self.k} people share every set of at most {self.m} values"
        return fewer, Method(name="row dropping", columns=tuple(values), rows=rows, detail=detail)

    def _choose_columns(self, schema: PeopleSchema) -> Mapping[str, tuple[Column, ...]]:
        several = tuple(table for table in schema.tables if table.reference is not None)
        below = [f"{table.name}.{c.name}" for table in several for c in table.columns]
        return flat_columns(
            self.id,
            schema,
            self.columns,
            lambda column: column.listed and column.name in below,
            "a category in a table with several rows per person",
        )


def row_values(people: People, columns: Mapping[str, list[str]]) -> dict[str, Ints]:
    """For each row of some tables the number of its value; no two tables have the same numbers."""
    values: dict[str, Ints] = {}
    first = 0
    for name, names in columns.items():
        keys = people.tables[name].rows.select(names).row_keys()
        values[name] = keys + first
        first += int(keys.max(initial=-1)) + 1
    return values


def keep_shared(person: Ints, value: Ints, people: int, *, k: int, m: int) -> Mask:
    """The rows to keep so that at least k people share every set of at most m values.

    >>> person, value = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 0, 2])
    >>> keep_shared(person, value, 3, k=2, m=2).tolist()
    [True, True, True, True, True, False]
    """
    from scipy.sparse import csr_array

    kept: Mask = person >= 0
    count = int(value.max(initial=-1)) + 1
    size = 1
    while size <= m:
        ones = np.ones(int(kept.sum()), np.int64)
        has = csr_array((ones, (person[kept], value[kept])), shape=(people, count))
        has.data = np.ones(len(has.data), np.int64)  # a value counts once, however often it occurs
        owners, rare = _rare_values(has, k, size)
        drop = kept & np.isin(person * count + value, owners * count + rare)
        kept = kept & ~drop
        size = 1 if drop.any() else size + 1
    return kept


def _rare_values(has: csr_array, k: int, size: int) -> tuple[Ints, Ints]:
    """Which values to drop from whom, because of sets of this size: people, and their values."""
    support = np.asarray(has.sum(axis=0)).ravel()
    if size == 1:
        people, values = has.nonzero()
        few = support[values] < k
        return people[few], values[few]
    if size == 2:
        return _find_marks(has, has @ _pair_victims(has, support, k))
    drops = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for value in np.flatnonzero(support).tolist():
        owners = np.flatnonzero(has[:, [value]].toarray())
        among = has[owners]
        people, values = _find_marks(among, among @ _pair_victims(among, support, k, but=value))
        drops.append((owners[people], values))
    return np.concatenate([d[0] for d in drops]), np.concatenate([d[1] for d in drops])


def _find_marks(has: csr_array, marks: csr_array) -> tuple[Ints, Ints]:
    """The people and their own values with a mark."""
    people, values = (has * marks).nonzero()
    return people.astype(np.int64), values.astype(np.int64)


def _pair_victims(has: csr_array, support: Ints, k: int, but: int = -1) -> csr_array:
    """Values by values: for each pair that fewer than k people have, the rarer one as column."""
    from scipy.sparse import coo_array, csr_array

    together = coo_array(has.T @ has)
    one, other = together.coords
    few = (together.data > 0) & (together.data < k) & (one != other)
    few &= (one != but) & (other != but)
    # Of equally rare values, the one with the higher number is dropped.
    rarer = (support[other] < support[one]) | ((support[other] == support[one]) & (other > one))
    chosen = few & rarer
    ones = np.ones(int(chosen.sum()), np.int64)
    return csr_array((ones, (one[chosen], other[chosen])), shape=together.shape)
