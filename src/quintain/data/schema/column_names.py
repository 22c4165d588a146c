"""Column names: the columns that a part is told to work on."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"these columns appear twice: {', '.join(repeated)}")
    return names


ColumnNames = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_distinct)]
"""At least one column, and none of them twice."""
