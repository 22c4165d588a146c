"""Checks of measures: names, captions and consistent readings."""

from __future__ import annotations

import numpy as np

from quintain.data import Data, shape_of
from quintain.guesses import Goal
from quintain.measures import Case, GuessMeasure, Measure, Reading, ReleaseMeasure
from quintain.registry import Part, parts
from quintain.testing.examples import exercise, inputs, original_of


def check_measure_names(part: Measure) -> None:
    """It says what it is about; its captions, chances and curves name readings that it gives."""
    assert part.about in ("privacy", "utility"), f"{part.id} is not about privacy or utility"
    names = set(part.reads)
    assert names, f"{part.id} reads nothing"
    assert set(part.captions) <= names, f"{part.id} has captions of {set(part.captions) - names}"
    assert len(names) == 1 or set(part.captions) == names, f"{part.id} lacks a caption"
    captions = [part.caption(name) for name in names]
    assert len(set(captions)) == len(captions), f"{part.id} has one caption for several readings"
    assert set(part.chance) <= names, f"{part.id} has chances of {set(part.chance) - names}"
    drawn = {name for curve in part.curves for name in curve.readings.values()}
    assert drawn <= names, f"{part.id} draws {drawn - names}"


def check_guess_measure(part: GuessMeasure) -> None:
    """Readings have the announced names, lie in their intervals and are reproducible."""
    goals = [goal for cls in parts("goal") for goal in cls.examples()]
    readable = [goal for goal in goals if isinstance(goal, part.reads_goal)]
    assert readable, f"{part.id} can read no registered goal"
    for goal in readable:
        assert isinstance(goal, Goal)
        question, truth, *_ = exercise(goal, goal.shapes[0])
        case = Case(truth, question.blind(rng=np.random.default_rng(1)))
        once, again = (part.measure([case, case], rng=np.random.default_rng(2)) for _ in range(2))
        assert once == again, f"{part.id} is not reproducible"
        assert set(once) == set(part.reads), f"{part.id} reads {set(once)}"
        if part.finds_records:
            records = part.found_records(case)
            one_by_one = records.dtype == np.bool_ and records.ndim == 1
            assert one_by_one, f"{part.id} does not find records one by one"
        for name, reading in once.items():
            _check_reading(part, name, reading)
            low, high = part.within
            assert not reading.measured or low <= reading.value <= high, f"{part.id} {name}"


def check_release_measure(part: ReleaseMeasure) -> None:
    """The same seed gives the same readings, with the announced names, each in its interval."""
    for data in inputs(part.shapes):
        known = original_of(data)
        once, again = (
            part.measure(known, data, known, rng=np.random.default_rng(2)) for _ in range(2)
        )
        assert repr(once) == repr(again), f"{part.id} is not reproducible"
        assert set(once) == set(part.reads), f"{part.id} reads {set(once)}"
        for name, reading in once.items():
            _check_reading(part, name, reading)
        in_order = part.aligned or not shape_of(data).row_is_person
        if part.about == "utility" and not in_order:
            _check_order(part, data)


def _check_order(part: ReleaseMeasure, data: Data) -> None:
    """The original is no worse than shuffled data, and the order of rows does not matter."""
    rng = np.random.default_rng(2)
    shape = shape_of(data)
    rows = shape.to_rows(data)
    mixed = shape.from_rows(
        rows.replace({name: rng.permutation(rows.columns[name]) for name in rows.schema.names})
    )
    other_order = data.take(rng.permutation(len(data)))
    same, worse, turned = (
        part.measure(original, release, data, rng=np.random.default_rng(2))
        for original, release in ((data, data), (data, mixed), (other_order, data))
    )
    for name, reading in same.items():
        sign = 1 if reading.better == "higher" else -1
        assert sign * reading.value >= sign * worse[name].value - 1e-12, f"{part.id} {name}"
        assert abs(turned[name].value - reading.value) < 1e-9 or reading.value == np.inf


def _check_reading(part: Part, name: str, reading: Reading) -> None:
    if reading.measured:
        assert reading.low <= reading.value <= reading.high, f"{part.id} {name}: {reading}"
        assert reading.n > 0, f"{part.id} {name} has no observations"
    else:
        assert reading.note, f"{part.id} {name} is not measured and does not say why"
