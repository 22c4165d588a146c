"""What all goals share: rows of answers, faults with their lines, bits, and ends of conditions."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from quintain.data import Column, Schema, Table
from quintain.errors import Faults, PartError, SubmissionError
from quintain.guesses.goal import (
    TARGET,
    answer_rows,
    check_targets,
    entropy_bits,
    known_columns,
    log2_choose,
    rows_in_words,
)
from quintain.guesses.linkability import Linkability
from quintain.guesses.predicates import Conditions
from quintain.guesses.pseudonym import PseudonymGoal
from quintain.testing.examples import exercise

ANSWERS = Schema(columns=(TARGET, Column(name="size", kind="integer")))


def answers(*targets):
    columns = {"target": np.array(targets, object), "size": np.arange(len(targets))}
    return Table(ANSWERS, columns)


@pytest.mark.parametrize(
    ("truth", "guess", "rows"),
    [
        ("abc", "abc", [0, 1, 2]),
        ("abc", "cab", [1, 2, 0]),
        ("cab", "cab", [0, 1, 2]),
        ("cab", "abc", [2, 0, 1]),
        ("", "", []),
    ],
)
def test_the_row_that_answers_each_target(truth, guess, rows):
    assert answer_rows(answers(*truth), answers(*guess)).tolist() == rows


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        ("abd", r"guess:4 target='d': no such target"),
        ("aba", r"guess:4 target='a': answered before, on line 2"),
        ("abcc", r"guess:5 target='c': answered before, on line 4"),
        ("ab", r"has 2 rows; expected 3, one per target \(1 not answered: c\)"),
    ],
)
def test_a_guess_that_answers_something_else_is_refused_with_its_line(guess, words):
    with pytest.raises(SubmissionError, match=words):
        answer_rows(answers(*"abc"), answers(*guess))
    same = answers(*"aab")  # targets that stand twice are no shortcut either
    with pytest.raises(SubmissionError, match="answered before"):
        answer_rows(same, same)


@pytest.mark.parametrize(("missing", "names"), [("abcde", "a, b, c, d, e"), ("abcdef", "d, e ...")])
def test_five_missing_targets_are_named(missing, names):
    faults = Faults("guess", first_line=2)
    check_targets(answers("z"), answers("z", *missing), faults)
    with pytest.raises(SubmissionError, match=f"{names}\\)"):
        faults.raise_if_any(SubmissionError)


def test_bits_and_words():
    assert log2_choose(5, 2) == pytest.approx(math.log2(10))
    assert entropy_bits(np.array([0, 0, 1, 2], np.int32)) == pytest.approx(1.5)
    assert str(rows_in_words(0)) == "0 rows"


def test_the_columns_in_both_halves_are_named_in_order():
    names = ("size", "flag", "colour", "age", "town", "wage", "day")
    with pytest.raises(
        ValidationError, match="both halves: age, colour, day, flag, size, town, wage"
    ):
        Linkability(left=names, right=names)


def test_what_attackers_cannot_know_is_refused():
    schema = Schema(columns=(Column(name="size", kind="integer"),))
    with pytest.raises(PartError, match="no column is left"):
        known_columns("goal", schema, None, hidden=("size",))
    assert known_columns("goal", schema, ("size",)) == ("size",)


COLUMNS = (
    Column(name="age", kind="integer"),
    Column(name="town", kind="category", values=("a", "b")),
    Column(name="grade", kind="category", values=("low", "mid", "top"), ordered=True),
    Column(name="wage", kind="real", nullable=True),
)


def conditions(*rows):
    predicate, column, low, high = zip(*rows, strict=True)
    return Conditions(np.array(predicate), np.array(column), list(low), list(high), COLUMNS)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((0, 0, "3", "3"), ""),
        ((0, 0, "3", "2"), "no value is from 3 to 2"),
        ((0, 0, "3", ""), ""),
        ((0, 0, "", ""), "age is never missing: give from, to or both"),
        ((0, 0, "x", "2"), "from='x'"),
        ((0, 1, "a", "a"), ""),
        ((0, 1, "a", "b"), "the values of town have no order"),
        ((0, 1, "", "b"), "the values of town have no order"),
        ((0, 2, "low", "top"), ""),
        ((0, 2, "top", "low"), "no value is from top to low"),
        ((0, 3, "", ""), ""),
        ((1, 3, "", ""), "predicates are numbered 0..0"),
    ],
)
def test_ends_that_no_record_can_meet_are_named(row, words):
    faults = Faults("guess", first_line=2)
    given = conditions((0, 3, "1", "1"), row) if row[0] else conditions(row)
    given.faults(1, faults)
    if not words:
        faults.raise_if_any(SubmissionError)
        return
    with pytest.raises(SubmissionError, match=words) as caught:
        faults.raise_if_any(SubmissionError)
    assert str(caught.value).startswith(f"guess:{3 if row[0] else 2}")


def test_a_second_condition_on_a_column_and_missing_predicates_are_named():
    faults = Faults("guess", first_line=2)
    conditions((0, 0, "1", "2"), (0, 3, "1", "1"), (0, 0, "3", "4")).faults(8, faults)
    with pytest.raises(SubmissionError) as caught:
        faults.raise_if_any(SubmissionError)
    text = str(caught.value)
    assert "guess:4" in text and "line 2 has a condition on this column already" in text
    assert "7 of 8 predicates are missing: 1, 2, 3, 4, 5 ..." in text


def test_records_meet_a_condition_between_its_ends():
    table = Table(
        Schema(columns=COLUMNS),
        {
            "age": np.array([1, 2, 3, 4]),
            "town": np.array([0, 1, 0, 1], np.int32),
            "grade": np.array([0, 1, 2, 1], np.int32),
            "wage": np.array([np.nan, 2.0, 3.0, 4.0]),
        },
    )
    for row, expected in {
        (0, 0, "2", "3"): [0, 1, 1, 0],
        (0, 0, "2", ""): [0, 1, 1, 1],
        (0, 0, "", "2"): [1, 1, 0, 0],
        (0, 2, "mid", "top"): [0, 1, 1, 1],
        (0, 1, "b", "b"): [0, 1, 0, 1],
        (0, 3, "", ""): [1, 0, 0, 0],
        (0, 3, "", "3"): [0, 1, 1, 0],
    }.items():
        assert conditions(row).matches(0, table).tolist() == [bool(one) for one in expected]
    both = conditions((0, 0, "2", ""), (0, 1, "b", "b"), (1, 0, "1", "1"))
    assert both.matches(0, table).tolist() == [False, True, False, True]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_question_about_few_trajectories_can_be_answered_blindly(count):
    goal = PseudonymGoal()
    question, *_ = exercise(goal, "trajectories")
    names = question.known_traces().ids[:count]
    kept = np.flatnonzero(np.isin(question.table.columns["target"], names))
    few = type(question)(question.table.take(kept))
    assert few.pseudonyms == (question.pseudonyms if count else 0)
    guess = few.blind(rng=np.random.default_rng(0))
    first = type(question)(question.table.take(kept[:1]))
    assert first.pseudonyms == few.pseudonyms
    chosen = guess.table.columns["pseudonym"].tolist()
    assert len(set(chosen)) == len(guess.table) == count
    assert all(0 <= one < question.pseudonyms for one in chosen)
