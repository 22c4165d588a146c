"""Releases: what is published of them, and what is claimed."""

import pytest
from pydantic import ValidationError

from quintain.releases import Claim, FocalPoint, Method, Release, ReleaseCard
from quintain.testing import example_table

DATA = example_table(rows=20)
CLAIM = Claim(epsilon=1.5, delta=1e-6, neighbours="replace", unit="household")
METHODS = (Method(name="noise addition", columns=("size",), rows=7, detail="scale 2"),)
RELEASE = Release(DATA, CLAIM, METHODS, True, (FocalPoint(("colour",), given=("size",)),))


def test_what_a_sanitizer_chose_to_preserve_is_not_published():
    published = RELEASE.published()
    assert published.focal_points == ()
    assert (published.data, published.claim, published.methods) == (DATA, CLAIM, METHODS)
    assert published.test
    assert RELEASE.focal_points


def test_a_card_has_the_facts_and_not_the_focal_points():
    text = ReleaseCard.of(RELEASE).model_dump_json()
    assert "household" in text
    assert "focal" not in text
    assert "colour" not in text


def test_card_and_data_together_are_the_published_release():
    card = ReleaseCard.model_validate_json(ReleaseCard.of(RELEASE).model_dump_json())
    again, published = card.release(DATA), RELEASE.published()
    for name in ("data", "claim", "methods", "test", "focal_points"):
        assert getattr(again, name) == getattr(published, name)


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
