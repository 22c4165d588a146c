"""Attacks on people: whole histories, aggregates, and what they refuse."""

import numpy as np
import pytest
from benchmarks.goals.naming import methods, named

import quintain as q
from quintain.attacks.each_table import nearness
from quintain.data import Table
from quintain.data.sources.clinic import Clinic
from quintain.errors import KnowledgeError
from quintain.guesses.membership import members_and_scores
from quintain.guesses.naming import pseudonyms_and_guesses
from quintain.kernels.distances import gower
from quintain.kernels.neighbours import nearest
from quintain.plays import Refusal, Situation, play
from quintain.testing.examples import exercise

ATTACKS = ("histories", "aggregates")


def guess_at(goal, name, **parameters):
    question, truth, sample, release = exercise(goal, "people")
    situation = Situation(goal, release, q.Knowledge(question, sample.population))
    part = q.part(f"attack/{name}", **parameters)
    return truth, play(part, situation, rng=np.random.default_rng(0))


@pytest.mark.parametrize("attack", ATTACKS)
def test_people_are_named_by_all_their_rows(attack):
    truth, guess = guess_at(q.guesses.Naming(), attack)
    true, given = pseudonyms_and_guesses(truth, guess)
    assert (true == given).mean() >= 0.9


@pytest.mark.parametrize("attack", [*ATTACKS, "each-table"])
def test_members_are_told_from_others(attack):
    truth, guess = guess_at(q.guesses.Membership(), attack)
    members, scores = members_and_scores(truth, guess)
    assert scores[members].mean() > scores[~members].mean() + 0.2


def test_each_table_counts_by_itself_and_nobody_gains_by_having_no_rows():
    people = Clinic(rows=40).data(np.random.default_rng(2)).people
    half = people.take(np.arange(20))
    scores = nearness(people, half)
    assert scores[:20].mean() > scores[20:].mean() + 1
    slow = np.zeros(people.size)
    for name, branch in people.tables.items():
        own, released = (Table(b.rows.schema, b.rows.columns) for b in (branch, half.tables[name]))
        distance, _ = nearest(own, released, gower(own.schema, [own, released]))
        means = {i: -distance[branch.person == i].mean() for i in set(branch.person.tolist())}
        middle, spread = np.mean([*means.values()]), np.std([*means.values()])
        for person, mean in means.items():
            slow[person] += (mean - middle) / spread
    assert scores == pytest.approx(slow)
    first = next(iter(people.tables))
    nothing = nearness(people.only([first]), half.loose())
    assert np.isfinite(nothing).all() and (nothing != scores).any()


def test_absent_people_get_no_pseudonym():
    truth, guess = guess_at(q.guesses.Naming(absent=True), "histories")
    true, given = pseudonyms_and_guesses(truth, guess)
    assert ((true == "") == (given == "")).mean() >= 0.8


def test_every_attack_on_tables_can_be_named():
    _, guess = guess_at(q.guesses.Membership(), "aggregates", attack={"use": "density-ratio"})
    assert not isinstance(guess, Refusal)


def test_an_attack_for_another_question_is_refused_in_its_words():
    _, outcome = guess_at(q.guesses.Naming(), "aggregates", attack={"use": "density-ratio"})
    assert isinstance(outcome, Refusal) and isinstance(outcome.error, KnowledgeError)
    assert "density-ratio-v1 answers questions about membership" in outcome.reason


def test_a_wrong_attack_is_told_when_it_is_built():
    with pytest.raises(Exception, match="unknown attack 'neerest'"):
        q.part("attack/aggregates", attack={"use": "neerest"})


def test_the_benchmark_names_people_by_a_few_rows():
    data = Clinic(rows=60).data(np.random.default_rng(1))
    first, changed = methods(data).values()
    assert named(data, first, None, "histories").value > 0.9
    assert named(data, changed, None, "histories").value > named(data, changed, 1, "random").value
