"""Training: do models that learned from the release work for new people, column by column?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quintain.audits.finding import NotComputed
from quintain.audits.release_audit import UtilityFinding
from quintain.data import Table
from quintain.measures import Reading
from quintain.measures.utility.table.train_on_release import LabelResult, TrainOnRelease

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
