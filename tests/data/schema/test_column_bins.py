"""Bins and bounds of a column: what a schema may ask for, and what stays out of its file."""

import pyarrow as pa
import pytest
from pydantic import ValidationError

from quintain.data import Column, Schema, from_frame
from quintain.data.codec import parse_texts
from quintain.errors import DataError

NAMES = ["name", "kind", "values", "ordered", "low", "high", "unit", "role", "nullable", "missing"]


def test_a_field_that_is_not_set_stays_out_of_the_file():
    plain = Column(name="x", kind="real", low=0, high=1)
    assert list(plain.model_dump()) == [*NAMES, "time_format"]
    assert '"bins":7' in plain.model_copy(update={"bins": 7}).model_dump_json()


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"kind": "real", "bins": 4}, "'x' has bins, so it needs low and high"),
        ({"kind": "real", "low": 0, "step": 0.5}, "'x' has step, so it needs low and high"),
        ({"kind": "time", "bins": 4}, "'x' has bins, so it needs earliest and latest"),
        ({"kind": "category", "values": ("a",), "bins": 4}, "has no numbers and no times"),
        ({"kind": "real", "low": 0, "high": 1, "bins": 0}, "bins is 0; the limit is 1 to 100000"),
        ({"kind": "real", "low": 0, "high": 1, "step": -1}, "step is -1.0; it must be above 0"),
        ({"kind": "integer", "low": 0, "high": 9, "step": 0.5}, "it must be a whole number"),
        ({"kind": "real", "low": 0, "high": 1, "edges": (0.5, 0.5)}, "each above the one before"),
        ({"kind": "real", "low": 0, "high": 1, "edges": (2,)}, "between 0.0 and 1.0"),
        ({"kind": "real", "low": 0, "high": 1, "edges": (0.5,), "bins": 3}, "give one of them"),
        (
            {"kind": "time", "earliest": "2020-01-01", "latest": "2020-01-02", "edges": (1,)},
            "'x' is a time, so it cannot have edges; give bins",
        ),
        ({"kind": "real", "earliest": "2020-01-01"}, "not a time, so it cannot have earliest"),
        ({"kind": "time", "latest": "1.1.2020"}, "latest = '1.1.2020' is not a time written"),
        (
            {"kind": "time", "earliest": "2020-01-02", "latest": "2020-01-01"},
            "earliest 2020-01-02 is after 2020-01-01",
        ),
    ],
)
def test_bins_that_make_no_sense_are_refused(facts, words):
    with pytest.raises(ValidationError, match=words):
        Column(name="x", **facts)


def test_times_outside_their_bounds_are_refused_in_texts_and_frames():
    day = Column(name="day", kind="time", earliest="2024-01-01", latest="2024-12-31", nullable=True)
    assert day.expected == "expected a time written %Y-%m-%d in 2024-01-01..2024-12-31, or empty"
    texts = ["2023-12-31", "2024-01-01", "2024-12-31", "2025-01-01", ""]
    assert parse_texts(day, texts)[1].tolist() == [True, False, False, True, False]
    frame = pa.table({"day": pa.array([19_000, 19_800, None], pa.int32()).cast(pa.date32())})
    with pytest.raises(DataError) as refusal:
        from_frame(frame, Schema(columns=(day,)))
    assert "in 2024-01-01..2024-12-31" in str(refusal.value)
    assert len(refusal.value.faults) == 1
