"""Sanitizing: run one sanitizer on one file, without a contest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from quintain.contests import Track
from quintain.data import Data
from quintain.data.files import to_bytes
from quintain.errors import DataError, Faults
from quintain.jobs.job import explain_crash
from quintain.noise import Noise
from quintain.registry import build
from quintain.releases import ReleaseCard, Sanitized, publish
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


@dataclass(frozen=True, slots=True)
class SanitizedFile:
    """A release as the content of a file, and its card.

    Parameters
    ----------
    before, after : how many records the private file and the release have.
    cautions : what the owner of the data should know, one sentence each.
    """

    content: bytes
    card: ReleaseCard
    before: int
    after: int
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
    suffix: str = ".csv",
    seed: int | None = None,
) -> SanitizedFile:
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
    suffix : without rules, how the name of the release ends: .csv or .parquet.
    seed : for rehearsals; without it, the noise comes from the operating system.
    """
    part = cast(Sanitizer, build("sanitizer", spec))
    cautions: tuple[str, ...]
    if track is None:
        own = read_own_table(path, schema, header, unit)
        private = private_part(own.data, np.arange(len(own.data)), keep=unit)
        mechanism = choose_mechanism(
            part,
            private.schema,
            learned=own.unstated,
            domain=domain,
            unit=unit,
            rows=rows_per_unit,
        )
        made = _sanitize(mechanism, private, seed)
        learned = shows_domain(mechanism) and bool(own.unstated)
        lost = tell_lost_columns(mechanism, private, made.release.data)
        cautions = tuple(filter(None, [LEARNED if learned else "", own.left_out, lost]))
        shown = publish(made.release.data, rng=np.random.default_rng(seed))
        content = to_bytes(shown, suffix)
    else:
        private = _read(path, track)
        made = _sanitize(part, private, seed)
        content = release_bytes(track, made.release.data, made.trace.origins, private)
        cautions = _broken_rules(track, private, made.release.data)
    card = ReleaseCard.of(made.release)
    return SanitizedFile(content, card, len(private), len(made.release.data), cautions)


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
