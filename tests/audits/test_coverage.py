"""What no attack looks at: the verdict names it, and texts that name people make it unsafe."""

import numpy as np
import pandas as pd
import pytest

from quintain.audits.reading.comparable import CONSTANT, SUPPRESSED
from quintain.audits.reading.coverage import Coverage
from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.audits.verdict import Judgement
from quintain.errors import DataError

NOTHING = Judgement("nothing-found", ("Nothing.",), ())


def frames(names, count=60):
    """Original, release and control with independent columns, and a column of names."""
    rng = np.random.default_rng(0)
    return [
        pd.DataFrame({"x": rng.normal(size=count), "g": rng.choice(list("ab"), count), "name": one})
        for one in names
    ]


def named(letter, count=60):
    return [f"{letter} {number:03}y" for number in range(count)]


def test_released_names_are_unsafe_although_attacks_leave_them_out():
    original, release, control = frames([named("a"), named("a")[::-1], named("b")])
    audit = audit_release(original, release, control, permutations=19)
    assert audit.verdict == "unsafe"
    assert audit.reasons[0].startswith("The release has 60 texts of the column 'name'")
    assert audit.identities[0].where == ("name",)


@pytest.mark.parametrize("texts", [named("z"), named("a")[:30] + named("b")[:30]])
def test_new_names_and_numbers_of_both_sides_prove_nothing(texts):
    original, release, control = frames([named("a"), texts, named("b")])
    read = read_inputs(original, release, control)
    assert read.coverage.proofs == ()
    assert read.limits[0].startswith("No attack looked at 1 of 3 columns of the release: 'name'.")


def test_without_a_control_the_reader_is_told():
    original, release, _ = frames([named("a"), named("a"), named("b")])
    assert "60 of the 60 texts of the column 'name'" in read_inputs(original, release).limits[0]


def test_a_constant_column_is_not_counted(tmp_path):
    original, release, control = frames([named("a"), named("z"), named("b")])
    for one in (original, release, control):
        one["name"] = "same"
    read = read_inputs(original, release, control)
    assert read.coverage == Coverage(2, constant=("name",))
    assert [left.reason for left in read.not_computed] == [CONSTANT]


@pytest.mark.parametrize("value", ["other", "*", None, 41.375])
@pytest.mark.parametrize("column", ["x", "g", "name", "only the release has it"])
@pytest.mark.filterwarnings("error")
def test_one_value_in_every_released_row_says_nothing_about_anybody(column, value):
    original, release, control = frames([named("a"), named("z"), named("b")])
    release[column] = value
    read = read_inputs(original, release, control)
    assert column not in (*read.coverage.unseen, *read.coverage.uncompared, *read.release.schema)
    assert read.coverage.constant == (column,)
    assert sum("same value" in limit for limit in read.limits) == 1
    told = [left.reason for left in read.not_computed if repr(column) in left.what]
    assert told == [SUPPRESSED]
    assert Coverage(1, constant=("a", "b", "c")).limit_verdict(NOTHING) == NOTHING


def test_one_value_of_the_original_in_every_released_row_is_compared():
    # The release may be about the people alone who have it.
    original, release, control = frames([named("a"), named("z"), named("b")])
    release["g"] = "a"
    assert "g" in read_inputs(original, release, control).release.schema


def test_a_long_text_in_every_released_row_may_tell_of_people():
    original, release, control = frames([named("a"), named("z"), named("b")])
    release["list"] = " ".join(named("a"))
    assert read_inputs(original, release, control).coverage.unseen == ("list",)


def test_nothing_found_in_the_smaller_part_says_little():
    assert Coverage(2, ("a", "b")).limit_verdict(NOTHING) == NOTHING
    judged = Coverage(2, ("a", "b", "c")).limit_verdict(NOTHING)
    assert judged.verdict == "cannot-say"
    assert "only 2 of 5 columns" in judged.reasons[0]
    unsafe = Judgement("unsafe", ("Copies.",), ())
    assert Coverage(1, ("a", "b")).limit_verdict(unsafe) == unsafe


def test_many_names_are_cut():
    (limit,) = Coverage(1, tuple(f"c{i}" for i in range(11))).limits()
    assert "11 of 12 columns" in limit
    assert "'c7' and 3 more." in limit


@pytest.mark.slow
def test_a_column_without_a_name_is_audited():
    tables = [one.rename(columns={"g": ""}) for one in frames([["a", "b"] * 30] * 3)]
    audit = audit_release(*tables, permutations=19)
    assert not any("''" in one.what for one in audit.not_computed)
    assert any(one.attack == "exact-match" for one in audit.readings)


def test_very_long_texts_are_left_out_in_words():
    long = frames([["a", "b"] * 30, ["a", "b" * 2000] * 30, ["a", "b"] * 30])
    (left_out,) = read_inputs(*long).not_computed
    assert left_out.reason == "the release has texts of up to 2,000 characters in it"


def test_durations_are_refused_in_words():
    tables = frames([pd.to_timedelta(range(60), unit="s")] * 3)
    with pytest.raises(DataError, match="expected texts, numbers, dates"):
        read_inputs(*tables)


@pytest.mark.parametrize("values", [lambda rng: rng.normal(5e4, 9e3, 60), lambda rng: named("t")])
def test_a_column_that_only_the_release_has_is_not_looked_at(values):
    original, release, control = frames([named("a"), named("z"), named("b")])
    release["payment"] = values(np.random.default_rng(1))
    assert read_inputs(original, release, control).coverage.unseen == ("payment",)


def test_a_column_that_counts_the_released_rows_says_nothing():
    original, release, control = frames([named("a"), named("z"), named("b")])
    release["row"] = range(1, 61)
    assert read_inputs(original, release, control).coverage.unseen == ()


def test_a_column_that_the_control_lacks_is_not_looked_at():
    original, release, control = frames([named("a"), named("z"), named("b")])
    assert read_inputs(original, release, control.drop(columns="g")).coverage.unseen == ("g",)
