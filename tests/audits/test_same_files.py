"""Whole files decide whether the control is the original, and an empty cell is nobody."""

import numpy as np
import pandas as pd
import pytest

from quintain.audits.reading.tables import read_inputs
from quintain.audits.reading.units import several_rows
from quintain.audits.release import audit_release
from quintain.data.learning.input_table import InputTable
from quintain.errors import DataError


def table(seed, count=40):
    rng = np.random.default_rng(seed)
    words = np.array([f"word{number}" for number in range(90)])
    return pd.DataFrame(
        {
            "sex": ["f", "m"] * (count // 2),
            "note": [" ".join(rng.choice(words, 12)) for _ in range(count)],
        }
    )


def test_equal_counts_of_one_column_are_not_the_same_file():
    original, control = table(0), table(1)
    read = read_inputs(original, original[["sex"]].assign(age=range(40)), control.assign(age=50))
    assert read.original.schema.names == ("sex",)
    assert read.control_is == ""


def test_the_same_rows_in_another_order_are_refused():
    original = table(0).assign(row=range(40))
    again = original[::-1].assign(row=range(40))
    with pytest.raises(DataError, match="exactly the rows of the original"):
        audit_release(original, table(1), again, permutations=19)


def test_empty_cells_are_no_people():
    """Seven sizes of households and many blanks do not say whose row it is."""
    sizes = [str(1 + row % 7) if row % 3 else "" for row in range(250)]
    assert several_rows(InputTable.of(pd.DataFrame({"persons": sizes}), "original")) == []
    people = [f"p{row % 40}" if row % 3 else None for row in range(250)]
    (sentence,) = several_rows(InputTable.of(pd.DataFrame({"patient": people}), "original"))
    assert sentence.startswith("The column 'patient' has 40 different values in 166 rows.")
