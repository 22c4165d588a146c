"""Sanitizing: run a sanitizer on a data frame."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from quintain.api.inputs import AnyData, library, unpack_release
from quintain.api.parts import AnySanitizer, Fits, choose_sanitizer
from quintain.api.people import (
    AnyPeopleSchema,
    people_library,
    read_private_people,
    schema_of_one_table,
    tell_learned_tables,
)
from quintain.audits.reading.units import several_rows_per_claim
from quintain.data import Learned, Schema, as_trees, is_data, shape_of
from quintain.data.arrays import Rows
from quintain.data.frames import Library, to_frame
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import LearnedSchema, learn
from quintain.data.outside import Outside
from quintain.data.people_files import has_tables
from quintain.randomness.noise import Noise
from quintain.releases import Release, publication
from quintain.samples.sample import private_part
from quintain.sanitizers.adapters.adapter import reads_cells, with_cells
from quintain.sanitizers.mechanism import (
    DomainSource,
    choose_mechanism,
    shows_domain,
    tell_lost_columns,
)
from quintain.sanitizers.outside import read_private, tell_outside
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.sanitizer import sanitize as run


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrameRelease(Release):
    """A release that gives its records back in the library of the original data frame.

    Parameters
    ----------
    published_rows : secret. For each row of the private data its row in the release, counted from
        0, or -1 if it has none; for people with several rows, the place of their pseudonym. None if
        released records stand for nobody, as with synthetic data.
    """

    library: Library = "pandas"
    published_rows: Rows | None = None

    def to_frame(self) -> Any:
        """The released records as a data frame of the library of the original."""
        return to_frame(self.data, self.library)

    def to_frames(self) -> dict[str, Any]:
        """The released tables about people as data frames, by name."""
        tables = as_trees(self.data).to_tables()
        return {name: to_frame(table, self.library) for name, table in tables.items()}


@overload
def sanitize(
    sanitizer: Sanitizer,
    data: AnyData,
    *,
    schema: Schema | Learned | AnyPeopleSchema | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows_per_unit: int | None = None,
    header: bool | None = None,
    outside: Outside | None = None,
    seed: int | None = None,
    noise: Noise | None = None,
) -> FrameRelease: ...


@overload
def sanitize(
    sanitizer: Fits | Callable[..., Any],
    data: AnyData,
    *,
    schema: Schema | Learned | AnyPeopleSchema | None = None,
    header: bool | None = None,
    outside: Outside | None = None,
    seed: int | None = None,
    noise: Noise | None = None,
) -> FrameRelease: ...


@overload
def sanitize(
    sanitizer: str | type[Sanitizer],
    data: AnyData,
    *,
    schema: Schema | Learned | AnyPeopleSchema | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows_per_unit: int | None = None,
    header: bool | None = None,
    outside: Outside | None = None,
    seed: int | None = None,
    noise: Noise | None = None,
    **parameters: Any,
) -> FrameRelease: ...


def sanitize(
    sanitizer: AnySanitizer,
    data: AnyData,
    *,
    schema: Schema | Learned | AnyPeopleSchema | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows_per_unit: int | None = None,
    header: bool | None = None,
    outside: Outside | None = None,
    seed: int | None = None,
    noise: Noise | None = None,
    **parameters: Any,
) -> FrameRelease:
    """Sanitize private data and return the release.

    Parameters
    ----------
    sanitizer : the name of a sanitizer such as "mst", a sanitizer or its class; or of another
        maker: an object with fit and sample or with fit and generate, a function from data frame to
        data frame, or a command with {input} and {output}, or with {requests}.
    data : a pandas or polars data frame, a pyarrow table, the path of a file, or data with a
        schema. Ids of a table are left out; but a function or a command of another maker gets all
        cells as they are. Several tables about the same people are data frames by
        name, or the path of a folder; people get pseudonyms, and ``to_frames`` of the release has
        the tables.
    schema : the columns and their domains, which are public, or the path of a file with them. By
        default, quintain learns from the data which columns there are and of which kinds, and the
        claim says so. A file with ``"others": "learned"`` states some columns and leaves the others
        to that. Several tables have a schema of people, or the path of a file with one.
    domain : where the domains come from, that is the smallest and largest numbers and the
        categories. "public": from the schema. "measured": they are measured with noise, which the
        claim covers; rare categories become "other". "learned": from the data, and then nothing is
        claimed. By default public if you give a schema, and measured if not; learned where the
        sanitizer claims nothing or has no epsilon to pay with.
    unit : the column that says whose row it is, if people have several rows. It is not released.
        Of several tables without a schema, the column that names people.
    rows_per_unit : the most rows of a person; of more rows, random ones are left out. The claim is
        then about persons, and the budget of each row is smaller by so many times.
    header : whether the first row of a file has the column names, if it looks like the others.
    outside : what becomes of cells that a stated schema does not allow. "clip": each is moved by a
        rule that depends on it and on the schema alone, and rows of nobody are left out. "refuse":
        the data are refused with every such cell; that there is a release then tells that nobody
        has one. By default "clip" where differential privacy is claimed, and "refuse" elsewhere.
    seed : for tests, the same seed gives the same release. Such a release protects nobody and is
        marked as a test. Without a seed, the operating system gives the noise.
    noise : the privacy noise to use instead, for example ``Noise.from_key`` of your own secret.
    parameters : the parameters of the sanitizer, such as ``epsilon=1``.

    >>> import pyarrow as pa
    >>> from quintain.data import Column, Schema
    >>> schema = Schema(columns=(Column(name="sex", kind="category", values=("f", "m")),))
    >>> frame = pa.table({"sex": ["f", "m", "m", "f"]})
    >>> release = sanitize("rr", frame, schema=schema, seed=1, keep=0.5)
    >>> release.to_frame().num_rows, release.test
    (4, True)
    """
    named, given = choose_sanitizer(sanitizer, parameters), unpack_release(data)
    several, source = has_tables(given), given
    unstated: tuple[str, ...] = ()
    if several:
        given, unstated, left_out, way = read_private_people(
            given, schema, named, unit, domain=domain, outside=outside
        )
        unit = None  # what a release of people says of them are pseudonyms
    stated = None if several else schema_of_one_table(schema)
    table = InputTable.of(given, header=header)
    learned = learn(table, stated=stated, unit=unit)
    if several:
        private = learned.read(table)
    else:
        private, way = read_private(
            named, table, learned, outside=outside, domain=domain, unit=unit
        )
    unstated = unstated or learned.unstated
    kind = people_library(source) if several else library(source)
    if noise is None:
        noise = Noise.from_os() if seed is None else Noise.for_test(seed)
    people = private_part(private, np.arange(len(private)), keep=unit)
    people = with_cells(named, people, None if several or is_data(given) else table.read_cells)
    part = choose_mechanism(
        named,
        people.schema,
        learned=unstated,
        kinds_stated=learned.kinds_stated and not unstated,
        domain=domain,
        unit=unit,
        rows=rows_per_unit,
    )
    if several and unstated:
        warnings.warn(tell_learned_tables(part, left_out), LearnedSchema, stacklevel=2)
    elif learned.stated is None:
        warning = learned.tell_learned() if reads_cells(named) else learned.warning
        if not shows_domain(part):
            warning = learned.tell_left_out("published", but=unit)
        if warning:
            warnings.warn(warning, LearnedSchema, stacklevel=2)
    rng = np.random.default_rng(seed)
    sanitized = run(part, people, rng=rng, noise=noise)
    release = sanitized.release
    if schema is not None:
        release = tell_outside(release, way)
    if lost := tell_lost_columns(part, release.data):
        warnings.warn(lost, LearnedSchema, stacklevel=2)
    if not several and not is_data(given):
        for sentence in several_rows_per_claim(table, release.claim):
            warnings.warn(sentence, stacklevel=2)
    shown, rows, shape = release.data, None, shape_of(release.data)
    if shape.row_is_person or shape.origin_column:
        published = publication(release.data, sanitized.trace.origins, rng=rng)
        rows = _published_rows(published.origins, len(people))
        shown = published.data if shape.origin_column else shown  # without the names of people
    return FrameRelease(
        shown,
        release.claim,
        release.methods,
        release.test,
        release.models,
        release.no_claim,
        release.weights,
        kind,
        rows,
    )


def _published_rows(origins: Rows | None, private: int) -> Rows | None:
    """The released row of each private record; chance decided between equal released rows."""
    if origins is None:
        return None
    rows: Rows = np.full(private, -1)
    rows[origins[origins >= 0]] = np.flatnonzero(origins >= 0)
    return rows
