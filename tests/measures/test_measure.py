"""What every measure says about itself."""

import numpy as np
import pytest

from quintain import registry
from quintain.data import Table
from quintain.guesses import Guess, Truth
from quintain.guesses.membership import Membership
from quintain.measures import Case, GuessMeasure, ReleaseMeasure, reading_rng
from quintain.measures.privacy.membership_accuracy import ConfidenceWeighted

MEASURES = [
    cls for cls in registry.parts("measure") if cls.__module__.startswith("quintain.measures.")
]


@pytest.mark.parametrize("cls", MEASURES, ids=lambda cls: cls.id)
def test_a_measure_is_shelved_by_what_it_is_about(cls):
    assert cls.__module__.startswith(f"quintain.measures.{cls.about}.")


@pytest.mark.parametrize("cls", MEASURES, ids=lambda cls: cls.id)
def test_a_measure_reads_guesses_or_releases(cls):
    assert issubclass(cls, GuessMeasure) != issubclass(cls, ReleaseMeasure)


def test_measures_of_releases_can_be_about_privacy():
    release_ids = {cls.id for cls in MEASURES if issubclass(cls, ReleaseMeasure)}
    private = {cls.id for cls in MEASURES if cls.about == "privacy"}
    assert release_ids & private == {
        "measure/content-link-v1",
        "measure/disco-v1",
        "measure/generalisation-gap-v1",
        "measure/population-uniques-v1",
        "measure/replicated-uniques-v1",
        "measure/shopping-baselines-v1",
        "measure/smallest-class-v1",
        "measure/suda-v1",
        "measure/unicity-v1",
    }


def test_published_readings_are_drawn_alike_for_everybody():
    assert reading_rng().integers(1000, size=5).tolist() == (
        np.random.default_rng(0).integers(1000, size=5).tolist()
    )


def membership_case(seed):
    rng, goal = np.random.default_rng(seed), Membership()
    names, members = np.arange(40), rng.random(40) < 0.5
    truth = Table(goal.truth_schema(None), {"target": names, "member": members})
    guess = Table(goal.guess_schema(None), {"target": names, "probability": rng.random(40)})
    return Case(Truth(truth), Guess(guess))


def test_a_measure_draws_from_the_generator_it_is_given():
    def read(seed):
        one = ConfidenceWeighted().measure([membership_case(1)], rng=np.random.default_rng(seed))
        return one["confidence_weighted"]

    assert read(5) == read(5)
    assert read(5).value == read(6).value
    assert (read(5).low, read(5).high) != (read(6).low, read(6).high)


def test_repetitions_of_one_size_share_their_draws():
    twice = [membership_case(1), membership_case(1)]
    one = ConfidenceWeighted().measure(twice[:1], rng=reading_rng())["confidence_weighted"]
    both = ConfidenceWeighted().measure(twice, rng=reading_rng())["confidence_weighted"]
    assert (both.low, both.high) == (one.low, one.high)
