"""The baseline attacks: what they must find, what they cannot, and what they need to know."""

import numpy as np
import pytest

from quintain.attacks import Knowledge
from quintain.attacks.membership.copies import ExactMatch, occurs
from quintain.attacks.nearest import Nearest
from quintain.attacks.random import Random
from quintain.data import Column, Schema, Table
from quintain.errors import KnowledgeError
from quintain.guesses import members_and_scores
from quintain.guesses.attribute import Attribute
from quintain.guesses.membership import Membership
from quintain.guesses.membership_set import MembershipSet
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.roc_curve import Auc
from quintain.randomness.noise import Noise
from quintain.releases import Release
from quintain.samples.sample import Subset
from quintain.samples.targets import Targets
from quintain.sanitizers import sanitize
from quintain.sanitizers.identity import Identity

SCHEMA = Schema(
    columns=(
        Column(name="home", kind="id", role="household"),
        Column(name="age", kind="integer", low=0, high=999),
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="ill", kind="category", values=("no", "a bit", "very"), role="secret"),
    )
)
SETUP = Targets(targets=60, background=100)


def population(rows=300):
    """Everybody is different, also without the hidden column."""
    rng = np.random.default_rng(7)
    columns = {
        "home": np.arange(rows) // 3,
        "age": rng.permutation(rows) * 3,
        "sex": rng.integers(2, size=rows),
        "ill": rng.integers(3, size=rows),
    }
    return Table(SCHEMA, columns)


def published(goal, design, seed=1):
    """A sample published as it is, and the question about it."""
    sample = design.draw(population(), rng=np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    release = sanitize(Identity(), sample.private, rng=rng, noise=Noise.for_test(seed)).release
    return sample, release, *goal.ask(sample, release)


def guessed(attacker, question, release, base=None, seed=1):
    knowledge = Knowledge(question, base)
    return attacker.infer(knowledge, release, rng=np.random.default_rng(seed))


# --- membership -----------------------------------------------------------------------------------


def test_exact_match_on_published_data_is_certain_of_everybody():
    _, release, question, truth = published(Membership(), SETUP)
    members, scores = members_and_scores(truth, guessed(ExactMatch(), question, release))
    assert scores.tolist() == members.astype(float).tolist()


@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "gower"])
def test_nearest_on_published_data_puts_every_member_before_everybody_else(distance):
    _, release, question, truth = published(Membership(), SETUP)
    members, scores = members_and_scores(
        truth, guessed(Nearest(distance=distance), question, release)
    )
    assert scores[members].min() > scores[~members].max()


def test_members_at_the_same_distance_get_the_same_probability():
    _, release, question, truth = published(Membership(), SETUP)
    members, scores = members_and_scores(truth, guessed(Nearest(), question, release))
    assert len(set(scores[members])) == 1


def test_a_household_is_scored_by_the_share_of_its_records_that_are_found():
    _, release, question, truth = published(
        Membership(), Targets(targets=20, unit="household", background=0)
    )
    # One of the three persons of the first member is taken out of the release.
    first = truth.table.columns["target"][truth.table.columns["member"] == 1][0]
    record = question.records().take(question.table.columns["target"] == first).take([0])
    rest = Release(release.data.take(~occurs(release.data, record)))
    members, scores = members_and_scores(truth, guessed(ExactMatch(), question, rest))
    assert sorted(set(scores[members])) == pytest.approx([2 / 3, 1])
    assert not scores[~members].any()


def test_exact_match_against_records_that_all_changed_finds_nobody():
    _, release, question, _ = published(Membership(), SETUP)
    moved = release.data.replace({"age": release.data.columns["age"] + 1})
    guess = guessed(ExactMatch(), question, Release(moved))
    assert not guess.table.columns["probability"].any()


