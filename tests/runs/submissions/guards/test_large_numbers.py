"""Numbers that make distances overflow, so that attacks would refuse a release."""

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.data.columns import Columns
from quintain.errors import Faults
from quintain.kernels.distances import span
from quintain.runs.submissions.checking import LARGEST, check_large_numbers

PAY = Column(name="pay", kind="real", nullable=True)
SCHEMA = Schema(columns=(PAY, Column(name="n", kind="integer")))


def sentences(*numbers):
    faults = Faults("release.csv", first_line=2)
    check_large_numbers(Columns(SCHEMA, {"pay": list(numbers), "n": [0] * len(numbers)}), faults)
    return [str(fault) for fault in faults]


def test_astronomic_numbers_are_refused_with_their_lines():
    words = "too large to compare; numbers must be within -1e+100..1e+100"
    assert sentences(1.0, 1.7e308, -1e101) == [
        f"release.csv:3 pay='1.7e+308': {words}",
        f"release.csv:4 pay='-1e+101': {words}",
    ]


def test_usual_and_missing_numbers_are_taken():
    assert sentences(np.nan, 0.0, -1e99, 1e100) == []
    assert sentences() == []


def test_attacks_can_compare_the_largest_numbers_that_are_taken():
    table = Table(SCHEMA, {"pay": np.array([-LARGEST, LARGEST]), "n": np.zeros(2, np.int64)})
    assert np.isfinite(span(PAY, [table]) ** 2)
