"""Singling people out: by the values of released records, or by one rare or extreme value."""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Column, Table, as_table
from quintain.data.arrays import Array, Rows, number_values
from quintain.data.codec import format_texts, missing_cells
from quintain.guesses import Condition, Guess, Predicate, Question, SinglingOutQuestion
from quintain.registry import register
from quintain.releases import Release

_TRIES = 20  # choices of columns per predicate, until one is unique in the release


@register("row-predicates-v1")
class RowPredicates(Attack):
    """Describes released records by some or all of their values, if nobody else shares them.

    Each predicate takes a random released record and a random choice of columns, until no other
    released record has the same values there. All columns describe a person best if the release
    has true records; fewer columns may still fit the person if some values are changed.

    Parameters
    ----------
    columns : how many columns a predicate is about; all columns if not given.

    References
    ----------
    Cohen and Nissim, Towards formalizing the GDPR's notion of singling out, PNAS 117 (2020).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("singling-out", predicates=3))
    >>> attack = q.part("row-predicates", columns=2)
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> len(guess.table)  # three predicates with two conditions each
    6
    """

    answers: ClassVar[tuple[type[Question], ...]] = (SinglingOutQuestion,)

    columns: Annotated[int, Field(ge=1)] | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """All columns, and two of them."""
        return [cls(), cls(columns=2)]

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Describe random records, each at most once as long as there are enough."""
        question, released = knowledge.question_as(SinglingOutQuestion), as_table(release.data)
        names = released.schema.names
        size = len(names) if self.columns is None else min(self.columns, len(names))
        groups = [number_values(released.columns[n]) for n in names]
        rows = np.resize(rng.permutation(len(released)), question.predicates)
        texts = {name: _texts(released, name, rows) for name in names}
        predicates: list[Predicate] = []
        for number, row in enumerate(rows.tolist()):
            for _ in range(1 if size == len(names) else _TRIES):
                chosen = np.sort(rng.choice(len(names), size, replace=False))
                if _alone(row, [groups[place] for place in chosen.tolist()]):
                    break
            cells = [(names[place], texts[names[place]][number]) for place in chosen.tolist()]
            predicates.append([Condition(name, text, text) for name, text in cells])
        return question.answer(predicates)


@register("value-predicates-v1")
class ValuePredicates(Attack):
    """Names values that appear once in the release, and what lies at or beyond the extremes.

    Each predicate is about one column. If there are not enough such values, the attack fills up
    with values that appear twice, then three times, and so on; if all values of the release are
    named, with random predicates.

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("singling-out", predicates=3))
    >>> attack = q.part("value-predicates")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> guess.table.records()[0]
    {'predicate': 0, 'column': 'size', 'from': '9', 'to': None}
    """

    answers: ClassVar[tuple[type[Question], ...]] = (SinglingOutQuestion,)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Collect the extremes and the values of all columns, the rarest first."""
        question, released = knowledge.question_as(SinglingOutQuestion), as_table(release.data)
        wanted = question.predicates
        values = [_RatedValues.of(released, name) for name in released.schema.names]
        counts = np.concatenate([rated.counts for rated in values])
        column = np.repeat(np.arange(len(values)), [len(rated.counts) for rated in values])
        place = np.concatenate([np.arange(len(rated.counts)) for rated in values])
        best = [
            values[column[at]].predicate(place[at])
            for at in np.lexsort((rng.random(len(counts)), counts))[:wanted].tolist()
        ]
        others = question.random_predicates(wanted - len(best), rng=rng)
        return question.answer([*best, *others])


def _alone(row: int, groups: list[Rows]) -> bool:
    """Whether no other record has the values of this record in some columns."""
    first, *others = groups
    same = np.flatnonzero(first == first[row])
    for group in others:
        if len(same) == 1:
            break
        same = same[group[same] == group[row]]
    return len(same) == 1


def _texts(released: Table, name: str, rows: Rows) -> list[str]:
    """The values of some records in one column, as predicates write them."""
    column = released.schema[name]
    texts = format_texts(column, released.columns[name][rows])
    return ["" if text == column.missing and column.nullable else text for text in texts]


class _RatedValues(NamedTuple):
    """The values of a column, and how many records each predicate about one of them meets.

    The first two predicates are about the smallest and the largest number with all beyond, if the
    values have an order; the others are about one value each.
    """

    column: Column
    values: Array
    counts: Rows
    ends: int

    @classmethod
    def of(cls, released: Table, name: str) -> _RatedValues:
        column, contents = released.schema[name], released.columns[name]
        known = contents[~missing_cells(column, contents)]
        values, counts = np.unique(known, return_counts=True)
        ends = [] if column.listed or not len(values) else [counts[0], counts[-1]]
        return cls(column, values, np.array([*ends, *counts], np.int64), len(ends))

    def predicate(self, place: int) -> Predicate:
        """One of the predicates. Few are wanted, so values are written as texts only here."""
        if place < self.ends:
            smallest, largest = format_texts(self.column, self.values[[0, -1]])
            ends = [("", smallest), (largest, "")]
            return [Condition(self.column.name, *ends[place])]
        (text,) = format_texts(self.column, self.values[[place - self.ends]])
        return [Condition(self.column.name, text, text)]
