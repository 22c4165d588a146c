"""Linkage: under which pseudonym does each person appear, month by month?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Column, Data, Schema, Table, Transactions, shape_of
from quintain.data.transactions import PERSON_ROLES
from quintain.errors import Faults, PartError
from quintain.guesses.goal import Goal, Guess, Question, Truth
from quintain.kernels.purchases import Purchases, months_of
from quintain.registry import register
from quintain.releases import Release
from quintain.releases.pseudonyms import pseudonym_table
from quintain.samples import Sample
from quintain.wording.languages import say, tell, tell_count

SEPARATOR = ":"
"""Separates several guesses in one cell; the most certain one comes first."""

Names = npt.NDArray[np.str_]


@dataclass(frozen=True, slots=True, eq=False)
class LinkageQuestion(Question):
    """The persons and months to find pseudonyms for, and how files write that there is none."""

    months: tuple[str, ...]
    absent: str = ""

    def persons(self) -> Names:
        """The names of the persons, in the order of the question."""
        return self.table.columns[self.table.schema.names[0]].astype(np.str_)

    def answer(self, cells: npt.ArrayLike) -> Guess:
        """Make a guess from pseudonyms, persons x months, in the order of :meth:`persons`."""
        given = np.asarray(cells, np.str_)
        person = self.table.schema.columns[0]
        columns = {person.name: self.persons()}
        columns |= {month: given[:, j] for j, month in enumerate(self.months)}
        return Guess(Table(_wide(person, self.months, self.absent), columns))

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Leave every cell empty: without the release nobody knows a pseudonym."""
        return self.answer(np.full((len(self.table), len(self.months)), ""))


