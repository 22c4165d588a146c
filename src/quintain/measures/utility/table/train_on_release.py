"""Train on release: do models that learned from the release work for new people?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Table, as_table
from quintain.data.arrays import Codes, Mask
from quintain.kernels.linear_classifiers import OneHot, RidgeClassifiers
from quintain.kernels.value_classes import ValueClasses
from quintain.measures.intervals import mean_of_records, paired_difference
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@dataclass(frozen=True, slots=True, eq=False)
class LabelResult:
    """How well one column can be predicted from the others.

    Parameters
    ----------
    label : the column.
    from_original, from_release : for each test record, whether the model that learned from the
        original, or from the release, was right.
    most_common : how often the most common class of the original is right.
    """

    label: str
    from_original: Mask
    from_release: Mask
    most_common: float

    def loss(self) -> Reading:
        """The accuracy with the release less the accuracy with the original."""
        gained = int((self.from_release & ~self.from_original).sum())
        lost = int((self.from_original & ~self.from_release).sum())
        return paired_difference(gained, lost, len(self.from_original), "higher")


@register("train-on-release-v1")
class TrainOnRelease(ReleaseMeasure):
    r"""How much less often models are right that learned from the release, for new people.

    For each column, one model learns from the release and one from the original to predict it from
    all other columns; both learn from equally many records. Both then predict it for the same test
    records, which neither has seen.

    $$ mean_{columns} (accuracy_{release} - accuracy_{original}) $$

    0 means that the release is as good as the original; higher is better. Numbers and times are
    predicted in ``answers`` classes that are about equally common in the original, and categories
    in at most ten. The models are linear in indicators of the classes of the other columns, with a
    penalty of 1 (ridge regression). The interval is over the test records, for the models learned.

    Parameters
    ----------
    labels : the columns to predict; by default all.
    records : how many records a model learns from at most.
    answers : into how many classes a number is cut before it is predicted.
    classes : into how many classes a column is put at most to predict others from it.

    References
    ----------
    Esteban, Hyland and Rätsch, Real-valued (medical) time series generation with recurrent
    conditional GANs (2017): train on synthetic, test on real.

    Examples
    --------
    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> original, fresh, test = (people(example_table(rows=500, seed=s)) for s in (0, 1, 2))
    >>> print(q.measure("train-on-release", original, fresh, test=test)["train_on_release"])
    0.006 [-0.01352, 0.02552]
    """

    about: ClassVar[About] = "utility"
    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {"train_on_release": "higher"}

    labels: tuple[str, ...] = ()
    records: Annotated[int, Field(ge=2)] = 10_000
    answers: Annotated[int, Field(ge=2, le=10)] = 4
    classes: Annotated[int, Field(ge=2, le=100)] = 20

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Average the losses of all labels."""
        if test is None or len(test) < 2:
            note = "there are no test records"
            return {"train_on_release": Reading.missing("higher", note)}
        if min(len(original), len(release)) < 2:
            note = "a table has fewer than 2 records"
            return {"train_on_release": Reading.missing("higher", note)}
        tables = (as_table(original), as_table(release), as_table(test))
        results = list(self.results(*tables, rng=rng))
        if not results:
            note = "no column has two values and others to predict it from"
            return {"train_on_release": Reading.missing("higher", note)}
        gains = [r.from_release.astype(np.float64) - r.from_original for r in results]
        reading = mean_of_records(
            np.mean(gains, axis=0), "higher", self.within, "normal, over test records"
        )
        return {"train_on_release": reading}

    def results(
        self, original: Table, release: Table, test: Table, *, rng: np.random.Generator
    ) -> Iterator[LabelResult]:
        """The result for each label, in the order of the columns."""
        names = [c.name for c in original.schema.attributes]
        if len(names) < 2:
            return
        size = min(len(original), len(release), self.records)
        first, second = (_drawn(t, size, rng=rng) for t in (original, release))
        classes = [ValueClasses.of(original, name, self.classes) for name in names]
        hots = [_one_hot(classes, table) for table in (first, second, test)]
        models = [RidgeClassifiers.learn(hot) for hot in hots[:2]]
        for place, name in enumerate(names):
            answers = _answers(original, name, self.answers)
            if (self.labels and name not in self.labels) or answers.size < 2:
                continue
            truth = answers.encode(test)
            right = [
                model.predict(hots[2], place, answers.encode(table), answers.size) == truth
                for model, table in zip(models, (first, second), strict=True)
            ]
            common = int(answers.counts(original).argmax())
            yield LabelResult(name, right[0], right[1], float((truth == common).mean()))


def _answers(table: Table, name: str, count: int) -> ValueClasses:
    return ValueClasses.of(table, name, 10 if table.schema[name].listed else count)


def _one_hot(classes: list[ValueClasses], table: Table) -> OneHot:
    codes: Codes = np.stack([column.encode(table) for column in classes])
    return OneHot.of(codes, [column.size for column in classes])


def _drawn(table: Table, size: int, *, rng: np.random.Generator) -> Table:
    return table.take(table.order()[rng.choice(len(table), size, replace=False)])
