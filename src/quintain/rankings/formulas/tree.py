"""Tree: the parts of a formula, each with the character at which it begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

BOARD_FUNCTIONS = ("score", "rank", "top")
"""The functions that name an earlier board."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is written in the formula, exact to its last digit."""

    value: Fraction
    at: int


@dataclass(frozen=True, slots=True)
class Text:
    """A text in quotes: the id of a board, or the name of a reading."""

    value: str
    at: int


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a reading, or of a count."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments."""

    function: str
    arguments: tuple[Expression, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Negative:
    """A minus sign before an expression."""

    operand: Expression
    at: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands with operators of equal strength between them, computed from left to right.

    A sum of a thousand terms is one chain. As nested pairs it would be a thousand levels deep.
    """

    first: Expression
    rest: tuple[tuple[str, Expression], ...]
    at: int


Expression = Number | Text | Name | Call | Negative | Chain


def nodes(tree: Expression) -> Iterator[Expression]:
    """Every part of a formula, in the order of the text."""
    stack: list[Expression] = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(list(_inside(node))))


def _inside(node: Expression) -> Iterator[Expression]:
    if isinstance(node, Call):
        yield from node.arguments
    elif isinstance(node, Negative):
        yield node.operand
    elif isinstance(node, Chain):
        yield node.first
        yield from (operand for _, operand in node.rest)


def readings_in(tree: Expression) -> tuple[Name, ...]:
    """The names that a formula uses, also those in quotes: ``reading("odd name")``."""
    names: list[Name] = []
    for node in nodes(tree):
        if isinstance(node, Name):
            names.append(node)
        elif isinstance(node, Call) and node.function == "reading":
            names += [Name(a.value, a.at) for a in node.arguments if isinstance(a, Text)]
    return tuple(names)


def trims_in(tree: Expression) -> dict[str, float]:
    """The readings that a formula averages, with the share that is left out at each end.

    An average of something that is made of several readings belongs to none of them.
    """
    trims: dict[str, float] = {}
    for node in nodes(tree):
        trim = _trim_of(node) if isinstance(node, Call) else None
        names = {name.name for name in readings_in(node)}
        if trim is not None and len(names) == 1:
            trims.setdefault(names.pop(), trim)
    return trims


def _trim_of(call: Call) -> float | None:
    first = call.arguments[0] if call.arguments else None
    if call.function == "trimmed" and isinstance(first, Number):
        return float(first.value)
    return {"mean": 0.0, "median": 0.5}.get(call.function)


def boards_in(tree: Expression) -> tuple[Text, ...]:
    """The ids of the boards that a formula uses."""
    return tuple(
        argument
        for node in nodes(tree)
        if isinstance(node, Call) and node.function in BOARD_FUNCTIONS
        for argument in node.arguments
        if isinstance(argument, Text)
    )
