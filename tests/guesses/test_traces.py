"""Goals about trajectories: who is who, and who was where."""

import numpy as np
import pytest

import quintain as q
from quintain.data import as_trajectories
from quintain.errors import Faults, PartError
from quintain.guesses import Guess
from quintain.guesses.naming import pseudonyms_and_guesses
from quintain.guesses.trace import true_and_guessed_cells
from quintain.releases import Release, publication
from quintain.samples.sample import Whole
from quintain.testing import example
from quintain.testing.examples import exercise, experiment

RNG = np.random.default_rng


def test_the_truth_is_the_pseudonym_of_each_person() -> None:
    question, truth, sample, release = exercise(q.part("goal/pseudonym"), "trajectories")
    private, published = as_trajectories(sample.private), as_trajectories(release.data)
    for person, pseudonym in enumerate(truth.table.columns["pseudonym"].tolist()):
        assert (
            private.take([person]).cells().tolist() == published.take([pseudonym]).cells().tolist()
        )
    assert question.known_traces().times().max() < private.times().min()


def test_a_swapped_trajectory_stands_for_its_new_name() -> None:
    sample, _ = experiment("trajectories")
    private = as_trajectories(sample.private)
    turned = np.roll(np.arange(len(private)), 1)
    release = Release(private.take(turned).with_ids(private.ids))
    published = publication(release.data, None, rng=RNG(5))
    goal = q.part("goal/pseudonym")
    _, truth = goal.ask_published(sample, release, published, rng=RNG(6))
    shown = as_trajectories(published.data)
    for person, pseudonym in enumerate(truth.table.columns["pseudonym"].tolist()):
        content = private.take([turned[person]]).cells().tolist()
        assert shown.take([pseudonym]).cells().tolist() == content


def test_people_who_are_made_up_stand_for_nobody() -> None:
    sample, release = experiment("trajectories")
    made = as_trajectories(release.data)
    strangers = Release(made.with_ids(np.array([f"made-{i}" for i in range(len(made))])))
    with pytest.raises(PartError, match="25 of 25 people have none"):
        q.part("goal/pseudonym").ask(sample, strangers)


def test_attackers_must_know_an_earlier_period() -> None:
    traces = example("trajectories")
    sample = Whole().draw(traces, rng=RNG(1))
    for goal in ("goal/pseudonym", "goal/trace"):
        with pytest.raises(PartError, match="use the sample design later"):
            q.part(goal).ask(sample, Release(sample.private))


def test_the_true_places_score_full_and_every_fault_of_a_guess_is_noted() -> None:
    goal = q.part("goal/trace")
    question, truth, sample, _ = exercise(goal, "trajectories")
    private = as_trajectories(sample.private)
    guess = question.answer_by_pseudonym(private, np.arange(len(private)), rng=RNG(1))
    _, _, true, guessed = true_and_guessed_cells(truth, guess)
    assert (true == guessed).all() and len(true) == (private.cells() >= 0).sum()
    rows = np.arange(len(guess.table))
    wrong = Guess(guess.table.take(np.concatenate([rows[2:], rows[5:6]])))
    faults = Faults("guess.csv", first_line=2)
    goal.check(wrong, question, faults)
    text = "\n".join(str(fault) for fault in faults)
    assert "answered before for this time, on line 5" in text
    assert "2 not answered" in text


def test_pseudonyms_that_do_not_exist_are_refused() -> None:
    goal = q.part("goal/pseudonym")
    question, truth, *_ = exercise(goal, "trajectories")
    faults = Faults("guess.csv", first_line=2)
    goal.check(question.answer(np.arange(len(question.known_traces())) + 5), question, faults)
    assert len(faults.findings) == 5 and "the pseudonyms are 0..24" in str(faults.findings[0])
    blind = question.blind(rng=RNG(3))
    true, guessed = pseudonyms_and_guesses(truth, blind)
    assert sorted(true.tolist()) == sorted(guessed.tolist())
