"""Shown audit: what a notebook shows of an audit, and its readings as a data frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar

from quintain.audits.finding import Finding
from quintain.audits.release_audit import ReleaseAudit, Verdict
from quintain.audits.sanitizer_audit import SanitizerAudit
from quintain.data.frames import Library
from quintain.errors import MissingExtra
from quintain.jobs.files import write_file
from quintain.measures import Reading

A = TypeVar("A", ReleaseAudit, SanitizerAudit)


@dataclass(frozen=True, slots=True, repr=False)
class ShownAudit(ABC, Generic[A]):
    """An audit in a notebook.

    Parameters
    ----------
    audit : the whole audit, whose JSON ``quintain audit ... --json`` prints.
    library : the library of the data frames that come back.
    """

    audit: A
    library: Library = "pandas"

    @property
    def verdict(self) -> Verdict:
        """One of "unsafe", "some-leakage", "nothing-found" and "cannot-say"."""
        return self.audit.verdict

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, in plain sentences; the most important first."""
        return self.audit.reasons

    @property
    def limits(self) -> tuple[str, ...]:
        """What the verdict does not cover, in plain sentences."""
        return self.audit.limits

    @property
    def readings(self) -> tuple[Finding, ...]:
        """What each attack found; of several settings, for the one that gives away most."""
        return self.audit.readings

    @abstractmethod
    def page(self) -> str:
        """The report as one HTML page."""

    def to_json(self) -> str:
        """The whole audit as JSON."""
        return self.audit.model_dump_json(indent=2)

    def save(self, path: PathLike[str] | str) -> None:
        """Write the report as one HTML file, or the numbers if the name ends with .json.

        The file is readable for its owner alone. A file that is there is replaced.
        """
        target = Path(path)
        numbers = target.suffix.lower() == ".json"
        write_file(target, (self.to_json() + "\n" if numbers else self.page()).encode())

    def _repr_html_(self) -> str:
        from quintain.audits.report.notebook import notebook_view

        return notebook_view(self.audit)


def finding_row(one: Finding) -> dict[str, Any]:
    """What an attack found, as a row of a data frame."""
    return {
        **reading_row(one.risk, one.attack, one.name, one.reading, one.columns),
        "chance": one.chance,
        "control": None if one.control is None else one.control.value,
        "says": one.says,
    }


def reading_row(
    about: str, part: str, name: str, reading: Reading, columns: Sequence[str]
) -> dict[str, Any]:
    """A reading as a row of a data frame."""
    return {
        "about": about,
        "part": part,
        "reading": name,
        "columns": ", ".join(columns),
        "value": reading.value,
        "low": reading.low,
        "high": reading.high,
        "n": reading.n,
        "better": reading.better,
        "chance": None,
        "control": None,
        "says": "",
    }


def frame_of(rows: Sequence[dict[str, Any]], kind: Library) -> Any:
    """Rows as a data frame of a library."""
    import pyarrow as pa

    table = pa.Table.from_pylist(list(rows))
    if kind == "pyarrow":
        return table
    if kind == "pandas":
        try:
            return table.to_pandas()
        except ImportError:
            raise MissingExtra("a pandas data frame", "pandas", "frames") from None
    import polars

    return polars.from_arrow(table)
