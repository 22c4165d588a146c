"""Finding: something to fix before a contest is launched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["stop", "warning"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """Something to fix before the launch: what it is, and what it would cost."""

    severity: Severity
    check: str
    message: str
    cost: str
