"""The membership-set goal: name records that were in the private data."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.errors import Faults, PartError
from quintain.guesses import MembershipSetQuestion
from quintain.guesses.membership_set import MembershipSet
from quintain.releases import Release
from quintain.samples.sample import Subset
from quintain.samples.targets import Targets

POPULATION = Schema(columns=(Column(name="age", kind="integer", low=0, high=99),))


def experiment(design, guesses=5):
    population = Table(POPULATION, {"age": np.arange(30)})
    sample = design.draw(population, rng=np.random.default_rng(1))
    return sample, *MembershipSet(guesses=guesses).ask(sample, Release(sample.private))


@pytest.fixture
def question():
    """Asks for 3 rows of 10."""
    goal = MembershipSet(guesses=3)
    table = Table.of(goal.question_schema(POPULATION), {"population": [10], "guesses": [3]})
    return goal.question(table, POPULATION)


def faults_of(rows, question):
    faults = Faults("guess.csv", first_line=2)
    MembershipSet(guesses=3).check(question.answer(rows), question, faults)
    return [str(fault) for fault in faults]


def test_the_question_says_how_many_to_name_and_of_how_many():
    _, question, _ = experiment(Subset(rows=8))
    assert isinstance(question, MembershipSetQuestion)
    assert (question.population, question.guesses) == (30, 5)


def test_the_truth_has_the_sorted_rows_of_the_members():
    sample, _, truth = experiment(Subset(rows=8))
    rows = truth.table.columns["row"].tolist()
    assert rows == sorted(sample.private.columns["age"].tolist())


def test_background_records_are_no_part_of_the_truth():
    sample, _, truth = experiment(Targets(targets=6, background=10))
    rows = set(truth.table.columns["row"].tolist())
    assert rows == set(sample.target_rows[sample.members[sample.target_of]].tolist())
    assert len(rows) == sample.members.sum()


def test_a_right_answer_has_no_faults(question):
    assert faults_of([9, 0, 4], question) == []


@pytest.mark.parametrize(
    ("rows", "has"), [([], "0 rows"), ([1], "1 row"), ([0, 1], "2 rows"), ([0, 1, 2, 3], "4 rows")]
)
def test_a_wrong_number_of_rows_is_reported(question, rows, has):
    assert faults_of(rows, question) == [f"guess.csv: has {has}; expected 3"]


def test_rows_outside_the_population_are_reported_with_their_line(question):
    assert faults_of([10, 3, 99], question) == [
        "guess.csv:2 row='10': the population has rows 0..9",
        "guess.csv:4 row='99': the population has rows 0..9",
    ]


def test_a_row_named_twice_is_reported_with_both_lines(question):
    assert faults_of([7, 2, 7], question) == ["guess.csv:4 row='7': named before, on line 2"]


def test_every_fault_is_reported_at_once(question):
    assert faults_of([12, 5, 5, 12], question) == [
        "guess.csv: has 4 rows; expected 3",
        "guess.csv:2 row='12': the population has rows 0..9",
        "guess.csv:5 row='12': the population has rows 0..9",
        "guess.csv:4 row='5': named before, on line 3",
        "guess.csv:5 row='12': named before, on line 2",
    ]


def test_a_negative_row_is_refused_by_the_schema():
    with pytest.raises(ValueError, match="row='-1': expected an integer of at least 0"):
        Table.of(MembershipSet().guess_schema(POPULATION), {"row": [-1]})


def test_a_blind_answer_is_valid_and_covers_the_population(question):
    seen = set()
    for seed in range(50):
        answer = question.blind(rng=np.random.default_rng(seed))
        rows = answer.table.columns["row"].tolist()
        assert faults_of(rows, question) == []
        seen.update(rows)
    assert seen == set(range(10))


def test_more_guesses_than_records_are_refused():
    with pytest.raises(PartError, match="cannot ask for 31 guesses: the population has 30 rows"):
        experiment(Subset(rows=8), guesses=31)
    assert experiment(Subset(rows=8), guesses=30)[1].guesses == 30


def test_thousands_of_faults_are_not_all_listed_but_all_counted(question):
    faults = Faults("guess.csv", first_line=2)
    rows = [*range(2010), *range(1500)]
    MembershipSet(guesses=3).check(question.answer(rows), question, faults)
    assert len(faults.findings) == 1000
    # The number of rows; those outside the population of ten; those named before.
    assert faults.total == 1 + (2000 + 1490) + 1500
