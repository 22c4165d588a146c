"""Extracts: prepare the base table of SNAKE from the yearly extracts of the population survey.

The Economic Policy Institute publishes one file per year, ``epi_cpsbasic_2005.dta`` and so on, also
as ``.feather``, or packed as ``epi_cpsbasic_2000_2023.zip``. One row is one person in one month;
answers are numeric codes. The table is prepared as in 2023:

1. Keep people of 16 years or more with all columns filled in, a family income and a weight. These
   are working people, because only they have an industry, an occupation and usual hours.
2. Turn codes into categories. A code that is not in the published list is a fault.
3. Of all months in which a household number occurs, keep the month with the most people.

If several months have the most people, keep the earliest. In 2023 the sorting algorithm decided
that, so single households may differ from the table of the challenge. The numbers of people and
households do not depend on it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Rows
from quintain.data.column import Column
from quintain.data.schema import Schema
from quintain.data.table import Table
from quintain.errors import DataError, Faults, MissingExtra

YEARS = range(2005, 2023)
ENDINGS = (".dta", ".feather", ".parquet", ".csv")
ARCHIVES = "epi_cpsbasic_*.zip"
CHUNK = 100_000
YOUNGEST = 16

FROM_ZERO = ("agechild", "female", "married")
"""The codes of these start with 0, of other categories with 1; the codes of states have gaps."""

STATES = np.array([code for code in range(1, 57) if code not in (3, 7, 14, 43, 52)])
"""The federal codes of the states, in the order of their names."""

UNREADABLE = (OSError, ValueError, EOFError, struct.error, zlib.error, BadZipFile)

Values = Mapping[str, npt.NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Extract:
    """The file of one year, single or in an archive."""

    year: int
    path: Path
    member: str = ""

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return f"{self.path.name}/{self.member}" if self.member else self.path.name


def find_extracts(folder: Path) -> list[Extract]:
    """The yearly files in a folder, at most one per year."""
    by_year = {}
    for archive in sorted(folder.glob(ARCHIVES)):
        try:
            with ZipFile(archive) as packed:
                names = set(packed.namelist())
        except BadZipFile:
            continue
        for year in YEARS:
            if (member := f"epi_cpsbasic_{year}.dta") in names:
                by_year[year] = Extract(year, archive, member)
    for year in YEARS:
        for ending in reversed(ENDINGS):
            if (path := folder / f"epi_cpsbasic_{year}{ending}").is_file():
                by_year[year] = Extract(year, path)
    return [by_year[year] for year in sorted(by_year)]


def base_from_extracts(folder: Path, schema: Schema) -> Table:
    """Prepare the base table from the yearly files in a folder; raises with every fault."""
    extracts = find_extracts(folder)
    faults = Faults()
    for year in sorted(set(YEARS) - {extract.year for extract in extracts}):
        faults.add(f"epi_cpsbasic_{year}.dta is not in {folder}; add all years from 2005 to 2022")
    faults.raise_if_any(DataError)
    kept: dict[str, Array] = {name: np.empty(0, np.int16) for name in (*schema.names, "time")}
    for extract in extracts:
        of_file = Faults(extract.name)
        parts = [
            _code_people(values, row, extract.year, schema, of_file)
            for row, values in _read(extract, schema, of_file)
        ]
        faults.extend(of_file)
        if not faults:
            # Year by year, so that memory holds no more than two years at a time.
            kept = _largest([kept, *parts])
    faults.raise_if_any(DataError)
    return Table(schema, {name: kept[name] for name in schema.names})


def largest_month(household: Rows, month: Rows) -> Rows:
    """The rows of each household in its month with most rows, the earliest if several have most.

    >>> largest_month(np.array([7, 5, 5, 7, 7, 5]), np.array([1, 1, 2, 2, 2, 3])).tolist()
    [1, 3, 4]
    """
    order = np.lexsort((month, household))
    new = np.diff(household[order], prepend=-1) != 0
    new |= np.diff(month[order], prepend=-1) != 0
    start = np.flatnonzero(new)
    size = np.diff(np.r_[start, len(order)])
    owner = household[order][start]
    best = np.lexsort((month[order][start], -size, owner))
    best = best[np.diff(owner[best], prepend=-1) != 0]
    return order[np.isin(np.cumsum(new) - 1, best)]


def _largest(parts: list[dict[str, Array]]) -> dict[str, Array]:
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    rows = largest_month(joined["hhid"], joined["time"])
    return {name: values[rows] for name, values in joined.items()}


def _code_people(
    values: Values, before: int, year: int, schema: Schema, faults: Faults
) -> dict[str, Array]:
    """The coded columns of people who count; ``before`` rows of the file precede these rows."""
    complete = np.logical_and.reduce([~np.isnan(column) for column in values.values()])
    # In 2023 weights were cut to whole numbers before they were compared with zero.
    counts = (values["faminc"] > 0) & (values["age"] >= YOUNGEST) & (values["basicwgt"] >= 1)
    rows = np.flatnonzero(complete & counts)
    out: dict[str, Array] = {}
    for name in schema.names:
        codes, good, expected = _codes(schema[name], values[name][rows])
        bad = np.flatnonzero(~good)
        listed = bad[: faults.room()]
        for row in rows[listed].tolist():
            got = f"{values[name][row]:g}"
            faults.add(expected, line=before + row + 1, column=name, got=got)
        faults.count(len(bad) - len(listed))
        out[name] = codes
    if (wrong := values["year"][rows] != year).any():
        faults.add(f"{wrong.sum()} people are from another year than {year}", column="year")
    out["time"] = 12 * year + values["month"][rows].astype(np.int64)
    return out


def _codes(column: Column, values: npt.NDArray[np.float64]) -> tuple[Array, Array, str]:
    """The contents of a column for these values, which values are valid, and what is expected."""
    if column.identifying:
        good = (values >= 0) & (values < 2.0**53) & (values % 1 == 0)
        return np.where(good, values, 0).astype(np.int64), good, "expected a whole number"
    if column.name == "statefips":
        known, words = STATES, "one of the federal codes of 51 states"
    else:
        first = int(column.name not in FROM_ZERO) if column.listed else column.offset
        known, words = (
            np.arange(first, first + column.size),
            f"in {first}..{first + column.size - 1}",
        )
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return place.astype(np.int16), known[place] == values, f"expected a code {words}"


def _read(extract: Extract, schema: Schema, faults: Faults) -> Iterator[tuple[int, Values]]:
    """The rows of a file in pieces, each with the number of rows before it."""
    import pyarrow

    names = [*schema.names, "year", "month", "basicwgt"]
    stata = extract.path.suffix in (".dta", ".zip")
    before = 0
    try:
        for values in _stata(extract, names, faults) if stata else _arrow(extract, names, faults):
            yield before, values
            before += len(values["year"])
    except (pyarrow.ArrowException, *UNREADABLE) as problem:
        faults.add(f"cannot be read as numeric codes: {problem}".split("\n")[0])


def _missing(names: list[str], available: list[str], faults: Faults) -> bool:
    absent = [name for name in names if name not in available]
    for name in absent:
        faults.add("this column is missing", column=name)
    return bool(absent)


def _stata(extract: Extract, names: list[str], faults: Faults) -> Iterator[Values]:
    try:
        import pandas
    except ImportError:
        raise MissingExtra("a Stata file", "pandas", "frames") from None
    with ExitStack() as stack:

        def open_file() -> object:
            if not extract.member:
                return extract.path
            return stack.enter_context(
                stack.enter_context(ZipFile(extract.path)).open(extract.member)
            )

        with pandas.read_stata(open_file(), iterator=True) as head:
            available = list(head.variable_labels())
        if _missing(names, available, faults):
            return
        with pandas.read_stata(
            open_file(), columns=names, convert_categoricals=False, chunksize=CHUNK
        ) as chunks:
            for chunk in chunks:
                yield {name: chunk[name].to_numpy(np.float64) for name in names}


def _arrow(extract: Extract, names: list[str], faults: Faults) -> Iterator[Values]:
    import pyarrow
    import pyarrow.dataset

    kind = extract.path.suffix[1:]
    data = pyarrow.dataset.dataset(extract.path, format=kind)
    if _missing(names, data.schema.names, faults):
        return
    if kind == "csv":
        # Otherwise the types would be guessed from the first rows and not fit later ones.
        numbers = pyarrow.schema([(name, pyarrow.float64()) for name in names])
        data = pyarrow.dataset.dataset(extract.path, schema=numbers, format=kind)
    for batch in data.to_batches(columns=names, batch_size=CHUNK):
        yield {
            name: batch.column(name).cast(pyarrow.float64()).to_numpy(zero_copy_only=False)
            for name in names
        }
