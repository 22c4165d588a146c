"""Parsing formulas: what is a formula, and the character at which a text stops being one."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.rankings.formulas import FormulaError, boards_in, parse, readings_in
from tests.rankings.formulas.plain_lookup import value_of


def fault_of(text):
    with pytest.raises(FormulaError) as caught:
        parse(text)
    (fault,) = caught.value.faults
    return fault.character, fault.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("24 / 4 / 3", 2),
        ("-2 * -3", 6),
        ("--2", 2),
        ("2 - -2", 4),
        ("1.5e2 + .5", 150.5),
        ("3 > 2", 1),
        ("(1 < 2) * (2 < 2)", 0),
        ("1 == 1.0", 1),
        ("1 != 1.0", 0),
        (" max( 1 ,\n 2 ) ", 2),
    ],
)
def test_operators_bind_as_in_school(text, expected):
    assert value_of(text) == expected


@pytest.mark.parametrize(
    ("text", "character", "message"),
    [
        ("", 1, "the formula ends here; expected a number, a name or '('"),
        ("1 +", 4, "the formula ends here; expected a number, a name or '('"),
        ("2 * (1 + 3", 5, "this '(' has no closing ')'"),
        ("1 2", 3, "expected an operator, got '2'"),
        ("max(1, 2))", 10, "expected an operator, got ')'"),
        ("max(1 2)", 7, "expected ')' or an operator, got '2'"),
        ("1 < 2 < 3", 7, "two comparisons in a row; write (a < b) * (b < c)"),
        ("3 ^ 2", 3, "unexpected '^'; write a product: x * x"),
        ("5 %", 3, "unexpected '%'; write a share: 0.05 for 5 %"),
        ("x = 2", 3, "unexpected '='; to compare, write =="),
        ('score("pre)', 7, "unexpected '\"'; the text has no closing quote"),
        ("hit_rate; x", 9, "unexpected ';'"),
    ],
)
def test_a_text_that_is_no_formula_is_refused_with_the_character(text, character, message):
    assert fault_of(text) == (character, message)


def test_the_names_and_boards_of_a_formula_are_known_with_their_places():
    tree = parse("max(hit_rate) + reading('odd name') - score(\"pre\") * utility")
    assert [(name.name, name.at) for name in readings_in(tree)] == [
        ("hit_rate", 5),
        ("odd name", 25),
        ("utility", 54),
    ]
    assert [(board.value, board.at) for board in boards_in(tree)] == [("pre", 45)]


def test_a_long_sum_is_not_deep():
    assert value_of("+".join(["1"] * 1000)) == 1000


@given(st.text(max_size=80))
def test_any_text_is_a_formula_or_has_a_fault(text):
    try:
        parse(text)
    except FormulaError as error:
        assert all(1 <= fault.character <= len(text) + 1 for fault in error.faults)


@pytest.mark.parametrize("piece", ["1+", "max(1,", "(", "-", "a*", '"a"', " ", "1<"])
def test_parsing_never_takes_more_than_linear_time(piece):
    times = []
    for length in (1000, 2000):
        text = (piece * length)[:length]
        start = time.process_time()
        for _ in range(5):
            with pytest.raises(FormulaError):
                parse(text)
        times.append(time.process_time() - start)
    # A quadratic parser would take four times as long; scanning all of it takes milliseconds.
    assert times[1] < 0.25
