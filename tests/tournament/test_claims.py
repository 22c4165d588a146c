"""Claims: what the figures contradict, and what they leave standing."""

import pytest
from benchmarks.tournament.claims import Claim, has_figures, read_claims, refuted
from benchmarks.tournament.correction import corrected
from benchmarks.tournament.draws import plan_draws, play_draws
from pydantic import ValidationError

from quintain.errors import Refused
from quintain.jobs.executor import SERIAL
from quintain.measures import Reading


def claim(**changed):
    table = {"page": "a.md", "sentence": "So it is.", "arena": "small", "sanitizers": ["identity"]}
    return Claim.model_validate(table | changed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"at_most": 0.6}, True),
        ({"at_most": 0.99}, False),
        ({"at_least": 0.9}, False),
        ({"sanitizers": ["independent-1"], "at_least": 0.9}, True),
        ({"sanitizers": ["independent-*"], "at_most": 0.7}, False),
        ({"sanitizers": ["independent-*", "identity"], "at_most": 0.6}, True),
        ({"attack": "nearest", "at_most": 0.6}, True),
        ({"attack": "", "measure": "tv1", "at_most": 1}, False),
        ({"attack": "", "measure": "tv1", "at_least": 2}, True),
    ],
)
def test_an_interval_on_the_wrong_side_refutes(small, changed, wrong):
    _, outcome = small
    found = refuted([claim(**changed)], outcome.results)
    assert bool(found) is wrong
    assert all("So it is." in str(one) for one in found)


def test_more_claims_need_wider_intervals(small):
    _, outcome = small
    reading = outcome.results.arenas["small"].reading("rr", "nearest", "auc")
    low, _ = corrected(reading, 1)
    close = claim(sanitizers=["rr"], attack="nearest", at_most=low - 0.005)
    assert refuted([close], outcome.results)
    others = [claim(at_most=1)] * 30
    assert not refuted([close, *others], outcome.results)


def test_an_exact_value_has_no_interval_to_widen():
    assert corrected(Reading.exact(0.5, 9, "lower"), 100) == (0.5, 0.5)


def test_what_was_not_played_refutes_nothing(small):
    _, outcome = small
    for changed in ({"arena": "elsewhere"}, {"sanitizers": ["nobody"]}, {"attack": "nothing"}):
        absent = claim(**changed, at_most=0)
        assert not has_figures(absent, outcome.results)
        assert not refuted([absent], outcome.results)


def test_a_sentence_is_found_across_lines():
    assert claim(sentence="So it is.", at_most=1).stands_on("Yes. So\n it is. No.")
    assert not claim(sentence="So it was.", at_most=1).stands_on("So it is.")


def test_a_claim_promises_something(tmp_path):
    with pytest.raises(ValidationError, match="needs at_least, at_most, or both"):
        claim()
    (tmp_path / "claims.toml").write_text("nothing = 1\n")
    with pytest.raises(Refused, match="no file of claims"):
        read_claims(tmp_path / "claims.toml")


@pytest.mark.slow
def test_only_what_claims_speak_about_is_drawn(tmp_path):
    shop = {"arena": "darc", "at_most": 1}
    claims = [
        claim(**shop, sanitizers=["pseudonyms-m*"], attack="profile-assignment"),
        claim(**shop, sanitizers=["pseudonyms-month"], attack="", measure="content_link"),
    ]
    plans = list(plan_draws(claims, tmp_path, draws=2, size="quick"))
    assert [list(plan.track.entries) for plan in plans] == [["pseudonyms-month"]] * 2
    attacks = [one.id for plan in plans for one in plan.track.baseline]
    assert attacks == ["random", "profile-assignment"]
    results = play_draws(plans, size="quick", executor=SERIAL)
    assert results.arenas["darc"].sizes.repeats == 2
    assert set(results.arenas["darc"].cells["pseudonyms-month"]) == set(attacks)
    assert all(has_figures(one, results) for one in claims)
