"""Auditing: hold a release beside its original and a control, in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from quintain.api.inputs import library, unpacked
from quintain.api.shown_audit import ShownAudit, finding_row, frame_of, reading_row
from quintain.audits.audit_release import audit_release
from quintain.audits.finding import NotComputed
from quintain.audits.release_audit import ReleaseAudit
from quintain.data import Learned, Schema
from quintain.measures import Reading


@dataclass(frozen=True, slots=True, repr=False)
class Audited(ShownAudit[ReleaseAudit]):
    """What a release gives away; a notebook shows the verdict, its reasons and the risks."""

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

    def page(self) -> str:
        """The report as one HTML page."""
        from quintain.audits.report.page import release_page

        return release_page(self.audit)

    def __repr__(self) -> str:
        p = "" if self.p is None else f", p {self.p:.3g}"
        return f"<audit: {self.verdict}{p}, exposed share {self.exposed_share}>"


def audit(
    original: Any,
    release: Any,
    control: Any = None,
    *,
    known: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    unit: str | None = None,
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
    unit : the column that says whose row it is, if people have several rows.
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
        unit=unit,
        seed=seed,
        show_exposed=show_exposed,
        permutations=permutations,
    )
    return Audited(made, "pandas" if isinstance(shown, str | PathLike) else library(shown))