@register("linkage-v1")
class Linkage(Goal):
    """For each person and month, the pseudonym under which the person appears in the release.

    Parameters
    ----------
    first : the first month, as 2010-12.
    months : how many months there are.
    absent : how files write that a person has no pseudonym in a month; an empty cell by default.
    guesses : how many pseudonyms a cell may contain, separated by ":".

    References
    ----------
    DARC 2019, rules 9 to 13.

    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> goal = q.part("goal/linkage", first="2011-01", months=2)
    >>> question, truth = goal.ask(*experiment("transactions"))
    >>> question.table.records()[3], question.months
    ({'customer': '3'}, ('2011-01', '2011-02'))
    >>> truth.table.records()[3]
    {'customer': '3', '2011-01': '3-2011-01', '2011-02': '3-2011-02'}
    """

    asks: ClassVar[type[Question]] = LinkageQuestion
    shapes: ClassVar[tuple[str, ...]] = ("transactions",)

    first: Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")]
    months: Annotated[int, Field(ge=1, le=1200)]
    guesses: Annotated[int, Field(ge=1, le=1000)] = 1
    absent: str = ""

    @classmethod
    def examples(cls) -> list[Self]:
        """The months of the example purchases."""
        return [cls(first="2011-01", months=12)]

    @classmethod
    def of_all_months(cls, data: Transactions) -> Self:
        """The goal to name the pseudonyms of all people in all months of the data."""
        months = months_of(Purchases.of(data).day)
        first = np.datetime64(int(months.min()), "M")
        return cls(first=str(first), months=int(months.max() - months.min()) + 1)

    @property
    def labels(self) -> tuple[str, ...]:
        """The months as files write them."""
        first = np.datetime64(self.first, "M")
        return tuple(str(first + np.timedelta64(i, "M")) for i in range(self.months))

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """The order of all persons' pseudonyms, for every month."""
        persons = shape_of(sample.private).count_persons(sample.private)
        return self.months * math.lgamma(persons + 1) / math.log(2)

    def wish(self) -> str:
        """Describe the answer: one pseudonym per person and month."""
        return say("under which pseudonym each person appears in each month")

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Ask for all persons; read their pseudonyms off the rows of the release."""
        private, released = self.see(sample.private), self.see(release.data)
        known = pseudonym_table(Purchases.of(private), Purchases.of(released))
        start = int(np.datetime64(self.first, "M").astype(np.int64)) - known.first_month
        names = np.append(known.pseudonyms.astype(np.str_), "")  # cell -1 is the last
        cells = np.full((len(known.persons), self.months), "", names.dtype)
        for month in range(self.months):
            if 0 <= month + start < known.months:
                cells[:, month] = names[known.cells[:, month + start]]
        person = _person(sample.private.schema)
        columns = {person.name: known.persons.astype(np.str_)}
        persons = Table(Schema(columns=(person,)), columns)
        columns |= {label: cells[:, j] for j, label in enumerate(self.labels)}
        truth = Table(_wide(person, self.labels, self.absent), columns)
        return LinkageQuestion(persons, self.labels, self.absent), Truth(truth)

    def question_about(self, population: Data) -> Question:
        """Ask for all persons of the original."""
        shop: Transactions = self.see(population)
        person = _person(shop.schema)
        names = {person.name: shop.persons().astype(np.str_)}
        table = Table(Schema(columns=(person,)), names)
        return LinkageQuestion(table, self.labels, self.absent)

    def question_schema(self, data: Schema) -> Schema:
        """One column with the persons to find."""
        return Schema(columns=(_person(data),))

    def truth_schema(self, data: Schema) -> Schema:
        """A person, and one pseudonym per month."""
        return _wide(_person(data), self.labels, self.absent)

    def guess_schema(self, data: Schema) -> Schema:
        """A person, and one pseudonym, several or none per month."""
        return _wide(_person(data), self.labels, self.absent)

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return LinkageQuestion(table, self.labels, self.absent)

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that each person has one line, and each cell no more pseudonyms than allowed."""
        assert isinstance(question, LinkageQuestion)
        name = question.table.schema.names[0]
        persons, given = question.persons(), guess.table.columns[name].astype(np.str_)
        where = {person: row for row, person in reversed(list(enumerate(given.tolist())))}
        known = set(persons.tolist())
        for row, person in enumerate(given.tolist()):
            if person not in known:
                message = tell("the original has no such person")
            elif where[person] != row:
                message = tell(
                    "answered before, on line %(line)s", line=faults.line_of(where[person])
                )
            else:
                continue
            faults.add(message, line=faults.line_of(row), column=name, got=person)
        missing = [person for person in persons.tolist() if person not in where]
        if missing:
            names = ", ".join(missing[:5])
            faults.add(
                tell_count(
                    "%(n)s of %(all)s persons is missing: %(names)s",
                    "%(n)s of %(all)s persons are missing: %(names)s",
                    len(missing),
                    all=len(persons),
                    names=names,
                )
            )
        self._check_cells(guess.table.columns, faults)

    def _check_cells(self, columns: Mapping[str, npt.NDArray[np.generic]], faults: Faults) -> None:
        limit = tell_count(
            "the limit is %(n)s pseudonym per cell",
            "the limit is %(n)s pseudonyms per cell",
            self.guesses,
        )
        for label in self.labels:
            cells = columns[label].astype(np.str_)
            for row in np.flatnonzero(np.char.count(cells, SEPARATOR) >= self.guesses).tolist():
                faults.add(
                    limit,
                    line=faults.line_of(row),
                    column=label,
                    got=str(cells[row]),
                )


def _person(data: Schema) -> Column:
    person = next((c for c in data.columns if c.role in PERSON_ROLES), None)
    if person is None:
        roles = " or ".join(PERSON_ROLES)
        raise PartError(f"linkage needs a column that names persons: give it the role {roles}")
    return person.model_copy(update={"nullable": False, "missing": ""})


def _wide(person: Column, months: tuple[str, ...], absent: str) -> Schema:
    cells = (
        Column(name=month, kind="id", nullable=True, missing=absent, aliases=(str(number),))
        for number, month in enumerate(months)
    )
    return Schema(columns=(person, *cells))
