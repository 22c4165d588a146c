"""The goal published-row: which row of the release is this person's?"""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.errors import Faults, PartError
from quintain.guesses import Guess
from quintain.guesses.published_row import PublishedRow, rows_and_guesses
from quintain.releases import Publication, Release, publication
from quintain.samples.sample import Whole
from quintain.samples.targets import Targets

SCHEMA = Schema(
    columns=(
        Column(name="home", kind="id", role="household"),
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="sex", kind="category", values=("f", "m")),
    )
)


def people(count=40):
    rows = np.arange(count)
    return Table(SCHEMA, {"home": rows, "age": rows[::-1], "sex": rows % 2})


def sample_of(design=None, seed=1):
    design = design or Targets(targets=8, members="half", background=10)
    return design.draw(people(), rng=np.random.default_rng(seed))


def ask(goal, sample, kept=None):
    """Publish the private records, or those in the given rows, as they are."""
    rows = np.arange(len(sample.private)) if kept is None else np.asarray(kept)
    release = Release(sample.private.take(rows))
    published = publication(release.data, rows, rng=np.random.default_rng(5))
    question, truth = goal.ask_published(sample, release, published, rng=np.random.default_rng(0))
    return question, truth, published.data


def test_the_row_of_a_target_has_its_record():
    question, truth, released = ask(PublishedRow(), sample_of())
    rows = truth.table.columns["row"]
    assert len(rows) == 4  # half of the 8 targets are members
    for name in ("age", "sex"):
        np.testing.assert_array_equal(released.columns[name][rows], question.table.columns[name])
    assert question.published == len(released) == 14


def test_attackers_see_only_the_columns_that_they_know():
    question, _, _ = ask(PublishedRow(knows=("sex",)), sample_of())
    assert question.table.schema.names == ("target", "release_rows", "sex")
    assert question.records().schema.names == ("sex",)
    assert question.table.schema == PublishedRow(knows=("sex",)).question_schema(SCHEMA)


def test_without_absent_only_targets_with_a_row_are_asked_about():
    sample = sample_of(Whole())
    question, truth, _ = ask(PublishedRow(), sample, kept=np.arange(0, 40, 4))
    assert len(question.table) == 10
    assert sorted(truth.table.columns["row"]) == list(range(10))


def test_with_absent_the_targets_without_a_row_have_an_empty_answer():
    sample = sample_of()
    question, truth, _ = ask(PublishedRow(absent=True), sample)
    assert len(question.table) == 8
    assert ((truth.table.columns["row"] >= 0) == sample.members).all()
    assert truth.table.csv_bytes().decode().count(",\n") == 4


def test_equal_rows_are_given_to_their_people_at_random():
    population = Table(SCHEMA, {"home": range(50), "age": [30] * 50, "sex": [1] * 50})
    sample = Whole().draw(population, rng=np.random.default_rng(1))
    _, truth, _ = ask(PublishedRow(), sample)
    rows = truth.table.columns["row"]
    assert sorted(rows) == list(range(50))
    assert (rows == np.arange(50)).sum() < 10


def test_made_up_records_belong_to_nobody():
    sample = sample_of(Whole())
    origins = np.concatenate([np.arange(40), [-1, -1]])
    data = sample.private.concat(sample.private.take([0, 1]))
    published = publication(data, origins, rng=np.random.default_rng(2))
    _, truth = PublishedRow().ask_published(
        sample, Release(data), published, rng=np.random.default_rng(0)
    )
    assert set(published.origins[truth.table.columns["row"]]) == set(range(40))


def test_a_release_in_the_order_of_the_private_data_can_be_asked_about_at_once():
    sample = sample_of()
    question, truth = PublishedRow().ask(sample, Release(sample.private))
    rows = truth.table.columns["row"]
    np.testing.assert_array_equal(
        sample.private.columns["age"][rows], question.table.columns["age"]
    )
    with pytest.raises(PartError, match="say with ask_published which record is whose"):
        PublishedRow().ask(sample, Release(sample.private.take([0, 1])))


def test_without_origins_there_is_no_answer():
    sample = sample_of()
    release = Release(sample.private)
    with pytest.raises(PartError, match="sanitizer does not tell which record is whose"):
        PublishedRow().ask_published(
            sample, release, Publication(release.data), rng=np.random.default_rng(0)
        )


def test_known_columns_must_exist():
    goal = PublishedRow(knows=("shoe",))
    assert goal.refusal(SCHEMA) == (
        "goal/published-row-v1: attackers cannot know 'shoe'; available: age, sex"
    )


def test_a_blind_answer_names_different_rows():
    question, _, _ = ask(PublishedRow(), sample_of(Whole()))
    rows = question.blind(rng=np.random.default_rng(1)).table.columns["row"]
    assert sorted(rows) == list(range(40))


def test_a_release_without_any_target_gives_an_empty_question():
    sample = sample_of()
    kept = np.flatnonzero(~np.isin(sample.private_rows, sample.target_rows))
    question, truth, _ = ask(PublishedRow(), sample, kept=kept)
    assert len(question.table) == len(truth.table) == 0
    assert len(question.blind(rng=np.random.default_rng(1)).table) == 0


@pytest.mark.parametrize(
    ("targets", "rows", "expected"),
    [
        (["0", "1", "2", "3"], [0, 1, 2, 14], ["the release has rows 0..13"]),
        (["0", "1", "2", "2"], [0, 1, 2, 3], ["answered before, on line 4", "3 not answered"]),
        (["0", "1", "2", "9"], [0, 1, 2, 3], ["no such target was asked about", "1 not answered"]),
    ],
)
def test_faults_name_the_line(targets, rows, expected):
    goal = PublishedRow()
    question, _, _ = ask(goal, sample_of())
    faults = Faults("guess.csv", first_line=2)
    guess = Guess(Table.of(goal.guess_schema(SCHEMA), {"target": targets, "row": rows}))
    goal.check(guess, question, faults)
    assert len(faults.findings) == len(expected)
    for fault, words in zip(faults, expected, strict=True):
        assert words in str(fault) or words.split()[1] in str(fault)


def test_truth_and_guess_are_compared_in_the_order_of_the_truth():
    goal = PublishedRow(absent=True)
    schema = goal.guess_schema(SCHEMA)
    truth = Table.of(schema, {"target": ["a", "b", "c"], "row": [5, None, 2]})
    guess = Table.of(schema, {"target": ["c", "a", "b"], "row": [2, None, 7]})
    rows, guesses = rows_and_guesses(goal.truth(truth), goal.guess(guess))
    assert rows.tolist() == [5, -1, 2]
    assert guesses.tolist() == [-1, 7, 2]


def test_the_hidden_bits_are_one_private_record_for_each_target():
    sample = sample_of()
    assert PublishedRow().hidden_bits(sample) == pytest.approx(4 * np.log2(14))
    assert PublishedRow(absent=True).hidden_bits(sample) == pytest.approx(8 * np.log2(14))
