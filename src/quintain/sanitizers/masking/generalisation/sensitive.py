"""Sensitive columns: what an attacker must not learn about a person."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from quintain.sanitizers.masking.columns import ColumnNames


def _listed(names: Any) -> Any:
    """One name may be written without a list."""
    return (names,) if isinstance(names, str) else names


SensitiveNames = Annotated[ColumnNames, BeforeValidator(_listed)]
"""The names of one or more columns that are released as they are."""
