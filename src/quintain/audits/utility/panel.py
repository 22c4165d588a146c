"""Utility panel: measures of how useful a release still is, beside what a fresh sample reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.audits.finding import NotComputed
from quintain.audits.release_audit import ColumnShape, UtilityFinding
from quintain.audits.utility.shapes import column_shapes
from quintain.audits.utility.training import training_findings
from quintain.data import Table
from quintain.errors import MissingExtra, PartError
from quintain.measures import Readings, ReleaseMeasure
from quintain.measures.utility.table.association import Association
from quintain.measures.utility.table.correlation import Correlation
from quintain.measures.utility.table.histogram import Histogram2
from quintain.measures.utility.table.k_way_marginals import KWayMarginals
from quintain.measures.utility.table.propensity import Propensity


@dataclass(frozen=True, slots=True)
class UtilityResult:
    """How useful a release still is.

    Parameters
    ----------
    findings : one per reading.
    shapes : the columns in which the release differs most, the worst first.
    not_computed : the measures that were left out, and why.
    """

    findings: tuple[UtilityFinding, ...]
    shapes: tuple[ColumnShape, ...]
    not_computed: tuple[NotComputed, ...] = ()


def utility_panel(
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
            readings, reference = _measured(measure, original, release, control, rng=rng)
        except (PartError, MissingExtra) as refusal:
            left_out.append(NotComputed(what=measure.name(), reason=str(refusal)))
            continue
        findings += _findings(measure, readings, reference)
    return UtilityResult(tuple(findings), column_shapes(original, release), tuple(left_out))


def _measures() -> list[ReleaseMeasure]:
    marginals = [KWayMarginals(ways=ways) for ways in (1, 2, 3)]
    return [*marginals, Association(), Propensity(), Histogram2(), Correlation()]


def _measured(
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
