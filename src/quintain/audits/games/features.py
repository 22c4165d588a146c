"""Features: a release reduced to numbers about the targets, so that it can be forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from quintain.attacks.membership.focal_points import Counted
from quintain.attacks.membership.mama_mia import ABSENT
from quintain.attacks.threat import Knowledge
from quintain.audits.games.players import Players
from quintain.data import Table, as_table
from quintain.data.arrays import Array, Floats, Ints, Rows, Singles
from quintain.data.codec import missing_cells
from quintain.guesses import MembershipQuestion
from quintain.kernels.cells import cell_counts
from quintain.kernels.dummies import numbers
from quintain.kernels.pair_tables import (
    AgreementLookup,
    Pairing,
    PairTables,
    set_sizes,
    superset_sums,
)
from quintain.releases import FocalPoint, Release

# Coded view: tables as the attacks of a game count them, with few values per column.


MOST_VALUES = 128
"""A column with more possible values than this is cut into bins."""
BINS = 32


@dataclass(frozen=True, slots=True, eq=False)
class CodedView:
    """How the columns of a table become small codes; a missing value has the code 0.

    Parameters
    ----------
    names : the columns that are looked at.
    sizes : how many codes each of them has.
    starts : for a column that is cut, the least value of every bin but the first.
    codes : for a cut column with a finite domain, the code of each value.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    starts: Mapping[str, Floats]
    codes: Mapping[str, Rows]

    @classmethod
    def of(cls, data: Table, names: tuple[str, ...]) -> CodedView:
        """Cut at the quantiles of the data; a worst-case attacker knows them but for one person."""
        starts, codes, sizes = {}, {}, []
        for name in names:
            column = data.schema[name]
            if column.discrete and column.size <= MOST_VALUES:
                sizes.append(column.size + 1)
                continue
            values = numbers(column, data) if not column.discrete else data.columns[name]
            starts[name] = _starts(values)
            sizes.append(len(starts[name]) + 2)
            if column.discrete:
                every = np.arange(-1, column.size)
                codes[name] = np.where(every < 0, 0, _place(starts[name], every))
        return cls(names, tuple(sizes), starts, codes)

    def encode(self, table: Table) -> list[Array]:
        """The codes of each column, as bytes."""
        return [self._encode(table, name).astype(np.uint8) for name in self.names]

    def _encode(self, table: Table, name: str) -> Array:
        if name in self.codes:
            return np.asarray(self.codes[name][table.columns[name] + 1])
        if name in self.starts:
            values = numbers(table.schema[name], table)
            return np.where(np.isnan(values), 0, _place(self.starts[name], values))
        return table.columns[name] + 1


