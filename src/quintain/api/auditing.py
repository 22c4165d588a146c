"""Auditing: hold a release beside its original and a control, in a notebook."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar

from quintain.api.dossiers import ShownDossier
from quintain.api.inputs import AnyData, library, read_private, unpack_release
from quintain.api.parts import AnySanitizer, choose_sanitizer
from quintain.api.people import (
    AnyPeopleSchema,
    people_library,
    read_private_people,
    schema_of_one_table,
)
from quintain.attacks import Attack
from quintain.audits.everybody import FOLDS
from quintain.audits.everybody import audit_everybody as run_folds
from quintain.audits.private_file import private_people, private_records
from quintain.audits.release import audit_release
from quintain.audits.results import (
    Finding,
    LaidBare,
    NotComputed,
    Recipient,
    ReleaseAudit,
    SanitizerAudit,
    Setting,
    Verdict,
    most_telling,
)
from quintain.audits.sanitizer import announce_work
from quintain.audits.sanitizer import audit_sanitizer as run
from quintain.data import Data, Learned, Schema
from quintain.data.frames import Library
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import LearnedSchema
from quintain.data.people_files import has_tables
from quintain.data.people_schema import PeopleSchema
from quintain.errors import MissingExtra
from quintain.jobs.executor import Executor
from quintain.jobs.files import write_new
from quintain.measures import Reading
from quintain.releases import Claim, make_claim
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.adapters.adapter import reads_cells
from quintain.sanitizers.mechanism import DomainSource

# Shown audit: what a notebook shows of an audit, and its readings as a data frame.


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

    def save(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write the report as one HTML file, or the numbers if the name ends with .json.

        The file is readable for its owner alone. A file that is there stays, unless ``replace``.
        """
        target = Path(path)
        numbers = target.suffix.lower() == ".json"
        text = self.to_json() + "\n" if numbers else self.page()
        write_new(target, text.encode(), replace=replace)

    def _repr_html_(self) -> str:
        from quintain.audits.report.notebook import notebook_view

        return notebook_view(self.audit)


def finding_row(finding: Finding) -> dict[str, Any]:
    """What an attack found, as a row of a data frame."""
    return {
        **reading_row(finding.risk, finding.attack, finding.name, finding.reading, finding.columns),
        "chance": finding.chance,
        "control": None if finding.control is None else finding.control.value,
        "says": finding.says,
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


# Auditing sanitizers: run one many times with and without some people, in a notebook.


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
                reading_row("epsilon", f"{b.method}, {b.attack}", b.target, b.bound, ()) | where
                for b in setting.bounds
            ]
            if setting is attacked:
                rows += [finding_row(finding) | where for finding in self.readings]
            rows += [
                reading_row("utility", f.measure, f.name, f.reading, f.columns) | where
                for f in setting.utility
            ]
        return frame_of(rows, self.library)

    def page(self) -> str:
        """The report as one HTML page."""
        from quintain.audits.report.page import sanitizer_page

        return sanitizer_page(self.audit)

    def __repr__(self) -> str:
        return f"<audit of {self.audit.sanitizer}: {self.verdict}, {self.audit.runs} runs>"


