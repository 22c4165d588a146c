"""Who found which record: packed bits, and formulas that count the attackers of a record."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quintain as q
from quintain.rankings.formula import Formula
from quintain.rankings.results import pack_finds, unpack_finds
from quintain.testing import case_of, example_results, membership_guess

# Three attackers on two releases of four records each.
FINDS = {
    ("r1", "ann"): [1, 1, 0, 0],
    ("r1", "bob"): [1, 0, 0, 0],
    ("r1", "eve"): [1, 1, 0, 1],
    ("ann", "bob"): [0, 1, 0, 0],
    ("ann", "eve"): [0, 1, 1, 0],
}


def found(finds=FINDS):
    cells = {"r1": dict.fromkeys(("ann", "bob", "eve"), 0.5), "ann": {"bob": 0.5, "eve": 0.5}}
    packed = {pair: pack_finds(np.array(bits, bool)) for pair, bits in finds.items()}
    return replace(example_results(cells, measure="hit_rate"), finds=packed)


def scores(formula, of, results=None):
    board = Formula(formula=formula, of=of).rank("b", results or found(), {})
    return {p.team: p.score.value if p.score.measured else p.note for p in board.places}


@given(st.lists(st.booleans(), max_size=70))
def test_packed_finds_are_the_same_after_unpacking(bits):
    packed = pack_finds(np.array(bits, bool))
    assert unpack_finds(packed).tolist() == bits
    assert len(packed) == 8 + (len(bits) + 7) // 8


def test_a_record_that_several_found_is_shared_among_them():
    # r1: record 0 by three, record 1 by two, record 3 by eve; ann: record 1 by two, 2 by eve.
    expected = {"ann": 1 / 3 + 1 / 2, "bob": 1 / 3 + 1 / 2, "eve": 1 / 3 + 1 / 2 + 1 + 1 / 2 + 1}
    assert scores("sum(1 / found_by)", "attackers") == pytest.approx(expected)


def test_a_penalty_for_everybody_else_who_found_the_same_record():
    # ann: 2 found, 2 + 1 others; bob: 2 found, 2 + 1 others; eve: 5 found, 2 + 1 + 0 + 1 + 0.
    expected = {"ann": 20 - 3, "bob": 20 - 3, "eve": 50 - 4}
    assert scores("10 * count(found_by) - sum(found_by - 1)", "attackers") == expected


def test_a_release_loses_for_every_record_by_how_many_found_it():
    # r1: three records were found, by 3, 2 and 1; ann's release: two, by 2 and 1.
    assert scores("100 - sum(found_by)", "anonymizers") == {"r1": 94, "ann": 97}
    assert scores("count(found_by) + max(found_by)", "anonymizers") == {"r1": 6, "ann": 4}


def test_the_own_attack_on_a_release_finds_nothing():
    results = found({**FINDS, ("ann", "ann"): [1, 1, 1, 1]})
    assert scores("count(found_by)", "anonymizers", results) == {"r1": 3, "ann": 2}
    assert scores("count(found_by)", "attackers", results)["ann"] == 2
    assert scores("sum(found_by - 1)", "attackers", results)["eve"] == 4


def test_attackers_who_found_nothing_have_found_none():
    assert scores("count(found_by)", "anonymizers", found({("r1", "bob"): [0, 0]})) == {
        "r1": 0,
        "ann": "it is not known who found which record",
    }


def test_without_data_on_records_there_is_no_score():
    results = replace(found(), finds={})
    assert set(scores("sum(found_by)", "attackers", results).values()) == {
        "it is not known who found which record"
    }


@pytest.mark.parametrize("measure", ["membership-advantage", "accuracy"])
def test_members_who_are_called_members_are_found(measure):
    truth = membership_guess([0.9, 0.8, 0.2, 0.9])
    case = case_of(
        q.part("membership"),
        {"target": "abcd", "member": [1, 0, 1, 1]},
        {"target": list("abcd"), "probability": truth.table.columns["probability"]},
    )
    assert q.part(measure).found_records(case).tolist() == [True, False, False, True]


def test_named_rows_of_the_private_data_are_found():
    case = case_of(q.part("membership-set"), {"row": [2, 3, 5, 7]}, {"row": [1, 2, 3, 4]})
    assert q.part("hit-rate").found_records(case).tolist() == [True, True, False, False]


def test_hidden_values_of_members_that_are_guessed_right_are_found():
    case = case_of(
        q.part("attribute", column="flag"),
        {"target": "abcd", "member": [1, 1, 0, 0], "flag": ["yes", "no", "no", "no"]},
        {"target": "abcd", "flag": ["yes", "yes", "no", "no"]},
    )
    assert q.part("excess-accuracy").found_records(case).tolist() == [True, False, False, False]


def test_person_months_whose_pseudonym_is_named_are_found():
    case = case_of(
        q.part("linkage", first="2011-01", months=2),
        {"customer": ["ann", "bob"], "2011-01": ["p1", "p2"], "2011-02": ["p3", ""]},
        {"customer": ["ann", "bob"], "2011-01": ["p1", "p1"], "2011-02": ["p3", "p4"]},
    )
    assert q.part("reidentification").found_records(case).tolist() == [True, False, True]
    assert not q.part("reidentification", credit="shared").finds_records
    with pytest.raises(TypeError, match="auc-v1 does not say which records were found"):
        q.part("auc").found_records(case)
