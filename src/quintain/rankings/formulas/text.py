"""Text of a formula: a parameter of parts and tables that is checked when an edition is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator

from quintain.errors import Fault
from quintain.rankings.formulas.check import Scope, check
from quintain.rankings.formulas.parse import FormulaError, parse


def formula_faults(text: object, scope: Scope) -> Iterator[Fault]:
    """Every fault of a formula with these names; none if it cannot be parsed.

    What cannot be parsed is refused when the edition is read, like any wrong parameter.
    """
    if isinstance(text, str):
        with suppress(FormulaError):
            for fault in check(parse(text), scope):
                yield replace(fault, column="formula", got=text)


def _checked(text: str) -> str:
    try:
        faults: Iterable[Fault] = check(parse(text))
    except FormulaError as error:
        faults = error.faults
    listed = tuple(replace(fault, got=text) for fault in faults)
    if listed:
        raise FormulaError(listed)
    return text


FormulaText = Annotated[str, AfterValidator(_checked)]
"""A text that is a formula; names are checked later, when those of the edition are known."""
