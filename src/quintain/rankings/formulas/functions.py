"""Functions: what a formula can call, with the kinds of values that each takes and gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
)
from fractions import Fraction
from typing import Literal, NamedTuple

from quintain.measures.intervals import normal_quantile
from quintain.measures.reading import LEVEL
from quintain.rankings.formulas.arithmetic import negative
from quintain.rankings.formulas.quantity import (
    UNLIMITED,
    Bound,
    End,
    Item,
    Missing,
    Quantity,
    combined,
    exact_figures,
    exact_sum,
    fraction_of,
    lengthen_all,
    pointwise,
    size,
)
from quintain.rankings.formulas.vector import Figures, Value, Vector, bound_of, decimal_sum
from quintain.rankings.trimming import middle

Accepts = Literal["number", "any", "list", "named", "text"]
"""What a parameter accepts; "named" is a list whose items still have their names."""
Gives = Literal["number", "list", "chosen", "like-first", "like-name"]


class FormulaFunction(NamedTuple):
    """A function: how it is written, what it does, and what it takes.

    Parameters
    ----------
    repeats : whether the last parameter may be given several times.
    """

    usage: str
    says: str
    takes: tuple[Accepts, ...]
    gives: Gives
    repeats: bool = False


_MANY: tuple[Accepts, ...] = ("any",)
_LONG = Context(prec=40, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""So many digits that 15 of them are right."""

FUNCTIONS: dict[str, FormulaFunction] = {
    "min": FormulaFunction("min(a, b, ...)", "the lowest of all numbers", _MANY, "number", True),
    "max": FormulaFunction("max(a, b, ...)", "the highest of all numbers", _MANY, "number", True),
    "sum": FormulaFunction("sum(list)", "the sum of all numbers", _MANY, "number", True),
    "mean": FormulaFunction("mean(list)", "the mean of all numbers", _MANY, "number", True),
    "count": FormulaFunction("count(list)", "how many numbers there are", _MANY, "number", True),
    "abs": FormulaFunction("abs(x)", "the number without its sign", ("any",), "like-first"),
    "floor": FormulaFunction("floor(x)", "the number rounded down", ("any",), "like-first"),
    "round": FormulaFunction("round(x)", "the nearest whole number", ("any",), "like-first"),
    "sqrt": FormulaFunction("sqrt(x)", "the square root, to 15 digits", ("any",), "like-first"),
    "n": FormulaFunction(
        "n(x)", "how many observations a number rests on at least", ("any",), "like-first"
    ),
    "se": FormulaFunction(
        "se(x)",
        "the standard error: the width of the interval over twice its normal quantile",
        ("any",),
        "like-first",
    ),
    "clamp": FormulaFunction(
        "clamp(x, low, high)",
        "x, but at least low and at most high",
        ("any", "number", "number"),
        "like-first",
    ),
    "default": FormulaFunction(
        "default(x, y)", "x, or y where x was not measured", ("any", "number"), "like-first"
    ),
    "highest": FormulaFunction(
        "highest(k, list)", "the k highest numbers of a list", ("number", "list"), "list"
    ),
    "lowest": FormulaFunction(
        "lowest(k, list)", "the k lowest numbers of a list", ("number", "list"), "list"
    ),
    "quantile": FormulaFunction(
        "quantile(q, list)",
        "the number below which a share q of the list lies, between two neighbours if need be",
        ("number", "list"),
        "number",
    ),
    "median": FormulaFunction("median(list)", "the middle one of all numbers", ("list",), "number"),
    "trimmed": FormulaFunction(
        "trimmed(share, list)",
        "the mean without a share of the lowest numbers, and of the highest",
        ("number", "list"),
        "number",
    ),
    "top": FormulaFunction(
        'top(k, "board", list)',
        "the numbers of the first k entries of a board; the team's own entry is skipped",
        ("number", "text", "named"),
        "chosen",
    ),
    "with_own": FormulaFunction(
        "with_own(list, x)",
        "the list with x in the team's own place",
        ("named", "number"),
        "chosen",
    ),
    "score": FormulaFunction('score("board")', "the team's score on a board", ("text",), "number"),
    "rank": FormulaFunction('rank("board")', "the team's rank on a board", ("text",), "number"),
    "reading": FormulaFunction(
        'reading("name")', "a reading whose name has spaces or signs", ("text",), "like-name"
    ),
}
"""Every function by its name."""

