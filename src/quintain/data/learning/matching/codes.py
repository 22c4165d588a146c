"""Codes: a release that has a code of its own for each value of a category.

Who holds the original finds out which code stands for which value: common codes stand for common
values, and a code occurs with the same values of other columns as its value does. So must an audit.
But a code may be taken for a wrong value, and then no attack sees what the column gives away. So a
column is matched only if halves of the release, drawn at random, give the same values, and if these
are about as common in the release as in the other tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from quintain.data.arrays import MISSING_TIME, Array, Floats, Ints, Mask
from quintain.data.column import Column
from quintain.data.learning.matching.match import LEAST_OVERLAP, RELEASE, Match, percent
from quintain.data.schema import Schema
from quintain.data.table import Table

LEAST_AGREEMENT = 0.9
"""In halves of the release, so many cells must get the value that they get in all of it, on
average. Chosen with Adult, seeds 100 to 105 (``benchmarks/audit/codes.py``)."""
_COMMON = 0.1
"""A code of so many cells must get the same value in every half. Two equally common codes that
occur with everything alike would agree on average by luck."""
_SPLITS = 20
_MOST_ROWS = 10_000
_MOST_MISFIT = 0.05
"""So much more than those of two samples may the shares of codes and of their values differ."""
_MOST_CODES, _MOST_CLASSES, _MOST_COMPANIONS = 200, 50, 24
_BINS = 8
_ROUNDS = 6
_SMOOTHING = 20.0
"""So many people of the average law are added to those of each value: nothing is impossible."""
_NEW = 0.5
"""How many cells to expect of a code that stands for no value of the others."""


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column of codes under a match: what it is for all tables, and why.

    Parameters
    ----------
    values : for codes of the release, the value that each stands for; None for a missing one.
    """

    column: Column
    values: Mapping[str, str | None]
    match: Match


def match_codes(
    others: Sequence[Table],
    release: Table,
    as_written: Collection[str] = (),
    *,
    rng: np.random.Generator,
) -> list[CodedColumn]:
    """The columns in which the release has a code for each value, if halves of it agree on them.

    A column is left as it is if the others have the values of most of its released cells.

    Parameters
    ----------
    others, release : tables with one schema, whose categories have the values and the codes.
    as_written : columns that are not matched.
    rng : draws the halves of the release.
    """
    pool = reduce(Table.concat, others)
    if len(release) > _MOST_ROWS:
        release = release.take(np.sort(rng.permutation(len(release))[:_MOST_ROWS]))
    coded = [
        column
        for column in release.schema.columns
        if column.name not in as_written and _has_codes(column, pool, release)
    ]
    if not coded:
        return []
    views = [_coded_view(column, pool, release) for column in coded]
    puzzle = _Puzzle.of(views, _companions(pool, release, {column.name for column in coded}))
    counts = puzzle.count(np.ones(len(release), bool))
    whole = puzzle.solve(counts)
    halves = [puzzle.solve(half) for half in puzzle.count_halves(counts, rng)]
    matched = []
    for column, view, places, *again in zip(coded, views, whole, *halves, strict=True):
        same = np.array(again) == places
        agreement = float(view.shares[1] @ same.mean(axis=0))
        common = same[:, view.shares[1] >= _COMMON].all()
        if common and agreement >= LEAST_AGREEMENT and view.misfit(places) <= _MOST_MISFIT:
            matched.append(_describe(column, view, places, agreement))
    return matched


def recode(table: Table, coded: Sequence[CodedColumn], role: str) -> Table:
    """The table under the common columns; in the release, values take the place of their codes."""
    columns = {column.name: column for column in table.schema.columns}
    contents = dict(table.columns)
    for own in coded:
        name = own.column.name
        texts = columns[name].values
        places: dict[str | None, int] = {value: at for at, value in enumerate(own.column.values)}
        labels = own.values if role == RELEASE else {}
        codes = [places.get(labels.get(text, text), -1) for text in texts]
        contents[name] = np.array([*codes, -1], contents[name].dtype)[contents[name]]
        columns[name] = own.column
    return Table(Schema(columns=tuple(columns.values())), contents) if coded else table


def _describe(column: Column, view: _View, places: Ints, agreement: float) -> CodedColumn:
    """The match in words."""
    known = [None if place < 0 else column.values[place] for place in view.labels[0]]
    released = [column.values[place] for place in view.labels[1]]
    values = {
        code: known[place]
        for code, place in zip(released, places.tolist(), strict=True)
        if place >= 0
    }
    shares = dict(zip(released, view.shares[1].tolist(), strict=True))
    after = sum(share for code, share in shares.items() if code in values)
    before = sum(share for code, share in shares.items() if code in known)
    example = max(values, key=lambda code: (shares[code], code))
    value = "a missing value" if values[example] is None else repr(values[example])
    says = (
        f"The released values of the column {column.name!r} are taken for codes of values of the "
        f"other tables, such as {example!r} for {value}, by how often they occur and "
        f"with which values of other columns. In halves of the release, {percent(agreement)} of "
        f"the cells get the same value, on average. {percent(after)} of its released cells have a "
        f"value of the other tables then, {percent(before)} as written."
    )
    # A code that only other rows of a large release have keeps its text.
    codes = [text for text in column.values if text not in known]
    labels = {*known, *(values.get(code, code) for code in codes)} - {None}
    texts = tuple(sorted(str(label) for label in labels))
    common = column.model_copy(update={"values": texts, "ordered": False})
    return CodedColumn(common, values, Match(column.name, "codes", says, after, before))


