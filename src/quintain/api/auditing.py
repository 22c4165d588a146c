"""Auditing: hold a release beside its original and a control, in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from quintain.api.inputs import library, unpacked
from quintain.audits.audit_release import audit_release
from quintain.audits.finding import Finding, NotComputed
from quintain.audits.release_audit import ReleaseAudit, Verdict
from quintain.data import Learned, Schema
from quintain.data.frames import Library
from quintain.errors import MissingExtra
from quintain.jobs.files import write_file
from quintain.measures import Reading


@dataclass(frozen=True, slots=True, repr=False)
class Audited:
    """What a release gives away; a notebook shows the verdict, its reasons and the risks.

    Parameters
    ----------
    audit : the whole audit, whose JSON ``quintain audit release --json`` prints.
    library : the library of the data frames that come back.
    """

    audit: ReleaseAudit
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
    def p(self) -> float | None:
        """How probable such evidence is if the release gives nothing away; None without control."""
        return self.audit.p

    @property
    def exposed_share(self) -> Reading:
        """The share of people who look like nobody outside the data."""
        return self.audit.exposed_share

    @property
    def nameable_records(self) -> Reading:
        """How many people the strongest attack can name with few errors."""
        return self.audit.nameable_records

    @property
    def smallest_detectable(self) -> Reading:
        """The smallest exposed share that the audit would very probably have seen."""
        return self.audit.smallest_detectable

    @property
    def readings(self) -> tuple[Finding, ...]:
        """What each attack found."""
        return self.audit.readings

    @property
    def not_computed(self) -> tuple[NotComputed, ...]:
        """What was left out, and why."""
        return self.audit.not_computed

    def to_frame(self) -> Any:
        """The readings of all attacks and of the utility as a data frame, one per row."""
        rows = [*map(finding_row, self.audit.readings)]
        rows += [
            {
                **reading_row("utility", one.measure, one.name, one.reading, one.columns),
                "control": None if one.reference is None else one.reference.value,
            }
            for one in self.audit.utility
        ]
        return frame_of(rows, self.library)

    def to_json(self) -> str:
        """The whole audit as JSON."""
        return self.audit.model_dump_json(indent=2)

    def save(self, path: PathLike[str] | str) -> None:
        """Write the report as one HTML file, or the numbers if the name ends with .json.

        The file is readable for its owner alone. A file that is there is replaced.
        """
        from quintain.audits.report.page import release_page

        target = Path(path)
        json = target.suffix.lower() == ".json"
        text = self.to_json() + "\n" if json else release_page(self.audit)
        write_file(target, text.encode())

    def __repr__(self) -> str:
        p = "" if self.p is None else f", p {self.p:.3g}"
        return f"<audit: {self.verdict}{p}, exposed share {self.exposed_share}>"

    def _repr_html_(self) -> str:
        from quintain.audits.report.notebook import notebook_view

        return notebook_view(self.audit)


def audit(
    original: Any,
    release: Any,
    control: Any = None,
    *,
    known: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    schema: Schema | Learned | None = None,
    seed: int = 0,
    show_exposed: int = 0,
    permutations: int = 999,
) -> Audited:
    """Audit a release: what does it give away about the people in the original?

    Parameters
    ----------
    original : the private data: a data frame of pandas, polars or pyarrow, data with a schema, or
        the path of a file.
    release : the sanitized data, likewise.
    control : people of the same population who are not in the original. Without them, only
        copies and near copies can be seen.
    known : the columns that attackers know of a person when they guess another one.
    secrets : the columns that attackers want to know; by default each in turn.
    schema : the columns; by default they are learned from all given data together.
    seed : the same seed gives the same audit.
    show_exposed : how many of the most exposed people to list with their records.
    permutations : how often the labels of original and control are permuted for p.

    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=200))
    >>> audited = audit(table, table)
    >>> audited.verdict, audited.p is None
    ('unsafe', True)
    """
    shown = unpacked(release)
    made = audit_release(
        unpacked(original),
        shown,
        unpacked(control),
        schema=schema,
        known=known,
        secrets=secrets,
        seed=seed,
        show_exposed=show_exposed,
        permutations=permutations,
    )
    return Audited(made, "pandas" if isinstance(shown, str | PathLike) else library(shown))


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