def _starts(values: Array) -> Floats:
    known = np.sort(values[values >= 0] if values.dtype.kind == "i" else values[~np.isnan(values)])
    if not len(known):
        return np.zeros(0)
    cuts = np.unique(known[np.arange(1, BINS) * len(known) // BINS]).astype(np.float64)
    # A common value is a bin of its own: it ends where the next value begins.
    after = known[np.minimum(np.searchsorted(known, cuts, "right"), len(known) - 1)]
    starts = np.unique(np.concatenate([cuts, after.astype(np.float64)]))
    return np.asarray(starts[starts > known[0]])


def _place(starts: Floats, values: Array) -> Rows:
    return np.searchsorted(starts, values, side="right") + 1


# Statistics of a release: what is computed from counts, for targets and for the whole release.


SMOOTHING = 0.5
KERNELS = (1, 3, 9)
"""How many times more a record counts for each further column in which it agrees."""


def log_counts(counts: Ints) -> Singles:
    """The logarithm of each count plus a half; looking it up is faster than computing it.

    >>> log_counts(np.array([0, 2])).round(2).tolist()
    [-0.6899999976158142, 0.9200000166893005]
    """
    most = int(counts.max(initial=0))
    return np.asarray(_logarithms(1 << most.bit_length()).take(counts))


@lru_cache(maxsize=4)
def _logarithms(size: int) -> Singles:
    return np.asarray(np.log(np.arange(size) + SMOOTHING), np.float32)


def densities(exact: Ints) -> Floats:
    """Log kernel densities: each further column of agreement multiplies a record's weight.

    Parameters
    ----------
    exact : for each target, how many records agree with it in exactly each set of columns.
    """
    weights = _kernel_weights(exact.shape[1].bit_length() - 1)
    return np.asarray(np.log(exact.astype(np.float64) @ weights + SMOOTHING))


@lru_cache(maxsize=8)
def _kernel_weights(columns: int) -> Floats:
    """The weight of a record that agrees in each set of columns, one column per kernel."""
    agree = set_sizes(columns)
    return np.stack([float(1 + k) ** agree for k in KERNELS], axis=1)


def means_by_size(answers: Singles) -> Singles:
    """For each target, the mean answer to the queries about each number of columns."""
    return np.asarray(answers @ _size_means(answers.shape[1].bit_length() - 1))


@lru_cache(maxsize=8)
def _size_means(columns: int) -> Singles:
    """A matrix that averages over all sets with the same number of columns."""
    sizes = set_sizes(columns)
    groups = (sizes[:, None] == np.arange(columns + 1)).astype(np.float64)
    return np.asarray(groups / groups.sum(axis=0), np.float32)


def whole_release(columns: Sequence[Array], counts: Sequence[Ints]) -> Singles:
    """What knows no target: the shares of every value, and the correlations of the codes.

    Parameters
    ----------
    counts : for each column, how often each value occurs.
    """
    rows = max(1, len(columns[0]))
    shares = np.concatenate(counts) / rows
    if len(columns) < 2 or rows < 2:
        return shares.astype(np.float32)
    codes = np.empty((len(columns), rows), np.float32)
    for place, values in enumerate(columns):
        codes[place] = values
    middle = [count @ np.arange(len(count)) / rows for count in counts]
    codes -= np.array(middle, np.float32)[:, None]
    products = codes @ codes.T
    spread = np.sqrt(np.diagonal(products))
    matrix = products / np.maximum(np.outer(spread, spread), 1e-6)
    pairs = matrix[np.triu_indices(len(columns), 1)]
    return np.concatenate([shares, pairs]).astype(np.float32)


# Focal lens: looks at the statistics that a sanitizer tends to preserve, for all targets at once.
#
# The statistics are the focal points of a few runs before the game, as in MAMA-MIA: attackers who
# have the sanitizer can find them in runs of their own.


FOCAL = ("focal-ratio", "focal-surplus", "focal-share")
"""The numbers about each target: the ratio of MAMA-MIA, and sums of logarithms of two kinds."""


@dataclass(frozen=True, slots=True, eq=False)
class FocalLens:
    """Focal points, and how common the values of the targets are there in the data.

    Parameters
    ----------
    points : the focal points.
    counted : how the values of tables are counted.
    targets : the records of the targets, as they are counted.
    joint, given : for each focal point and target, how many records of the data agree with the
        target in all its columns, and in those that are given.
    size : how many records the data have.
    """

    points: tuple[FocalPoint, ...]
    counted: Counted
    targets: Table
    joint: Floats
    given: Floats
    size: int

    @classmethod
    def of(
        cls,
        points: Iterable[FocalPoint],
        pilot: Release,
        data: Table,
        targets: Table,
        parameters: Mapping[str, Any],
    ) -> FocalLens:
        """Count the data once, as a release shows that its values are counted."""
        known = Knowledge(MembershipQuestion(targets), parameters=parameters)
        counted = Counted.of(as_table(pilot.data), known)
        chosen = tuple(points)
        base, records = (counted.encode(t) if chosen else t for t in (data, targets))
        joint, given = _counts(chosen, base, records)
        return cls(chosen, counted, records, joint, given, len(data))

    def extract(self, release: Table) -> Floats:
        """The numbers of :data:`FOCAL` for each target; noughts if there are no focal points."""
        if not self.points:
            return np.zeros((len(self.targets), len(FOCAL)))
        joint, given = _counts(self.points, self.counted.encode(release), self.targets)
        here = np.where(joint > 0, joint / np.maximum(given, 1), ABSENT)
        there = np.where(self.joint > 0, self.joint / np.maximum(self.given, 1), ABSENT)
        usual = len(release) * self.joint / self.size
        surplus = np.log((joint + 0.5) / (usual + 0.5))
        shares = np.log((joint + 0.1) / (given + 0.2)) - np.log(
            (self.joint + 0.1) / (self.given + 0.2)
        )
        ratio = np.log((here / there).mean(axis=0))
        return np.column_stack([ratio, surplus.mean(axis=0), shares.mean(axis=0)])


def _counts(points: Sequence[FocalPoint], table: Table, records: Table) -> tuple[Floats, Floats]:
    """How many records agree with each target, in all columns of each point and in the given."""
    known: dict[tuple[str, ...], Floats] = {}

    def count(names: tuple[str, ...]) -> Floats:
        key = tuple(sorted(names))
        if key not in known:
            known[key] = cell_counts(table, key, records)
        return known[key]

    empty = np.zeros((0, len(records)))
    joint = [count((*point.columns, *point.given)) for point in points]
    given = [count(point.given) for point in points]
    return (np.stack(joint), np.stack(given)) if points else (empty, empty)


# Outlier lens: looks for what a target alone has, which a domain read off the data gives away.


OUTLYING = ("extremes", "own-values", "rare-cells")
"""The numbers about each target that stands out: how much of what it alone has is released."""
RARE_CELLS = 20
"""Of more pairs of values that a target alone has, the first ones are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class OutlierLens:
    """For each target that stands out, what nobody else in the data has.

    Parameters
    ----------
    extremes : columns in which it is the largest (1) or smallest (-1), and the next number.
    values : columns in which it alone has its value, with this value.
    cells : pairs of coded columns in which it alone has its pair of codes, with these codes.
    """

    extremes: tuple[tuple[tuple[str, int, float], ...], ...]
    values: tuple[tuple[tuple[str, int], ...], ...]
    cells: tuple[tuple[tuple[int, int, int, int], ...], ...]

    @classmethod
    def of(cls, players: Players, names: Sequence[str], columns: Sequence[Array]) -> OutlierLens:
        """Compare each target with everybody else in the data.

        Parameters
        ----------
        columns : the data as codes, then the made-up records.
        """
        rows = players.inside[: players.worst].tolist()
        others = [np.setdiff1d(np.arange(players.size), row) for row in rows]
        by_target = [
            (
                tuple(_extremes(players.records, names, row, rest)),
                tuple(_own_values(players.records, names, row, rest)),
                tuple(islice(_rare_cells(columns, row, rest), RARE_CELLS)),
            )
            for row, rest in zip(rows, others, strict=True)
        ]
        extremes, values, cells = zip(*by_target, strict=True) if by_target else ((), (), ())
        return cls(tuple(extremes), tuple(values), tuple(cells))

    def extract(self, release: Table, columns: Sequence[Array]) -> Floats:
        """The numbers of :data:`OUTLYING` for each target that stands out.

        Parameters
        ----------
        columns : the release as codes.
        """
        out = np.zeros((len(self.cells), len(OUTLYING)))
        for target, (extremes, values, cells) in enumerate(
            zip(self.extremes, self.values, self.cells, strict=True)
        ):
            out[target] = (
                sum(_reaches(release, *extreme) for extreme in extremes),
                sum(bool((release.columns[name] == value).any()) for name, value in values),
                sum(bool(((columns[i] == a) & (columns[j] == b)).any()) for i, j, a, b in cells),
            )
        return out


def _known_numbers(table: Table, name: str) -> Floats:
    """The numbers or times of a column, without those that are missing."""
    contents = table.columns[name]
    return contents[~missing_cells(table.schema[name], contents)].astype(np.float64)


def _reaches(release: Table, name: str, sign: int, border: float) -> bool:
    return bool((sign * _known_numbers(release, name) > sign * border).any())


def _extremes(
    records: Table, names: Sequence[str], row: int, others: Rows
) -> Iterator[tuple[str, int, float]]:
    for name in names:
        if not records.schema[name].scaled:
            continue
        own, rest = (
            _known_numbers(records.take([row]), name),
            _known_numbers(records.take(others), name),
        )
        if len(own) and len(rest):
            for sign, border in ((1, rest.max()), (-1, rest.min())):
                if sign * own[0] > sign * border:
                    yield name, sign, float(border)


def _own_values(
    records: Table, names: Sequence[str], row: int, others: Rows
) -> Iterator[tuple[str, int]]:
    for name in names:
        contents = records.columns[name]
        if records.schema[name].discrete and not (contents[others] == contents[row]).any():
            yield name, int(contents[row])


def _rare_cells(
    columns: Sequence[Array], row: int, others: Rows
) -> Iterator[tuple[int, int, int, int]]:
    same = [column[others] == column[row] for column in columns]
    for i, j in combinations(range(len(columns)), 2):
        if not (same[i] & same[j]).any():
            yield i, j, int(columns[i][row]), int(columns[j][row])


QUERY_COLUMNS = 12
"""Of wider tables, this many columns are drawn: all sets of them are asked."""
PAIR_COLUMNS = 24
"""Of wider tables, this many columns are drawn, and all their pairs are counted."""
EVIDENCE = (
    "density-2",
    "density-4",
    "density-10",
    "copies",
    "own-row",
    "focal-counts",
    "focal-share",
    *OUTLYING,
)
"""The numbers about each target that stands out, beside the queries."""
SHARED = ("tree-counts", "pair-counts", *FOCAL)
"""The numbers about every target."""


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What is kept of one release.

    Parameters
    ----------
    queries : for each target that stands out and each set of columns, the logarithm of how many
        released records agree with it there.
    evidence : for each target that stands out, the numbers of :data:`EVIDENCE`, and for each
        number of columns the mean answer to the queries about so many.
    whole : statistics of the release that know no target: shares of values and correlations.
    shared : for every target, the numbers of :data:`SHARED`; no rows if nobody looked.
    """

    queries: npt.NDArray[np.float16]
    evidence: Singles
    whole: Singles
    shared: Singles


@dataclass(frozen=True, slots=True, eq=False)
class FeatureExtractor:
    """Everything about the targets and the data that does not change from run to run.

    Parameters
    ----------
    view : the columns of all pairs, as codes.
    pairing : the columns of the view in pairs, which are looked up at once.
    query_columns : the places in the view of the columns of all queries.
    lookup : in which of these columns a record agrees with the targets that stand out.
    base : the tables of all pairs in the data.
    targets : the codes of the targets, one array per column.
    cells : the cell of each target in the table of each pair.
    focal_sets : for each statistic that the sanitizer preserves the numbers of two sets of columns:
        all its columns, and those that are given.
    lens : the same statistics for all targets.
    outliers : what each target that stands out has alone.
    """

    players: Players
    view: CodedView
    pairing: Pairing
    query_columns: tuple[int, ...]
    lookup: AgreementLookup
    base: PairTables
    targets: list[Array]
    cells: Rows
    focal_sets: Rows
    lens: FocalLens
    outliers: OutlierLens

    @classmethod
    def of(
        cls, players: Players, names: Sequence[str], lens: FocalLens, *, rng: np.random.Generator
    ) -> FeatureExtractor:
        """Prepare to watch the targets of a game, in the columns with these names."""
        data = players.records.take(np.arange(players.size))
        chosen = _some(len(names), PAIR_COLUMNS, rng)
        view = CodedView.of(data, tuple(names[i] for i in chosen))
        query_columns = tuple(_some(len(chosen), QUERY_COLUMNS, rng))
        base = PairTables.of(view.encode(data), view.sizes)
        targets = view.encode(players.targets())
        sets = _focal_sets(lens.points, [view.names[i] for i in query_columns])
        cells = base.layout.cells(targets)
        questions = Pairing(tuple(view.sizes[i] for i in query_columns))
        lookup = AgreementLookup.of(questions, [targets[i][: players.worst] for i in query_columns])
        pairing = Pairing(view.sizes)
        outliers = OutlierLens.of(players, names, view.encode(players.records))
        looks = (lookup, base, targets, cells, sets, lens, outliers)
        return cls(players, view, pairing, query_columns, *looks)

    def extract(
        self, release: Table, private: int, *, aligned: bool, all_targets: bool
    ) -> Features:
        """Reduce a release to numbers.

        Parameters
        ----------
        private : how many records the sanitizer got.
        aligned : whether record i of the release stands for record i of what it got.
        all_targets : look at all targets, not only at those who stand out.
        """
        columns = self.view.encode(release)
        worst = self.players.worst
        keys = self.pairing.keys(columns)
        exact = self.lookup.counts(self._query_keys(columns, keys))
        copies = self._copies(release, exact[:, -1])
        own = self._own_row(columns) if aligned and len(release) == private else np.zeros(worst)
        shared = np.zeros((0, len(SHARED)))
        if all_targets:
            tables = PairTables.of(columns, self.view.sizes)
            ratios = [self._tree_ratio(tables), self._pair_ratio(tables)]
            shared = np.column_stack([*ratios, self.lens.extract(release)])
        answers: Array = log_counts(superset_sums(exact))
        focal = self._focal(answers)
        alone = self.outliers.extract(release, columns)
        evidence: list[Array] = [densities(exact), copies, own, focal, alone]
        evidence.append(means_by_size(answers))
        return Features(
            answers.astype(np.float16),
            np.column_stack(evidence).astype(np.float32),
            whole_release(columns, self.pairing.value_counts(keys)),
            shared.astype(np.float32),
        )

    def _query_keys(self, columns: Sequence[Array], keys: list[Rows]) -> list[Rows]:
        if len(self.query_columns) == len(columns):
            return keys
        sizes = tuple(self.view.sizes[i] for i in self.query_columns)
        return Pairing(sizes).keys([columns[i] for i in self.query_columns])

    def _pair_ratio(self, tables: PairTables) -> Floats:
        """How much more common the pairs of values of each target are than in the data."""
        if not len(self.cells):
            return np.zeros(len(self.players))
        ratio = np.log((tables.counts + SMOOTHING) / (self.base.counts + SMOOTHING))
        size = np.log((tables.rows + SMOOTHING) / (self.base.rows + SMOOTHING))
        return np.asarray(ratio[self.cells].mean(axis=0) - size)

    def _tree_ratio(self, tables: PairTables) -> Floats:
        """The log density along the tree of the release, less that in the data."""
        edges = tables.spanning_tree()
        return self._density(tables, edges) - self._density(self.base, edges)

    def _density(self, tables: PairTables, edges: list[int]) -> Floats:
        out = np.full(len(self.players), -np.log(tables.rows + SMOOTHING))
        for edge in edges:
            out += np.log(tables.counts[self.cells[edge]] + SMOOTHING)
        ends = [column for edge in edges for column in tables.layout.pairs[edge]]
        degree = np.bincount(np.array(ends, np.int64), minlength=len(self.targets))
        for place in np.flatnonzero(degree > 1).tolist():
            alone = tables.singles[place][self.targets[place]]
            out -= (degree[place] - 1) * np.log(alone + SMOOTHING)
        return out

    def _focal(self, answers: Array) -> Floats:
        """How common the values of a target are in the statistics that the sanitizer preserves."""
        if not len(self.focal_sets):
            return np.zeros((len(answers), 2))
        joint, given = answers[:, self.focal_sets[:, 0]], answers[:, self.focal_sets[:, 1]]
        return np.column_stack([joint.mean(axis=1), (joint - given).mean(axis=1)])

    def _copies(self, release: Table, possible: Ints) -> Floats:
        """How many released records equal each target that stands out in every column."""
        out = np.zeros(self.players.worst)
        for place in np.flatnonzero(possible).tolist():
            record = self.players.records.take([int(self.players.inside[place])])
            same: Rows = np.arange(len(release))
            for name in self.view.names:
                same = same[_equal(release.columns[name][same], record.columns[name][0])]
            out[place] = len(same)
        return out

    def _own_row(self, columns: Sequence[Array]) -> Floats:
        """In how many columns the released record in a target's place agrees with the target."""
        worst = self.players.worst
        slot = self.players.slot[:worst]
        out = np.zeros(worst)
        if not worst or (slot < 0).any():
            return out
        for released, wanted in zip(columns, self.targets, strict=True):
            out += released[slot] == wanted[:worst]
        return out


def _focal_sets(points: Sequence[FocalPoint], names: Sequence[str]) -> Rows:
    """The sets of columns of the points that the queries ask about."""
    places = {name: 1 << place for place, name in enumerate(names)}
    sets = [
        (
            sum(places[n] for n in (*point.columns, *point.given)),
            sum(places[n] for n in point.given),
        )
        for point in points
        if {*point.columns, *point.given} <= set(places)
    ]
    return np.array(sets, np.int64).reshape(-1, 2)


def column_limits(count: int) -> tuple[str, ...]:
    """What a game does not see of tables with many columns, in sentences.

    >>> column_limits(12)
    ()
    >>> column_limits(20)[0].partition(",")[0]
    'The table has 20 columns'
    """
    if count <= QUERY_COLUMNS:
        return ()
    pairs = (
        f"pairs of columns are counted for {PAIR_COLUMNS} columns" if count > PAIR_COLUMNS else ""
    )
    queries = f"queries about all sets of columns ask about {QUERY_COLUMNS}"
    return (
        f"The table has {count} columns, and the game does not look at all of them: "
        f"{' and '.join(filter(None, [queries, pairs]))}, drawn at random. What a release shows in "
        "the other columns alone, these attacks do not see.",
    )


def _some(count: int, most: int, rng: np.random.Generator) -> list[int]:
    if count <= most:
        return list(range(count))
    return sorted(rng.choice(count, most, replace=False).tolist())


def _equal(values: Array, value: Array) -> Array:
    """Where values are the given one; two missing numbers are equal."""
    same = values == value
    return np.asarray(same | (values != values) if value != value else same)


# Seen file: what is kept of one run, as plain numbers that can be read in part.


_KINDS = ("<f2", "<f4", "<f4", "<f4")
"""Queries, evidence, the whole release, all targets."""
_HEAD = 8 * 2 * len(_KINDS)
"""The file begins with the shapes of the arrays, two numbers each."""


def encode_features(seen: Features) -> bytes:
    """The content of the file; same numbers, same bytes."""
    parts: list[Array] = [seen.queries, seen.evidence, seen.whole[None, :], seen.shared]
    shapes = np.array([part.shape for part in parts], "<i8")
    contents = (part.astype(kind).tobytes() for part, kind in zip(parts, _KINDS, strict=True))
    return shapes.tobytes() + b"".join(contents)


def read_features(content: bytes) -> Features:
    """What :func:`encode_features` wrote."""
    shapes = np.frombuffer(content[:_HEAD], "<i8").reshape(-1, 2)
    arrays, start = [], _HEAD
    for kind, shape in zip(_KINDS, shapes.tolist(), strict=True):
        size = shape[0] * shape[1]
        arrays.append(np.frombuffer(content, kind, size, start).reshape(shape))
        start += size * np.dtype(kind).itemsize
    queries, evidence, whole, shared = arrays
    return Features(queries, evidence, whole[0], shared)


def read_queries(path: Path, target: int) -> Floats:
    """The answers to all queries about one target; the rest of the file is not read."""
    with path.open("rb") as file:
        width = int(np.frombuffer(file.read(_HEAD), "<i8")[1])
        file.seek(_HEAD + 2 * width * target)
        return np.frombuffer(file.read(2 * width), "<f2").astype(np.float64)
