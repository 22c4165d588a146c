"""Majority given known: the most common value among released records like the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Array, Rows, number_values, occurrences
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
        """Compare the column that says most, then one more and one more, while enough agree."""
        values, hidden = np.unique(table.columns[question.secret.name], return_inverse=True)
        records = question.records()
        shown = table.select(records.schema.names)
        bins = QuantileBins.of(shown, _BINS)
        known, released = bins.encode(records), bins.encode(shown)
        names = list(known.schema.names)
        names.sort(key=lambda name: -information(released.columns[name], hidden))
        guess = majorities(
            [known.columns[name] for name in names],
            [released.columns[name] for name in names],
            hidden,
            self.support,
        )
        return values[guess]


def information(column: Array, hidden: Rows) -> float:
    """How many nats of information one column gives about another, beyond chance.

    A column that equals the hidden one gives its entropy, minus the correction.

    >>> halves = np.repeat([0, 1], 500)
    >>> round(information(halves, halves) + 1 / 2000, 4) == round(float(np.log(2)), 4)
    True
    """
    code, size = number_values(column), int(hidden.max()) + 1
    alone, beside, joint = (occurrences(codes) for codes in (code, hidden, code * size + hidden))
    nats = _entropy(alone) + _entropy(beside) - _entropy(joint)
    return nats - (len(alone) - 1) * (size - 1) / (2 * len(hidden))


def _entropy(counts: Rows) -> float:
    share = counts / counts.sum()
    return float(-(share * np.log(share)).sum())


def majorities(
    known: Sequence[Array], released: Sequence[Array], hidden: Rows, support: int
) -> Rows:
    """For each target the most common hidden value of the released records that agree with it.

    They must agree in as many of the first columns as leave at least ``support`` of them. Each
    column leaves fewer, so targets that have too few stay out, and so do the records that agree
    with none of the others.

    Parameters
    ----------
    known, released : the cells of targets and of released records, column by column.
    hidden : the number of the hidden value of each released record.
    """
    overall = np.bincount(hidden)
    best = np.full(len(known[0]) if known else 0, overall.argmax())
    target, record = np.arange(len(best)), np.arange(len(hidden))
    target_keys, record_keys = np.zeros(len(target), np.int64), np.zeros(len(record), np.int64)
    for cells, shown in zip(known, released, strict=True):
        codes = number_values(np.concatenate([cells[target], shown[record]]))
        keys = np.concatenate([target_keys, record_keys])
        groups = number_values(keys * (codes.max(initial=0) + 1) + codes)
        target_keys, record_keys = np.split(groups, [len(target)])
        agreeing = np.bincount(record_keys, minlength=int(groups.max(initial=0)) + 1)
        enough = agreeing[target_keys] >= support
        target, target_keys = target[enough], target_keys[enough]
        if not len(target):
            break
        wanted = np.zeros(len(agreeing), bool)
        wanted[target_keys] = True
        some = wanted[record_keys]
        record, record_keys = record[some], record_keys[some]
        best[target] = _most_common(record_keys, hidden[record], overall)[target_keys]
    return best


def _most_common(groups: Rows, hidden: Rows, overall: Rows) -> Rows:
    """The most common value in each group; of equals the more common one overall."""
    pairs, times = np.unique(groups * len(overall) + hidden, return_counts=True)
    owner, value = np.divmod(pairs, len(overall))
    order = np.lexsort((-value, overall[value], times, owner))
    best = np.zeros(int(groups.max()) + 1, np.int64)
    best[owner[order]] = value[order]  # the most common comes last
    return best
