"""Reconstruction: members and controls are asked about, and bad goals are refused whole."""

import numpy as np
import pytest

import quintain as q
from quintain.errors import Faults
from quintain.guesses import Guess
from quintain.guesses.reconstruction import Reconstruction, rebuilt_columns
from quintain.releases import Release
from quintain.samples import Targets
from quintain.testing import case_of, example_table

GOAL = Reconstruction(columns=("colour", "flag"))


def asked(goal=GOAL):
    sample = Targets(targets=40, background=20).draw(
        example_table(rows=200), rng=np.random.default_rng(1)
    )
    return sample, *goal.ask(sample, Release(sample.private))


def test_members_and_controls_are_asked_about_and_the_question_does_not_tell_who_is_who():
    sample, question, truth = asked()
    assert len(question.table) == len(truth.table) == 40
    assert question.table.schema.names == ("target", "size")
    assert truth.table.columns["member"].tolist() == sample.members.astype(int).tolist()
    assert 0 < truth.table.columns["member"].sum() < 40


def test_a_bounded_number_can_be_hidden_and_is_guessed_blindly_within_its_bounds():
    _, question, truth = asked(Reconstruction(columns=("size",), knows=("flag",)))
    guess = question.blind(rng=np.random.default_rng(0))
    (column,) = rebuilt_columns(truth, guess)[1]
    assert column.width == 11
    assert 0 <= column.guesses.min() < column.guesses.max() <= 11


def test_every_column_that_cannot_be_hidden_is_named():
    refusal = Reconstruction(columns=("smell", "colour", "taste")).refusal(example_table().schema)
    assert refusal.startswith("'smell', 'taste': not a column with a finite domain")
    assert "colour, size, flag" in refusal


def test_a_guess_that_leaves_targets_out_is_refused_with_their_names():
    _, question, _ = asked()
    guess = question.blind(rng=np.random.default_rng(0))
    faults = Faults("guess.csv", first_line=2)
    GOAL.check(Guess(guess.table.take(np.arange(38))), question, faults)
    assert [fault.message for fault in faults.findings] == [
        "has 38 rows; expected 40, one per target (2 not answered: 38, 39)"
    ]


def test_the_entropy_of_all_hidden_columns_is_hidden():
    sample, _, _ = asked()
    one = Reconstruction(columns=("flag",)).hidden_bits(sample)
    assert GOAL.hidden_bits(sample) > one > 0


def test_the_question_comes_back_from_its_file():
    _, question, _ = asked()
    again = GOAL.question(question.table, example_table().schema)
    assert type(again) is type(question)
    assert again.secrets == question.secrets


def test_a_single_hidden_column_is_read_as_the_goal_attribute_reads_it():
    truth = {"target": "abcd", "member": [1, 1, 0, 0], "flag": ["yes", "no", "no", "no"]}
    guess = {"target": "abcd", "flag": ["yes", "no", "yes", "no"]}
    several = case_of(Reconstruction(columns=("flag",)), truth, guess)
    one = case_of(q.part("attribute", column="flag"), truth, guess)
    rebuilt = q.measure("cells-exact", several.guess, several.truth)
    inferred = q.measure("excess-accuracy", one.guess, one.truth)
    assert [r.value for r in rebuilt.values()] == pytest.approx(
        [r.value for r in inferred.values()]
    )
