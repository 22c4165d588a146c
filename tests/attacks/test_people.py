"""Attacks on people: whole histories, aggregates, and what they refuse."""

import numpy as np
import pytest

import quintain as q
from quintain.errors import KnowledgeError
from quintain.guesses.membership import members_and_scores
from quintain.guesses.naming import pseudonyms_and_guesses
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


@pytest.mark.parametrize("attack", ATTACKS)
def test_members_are_told_from_others(attack):
    truth, guess = guess_at(q.guesses.Membership(), attack)
    members, scores = members_and_scores(truth, guess)
    assert scores[members].mean() > scores[~members].mean() + 0.2


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
