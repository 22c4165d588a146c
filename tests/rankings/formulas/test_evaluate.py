"""Evaluating formulas: exact numbers, lists, what is missing, and intervals that hold."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quintain.measures import Reading
from quintain.rankings.formulas import Missing, evaluate, parse
from quintain.rankings.formulas.arithmetic import divide
from quintain.rankings.formulas.quantity import Quantity, quantity_of
from quintain.rankings.formulas.vector import reading_of
from tests.rankings.formulas.plain_lookup import PlainLookup, interval_of, value_of

RATES = {"rate": {"a": 0.2, "b": 0.5, "c": 0.3}}


def test_decimal_numbers_are_exact():
    assert value_of("0.1 * 850 + 0.9 * 880") == 877
    assert value_of("0.1 + 0.2 == 0.3") == 1
    reading = quantity_of("score", Reading.exact(0.1, 5, "higher"))
    assert value_of("3 * x", numbers={"x": reading}) == Fraction(3, 10)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max(rate)", "0.5"),
        ("min(rate, 0.1)", "0.1"),
        ("sum(rate)", "1"),
        ("mean(rate)", "1/3"),
        ("count(rate)", "3"),
        ("sum(highest(2, rate))", "0.8"),
        ("mean(lowest(2, rate))", "0.25"),
        ("sum(highest(9, rate))", "1"),
        ("sum(rate > 0.25)", "2"),
        ("max(1 - rate)", "0.8"),
        ("sum(rate * rate)", "0.38"),
        ("sum(clamp(rate - 0.25, 0, 1))", "0.3"),
        ("sum(abs(rate - 0.3))", "0.3"),
        ("floor(10 * max(rate) - 0.5)", "4"),
        ("round(-0.5)", "0"),
        ("mean(top(2, 'defence', rate))", "0.35"),
        ("mean(with_own(rate, max(rate)))", "0.375"),
        ("sum(top(2, 'defence', with_own(rate, 1)))", "1.5"),
        ("default(nothing, 4)", "4"),
        ("score('first') / rank('first')", "5"),
    ],
)
def test_functions_of_lists(text, expected):
    given = {
        "lists": RATES,
        "own": ("me",),
        "places": {"defence": [["b"], ["me"], ["a"], ["c"]]},
        "scores": {"first": 10},
        "ranks": {"first": 2},
    }
    assert value_of(text, **given) == Fraction(expected)


def test_attacks_that_did_not_happen_are_left_out_and_unmeasured_readings_are_not():
    absent = {"rate": {"a": 0.2, "b": None, "c": 0.4}}
    assert value_of("mean(rate)", lists=absent) == Fraction("0.3")
    assert value_of("count(rate)", lists=absent) == 2
    assert value_of("mean(default(rate, 0))", lists=absent) == Fraction("0.2")
    unknown = {"rate": {"a": 0.2, "b": Missing("rate of b was not measured")}}
    assert value_of("max(rate)", lists=unknown) == "rate of b was not measured"
    assert value_of("1 - max(0, rate)", lists=unknown) == "rate of b was not measured"


def test_a_release_that_nobody_attacked_has_no_score():
    nobody = {"rate": {"a": None}}
    assert value_of("max(0, 100 * (1 - max(rate)))", lists=nobody) == "not attacked"
    assert value_of("100 - sum(rate)", lists=nobody) == "not attacked"
    assert value_of("count(rate)", lists=nobody) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / (x - x)", "division by zero"),
        ("max(0, 1 / 0)", "division by zero"),
        ("x / 0 * 0", "division by zero"),
        ("sum(highest(x, 1))", "expected a whole number of at least 1 to take from the list"),
    ],
)
def test_what_cannot_be_computed_is_missing_with_the_reason(text, reason):
    assert value_of(text, numbers={"x": 0.5}) == reason


def test_an_infinite_reading_is_not_a_number():
    infinite = quantity_of("error", Reading.exact(float("inf"), 3, "lower"))
    assert value_of("1 - error", numbers={"error": infinite}) == "error is infinite"


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1 - x", "0.4", "0.8"),
        ("100 * x - 5", "15", "55"),
        ("-x * y", "-0.6", "0.2"),
        ("x * -2", "-1.2", "-0.4"),
        ("1 / x", "5/3", "5"),
        ("max(x, 0.5)", "0.5", "0.6"),
        ("clamp(x, 0.3, 0.5)", "0.3", "0.5"),
        ("abs(y)", "0", "1"),
        ("x > 0.1", "1", "1"),
        ("x > 0.5", "0", "1"),
        ("x == 0.5", "0", "1"),
        ("x - x", "-0.4", "0.4"),
    ],
)
def test_intervals_hold_the_worst_and_the_best_case(text, low, high):
    numbers = {"x": (0.4, 0.2, 0.6), "y": (0.5, Fraction(-1, 3), 1)}
    assert interval_of(text, numbers=numbers) == (Fraction(low), Fraction(high))


def test_the_highest_numbers_of_a_list_have_the_intervals_of_their_places():
    lists = {"rate": {"a": (0.5, 0.1, 0.6), "b": (0.4, 0.3, 0.9), "c": (0.1, 0.0, 0.2)}}
    assert interval_of("sum(highest(2, rate))", lists=lists) == (Fraction("0.4"), Fraction("1.5"))


def test_dividing_by_what_may_be_zero_may_give_anything():
    assert interval_of("1 / x", numbers={"x": (0.4, 0, 0.6)}) == (float("-inf"), float("inf"))


def test_a_bound_without_an_upper_end_stays_one():
    bound = quantity_of("x", Reading.at_least(0.5, 20, "lower", method="bound"))
    lookup = PlainLookup(numbers={"x": bound})
    reading = reading_of(evaluate(parse("2 * x"), lookup), "lower")
    assert (reading.value, reading.low, reading.high) == (1.0, 1.0, float("inf"))


def test_the_sample_size_of_a_score_is_the_smallest_of_its_readings():
    numbers = {
        name: quantity_of(name, Reading.exact(0.5, n, "lower")) for name, n in (("x", 40), ("y", 7))
    }
    reading = reading_of(evaluate(parse("x + 2 * y"), PlainLookup(numbers=numbers)), "higher")
    assert (reading.value, reading.n, reading.better) == (1.5, 7, "higher")


def test_numbers_cannot_grow_without_end():
    tree = parse("(1/3 + x) * " + " * ".join(["(1e15 / 7 - x)"] * 115))
    lookup = PlainLookup(numbers={"x": (0.123456789012345, 0.1, 0.2)})
    reading = reading_of(evaluate(tree, lookup), "higher")
    assert not reading.measured
    assert reading.note == "the result is too large"


# --- any formula --------------------------------------------------------------------------------

NUMBERS = st.integers(-50, 50) | st.decimals(-9, 9, places=3).map(str)
NAMES = {"x": ("0.4", "0.1", "0.7"), "y": ("-2.5", "-3", "1.25"), "z": ("7", "7", "7")}


def expressions(leaves):
    pair = st.tuples(st.sampled_from("+-*/"), leaves, leaves)
    return pair | st.tuples(st.sampled_from(["min", "max", "mean", "sum"]), leaves, leaves)


TREES = st.recursive(NUMBERS | st.sampled_from(list(NAMES)), expressions, max_leaves=20)


def written(tree):
    if not isinstance(tree, tuple):
        return f"({tree})"
    word, one, other = tree
    if word in "+-*/":
        return f"({written(one)} {word} {written(other)})"
    return f"{word}({written(one)}, {written(other)})"


def reference(tree, figures):
    """The same expression, computed by Python's own fractions."""
    if not isinstance(tree, tuple):
        return figures[tree] if tree in figures else Fraction(str(tree))
    word, one, other = tree[0], reference(tree[1], figures), reference(tree[2], figures)
    if word == "/":
        return one / other
    return {
        "+": lambda: one + other,
        "-": lambda: one - other,
        "*": lambda: one * other,
        "min": lambda: min(one, other),
        "max": lambda: max(one, other),
        "sum": lambda: one + other,
        "mean": lambda: (one + other) / 2,
    }[word]()


