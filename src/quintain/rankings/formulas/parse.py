"""Parse: a formula as a tree.

::

    comparison : sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
    sum        : product (("+" | "-") product)*
    product    : factor (("*" | "/") factor)*
    factor     : "-" factor | number | text | name | name "(" arguments ")" | "(" comparison ")"
    arguments  : comparison ("," comparison)*
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from quintain.rankings.formulas.tokens import FormulaError, FormulaToken, fault, tokens
from quintain.rankings.formulas.tree import Call, Chain, Expression, Name, Negative, Number, Text

__all__ = ["DEEPEST", "FormulaError", "parse"]

DEEPEST = 50
"""How deep brackets, functions and signs may be nested."""

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@lru_cache(maxsize=256)
def parse(text: str) -> Expression:
    """The tree of a formula; raises ``FormulaError`` at the first character that does not fit.

    >>> parse("1 - max(reid)")  # doctest: +NORMALIZE_WHITESPACE
    Chain(first=Number(value=Fraction(1, 1), at=1),
          rest=(('-', Call(function='max', arguments=(Name(name='reid', at=9),), at=5)),), at=1)
    """
    return _Parser(list(tokens(text))).formula()


class _Parser:
    """Reads tokens from left to right and never goes back."""

    def __init__(self, words: list[FormulaToken]) -> None:
        self._words = words
        self._place = 0
        self._depth = 0

    @property
    def _next(self) -> FormulaToken:
        return self._words[self._place]

    def _take(self) -> FormulaToken:
        token = self._next
        self._place += 1
        return token

    def formula(self) -> Expression:
        """The whole formula, up to its end."""
        tree = self._comparison()
        if self._next.kind != "end":
            raise self._surprise("an operator")
        return tree

    def _comparison(self) -> Expression:
        left = self._sum()
        if self._next.text not in _COMPARISONS or self._next.kind != "sign":
            return left
        tree = Chain(left, ((self._take().text, self._sum()),), left.at)
        if self._next.kind == "sign" and self._next.text in _COMPARISONS:
            raise fault(self._next.at, "two comparisons in a row; write (a < b) * (b < c)")
        return tree

    def _sum(self) -> Expression:
        return self._chain(self._product, ("+", "-"))

    def _product(self) -> Expression:
        return self._chain(self._factor, ("*", "/"))

    def _chain(self, operand: Callable[[], Expression], signs: tuple[str, ...]) -> Expression:
        first = operand()
        rest: list[tuple[str, Expression]] = []
        while self._next.kind == "sign" and self._next.text in signs:
            sign = self._take().text
            rest.append((sign, operand()))
        return Chain(first, tuple(rest), first.at) if rest else first

    def _factor(self) -> Expression:
        token = self._next
        self._depth += 1
        if self._depth > DEEPEST:
            raise fault(token.at, f"nested too deeply; the limit is {DEEPEST} levels")
        tree = self._inner(token)
        self._depth -= 1
        return tree

    def _inner(self, token: FormulaToken) -> Expression:
        if token.kind == "number":
            return Number(Fraction(self._take().text), token.at)
        if token.kind == "text":
            return Text(self._take().text[1:-1], token.at)
        if token.kind == "name":
            return self._named(self._take())
        if token.text == "-" and token.kind == "sign":
            self._take()
            return Negative(self._factor(), token.at)
        if token.text == "(" and token.kind == "sign":
            self._take()
            tree = self._comparison()
            self._close(token)
            return tree
        raise self._surprise("a number, a name or '('")

    def _named(self, token: FormulaToken) -> Expression:
        if self._next.text != "(" or self._next.kind != "sign":
            return Name(token.text, token.at)
        bracket = self._take()
        arguments = []
        if self._next.text != ")":
            arguments.append(self._comparison())
            while self._next.text == "," and self._next.kind == "sign":
                self._take()
                arguments.append(self._comparison())
        self._close(bracket)
        return Call(token.text, tuple(arguments), token.at)

    def _close(self, bracket: FormulaToken) -> None:
        if self._next.text == ")" and self._next.kind == "sign":
            self._take()
            return
        if self._next.kind == "end":
            raise fault(bracket.at, "this '(' has no closing ')'")
        raise self._surprise("')' or an operator")

    def _surprise(self, expected: str) -> FormulaError:
        token = self._next
        if token.kind == "end":
            return fault(token.at, f"the formula ends here; expected {expected}")
        return fault(token.at, f"expected {expected}, got {token.text!r}")
