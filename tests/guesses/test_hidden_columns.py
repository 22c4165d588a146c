"""Several hidden columns: who is asked about, and how much is guessed right."""

import numpy as np
import pytest

import quintain as q
from quintain.attacks import Knowledge
from quintain.guesses.hidden_columns import HiddenColumns
from quintain.releases import Release
from quintain.samples import Subset, Whole
from quintain.testing import case_of, example_table

GOAL = HiddenColumns(columns=("colour", "flag"))


def asked(design, release=None):
    sample = design.draw(example_table(rows=60), rng=np.random.default_rng(1))
    published = Release(sample.private if release is None else release)
    return GOAL.ask(sample, published), published


def test_everybody_in_the_private_data_is_asked_about_and_nobody_else():
    (question, truth), published = asked(Subset(rows=20))
    assert len(question.table) == len(truth.table) == 20
    true = [(row["colour"], row["flag"]) for row in truth.table.records()]
    private = [(row["colour"], row["flag"]) for row in published.data.records()]
    assert sorted(true) == sorted(private)


@pytest.mark.parametrize("name", ["nearest", "majority-given-known"])
def test_an_attack_reads_the_hidden_values_off_a_release_that_changes_nothing(name):
    people = example_table(rows=12).select(["colour", "size", "flag"])
    people = people.replace({"size": np.arange(12)})  # the known column tells everybody apart
    sample = Whole().draw(people, rng=np.random.default_rng(0))
    release = Release(people.take(np.arange(12)[::-1]))
    question, truth = GOAL.ask(sample, release)
    guess = q.part(name).infer(Knowledge(question), release, rng=np.random.default_rng(0))
    assert q.measure("cells-found", guess, truth)["cells_found"].value == 1.0


def test_blind_guesses_are_right_as_often_as_the_domains_are_small():
    people = example_table(rows=4000)
    question, truth = GOAL.ask(Whole().draw(people, rng=np.random.default_rng(0)), Release(people))
    guess = question.blind(rng=np.random.default_rng(2))
    found = q.measure("cells-found", guess, truth)["cells_found"]
    assert found.low < (1 / 4 + 1 / 2) / 2 < found.high  # four colours, two flags


def test_the_interval_counts_people_not_values():
    right = {"target": "abcd", "colour": ["red"] * 4, "flag": ["no"] * 4}
    case = case_of(GOAL, right, right)
    found = q.measure("cells-found", case.guess, case.truth)["cells_found"]
    assert (found.value, found.n) == (1.0, 4)
    assert found.low == pytest.approx(1 - np.sqrt(np.log(40) / 8))


def test_columns_that_cannot_be_hidden_are_refused_with_the_reason():
    schema = example_table(rows=3).schema
    assert "'smell' is not a column" in HiddenColumns(columns=("smell",)).refusal(schema)
    hidden_and_known = HiddenColumns(columns=("flag",), knows=("flag",))
    assert "attackers cannot know 'flag'" in hidden_and_known.refusal(schema)
