"""Releases: the published facts, and the claim."""

from dataclasses import fields

import pytest
from pydantic import ValidationError

from quintain.releases import (
    Claim,
    ClaimedModel,
    FocalPoint,
    Method,
    Release,
    ReleaseCard,
    Sanitized,
    Trace,
)
from quintain.testing import example_table

DATA = example_table(rows=20)
CLAIM = Claim(epsilon=1.5, delta=1e-6, neighbours="replace", unit="household")
METHODS = (Method(name="noise addition", columns=("size",), rows=7, detail="scale 2"),)
MODELS = (ClaimedModel(name="k-anonymity", value=5, columns=("size",)),)
RELEASE = Release(DATA, CLAIM, METHODS, test=True, models=MODELS)


def test_a_release_has_no_place_for_what_its_sanitizer_remembers():
    names = [field.name for field in fields(Release)]
    assert names == ["data", "claim", "methods", "test", "models", "no_claim", "weights"]
    result = Sanitized(RELEASE, Trace((FocalPoint(("colour",), given=("size",)),)))
    assert not hasattr(result.release, "trace")


def test_a_sanitizer_may_remember_nothing():
    assert Sanitized(RELEASE).trace == Trace(focal_points=())


def test_card_and_data_together_are_the_release():
    card = ReleaseCard.model_validate_json(ReleaseCard.of(RELEASE).model_dump_json())
    again = card.release(DATA)
    for name in ("data", "claim", "methods", "test", "models"):
        assert getattr(again, name) == getattr(RELEASE, name)


def test_nothing_need_be_claimed():
    card = ReleaseCard.of(Release(DATA))
    assert (card.claim, card.methods, card.test, card.models) == (None, (), False, ())
    assert b"models" not in card.to_bytes()  # cards without them stay as they were


@pytest.mark.parametrize(
    "facts",
    [
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "delta": -1e-9},
        {"epsilon": 1, "neighbours": "swap"},
        {"delta": 0.1},
        {"epsilon": 1, "sigma": 3},
    ],
)
def test_a_claim_that_claims_nothing_is_refused(facts):
    with pytest.raises(ValidationError):
        Claim(**facts)


@pytest.mark.parametrize(
    ("name", "value"),
    [("k-anonymity", 0), ("pk-anonymity", 0.5), ("delta-presence", 1.1), ("", 1)],
)
def test_a_privacy_model_with_an_impossible_value_is_refused(name, value):
    with pytest.raises(ValidationError):
        ClaimedModel(name=name, value=value)


def test_any_other_privacy_model_may_be_claimed():
    release = Release(DATA, models=(ClaimedModel(name="m-invariance", value=3),))
    assert "claimed: m-invariance with value = 3" in repr(release)


def test_a_focal_point_reads_like_a_formula():
    assert str(FocalPoint(("a", "b"))) == "p(a, b)"
    assert str(FocalPoint(("a",), given=("b", "c"))) == "p(a | b, c)"
    assert sorted({FocalPoint(("b",)), FocalPoint(("a",)), FocalPoint(("a",))}) == [
        FocalPoint(("a",)),
        FocalPoint(("b",)),
    ]
