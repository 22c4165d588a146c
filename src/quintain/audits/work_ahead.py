"""Work ahead: how long an audit will take and how much memory, said before it reads its tables.

The figures are those of idle machines on simulated tables (docs/reference/audit-checked.md). Other
machines and other tables differ, so an estimate says from what to what.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quintain.data.files.formats import table_endings
from quintain.data.kinds import is_data
from quintain.data.learning.input_table import InputTable
from quintain.data.own_files.typed import is_typed
from quintain.data.sources.database_address import is_address
from quintain.errors import QuintainError
from quintain.jobs.progress import announce

WORTH_SAYING = 10.0
"""An audit that takes fewer seconds needs no plan."""
TIMES = 3.0
"""An audit may take so many times as long as its estimate, or be so many times as quick."""
MORE_MEMORY = 2.0

_FIXED, _PER_COLUMN, _AS_COLUMNS, _POWER = 2.0, 0.28, 24, 0.68
"""Seconds: some in any case; some for each column of 10,000 rows, and for work beside columns."""
_ROWS = 10_000
_MEGABYTES, _PER_CELL = 380.0, 105e-6
_PER_FOLD = 0.32
"""What attacks on one fold take, as a share of an audit of a release."""
_WITHOUT_CONTROL = 0.4
_PER_ATTACK = 0.05
_PER_COMPARED = 0.45
"""What attacks on one release of a comparison take, as a share of the attacks of an audit."""
_SECONDS_OF_CALL = 2e-6
"""What a sanitizer takes for a cell in one call; they differ much."""
_SECONDS_OF_REPLAY = 0.3
"""What a replay on one pair of neighbours takes, with the rows of made-up tables."""
_PAIRS_OF_PART, _PAIRS_OF_TABLE = 46, 14
"""How many pairs of neighbours a sanitizer has on average, on made-up data and on one table."""
_HEAD = 1 << 16
_PACKED = 4.0
"""About so many bytes a cell takes in a Parquet file or a workbook."""


@dataclass(frozen=True, slots=True)
class TableSize:
    """How large a table is, as far as anybody knows before it is read."""

    rows: int
    columns: int

    @classmethod
    def of(cls, given: Any, header: bool | None = None) -> TableSize | None:
        """The size of a frame, of data or of a file, which is not read; None if nobody can say.

        >>> import pyarrow as pa
        >>> TableSize.of(pa.table({"age": [40, 17, 99], "sex": ["f", "m", "f"]}))
        TableSize(rows=3, columns=2)
        """
        given = getattr(given, "data", given) if not is_data(given) else given
        if is_data(given):
            return cls(len(given), len(given.schema.names))
        if isinstance(given, Mapping):
            return cls.together([cls.of(table) for table in given.values()])
        with suppress(QuintainError, OSError):
            if isinstance(given, str | os.PathLike):
                return cls._of_path(Path(given), header)
            table = InputTable.of(given)
            return cls(table.count_rows(), len(table.names()))
        return None

    @classmethod
    def together(cls, sizes: Sequence[TableSize | None]) -> TableSize | None:
        """The size of several tables about the same people: all rows, and all columns."""
        known = [size for size in sizes if size is not None]
        if not known:
            return None
        return cls(sum(size.rows for size in known), sum(size.columns for size in known))

    @classmethod
    def _of_path(cls, path: Path, header: bool | None) -> TableSize | None:
        if is_address(str(path)) or not path.exists():
            return None
        if path.is_dir():
            files = sorted(own for own in path.iterdir() if own.suffix.lower() in table_endings())
            return cls.together([cls._of_path(own, header) for own in files])
        if path.suffix.lower() == ".zip":
            return None
        columns, size = len(InputTable.of(path, header=header).names()), path.stat().st_size
        if is_typed(path):
            return cls(int(size / (_PACKED * columns)), columns)
        with path.open("rb") as file:
            head = file.read(_HEAD)
        lines = head.count(b"\n") if len(head) < size else max(1, head.count(b"\n"))
        return cls(max(0, round(size * lines / max(1, len(head))) - 1), columns)


@dataclass(frozen=True, slots=True)
class WorkAhead:
    """What an audit will take.

    Parameters
    ----------
    what : on what, in words.
    seconds : of one processor.
    megabytes : of memory, in one process.
    """

    what: str
    seconds: float
    megabytes: float

    def sentence(self) -> str:
        """The estimate, with what it may be at least and at most.

        >>> print(WorkAhead("10,000 rows x 12 columns", 12.0, 393.0).sentence())
        10,000 rows x 12 columns: about 12 seconds of processor time (4 to 36), and about 0.4 GB of
        memory (0.2 to 0.8)
        """
        unit, size = ("minutes", 60.0) if self.seconds >= 120 else ("seconds", 1.0)
        low, middle, high = (
            f"{value:,.0f}"
            for value in (
                self.seconds / TIMES / size,
                self.seconds / size,
                self.seconds * TIMES / size,
            )
        )
        giga = self.megabytes / 1000
        return (
            f"{self.what}: about {middle} {unit} of processor time ({low} to {high}), and about "
            f"{giga:.1f} GB of memory ({giga / MORE_MEMORY:.1f} to {giga * MORE_MEMORY:.1f})"
        )

    def announce(self) -> None:
        """Say it, if the audit is long."""
        if self.seconds >= WORTH_SAYING:
            announce(self.sentence())


def release_audit(sizes: Sequence[TableSize | None], *, control: bool, attacks: int) -> WorkAhead:
    """What an audit of a release takes: original, release, and the control if there is one.

    >>> sizes = [TableSize(100_000, 50)] * 3
    >>> work = release_audit(sizes, control=True, attacks=0)
    >>> round(work.seconds), round(work.megabytes)
    (101, 905)
    """
    size = _usual(sizes)
    share = 1.0 if control else _WITHOUT_CONTROL
    seconds = _attacking(size) * share * (1 + _PER_ATTACK * attacks)
    return WorkAhead(_words(size), seconds, _memory(size))


def everybody_audit(sizes: Sequence[TableSize | None], *, folds: int, attacks: int) -> WorkAhead:
    """What an audit of everybody takes, with one call of the sanitizer for each fold."""
    size = _usual(sizes)
    seconds = folds * _attacking(size) * _PER_FOLD * (1 + _PER_ATTACK * attacks)
    seconds += folds * _call(size)
    what = f"{_words(size)}, {folds} folds, with a sanitizer that takes {_call(size):.2g} s"
    return WorkAhead(what, seconds, _memory(size))


def sanitizer_audit(size: TableSize, *, calls: int, settings: int) -> WorkAhead:
    """What an audit of a sanitizer takes that calls it so often in each setting."""
    seconds = settings * (calls * _call(size) + _attacking(size))
    what = f"{_words(size)}, {calls:,} calls" + (f" x {settings} settings" * (settings > 1))
    what += f" of a sanitizer that takes {_call(size):.2g} s"
    return WorkAhead(what, seconds, _memory(size))


def comparison_audit(
    sizes: Sequence[TableSize | None], *, runs: int, releases: int, attacks: int
) -> WorkAhead:
    """What a comparison takes: of the data, and of the control if there is one.

    Parameters
    ----------
    runs : how many releases sanitizers make.
    releases : how many are finished.
    attacks : how many were chosen; 0 if those of an audit play.
    """
    size = _usual(sizes)
    if len(sizes) == 1:  # each repetition takes about half of the people for a control
        size = TableSize(size.rows // 2, size.columns)
    share = _PER_ATTACK * attacks if attacks else _PER_COMPARED
    seconds = _FIXED + (runs + releases) * share * (_attacking(size) - _FIXED) + runs * _call(size)
    what = f"{_words(_usual(sizes))}, {runs + releases} releases"
    what += f", for {runs} of them a sanitizer that takes {_call(size):.2g} s" * (runs > 0)
    return WorkAhead(what, seconds, _memory(size))


def accounting_audit(parts: int, size: TableSize | None) -> WorkAhead:
    """What an audit of the accounting takes, on made-up data or on a table of this size."""
    pairs = parts * (_PAIRS_OF_PART if size is None else _PAIRS_OF_TABLE)
    what = f"{parts} sanitizers with about {pairs} pairs of neighbours"
    if size is None:
        return WorkAhead(what, pairs * _SECONDS_OF_REPLAY, _MEGABYTES)
    seconds = pairs * (_SECONDS_OF_REPLAY + 2 * _call(size))
    return WorkAhead(f"{_words(size)}, {what}", seconds, _memory(size))


def _usual(sizes: Sequence[TableSize | None]) -> TableSize:
    known = [size for size in sizes if size is not None] or [TableSize(0, 0)]
    rows = round(sum(size.rows for size in known) / len(known))
    return TableSize(rows, max(size.columns for size in known))


def _words(size: TableSize) -> str:
    return f"about {size.rows:,} rows x {size.columns:,} columns"


def _attacking(size: TableSize) -> float:
    columns = size.columns + _AS_COLUMNS
    return _FIXED + _PER_COLUMN * columns * float((size.rows / _ROWS) ** _POWER)


def _call(size: TableSize) -> float:
    return 0.01 + _SECONDS_OF_CALL * size.rows * size.columns


def _memory(size: TableSize) -> float:
    return _MEGABYTES + _PER_CELL * size.rows * size.columns