# --- columns as classes ---


@dataclass(frozen=True, eq=False)
class _View:
    """A column as classes of the pool and of the release, from 0; the last class is missing.

    Parameters
    ----------
    pool, release : for each cell its class.
    sizes : how many classes the pool and the release have, without the missing one. They are the
        same ones, unless the release has codes.
    labels : of a column with codes, the places of values and codes in its schema; -1 for a missing
        value that a code may stand for.
    """

    pool: Ints
    release: Ints
    sizes: tuple[int, int]
    labels: tuple[Ints, Ints] = (np.zeros(0, np.int64), np.zeros(0, np.int64))

    @cached_property
    def counts(self) -> tuple[Floats, Floats]:
        """How many cells of the pool and of the release are in each class, without missing ones."""
        pool, release = (
            np.bincount(own, minlength=size + 1)[:-1].astype(np.float64)
            for own, size in zip((self.pool, self.release), self.sizes, strict=True)
        )
        return pool, release

    @property
    def shares(self) -> tuple[Floats, Floats]:
        """The shares of the classes among the cells that are not missing."""
        pool, release = (own / max(1.0, own.sum()) for own in self.counts)
        return pool, release

    def misfit(self, places: Ints) -> float:
        """How much the shares of codes differ from those of their values, beyond two samples.

        Differences are counted as half of their sum. Two samples of one population differ, too.
        """
        known, released = self.shares
        values = np.bincount(places[places >= 0], released[places >= 0], minlength=len(known))
        cells = [max(1.0, own.sum()) for own in self.counts]
        spread = np.sqrt(known * (1 - known) * (1 / cells[0] + 1 / cells[1]))
        chance = float(spread.sum() / np.sqrt(2 * np.pi))
        return 1 - float(np.minimum(known, values).sum()) - chance


def _has_codes(column: Column, pool: Table, release: Table) -> bool:
    """Whether the others have the values of few released cells, and few enough values."""
    if not column.listed:
        return False
    known, released = (
        np.bincount(table.columns[column.name] + 1, minlength=len(column.values) + 1)[1:]
        for table in (pool, release)
    )
    few = 2 <= (known > 0).sum() <= _MOST_CODES and (released > 0).sum() <= _MOST_CODES
    seen = released[known > 0].sum() / max(1, released.sum())
    return bool(few and released.any() and seen < LEAST_OVERLAP)


def _coded_view(column: Column, pool: Table, release: Table) -> _View:
    """The values of the pool and the codes of the release, each with classes of its own."""
    cells = [table.columns[column.name].astype(np.int64) for table in (pool, release)]
    # A release without missing values may have a code for them.
    least = (0 if (cells[1] < 0).any() else -1, 0)
    labels = [np.unique(own[own >= low]) for own, low in zip(cells, least, strict=True)]
    classes = [
        np.where(own < low, len(label), np.searchsorted(label, own))
        for own, low, label in zip(cells, least, labels, strict=True)
    ]
    sizes = (len(labels[0]), len(labels[1]))
    return _View(classes[0], classes[1], sizes, (labels[0], labels[1]))


def _companions(pool: Table, release: Table, coded: Collection[str]) -> list[_View]:
    """Other columns beside which codes and values can be seen, with the same classes for both."""
    views = []
    for column in release.schema.columns:
        if column.name in coded or column.identifying:
            continue
        if column.listed:
            size = len(column.values)
            classes = [table.columns[column.name].astype(np.int64) for table in (pool, release)]
            classes = [np.where(own < 0, size, own) for own in classes]
        else:
            numbers = [_numbers(table, column) for table in (pool, release)]
            if np.isnan(numbers[0]).all():
                continue
            ends = np.unique(np.nanquantile(numbers[0], np.arange(1, _BINS) / _BINS))
            size = len(ends) + 1
            classes = [
                np.where(np.isnan(own), size, np.searchsorted(ends, own, side="right"))
                for own in numbers
            ]
        if size <= _MOST_CLASSES:
            views.append(_View(classes[0], classes[1], (size, size)))
    return views[:_MOST_COMPANIONS]


def _numbers(table: Table, column: Column) -> Floats:
    if not column.temporal:
        return table.numbers(column.name)
    seconds = table.columns[column.name]
    return np.where(seconds == MISSING_TIME, np.nan, seconds.astype(np.float64))


# --- which code stands for which value ---


