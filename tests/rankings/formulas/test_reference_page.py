"""The reference page of formulas: every function is there, and every example gives its value."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from quintain.rankings.formulas.functions import ALIASES, COMPUTE, FUNCTIONS
from quintain.rankings.formulas.tree import BOARD_FUNCTIONS
from tests.rankings.formulas.plain_lookup import value_of

PAGE = Path(__file__).resolve().parents[3] / "docs/reference/formulas.md"
ROW = re.compile(r"\| `(\w+)(\([^`]*\))` \| ([^|]+) \| `([^`]+)` \| ([0-9.]+) \|")
ROWS = {match[1]: match for match in ROW.finditer(PAGE.read_text("utf-8"))}

GIVEN = {
    "lists": {"rate": {"a": "0.2", "b": "0.5", "c": "0.3"}},
    "numbers": {"utility": "0.75"},
    "own": ("me",),
    "places": {"first": [["b"], ["me"], ["a"], ["c"]]},
    "scores": {"first": 10},
    "ranks": {"first": 2},
}


def test_the_page_has_every_function():
    assert list(ROWS) == list(FUNCTIONS)
    assert set(FUNCTIONS) == {*COMPUTE, *BOARD_FUNCTIONS, "reading"}
    assert not set(ALIASES) & set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_page_says_what_the_program_says(name):
    _, usage, says, example, value = ROWS[name].groups()
    assert (name + usage, says) == (FUNCTIONS[name].usage, FUNCTIONS[name].says)
    assert value_of(example, **GIVEN) == Fraction(value)
