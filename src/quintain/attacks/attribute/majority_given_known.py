"""Majority given known: the most common value among released records like the target."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Array, Codes, Rows
from quintain.guesses import AttributeQuestion, Guess, HiddenColumnsQuestion, Question
from quintain.kernels.value_classes import QuantileBins
from quintain.registry import register
from quintain.releases import Release

_BINS = 10  # two numbers in the same of so many bins agree


@register("majority-given-known-v1")
class MajorityGivenKnown(Attack):
    """Guesses the most common hidden value among released records that agree with the target.

    Records must agree in all known columns. Where fewer than ``support`` records do, the attack
    drops the column that says least about the hidden one, then the next, until enough agree; the
    last resort is the most common value of the whole release. A column says as much as its mutual
    information with the hidden column in the release, minus what chance gives to columns with many
    values (Miller and Madow). Numbers and times without a finite domain agree if they are in the
    same of ten bins that are equally common in the release. A missing value agrees with a missing
    value alone. Of values that are equally common, the attack guesses the one that is more common
    in the whole release.

    Parameters
    ----------
    support : how many released records must agree with a target.

    References
    ----------
    Miller, Note on the bias of information estimates (1955).

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"bmi": [20.5, 21.0, 30.5, 31.0], "ill": ["no", "no", "yes", "yes"]})
    >>> targets = pa.table({"bmi": [30.9, 20.6]})
    >>> guess = q.attack("majority-given-known", release, targets=targets, secret="ill", seed=0)
    >>> [record["ill"] for record in guess.table.records()]
    ['yes', 'no']
    """

    answers: ClassVar[tuple[type[Question], ...]] = (AttributeQuestion, HiddenColumnsQuestion)

    support: Annotated[int, Field(ge=1)] = 1

    @classmethod
    def examples(cls) -> list[Self]:
        """A single record is enough, and a crowd."""
        return [cls(), cls(support=20)]

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Guess each hidden column by itself."""
        question, table = knowledge.question, as_table(release.data)
        if isinstance(question, HiddenColumnsQuestion):
            guesses = {s.name: self._values(question.about_one(s), table) for s in question.secrets}
            return question.answer(guesses)
        question = knowledge.question_as(AttributeQuestion)
        return question.answer(self._values(question, table))

    def _values(self, question: AttributeQuestion, table: Table) -> Array:
        """Compare all known columns, then fewer and fewer."""
        values, hidden = np.unique(table.columns[question.secret.name], return_inverse=True)
        records = question.records()
        shown = table.select(records.schema.names)
        bins = QuantileBins.of(shown, _BINS)
        known, released = bins.encode(records), bins.encode(shown)
        names = list(known.schema.names)
        names.sort(key=lambda name: -information(released.columns[name], hidden))
        guess = np.full(len(question.table), np.bincount(hidden).argmax())
        left = np.arange(len(guess))
        for groups in reversed(prefix_groups(known, released, names)):
            target_group, release_group = groups[: len(guess)], groups[len(guess) :]
            agreeing, best = majorities(target_group[left], release_group, hidden)
            enough = agreeing >= self.support
            guess[left[enough]] = best[enough]
            left = left[~enough]
            if not len(left):
                break
        return values[guess]


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


def prefix_groups(known: Table, release: Table, names: list[str]) -> list[Codes]:
    """For the first column, the first two, and so on: a number for each target and record.

    The numbers of two rows are equal if they agree in all these columns; targets come first.
    """
    groups = []
    keys = np.zeros(len(known) + len(release), np.int64)
    for name in names:
        column = np.concatenate([known.columns[name], release.columns[name]])
        _, codes = np.unique(column, return_inverse=True)
        _, keys = np.unique(keys * (codes.max(initial=0) + 1) + codes, return_inverse=True)
        groups.append(keys.astype(np.int32))
    return groups


def majorities(target_group: Codes, release_group: Codes, hidden: Rows) -> tuple[Rows, Rows]:
    """Count the released records that agree with each target; find their most common hidden value.

    Where no record agrees, the value has no meaning.

    Parameters
    ----------
    target_group, release_group : numbers that are equal if a target and a record agree.
    hidden : the number of the hidden value of each released record.
    """
    size = int(hidden.max()) + 1
    pairs, times = np.unique(release_group.astype(np.int64) * size + hidden, return_counts=True)
    owner, value = np.divmod(pairs, size)
    order = np.lexsort((-value, np.bincount(hidden)[value], times, owner))
    last = max(target_group.max(initial=0), release_group.max(initial=0))
    best = np.zeros(int(last) + 1, np.int64)
    best[owner[order]] = value[order]  # the most common comes last
    agreeing = np.bincount(release_group, minlength=len(best))
    return agreeing[target_group], best[target_group]
