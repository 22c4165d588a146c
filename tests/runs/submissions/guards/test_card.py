"""Cards of teams: short plain texts, because everybody gets to read them."""

import json

import pytest

from quintain.errors import Faults
from quintain.releases import ReleaseCard
from quintain.runs.submissions.checking import check_card


def sentences(card):
    faults = Faults("card.json")
    check_card(card if isinstance(card, bytes) else json.dumps(card).encode(), faults)
    return [str(fault) for fault in faults]


def method(**fields):
    return {"methods": [{"name": "noise", **fields}]}


def test_an_honest_card_is_taken():
    assert sentences(method(columns=["age"], rows=5, detail="Laplace,\nscale 2")) == []
    questionnaire = [{"name": "pk-anonymity", "value": 2.5}, {"name": "mine", "value": -1}]
    assert sentences({"models": questionnaire, "claim": {"epsilon": 1, "delta": 0.01}}) == []


@pytest.mark.parametrize(
    ("card", "sentence"),
    [
        (b" " * 64_001, "card.json: 64001 bytes; the limit is 64000"),
        (
            method(detail="x" * 2001),
            "card.json methods.0.detail: 2001 characters; the limit is 2000",
        ),
        (
            method(detail="\x1b[2J"),
            r"card.json methods.0.detail='\x1b[2J': contains a character that cannot be shown",
        ),
        (
            method(columns=["a"] * 1001),
            "card.json methods.0.columns: 1001 columns; the limit is 1000",
        ),
        (
            {"methods": [{"name": "noise"}] * 101},
            "card.json methods: 101 entries; the limit is 100",
        ),
        (
            {"claim": {"epsilon": 1, "unit": "r\u202eow"}},
            r"card.json claim.unit='r\u202eow': contains a character that cannot be shown",
        ),
        (
            {"models": [{"name": "k-anonymity", "value": 0}]},
            "card.json models.0: Value error, k of k-anonymity is at least 1",
        ),
        (
            {"models": [{"name": "x", "value": 1}] * 101},
            "card.json models: 101 entries; the limit is 100",
        ),
        ({"claim": {"epsilon": -1}}, "card.json claim.epsilon: Input should be greater than 0"),
        (
            b'{"claim": {"epsilon": 1e999}}',
            "card.json claim.epsilon: Input should be a finite number",
        ),
        (
            {"claim": {"epsilon": "inf"}},
            "card.json claim.epsilon: Input should be a finite number",
        ),
    ],
)
def test_a_card_that_is_no_short_plain_text_is_refused(card, sentence):
    assert sentences(card) == [sentence]


def test_a_deep_card_is_refused():
    (fault,) = sentences(b"[" * 60_000)
    assert "recursion limit" in fault


def test_what_is_published_cannot_end_a_script_on_a_page():
    card = ReleaseCard.model_validate(method(detail="</script>&"))
    content = card.to_bytes()
    assert not set(b"<>&") & set(content)
    assert ReleaseCard.model_validate_json(content) == card
