"""Joint ratio: read the structure off the release, then test each target with all its tables.

A chain holds the tables of a structure. Tables that share columns describe the same deviation
several times. In a tree of two-way tables the log likelihood of a record is the sum over the
tables, less that of every column as often as it is in more than one of them. In a network it is the
sum over each column with its parents, less that of the parents. This is exact for counts without
noise. Noise makes some parts of the sum worth more than others; shadow runs with the given
sanitizer say how much.

A channel is what the sanitizer makes of a count, learned from shadow runs. Sparse cells need care:
a count of zero or one is not Gaussian, and many sanitizers cut negative noisy counts off. So for
cells with few expected records the channel has the probability of each released count given each
private count. For other cells it has a gain and a variance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, get_args

import numpy as np
from pydantic import Field
from scipy.special import gammaln, ndtr

from quintain.attacks.attack import Attack
from quintain.attacks.membership.focal_points import Counted
from quintain.attacks.membership.network_ratio import NetworkRatio
from quintain.attacks.shadows import ShadowRun, Trial, TrialUnits, shadow_runs, without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Floats, Rows
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.cells import CellCounts, cell_keys
from quintain.kernels.linear_classifiers import logistic_weights, sigmoid
from quintain.registry import register
from quintain.releases import FocalPoint, Release

SIZES = np.array([0.5, 4.0, 32.0])
"""Cells with expected counts between two of these are one part of the evidence."""

Kind = Literal["counted", "given", "single"]
"""Tables that the sanitizer counts; those that it is given; and the columns one by one."""

EDGES = 2.0 ** np.arange(-5, 11)
"""Cells with expected counts between two of these share a gain and a variance."""

SPARSE = 16.0
"""Below this expected count, the channel has the probability of every count."""

MOST = 48
"""A larger count in a sparse cell is as this one."""

_PRIOR = 8.0  # how many observations the Gaussian shape is worth in a sparse cell
_TAIL = 0.03  # the probability that a count is far from the Gaussian shape
_LEAST = 0.02  # the smallest variance, since released counts are whole numbers
_TINY = 1e-12

COIN = 0.5
"""The chance that a target is a member, before any evidence."""


@register("joint-ratio-v1")
class JointRatio(Attack):
    r"""Computes one likelihood ratio per target over all tables that the sanitizer counted.

    The attack has four steps.

    1. It makes the sanitizer's own choice, without noise, on the release. A release preserves the
       tables that its sanitizer chose, so this choice is nearly always the same.
    2. For each cell of a target it computes the count e to expect if the target is not a member:
       from the base data without all targets, and half of the other targets. Members of a
       household in the same cell are counted together: the target adds k records.
    3. Shadow runs with known members show the probability K of a released count y given a private
       count x, for cells of each expected count. The log likelihood ratio of a cell is

       $$ \log \sum_x P_e(x - k) K(y | x) - \log \sum_x P_e(x) K(y | x) $$

       with P_e the Poisson distribution of mean e; cells with 16 or more expected records have a
       Gaussian form of it.
    4. Ratios of tables that overlap repeat each other. So the sum over all tables is reduced by
       the ratio of what they share: the parents in a network, and a column of several tables. A
       logistic regression over the targets of the shadow runs learns the weight of this sum, small
       corrections for its parts, and so the probabilities.

    What it assumes: the attacker knows the base data and may run the sanitizer. The base data
    contain the people that the private sample was drawn from, and about half of the targets are
    members. The sanitizer can tell what it would choose on given data. If it chooses nothing, the
    attack makes no shadow run and answers as ``network-ratio``.

    Numbers and times are counted in the bins of the schema, as the sanitizer does, or else in 32
    bins that are equally common in the release. A missing value is a value of its own.

    Parameters
    ----------
    shadows : how many shadow runs.
    targets : how many targets the attack draws for each shadow run.
    ridge : how strongly corrections of the weights are pulled towards zero.

    References
    ----------
    Golob et al., arXiv 2402.06699, introduce focal points of a sanitizer.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> sanitizer = q.part("sanitizer/mst", epsilon=100)
    >>> members = everybody.take(range(30))
    >>> release = q.sanitize(sanitizer, members, seed=1)
    >>> known = {"targets": everybody, "population": everybody, "sanitizer": sanitizer}
    >>> guess = q.attack("joint-ratio", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.79; chance is 0.50'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base", "code"})

    shadows: Annotated[int, Field(ge=1, le=1000)] = 5
    targets: Annotated[int, Field(ge=10)] = 200
    ridge: Annotated[float, Field(gt=0)] = 30.0

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Recover the structure, learn from shadow runs, and test every target."""
        question, released = knowledge.question_as(MembershipQuestion), as_table(release.data)
        units = TrialUnits.like(question, knowledge.population())
        points = knowledge.sanitizer_code().structure(released)
        if not points or len(units.rows) < 2:
            network = NetworkRatio()
            return network.rank(knowledge, release, network.scores, rng=rng)
        names, counted = released.schema.names, Counted.of(released, knowledge)
        base = without_ids(knowledge.population()).select(names)
        population = CellPopulation(counted.encode(base))
        trials = [units.trial(self.targets, len(released), rng) for _ in range(self.shadows)]
        runs = shadow_runs(knowledge, (base.take(trial.rows) for trial in trials), rng=rng)
        sights = [
            _shadow_sight(population, trial, run, counted)
            for trial, run in zip(trials, runs, strict=True)
        ]
        channels = learn_channels(sights)
        lessons = np.concatenate([sight.evidence(channels) for sight in sights])
        members = np.concatenate([trial.members for trial in trials])
        weights = logistic_weights(lessons, members, penalties(lessons, self.ridge))
        records = counted.encode(question.records().select(names))
        targets = CellTargets.of(population, records, question.target_of_row())
        sight = CellChain.of(points, names).look(targets, counted.encode(released))
        return question.answer(sigmoid(weights[0] + sight.evidence(channels) @ weights[1:]))


def _shadow_sight(
    population: CellPopulation, trial: Trial, run: ShadowRun, counted: Counted
) -> Sight:
    """What the release of a shadow run shows of its targets, in the tables that the run chose."""
    targets = CellTargets.of(population, population.base.take(trial.target_rows), trial.target_of)
    chain = CellChain.of(run.trace.focal_points, population.base.schema.names)
    return chain.look(
        targets, counted.encode(as_table(run.release.data)), population.base.take(trial.rows)
    )


@dataclass(frozen=True, slots=True)
class CellChain:
    """The tables of a structure by kind, and how often each column is repeated.

    A column is repeated in all tables but one that have it, where no other columns are given.
    """

    tables: Mapping[Kind, tuple[tuple[str, ...], ...]]
    repeats: Mapping[str, int]

    @classmethod
    def of(cls, points: Sequence[FocalPoint], names: Sequence[str]) -> CellChain:
        """List the tables of focal points; columns that no table has are left out."""
        counted = dict.fromkeys(tuple(sorted((*p.columns, *p.given))) for p in points)
        given = [tuple(sorted(point.given)) for point in points if point.given]
        inside = {name for columns in counted for name in columns}
        times = Counter(name for point in points if not point.given for name in point.columns)
        single = tuple((name,) for name in names if name in inside)
        tables: dict[Kind, tuple[tuple[str, ...], ...]] = {
            "counted": tuple(counted),
            "given": tuple(given),
            "single": single,
        }
        return cls(tables, {name: max(0, times[name] - 1) for (name,) in single})

    def look(self, targets: CellTargets, release: Table, private: Table | None = None) -> Sight:
        """Count the cells of targets in all tables."""
        cells = {
            kind: [targets.look(columns, release, private) for columns in tables]
            for kind, tables in self.tables.items()
        }
        return Sight(self, cells, int(targets.owner.max()) + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What a release shows of the cells of targets, in all tables of a chain."""

    chain: CellChain
    cells: Mapping[Kind, list[Cells]]
    targets: int

    def evidence(self, channels: Mapping[Kind, Channel]) -> Floats:
        """Measure the evidence, one row per target.

        The first column is the log likelihood ratio of the chain. The others are parts of it: the
        given tables, the single columns, the repeated columns, and the counted tables by the
        expected count of their cells.
        """
        given, single = (self._by_table(kind, channels[kind]) for kind in ("given", "single"))
        times = [self.chain.repeats[name] for (name,) in self.chain.tables["single"]]
        repeated = np.array(times) @ single
        counted = self._by_size(channels["counted"])
        chain = counted.sum(axis=0) - given.sum(axis=0) - repeated
        parts = [given.sum(axis=0), single.sum(axis=0), repeated]
        return np.column_stack([chain, *parts, *counted])

    def _by_table(self, kind: Kind, channel: Channel) -> Floats:
        """The log likelihood ratio of each target (columns) in each table (rows)."""
        ratios = [self._sums(cells, channel.log_ratio(cells)) for cells in self.cells[kind]]
        return np.reshape(ratios, (len(ratios), self.targets))

    def _by_size(self, channel: Channel) -> Floats:
        """The ratio of each target (columns) in all counted tables, by expected count (rows)."""
        out = np.zeros((len(SIZES) + 1, self.targets))
        for cells in self.cells["counted"]:
            ratio, size = channel.log_ratio(cells), np.searchsorted(SIZES, cells.expected)
            for number in range(len(out)):
                out[number] += self._sums(cells, np.where(size == number, ratio, 0.0))
        return out

    def _sums(self, cells: Cells, values: Floats) -> Floats:
        return np.bincount(cells.owner, values, self.targets).astype(np.float64)


def learn_channels(sights: Sequence[Sight]) -> dict[Kind, Channel]:
    """Learn what the sanitizer does with counts of each kind of table, over all shadow runs."""
    kinds: tuple[Kind, ...] = get_args(Kind)
    cells = {kind: [table for sight in sights for table in sight.cells[kind]] for kind in kinds}
    # A kind that no shadow run has, but the release, is as the tables that the sanitizer counts.
    return {kind: Channel.learn(cells[kind] or cells["counted"]) for kind in kinds}


def penalties(evidence: Floats, ridge: float) -> Floats:
    """How strongly a regression pulls the weight of each column of evidence towards zero.

    The ratio of the chain gets nearly any weight; its parts only correct it.
    """
    return np.append(1.0, np.full(evidence.shape[1] - 1, ridge))


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """What reaches the release of a deviation in the private data, by expected count.

    Parameters
    ----------
    gain : the share of a deviation in the private data that is in the release, per class.
    variance : what the sanitizer adds, per class.
    chances : for each class and private count, the probability of each released count.
    """

    gain: Floats
    variance: Floats
    chances: Floats

    @classmethod
    def learn(cls, observed: Sequence[Cells]) -> Channel:
        """Learn from cells with known private counts.

        A regression through the origin explains the deviation of a release by the deviation of
        its private data. Neighbouring classes share half of their observations.
        """
        expected, private, shown = (
            np.concatenate([getattr(cells, name) for cells in observed])
            for name in ("expected", "private", "shown")
        )
        place = _class_of(expected)
        inside, outside = private - expected, shown - expected
        product, square = _smooth(place, inside * outside), _smooth(place, inside**2)
        gain = np.clip(product / np.maximum(square, _TINY), 0.0, 1.0)
        rest = _smooth(place, (outside - gain[place] * inside) ** 2)
        variance = (rest + 0.1) / (_smooth(place, np.ones(len(place))) + 1)
        variance = np.maximum(variance, _LEAST)
        counts = np.zeros((len(gain), MOST + 1, MOST + 1))
        few = (expected < SPARSE) & (private <= MOST)
        np.add.at(counts, (place[few], _whole(private[few]), _whole(shown[few])), 1.0)
        counts += _PRIOR * _gaussian(gain, variance)
        return cls(gain, variance, counts / counts.sum(axis=-1, keepdims=True))

    def log_ratio(self, cells: Cells) -> Floats:
        """The log likelihood ratio of membership from each cell alone."""
        place = _class_of(cells.expected)
        gain, shift = self.gain[place], self.gain[place] * cells.added
        spread = gain**2 * cells.expected + self.variance[place]
        ratio = shift * (cells.shown - cells.expected - shift / 2) / spread
        few = np.flatnonzero(cells.expected < SPARSE)
        likely = self.chances[place[few], :, _whole(cells.shown[few])]
        others = _poisson(cells.expected[few])
        absent = (others * likely).sum(axis=1)
        added = cells.added[few].astype(np.int64)
        present = np.empty(len(few))
        for count in np.unique(added):
            which = added == count
            reach = max(0, MOST + 1 - count)
            moved = likely[which][:, MOST + 1 - reach :]
            present[which] = (others[which][:, :reach] * moved).sum(axis=1)
        ratio[few] = np.log((present + _TINY) / (absent + _TINY))
        return np.asarray(ratio)


def _class_of(expected: Floats) -> Rows:
    return np.searchsorted(EDGES, expected)


def _whole(counts: Floats) -> Rows:
    return np.minimum(np.round(counts), MOST).astype(np.int64)


def _smooth(place: Rows, values: Floats) -> Floats:
    """Sum per class, with half of the sums of the two classes beside it."""
    sums = np.bincount(place, values, len(EDGES) + 1)
    return np.convolve(np.pad(sums, 1), [0.5, 1.0, 0.5], "valid")


def _poisson(expected: Floats) -> Floats:
    """The probability of each count up to the largest, one row per expected count."""
    mean = np.maximum(expected, 1e-3)[:, None]
    counts = np.arange(MOST + 1)
    return np.asarray(np.exp(counts * np.log(mean) - mean - gammaln(counts + 1)))


def _gaussian(gain: Floats, variance: Floats) -> Floats:
    """The probability of each count if noise were Gaussian and negative counts cut off."""
    middle = np.sqrt(np.append(EDGES[0] / 2, EDGES) * np.append(EDGES, EDGES[-1] * 2))
    counts = np.arange(MOST + 1)
    mean = middle[:, None] + gain[:, None] * (counts - middle[:, None])
    borders = (counts[:-1] + 0.5 - mean[:, :, None]) / np.sqrt(variance)[:, None, None]
    shares = np.diff(ndtr(borders), axis=-1, prepend=0.0, append=1.0)
    return np.asarray((1 - _TAIL) * shares + _TAIL / (MOST + 1))


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of one table in which targets are, once per target.

    Parameters
    ----------
    owner : the target.
    added : how many records of the target are in the cell.
    expected : the count that a release would have if the target were not a member.
    shown : the count in the release.
    private : the count in the private data, scaled to the size of the release. None if unknown.
    """

    owner: Rows
    added: Floats
    expected: Floats
    shown: Floats
    private: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CellPopulation:
    """The base data, whose tables are counted only once each."""

    base: Table
    counted: dict[tuple[str, ...], CellCounts] = field(default_factory=dict)

    def histogram(self, columns: tuple[str, ...]) -> CellCounts:
        """Count the base data by some columns."""
        if columns not in self.counted:
            self.counted[columns] = CellCounts.of(self.base, columns)
        return self.counted[columns]


@dataclass(frozen=True, slots=True, eq=False)
class CellTargets:
    """The targets beside the base data.

    A private sample has about half of the targets, and for the rest other people of the base data.
    So the records of targets are not counted among the other people, unless the base data lack
    them.
    """

    population: CellPopulation
    records: Table
    owner: Rows
    known: Floats

    @classmethod
    def of(cls, population: CellPopulation, records: Table, owner: Rows) -> CellTargets:
        """Find out which records of the targets are in the base data."""
        names = tuple(records.schema.names)
        known = population.histogram(names).at(cell_keys(records, names)) > 0
        return cls(population, records, owner, known.astype(np.float64))

    def look(self, columns: tuple[str, ...], release: Table, private: Table | None = None) -> Cells:
        """Count the cells of the targets in one table.

        Parameters
        ----------
        columns : the columns of the table.
        release : where the cells are counted.
        private : the private data, where the attacker knows them.
        """
        keys, place = np.unique(cell_keys(self.records, columns), return_inverse=True)
        pairs, added = np.unique(self.owner * len(keys) + place, return_counts=True)
        owner, cell = pairs // len(keys), pairs % len(keys)
        records = np.bincount(place, minlength=len(keys))
        others = self.population.histogram(columns).at(keys) - np.bincount(place, self.known)
        crowd = max(1.0, len(self.population.base) - float(self.known.sum()))
        # A sample has about half of the records of all targets, then others up to its size.
        members = COIN * len(self.records)
        filler = max(0.0, len(release) - members)
        count = filler * np.maximum(others, 0.0)[cell] / crowd + COIN * (records[cell] - added)
        shown = CellCounts.of(release, columns).at(keys)[cell]
        expected = count * len(release) / (filler + members)
        if private is None:
            return Cells(owner, added.astype(np.float64), expected, shown)
        inside = CellCounts.of(private, columns).at(keys)[cell] * len(release) / len(private)
        return Cells(owner, added.astype(np.float64), expected, shown, inside)