def audit_sanitizer(
    sanitizer: AnySanitizer,
    data: AnyData,
    *,
    schema: Schema | Learned | AnyPeopleSchema | None = None,
    header: bool | None = None,
    runs: int | None = None,
    targets: int | None = None,
    sweep: Mapping[str, Sequence[Any]] | None = None,
    domain: DomainSource | None = None,
    claims: float | Claim | Mapping[str, Any] | None = None,
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
        and sample or with fit and generate, a function from data frame to data frame, or a command
        with {input} and {output}, or with {requests}.
    data : the private data: a data frame of pandas, polars or pyarrow, data with a schema, or the
        path of a file. For people with several tables: data frames by the name of their table, or
        the path of a folder.
    schema : the columns and their domains. Without it, a schema is learned anew for each data set
        that the game plays on, so that the audit sees what it gives away.
    header : whether the first row of a file has the column names, if it looks like the others.
    runs : how often the sanitizer runs for each setting; by default as often as a minute allows,
        from 100 to 10,000 times.
    targets : how many average people the attacks look for.
    sweep : values of one parameter, such as ``{"epsilon": [0.1, 1, 10]}``.
    domain : where the domains come from, as in :func:`sanitize`.
    claims : what the maker claims, if the sanitizer does not say so itself: an epsilon, a claim, or
        its facts, such as ``{"epsilon": 1, "delta": 1e-6, "neighbours": "replace"}``.
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
    if not isinstance(sanitizer, Sanitizer):
        parameters |= {name: values[0] for name, values in (sweep or {}).items()}
    part, given = choose_sanitizer(sanitizer, parameters), unpack_release(data)
    announce_work(given, runs, sweep, header=header)
    table: Data
    if has_tables(given):
        everybody, unstated, _, _ = read_private_people(given, schema, part, domain=domain)
        records, kind = private_people(everybody, learned=bool(unstated)), people_library(given)
        table = everybody
    else:
        stated = schema_of_one_table(schema)
        table, learned = read_private(given, stated, header)
        left_out = "" if reads_cells(part) else learned.tell_left_out("published")
        if stated is None and left_out:
            warnings.warn(left_out, LearnedSchema, stacklevel=2)
        unstated, kind = learned.unstated, library(given)
        source = InputTable.of(given, header=header)
        records = private_records(source, learned, table, stated, part)
    audit = run(
        part,
        table,
        runs=runs,
        targets=targets,
        sweep=sweep,
        attacks=attacks,
        seed=seed,
        executor=Executor(workers),
        out=None if out is None else Path(out),
        claim=None if claims is None else make_claim(claims),
        unstated=unstated,
        domain=domain,
        records=records,
    )
    return AuditedSanitizer(audit, kind)


@dataclass(frozen=True, slots=True, repr=False)
class Audited(ShownAudit[ReleaseAudit]):
    """What a release gives away; a notebook shows the verdict, its reasons and the risks."""

    @property
    def p(self) -> float | None:
        """How probable such evidence is if the release gives nothing away; None without control."""
        return self.audit.p

    @property
    def exposed_share(self) -> Reading:
        """The share of people whom attacks find at a false positive rate of at most 1 %."""
        return self.audit.exposed_share

    @property
    def advantage(self) -> Reading | None:
        """How clearly attacks tell people of the original from others; None without others."""
        return self.audit.advantage

    @property
    def laid_bare(self) -> LaidBare | None:
        """Verbatim copies, and tests of a few people; None without a control."""
        return self.audit.laid_bare

    @property
    def nameable_records(self) -> Reading:
        """How many people the strongest attack can name with few errors."""
        return self.audit.nameable_records

    @property
    def smallest_detectable(self) -> Reading:
        """The smallest share of people that a leak must touch for the audit to see it."""
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
                **reading_row("utility", f.measure, f.name, f.reading, f.columns),
                "control": None if f.reference is None else f.reference.value,
            }
            for f in self.audit.utility
        ]
        return frame_of(rows, self.library)

    def page(self) -> str:
        """The report as one HTML page."""
        from quintain.audits.report.page import release_page

        return release_page(self.audit)

    def dossier(self) -> ShownDossier:
        """What the audit reads, beside what regulators and standards ask."""
        return ShownDossier(self.audit)

    def __repr__(self) -> str:
        p = "" if self.p is None else f", p {self.p:.3g}"
        return f"<audit: {self.verdict}{p}, exposed share {self.exposed_share}>"


