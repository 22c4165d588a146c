"""Majority given known: the most common value among released records like the target."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Array, Rows
from quintain.guesses import AttributeQuestion, Guess, Question
from quintain.registry import register
from quintain.releases import Release


@register("majority-given-known-v1")
class MajorityGivenKnown(Attack):
    """Guesses the most common hidden value among released records that agree with the target.

    Records must agree in all known columns. Where fewer than ``support`` records do, the attack
    drops the column that says least about the hidden one, then the next, until enough agree; the
    last resort is the most common value of the whole release. A column says as much as its mutual
    information with the hidden column in the release, minus what chance gives to columns with many
    values (Miller and Madow). Columns without a finite domain are not compared. Of values that are
    equally common, the attack guesses the one that is more common in the whole release.

    Parameters
    ----------
    support : how many released records must agree with a target.

    References
    ----------
    Miller, Note on the bias of information estimates (1955).

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"sex": ["f", "f", "m", "m"], "ill": ["yes", "yes", "no", "no"]})
    >>> targets = pa.table({"sex": ["m", "f"]})
    >>> guess = q.attack("majority-given-known", release, targets=targets, secret="ill", seed=0)
    >>> [record["ill"] for record in guess.table.records()]
    ['no', 'yes']
    """

    answers: ClassVar[tuple[type[Question], ...]] = (AttributeQuestion,)

    support: Annotated[int, Field(ge=1)] = 1

    @classmethod
    def examples(cls) -> list[Self]:
        """A single record is enough, and a crowd."""
        return [cls(), cls(support=20)]

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Compare all known columns, then fewer and fewer."""
        question, table = knowledge.question_as(AttributeQuestion), as_table(release.data)
        known = question.records()
        values, hidden = np.unique(table.columns[question.secret.name], return_inverse=True)
        names = [column.name for column in known.schema.columns if column.discrete]
        names.sort(key=lambda name: -information(table.columns[name], hidden))
        guess = np.full(len(known), np.bincount(hidden).argmax())
        left = np.arange(len(known))
        for count in range(len(names), 0, -1):
            agreeing, best = majorities(known.take(left), table, names[:count], hidden)
            enough = agreeing >= self.support
            guess[left[enough]] = best[enough]
            left = left[~enough]
        return question.answer(values[guess])


def information(column: Array, hidden: Rows) -> float:
    """How many nats of information one column gives about another, beyond chance.

    A column that equals the hidden one gives its entropy, minus the correction.

    >>> halves = np.repeat([0, 1], 500)
    >>> round(information(halves, halves) + 1 / 2000, 4) == round(float(np.log(2)), 4)
    True
    """
    code = np.unique(column, return_inverse=True)[1]
    sizes = int(code.max()) + 1, int(hidden.max()) + 1
    nats = _entropy(code) + _entropy(hidden) - _entropy(code * sizes[1] + hidden)
    return nats - (sizes[0] - 1) * (sizes[1] - 1) / (2 * len(hidden))


def _entropy(codes: Rows) -> float:
    share = np.unique(codes, return_counts=True)[1] / len(codes)
    return float(-(share * np.log(share)).sum())


def majorities(known: Table, release: Table, names: list[str], hidden: Rows) -> tuple[Rows, Rows]:
    """Count the released records that agree with each target; find their most common hidden value.

    Where no record agrees, the value has no meaning.

    Parameters
    ----------
    names : the columns in which records must agree.
    hidden : the number of the hidden value of each released record.
    """
    both = known.select(names).concat(release.select(names))
    _, group = np.unique(both.row_keys(), return_inverse=True)
    target_group, release_group = group[: len(known)], group[len(known) :]
    size = int(hidden.max()) + 1
    pairs, times = np.unique(release_group * size + hidden, return_counts=True)
    owner, value = np.divmod(pairs, size)
    order = np.lexsort((-value, np.bincount(hidden)[value], times, owner))
    best = np.zeros(int(group.max()) + 1, np.int64)
    best[owner[order]] = value[order]  # the most common comes last
    agreeing = np.bincount(release_group, minlength=len(best))
    return agreeing[target_group], best[target_group]
