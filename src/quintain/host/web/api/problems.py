"""Problems: what the API answers if it does not do what was asked."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Problem(BaseModel):
    """Why a request was refused, in words for people; with all faults of what was sent."""

    detail: str
    faults: list[str] = []


PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "description": "The request was refused."},
    "5XX": {"model": Problem, "description": "The host has a problem."},
}
"""The answers that every route of the API can give."""
