"""What is readable is checked, even where other cells are not."""

import numpy as np

from quintain.data import Column, Schema
from quintain.data.files import read_cells
from quintain.errors import Faults

SCHEMA = Schema(
    columns=(
        Column(name="who", kind="id"),
        Column(name="age", kind="integer", low=0, high=99),
    )
)


def cells(text):
    faults = Faults("a.csv")
    return read_cells(text.encode(), "a.csv", SCHEMA, faults=faults), faults


def everywhere(readable, faults):
    """Let a check find something in every cell and in every row."""

    def check(faults):
        for row in range(len(readable.rows)):
            faults.add("odd row", line=faults.line_of(row))
            for name in SCHEMA.names:
                faults.add("odd cell", line=faults.line_of(row), column=name)
        faults.add("odd file")

    readable.check(check, faults)
    return [(fault.line, fault.column) for fault in faults if fault.message.startswith("odd")]


def test_a_refused_cell_is_masked_and_its_neighbours_are_not():
    readable, faults = cells("who,age\na,1\nb,old\n")
    assert [str(fault) for fault in faults] == ["a.csv:3 age='old': expected an integer in 0..99"]
    assert {name: mask.tolist() for name, mask in readable.refused.items()} == {
        "age": [False, True]
    }
    assert readable.rows.columns["who"].tolist() == ["a", "b"]


def test_nothing_is_said_twice_about_a_refused_cell_or_its_row():
    faults = everywhere(*cells("who,age\na,1\nb,old\n"))
    assert faults == [(2, None), (2, "who"), (2, "age"), (3, "who"), (None, None)]


def test_rows_of_a_wrong_length_stay_in_their_place():
    readable, faults = cells("who,age\na,1\nb\n\nc,3,4\nd,5\n")
    assert readable.rows.columns["who"].tolist() == ["a", "b", "c", "d"]
    assert [readable.line_of(row) for row in range(4)] == [2, 3, 5, 6]
    assert [fault.line for fault in faults] == [4, 3, 5]
    assert np.flatnonzero(readable.refused["who"]).tolist() == [1, 2]
    # Their cells are not looked at: "c" would have had the age 3.
    assert everywhere(readable, faults) == [
        (2, None),
        (2, "who"),
        (2, "age"),
        (6, None),
        (6, "who"),
        (6, "age"),
        (None, None),
    ]


def test_a_file_without_refused_cells_is_checked_as_it_is():
    readable, faults = cells("who,age\na,1\n")
    assert not readable.refused
    assert everywhere(readable, faults) == [(2, None), (2, "who"), (2, "age"), (None, None)]


def test_a_file_with_other_columns_has_no_readable_cells():
    readable, faults = cells("who,size\na,1\n")
    assert readable is None
    assert faults.total == 2


def test_findings_that_are_too_many_to_keep_are_counted():
    readable, faults = cells("who,age\n" + "a,old\n" * 1500)

    def check(faults):
        for row in range(1500):
            faults.add("odd cell", line=faults.line_of(row), column="who")

    readable.check(check, faults)
    assert (faults.total, len(faults.findings)) == (3000, 1000)
