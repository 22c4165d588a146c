"""Formulas: one small language of arithmetic for scores and for readings.

A formula is text, such as ``max(0, 100 * (1 - max(hit_rate)) - 5)``. :mod:`parse` makes a tree of
it, :mod:`check` compares the names in it with those that an edition has, and :mod:`evaluate`
computes its value. Nothing in a formula is ever run as Python.
"""

from __future__ import annotations

from quintain.rankings.formulas.check import Scope, check
from quintain.rankings.formulas.evaluate import Lookup, evaluate
from quintain.rankings.formulas.parse import FormulaError, parse
from quintain.rankings.formulas.quantity import Missing, Quantity
from quintain.rankings.formulas.tree import Expression, boards_in, readings_in, trims_in
from quintain.rankings.formulas.vector import Value, Vector

__all__ = [
    "Expression",
    "FormulaError",
    "Lookup",
    "Missing",
    "Quantity",
    "Scope",
    "Value",
    "Vector",
    "boards_in",
    "check",
    "evaluate",
    "parse",
    "readings_in",
    "trims_in",
]
