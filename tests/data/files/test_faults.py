"""Every fault of a bad data file, with its line and column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Limits, Schema, read
from quintain.data.files import read_bytes
from quintain.errors import SHOWN_FAULTS, DataError, Fault, Faults
from tests.data.file_cases import GOOD, SCHEMA, parse, quick, records, sentences

# --- cells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell", ["40.0", "+5", " 5", "007", "1e400", "inf", "nan", "NA", "", "4e1"]
)
def test_a_cell_that_is_no_integer_is_refused(cell):
    assert sentences(f"sex,age,pay\nf,{cell},1\n".encode()) == [
        f"people.csv:2 age={cell!r}: expected an integer in 17..90"
    ]


@pytest.mark.parametrize("cell", ["+5", " 5", "1e400", "inf", "-inf", "nan", "NA", "None", "11"])
def test_a_cell_that_is_no_number_in_range_is_refused(cell):
    assert sentences(f"sex,age,pay\nf,40,{cell}\n".encode()) == [
        f"people.csv:2 pay={cell!r}: expected a number in 0..10, or empty"
    ]


def test_every_bad_cell_is_reported_with_its_line_and_column():
    content = b"sex,age,pay\nf,40,1.5\nq,40.0,11\nm,50,\n,+5,nan\nF,17,-1\n"
    data, faults = parse(content)
    assert data is None
    assert {(fault.line, fault.column, fault.got) for fault in faults} == {
        (3, "sex", "q"),
        (3, "age", "40.0"),
        (3, "pay", "11"),
        (5, "sex", ""),
        (5, "age", "+5"),
        (5, "pay", "nan"),
        (6, "sex", "F"),
        (6, "pay", "-1"),
    }
    assert {fault.file for fault in faults} == {"people.csv"}


def test_lines_are_counted_from_one_without_a_header():
    assert sentences(b"f,40,1\nq,40,1\n", header=False) == [
        "people.csv:2 sex='q': expected one of 2 values such as f, m"
    ]


def test_a_first_line_of_the_wrong_length_is_reported_once():
    assert sentences(b"f,40\nf,40,2\n", header=False) == ["people.csv:1: expected 3 cells, found 2"]


def test_lines_are_right_in_files_longer_than_one_block():
    # The reader works through a file in blocks of a million bytes.
    lines = [b"f,40,1.5\n"] * 300_000
    lines[250_000] = b"f,99,1.5\n"
    assert sentences(b"sex,age,pay\n" + b"".join(lines)) == [
        "people.csv:250002 age='99': expected an integer in 17..90"
    ]


def test_every_line_with_a_wrong_number_of_cells_is_reported():
    content = b"sex,age,pay\nf,40\nf,41,1\nm\nf,40,1,1\nf,42,1\nf,40,1,\n"
    assert sentences(content) == [
        "people.csv:2: expected 3 cells, found 2",
        "people.csv:4: expected 3 cells, found 1",
        "people.csv:5: expected 3 cells, found 4",
        "people.csv:7: expected 3 cells, found 4",
    ]


def test_bad_cells_are_found_beside_lines_with_a_wrong_number_of_cells():
    content = b"sex,age,pay\nf,40\nq,41,1\nm\nf,99,1\nf,40,1,1\nf,40,-1\n"
    assert set(sentences(content)) == {
        "people.csv:2: expected 3 cells, found 2",
        "people.csv:3 sex='q': expected one of 2 values such as f, m",
        "people.csv:4: expected 3 cells, found 1",
        "people.csv:5 age='99': expected an integer in 17..90",
        "people.csv:6: expected 3 cells, found 4",
        "people.csv:7 pay='-1': expected a number in 0..10, or empty",
    }


LINES = {
    "f,40,1": set(),
    "q,40,1": {"sex"},
    "f,99,x": {"age", "pay"},
    "f,40": {None},
    "f,40,1,1": {None},
    "": {None},
}


@quick
@given(st.lists(st.sampled_from(sorted(LINES)), min_size=1, max_size=12), st.booleans())
def test_every_fault_names_its_line_whatever_stands_before_it(lines, header):
    lines = ["sex,age,pay" if header else "f,40,1", *lines]
    _, faults = parse("".join(f"{line}\n" for line in lines).encode(), header=header)
    expected = {
        (number, column) for number, line in enumerate(lines[1:], start=2) for column in LINES[line]
    }
    assert {(fault.line, fault.column) for fault in faults} == expected
    assert faults.total == len(expected)


def test_a_blank_line_is_a_fault_and_moves_no_line_number():
    faults = sentences(b"sex,age,pay\n\nf,40,1\n\n\nq,40,1\nf,40,1\n\n")
    assert faults == [
        *(f"people.csv:{line}: is a blank line; delete it" for line in (2, 4, 5, 8)),
        "people.csv:6 sex='q': expected one of 2 values such as f, m",
    ]


def test_faults_of_several_files_are_all_counted():
    schema, content = Schema(columns=(Column(name="a", kind="id"),)), b"a\n" + 800 * b"\nx\n"
    both, second = Faults(), Faults("second.csv")
    for faults in (both, second, second):
        read_bytes(content, "some.csv", schema, limits=Limits(), faults=faults)
    assert (both.total, second.total, len(second.findings)) == (800, 1600, 1000)
    both.extend(second)
    assert (both.total, len(both.findings)) == (2400, 1000)


def test_a_blank_line_is_no_record_in_which_everything_is_missing():
    columns = tuple(
        Column(name=name, kind="category", values=("x",), nullable=True) for name in "ab"
    )
    schema = Schema(columns=columns)
    assert sentences(b"a,b\nx,x\n\nx,x\n", schema) == ["people.csv:3: is a blank line; delete it"]
    assert records(b"a,b\n,\n", schema) == [{"a": None, "b": None}]


def test_a_long_list_of_faults_is_cut_short_and_counted():
    with pytest.raises(DataError) as caught:
        _, faults = parse(b"sex,age,pay\n" + b"f,0,1\n" * 1500)
        faults.raise_if_any(DataError)
    assert caught.value.total == 1500
    assert len(caught.value.faults) == 1000
    assert str(caught.value).count("\n") == SHOWN_FAULTS
    assert str(caught.value).endswith(f"... and {1500 - SHOWN_FAULTS} more")


def test_a_long_cell_is_shown_by_its_beginning():
    (fault,) = sentences(b"sex,age,pay\n" + b"x" * 5000 + b",40,1\n")
    assert len(fault) < 200
    assert "xxx..." in fault


# --- headers --------------------------------------------------------------------------------------


def test_every_fault_of_a_header_is_reported():
    assert set(sentences(b"sex,age,age,colour,colour\nf,40,40,red,red\n")) == {
        "people.csv pay: this column is missing",
        "people.csv age: this column appears 2 times",
        "people.csv colour: this column is not in the schema",
        "people.csv colour: this column appears 2 times",
    }


@pytest.mark.parametrize(
    "header",
    [b"Sex,age,pay", b" sex,age,pay", b"sex;age;pay", b"sex,age,pay,", b"sex,age", b"", b","],
)
def test_a_header_that_is_not_quite_right_is_refused(header):
    assert sentences(header + b"\nf,40,1\n")


def test_a_file_without_its_header_is_refused():
    assert len(sentences(b"f,40,1\nm,17,2\n")) == 6  # three columns missing, three unknown


def test_a_header_where_there_should_be_none_is_refused():
    assert sentences(GOOD, header=False) == [
        "people.csv:1: is a header line; this format has none, so delete it"
    ]


# --- the file itself ------------------------------------------------------------------------------


def test_a_file_that_is_not_there_is_an_error_in_words(tmp_path):
    with pytest.raises(DataError, match=r"gone\.csv: cannot be read: No such file or directory"):
        read(tmp_path / "gone.csv", SCHEMA)


def test_reading_raises_with_every_fault(tmp_path):
    (tmp_path / "bad.csv").write_bytes(b"sex,age,pay\nq,1,1\nf,40,99\n")
    with pytest.raises(DataError) as caught:
        read(tmp_path / "bad.csv", SCHEMA)
    assert str(caught.value).splitlines() == [
        "bad.csv:2 sex='q': expected one of 2 values such as f, m",
        "bad.csv:2 age='1': expected an integer in 17..90",
        "bad.csv:3 pay='99': expected a number in 0..10, or empty",
    ]


def test_a_column_that_is_wrong_in_every_row_hides_no_other_fault():
    rows = [Fault("expected a number", "a.csv", line, "age") for line in range(2, 900)]
    others = [Fault("is empty", "b.csv"), Fault("expected a number", "c.csv", 2, "pay")]
    shown = str(DataError([*rows, *others])).split("\n")
    assert shown[-3:] == ["b.csv: is empty", "c.csv:2 pay: expected a number", "... and 850 more"]
    assert len(shown) == SHOWN_FAULTS + 1
    assert shown[0] == "a.csv:2 age: expected a number"
    many = [Fault("is empty", f"{place}.csv") for place in range(80)]
    assert str(DataError(many)).endswith("... and 30 more")


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("AGE,sex", "r.csv age: this column is called 'AGE' here; rename it"),
        ("age, sex", "r.csv sex: this column is called ' sex' here; rename it"),
        ("Unnamed: 0,age,sex", "r.csv Unnamed: 0: this column is not in the schema; it looks like"),
    ],
)
def test_names_that_are_nearly_right_and_row_numbers_are_explained(first, said):
    columns = (
        Column(name="age", kind="integer"),
        Column(name="sex", kind="category", values=("f",)),
    )
    faults = Faults("r.csv")
    read_bytes(f"{first}\n".encode(), "r.csv", Schema(columns=columns), faults=faults)
    (fault,) = faults
    assert str(fault).startswith(said)