def test_nearest_still_finds_records_that_all_changed_a_little():
    _, release, question, truth = published(Membership(), SETUP)
    moved = release.data.replace({"age": release.data.columns["age"] + 1})
    members, scores = members_and_scores(truth, guessed(Nearest(), question, Release(moved)))
    assert scores[members].min() > scores[~members].max()


def test_the_random_attacker_is_at_chance():
    cases = []
    for seed in range(30):
        _, release, question, truth = published(Membership(), SETUP, seed)
        cases.append(Case(truth, guessed(Random(), question, release, seed=seed)))
    reading = Auc().measure(cases, rng=reading_rng())["auc"]
    # One AUC of 30 against 30 has a standard error of 0.075; the mean of 30 has 0.014.
    assert abs(reading.value - 0.5) < 4 * 0.014


def test_occurs_compares_whole_records_by_the_columns_of_the_release():
    rows = population(4)
    release = rows.take([2, 0]).select(["ill", "sex", "age"])
    assert occurs(rows, release).tolist() == [True, False, True, False]
    other = release.replace({"ill": (release.columns["ill"] + 1) % 3})
    assert not occurs(rows, other).any()


# --- membership set -------------------------------------------------------------------------------


@pytest.mark.parametrize("attacker", [ExactMatch(), Nearest(), Nearest(distance="manhattan")])
@pytest.mark.parametrize("guesses", [1, 25, 50])
def test_a_set_named_on_published_data_is_all_members(attacker, guesses):
    sample, release, question, truth = published(MembershipSet(guesses=guesses), Subset(rows=50))
    rows = guessed(attacker, question, release, sample.population).table.columns["row"]
    assert len(set(rows.tolist())) == guesses
    assert set(rows.tolist()) <= set(truth.table.columns["row"].tolist())


@pytest.mark.parametrize("attacker", [ExactMatch(), Nearest()])
def test_a_set_larger_than_the_matches_is_filled_up(attacker):
    sample, release, question, truth = published(MembershipSet(guesses=80), Subset(rows=50))
    rows = guessed(attacker, question, release, sample.population).table.columns["row"].tolist()
    assert len(set(rows)) == 80
    assert set(rows[:50]) == set(truth.table.columns["row"].tolist())


def test_a_random_set_is_at_chance():
    hits = 0
    for seed in range(40):
        _, release, question, truth = published(MembershipSet(guesses=30), Subset(rows=100), seed)
        rows = guessed(Random(), question, release, seed=1000 + seed).table.columns["row"]
        hits += np.isin(rows, truth.table.columns["row"]).sum()
    # 1200 guesses, one in three right: 400, standard deviation below sqrt(1200 * 2 / 9) = 16.
    assert abs(hits - 400) < 4 * 16


@pytest.mark.parametrize("attacker", [ExactMatch(), Nearest()])
def test_naming_rows_of_a_population_that_is_not_given_is_refused(attacker):
    _, release, question, _ = published(MembershipSet(guesses=5), Subset(rows=50))
    with pytest.raises(KnowledgeError, match=r"^attackers do not get the base data$"):
        guessed(attacker, question, release)


# --- attribute ------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "gower"])
def test_nearest_on_published_data_knows_the_hidden_value_of_every_member(distance):
    _, release, question, truth = published(Attribute(column="ill"), SETUP)
    guess = guessed(Nearest(distance=distance), question, release)
    right = guess.table.columns["ill"] == truth.table.columns["ill"]
    members = truth.table.columns["member"] == 1
    assert right[members].all()
    # Of the others it can only guess: three values, so about one in three.
    assert 0.05 < right[~members].mean() < 0.7


@pytest.mark.parametrize("attacker", [ExactMatch(), Nearest(), Random()])
def test_the_same_seed_gives_the_same_guess(attacker):
    sample, release, question, _ = published(MembershipSet(guesses=80), Subset(rows=50))
    once, again = (guessed(attacker, question, release, sample.population, 3) for _ in range(2))
    assert once.table.equals(again.table)
