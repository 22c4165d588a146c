"""Ids of people in an audit: numbers that repeat over rows, other notations, mere numbering."""

import numpy as np
import pyarrow as pa
import pytest

from quintain.audits.reading.tables import read_inputs
from quintain.errors import DataError

PEOPLE = 60


def visits(first, seed, rows=3, **more):
    """People with three visits each, numbered from ``first``."""
    rng, ids = np.random.default_rng(seed), np.repeat(first + np.arange(PEOPLE), rows)
    cells = {
        "patient": ids,
        "age": rng.integers(20, 90, PEOPLE).repeat(rows),
        "ward": rng.choice(list("abc"), len(ids)),
        "cost": rng.integers(100, 999, len(ids)),
    }
    return pa.table({**cells, **more})


def numbers(seed):
    """A long number for each person, on each of three rows."""
    return np.random.default_rng(seed).integers(10**8, 10**9, PEOPLE).repeat(3)


def proofs(original, release, control):
    inputs = read_inputs(original, release, control, unit="patient")
    return inputs.coverage.proofs


@pytest.mark.slow
def test_a_number_of_people_is_an_id_although_it_repeats_over_their_rows():
    sides = [visits(1, 1, policy_no=numbers(1)), visits(1000, 2, policy_no=numbers(2))]
    (proof,) = proofs(sides[0], visits(5000, 3, policy_no=numbers(1)), sides[1])
    assert proof.startswith("The release has 60 texts of the column 'policy_no'")
    assert not proofs(sides[0], visits(5000, 3, policy_no=numbers(3)), sides[1])


def test_a_number_that_people_share_stays_an_attribute():
    shared = np.repeat(np.arange(PEOPLE) // 2, 3)
    tables = [visits(first, seed, house_no=shared) for first, seed in ((1, 1), (5000, 3), (900, 2))]
    inputs = read_inputs(*tables, unit="patient")
    assert "house_no" in inputs.original.schema


def test_a_release_that_counts_its_people_anew_is_no_proof():
    original, control = visits(1, 1), visits(1000, 2)
    inputs = read_inputs(original, visits(1, 3), control, unit="patient")
    assert not inputs.coverage.proofs
    (note,) = inputs.coverage.notes
    assert "counts from 1 to 60" in note


def test_numbers_that_go_with_the_same_people_are_a_proof():
    original, control = visits(1, 1), visits(1000, 2)
    shaken = np.asarray(original["age"]) + np.random.default_rng(4).integers(-3, 4, 3 * PEOPLE)
    release = visits(1, 3).set_column(1, "age", pa.array(shaken))
    (proof,) = proofs(original, release, control)
    assert "'patient'" in proof


def test_a_number_of_the_row_is_not_taken_for_the_person():
    original, control = visits(1, 1), visits(1000, 2)
    release = visits(1, 3, visit_no=1 + np.arange(3 * PEOPLE)).drop(["patient"])
    inputs = read_inputs(original, release, control, unit="patient")
    assert inputs.units.release is None
    named = release.rename_columns(["age", "ward", "cost", "person_no"])
    assert read_inputs(original, named, control, unit="patient").units.release is not None


@pytest.mark.parametrize("write", ["{}.0", "{:06d}"])
def test_people_of_both_sides_are_found_in_another_notation(write):
    texts = [write.format(n) for n in np.repeat(50 + np.arange(PEOPLE), 3).tolist()]
    control = visits(50, 2).set_column(0, "patient", pa.array(texts))
    with pytest.raises(DataError, match="the control has 11 people of the original"):
        read_inputs(visits(1, 1), visits(1, 3), control, unit="patient")


def test_two_notations_in_one_column_stay_apart():
    texts = ["7", "007", *map(str, range(100, 158))]
    original = visits(1, 1).set_column(0, "patient", pa.array(np.repeat(texts, 3)))
    inputs = read_inputs(original, visits(5000, 3), visits(1000, 2), unit="patient")
    assert len(np.unique(inputs.units.original)) == PEOPLE


def test_a_key_in_another_notation_is_read_and_one_of_other_people_is_refused():
    original, release, control = visits(1, 1), visits(5000, 3), visits(1000, 2)
    people = [f"{n}.0" for n in range(1, 1 + PEOPLE)]
    key = pa.table({"patient": people, "pseudonym": np.arange(5000, 5000 + PEOPLE)})
    units = read_inputs(original, release, control, unit="patient", key=key).units
    assert (units.pseudonym_of[np.unique(units.original)] >= 0).all()
    strange = key.set_column(0, "patient", pa.array([f"x{n}" for n in range(PEOPLE)]))
    with pytest.raises(DataError, match="none of its 60 people is in the original: the key has"):
        read_inputs(original, release, control, unit="patient", key=strange)
    lost = key.set_column(1, "pseudonym", pa.array(range(7000, 7000 + PEOPLE)))
    with pytest.raises(DataError, match="none of its 60 pseudonyms is in the release"):
        read_inputs(original, release, control, unit="patient", key=lost)


def test_rows_without_an_owner_are_told():
    ids = np.repeat(1 + np.arange(PEOPLE), 3).tolist()
    original = visits(1, 1).set_column(0, "patient", pa.array([None, None, *ids[2:]]))
    limits = read_inputs(original, visits(5000, 3), visits(1000, 2), unit="patient").limits
    assert limits[0].startswith("2 of 180 rows of the original have nothing in the column")
