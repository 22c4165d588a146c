"""Utility panel: measures of how useful a release still is, beside what a fresh sample reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quintain.audits.results import ColumnShape, NotComputed, UtilityFinding
from quintain.data import Data, Table
from quintain.data.arrays import Floats
from quintain.errors import MissingExtra, PartError, QuintainError
from quintain.kernels.value_classes import ValueClasses
from quintain.measures import Reading, Readings, ReleaseMeasure, reading_rng
from quintain.measures.utility.table.association import Association
from quintain.measures.utility.table.covariance import Correlation
from quintain.measures.utility.table.marginals import Histogram, KWayMarginals
from quintain.measures.utility.table.propensity import Propensity
from quintain.measures.utility.table.train_on_release import LabelResult, TrainOnRelease

# Shapes: how the columns are distributed in the original and in the release.


MOST_COLUMNS, MOST_CLASSES = 12, 12
FEWEST_PEOPLE = 10
"""A report names no value that fewer people of the original have: it could tell who they are."""


def column_shapes(original: Table, release: Table) -> tuple[ColumnShape, ...]:
    """The columns in which a release differs most from the original, the worst first.

    Numbers and times are shown in bins. Of many categories the most common are shown, and the
    others as one. No value is named that fewer than ten people of the original have. Equally
    different columns keep their order.

    >>> from quintain.testing import example_table, people
    >>> original = people(example_table(rows=100))
    >>> release = original.replace({"flag": [0] * 100})
    >>> worst = column_shapes(original, release)[0]
    >>> worst.column, worst.labels, worst.release
    ('flag', ('no', 'yes'), (1.0, 0.0))
    """
    shapes = [_shape(original, release, c.name) for c in original.schema.attributes]
    return tuple(sorted(shapes, key=lambda shape: -shape.distance)[:MOST_COLUMNS])


def _shape(original: Table, release: Table, name: str) -> ColumnShape:
    classes = ValueClasses.of(original, name, MOST_CLASSES, fewest=FEWEST_PEOPLE)
    shares = _shares(classes, original, release)
    whole = _shares(ValueClasses.of(original, name, MOST_CLASSES), original, release)
    return ColumnShape(
        column=name,
        labels=classes.labels,
        original=tuple(shares[0].tolist()),
        release=tuple(shares[1].tolist()),
        distance=float(abs(whole[0] - whole[1]).sum() / 2),
    )


def _shares(classes: ValueClasses, *tables: Table) -> list[Floats]:
    """The share of records in each class, table by table."""
    return [classes.counts(table) / max(len(table), 1) for table in tables]


# Training: do models that learned from the release work for new people, column by column?


MOST_LABELS = 15
"""For how many columns models are trained; in wide tables more would take minutes."""
_FEWEST = 20


def training_findings(
    original: Table, release: Table, control: Table | None, *, rng: np.random.Generator
) -> tuple[list[UtilityFinding], list[NotComputed]]:
    """Train on the release, test on real people; half of the control is the test.

    The other half trains the models of the reference. Without a control, half of the original is
    the test.
    """
    names = [c.name for c in original.schema.attributes]
    measure = TrainOnRelease(labels=tuple(names[:MOST_LABELS]))
    if min(len(original), len(release), len(original if control is None else control)) < _FEWEST:
        return [], [_left_out(measure, f"a table has fewer than {_FEWEST} records")]
    people, test, fresh = _parts(original, control, rng=rng)
    seed = int(rng.integers(2**63))  # the models of the original are the same both times
    readings, reference = (
        [] if table is None else list(_results(measure, people, table, test, seed))
        for table in (release, fresh)
    )
    by_label = {result.label: result for result in reference}
    findings = [_finding(measure, r, by_label.get(r.label), control is None) for r in readings]
    reason = f"to save time, models predict the first {MOST_LABELS} of {len(names)} columns"
    return findings, [_left_out(measure, reason)] if len(names) > MOST_LABELS else []


def _parts(
    original: Table, control: Table | None, *, rng: np.random.Generator
) -> tuple[Table, Table, Table | None]:
    """Who trains the models of the original, who is the test, and who trains the reference."""
    split = original if control is None else control
    order = rng.permutation(len(split))
    first, second = (split.take(np.sort(half)) for half in np.array_split(order, 2))
    if control is None:
        return first, second, None
    size = len(first)
    people = original.take(np.sort(rng.choice(len(original), min(size, len(original)), False)))
    return people, second, first


def _results(
    measure: TrainOnRelease, original: Table, table: Table, test: Table, seed: int
) -> Iterator[LabelResult]:
    size = min(len(original), len(table))
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(len(table), size, replace=False))
    return measure.results(original, table.take(chosen), test, rng=rng)


def _finding(
    measure: TrainOnRelease, result: LabelResult, fresh: LabelResult | None, tests_original: bool
) -> UtilityFinding:
    whom = "people of the original" if tests_original else "new people"
    shares = {
        "Models trained on the release": result.from_release.mean(),
        "trained on the original": result.from_original.mean(),
        **({"trained on a fresh sample": fresh.from_release.mean()} if fresh else {}),
        "the most common answer": result.most_common,
    }
    (who, first), *others = shares.items()
    rest = ", ".join(f"{name} {share:.1%}" for name, share in others)
    reference: Reading | None = fresh.loss() if fresh else None
    return UtilityFinding(
        measure=measure.name(),
        name="train_on_release",
        says=f"{who} predict {result.label} of {whom} correctly in {first:.1%} of cases; {rest}.",
        reading=result.loss(),
        reference=reference,
        columns=(result.label,),
    )


def _left_out(measure: TrainOnRelease, reason: str) -> NotComputed:
    return NotComputed(what=measure.name(), reason=reason)


@dataclass(frozen=True, slots=True)
class UtilityResult:
    """How useful a release still is.

    Parameters
    ----------
    findings : one per reading.
    shapes : the columns in which the release differs most, the worst first.
    not_computed : the measures that were left out, and why.
    """

    findings: tuple[UtilityFinding, ...] = ()
    shapes: tuple[ColumnShape, ...] = ()
    not_computed: tuple[NotComputed, ...] = ()


def measure_utility(
    original: Table, release: Table, control: Table | None, *, rng: np.random.Generator
) -> UtilityResult:
    """Measure how useful a release still is, and show where it differs most.

    Parameters
    ----------
    original, release : the private records and the released ones, with the same schema.
    control : people of the same population who are not in the original. What the measures read for
        them is the reference: no release of use to the population can be expected to read better.
    """
    findings, left_out = training_findings(original, release, control, rng=rng)
    for measure in _measures():
        try:
            measure.require(original.schema)
            readings, reference = _measure_both(measure, original, release, control, rng=rng)
        except (PartError, MissingExtra) as refusal:
            left_out.append(NotComputed(what=measure.name(), reason=str(refusal)))
            continue
        findings += _findings(measure, readings, reference)
    return UtilityResult(tuple(findings), column_shapes(original, release), tuple(left_out))


def _measures() -> list[ReleaseMeasure]:
    marginals = [KWayMarginals(ways=ways) for ways in (1, 2, 3)]
    return [*marginals, Association(), Propensity(), Histogram(), Correlation()]


def _measure_both(
    measure: ReleaseMeasure,
    original: Table,
    release: Table,
    control: Table | None,
    *,
    rng: np.random.Generator,
) -> tuple[Readings, Readings]:
    """What the measure reads for the release and for the control, with the same draws."""
    seed = int(rng.integers(2**63))
    readings, reference = (
        {}
        if table is None
        else measure.measure(original, table, None, rng=np.random.default_rng(seed))
        for table in (release, control)
    )
    return readings, reference


def _findings(
    measure: ReleaseMeasure, readings: Readings, reference: Readings
) -> list[UtilityFinding]:
    return [
        UtilityFinding(
            measure=measure.name(),
            name=name,
            says=measure.caption(name),
            reading=reading,
            reference=reference.get(name),
        )
        for name, reading in readings.items()
    ]


def utility_of_records(
    measure: ReleaseMeasure | None, original: Data, release: Data, control: Data | None
) -> UtilityResult:
    """What one measure of a contest reads, or why it reads nothing; nothing without a measure."""
    if measure is None:
        return UtilityResult()
    try:
        measure.require(original.schema)
        readings = measure.measure(original, release, control, rng=reading_rng())
    except QuintainError as error:
        left_out = NotComputed(what=measure.name(), reason=str(error))
        return UtilityResult(not_computed=(left_out,))
    return UtilityResult(tuple(_findings(measure, readings, {})))
