"""The goal linkability: which two halves of records belong to the same person?"""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from quintain.attacks import Knowledge
from quintain.data import Column, Schema, Table
from quintain.errors import Faults
from quintain.guesses import Guess
from quintain.guesses.linkability import Linkability, members_and_links
from quintain.measures import Case
from quintain.measures.privacy.halves_linked import HalvesLinked
from quintain.registry import build
from quintain.releases import Release
from quintain.samples.targets import Targets

SCHEMA = Schema(
    columns=(
        Column(name="home", kind="id", role="household"),
        Column(name="age", kind="integer", low=0, high=999),
        Column(name="town", kind="category", values=tuple("abcdefghij")),
        Column(name="wage", kind="real", low=0, high=1),
        Column(name="day", kind="time", nullable=True),
    )
)
GOAL = Linkability(left=("age", "town"), right=("wage", "day"))


def people(count=800, seed=0):
    rng = np.random.default_rng(seed)
    columns = {
        "home": np.arange(count),
        "age": rng.integers(0, 1000, count),
        "town": rng.integers(10, size=count),
        "wage": rng.random(count),
        "day": rng.integers(1, 9999, count) * 86_400,
    }
    return Table(SCHEMA, columns)


def sample_of(**parameters):
    design = Targets(**{"targets": 100, "members": "half", "background": 100, **parameters})
    return design.draw(people(), rng=np.random.default_rng(1))


def linked(use, data, sample):
    question, truth = GOAL.ask(sample, Release(data))
    guess = build("attack", use).infer(
        Knowledge(question), Release(data), rng=np.random.default_rng(3)
    )
    inside, halves, guesses = members_and_links(truth, guess)
    return (halves == guesses)[inside].mean(), (halves == guesses)[~inside].mean()


def test_a_target_and_its_half_make_the_record():
    sample = sample_of()
    question, truth = GOAL.ask(sample, Release(sample.private))
    half = truth.table.columns["half"]
    assert sorted(half) == list(range(100))
    records = sample.population.take(sample.target_rows)
    for name in GOAL.left:
        np.testing.assert_array_equal(question.left_halves().columns[name], records.columns[name])
    for name in GOAL.right:
        halves = question.right_halves().columns[name]
        np.testing.assert_array_equal(halves[half], records.columns[name])
    assert truth.table.columns["member"].tolist() == sample.members.astype(int).tolist()
    assert (half == np.arange(100)).sum() < 10


def test_the_order_of_the_halves_is_drawn():
    sample = sample_of()
    release = Release(sample.private)
    truths = [
        GOAL.ask_published(sample, release, None, rng=np.random.default_rng(seed))[1]
        for seed in (1, 1, 2)
    ]
    halves = [truth.table.columns["half"].tolist() for truth in truths]
    assert halves[0] == halves[1] != halves[2]


@pytest.mark.parametrize("use", ["half-linkage", "nearest"])
def test_halves_of_members_are_joined_through_an_unchanged_release(use):
    sample = sample_of()
    members, controls = linked(use, sample.private, sample)
    assert members >= 0.95  # a left half may have equals
    assert controls < 0.1


@pytest.mark.parametrize("use", ["half-linkage", "nearest"])
def test_halves_are_joined_by_chance_through_shuffled_columns(use):
    sample = sample_of(targets=200)
    rng, data = np.random.default_rng(4), sample.private
    shuffled = data.replace({name: rng.permutation(data.columns[name]) for name in GOAL.right})
    members, controls = linked(use, shuffled, sample)
    assert members <= 0.05 and controls <= 0.05  # one in 200 is chance


def test_half_linkage_uses_every_half_once():
    sample = sample_of()
    question, _ = GOAL.ask(sample, Release(sample.private))
    part = build("attack", {"use": "half-linkage", "candidates": 1})
    guess = part.infer(Knowledge(question), Release(sample.private), rng=np.random.default_rng(0))
    assert sorted(guess.table.columns["half"]) == list(range(100))


def test_a_column_in_both_halves_is_refused():
    with pytest.raises(ValidationError, match="these columns are in both halves: age"):
        Linkability(left=("age", "town"), right=("age",))


def test_unknown_columns_and_ids_are_refused():
    goal = Linkability(left=("age",), right=("home",))
    assert "attackers cannot know 'home'; available: age, town, wage, day" in goal.refusal(SCHEMA)


def test_faults_name_the_line():
    sample = sample_of(targets=3, members="coins")
    question, _ = GOAL.ask(sample, Release(sample.private))
    table = Table.of(GOAL.guess_schema(SCHEMA), {"target": ["0", "1", "1"], "half": [0, 3, 2]})
    faults = Faults("guess.csv", first_line=2)
    GOAL.check(Guess(table), question, faults)
    lines = [str(fault) for fault in faults]
    assert "guess.csv:4 target='1': answered before, on line 3" in lines[0]
    assert "(1 not answered: 2)" in lines[1]
    assert lines[2] == "guess.csv:3 half='3': the right halves are 0..2"


def test_the_answer_hides_the_order_of_the_halves():
    bits = GOAL.hidden_bits(sample_of())
    assert bits == pytest.approx(math.log2(math.factorial(100)))


def test_blind_guessing_joins_one_pair_in_expectation_and_has_no_excess():
    sample = sample_of(targets=20)
    question, truth = GOAL.ask(sample, Release(sample.private))
    rng = np.random.default_rng(7)
    cases = [Case(truth, question.blind(rng=rng)) for _ in range(2000)]
    readings = HalvesLinked().measure(cases, rng=rng)
    assert readings["members_linked"].low < 1 / 20 < readings["members_linked"].high
    assert readings["linked_excess"].low < 0 < readings["linked_excess"].high


def test_the_excess_is_told_in_people():
    assert HalvesLinked().in_people(0.4) == (
        "Of 100 members, the attacker joins the halves of 40 more than of 100 people who were not "
        "in the data."
    )
