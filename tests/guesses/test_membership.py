"""The membership goal: one probability per target."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.errors import Faults
from quintain.guesses import Guess, MembershipQuestion, Truth, members_and_scores
from quintain.guesses.membership import Membership
from quintain.releases import Release
from quintain.samples import Sample
from quintain.samples.targets import Targets

POPULATION = Schema(
    columns=(
        Column(name="home", kind="id", role="household"),
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="sex", kind="category", values=("f", "m")),
    )
)
GOAL = Membership()
GUESS = GOAL.guess_schema(POPULATION)
TRUTH = GOAL.truth_schema(POPULATION)


def population(rows=40):
    return Table(
        POPULATION,
        {"home": np.arange(rows) // 2, "age": np.arange(rows), "sex": np.arange(rows) % 2},
    )


def experiment(**parameters):
    design = Targets(**{"targets": 6, "background": 10, **parameters})
    sample = design.draw(population(), rng=np.random.default_rng(1))
    return sample, *GOAL.ask(sample, Release(sample.private))


def guess(targets, probabilities):
    return Guess(Table.of(GUESS, {"target": targets, "probability": probabilities}))


def make_question(*targets):
    schema = GOAL.question_schema(POPULATION)
    rows = len(targets)
    columns = {"target": targets, "age": range(rows), "sex": ["f"] * rows}
    return MembershipQuestion(Table.of(schema, columns))


def faults_of(answer, question):
    faults = Faults("guess.csv", first_line=2)
    GOAL.check(answer, question, faults)
    return [str(fault) for fault in faults]


def test_the_question_shows_the_records_of_the_targets_without_their_ids():
    sample, question, _ = experiment()
    assert question.table.schema == GOAL.question_schema(POPULATION)
    assert question.table.schema.names == ("target", "age", "sex")
    assert question.table.columns["age"].tolist() == sample.target_rows.tolist()


def test_targets_are_numbered_not_named():
    _, question, _ = experiment()
    assert question.table.columns["target"].tolist() == [0, 1, 2, 3, 4, 5]


def test_the_truth_says_who_is_a_member():
    sample, _, truth = experiment()
    assert truth.table.schema == TRUTH
    assert [record["member"] for record in truth.table.records()] == sample.members.tolist()


def test_the_question_does_not_depend_on_who_is_a_member():
    sample, question, _ = experiment()
    flipped = Sample(
        sample.population, sample.private, sample.target_rows, sample.target_of, ~sample.members
    )
    again, truth = GOAL.ask(flipped, Release(sample.private))
    assert again.table.equals(question.table)
    assert truth.table.columns["member"].tolist() == (~sample.members).astype(int).tolist()


def test_a_household_has_one_row_per_person_and_one_answer():
    _, question, truth = experiment(targets=4, unit="household")
    assert question.table.columns["target"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert question.targets().tolist() == ["0", "1", "2", "3"]
    assert len(truth.table) == 4


def test_scores_of_records_are_averaged_over_their_target():
    question = make_question("b", "a", "b", "b")
    assert question.targets().tolist() == ["a", "b"]
    assert question.target_of_row().tolist() == [1, 0, 1, 1]
    assert question.by_target([1, 0.25, 0, 0.5]).tolist() == [0.25, 0.5]


def test_targets_answer_in_the_order_of_their_names():
    # Names are text, also where they are numbers: "10" stands before "2".
    question = make_question("2", "10", "1")
    answer = question.answer([0.1, 0.2, 0.3])
    assert answer.table.columns["target"].tolist() == ["1", "10", "2"]


def test_probabilities_outside_zero_and_one_are_moved_to_the_border():
    answer = make_question("a", "b", "c").answer([-3, 0.5, 7])
    assert answer.table.columns["probability"].tolist() == [0, 0.5, 1]


def test_an_answer_by_rank_guesses_that_the_upper_half_are_members():
    answer = make_question("a", "b", "c", "d").answer_by_rank([-100, 3, 2.5, 1e9])
    assert answer.table.columns["probability"].tolist() == [0.125, 0.625, 0.375, 0.875]


def test_an_answer_by_rank_gives_ties_the_same_probability():
    answer = make_question("a", "b", "c", "d").answer_by_rank([5, 5, 5, 5])
    assert answer.table.columns["probability"].tolist() == [0.5] * 4


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12))
def test_any_answer_by_rank_is_a_valid_guess(scores):
    question = make_question(*(f"t{i}" for i in range(len(scores))))
    answer = question.answer_by_rank(scores)
    assert faults_of(answer, question) == []
    probabilities = answer.table.columns["probability"]
    assert ((probabilities > 0) & (probabilities < 1)).all()


def test_a_blind_answer_is_valid_and_repeats():
    question = make_question("a", "b", "c")
    once, again = (question.blind(rng=np.random.default_rng(5)) for _ in range(2))
    assert faults_of(once, question) == []
    assert once.table.equals(again.table)


def test_a_complete_guess_is_valid_in_any_order():
    assert faults_of(guess(["c", "a", "b"], [0, 0.5, 1]), make_question("a", "b", "c")) == []


def test_a_guess_with_too_few_rows_says_how_many_and_who():
    assert faults_of(guess(["a"], [0.5]), make_question("a", "b", "c")) == [
        "guess.csv: has 1 row; expected 3, one per target (2 not answered: b, c)"
    ]


def test_a_guess_that_misses_many_targets_names_five_of_them():
    names = [f"t{i}" for i in range(9)]
    assert faults_of(guess(["t0"], [0.5]), make_question(*names)) == [
        "guess.csv: has 1 row; expected 9, one per target (8 not answered: t1, t2, t3, t4, t5 ...)"
    ]


def test_a_target_answered_twice_is_reported_with_both_lines():
    assert faults_of(guess(["a", "b", "a", "a"], [0, 0, 1, 1]), make_question("a", "b")) == [
        "guess.csv:4 target='a': answered before, on line 2",
        "guess.csv:5 target='a': answered before, on line 2",
    ]


def test_a_target_that_is_not_in_the_question_is_reported():
    assert faults_of(guess(["a", "b", "z"], [0, 0, 0]), make_question("a", "b")) == [
        "guess.csv:4 target='z': no such target was asked about"
    ]


def test_every_fault_of_a_guess_is_reported_at_once():
    assert faults_of(guess(["z", "a", "a"], [0, 0, 0]), make_question("a", "b")) == [
        "guess.csv:2 target='z': no such target was asked about",
        "guess.csv:4 target='a': answered before, on line 3",
        "guess.csv: has 3 rows; expected 2, one per target (1 not answered: b)",
    ]


def test_targets_may_be_numbers_in_one_file_and_text_in_the_other():
    question = make_question(*range(12))
    answer = guess([str(i) for i in range(12)], [0.5] * 12)
    assert faults_of(answer, question) == []


@pytest.mark.parametrize("probability", [-0.01, 1.01, None, "x"])
def test_a_number_that_is_no_probability_is_refused_by_the_schema(probability):
    with pytest.raises(ValueError):
        guess(["a"], [probability])


@settings(deadline=None)
@given(st.permutations(range(12)))
def test_truth_and_guess_are_put_side_by_side_by_name(order):
    truth = Truth(Table(TRUTH, {"target": order, "member": [i % 3 == 0 for i in order]}))
    answer = guess([str(i) for i in range(12)], [i / 12 for i in range(12)])
    members, scores = members_and_scores(truth, answer)
    assert scores.tolist() == [i / 12 for i in order]
    assert members.tolist() == [i % 3 == 0 for i in order]


def test_thousands_of_faults_are_not_all_listed_but_all_counted():
    names = [f"z{i}" for i in range(1500)]
    faults = Faults("guess.csv", first_line=2)
    GOAL.check(guess([*names, *names, "a"], [0.5] * 3001), make_question("a"), faults)
    assert len(faults.findings) == 1000
    # None of the three thousand is in the question, and half of them appear twice.
    assert faults.total == 3000 + 1500
