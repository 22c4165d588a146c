"""The goal singling-out: which descriptions fit exactly one person in the private data?"""

import numpy as np
import pytest
from scipy.stats import hypergeom

from quintain.attacks import Knowledge
from quintain.data import Column, Schema, Table
from quintain.errors import Faults, PartError
from quintain.guesses import Condition, Conditions, Guess, SinglingOutQuestion
from quintain.guesses.predicates import predicate_table
from quintain.guesses.singling_out import SinglingOut
from quintain.measures import Case
from quintain.measures.privacy.isolation import Isolation, isolations
from quintain.registry import build
from quintain.releases import Release
from quintain.samples.sample import Subset, Whole

SCHEMA = Schema(
    columns=(
        Column(name="home", kind="id", role="household"),
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="job", kind="category", values=("a", "b", "c")),
        Column(name="grade", kind="category", values=("low", "mid", "top"), ordered=True),
        Column(name="wage", kind="real", low=0, high=100, nullable=True),
        Column(name="born", kind="time", nullable=True),
    )
)
GOAL = SinglingOut(predicates=2)
DAY = 86_400


def people(count=400, seed=0):
    rng = np.random.default_rng(seed)
    wage = rng.random(count) * 100
    wage[::7] = np.nan
    return Table(
        SCHEMA,
        {
            "home": np.arange(count),
            "age": rng.integers(0, 100, count),
            "job": rng.integers(3, size=count),
            "grade": rng.integers(3, size=count),
            "wage": wage,
            "born": rng.integers(0, 9999, count) * DAY,
        },
    )


def sample_of(rows=100, count=400):
    return Subset(rows=rows).draw(people(count), rng=np.random.default_rng(1))


def few():
    """Four records with known contents."""
    return Table.of(
        Schema(columns=SCHEMA.attributes),
        {
            "age": [10, 20, 30, 40],
            "job": ["a", "a", "b", "c"],
            "grade": ["low", "mid", "top", "top"],
            "wage": [1.5, None, 3.0, 99.0],
            "born": ["1970-01-02", "1970-01-05", None, "1971-01-01"],
        },
    )


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([Condition("age", "20", "30")], [0, 1, 1, 0]),
        ([Condition("age", "", "10")], [1, 0, 0, 0]),
        ([Condition("job", "a", "a")], [1, 1, 0, 0]),
        ([Condition("job", "a", "a"), Condition("age", "15", "")], [0, 1, 0, 0]),
        ([Condition("grade", "mid", "top")], [0, 1, 1, 1]),
        ([Condition("wage", "1.5", "3.0")], [1, 0, 1, 0]),
        ([Condition("wage", "", "")], [0, 1, 0, 0]),
        ([Condition("born", "1970-01-03", "")], [0, 1, 0, 1]),
        ([Condition("born", "", "")], [0, 0, 1, 0]),
    ],
)
def test_a_predicate_fits_the_records_that_meet_all_its_conditions(conditions, expected):
    table = predicate_table([conditions], SCHEMA)
    fits = Conditions.of(table, SCHEMA).matches(0, few())
    assert fits.astype(int).tolist() == expected


def faults_of(rows, predicates=2):
    numbers, names, lows, highs = zip(*rows, strict=True)
    columns = {"predicate": numbers, "column": names, "from": lows, "to": highs}
    table = Table.of(GOAL.guess_schema(SCHEMA), columns)
    question = SinglingOutQuestion(
        Table.of(GOAL.question_schema(SCHEMA), {"records": [9], "predicates": [predicates]}), SCHEMA
    )
    faults = Faults("guess.csv", first_line=2)
    GOAL.check(Guess(table), question, faults)
    return [str(fault) for fault in faults]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((1, "age", "old", ""), "guess.csv:3 from='old': expected an integer in 0..99"),
        ((1, "age", "7", "120"), "guess.csv:3 to='120': expected an integer in 0..99"),
        ((1, "age", "", ""), "guess.csv:3: age is never missing: give from, to or both"),
        ((1, "age", "30", "20"), "no value is from 30 to 20"),
        ((1, "job", "a", "b"), "the values of job have no order: write one value as from and as"),
        ((1, "job", "a", ""), "the values of job have no order"),
        ((1, "wage", "inf", ""), "guess.csv:3 from='inf': expected"),
        ((2, "age", "1", "1"), "guess.csv:3 predicate='2': predicates are numbered 0..1"),
        ((0, "age", "1", "1"), "guess.csv:3 column='age': line 2 has a condition on this column"),
        ((0, "job", "a", "a"), "1 of 2 predicates are missing: 1"),
    ],
)
def test_faults_name_the_line_and_what_is_wrong(row, words):
    found = faults_of([(0, "age", "5", "5"), row])
    assert any(words in fault for fault in found), found


def test_a_right_file_has_no_fault():
    rows = [(0, "age", "", "17"), (0, "grade", "low", "mid"), (1, "wage", "", "")]
    assert faults_of(rows) == []