@given(TREES, st.data())
def test_any_formula_agrees_with_fractions_and_its_interval_holds(tree, data):
    numbers = {name: tuple(Fraction(one) for one in figures) for name, figures in NAMES.items()}
    lookup = PlainLookup(numbers={n: tuple(str(f) for f in fs) for n, fs in NAMES.items()})
    result = evaluate(parse(written(tree)), lookup)
    try:
        expected = reference(tree, {name: figures[0] for name, figures in numbers.items()})
    except ZeroDivisionError:
        assert isinstance(result, Missing) and result.reason == "division by zero"
        return
    assert result.value == expected
    share = data.draw(st.fractions(0, 1, max_denominator=8))
    inside = {n: low + share * (high - low) for n, (_, low, high) in numbers.items()}
    try:
        other = reference(tree, inside)
    except ZeroDivisionError:
        assume(False)
    assert result.low <= other <= result.high


def test_a_quotient_has_its_value_and_the_ends_of_all_quotients():
    half_known = Quantity(Fraction(2), Fraction(-1), Fraction(4), 50, 0.95)
    anything = divide(Quantity.exact(6, 80), half_known)
    assert anything == Quantity(Fraction(3), -math.inf, math.inf, 50, 0.95, True)
    for low, high in ((Fraction(0), Fraction(4)), (Fraction(-4), Fraction(2))):
        assert divide(Quantity.exact(6), half_known._replace(low=low, high=high)).low != 3
    known = half_known._replace(low=Fraction(1))
    assert divide(Quantity.exact(6), known)[:3] == (3, Fraction(3, 2), 6)
    open_end = half_known._replace(low=Fraction(1), high=math.inf)
    assert divide(Quantity.exact(6), open_end)[:3] == (3, 0, 6)
    below = Quantity(Fraction(-2), Fraction(-4), Fraction(0), 50, 0.95)
    assert divide(Quantity.exact(6), below)[1:3] == (-math.inf, math.inf)
    zero = known._replace(value=Fraction(0))
    assert divide(known, zero) == Missing("division by zero", in_part=True)
    assert divide(known, Quantity.exact(0)) == Missing("division by zero")


