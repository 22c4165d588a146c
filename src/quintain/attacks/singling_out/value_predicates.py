"""Value predicates: single people out by one rare or extreme value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.codec import format_texts, missing_cells
from quintain.guesses import Condition, Guess, Predicate, Question, SinglingOutQuestion
from quintain.registry import register
from quintain.releases import Release


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
        rated = [
            (count, rng.random(), predicate)
            for name in released.schema.names
            for count, predicate in (*_extremes(released, name), *_values(released, name))
        ]
        best = [predicate for *_, predicate in sorted(rated, key=lambda one: one[:2])[:wanted]]
        others = question.random_predicates(wanted - len(best), rng=rng)
        return question.answer([*best, *others])


def _values(released: Table, name: str) -> Iterator[tuple[int, Predicate]]:
    """Every value of a column with the number of records that have it."""
    column, contents = released.schema[name], released.columns[name]
    known = contents[~missing_cells(column, contents)]
    values, counts = np.unique(known, return_counts=True)
    for text, count in zip(format_texts(column, values), counts.tolist(), strict=True):
        yield count, [Condition(name, text, text)]


def _extremes(released: Table, name: str) -> Iterator[tuple[int, Predicate]]:
    """The smallest and the largest number of a column with all beyond, and how many have it."""
    column, contents = released.schema[name], released.columns[name]
    known = contents[~missing_cells(column, contents)]
    if column.kind == "category" or not len(known):
        return
    ends = np.array([known.min(), known.max()])
    low, high = format_texts(column, ends)
    yield int((known == ends[0]).sum()), [Condition(name, "", low)]
    yield int((known == ends[1]).sum()), [Condition(name, high, "")]
