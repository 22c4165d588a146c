"""Faults of an upload: where they are and what is expected, in a form that pages can show."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from quintain.errors import Fault, QuintainError, Rejected
from quintain.figures.format import printable

LONGEST_VALUE = 200
"""How much of a wrong value is kept; a team has the file itself."""


@dataclass(frozen=True, slots=True)
class ShownFault:
    """One fault as a team sees it; every text can be shown."""

    text: str
    file: str = ""
    line: int | None = None
    column: str | None = None
    got: str | None = None

    @classmethod
    def of(cls, value: str | dict[str, Any]) -> ShownFault:
        """A fault from its row; the queue writes a sentence if a job failed."""
        return cls(value) if isinstance(value, str) else cls(**value)


def stored_faults(problem: QuintainError) -> list[Any]:
    """Every fault of a refused upload, for its row."""
    if not isinstance(problem, Rejected):
        return [str(problem)]
    ordered = sorted(problem.faults, key=lambda fault: (fault.file, fault.line or 0))
    faults = [_stored(fault) for fault in ordered]
    if problem.total > len(faults):
        faults.append(asdict(ShownFault(f"... and {problem.total - len(faults)} more faults")))
    return faults


def shown_faults(values: list[Any]) -> list[ShownFault]:
    """The faults in the row of an upload."""
    return [ShownFault.of(value) for value in values]


def _stored(fault: Fault) -> dict[str, Any]:
    text = fault.message
    if fault.character is not None:
        text = f"character {fault.character}: {text}"
    got = None if fault.got is None else printable(fault.got[:LONGEST_VALUE])
    column = None if fault.column is None else printable(fault.column[:LONGEST_VALUE])
    place = printable(fault.file[:LONGEST_VALUE])
    return asdict(ShownFault(printable(text), place, fault.line, column, got))
