"""Canonical JSON: one text for one value, and the value read back from it."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.commitment import canonical_json

plain_texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=5)
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | plain_texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain_texts, inner, max_size=3),
    max_leaves=8,
)


def test_json_is_sorted_indented_and_ends_in_a_line_feed():
    assert canonical_json({"b": [1, 2], "a": {"d": None, "c": True}}) == (
        b'{\n  "a": {\n    "c": true,\n    "d": null\n  },\n  "b": [\n    1,\n    2\n  ]\n}\n'
    )


def test_infinity_is_a_number_that_reads_back_as_infinity():
    text = canonical_json({"high": math.inf, "low": -math.inf, "all": [math.inf, (-math.inf,)]})
    assert b'"high": 1e999' in text
    assert b'"low": -1e999' in text
    assert json.loads(text) == {"high": math.inf, "low": -math.inf, "all": [math.inf, [-math.inf]]}


def test_not_a_number_is_null():
    assert json.loads(canonical_json({"value": math.nan, "list": [math.nan]})) == {
        "value": None,
        "list": [None],
    }


def test_the_word_infinity_stays_a_word():
    value = {"infinity": "infinity", "text": '"\\u0000infinity"', "minus": "-infinity"}
    value |= {"Infinity": "-Infinity", "NaN": 'x"NaN', "nul": "\0infinity", "\\": "\\"}
    assert json.loads(canonical_json(value)) == value


def test_letters_of_all_scripts_are_written_as_they_are():
    assert canonical_json(["Zürich", "中"]).decode() == '[\n  "Zürich",\n  "中"\n]\n'


def test_tuples_are_lists():
    assert canonical_json((1, (2,))) == canonical_json([1, [2]])


@settings(deadline=None)
@given(plain_values)
def test_json_reads_back_as_what_was_written(value):
    assert json.loads(canonical_json(value)) == value


@pytest.mark.slow
@settings(deadline=None)
@given(st.dictionaries(plain_texts, plain_values, max_size=5), st.randoms())
def test_the_order_of_a_dictionary_does_not_matter(value, random):
    items = list(value.items())
    random.shuffle(items)
    assert canonical_json(dict(items)) == canonical_json(value)


@settings(deadline=None)
@given(plain_values)
def test_writing_what_was_read_gives_the_same_bytes(value):
    text = canonical_json(value)
    assert canonical_json(json.loads(text)) == text
