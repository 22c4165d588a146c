"""Split: a control, drawn at random from a table before the rest of it is sanitized."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from quintain.audits.reading.several_tables import with_advice
from quintain.audits.reading.units import is_equal_rows, number_rows, number_units
from quintain.data.arrays import Mask, Rows, distinct
from quintain.data.files.formats import CSV, FORMATS, ending_of
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.people import learn_people
from quintain.data.own_files.csv_file import Dialect, read_dialect, text_batches
from quintain.data.own_files.declared import descriptions
from quintain.data.own_files.typed import is_typed, read_typed
from quintain.data.people import read_owners
from quintain.data.people_files import open_tables, read_people_schema, source_name
from quintain.data.sources.database_address import is_address
from quintain.errors import DataError, Fault
from quintain.jobs.files import require_empty, write_file
from quintain.randomness.seeds import SeedTree
from quintain.wording.suggestion import suggestion

NAMES = ("to-sanitize", "control")
"""The two files, without their endings."""


@dataclass(frozen=True, slots=True)
class SplitPart:
    """One of the two files: where it is, its rows, and the people or other units in it."""

    path: Path
    rows: int
    units: int


def split_file(
    data: Path,
    out: Path,
    *,
    share: float = 0.5,
    unit: str | None = None,
    header: bool | None = None,
    seed: int = 0,
    replace: bool = False,
) -> tuple[SplitPart, SplitPart]:
    """Write the people to sanitize and the control into two files; the same seed, the same bytes.

    Rows of a CSV file are copied as they are written, in their order. A workbook becomes CSV.

    Parameters
    ----------
    out : a folder that is empty or does not exist yet, unless ``replace``.
    share : the share of people that becomes the control.
    unit : the column that says whose row it is, or equal-rows. All rows with the same value, or
        all equal rows, stay together.
    header : whether the first row has the column names; None if nobody said it.
    """
    require_empty(out, replace=replace)
    if is_typed(data):
        return _split_typed(data, out, share, unit, header, seed)
    dialect = read_dialect(data, header=header, ask=True)
    units = _units(data, dialect, unit)
    chosen = _control(units, share, seed, data.name)
    paths = [out / f"{name}{data.suffix or '.csv'}" for name in NAMES]
    _write_texts(data, dialect, dict(zip(paths, (~chosen, chosen), strict=True)))
    parts = [
        SplitPart(path, int(side.sum()), len(distinct(units[side])))
        for path, side in zip(paths, (~chosen, chosen), strict=True)
    ]
    return parts[0], parts[1]


def split_people(
    source: Path | str,
    out: Path,
    *,
    share: float = 0.5,
    schema: Path | None = None,
    person: str | None = None,
    header: bool | None = None,
    seed: int = 0,
    replace: bool = False,
) -> tuple[SplitPart, SplitPart]:
    """Write the people to sanitize and the control into two folders, each with all their tables.

    Tables that many people share are in both. Rows that belong to nobody are in the first.

    Parameters
    ----------
    source : a folder, a zip archive, or the address of a database, whose tables become CSV.
    schema : a file that says what the tables are (quintain.schema/2); by default learned.
    person : the column that names people, if there is no schema.
    """
    require_empty(out, replace=replace)
    with open_tables(source, header=header) as tables:
        try:
            known = (
                learn_people(tables, person).schema
                if schema is None
                else read_people_schema(schema)
            )
            owners = read_owners(known, tables)
        except DataError as error:
            raise with_advice(error.faults, source) from None
        control = _control(np.arange(len(owners.keys)), share, seed, source_name(source))
        rows = dict.fromkeys(NAMES, 0)
        for name, table in tables.items():
            masks = _part_rows(table, owners.persons.get(name), control)
            _write_table(table, name, {out / part: mask for part, mask in masks.items()})
            rows = {part: rows[part] + int(mask.sum()) for part, mask in masks.items()}
        for file in _descriptions(source):
            for part in NAMES:
                write_file(out / part / file.name, file.read_bytes())
    counts = int((~control).sum()), int(control.sum())
    parts = [SplitPart(out / n, rows[n], c) for n, c in zip(NAMES, counts, strict=True)]
    return parts[0], parts[1]


def _part_rows(table: InputTable, person: Rows | None, control: Mask) -> dict[str, Mask]:
    """Which rows of a table are in each part; without people, all are in both."""
    if person is None:
        everything = np.ones(table.count_rows(), np.bool_)
        return dict.fromkeys(NAMES, everything)
    chosen = (person >= 0) & control[person]
    return dict(zip(NAMES, (~chosen, chosen), strict=True))


def _write_table(table: InputTable, name: str, masks: Mapping[Path, Mask]) -> None:
    """Write some rows of a table into each folder; a CSV file keeps its spelling."""
    path = table.path
    if path is not None and not is_typed(path):
        dialect = read_dialect(path, header=table.header, ask=True)
        _write_texts(path, dialect, {folder / path.name: mask for folder, mask in masks.items()})
        return
    ending = CSV if path is None else ending_of(path)
    for folder, mask in masks.items():
        content = _content(table.arrow().filter(pa.array(mask)), ending)
        write_file(folder / f"{name}{ending}", content)


def _descriptions(source: Path | str) -> list[Path]:
    """The descriptions beside the tables of a folder, which say how they belong together."""
    return descriptions(Path(source)) if not is_address(source) and Path(source).is_dir() else []


def _write_texts(data: Path, dialect: Dialect, masks: Mapping[Path, Mask]) -> None:
    """Write some records of a CSV file into each file, as they are written."""
    head, rows = _raw_rows(data, dialect)
    for path, mask in masks.items():
        if len(rows) != len(mask):
            message = f"has {len(mask)} records, but {len(rows)} pieces of text; save it again"
            raise DataError([Fault(f"{message} as CSV or Parquet", data.name)])
        text = "".join([head, *(rows[row] for row in np.flatnonzero(mask).tolist())])
        write_file(path, text.encode(dialect.encoding))


def _units(data: Path, dialect: Dialect, unit: str | None) -> Rows:
    """For each row the number of its unit; without a column, every row is a unit."""
    if unit is None:
        batches = text_batches(data, dialect, dialect.names[:1])
        return np.arange(sum(batch.num_rows for batch in batches))
    if is_equal_rows(unit, dialect.names):
        rows = pa.Table.from_batches(text_batches(data, dialect))
        return number_rows([[column] for column in rows.columns])
    _require_column(data, dialect.names, unit)
    chunks = [batch.column(unit) for batch in text_batches(data, dialect, [unit])]
    return number_units(pa.chunked_array(chunks, pa.string()))


def _require_column(data: Path, names: Sequence[str], unit: str) -> None:
    if unit not in names:
        message = f"the file has no such column{suggestion(unit, names)}"
        raise DataError([Fault(message, data.name, column=unit)])


def _control(units: Rows, share: float, seed: int, name: str) -> Mask:
    """Which rows belong to the control: those of units drawn at random."""
    different = distinct(units)
    if len(different) < 2:
        raise DataError([Fault("has fewer than two people; nothing can be split off", name)])
    count = min(max(1, round(share * len(different))), len(different) - 1)
    rng = SeedTree.from_int(seed).rng("audit", "split")
    chosen = rng.permutation(len(different))[:count]
    control: Mask = np.isin(units, different[chosen])
    return control


def _raw_rows(data: Path, dialect: Dialect) -> tuple[str, list[str]]:
    """The text before the first record, and the text of each record, which ends with a newline."""
    with data.open(encoding=dialect.encoding, newline="") as file:
        head = "".join(next(file, "") for _ in range(dialect.header))
        rows = list(_records(file, quoted=dialect.quoted))
    end = "\r\n" if head.endswith("\r\n") else "\n"
    if rows and not rows[-1].endswith(("\n", "\r")):
        rows[-1] += end
    return head if not head or head.endswith(("\n", "\r")) else head + end, rows


def _records(lines: Iterable[str], *, quoted: bool) -> Iterator[str]:
    """Join the lines of a record: a quoted cell may contain line breaks."""
    pending = ""
    for line in lines:
        pending += line
        if quoted and pending.count('"') % 2:
            continue
        if pending.strip("\r\n"):
            yield pending
        pending = ""
    if pending:
        yield pending


def _split_typed(
    data: Path, out: Path, share: float, unit: str | None, header: bool | None, seed: int
) -> tuple[SplitPart, SplitPart]:
    table = read_typed(data, header=header, ask=True)
    units = np.arange(table.num_rows)
    if is_equal_rows(unit, table.column_names):
        units = number_rows([[column.cast(pa.string())] for column in table.columns])
    elif unit is not None:
        _require_column(data, table.column_names, unit)
        units = number_units(table.column(unit).cast(pa.string()))
    chosen = _control(units, share, seed, data.name)
    parts = []
    for name, side in zip(NAMES, (~chosen, chosen), strict=True):
        path = out / f"{name}{ending_of(data)}"
        write_file(path, _content(table.filter(pa.array(side)), ending_of(data)))
        parts.append(SplitPart(path, int(side.sum()), len(distinct(units[side]))))
    return parts[0], parts[1]


def _content(rows: pa.Table, ending: str) -> bytes:
    write = FORMATS[ending].of_rows
    assert write is not None  # ending_of names formats of records alone
    return write(rows)
