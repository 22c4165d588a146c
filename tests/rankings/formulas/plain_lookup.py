"""Values for formulas in tests, written down by hand."""

from dataclasses import dataclass, field
from fractions import Fraction

from quintain.rankings.formulas import Missing, Quantity, Scope, Vector, check, evaluate, parse


@dataclass
class PlainLookup:
    """Numbers, lists and boards by name."""

    numbers: dict = field(default_factory=dict)
    lists: dict = field(default_factory=dict)
    scores: dict = field(default_factory=dict)
    ranks: dict = field(default_factory=dict)
    places: dict = field(default_factory=dict)
    own: tuple = ()

    def reading(self, name):
        if name in self.lists:
            items = self.lists[name]
            return Vector(tuple(item(one) for one in items.values()), tuple(items), self.own)
        return item(self.numbers[name]) if name in self.numbers else Missing(f"no {name}")

    def score(self, board):
        return item(self.scores[board])

    def rank(self, board):
        return item(self.ranks[board])

    def first_places(self, board):
        return self.places[board]


def item(value):
    """A number written as text, (value, low, high), or None for an attack that did not happen."""
    if value is None:
        return Missing("not attacked", absent=True)
    if isinstance(value, Missing | Quantity):
        return value
    if isinstance(value, tuple):
        return Quantity(*(Fraction(str(one)) for one in value), 10, 0.95)
    return Quantity.exact(Fraction(str(value)), 10)


def value_of(text, **given):
    """The value of a formula as a fraction, or the reason why there is none."""
    result = evaluate(parse(text), PlainLookup(**given))
    return result.reason if isinstance(result, Missing) else result.value


def interval_of(text, **given):
    """The ends of a formula's interval."""
    result = evaluate(parse(text), PlainLookup(**given))
    return result.low, result.high


def faults_of(text, **scope):
    """The faults of a formula as (character, message)."""
    given = {name: frozenset(names) for name, names in scope.items() if name != "boards"}
    known = Scope(**given, boards=tuple(scope.get("boards", ())))
    return [(fault.character, fault.message) for fault in check(parse(text), known)]
