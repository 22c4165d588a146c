"""Sanitizing: run a sanitizer on a data frame."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from quintain.api.inputs import AnyData, library, read_private, unpack_release
from quintain.api.parts import AnySanitizer, Fits, choose_sanitizer
from quintain.data import Learned, Schema, shape_of
from quintain.data.arrays import Rows
from quintain.data.frames import Library, to_frame
from quintain.data.learning.learn import LearnedSchema
from quintain.noise import Noise
from quintain.releases import Release, Sanitized, publication
from quintain.samples.sample import private_part
from quintain.sanitizers.mechanism import (
    DomainSource,
    choose_mechanism,
    shows_domain,
    tell_lost_columns,
)
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.sanitizer import sanitize as run


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrameRelease(Release):
    """A release that gives its records back in the library of the original data frame.

    Parameters
    ----------
    published_rows : secret. For each row of the private data its row in the release, counted from
        0, or -1 if it has none. None if released records stand for nobody, as with synthetic data.
    """

    library: Library = "pandas"
    published_rows: Rows | None = None

    def to_frame(self) -> Any:
        """The released records as a data frame of the library of the original."""
        return to_frame(self.data, self.library)


@overload
def sanitize(
    sanitizer: Sanitizer,
    data: AnyData,
    *,
    schema: Schema | Learned | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows_per_unit: int | None = None,
    header: bool | None = None,
    seed: int | None = None,
    noise: Noise | None = None,
) -> FrameRelease: ...


@overload
def sanitize(
    sanitizer: Fits | Callable[..., Any],
    data: AnyData,
    *,
    schema: Schema | Learned | None = None,
    header: bool | None = None,
    seed: int | None = None,
    noise: Noise | None = None,
) -> FrameRelease: ...


@overload
def sanitize(
    sanitizer: str | type[Sanitizer],
    data: AnyData,
    *,
    schema: Schema | Learned | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows_per_unit: int | None = None,
    header: bool | None = None,
    seed: int | None = None,
    noise: Noise | None = None,
    **parameters: Any,
) -> FrameRelease: ...


def sanitize(
    sanitizer: AnySanitizer,
    data: AnyData,
    *,
    schema: Schema | Learned | None = None,
    domain: DomainSource | None = None,
    unit: str | None = None,
    rows_per_unit: int | None = None,
    header: bool | None = None,
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
        schema. Ids of a table are left out.
    schema : the columns and their domains, which are public. By default, quintain learns from the
        data which columns there are and of which kinds.
    domain : where the domains come from, that is the smallest and largest numbers and the
        categories. "public": from the schema. "measured": they are measured with noise, which the
        claim covers; rare categories become "other". "learned": from the data, and then nothing is
        claimed. By default public if you give a schema, and measured if not; learned where the
        sanitizer claims nothing or has no epsilon to pay with.
    unit : the column that says whose row it is, if people have several rows. It is not released.
    rows_per_unit : the most rows of a person; of more rows, random ones are left out. The claim is
        then about persons, and the budget of each row is smaller by so many times.
    header : whether the first row of a file has the column names, if it looks like the others.
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
    private, learned = read_private(unpack_release(data), schema, header, unit)
    named = choose_sanitizer(sanitizer, parameters)
    if noise is None:
        noise = Noise.from_os() if seed is None else Noise.for_test(seed)
    people = private_part(private, np.arange(len(private)), keep=unit)
    part = choose_mechanism(
        named,
        people.schema,
        learned=learned.unstated,
        domain=domain,
        unit=unit,
        rows=rows_per_unit,
    )
    if schema is None:
        warning = learned.warning
        if not shows_domain(part):
            warning = learned.tell_left_out("published", but=unit)
        if warning:
            warnings.warn(warning, LearnedSchema, stacklevel=2)
    rng = np.random.default_rng(seed)
    sanitized = run(part, people, rng=rng, noise=noise)
    release, kind = sanitized.release, library(unpack_release(data))
    if lost := tell_lost_columns(part, people, release.data):
        warnings.warn(lost, LearnedSchema, stacklevel=2)
    rows = _published_rows(sanitized, len(people), rng=rng)
    return FrameRelease(
        release.data,
        release.claim,
        release.methods,
        release.test,
        release.models,
        release.no_claim,
        kind,
        rows,
    )


def _published_rows(sanitized: Sanitized, private: int, *, rng: np.random.Generator) -> Rows | None:
    """The released row of each private record; chance decides between equal released rows."""
    data, origins = sanitized.release.data, sanitized.trace.origins
    if origins is None or not shape_of(data).row_is_person:
        return None
    shown = publication(data, origins, rng=rng).origins
    assert shown is not None  # the release has origins
    rows: Rows = np.full(private, -1)
    rows[shown[shown >= 0]] = np.flatnonzero(shown >= 0)
    return rows
