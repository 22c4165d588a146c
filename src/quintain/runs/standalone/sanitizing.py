"""Sanitizing: run one sanitizer on one file or on several tables, without a contest."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from quintain.api.sanitizing import sanitize as sanitize_data
from quintain.audits.reading.units import several_rows_per_claim
from quintain.contests import Track
from quintain.data import Data, as_trees
from quintain.data.files import to_bytes
from quintain.data.learning.learn import LearnedSchema
from quintain.data.outside import Outside
from quintain.data.people_files import people_bytes
from quintain.errors import DataError, Faults, UnknownColumn
from quintain.figures.format import count
from quintain.jobs.job import explain_crash
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import Release, ReleaseCard, Sanitized, publish
from quintain.runs.standalone.reading import LEARNED, cells_of, read_own_table, track_schema
from quintain.runs.submissions.checking import release_bytes
from quintain.samples.sample import private_part
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.mechanism import (
    DomainSource,
    choose_mechanism,
    shows_domain,
    tell_lost_columns,
)
from quintain.sanitizers.outside import tell_outside


@dataclass(frozen=True, slots=True, kw_only=True)
class SanitizedFiles:
    """A release as the contents of files, and its card.

    Parameters
    ----------
    contents : what to write, by the name of the file; a release of one table is the only one.
    size : how large the release is and what it was made from, in words.
    cautions : what the owner of the data should know, one sentence each.
    """

    contents: Mapping[str, bytes]
    card: ReleaseCard
    size: str
    cautions: tuple[str, ...] = ()


def sanitize_file(
    path: Path,
    spec: Mapping[str, Any],
    *,
    track: Track | None = None,
    schema: Path | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows_per_unit: int | None = None,
    header: bool | None = None,
    outside: Outside | None = None,
    suffix: str = ".csv",
    seed: int | None = None,
) -> SanitizedFiles:
    """A release of the records in a file; raises with every fault of the file.

    Parameters
    ----------
    spec : the sanitizer as an edition would name it.
    track : the rules that say which columns the file has, and how files are written.
    schema : without rules, the file with the columns; by default they are learned.
    domain : without rules, where the domains come from; see :func:`choose_mechanism`.
    unit, rows_per_unit : without rules, the column that says whose row it is, and the most rows
        of a person.
    header : without rules, whether the first row of the file has the column names.
    outside : without rules, what becomes of cells that the schema does not allow; see
        :func:`quintain.sanitize`.
    suffix : without rules, how the name of the release ends: .csv or .parquet.
    seed : for rehearsals; without it, the noise comes from the operating system.
    """
    part = cast(Sanitizer, build("sanitizer", spec))
    cautions: tuple[str, ...]
    if track is None:
        own = read_own_table(path, part, schema, header, unit, domain, outside)
        private = private_part(own.data, np.arange(len(own.data)), keep=unit)
        mechanism = choose_mechanism(
            part,
            private.schema,
            learned=own.unstated,
            kinds_stated=own.kinds_stated,
            domain=domain,
            unit=unit,
            rows=rows_per_unit,
        )
        try:
            made = _sanitize(mechanism, private, seed)
        except UnknownColumn as error:
            raise UnknownColumn("; ".join(filter(None, (str(error), own.left_out)))) from None
        learned = shows_domain(mechanism) and bool(own.unstated)
        if own.outside is not None:
            made = replace(made, release=tell_outside(made.release, own.outside))
        lost = tell_lost_columns(mechanism, made.release.data)
        of_rows = several_rows_per_claim(own.table, made.release.claim)
        cautions = tuple(filter(None, [LEARNED if learned else "", own.left_out, lost, *of_rows]))
        shown = publish(made.release.data, rng=np.random.default_rng(seed))
        content = to_bytes(shown, suffix)
    else:
        private = _read(path, track)
        made = _sanitize(part, private, seed)
        content = release_bytes(track, made.release.data, made.trace.origins, private)
        cautions = _broken_rules(track, private, made.release.data)
    return SanitizedFiles(
        contents={f"release{suffix}": content},
        card=ReleaseCard.of(made.release),
        size=_size(made.release, len(private), by_rules=track is not None),
        cautions=cautions,
    )


def sanitize_tables(
    source: Path | str,
    spec: Mapping[str, Any],
    *,
    schema: Path | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    outside: Outside | None = None,
    seed: int | None = None,
) -> SanitizedFiles:
    """A release of several tables about the same people; raises with every fault of all tables.

    Parameters
    ----------
    source : a folder or an archive with one file per table, or the address of a database.
    schema : the file with tables, keys and columns; by default they are learned.
    unit : without a schema, the column that names people.
    outside : what becomes of cells and rows that the schema does not allow.
    """
    part = cast(Sanitizer, build("sanitizer", spec))
    with explain_crash(part.id), warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", LearnedSchema)
        given: dict[str, Any] = {"schema": schema, "domain": domain, "unit": unit, "seed": seed}
        release = sanitize_data(part, source, outside=outside, **given)
    people = as_trees(release.data)
    tables = people.people.schema.tables
    return SanitizedFiles(
        contents=people_bytes(people),
        card=ReleaseCard.of(release),
        size=f"{count(len(people), 'person', 'people')} in {count(len(tables), 'table')}, made",
        cautions=tuple(str(warning.message) for warning in notes),
    )


def _size(release: Release, private: int, *, by_rules: bool) -> str:
    """How many records there are, and from how many they were made where nobody protects that."""
    records = count(len(release.data), "record")
    shows_private = by_rules or release.claim is None
    return f"{records}, made from {private}" if shows_private else f"{records}, made"


def _read(path: Path, track: Track) -> Data:
    faults = Faults()
    cells = cells_of(path, track_schema(track).private, track, faults)
    faults.raise_if_any(DataError)
    assert cells is not None  # no cells without a fault
    return cells.data()


def _sanitize(part: Sanitizer, private: Data, seed: int | None) -> Sanitized:
    noise = Noise.from_os() if seed is None else Noise.for_test(seed)
    with explain_crash(part.id):
        return sanitize(part, private, rng=np.random.default_rng(seed), noise=noise)


def _broken_rules(track: Track, private: Data, release: Data) -> tuple[str, ...]:
    """Why the contest would refuse the release."""
    faults = Faults()
    for rule in track.rule:
        rule.check(private, release, faults)
    return tuple(f"the contest would refuse this release: {fault}" for fault in faults)