ALIASES = {
    "avg": "mean", "average": "mean", "best": "highest", "worst": "max", "len": "count",
    "if": "default", "pow": "a product", "own": "with_own", "percentile": "quantile", "std": "se",
    "stderr": "se", "size": "n",
}  # fmt: skip
"""Names from elsewhere, and what they are called here."""


def _measured(arguments: Sequence[Value]) -> list[Quantity] | Missing:
    """All numbers of all arguments; attacks that did not take place are left out.

    If only such attacks are left, there is nothing to compute with, and that is the reason.
    """
    numbers: list[Quantity] = []
    absent: Missing | None = None
    for argument in arguments:
        for item in argument.items if isinstance(argument, Vector) else (argument,):
            if isinstance(item, Quantity):
                numbers.append(item)
            elif not item.absent:
                return item
            else:
                absent = item
    return numbers if numbers or absent is None else Missing(absent.reason)


def _figures(arguments: Sequence[Value]) -> Figures | None:
    """The measured readings, if the only argument is a list of them."""
    (first, *others) = arguments
    return first.figures if isinstance(first, Vector) and not others else None


def _aggregate(
    function: Callable[[Sequence[Bound]], Bound],
    of_readings: Callable[[list[float]], Bound],
    *,
    empty: Fraction | None = None,
    picked: End | None = None,
) -> Callable[[Sequence[Value]], Value]:
    """A function of many numbers that grows with each of them; ``of_readings`` is a faster one.

    ``picked`` is the end of the interval that depends on which number is the result.
    """

    def aggregate(arguments: Sequence[Value]) -> Value:
        figures = _figures(arguments)
        if figures is not None:
            return (figures if picked is None else figures.lengthen(picked)).combine(of_readings)
        numbers = _measured(arguments)
        if isinstance(numbers, Missing):
            return numbers
        if not numbers:
            return Missing("the list is empty") if empty is None else Quantity.exact(empty)
        return pointwise(function, numbers if picked is None else lengthen_all(numbers, picked))

    return aggregate


def _count(arguments: Sequence[Value]) -> Value:
    """How many numbers there are; none, if nobody attacked."""
    listed = [one.items if isinstance(one, Vector) else (one,) for one in arguments]
    attacks = [item for items in listed for item in items if isinstance(item, Quantity)]
    unknown = (i for items in listed for i in items if isinstance(i, Missing) and not i.absent)
    return next(unknown, Quantity.exact(len(attacks)))


def _mean(numbers: Sequence[Bound]) -> Bound:
    return exact_sum(numbers) / len(numbers)


def each_once(function: Callable[[Item], Item], items: Sequence[Item]) -> tuple[Item, ...]:
    """A function of every item; items that are one object are computed once."""
    results: dict[int, Item] = {}
    for item in items:
        if id(item) not in results:
            results[id(item)] = function(item)
    return tuple(results[id(item)] for item in items)


def _each(function: Callable[..., Item]) -> Callable[[Sequence[Value]], Value]:
    """A function of one number, or of every number of a list; the other arguments are numbers."""

    def each(arguments: Sequence[Value]) -> Value:
        first, *others = arguments
        if isinstance(first, Vector):
            items = each_once(lambda item: function(item, *others), first.items)
            return first.with_items(items)
        return function(first, *others)

    return each


def _grown(function: Callable[..., Bound]) -> Callable[..., Item]:
    """A function of numbers that is missing if one of them is."""

    def grown(*items: Item) -> Item:
        numbers = [item for item in items if isinstance(item, Quantity)]
        if len(numbers) < len(items):
            return next(item for item in items if isinstance(item, Missing))
        return pointwise(lambda figures: function(*figures), numbers)

    return grown


