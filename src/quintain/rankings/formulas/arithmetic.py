"""Arithmetic: the operators of formulas on numbers with intervals."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

from quintain.rankings.formulas.quantity import Bound, Item, Missing, Quantity, combined

Operator = Callable[[Quantity, Quantity], Item]

_TRUTH = (Fraction(0), Fraction(1))
"""What a comparison gives if it does not hold, and if it does."""


def negative(one: Quantity) -> Quantity:
    """The number with the other sign."""
    value = -one.value
    if one.is_exact:
        return one._replace(value=value, low=value, high=value)
    return one._replace(value=value, low=-one.high, high=-one.low)


def add(left: Quantity, right: Quantity) -> Item:
    """The sum of two numbers."""
    value = left.value + right.value
    if left.is_exact and right.is_exact:
        return combined((left, right), (value, value, value))
    return combined((left, right), (value, left.low + right.low, left.high + right.high))


def subtract(left: Quantity, right: Quantity) -> Item:
    """The difference of two numbers."""
    return add(left, negative(right))


def multiply(left: Quantity, right: Quantity) -> Item:
    """The product of two numbers; the ends are the smallest and largest product of two ends."""
    value = left.value * right.value
    if left.is_exact and right.is_exact:
        return combined((left, right), (value, value, value))
    ends = [_times(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    return combined((left, right), (value, min(ends), max(ends)))


def divide(left: Quantity, right: Quantity) -> Item:
    """The quotient of two numbers; missing if the second is zero."""
    if right.value == 0:
        return Missing("division by zero", in_part=not right.is_exact)
    if right.is_exact:
        inverse = Quantity.exact(1 / right.value, right.n)
    elif right.low <= 0 <= right.high:  # the quotient may be anything
        inverse = Quantity(
            1 / right.value, -math.inf, math.inf, right.n, right.level, has_gaps=True
        )
    else:
        low, high = _inverse(right.high), _inverse(right.low)
        inverse = right._replace(value=1 / right.value, low=low, high=high)
    return multiply(left, inverse)


def _times(one: Bound, other: Bound) -> Bound:
    return Fraction(0) if one == 0 or other == 0 else one * other


def _inverse(bound: Bound) -> Bound:
    return Fraction(0) if math.isinf(bound) else 1 / bound


def _compare(holds: Callable[[Bound, Bound], bool], *, flip: bool) -> Operator:
    """A comparison that grows with ``right - left``, or shrinks with it if ``flip``."""

    def compare(left: Quantity, right: Quantity) -> Item:
        value = _TRUTH[holds(left.value, right.value)]
        if left.is_exact and right.is_exact:
            return combined((left, right), (value, value, value))
        hardest, easiest = (left.high, right.low), (left.low, right.high)
        if flip:
            hardest, easiest = (left.low, right.high), (left.high, right.low)
        return combined((left, right), (value, _TRUTH[holds(*hardest)], _TRUTH[holds(*easiest)]))

    return compare


def _equal(left: Quantity, right: Quantity) -> Item:
    value = _TRUTH[left.value == right.value]
    if left.is_exact and right.is_exact:
        return combined((left, right), (value, value, value))
    possible = _TRUTH[left.low <= right.high and right.low <= left.high]
    return combined((left, right), (value, _TRUTH[False], max(value, possible)))


def _different(left: Quantity, right: Quantity) -> Item:
    equal = _equal(left, right)
    return equal if isinstance(equal, Missing) else subtract(Quantity.exact(1), equal)


OPERATORS: dict[str, Operator] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "<": _compare(operator.lt, flip=False),
    "<=": _compare(operator.le, flip=False),
    ">": _compare(operator.gt, flip=True),
    ">=": _compare(operator.ge, flip=True),
    "==": _equal,
    "!=": _different,
}
"""The operators by their signs; a comparison gives 1 if it holds and 0 if not."""
