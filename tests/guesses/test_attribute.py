"""The attribute goal: the hidden value of each target."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.errors import Faults, PartError
from quintain.guesses import AttributeQuestion, Guess
from quintain.guesses.attribute import Attribute
from quintain.releases import Release
from quintain.samples.sample import Whole
from quintain.samples.targets import Targets

POPULATION = Schema(
    columns=(
        Column(name="home", kind="id", role="household"),
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="ill", kind="category", values=("no", "a bit", "very")),
    )
)
GOAL = Attribute(column="ill")


def experiment(**parameters):
    rows = np.arange(40)
    population = Table(POPULATION, {"home": rows // 2, "age": rows, "ill": rows % 3})
    design = Targets(**{"targets": 6, "background": 10, **parameters})
    sample = design.draw(population, rng=np.random.default_rng(1))
    return sample, *GOAL.ask(sample, Release(sample.private))


def make_question(*targets):
    table = Table.of(
        GOAL.question_schema(POPULATION), {"target": targets, "age": range(len(targets))}
    )
    return GOAL.question(table, POPULATION)


def faults_of(targets, question, values=None):
    values = ["no"] * len(targets) if values is None else values
    table = Table.of(GOAL.guess_schema(POPULATION), {"target": targets, "ill": values})
    faults = Faults("guess.csv", first_line=2)
    GOAL.check(Guess(table), question, faults)
    return [str(fault) for fault in faults]


def test_the_hidden_column_and_the_ids_are_not_shown():
    _, question, _ = experiment()
    assert question.table.schema.names == ("target", "age")
    assert question.table.schema == GOAL.question_schema(POPULATION)
    assert question.secret == POPULATION["ill"]


def test_the_truth_has_the_hidden_values_and_who_is_a_member():
    sample, _, truth = experiment()
    assert truth.table.schema == GOAL.truth_schema(POPULATION)
    assert truth.table.columns["ill"].tolist() == (sample.target_rows % 3).tolist()
    assert truth.table.columns["member"].tolist() == sample.members.astype(int).tolist()


def test_the_question_has_targets_that_are_not_members_too():
    sample, question, _ = experiment()
    assert 0 < sample.members.sum() < 6
    assert len(question.table) == 6


def test_the_question_has_each_person_of_a_household():
    sample, question, truth = experiment(targets=3, unit="household")
    assert question.table.columns["target"].tolist() == [0, 1, 2, 3, 4, 5]
    members = truth.table.columns["member"].reshape(3, 2)
    assert members.tolist() == [[int(member)] * 2 for member in sample.members]


def test_an_answer_has_one_code_per_target():
    question = make_question("x", "y")
    assert isinstance(question, AttributeQuestion)
    assert question.records().schema.names == ("age",)
    assert question.answer([2, 0]).table.records() == [
        {"target": "x", "ill": "very"},
        {"target": "y", "ill": "no"},
    ]


def test_a_complete_answer_is_valid_in_any_order():
    assert faults_of(["b", "a"], make_question("a", "b")) == []


@pytest.mark.parametrize(
    ("targets", "faults"),
    [
        (["a"], ["guess.csv: has 1 row; expected 2, one per target (1 not answered: b)"]),
        (
            ["a", "b", "c"],
            ["guess.csv:4 target='c': no such target was asked about"],
        ),
        (["a", "b", "b"], ["guess.csv:4 target='b': answered before, on line 3"]),
        (
            ["c", "a", "a"],
            [
                "guess.csv:2 target='c': no such target was asked about",
                "guess.csv:4 target='a': answered before, on line 3",
                "guess.csv: has 3 rows; expected 2, one per target (1 not answered: b)",
            ],
        ),
    ],
)
def test_every_fault_of_an_answer_is_reported(targets, faults):
    assert faults_of(targets, make_question("a", "b")) == faults


@pytest.mark.parametrize("value", ["maybe", "", None, "No", 0])
def test_a_value_outside_the_domain_is_refused_by_the_schema(value):
    with pytest.raises(ValueError, match="expected one of 3 values such as no, a bit, very"):
        faults_of(["a"], make_question("a"), [value])


def test_a_blind_answer_is_valid_and_uses_the_whole_domain():
    question = make_question(*range(60))
    answer = question.blind(rng=np.random.default_rng(1))
    faults = Faults()
    GOAL.check(answer, question, faults)
    assert not faults
    assert set(answer.table.columns["ill"].tolist()) == {0, 1, 2}


def test_the_hidden_column_must_be_named():
    with pytest.raises(ValueError, match="column"):
        Attribute()


@pytest.mark.parametrize("column", ["weight", "steps", "gone"])
def test_a_hidden_column_needs_a_finite_domain(column):
    columns = (Column(name="weight", kind="real"), Column(name="steps", kind="integer", low=0))
    population = Table.of(Schema(columns=columns), {"weight": [70.5] * 3, "steps": [1, 2, 3]})
    sample = Whole().draw(population, rng=np.random.default_rng(0))
    with pytest.raises(
        PartError, match=f"'{column}' is not a column with a finite domain or a bounded number"
    ):
        Attribute(column=column).ask(sample, Release(population))


def test_attackers_know_only_the_columns_that_the_rules_name():
    goal = Attribute(column="ill", knows=("age",))
    assert goal.question_schema(POPULATION).names == ("target", "age")
    assert goal.wish() == "the value of 'ill' for each target, of whom age are known"
    refusal = Attribute(column="ill", knows=("ill",)).refusal(POPULATION)
    assert refusal == "goal/attribute-v1: attackers cannot know 'ill'; available: age"


NUMBERS = Schema(
    columns=(
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="wage", kind="real", low=10, high=20),
        Column(name="debt", kind="integer", low=-5, high=10**8),
    )
)


@pytest.mark.parametrize("column", ["wage", "debt"])
def test_a_number_with_bounds_can_be_hidden(column):
    table = Table.of(NUMBERS, {"age": [30, 40], "wage": [12.5, 17.0], "debt": [-5, 10**7]})
    sample = Whole().draw(table, rng=np.random.default_rng(0))
    goal = Attribute(column=column)
    question, truth = goal.ask(sample, Release(table))
    assert [record[column] for record in truth.table.records()] == [
        record[column] for record in table.records()
    ]
    blind = question.blind(rng=np.random.default_rng(1))
    low, high = NUMBERS[column].low, NUMBERS[column].high
    assert all(low <= record[column] <= high for record in blind.table.records())
    assert goal.hidden_bits(sample) == 2.0  # two values that occur once each, for two targets
