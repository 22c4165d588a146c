"""Words of texts: folded alike whatever their form, and no text is too odd."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.audits.texts.words import fold, number_words


def folded(text):
    words = number_words(pa.array([text]))
    return [fold(words.spellings[word]) for word in words.spelled]


def test_case_spaces_and_punctuation_do_not_count():
    first, second = "Dr. Anna-Maria  O’Neil (b. 17.04.1961)!", "dr anna maria o neil\nB 17/04/1961"
    assert folded(first) == folded(second)


def test_invisible_characters_do_not_cut_words():
    assert folded("se\u00adcret\u200b") == ["secret"]


def test_scripts_without_spaces_are_read_character_by_character():
    assert folded("東京都です") == list("東京都です")
    assert folded("สวัสดี 12") == [*"สวัสดี", "12"]
    assert folded("مرحبا بالعالم") == ["مرحبا", "بالعالم"]
    assert folded("ok 👍👍") == ["ok", "👍", "👍"]


def test_names_and_numbers_are_told_from_plain_words():
    words = number_words(pa.array(["Anna met 1234 of x77, 12 A a1b2c3"]))
    told = {words.spellings[word] for word in words.spelled if words.telling[word]}
    assert told == {"Anna", "1234", "a1b2c3"}


def test_texts_without_words_keep_their_place():
    words = number_words(pa.array(["", None, " .,; ", "one two", "!"]))
    assert words.starts.tolist() == [0, 0, 0, 0, 2, 2]
    assert number_words(pa.array([], pa.string())).starts.tolist() == [0]


@pytest.mark.slow
@given(st.lists(st.text(), max_size=6))
def test_any_texts_are_numbered_as_they_fold(texts):
    words = number_words(pa.array(texts, pa.string()))
    assert len(words.starts) == len(texts) + 1
    assert words.starts[-1] == len(words)
    spelled = [fold(words.spellings[word]) for word in words.spelled]
    numbers = {}
    for number, word in zip(words.numbers.tolist(), spelled, strict=True):
        assert numbers.setdefault(number, word) == word
    assert len(set(numbers.values())) == len(numbers)
    assert np.array_equal(
        words.text_of_place(), np.repeat(np.arange(len(texts)), np.diff(words.starts))
    )
