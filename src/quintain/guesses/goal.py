"""Goal: the question for attackers, and what counts as an answer.

A goal turns a sample and its release into a public :class:`Question` and a secret
:class:`Truth`; attackers answer with a :class:`Guess`. All three are tables, so that everyone
can read them as files.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from quintain.data import (
    Column,
    Data,
    Schema,
    Table,
    shape_of,
    to_pandas,
    to_polars,
)
from quintain.data.arrays import Codes, Rows, distinct
from quintain.data.data_part import DataPart
from quintain.data.kinds import is_data
from quintain.data.plain import plain_view
from quintain.errors import Faults, KnowledgeError, PartError, SubmissionError
from quintain.releases import Publication, Release
from quintain.samples import Sample
from quintain.wording.languages import Told, say_words, tell, tell_count

TARGET = Column(name="target", kind="id", role="target")
"""The column that names the targets in every file about them."""


@dataclass(frozen=True, slots=True, eq=False)
class Question(ABC):
    """The question for attackers about one release."""

    table: Table

    @classmethod
    def about(cls) -> str:
        """Name the subject of the question: for built-in goals, the name of the goal.

        >>> from quintain.guesses.membership_set import MembershipSetQuestion
        >>> MembershipSetQuestion.about(), Question.about()
        ('membership-set', 'anything')
        """
        name = cls.__name__.removesuffix("Question")
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower() or "anything"

    def candidates(self) -> Table:
        """The records about which an attacker would ask a model, to answer this question."""
        raise KnowledgeError(f"nobody can ask a model about {self.about()}")

    def plain(self) -> Self:
        """The same question with plain columns alone, as attacks see it."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{k: plain_view(data) for k, data in held.items() if is_data(data)})

    @abstractmethod
    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Answer without looking at the release, as a baseline for every attack."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The secret answer to a question, which only the organisers know."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """The answer of an attacker to a question."""

    table: Table

    def to_csv(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write the file to submit to a contest; one that is there stays, unless ``replace``."""
        self.table.to_csv(path, replace=replace)

    def to_pandas(self) -> Any:
        """Convert the answer to a pandas data frame."""
        return to_pandas(self.table)

    def to_polars(self) -> Any:
        """Convert the answer to a polars data frame."""
        return to_polars(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


class Goal(DataPart, ABC):
    """What attackers want to find out from a release."""

    family: ClassVar[str] = "goal"
    asks: ClassVar[type[Question]]
    """The kind of question that the goal asks."""
    by_target: ClassVar[bool] = False
    """Whether truth and guess have one row per target, so that both can be cut to some targets."""
    asks_apart: ClassVar[bool] = True
    """Whether the lines about some targets are a whole question about them."""
    in_population: ClassVar[bool] = False
    """Whether the records of the population have the answer, so that attackers can look it up."""
    needs_origins: ClassVar[bool] = False
    """Whether the answer depends on which private record each published record was made from."""

    asks_nothing: ClassVar[bool] = False
    """Whether nobody attacks: there are no guesses, and nothing reads them."""

    @abstractmethod
    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Make the question about a release, and its secret answer."""

    def ask_published(
        self,
        sample: Sample,
        release: Release,
        published: Publication,
        *,
        rng: np.random.Generator,
    ) -> tuple[Question, Truth]:
        """Make the question about a release that is being published, and its secret answer.

        By default this is :meth:`ask`: only some goals ask about published rows or need a draw.

        Parameters
        ----------
        release : the release before its order was hidden.
        published : the records that attackers get, with their origins.
        """
        return self.ask(sample, release)

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
        """Rebuild a question from its file, with the schema of the data."""

    def question_about(self, population: Data) -> Question | None:
        """The question that needs no more than the population; None for goals that need targets."""
        return None

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """How many bits the answer hides before anything is released; by default, who is a member.

        Parameters
        ----------
        half : whether everybody knows that exactly half of the targets are members.
        """
        targets = len(sample.members)
        return log2_choose(targets, targets // 2) if half else float(targets)

    def wish(self) -> str:
        """What attackers want to know, as the end of a sentence, such as "which targets ..."."""
        words = say_words(self.summary()).rstrip(".。")
        return words[:1].lower() + words[1:]

    def question_behind(self, truth: Truth, data: Schema) -> Question | None:
        """Rebuild from the truth what is needed to check a guess; None if that is impossible."""
        return self.question(truth.table, data)

    def truth(self, table: Table) -> Truth:
        """Rebuild the truth from its file."""
        return Truth(table)

    def guess(self, table: Table) -> Guess:
        """Rebuild a guess from its file."""
        return Guess(table)

    @abstractmethod
    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Note every fault that keeps a guess from being a complete answer."""


def target_table(data: Data, rows: np.ndarray, target_of: np.ndarray, hidden: str = "") -> Table:
    """Show target records as attackers see them: numbered, without ids and the hidden column."""
    records, owner = shape_of(data).show(data, rows, hidden)
    numbers = np.asarray(target_of)[owner]
    return Table(records.schema.extended(TARGET), {"target": numbers, **records.columns})


def published_places(part: str, sample: Sample, published: Publication) -> Rows:
    """For each record of the population the place of its published record, or -1."""
    if published.origins is None or sample.private_rows is None:
        missing = "sanitizer" if published.origins is None else "sample design"
        raise PartError(f"{part}: the {missing} does not tell which record is whose")
    place = np.full(len(sample.population), -1)
    true = np.flatnonzero(published.origins >= 0)
    place[sample.private_rows[published.origins[true]]] = true
    return place


def check_targets(guess: Table, question: Table, faults: Faults) -> None:
    """Note targets that are unknown, missing or answered more than once."""
    targets = distinct(question.columns["target"].astype(np.str_))
    given = guess.columns["target"].astype(np.str_)
    unknown = np.flatnonzero(~np.isin(given, targets))
    note_rows(faults, unknown, "target", given, lambda _: tell("no such target was asked about"))
    note_repeated(faults, "target", given, tell("answered before"))
    missing = targets[~np.isin(targets, given)]
    if len(missing):
        names = ", ".join(missing[:5].tolist()) + (" ..." if len(missing) > 5 else "")
        faults.add(
            tell(
                "has %(rows)s; expected %(expected)s, one per target (%(missing)s not "
                "answered: %(names)s)",
                rows=rows_in_words(len(given)),
                expected=len(targets),
                missing=len(missing),
                names=names,
            )
        )


def answer_rows(truth: Table, guess: Table) -> Rows:
    """Find the row of a guess that answers each target of the truth; none may be missing."""
    names, given = (table.columns["target"].astype(np.str_) for table in (truth, guess))
    if np.array_equal(names, given) and (names[1:] > names[:-1]).all():
        return np.arange(len(names))  # the usual case in large tables: sorted on both sides
    faults = Faults("guess", first_line=2)
    check_targets(guess, truth, faults)
    faults.raise_if_any(SubmissionError)
    rows: Rows = np.argsort(given)[np.searchsorted(np.sort(given), names)]
    return rows


def log2_choose(n: int, k: int) -> float:
    """The bits that say which k of n were chosen.

    >>> log2_choose(4, 2) == math.log2(6)
    True
    """
    return math.log2(math.comb(n, k))


def entropy_bits(codes: Codes) -> float:
    """How many bits a value of a column hides on average from somebody who knows the shares.

    >>> entropy_bits(np.array([0, 1, 0, 1], np.int32))
    1.0
    """
    share = np.unique(codes, return_counts=True)[1] / len(codes)
    return float(-(share * np.log2(share)).sum())


def rows_in_words(n: int) -> Told:
    """Write a number of rows, with the right form of the noun.

    >>> rows_in_words(1), rows_in_words(20)
    ('1 row', '20 rows')
    """
    return tell_count("%(n)s row", "%(n)s rows", n)


def note_repeated(faults: Faults, column: str, cells: npt.NDArray[Any], word: str) -> None:
    """Note every cell that repeats an earlier cell of its column."""
    _, first, inverse = np.unique(cells, return_index=True, return_inverse=True)
    before = first[inverse]
    again = np.flatnonzero(before != np.arange(len(cells)))
    note_rows(
        faults,
        again,
        column,
        cells,
        lambda row: tell("%(word)s, on line %(line)s", word=word, line=faults.line_of(before[row])),
    )


def note_rows(
    faults: Faults,
    rows: npt.NDArray[np.int64],
    column: str,
    cells: npt.NDArray[Any],
    message: Callable[[int], str],
) -> None:
    """Note one fault per row: up to the limit in words, the rest as a number."""
    listed = rows[: faults.room()]
    for row in listed.tolist():
        line = faults.line_of(row)
        faults.add(message(row), line=line, column=column, got=str(cells[row]))
    faults.count(len(rows) - len(listed))


def known_columns(
    part: str, schema: Schema, names: tuple[str, ...] | None, hidden: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The named columns, or all attributes that are not hidden; refuse what is not there.

    >>> from quintain.testing.examples import TABLE
    >>> known_columns("goal", TABLE, None, hidden=("size",))
    ('colour', 'flag')
    >>> known_columns("goal", TABLE, ("home",))
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: goal: attackers cannot know 'home'; available: colour, size, flag
    """
    attributes = [column.name for column in schema.attributes if column.name not in hidden]
    if names is None:
        if not attributes:
            raise PartError(f"{part}: no column is left that attackers can know")
        return tuple(attributes)
    for name in names:
        if name not in attributes:
            available = ", ".join(attributes)
            raise PartError(f"{part}: attackers cannot know {name!r}; available: {available}")
    return names