def plainly(text, b):
    """The formula at one value of b, in floats; None where there is no number."""
    root = math.sqrt(b) if b >= 0 else None
    inverse = 1 / b if b else None
    return {
        "1.5 - default(sqrt(b), 3.3)": 1.5 - (3.3 if root is None else root),
        "default(2 - 3 * sqrt(b), -1)": -1 if root is None else 2 - 3 * root,
        "default(abs(-sqrt(b)), 9)": 9 if root is None else root,
        "default(0 * (1 / b), 4)": 4 if inverse is None else 0,
        "default(1 / b, 7) + 1": 8 if inverse is None else inverse + 1,
        "default(default(sqrt(b), 1 / b), 5)": inverse or 5 if root is None else root,
        "default(max(sqrt(b), 0.5), -2)": -2 if root is None else max(root, 0.5),
    }[text]


GAPS = [
    "1.5 - default(sqrt(b), 3.3)", "default(2 - 3 * sqrt(b), -1)", "default(abs(-sqrt(b)), 9)",
    "default(0 * (1 / b), 4)", "default(1 / b, 7) + 1", "default(default(sqrt(b), 1 / b), 5)",
    "default(max(sqrt(b), 0.5), -2)",
]  # fmt: skip


@pytest.mark.parametrize("text", GAPS)
@pytest.mark.parametrize(
    "figures", [(2, -1, 4), (-2, -4, 1), (0, -1, 1), (-1, -2, -0.5), (1, 0, 2)]
)
def test_default_has_the_intervals_of_both_where_either_may_count(text, figures):
    result = evaluate(parse(text), PlainLookup(numbers={"b": figures}))
    assert float(result.value) == pytest.approx(plainly(text, figures[0]))
    _, low, high = figures
    inside = [low + (high - low) * k / 8 for k in range(9)]
    for b in [*inside, *(zero for zero in (0,) if low <= zero <= high)]:
        assert result.low - 1e-9 <= plainly(text, b) <= result.high + 1e-9


def test_default_leaves_the_interval_of_what_is_always_there():
    for text, expected in {
        "default(sqrt(b), 100)": (1, 2),
        "default(1 / b, 100)": (Fraction(1, 4), 1),
        "default(gone, b)": (1, 4),
        "default(sqrt(-b), 3)": (3, 3),
        "default(sqrt(-b), b)": (1, 4),
    }.items():
        assert interval_of(text, numbers={"b": (2, 1, 4)}) == expected
    lookup = PlainLookup(numbers={"b": (-1, -2, 3)})
    both = evaluate(parse("default(sqrt(b), gone)"), lookup)
    assert both == Missing("no gone", in_part=True)
    there = evaluate(parse("default(sqrt(1 - b), gone)"), lookup)
    assert there.has_gaps and float(there.value) == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ((2, 1, 3), (2, 1, 3)),
        ((-2, -3, -1), (2, 1, 3)),
        ((1, -3, 2), (1, 0, 3)),
        ((-1, -2, 0), (1, 0, 2)),
        ((1, 0, 2), (1, 0, 2)),
    ],
)
def test_a_number_without_its_sign_has_the_ends_of_all_of_them(figures, expected):
    lookup = PlainLookup(numbers={"x": figures})
    assert evaluate(parse("abs(x)"), lookup)[:3] == expected
