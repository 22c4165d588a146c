"""Pseudonyms that teams choose: text to everybody who opens the published file."""

import pytest

from quintain.data import Column, Schema
from quintain.data.columns import Columns
from quintain.errors import Faults
from quintain.runs.submissions.checking import check_free_text

SCHEMA = Schema(
    columns=(Column(name="who", kind="id"), Column(name="n", kind="integer", low=-9, high=9))
)


def sentences(*texts):
    faults = Faults("release.csv", first_line=2)
    check_free_text(Columns(SCHEMA, {"who": list(texts), "n": [0] * len(texts)}), faults)
    return [str(fault) for fault in faults]


@pytest.mark.parametrize("text", ["=1+1", "+A1", "@SUM(A1)", "-A1", "=cmd|' /C calc'!A0", "-"])
def test_a_formula_is_refused_with_its_line(text):
    (fault,) = sentences("p1", text)
    assert fault == (
        f"release.csv:3 who={text!r}: a spreadsheet would run this text as a formula; begin it "
        "with a letter or a digit"
    )


@pytest.mark.parametrize("text", ["a\u202eb", "a\x85", "\u200ba", "a\u2066"])
def test_a_character_that_hides_is_refused(text):
    (fault,) = sentences(text)
    assert fault.endswith("contains a character that cannot be seen; use letters, digits and marks")
    assert fault.isprintable()


def test_plain_texts_and_negative_numbers_are_taken():
    assert sentences("p1", "DEL", "-5", "-5.25", "a=b", "é", "名") == []
    assert sentences() == []
