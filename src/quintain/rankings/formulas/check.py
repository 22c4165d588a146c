"""Check: find every name, function and argument of a formula that does not fit, with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from quintain.errors import Fault
from quintain.rankings.formulas.functions import ALIASES, FUNCTIONS, FormulaFunction
from quintain.rankings.formulas.tree import (
    BOARD_FUNCTIONS,
    Call,
    Chain,
    Expression,
    Name,
    Negative,
    Number,
    Text,
)
from quintain.wording.suggestion import suggestion

Kind = Literal["number", "named", "chosen", "list", "text", "unknown"]
"""What an expression gives. A "named" list has one item for each opponent, a "chosen" list has
those of some of them, any other list has no names; "unknown" follows a fault or a lack of names."""

_WORDS = {"number": "a number", "text": "a text in quotes"}


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that a formula may use.

    Parameters
    ----------
    numbers : names of single numbers.
    named : names of lists with one number per opponent.
    lists : names of other lists.
    boards : the ids of earlier boards.
    per : what a list has one number for, in words: "attacker" or "entry".
    """

    numbers: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    boards: tuple[str, ...] = ()
    per: str = "attacker"

    def kind_of(self, name: str) -> Kind | None:
        """What a name stands for; None if it is unknown."""
        if name in self.numbers:
            return "number"
        if name in self.named:
            return "named"
        return "list" if name in self.lists else None

    @property
    def names(self) -> frozenset[str]:
        """Every name of a reading or count."""
        return self.numbers | self.named | self.lists


def check(tree: Expression, scope: Scope | None = None) -> list[Fault]:
    """Every fault of a formula; without a scope, only those that do not depend on names."""
    checker = _Checker(scope)
    kind = checker.kind(tree)
    if kind in ("named", "chosen", "list"):
        per = scope.per if scope is not None else "item"
        checker.add(tree.at, f"gives one number per {per}; write mean(...), max(...) or sum(...)")
    elif kind == "text":
        checker.add(tree.at, "expected a number, got a text")
    return sorted(checker.faults, key=lambda fault: fault.character or 0)


@dataclass
class _Checker:
    scope: Scope | None
    faults: list[Fault] = field(default_factory=list)

    def add(self, at: int, message: str) -> None:
        self.faults.append(Fault(message, character=at))

    def kind(self, tree: Expression) -> Kind:
        """What an expression gives; faults in it are noted."""
        if isinstance(tree, Number):
            return "number"
        if isinstance(tree, Text):
            return "text"
        if isinstance(tree, Name):
            return self._name(tree.name, tree.at)
        if isinstance(tree, Negative):
            return self._operand(tree.operand)
        if isinstance(tree, Chain):
            return self._chain(tree)
        return self._call(tree)

    def _name(self, name: str, at: int) -> Kind:
        if self.scope is None:
            return "unknown"
        kind = self.scope.kind_of(name)
        if kind is None:
            if name in FUNCTIONS:
                self.add(at, f"{name} is a function: write {FUNCTIONS[name].usage}")
            else:
                self.add(at, f"unknown reading {name!r}{suggestion(name, self.scope.names)}")
        return kind or "unknown"

    def _operand(self, tree: Expression) -> Kind:
        kind = self.kind(tree)
        if kind == "text":
            self.add(tree.at, "expected a number, got a text")
            return "unknown"
        return kind

    def _chain(self, tree: Chain) -> Kind:
        kind = self._operand(tree.first)
        for sign, operand in tree.rest:
            kind = self._both(kind, self._operand(operand), operand.at)
            if sign == "/" and isinstance(operand, Number) and operand.value == 0:
                self.add(operand.at, "division by zero")
        return kind

    def _both(self, left: Kind, right: Kind, at: int) -> Kind:
        if "unknown" in (left, right):
            return "unknown"
        if "number" in (left, right):
            return right if left == "number" else left
        if left == right == "named":
            return "named"
        self.add(at, "these two lists do not have the same items; compute with one list at a time")
        return "unknown"

    def _call(self, call: Call) -> Kind:
        function = FUNCTIONS.get(call.function)
        if function is None:
            self._unknown(call)
            for argument in call.arguments:
                self.kind(argument)
            return "unknown"
        if not self._right_number(call, function):
            return "unknown"
        kinds = [self._argument(function, *pair) for pair in enumerate(call.arguments)]
        self._details(call)
        if function.gives == "like-first":
            return kinds[0] if kinds[0] != "text" else "unknown"
        if function.gives == "like-name":
            return self._name(*_text(call)) if _text(call)[0] else "unknown"
        return function.gives

    def _argument(self, function: FormulaFunction, place: int, argument: Expression) -> Kind:
        accepts = function.takes[min(place, len(function.takes) - 1)]
        bare = accepts == "text" and isinstance(argument, Name)  # the quotes are missing
        kind = "number" if bare else self.kind(argument)
        if not _fits(kind, accepts):
            self.add(argument.at, f"expected {_expected(accepts)}: {function.usage}")
        return kind

    def _right_number(self, call: Call, function: FormulaFunction) -> bool:
        given, wanted = len(call.arguments), len(function.takes)
        if given == wanted or (function.repeats and given > wanted):
            return True
        self.add(call.at, f"{call.function} got {given} arguments; write {function.usage}")
        return False

    def _unknown(self, call: Call) -> None:
        if call.function in ALIASES:
            hint = f"; write {ALIASES[call.function]}"
        else:
            hint = suggestion(call.function, FUNCTIONS)
        self.add(call.at, f"unknown function {call.function!r}{hint}")

    def _details(self, call: Call) -> None:
        """Faults in single arguments: unknown boards, counts that are not whole, wrong bounds."""
        if call.function in BOARD_FUNCTIONS and self.scope is not None:
            board, at = _text(call)
            if board and board not in self.scope.boards:
                known = suggestion(board, self.scope.boards) or "; it is the first"
                self.add(at, f"unknown board {board!r} among those before it{known}")
        if call.function in ("highest", "lowest", "top"):
            first = call.arguments[0]
            if isinstance(first, Number) and (first.value < 1 or first.value.denominator != 1):
                self.add(first.at, "expected a whole number of at least 1")
        if call.function == "clamp":
            low, high = call.arguments[1:]
            if isinstance(low, Number) and isinstance(high, Number) and low.value > high.value:
                self.add(low.at, "the lower bound is above the upper bound")


def _text(call: Call) -> tuple[str, int]:
    """The text among the arguments of a function, and where it is."""
    texts: Iterator[Text] = (a for a in call.arguments if isinstance(a, Text))
    return next(((text.value, text.at) for text in texts), ("", call.at))


def _fits(kind: Kind, accepts: str) -> bool:
    if kind == "unknown" or kind == accepts:
        return True
    if accepts == "any":
        return kind != "text"
    return (accepts == "list" and kind in ("named", "chosen")) or (
        accepts == "named" and kind == "chosen"
    )


def _expected(accepts: str) -> str:
    return _WORDS.get(accepts, "a number or a list" if accepts == "any" else "a list")
