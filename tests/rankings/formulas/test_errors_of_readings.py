"""Roots, sample sizes, standard errors and quantiles in formulas: results by hand, and faults."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.contests import load
from quintain.errors import EditionError
from quintain.measures.intervals import lengthening, normal_quantile
from quintain.rankings.formulas import FormulaError, Quantity
from tests.rankings.formulas.plain_lookup import faults_of, interval_of, value_of

Z = Fraction(str(normal_quantile(15)))
WIDE = {"numbers": {"auc": ("0.6", "0.502", "0.698"), "p": "0.2", "u": "0.75"}}
RATES = {"lists": {"rate": {"a": "0.1", "b": "0.4", "c": "0.2", "d": "0.7"}}}

BY_HAND = {
    "a whole root": ("sqrt(16)", {}, 4),
    "the root of a fraction": ("sqrt(2.25)", {}, Fraction("1.5")),
    "a root that goes on": ("sqrt(2)", {}, Fraction("1.41421356237310")),
    "the root of each": ("sum(sqrt(rate * rate))", RATES, Fraction("1.4")),
    "sample size": ("n(u)", WIDE, 10),
    "the smallest of two sample sizes": ("n(u + auc)", WIDE, 10),
    "error of a share by hand": ("sqrt(p * (1 - p) / (1.6 * n(p)))", WIDE, Fraction("0.1")),
    "error of an exact reading": ("se(u)", WIDE, 0),
    "a dead zone that is left": (
        "max(abs(auc - 0.5) - 1 * se(auc), 0)",
        WIDE,
        Fraction("0.1") - Fraction(repr(float(Fraction("0.196") / (2 * Z)))),
    ),
    "a dead zone that is not left": ("max(abs(auc - 0.5) - 2 * se(auc), 0) > 0", WIDE, 0),
    "median of an even list": ("median(rate)", RATES, Fraction("0.3")),
    "a quantile between two": ("quantile(0.25, rate)", RATES, Fraction("0.175")),
    "the ends are the extremes": ("quantile(1, rate) - quantile(0, rate)", RATES, Fraction("0.6")),
    "a share of the z score": (
        "100 * se(auc)",
        WIDE,
        100 * Fraction(repr(float(Fraction("0.196") / (2 * Z)))),
    ),
}

NO_VALUE = {
    "sqrt(0 - 1)": "the square root of a negative number",
    "n(3)": "n of a number that rests on no sample",
    "quantile(2, rate)": "expected a share from 0 to 1 as the first argument of quantile",
    "quantile(0.5 - 1, rate)": "expected a share from 0 to 1 as the first argument of quantile",
}


@pytest.mark.parametrize("name", BY_HAND)
def test_results_by_hand(name):
    text, given_values, expected = BY_HAND[name]
    assert value_of(text, **given_values) == expected


@pytest.mark.parametrize("text", NO_VALUE)
def test_what_has_no_value_says_why(text):
    assert value_of(text, **RATES) == NO_VALUE[text]


def test_the_error_of_an_open_interval_has_no_value():
    half_open = Quantity(Fraction(1, 2), Fraction(1, 4), math.inf, 10, 0.95)
    reason = value_of("se(x)", numbers={"x": half_open})
    assert reason == "se of a number whose interval has an open end"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("sqrt()", 1, "sqrt(x)"),
        ("sqrt(u, 2)", 1, "sqrt(x)"),
        ("n('u')", 3, "n"),
        ("se(utilty)", 4, "did you mean 'utility'?"),
        ("quantile(rate)", 1, "quantile(q, list)"),
        ("quantile(0.5, utility)", 15, "list"),
        ("median(utility)", 8, "list"),
        ("percentile(0.5, rate)", 1, "quantile"),
    ],
)
def test_faults_have_their_place(text, place, words):
    faults = faults_of(text, numbers={"utility", "u"}, named={"rate"})
    assert any(character == place and words in message for character, message in faults), faults


FAULTY_LINES = {
    "sqrt()": (12, "sqrt(x)"),
    "1 + se(aux)": (19, "did you mean 'auc'?"),
    "n(max(auc), 2)": (12, "n(x)"),
    "quantile(max(auc), max(auc))": (31, "expected a list"),
    "median('auc')": (19, "expected a list"),
    "max(auc) - 2 * stderr(max(auc))": (27, "write se"),
    "max(auc) ^ 2": (21, "write a product"),
    "auc / se(auc)": (12, "gives one number per attacker"),
}


def test_eight_faults_of_an_edition_have_line_and_column(tmp_path):
    """Columns count from the beginning of the line of the file."""
    boards = [
        f'[[board]]\nid = "b{place}"\nuse = "formula"\nformula = "{text}"\n'
        for place, text in enumerate(FAULTY_LINES)
    ]
    path = tmp_path / "edition.toml"
    path.write_text('include = "tiny"\nid = "faulty"\n' + "".join(boards))
    with pytest.raises(EditionError) as caught:
        load(path)
    messages = {fault.line: str(fault) for fault in caught.value.faults}
    for place, (column, words) in enumerate(FAULTY_LINES.values()):
        message = messages[2 + 4 * (place + 1)]
        assert f"column {column}:" in message and words in message, message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__import__('os')", "unknown function"),
        ("auc.__class__", ""),
        ("sqrt(" * 60 + "2" + ")" * 60, "50"),
        ("1e999999", "exponent"),
        ("se(" + "9" * 40 + ")", "digits"),
        ("1 + " * 900 + "1", "2,000"),
        ("sqrt(\u0662)", "ASCII"),
        ("[x for x in auc]", "unexpected '['"),
        ("lambda: 1", "unexpected ':'"),
    ],
)
def test_hostile_formulas_are_refused_in_words(text, words):
    try:
        messages = [message for _, message in faults_of(text, numbers={"auc"})]
    except FormulaError as error:
        messages = [fault.message for fault in error.faults]
    assert any(words in message for message in messages), messages


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(" * 30 + "2" + ")" * 30,
        "sqrt(1e15 * 1e15 * 1e15)",
        "sqrt(1e-15 * 1e-15 * 2)",
        "sqrt(2) * " * 60 + "1",
    ],
)
def test_hostile_roots_end_quickly(text):
    assert value_of(text) > 0


@given(st.fractions(0, 10**6), st.fractions(0, 10**3))
def test_a_root_squared_is_near_and_its_interval_holds_it(low, width):
    middle, high = low + width / 2, low + width
    ends = interval_of("sqrt(x)", numbers={"x": Quantity(middle, low, high, 10, 0.95)})
    assert ends[0] ** 2 <= low and ends[1] ** 2 >= high
    root = value_of("sqrt(x)", numbers={"x": Quantity.exact(middle)})
    assert abs(root**2 - middle) <= Fraction(1, 10**13) * max(middle, 1)


@pytest.mark.slow
@given(
    st.lists(st.fractions(-100, 100), min_size=1, max_size=20),
    st.fractions(0, 1, max_denominator=50),
)
def test_quantiles_are_those_of_numpy(numbers, share):
    import numpy as np

    listed = {"rate": {str(place): Quantity.exact(one) for place, one in enumerate(numbers)}}
    own = value_of(f"quantile({share.numerator} / {share.denominator}, rate)", lists=listed)
    expected = np.quantile([float(one) for one in numbers], float(share))
    assert float(own) == pytest.approx(float(expected), abs=1e-9)


def test_the_highest_of_several_was_picked_after_looking():
    """Its lower end is that of intervals that hold together; the other end needs no more."""
    longer = Fraction(str(lengthening(3)))
    rates = {"a": ("0.5", "0.4", "0.6"), "b": ("0.4", "0.2", "0.7"), "c": ("0.1", "0.1", "0.3")}
    low, high = interval_of("max(rate)", lists={"rate": rates})
    assert (low, high) == (Fraction("0.5") - longer / 10, Fraction("0.7"))
    low, high = interval_of("min(rate)", lists={"rate": rates})
    assert (low, high) == (Fraction("0.1"), Fraction("0.1") + longer / 5)
    assert interval_of("max(0, x)", numbers={"x": rates["a"]}) == (
        Fraction("0.4"),
        Fraction("0.6"),
    )


CORRECTED = """
as run     corrected  place
1          2          1
2          1          1
3          4          3
4          3          3
5          5          5
"""


def test_after_a_correction_the_better_of_two_places_counts_and_flipped_teams_are_equal():
    """PWS Cup 2022 ranked so: where the order of two teams flips, they share a place."""
    rows = [list(map(int, line.split())) for line in CORRECTED.split("\n")[2:-1]]
    scores = [
        value_of("min(rank('run'), rank('mended'))", ranks={"run": str(one), "mended": str(two)})
        for one, two, _ in rows
    ]
    assert [1 + sum(other < score for other in scores) for score in scores] == [p for *_, p in rows]