def audit(
    original: AnyData,
    release: AnyData,
    control: AnyData | None = None,
    *,
    known: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    unit: str | None = None,
    key: AnyData | None = None,
    schema: Schema | Learned | PeopleSchema | None = None,
    header: bool | None = None,
    as_written: Sequence[str] | bool = False,
    population: int | None = None,
    seed: int = 0,
    show_exposed: int = 0,
    permutations: int = 999,
    attacks: Sequence[Attack | str] = (),
    recipient: str = "",
    means: str = "",
    workers: int = 1,
) -> Audited:
    """Audit a release: what does it give away about the people in the original?

    Parameters
    ----------
    original : the private data: a data frame of pandas, polars or pyarrow, data with a schema, or
        the path of a file. For people with several tables: data frames by the name of their table,
        a folder or a zip archive of files, or the address of a database.
    release : the sanitized data, likewise.
    control : people of the same population who are not in the original. Without them, only
        copies and near copies can be seen.
    known : the columns that attackers know of a person when they guess another one.
    secrets : the columns that attackers want to know; by default each in turn.
    unit : the column that says whose row it is, if people have several rows; "equal-rows" takes
        equal rows for one person. If the release has the column, too, attackers see which rows
        belong together. For several tables: the column that names people.
    key : which pseudonym of the release each person has: a table with the column ``unit`` and one
        other. With it, the audit counts how many people are named rightly.
    schema : the columns; by default they are learned from all given data together.
    header : whether the first rows of files have the column names, if they look like the others.
    as_written : whether all columns, or which of them, are compared as they are written. By
        default, the audit sees through other spellings, beginnings of codes, parts of dates, other
        units and codes in place of values; ``audit.matched`` of the result says where.
    population : how many people there are of the kind that the data are about. With it, a model
        estimates how many of them are alone with their values.
    seed : the same seed gives the same audit.
    show_exposed : how many of the most exposed people to list with their records.
    permutations : how often the labels of original and control are permuted for p.
    attacks : attacks to add, by name or as parts, of ours or of a plugin. Each is asked by the risk
        whose question it answers.
    recipient, means : who gets the release, and what they know and can do to identify people; for
        the dossier. They change no figure.
    workers : how many processes share the work on a large table; they change no figure.

    >>> from quintain.testing import unique_people
    >>> table = unique_people(rows=200)
    >>> audited = audit(table, table)
    >>> audited.verdict, audited.p is None
    ('unsafe', True)
    >>> audited.dossier().content.reading("recipient").text
    'none was given, so nothing is argued for one'
    """
    shown = unpack_release(release)
    made = audit_release(
        unpack_release(original),
        shown,
        unpack_release(control),
        schema=schema,
        known=known,
        secrets=secrets,
        unit=unit,
        key=None if key is None else unpack_release(key),
        header=header,
        as_written=as_written,
        population=population,
        seed=seed,
        show_exposed=show_exposed,
        permutations=permutations,
        attacks=attacks,
        recipient=Recipient(who=recipient, means=means) if recipient or means else None,
        executor=Executor(workers),
    )
    return Audited(made, library(shown))


def audit_everybody(
    sanitizer: AnySanitizer,
    data: AnyData,
    release: AnyData,
    *,
    folds: int = FOLDS,
    unit: str | None = None,
    schema: Schema | Learned | PeopleSchema | None = None,
    domain: DomainSource | None = None,
    header: bool | None = None,
    seed: int = 0,
    permutations: int = 999,
    attacks: Sequence[Attack | str] = (),
    **parameters: Any,
) -> Audited:
    """Audit a release about everybody: nobody is kept apart as a control.

    The sanitizer runs several times, each time without one fold of the people, and attacks tell
    whether people show more in the releases that saw them. The release to publish is searched for
    copies.

    Parameters
    ----------
    sanitizer : the name of a sanitizer such as "mst", a sanitizer or its class, an object with fit
        and sample or with fit and generate, a function from data frame to data frame, or a command
        with {input} and {output}, or with {requests}. It must be what made the release, with the
        same settings.
    data : everybody: a data frame of pandas, polars or pyarrow, a table with a schema, or the path
        of a file. For people with several tables: data frames by the name of their table, or the
        path of a folder.
    release : what the sanitizer made from everybody, and what is to be published.
    folds : how often the sanitizer runs; each person is left out once.
    unit : the column that says whose row it is, if people have several rows. For several tables:
        the column that names people.
    schema : the columns; by default they are learned from the data.
    domain : where the domains come from, as when the release was made; see :func:`sanitize`.
    header : whether the first rows of files have the column names, if they look like the others.
    seed : the same seed gives the same audit.
    permutations : how often the folds are permuted for p.
    attacks : attacks on membership to add, by name or as parts.
    parameters : the parameters of the sanitizer, such as ``epsilon=1``.

    >>> from quintain.testing import unique_people
    >>> table = unique_people(rows=200)
    >>> audited = audit_everybody("rr", table, table, keep=0.99, permutations=99)
    >>> audited.verdict, audited.audit.folds.left_out
    ('unsafe', (40, 40, 40, 40, 40))
    """
    shown = unpack_release(release)
    made = run_folds(
        choose_sanitizer(sanitizer, parameters),
        unpack_release(data),
        shown,
        folds=folds,
        schema=schema,
        domain=domain,
        unit=unit,
        header=header,
        seed=seed,
        permutations=permutations,
        attacks=attacks,
    )
    return Audited(made, library(shown))
