"""Observer: reduces a release at once to numbers about the targets, so that it can be forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.audits.games.players import Players
from quintain.audits.games.seeing.coded_view import CodedView
from quintain.audits.games.seeing.focal_lens import FOCAL, FocalLens
from quintain.audits.games.seeing.statistics import (
    SMOOTHING,
    densities,
    log_counts,
    means_by_size,
    whole_release,
)
from quintain.data import Table
from quintain.data.arrays import Array, Floats, Ints, Rows
from quintain.kernels.queries.pair_tables import PairTables
from quintain.kernels.queries.paired_codes import AgreementLookup, Pairing
from quintain.kernels.queries.superset_sums import superset_sums
from quintain.releases import FocalPoint

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
)
"""The numbers about each target that stands out, beside the queries."""
SHARED = ("tree-counts", "pair-counts", *FOCAL)
"""The numbers about every target."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
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
    evidence: npt.NDArray[np.float32]
    whole: npt.NDArray[np.float32]
    shared: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Observer:
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

    @classmethod
    def of(
        cls, players: Players, names: Sequence[str], lens: FocalLens, *, rng: np.random.Generator
    ) -> Observer:
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
        return cls(players, view, pairing, query_columns, lookup, base, targets, cells, sets, lens)

    def see(self, release: Table, private: int, *, aligned: bool, everybody: bool) -> Seen:
        """Reduce a release to numbers.

        Parameters
        ----------
        private : how many records the sanitizer got.
        aligned : whether record i of the release stands for record i of what it got.
        everybody : look at all targets, not only at those who stand out.
        """
        columns = self.view.encode(release)
        worst = self.players.worst
        keys = self.pairing.keys(columns)
        exact = self.lookup.counts(self._query_keys(columns, keys))
        copies = self._copies(release, exact[:, -1])
        own = self._own_row(columns) if aligned and len(release) == private else np.zeros(worst)
        shared = np.zeros((0, len(SHARED)))
        if everybody:
            tables = PairTables.of(columns, self.view.sizes)
            ratios = [self._tree_ratio(tables), self._pair_ratio(tables)]
            shared = np.column_stack([*ratios, self.lens.see(release)])
        answers: Array = log_counts(superset_sums(exact))
        focal = self._focal(answers)
        evidence: list[Array] = [densities(exact), copies, own, focal, means_by_size(answers)]
        return Seen(
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