def _clamp(x: Bound, low: Bound, high: Bound) -> Bound:
    return max(low, min(high, x))


def _whole(x: Bound, *, half: Fraction) -> Bound:
    return Fraction(math.floor(x + half)) if isinstance(x, Fraction) else x


def _abs(item: Item) -> Item:
    if isinstance(item, Missing) or item.low >= 0:
        return item
    if item.high <= 0:
        return negative(item)
    return combined((item,), (abs(item.value), Fraction(0), max(-item.low, item.high)))


def _sqrt(item: Item) -> Item:
    """The square root; an interval that reaches below zero begins at zero."""
    if isinstance(item, Missing):
        return item
    if item.value < 0:
        return Missing("the square root of a negative number", in_part=item.high >= 0)
    value = _root(item.value)
    assert isinstance(value, Fraction)
    if item.is_exact:
        return combined((item,), (value, value, value))
    part = item._replace(has_gaps=True) if item.low < 0 else item
    low = _root(max(item.low, Fraction(0)), ROUND_FLOOR)
    return combined((part,), (value, low, _root(item.high, ROUND_CEILING)))


def _root(number: Bound, rounding: str = ROUND_HALF_EVEN) -> Bound:
    """The square root: exact if it is a fraction, else with 15 digits, which are rounded."""
    if not isinstance(number, Fraction):
        return number
    numerator, denominator = number.as_integer_ratio()
    exact = Fraction(math.isqrt(numerator), math.isqrt(denominator))
    if exact**2 == number:
        return exact
    ratio = _LONG.divide(Decimal(numerator), Decimal(denominator))
    digits = Context(prec=15, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return Fraction(digits.plus(_LONG.sqrt(ratio)))


def _observations(item: Item) -> Item:
    """How many observations a number rests on."""
    if isinstance(item, Missing):
        return item
    if item.n == UNLIMITED:
        return Missing("n of a number that rests on no sample")
    return Quantity.exact(item.n)


def _standard_error(item: Item) -> Item:
    """How far a number is off, typically, by the width of its interval."""
    if isinstance(item, Missing):
        return item
    if item.is_exact:
        return Quantity.exact(0, item.n)
    width = item.high - item.low
    if not isinstance(width, Fraction):
        return Missing("se of a number whose interval has an open end")
    spread = width / (2 * fraction_of(normal_quantile(15, item.level)))
    return Quantity.exact(fraction_of(float(spread)), item.n)


def _quantile(arguments: Sequence[Value]) -> Value:
    """A quantile grows with every number, so its ends are those of all lows and of all highs."""
    share = arguments[0]
    if isinstance(share, Missing):
        return share
    if isinstance(share, Vector) or not 0 <= share.value <= 1:
        return Missing("expected a share from 0 to 1 as the first argument of quantile")
    numbers = _measured(arguments[1:])
    if isinstance(numbers, Missing):
        return numbers
    if not numbers:
        return Missing("the list is empty")
    place = share.value * (len(numbers) - 1)
    below = math.floor(place)
    part = place - below

    def interpolate(figures: Sequence[Bound]) -> Bound:
        ordered = sorted(figures, key=size)
        if not part:
            return ordered[below]
        return (1 - part) * ordered[below] + part * ordered[below + 1]

    return pointwise(interpolate, numbers)


def _trimmed_mean(arguments: Sequence[Value]) -> Value:
    """A trimmed mean grows with every number, as a quantile does."""
    share = arguments[0]
    if isinstance(share, Missing):
        return share
    if isinstance(share, Vector) or not 0 <= share.value <= Fraction(1, 2):
        return Missing("expected a share from 0 to 0.5 as the first argument of trimmed")
    numbers = _measured(arguments[1:])
    if isinstance(numbers, Missing):
        return numbers
    if not numbers:
        return Missing("the list is empty")
    counted = middle(len(numbers), float(share.value))
    return pointwise(lambda figures: _mean(sorted(figures, key=size)[counted]), numbers)


def _median(arguments: Sequence[Value]) -> Value:
    return _quantile((Quantity.exact(Fraction(1, 2)), *arguments))


def _default(item: Item, other: Item) -> Item:
    """One number, or the other where there is none; the interval has both where either may be."""
    if isinstance(item, Missing):
        if not item.in_part:
            return other
        if isinstance(other, Missing):
            return replace(other, in_part=True)
        return other._replace(low=-math.inf, high=math.inf)
    if not item.has_gaps:
        return item
    if isinstance(other, Missing):
        return item._replace(low=-math.inf, high=math.inf) if other.in_part else item
    ends = min(item.low, other.low), max(item.high, other.high)
    both = combined((item, other), (item.value, *ends))
    return both if isinstance(both, Missing) else both._replace(has_gaps=other.has_gaps)


def _extremes(*, highest: bool) -> Callable[[Sequence[Value]], Value]:
    """The k highest or lowest numbers.

    The i-th highest number grows with every number, so its ends are the i-th highest of all lows
    and of all highs.
    """

    def choose(arguments: Sequence[Value]) -> Value:
        count, figures = whole_number(arguments[0]), _figures(arguments[1:])
        if isinstance(count, Missing):
            return count
        if figures is not None:
            return _extreme_readings(figures, count, highest=highest)
        numbers = _measured(arguments[1:])
        if isinstance(numbers, Missing):
            return numbers
        values, lows, highs = (
            sorted((getattr(one, figure) for one in numbers), key=size, reverse=highest)[:count]
            for figure in ("value", "low", "high")
        )
        exact = all(one.is_exact for one in numbers)
        return Vector(
            tuple(
                combined(numbers, (value, value, value) if exact else (value, low, high))
                for value, low, high in zip(values, lows, highs, strict=True)
            )
        )

    return choose


def _extreme_readings(figures: Figures, count: int, *, highest: bool) -> Vector:
    """The k highest or lowest of some readings."""
    columns = zip(
        *(
            sorted(one, reverse=highest)[:count]
            for one in (figures.value, figures.low, figures.high)
        ),
        strict=True,
    )
    return Vector(tuple(Quantity(*exact_figures(*three), figures.n, LEVEL) for three in columns))


def _with_own(arguments: Sequence[Value]) -> Value:
    listed, value = arguments
    if not isinstance(listed, Vector) or isinstance(value, Vector):
        return listed
    return Vector((*listed.items, *(value for _ in listed.own)), (*listed.labels, *listed.own), ())


def whole_number(value: Value) -> int | Missing:
    """The first argument of highest, lowest and top: how many numbers to take."""
    if isinstance(value, Missing):
        return value
    if isinstance(value, Vector) or value.value.denominator != 1 or value.value < 1:
        return Missing("expected a whole number of at least 1 to take from the list")
    return value.value.numerator


COMPUTE: dict[str, Callable[[Sequence[Value]], Value]] = {
    "min": _aggregate(
        lambda all: min(all, key=size), lambda all: bound_of(min(all)), picked="high"
    ),
    "max": _aggregate(lambda all: max(all, key=size), lambda all: bound_of(max(all)), picked="low"),
    "sum": _aggregate(exact_sum, decimal_sum, empty=Fraction(0)),
    "mean": _aggregate(_mean, lambda all: decimal_sum(all) / len(all)),
    "count": _count,
    "abs": _each(_abs),
    "floor": _each(_grown(lambda x: _whole(x, half=Fraction(0)))),
    "round": _each(_grown(lambda x: _whole(x, half=Fraction(1, 2)))),
    "sqrt": _each(_sqrt),
    "n": _each(_observations),
    "se": _each(_standard_error),
    "clamp": _each(_grown(_clamp)),
    "default": _each(_default),
    "highest": _extremes(highest=True),
    "lowest": _extremes(highest=False),
    "quantile": _quantile,
    "median": _median,
    "trimmed": _trimmed_mean,
    "with_own": _with_own,
}
"""What each function computes; score, rank, top and reading ask the results instead."""
