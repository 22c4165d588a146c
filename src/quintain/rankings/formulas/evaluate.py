"""Evaluate: compute the value of a formula for one contestant or one release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from quintain.rankings.formulas.arithmetic import OPERATORS
from quintain.rankings.formulas.functions import COMPUTE, each_once, whole_number
from quintain.rankings.formulas.quantity import Item, Missing, Quantity
from quintain.rankings.formulas.tree import Call, Chain, Expression, Name, Negative, Number, Text
from quintain.rankings.formulas.vector import Value, Vector


class Lookup(Protocol):
    """Where a formula gets its values from: the results, as one contestant sees them."""

    def reading(self, name: str) -> Value:
        """A reading or a count, or one reading per opponent."""

    def score(self, board: str) -> Item:
        """The contestant's score on an earlier board."""

    def rank(self, board: str) -> Item:
        """The contestant's rank on an earlier board."""

    def first_places(self, board: str) -> Sequence[Sequence[str]]:
        """The entries of an earlier board, best place first."""


def evaluate(tree: Expression, lookup: Lookup) -> Value:
    """The value of a formula; it is missing, with the reason, if something in it is."""
    if isinstance(tree, Number):
        return Quantity.exact(tree.value)
    if isinstance(tree, Name):
        return lookup.reading(tree.name)
    if isinstance(tree, Negative):
        return _combine("-", Quantity.exact(0), evaluate(tree.operand, lookup))
    if isinstance(tree, Chain):
        value = evaluate(tree.first, lookup)
        for sign, operand in tree.rest:
            value = _combine(sign, value, evaluate(operand, lookup))
        return value
    if isinstance(tree, Text):
        return Missing("a text is not a number")
    return _call(tree, lookup)


def _call(call: Call, lookup: Lookup) -> Value:
    texts = [argument.value for argument in call.arguments if isinstance(argument, Text)]
    if call.function == "reading":
        return lookup.reading(texts[0])
    if call.function == "score":
        return lookup.score(texts[0])
    if call.function == "rank":
        return lookup.rank(texts[0])
    arguments = [
        evaluate(argument, lookup) for argument in call.arguments if not isinstance(argument, Text)
    ]
    if call.function == "top":
        return _top(arguments[0], lookup.first_places(texts[0]), arguments[1])
    if call.function == "default":
        return COMPUTE["default"](arguments)
    missing = next((one for one in arguments if isinstance(one, Missing) and not one.absent), None)
    return missing if missing is not None else COMPUTE[call.function](arguments)


def _top(count: Value, places: Sequence[Sequence[str]], listed: Value) -> Value:
    """The items of the first places; a place without an item is skipped and the next counts."""
    number = whole_number(count)
    if isinstance(number, Missing) or not isinstance(listed, Vector):
        return number if isinstance(number, Missing) else listed
    items = dict(zip(listed.labels, listed.items, strict=True))
    known = [[label for label in place if label in items] for place in places]
    labels = [label for place in [place for place in known if place][:number] for label in place]
    return Vector(tuple(items[label] for label in labels), tuple(labels))


def _combine(sign: str, left: Value, right: Value) -> Value:
    """Two numbers, a number with each item of a list, or the items of two lists one by one."""
    compute = OPERATORS[sign]

    def items(one: Item, other: Item) -> Item:
        if isinstance(one, Missing) or isinstance(other, Missing):
            return one if isinstance(one, Missing) else other
        return compute(one, other)

    if isinstance(left, Vector):
        if isinstance(right, Vector):
            pairs = zip(left.items, right.items, strict=True)
            return left.with_items(tuple(items(one, other) for one, other in pairs))
        return left.with_items(each_once(lambda one: items(one, right), left.items))
    if isinstance(right, Vector):
        return right.with_items(each_once(lambda one: items(left, one), right.items))
    return items(left, right)
