"""Auditing sanitizers: run one many times with and without some people, in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from quintain.api.inputs import library, unpacked, with_schema
from quintain.api.parts import chosen
from quintain.api.shown_audit import ShownAudit, finding_row, frame_of, reading_row
from quintain.audits.audit_sanitizer import RUNS
from quintain.audits.audit_sanitizer import audit_sanitizer as run
from quintain.audits.sanitizer_audit import SanitizerAudit, Setting, most_telling
from quintain.data import Learned, Schema
from quintain.jobs.executor import Executor
from quintain.registry import Part
from quintain.releases import Claim
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.adapters import adapted


@dataclass(frozen=True, slots=True, repr=False)
class AuditedSanitizer(ShownAudit[SanitizerAudit]):
    """What a sanitizer gives away; a notebook shows the verdict and its reasons."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """One per value of the sweep: bounds on epsilon, privacy and utility."""
        return self.audit.settings

    def to_frame(self) -> Any:
        """Bounds, attacks and utility of all settings as a data frame, one reading per row."""
        rows = []
        attacked = most_telling(self.settings)
        for setting in self.settings:
            where = {"setting": ", ".join(f"{n} {v}" for n, v in setting.parameters.items())}
            rows += [
                reading_row("epsilon", f"{one.method}, {one.attack}", one.target, one.bound, ())
                | where
                for one in setting.bounds
            ]
            if setting is attacked:
                rows += [finding_row(one) | where for one in self.readings]
            rows += [
                reading_row("utility", one.measure, one.name, one.reading, one.columns) | where
                for one in setting.utility
            ]
        return frame_of(rows, self.library)

    def page(self) -> str:
        """The report as one HTML page."""
        from quintain.audits.report.page import sanitizer_page

        return sanitizer_page(self.audit)

    def __repr__(self) -> str:
        return f"<audit of {self.audit.sanitizer}: {self.verdict}, {self.audit.runs} runs>"


def audit_sanitizer(
    sanitizer: Any,
    data: Any,
    *,
    schema: Schema | Learned | None = None,
    runs: int = RUNS,
    targets: int | None = None,
    sweep: Mapping[str, Sequence[Any]] | None = None,
    claims: float | None = None,
    attacks: bool = True,
    seed: int = 0,
    workers: int = 1,
    out: PathLike[str] | str | None = None,
    **parameters: Any,
) -> AuditedSanitizer:
    """Audit a sanitizer: what do its releases give away about the people in the data?

    Parameters
    ----------
    sanitizer : the name of a sanitizer such as "mst", a sanitizer or its class, an object with fit
        and sample, a function from data frame to data frame, or a command with {input} and
        {output}.
    data : the private data: a data frame of pandas, polars or pyarrow, or a table with a schema.
    schema : the columns and their domains; by default they are learned from the data.
    runs : how often the sanitizer runs for each setting.
    targets : how many average people the attacks look for.
    sweep : values of one parameter, such as ``{"epsilon": [0.1, 1, 10]}``.
    claims : the epsilon that the maker claims, if the sanitizer does not say so itself.
    attacks : whether the attacks of the contests are asked, too.
    seed : the same seed gives the same audit.
    workers : how many processes work at a time; the result does not depend on it.
    out : a folder in which a stopped audit can be continued.
    parameters : the parameters of the sanitizer, such as ``epsilon=1``.

    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=60))
    >>> audited = audit_sanitizer("rr", table, keep=0.1, runs=20, attacks=False)
    >>> audited
    <audit of rr: cannot-say, 20 runs>
    """
    table = with_schema(unpacked(data), schema)
    claim = None if claims is None else Claim(epsilon=claims)
    audit = run(
        _part(sanitizer, parameters, sweep or {}),
        table,
        runs=runs,
        targets=targets,
        sweep=sweep,
        attacks=attacks,
        seed=seed,
        executor=Executor(workers),
        out=None if out is None else Path(out),
        claim=claim,
    )
    return AuditedSanitizer(audit, library(unpacked(data)))


def _part(given: Any, parameters: dict[str, Any], sweep: Mapping[str, Sequence[Any]]) -> Sanitizer:
    is_part = isinstance(given, Part) or (isinstance(given, type) and issubclass(given, Part))
    named = isinstance(given, str) and "{input}" not in given
    if not is_part and not named:
        return adapted(given)
    first = (
        {name: values[0] for name, values in sweep.items()} if not isinstance(given, Part) else {}
    )
    part = chosen("sanitizer", given, {**parameters, **first})
    assert isinstance(part, Sanitizer)  # it is of the family of sanitizers
    return part
