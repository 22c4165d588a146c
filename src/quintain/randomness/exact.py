"""Exact draws: compare a random number with an exponential as if both had all their digits.

A float has 53 bits, so a coin made from one float is slightly wrong: an event of probability 1e-66
would happen with probability 1e-16, and differential privacy is a statement about such events. Here
the random number gets more bits and the exponential more digits until the comparison is certain.
Nearly always the float decides; about once in 1e14 draws it takes more bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction

Bounds = Callable[[int], tuple[Fraction, Fraction]]
"""The lower and the upper bound of a number, which are the closer the more bits are asked for."""


class UniformNumber:
    """A uniform number between 0 and 1, of which further bits are drawn when they matter.

    Parameters
    ----------
    draw : its first 53 bits.
    word : draws its next 64 bits.

    >>> number = UniformNumber(0.5, lambda: 2**63)
    >>> number.is_below(lambda bits: (Fraction(2, 3), Fraction(2, 3)))
    True
    """

    def __init__(self, draw: float, word: Callable[[], int]) -> None:
        self._numerator, self._bits = int(draw * 2.0**53), 53
        self._word = word

    def is_below(self, bounds: Bounds) -> bool:
        """Whether this number is below another one."""
        while True:
            low, high = bounds(self._bits + 8)
            if Fraction(self._numerator + 1, 1 << self._bits) <= low:
                return True
            if Fraction(self._numerator, 1 << self._bits) >= high:
                return False
            self._numerator = self._numerator << 64 | self._word()
            self._bits += 64


def exponential(exponent: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds of exp(-exponent), at most 2**-bits apart; the exponent is not negative.

    >>> low, high = exponential(Fraction(1), 100)
    >>> float(low), high - low < Fraction(1, 2**100)
    (0.36787944117144233, True)
    """
    if exponent == 0:
        return Fraction(1), Fraction(1)
    if exponent > bits:  # below 2**-bits; its digits might not fit into memory
        return Fraction(0), Fraction(1, 1 << bits)
    digits = bits * 302 // 1000 + 4
    context = Context(prec=digits, Emin=MIN_EMIN, Emax=MAX_EMAX)
    power = context.divide(Decimal(-exponent.numerator), Decimal(exponent.denominator))
    # Rounding the power moves the value by at most 0.37 units of the last digit, exp by half a one.
    value, error = Fraction(context.exp(power)), Fraction(1, 10 ** (digits - 1))
    return max(value - error, Fraction(0)), min(value + error, Fraction(1))


def choose_exactly(exponents: Sequence[Fraction], number: UniformNumber) -> int:
    """The index i with probability proportional to exp(-exponent i), by the inverse distribution.

    >>> choose_exactly([Fraction(0), Fraction(50)], UniformNumber(1 - 2.0**-53, lambda: 0))
    0
    >>> choose_exactly([Fraction(0), Fraction(50)], UniformNumber(1 - 2.0**-53, lambda: 2**64 - 1))
    1
    """
    first, last = 0, len(exponents) - 1
    while first < last:
        middle = (first + last) // 2
        if number.is_below(_share(exponents, middle + 1)):
            last = middle
        else:
            first = middle + 1
    return first


def _share(exponents: Sequence[Fraction], count: int) -> Bounds:
    """Bounds of the probability of the first ``count`` items."""

    def bounds(bits: int) -> tuple[Fraction, Fraction]:
        weights = [exponential(one, bits + len(exponents).bit_length() + 2) for one in exponents]
        low, high = (sum((pair[side] for pair in weights[:count]), Fraction(0)) for side in (0, 1))
        rest_low, rest_high = (
            sum((pair[side] for pair in weights[count:]), Fraction(0)) for side in (0, 1)
        )
        return low / (low + rest_high) if low else low, high / (high + rest_low)

    return bounds
