"""Releases: the published facts, and the claim."""

from dataclasses import fields

import pytest
from pydantic import ValidationError

from quintain.releases import (
    Claim,
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
RELEASE = Release(DATA, CLAIM, METHODS, test=True)


def test_a_release_has_no_place_for_what_its_sanitizer_remembers():
    assert [field.name for field in fields(Release)] == ["data", "claim", "methods", "test"]
    result = Sanitized(RELEASE, Trace((FocalPoint(("colour",), given=("size",)),)))
    assert not hasattr(result.release, "trace")


def test_a_sanitizer_may_remember_nothing():
    assert Sanitized(RELEASE).trace == Trace(focal_points=())


def test_card_and_data_together_are_the_release():
    card = ReleaseCard.model_validate_json(ReleaseCard.of(RELEASE).model_dump_json())
    again = card.release(DATA)
    for name in ("data", "claim", "methods", "test"):
        assert getattr(again, name) == getattr(RELEASE, name)


def test_nothing_need_be_claimed():
    card = ReleaseCard.of(Release(DATA))
    assert (card.claim, card.methods, card.test) == (None, (), False)


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


def test_a_focal_point_reads_like_a_formula():
    assert str(FocalPoint(("a", "b"))) == "p(a, b)"
    assert str(FocalPoint(("a",), given=("b", "c"))) == "p(a | b, c)"
    assert sorted({FocalPoint(("b",)), FocalPoint(("a",)), FocalPoint(("a",))}) == [
        FocalPoint(("a",)),
        FocalPoint(("b",)),
    ]
