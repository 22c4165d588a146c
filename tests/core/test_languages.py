"""Texts that are told in English and said to a reader later, whoever carried them."""

import json
import pickle

import pytest

from quintain.errors import Fault, QuotaUsed, Rejected
from quintain.wording.languages import (
    Language,
    Told,
    install,
    plain_text,
    retell,
    speaking,
    tell,
    tell_commas,
    tell_count,
    text_of,
)


class Shouted(Language):
    """A language that a test can tell from English."""

    group = " "

    def text(self, text, context=""):
        return f"¡{text}!"

    def text_for(self, one, many, n):
        return f"¡{super().text_for(one, many, n)}!"


@pytest.fixture(autouse=True)
def _language():
    install({"shouted": Shouted()})


def said(text):
    with speaking("shouted"):
        return retell(text)


def test_a_told_text_is_english_and_can_be_said():
    with speaking("shouted"):
        told = tell("has %(n)s rows of %(what)s", n=12345, what="age")
    assert told == "has 12345 rows of age"
    assert said(told) == "¡has 12 345 rows of age!"


def test_values_that_are_texts_are_said_too():
    told = tell("expected %(what)s", what=tell_count("%(n)s row", "%(n)s rows", 2))
    assert told == "expected 2 rows"
    assert said(told) == "¡expected ¡2 rows!!"
    assert said(tell_commas([tell("a"), tell("b")])) == "¡a!, ¡b!"


def test_other_texts_stay_as_they_are():
    assert said("100 %") == "100 %"


@pytest.mark.parametrize(
    "told",
    [
        tell("plain, 100 %%"),
        tell("at %(place)s", place=tell("line %(n)s", n=3)),
        tell_count("%(n)s file of %(all)s", "%(n)s files of %(all)s", 2, all=9),
    ],
)
@pytest.mark.parametrize(
    "carry",
    [
        lambda told: text_of(json.loads(json.dumps(plain_text(told)))),
        lambda told: pickle.loads(pickle.dumps(told)),
    ],
)
def test_a_text_survives_a_file_and_another_process(told, carry):
    back = carry(told)
    assert isinstance(back, Told)
    assert back == told
    assert said(back) == said(told)


def deep(levels):
    text = "x"
    for _ in range(levels):
        text = {"text": "%(a)s", "values": {"a": text}}
    return text


@pytest.mark.parametrize(
    "plain",
    [
        None,
        7,
        ["a"],
        {"text": "a"},
        {"text": "%(b)s", "values": {"a": 1}},
        {"text": "%(a)999999999d", "values": {"a": 1}},
        {"text": "%d", "values": {}},
        {"text": "%(a)s", "values": {"a": None}},
        {"text": "%(a)s", "values": {"a": 1}, "many": "%(a)r", "n": 2},
        {"text": "a", "values": {}, "many": "b", "n": "2"},
        {"text": "a" * 10_000, "values": {}},
        deep(9),
    ],
)
def test_what_stands_for_no_text_is_refused(plain):
    with pytest.raises(ValueError, match="not a text with values"):
        text_of(plain)


def test_a_fault_is_written_in_english_and_said_in_any_language():
    fault = Fault(tell("at least %(n)s", n=8), "a.csv", 3, "age", "x", character=2)
    assert str(fault) == "a.csv:3 age='x': character 2: at least 8"
    with speaking("shouted"):
        assert fault.say() == "a.csv:3 age='x': ¡character 2: ¡at least 8!!"
        assert str(fault) == "a.csv:3 age='x': character 2: at least 8"


def test_an_error_is_said_in_any_language():
    refused = QuotaUsed(tell("nothing is left"))
    rejected = Rejected([Fault(tell("is empty"), "a.csv")], total=3)
    with speaking("shouted"):
        assert (str(refused), refused.say()) == ("nothing is left", "¡nothing is left!")
        assert str(rejected) == "a.csv: is empty\n... and 2 more"
        assert rejected.say() == "a.csv: ¡is empty!\n¡... and 2 more!"
        assert pickle.loads(pickle.dumps(refused)).say() == "¡nothing is left!"
