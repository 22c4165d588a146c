"""Rows that repeat without saying whose they are: the audit says so, and counts them as people."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from benchmarks.audit import visits
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from quintain.audits.checks.control import check_control, doubt_control
from quintain.audits.reading.tables import read_inputs
from quintain.audits.reading.units import EQUAL_ROWS, number_rows
from quintain.audits.release import audit_release
from quintain.audits.split import split_file
from quintain.audits.verdict import Effects, Judgement
from quintain.cli.main import cli
from quintain.errors import DataError
from quintain.measures import Reading

CELLS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([None, "c", "d"])), min_size=1)


@given(CELLS)
def test_equal_rows_have_the_same_number(rows):
    columns = [
        [pa.chunked_array([list(column)], pa.string())] for column in zip(*rows, strict=True)
    ]
    numbers = number_rows(columns)
    for one, number in zip(rows, numbers, strict=True):
        assert [other == one for other in rows] == (numbers == number).tolist()


def people(seed, count=80):
    """People who are seldom alike."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, count),
            "town": rng.choice([f"town {i}" for i in range(20)], count),
            "pay": rng.integers(10, 60, count),
        }
    )


def repeated(frame, times=4):
    return frame.loc[np.repeat(frame.index, times)].reset_index(drop=True)


ORIGINAL, CONTROL, STRANGERS = people(0), people(1), people(2)


def checked(original, control, **options):
    inputs = read_inputs(original, STRANGERS, control, **options)
    return check_control(*inputs.one_row_each(), inputs.units, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("said", "proofs", "verdict"),
    [
        ("some-leakage", (), "cannot-say"),
        ("unsafe", (), "cannot-say"),
        ("unsafe", ("It has copies.",), "unsafe"),
        ("nothing-found", (), "nothing-found"),
    ],
)
def test_an_alarm_about_rows_that_repeat_offers_the_unit(said, proofs, verdict):
    check = checked(repeated(ORIGINAL), repeated(CONTROL))
    nothing = Reading.missing("lower", "not here")
    effects = Effects(0.001, 320, nothing, nothing, nothing, proofs=proofs, p_alike=0.001)
    doubted = doubt_control(Judgement(said, ("So it is.",), ()), effects, check)
    assert doubted.verdict == verdict
    assert (
        f"--unit {EQUAL_ROWS}"
        in (doubted.reasons if verdict == "cannot-say" else doubted.limits)[0]
    )


@pytest.mark.slow
def test_equal_rows_are_one_person():
    original, control = (repeated(table.head(40)) for table in (ORIGINAL, CONTROL))
    audit = audit_release(original, STRANGERS, control, unit=EQUAL_ROWS, permutations=19)
    people = sum(len(table.head(40).drop_duplicates()) for table in (ORIGINAL, CONTROL))
    assert audit.exposed_share.n == people
    assert any("A person counts once" in limit for limit in audit.limits)
    assert not any(EQUAL_ROWS in limit for limit in audit.limits)


def test_one_table_alone_may_repeat_rows():
    for original, control, role in (
        (repeated(ORIGINAL), CONTROL, "original"),
        (ORIGINAL, repeated(CONTROL), "control"),
    ):
        check = checked(original, control)
        assert [rows.role for rows in check.repeated] == [role]
        assert not check.drift.noticed
        assert f"rows of the {role} equal another row of it" in check.limits()[0]


def test_people_who_are_alike_by_chance_do_not_repeat():
    coarse = [
        table.assign(age=table.age // 40, pay=table.pay // 30) for table in (ORIGINAL, CONTROL)
    ]
    for original, control in ((ORIGINAL, CONTROL), coarse):
        assert checked(original, control).repeated == ()


def test_row_numbers_do_not_make_rows_differ():
    tables = [repeated(table) for table in (ORIGINAL, CONTROL)]
    numbered = [table.assign(number=range(len(table))) for table in tables]
    units = read_inputs(numbered[0], STRANGERS, numbered[1], unit=EQUAL_ROWS).units
    assert units.equal_rows
    assert len(set(units.original)) == len(ORIGINAL.drop_duplicates())
    assert not set(units.original) & set(units.control)


def test_people_on_both_sides_are_refused_and_a_column_is_a_column():
    twice = repeated(ORIGINAL, 2)
    with pytest.raises(DataError, match=f"split --unit {EQUAL_ROWS}"):
        read_inputs(twice[::2], STRANGERS, twice[1::2], unit=EQUAL_ROWS)
    few = pd.concat([CONTROL, ORIGINAL.head(3)])
    assert read_inputs(ORIGINAL, STRANGERS, few, unit=EQUAL_ROWS).units.equal_rows
    named = [
        table.assign(**{EQUAL_ROWS: range(i, i + 80)})
        for i, table in ((0, ORIGINAL), (90, CONTROL))
    ]
    units = read_inputs(named[0], STRANGERS, named[1], unit=EQUAL_ROWS).units
    assert not units.equal_rows


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_split_keeps_equal_rows_together(tmp_path, ending):
    data, table = tmp_path / f"people.{ending}", repeated(pd.concat([ORIGINAL, CONTROL]))
    table = table.sample(frac=1, random_state=0).reset_index(drop=True)
    if ending == "csv":
        table.to_csv(data, index=False)
    else:
        table.to_parquet(data)
    one, other = split_file(data, tmp_path / "parts", unit=EQUAL_ROWS)
    load = pd.read_csv if ending == "csv" else pd.read_parquet
    sides = [set(load(part.path).itertuples(index=False, name=None)) for part in (one, other)]
    assert not sides[0] & sides[1]
    assert one.units == len(sides[0])
    assert one.rows + other.rows == len(table)


def test_the_command_prints_the_next_one(tmp_path):
    repeated(ORIGINAL).to_csv(tmp_path / "people.csv", index=False)
    words = ["audit", "split", "--data", tmp_path / "people.csv", "--out", tmp_path / "parts"]
    result = CliRunner().invoke(cli, [*map(str, words), "--unit", EQUAL_ROWS])
    assert result.exit_code == 0, result.output
    assert f"--unit {EQUAL_ROWS}" in result.output
    assert "different rows" in result.output


@pytest.mark.slow
def test_the_benchmark_counts_equal_rows_as_people():
    assert 0 < visits.draw(0, 20, EQUAL_ROWS, equal=True) <= 1