@dataclass(frozen=True, slots=True, eq=False)
class _Puzzle:
    """Columns with codes, and how often their values occur with the classes of all columns.

    Parameters
    ----------
    views : the columns with codes, then the others.
    coded : how many columns have codes.
    starts : the places of the first classes of all columns, in the pool and in the release.
    gains : for each column with codes, by value and class of the pool, how much likelier the
        class is beside the value than elsewhere, as a logarithm; 0 for the column's own classes.
    released : for each released row its classes, as a matrix of zeros and ones.
    """

    views: Sequence[_View]
    coded: int
    starts: tuple[Ints, Ints]
    gains: Sequence[Floats]
    released: Any

    @classmethod
    def of(cls, coded: Sequence[_View], companions: Sequence[_View]) -> _Puzzle:
        """Count the pool once for all parts of the release."""
        views = [*coded, *companions]
        starts = [np.cumsum([0, *(view.sizes[side] + 1 for view in views)]) for side in (0, 1)]
        pool = _indicator([view.pool for view in views], starts[0])
        shares = pool.sum(axis=0) / pool.shape[0]
        seen = shares > 0  # a class that only the release has says nothing about values
        gains = []
        for start, view in zip(starts[0], coded, strict=False):
            end = start + view.sizes[0]
            together = (pool[:, start:end].T @ pool).toarray()
            law = together[:, seen] + _SMOOTHING * shares[seen]
            law /= view.counts[0][:, None] + _SMOOTHING
            gain = np.zeros(together.shape)
            gain[:, seen] = np.log(law / shares[seen])
            gain[:, start : end + 1] = 0
            gains.append(gain)
        released = _indicator([view.release for view in views], starts[1])
        return cls(views, len(coded), (starts[0], starts[1]), gains, released)

    def count(self, rows: Mask) -> list[Floats]:
        """For each column with codes, how often each code occurs with all classes of the release.

        Parameters
        ----------
        rows : which of the released rows are counted.
        """
        part = self.released[rows]
        return [
            (part[:, start : start + view.sizes[1]].T @ part).toarray()
            for start, view in zip(self.starts[1], self.views[: self.coded], strict=False)
        ]

    def count_halves(
        self, counts: Sequence[Floats], rng: np.random.Generator
    ) -> Iterator[list[Floats]]:
        """The same for both halves of the release, split at random several times."""
        rows = self.released.shape[0]
        for _ in range(_SPLITS):
            first = self.count(rng.permutation(rows) < rows // 2)
            yield first
            yield [all_rows - own for all_rows, own in zip(counts, first, strict=True)]

    def solve(self, counts: Sequence[Floats]) -> list[Ints]:
        """For each column with codes the value of each code, by counts of the release; -1 for none.

        First by how often codes occur and by the columns without codes, then by all columns, in
        turn, until nothing changes.
        """
        places = self._places()
        solved = [self._assign(column, own, places) for column, own in enumerate(counts)]
        for column, values in enumerate(solved):
            self._place(places, column, values)
        for _ in range(_ROUNDS):
            before = solved.copy()
            for column, own in enumerate(counts):
                solved[column] = self._assign(column, own, places)
                self._place(places, column, solved[column])
            if all(map(np.array_equal, before, solved)):
                break
        return solved

    def _places(self) -> Ints:
        """For each class of the release that of the pool; -1 for codes, which are unknown yet."""
        places = np.full(int(self.starts[1][-1]), -1)
        for column, view in enumerate(self.views):
            start, own = self.starts[0][column], self.starts[1][column]
            if column < self.coded:
                places[own + view.sizes[1]] = start + view.sizes[0]
            else:
                places[own : own + view.sizes[1] + 1] = start + np.arange(view.sizes[0] + 1)
        return places

    def _place(self, places: Ints, column: int, values: Ints) -> None:
        start, own = self.starts[0][column], self.starts[1][column]
        places[own : own + len(values)] = np.where(values < 0, -1, start + values)

    def _assign(self, column: int, counts: Floats, places: Ints) -> Ints:
        """The value of each code, so that the released rows are as likely as possible."""
        from scipy.optimize import linear_sum_assignment

        view, start = self.views[column], self.starts[1][column]
        beside = np.zeros((len(counts), int(self.starts[0][-1])))
        known = places >= 0
        beside[:, places[known]] = counts[:, known]
        cells = counts.diagonal(int(start))
        expected = view.shares[0] * max(1.0, cells.sum())
        score = beside @ self.gains[column].T + np.outer(cells, np.log(expected / _NEW))
        codes, values = linear_sum_assignment(score, maximize=True)
        out = np.full(len(counts), -1)
        out[codes] = values
        return out


def _indicator(classes: Sequence[Array], starts: Ints) -> Any:
    """For each row a one at the place of each of its classes."""
    from scipy.sparse import csr_array

    places = np.stack(classes, axis=1) + starts[:-1]
    ends = np.arange(0, places.size + 1, places.shape[1])
    content = (np.ones(places.size), places.ravel(), ends)
    return csr_array(content, shape=(len(places), int(starts[-1])))