def test_the_truth_is_the_population_with_its_members():
    sample = sample_of()
    question, truth = GOAL.ask(sample, Release(sample.private))
    assert (question.records, question.predicates) == (100, 2)
    inside = truth.table.columns["member"] == 1
    assert sorted(np.flatnonzero(inside)) == sorted(sample.private_rows)
    assert truth.table.drop("member").schema.names == ("age", "job", "grade", "wage", "born")
    assert GOAL.question_behind(truth, SCHEMA).table.records() == question.table.records()


def test_there_must_be_as_many_people_outside_the_data_as_inside():
    with pytest.raises(PartError, match="the population has 150 and 250"):
        sample = sample_of(rows=250)
        GOAL.ask(sample, Release(sample.private))
    with pytest.raises(PartError, match="the population has 0 and 10"):
        sample = Whole().draw(people(10), rng=np.random.default_rng(0))
        GOAL.ask(sample, Release(sample.private))


def case_with(sample, predicates):
    goal = SinglingOut(predicates=len(predicates))
    _, truth = goal.ask(sample, Release(sample.private))
    return Case(truth, Guess(predicate_table(predicates, SCHEMA)))


def test_a_person_who_is_isolated_twice_counts_once():
    sample = sample_of()
    wage = sample.private.columns["wage"]
    text = repr(float(wage[~np.isnan(wage)][0]))
    twice = [[Condition("wage", text, text)], [Condition("wage", text, text)]]
    readings = Isolation().measure([case_with(sample, twice)], rng=np.random.default_rng(0))
    assert readings["isolated"].value == 0.5
    assert readings["isolated_by_luck"].value == 0.0


def test_luck_is_the_probability_to_isolate_somebody_in_a_sample_of_the_others():
    sample = sample_of(rows=100, count=400)
    _, luck = isolations(case_with(sample, [[Condition("age", "0", "4")]]))
    outside = np.setdiff1d(np.arange(400), sample.private_rows)
    fits = int((sample.population.columns["age"][outside] < 5).sum())
    assert luck[0] == pytest.approx(hypergeom(300, fits, 100).pmf(1))


def test_predicates_that_do_not_depend_on_the_data_have_no_excess_on_average():
    # Predicates of weights around one in n isolate somebody in a third of all samples.
    population = people(200)
    predicates = [[Condition("age", str(age), str(age + 1))] for age in range(0, 98, 2)]
    rng, excess = np.random.default_rng(5), []
    for _ in range(60):
        sample = Subset(rows=50).draw(population, rng=rng)
        readings = Isolation().measure([case_with(sample, predicates)], rng=rng)
        excess.append(readings["isolation_excess"].value)
        assert 0.2 < readings["isolated_by_luck"].value < 0.5
    assert abs(np.mean(excess)) < 3 * np.std(excess) / np.sqrt(60)


def excess_of(use, data, sample):
    goal = SinglingOut(predicates=40)
    question, truth = goal.ask(sample, Release(data))
    guess = build("attack", use).infer(
        Knowledge(question), Release(data), rng=np.random.default_rng(3)
    )
    faults = Faults("guess.csv")
    goal.check(guess, question, faults)
    assert not faults
    readings = Isolation().measure([Case(truth, guess)], rng=np.random.default_rng(0))
    return readings["isolation_excess"].value


def test_whole_rows_of_an_unchanged_release_single_everybody_out():
    sample = sample_of()
    assert excess_of("row-predicates", sample.private, sample) == 1.0


def test_rows_of_other_people_single_nobody_out():
    sample = sample_of()
    others = people(100, seed=9).drop("home")
    for use in ("row-predicates", "value-predicates", "random"):
        assert abs(excess_of(use, others, sample)) < 0.2


def test_rare_values_single_people_out():
    sample = sample_of()
    assert excess_of("value-predicates", sample.private, sample) > 0.8  # each wage is unique


def test_few_columns_describe_records_that_are_unique_in_the_release():
    sample = sample_of()
    question, _ = SinglingOut(predicates=30).ask(sample, Release(sample.private))
    part = build("attack", {"use": "row-predicates", "columns": 2})
    guess = part.infer(Knowledge(question), Release(sample.private), rng=np.random.default_rng(3))
    conditions = Conditions.of(guess.table, SCHEMA)
    fits = [int(conditions.matches(number, sample.private).sum()) for number in range(30)]
    assert np.mean([count == 1 for count in fits]) > 0.9


def test_more_predicates_than_values_are_filled_up_with_random_ones():
    schema = Schema(columns=(SCHEMA["job"],))
    population = Table(schema, {"job": np.arange(30) % 3})
    sample = Subset(rows=10).draw(population, rng=np.random.default_rng(0))
    question, _ = SinglingOut(predicates=9).ask(sample, Release(sample.private))
    part = build("attack", {"use": "value-predicates"})
    guess = part.infer(Knowledge(question), Release(sample.private), rng=np.random.default_rng(3))
    assert sorted(set(guess.table.columns["predicate"].tolist())) == list(range(9))


def test_a_column_called_member_is_refused():
    schema = Schema(columns=(Column(name="member", kind="category", values=("x",)),))
    assert "rename this column" in GOAL.refusal(schema)
