"""Goal: what an attacker is asked, and what counts as an answer.

A goal turns a sample and its release into a public :class:`Question` and a secret
:class:`Truth`; attackers answer with a :class:`Guess`. All three are tables, so that all three
are files anybody can read.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data import (
    Column,
    Data,
    Schema,
    Series,
    Table,
    as_table,
    to_pandas,
    to_polars,
)
from quintain.data.arrays import Rows
from quintain.data.schema import Shape
from quintain.errors import Faults, SubmissionError
from quintain.registry import Part
from quintain.releases import Release
from quintain.samples import Sample

TARGET = Column(name="target", kind="id", role="target")
"""Every file about targets names them in this column."""


@dataclass(frozen=True, slots=True, eq=False)
class Question(ABC):
    """What attackers are asked about one release."""

    table: Table

    @classmethod
    def about(cls) -> str:
        """What attackers are asked about, in words: for our own goals, the name of the goal.

        >>> from quintain.guesses.membership_set import MembershipSetQuestion
        >>> MembershipSetQuestion.about(), Question.about()
        ('membership-set', 'anything')
        """
        name = cls.__name__.removesuffix("Question")
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower() or "anything"

    @abstractmethod
    def blind(self, *, rng: np.random.Generator) -> Guess:
        """An answer that looks at nothing: the floor every attack is compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The secret answer."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """An attacker's answer."""

    table: Table

    def to_csv(self, path: PathLike[str] | str) -> None:
        """Write the file that a contest takes, with a header line."""
        self.table.to_csv(path)

    def to_pandas(self) -> Any:
        """The answer as a pandas data frame."""
        return to_pandas(self.table)

    def to_polars(self) -> Any:
        """The answer as a polars data frame."""
        return to_polars(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


class Goal(Part, ABC):
    """What attackers are after."""

    family: ClassVar[str] = "goal"
    shapes: ClassVar[tuple[Shape, ...]] = ("table",)
    """The kinds of data it can ask about."""
    asks: ClassVar[type[Question]]
    """The kind of question it asks."""

    @abstractmethod
    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """The question about a release, and its secret answer."""

    @abstractmethod
    def question_schema(self, data: Schema) -> Schema:
        """The columns of a question file, given the schema of the data."""

    @abstractmethod
    def truth_schema(self, data: Schema) -> Schema:
        """The columns of a truth file."""

    @abstractmethod
    def guess_schema(self, data: Schema) -> Schema:
        """The columns of a guess file."""

    @abstractmethod
    def question(self, table: Table, data: Schema) -> Question:
        """A question from its file, under the schema of the data it is about."""

    def wanted(self) -> str:
        """What attackers want to know, as the end of a sentence: "which targets were in"."""
        words = self.summary().removesuffix(".")
        return words[:1].lower() + words[1:]

    def question_behind(self, truth: Truth, data: Schema) -> Question | None:
        """As much of the question as its answer shows, to check a guess by; None if too little."""
        return self.question(truth.table, data)

    def truth(self, table: Table) -> Truth:
        """A truth from its file."""
        return Truth(table)

    def guess(self, table: Table) -> Guess:
        """A guess from its file."""
        return Guess(table)

    @abstractmethod
    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Note everything that keeps a guess from being a complete answer."""


def target_table(data: Data, rows: np.ndarray, target_of: np.ndarray, hidden: str = "") -> Table:
    """Target records as attackers see them: numbered, without ids and without what is hidden."""
    if isinstance(data, Series):
        shown = replace(data.take(rows), ids=target_of).to_rows()
        person = next(c.name for c in data.schema.columns if c.kind == "id")
        kept = shown.drop(person)
        columns = {"target": shown.columns[person], **kept.columns}
        return Table(Schema(columns=(TARGET, *kept.schema.columns)), columns)
    names = [c.name for c in data.schema.columns if c.kind != "id" and c.name != hidden]
    taken = as_table(data).take(rows).select(names)
    return Table(taken.schema.extended(TARGET), {"target": target_of, **taken.columns})


def check_targets(guess: Table, question: Table, faults: Faults) -> None:
    """Every target answered exactly once."""
    asked = np.unique(question.columns["target"].astype(np.str_))
    given = guess.columns["target"].astype(np.str_)
    unknown = np.flatnonzero(~np.isin(given, asked))
    note_rows(faults, unknown, "target", given, lambda _: "no such target was asked about")
    note_repeated(faults, "target", given, "answered before")
    missing = asked[~np.isin(asked, given)]
    if len(missing):
        some = ", ".join(missing[:5].tolist()) + (" ..." if len(missing) > 5 else "")
        faults.add(
            f"has {rows_said(len(given))}; expected {len(asked)}, one a target "
            f"({len(missing)} not answered: {some})"
        )


def answer_rows(truth: Table, guess: Table) -> Rows:
    """For every target of the truth the row of a guess that answers it; all must be answered."""
    names, given = (table.columns["target"].astype(np.str_) for table in (truth, guess))
    faults = Faults("guess", first_line=2)
    check_targets(guess, truth, faults)
    faults.raise_if_any(SubmissionError)
    rows: Rows = np.argsort(given)[np.searchsorted(np.sort(given), names)]
    return rows


def rows_said(n: int) -> str:
    """
    >>> rows_said(1), rows_said(20)
    ('1 row', '20 rows')
    """
    return "1 row" if n == 1 else f"{n} rows"


def note_repeated(faults: Faults, column: str, cells: npt.NDArray[Any], word: str) -> None:
    """Note every cell that says what an earlier cell of its column says."""
    _, first, inverse = np.unique(cells, return_index=True, return_inverse=True)
    before = first[inverse]
    again = np.flatnonzero(before != np.arange(len(cells)))
    note_rows(
        faults, again, column, cells, lambda row: f"{word}, on line {faults.line_of(before[row])}"
    )


def note_rows(
    faults: Faults,
    rows: npt.NDArray[np.int64],
    column: str,
    cells: npt.NDArray[Any],
    message: Callable[[int], str],
) -> None:
    """Note a fault of each of these rows: as many in words as are kept, the rest as a number."""
    listed = rows[: faults.room()]
    for row in listed.tolist():
        line = faults.line_of(row)
        faults.add(message(row), line=line, column=column, got=str(cells[row]))
    faults.count(len(rows) - len(listed))
