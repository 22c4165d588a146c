"""Wording: what entries are and what was claimed for them."""

from __future__ import annotations

from quintain.contests.words import entry_words, sentence, settings
from quintain.rankings import Entry
from quintain.releases import Claim, Method, ReleaseCard
from quintain.sanitizers.masking.deletion import SmallClassDeletion
from tests.figures import report_cases as cases

PIPELINE = {
    "use": "pipeline",
    "steps": [{"use": "small-class-deletion", "k": 3}, {"use": "rr", "keep": 0.5}],
}


def test_a_claim_says_epsilon_delta_and_what_changes() -> None:
    assert (
        Claim(epsilon=12.3456, neighbours="replace", unit="household").words()
        == "epsilon 12.35, one household replaced, public domain"
    )


def test_an_organisers_entry_is_told_by_its_card_and_its_settings() -> None:
    track = cases.edition(sanitizer=[{"use": "rr", "keep": 0.9}]).track[0]
    (name,) = track.entries
    method = Method(name="randomized response", detail="each value kept with probability 0.9")
    card = ReleaseCard(claim=Claim(epsilon=2), methods=(method,))
    words = entry_words(track, Entry(name), card)
    assert words.done == "Randomized response: each value kept with probability 0.9"
    assert words.settings == "rr: keep 0.9, draw domain"
    assert words.claim == "epsilon 2, one row added or removed, public domain"


def test_without_a_card_the_sanitizer_speaks_for_itself() -> None:
    track = cases.edition(sanitizer=[{"use": "rr", "keep": 0.9}]).track[0]
    (name,) = track.entries
    words = entry_words(track, Entry(name), ReleaseCard())
    assert words.done.startswith("Keeps each value with probability 0.9, otherwise")
    assert words.claim == ""


def test_a_pipeline_is_told_step_by_step_when_its_methods_are_too_long() -> None:
    track = cases.edition(sanitizer=[PIPELINE]).track[0]
    (name,) = track.entries
    long = ReleaseCard(methods=(Method(name="masking", detail="x" * 300),))
    words = entry_words(track, Entry(name), long)
    assert words.done.startswith("Deletes every record")
    assert " Then: Keeps each value with probability 0.5" in words.done
    assert words.settings == "pipeline: small-class-deletion: k 3; then rr: keep 0.5, draw domain"


def test_a_team_that_said_nothing_is_told_so() -> None:
    track = cases.edition().track[0]
    words = entry_words(track, Entry("red", "red"), ReleaseCard())
    assert words.done == "The team did not say what it did."


def test_parameters_stand_in_the_sentence() -> None:
    part = SmallClassDeletion(k=5, columns=("age", "sex"))
    assert "fewer than 5 records" in sentence(part)
    assert settings(part) == "small-class-deletion: k 5, columns age and sex"
