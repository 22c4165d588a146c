"""Histories: whose rows are these? People are compared by all their rows together.

A person's history becomes counts: how often each value of a trait is in their rows. A trait is a
column, a number in bins of both sides, two columns of one row, a weekday, or a gap between two
rows. The score of a known person beside a pseudonym is the logarithm of a Bayes factor: how much
more probable the known rows are if the same person has the rows of the pseudonym. A person's rows
are alike, so they are drawn from Pólya's urn: who has a value once has it more easily again. Values
that few pseudonyms have weigh more.

Which traits help is not known: a release may redraw a column. So the rows of each pseudonym are
dealt into two halves, and those traits are chosen by which both halves lead to the same pseudonym
for as many people as possible. Nobody has to know who is in the release for that, and no score
depends on the order of rows.

References
----------
Fellegi and Sunter, A theory for record linkage, JASA 64 (1969). de Montjoye et al., Unique in the
crowd, Scientific Reports 3 (2013).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from quintain.data.arrays import MISSING_TIME, Array, Floats, Mask, Rows, Singles
from quintain.data.column import Column
from quintain.data.people import Branch, People

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    _Weights = tuple[csr_array, csr_array]

ALL_PAIRS = 20_000
"""Up to so many people and pseudonyms, everybody is compared with every pseudonym."""
URN = 10.0
"""How many balls are in the urn of a person before any row is drawn: the more, the less alike."""
SEVERAL_TABLES = 1_000
"""Several tables have many traits; so many pseudonyms decide which of them tell most."""
ROOT_URN = 0.25
"""The same for a table with one row per person: the pseudonym of a person mostly has that row."""
CANDIDATES = 32
"""With more of them, so many pseudonyms are compared with a person."""
BINS = (16, 64)
"""Numbers with more different values than this are cut into so many bins, too."""
_PAIRED = 8  # columns whose pairs are traits
_MOST_PAIRED = 1_000  # values of a column in such a pair; numbers with more are cut into bins
_CELLS = 2_000_000  # of a matrix of people by pseudonyms, for the choice of traits
_FEWEST, _MOST_CHOSEN, _MOST_OF_ROOT = 100, 8, 12
_SINGLE_STEPS = 8
_GAIN = 0.005  # by which a further trait must help
_TELLS = 0.5  # the share of what the best trait tells from which on another is as good
_PARTNERS = 25  # drawn people whose pseudonym is drawn, too, where people are very many
_BLOCK = 4_000_000  # cells of the matrix of one block
_DAY = 86_400
_RARE, _TRIPLED, _HOLDERS = 8, 6, 100
_TELLING = 3  # traits whose values are tokens
_UNTOLD = -1e9  # the margin of people of whom nothing is known
_SPREAD = 400  # pseudonyms that say how far scores spread, where not all are compared


@dataclass(frozen=True, slots=True, eq=False)
class Trait:
    """How often known people, and pseudonyms, have each value.

    Parameters
    ----------
    name : in words, such as "code" or "gap of day".
    known, shown : people by values, and pseudonyms by values.
    halves : ``shown`` for each half of the rows of the pseudonyms. One row per person cannot be
        dealt, and nobody deals them where traits are chosen already; then the first half has all.
    urn : how many balls are in the urn of a person before any row is drawn.
    """

    name: str
    known: csr_array
    shown: csr_array
    halves: tuple[csr_array, csr_array]
    urn: float = URN

    @property
    def dealt(self) -> bool:
        """Whether the rows of a pseudonym are in both halves."""
        return bool(self.halves[1].nnz)


@dataclass(frozen=True, slots=True, eq=False)
class Recognition:
    """How clearly one pseudonym stands out for each known person.

    Parameters
    ----------
    first : the pseudonym with the highest score; ties are broken at random.
    best : its score.
    margin : how far its score is above the second highest, or above the logarithm of the number of
        pseudonyms if that is higher: the score of "none of them". In standard deviations of the
        scores of all pseudonyms. Who is known by no row has the lowest.
    mutual : whether nobody else fits that pseudonym better.
    traits : the names of the traits that were compared.
    lost : of the people for whom all pseudonyms were compared as well, the share whose best
        pseudonym was not among the candidates; 0 if all pairs were compared.
    """

    first: Rows
    best: Floats
    margin: Floats
    mutual: Mask
    traits: tuple[str, ...]
    lost: float = 0.0


def recognise(
    known: People,
    shown: People,
    *,
    rng: np.random.Generator,
    whole: bool = True,
    all_pairs: int = ALL_PAIRS,
    only: Collection[str] = (),
    quick: bool = False,
) -> Recognition:
    """Find for each known person the pseudonym whose rows are most like theirs.

    Parameters
    ----------
    known : the people whom an attacker knows, with the rows that the attacker knows.
    shown : the pseudonyms of a release, with their rows.
    whole : whether all rows of the known people are known. If not, the time between two rows says
        nothing.
    all_pairs : with more pairs of a person and a pseudonym than its square, a person is compared
        with those alone that share rare values with them.
    only : the names of the traits to compare, if somebody has chosen them; those that are not there
        do not count.
    quick : whether fewer people and pseudonyms decide which traits tell most, as they do where
        there are several tables.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="code", kind="integer", low=0, high=99),))
    >>> rows = Table(schema, {"code": [1, 1, 2, 3, 3, 3, 4, 9]})
    >>> known = People.of_rows(rows, np.array([0, 0, 0, 1, 1, 1, 2, 2]), 3)
    >>> shown = People.of_rows(rows.take([6, 7, 3, 4, 0, 1]), np.array([0, 0, 1, 1, 2, 2]), 3)
    >>> recognise(known, shown, rng=np.random.default_rng(0)).first.tolist()
    [2, 1, 0]
    """
    quick = quick or len(known.tables) > 1
    few, cells = (SEVERAL_TABLES, _CELLS // 8) if quick else (ALL_PAIRS, _CELLS)
    if not only and shown.size > few:
        least = 1
        if max(known.size, shown.size) > all_pairs:
            # Only people whose pseudonym is drawn, too, can tell: at least one in twenty.
            few, least = max(few, shown.size // 20), _TELLING
            cells = max(cells, _PARTNERS * max(known.size, shown.size))
        only = _choose_by_few(known, shown, few, cells, least, whole=whole, rng=rng)
    every = find_traits(known, shown, rng=rng, whole=whole, only=only)
    traits = list(every) if only else choose_traits(every, rng=rng, cells=cells)
    names = tuple(trait.name for trait in traits)
    if not traits or shown.size < 2 or not known.size:
        nobody = np.zeros(known.size, np.int64)
        nothing = np.full(known.size, _UNTOLD)
        return Recognition(nobody, nothing * 0, nothing, np.zeros(known.size, bool), names)
    if known.size * shown.size <= all_pairs**2:
        return _compare_all(weigh(traits), names, rng)
    pairs = rare_pairs(traits, rng=rng)  # first: these matrices and those of the scores are large
    return _compare_pairs(weigh(traits), pairs, names, rng)


def _choose_by_few(
    known: People,
    shown: People,
    few: int,
    cells: int,
    least: int,
    *,
    whole: bool,
    rng: np.random.Generator,
) -> tuple[str, ...]:
    """The names of the traits that tell most, by so many people and pseudonyms drawn at random."""
    sides = [
        side.take(np.sort(rng.choice(side.size, min(few, side.size), replace=False)))
        for side in (known, shown)
    ]
    every = find_traits(sides[0], sides[1], rng=rng, whole=whole)
    return tuple(trait.name for trait in choose_traits(every, rng=rng, cells=cells, least=least))


def keep_rows(
    people: People, count: int, *, rng: np.random.Generator, each_table: bool = False
) -> People:
    """The same people with so many of their rows, of all tables together, or all that they have.

    Which rows are kept is drawn at random. Which row of another table a row belongs to is not kept:
    the row above may not be drawn. With ``each_table``, so many rows of each table are kept.
    """
    branches = people.tables
    index = [replace(branch, order=()).index().order for branch in branches.values()]
    owners = [
        branch.person[order] + (number * people.size if each_table else 0)
        for number, (branch, order) in enumerate(zip(branches.values(), index, strict=True))
    ]
    everybody = np.concatenate(owners)
    mixed = np.lexsort((rng.random(len(everybody)), everybody))
    lengths = np.bincount(everybody)
    place = np.arange(len(mixed)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    kept = np.zeros(len(everybody), np.bool_)
    kept[mixed[place < count]] = True
    parts = np.split(kept, np.cumsum([len(order) for order in index])[:-1])
    tables = {}
    for (name, branch), order, chosen in zip(branches.items(), index, parts, strict=True):
        rows = np.sort(order[chosen])
        owner = branch.person[rows]
        tables[name] = branch.take(rows, owner, owner, people.size)
    whole = people.select(*branches)
    return People(whole.schema, people.size, people.keys, tables)


# --- traits: values of people's rows, with the same numbers on both sides ---


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """One table of the known people and of the pseudonyms, whose rows are dealt into halves."""

    known: Branch
    shown: Branch
    half: Mask
    urn: float = URN

    def count(self, name: str, values: Rows) -> Trait:
        """Count values, which are numbered from 0 over both sides; -1 is none."""
        size = int(values.max(initial=-1)) + 1
        known, shown = np.split(values, [len(self.known)])
        halves = [self.shown.counts(np.where(side, shown, -1), size) for side in self._dealt]
        counted = self.known.counts(known, size)
        both = (halves[0] + halves[1]).tocsr()
        first = halves[0] if halves[1].nnz else both  # one matrix less where nothing is dealt
        return Trait(name, counted, both, (first, halves[1]), self.urn)

    @property
    def _dealt(self) -> tuple[Mask, Mask]:
        return self.half, ~self.half


def find_traits(
    known: People,
    shown: People,
    *,
    rng: np.random.Generator,
    whole: bool = True,
    only: Collection[str] = (),
) -> Iterator[Trait]:
    """Every trait of the columns that both sides have.

    Parameters
    ----------
    rng : deals the rows of the pseudonyms into halves.
    whole : whether the time between two rows of a person says something.
    only : the names of traits, if no others are wanted; then no rows are dealt.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="sex", kind="category", values=("f", "m")),
    ...                          Column(name="day", kind="time")))
    >>> table = Table.of(schema, {"sex": ["f", "m"], "day": ["2011-01-02", "2011-01-03"]})
    >>> people = People.of_rows(table, np.array([0, 0]), 1)
    >>> [trait.name for trait in find_traits(people, people, rng=np.random.default_rng(0))]
    ['sex', 'day', 'weekday of day', 'sex and day', 'gap of day']
    """
    for table in known.schema.tables:
        if table.name not in shown.tables:
            continue
        branches = known.tables[table.name], shown.tables[table.name]
        root = table.reference is None
        luck = rng.random(0 if root else len(branches[1]))  # the same draws, whatever is wanted
        together = root or only
        half = np.ones(len(branches[1]), np.bool_) if together else _deal(branches[1], luck)
        sides = _Sides(*branches, half, ROOT_URN if root else URN)
        where = f" of {table.name}" if len(known.tables) > 1 else ""
        wanted = [name.removesuffix(where) for name in only if name.endswith(where)]
        if only and not wanted:
            continue
        seen = branches[1].rows.schema
        columns = [
            c for c in branches[0].rows.schema.columns if c.name in seen and not c.identifying
        ]
        columns = [c for c in columns if not only or any(c.name in name for name in wanted)]
        for name, values in _number_traits(branches, columns, root=root, whole=whole):
            if not only or name in wanted:
                yield sides.count(name + where, values)


def _number_traits(
    branches: tuple[Branch, Branch], columns: Sequence[Column], *, root: bool, whole: bool
) -> Iterator[tuple[str, Rows]]:
    """The traits of a table by name, as numbers of their values on both sides."""
    plain = {column.name: _values(branches, column) for column in columns}
    for column in columns:
        yield from _codings(column, plain[column.name])
    if root:
        return  # pairs of its columns say nothing that both do not say
    coarse = {name: _coarse(values) for name, values in plain.items()}
    paired = sorted(coarse, key=lambda name: -_entropy(coarse[name]))[:_PAIRED]
    for left, right in combinations([name for name in coarse if name in paired], 2):
        yield f"{left} and {right}", _join(coarse[left], coarse[right])
    for name in branches[0].order if whole else ():
        gaps = np.concatenate([_gaps(branch, name) for branch in branches])
        yield from _with_bins(f"gap of {name}", gaps)


def _deal(branch: Branch, luck: Floats) -> Mask:
    """Deal the rows of each pseudonym into two halves of equal size, or nearly so."""
    order = np.lexsort((luck, branch.person))
    half = np.zeros(len(branch), bool)
    half[order] = np.arange(len(branch)) % 2 == 0
    return half


def _values(sides: tuple[Branch, Branch], column: Column) -> Array:
    """The cells of a column on both sides as numbers that can be compared; NaN where missing."""
    both = np.concatenate([side.rows.columns[column.name] for side in sides])
    if column.temporal:
        return np.where(both == MISSING_TIME, np.nan, both)
    return np.concatenate([side.rows.numbers(column.name) for side in sides])


def _codings(column: Column, values: Floats) -> Iterator[tuple[str, Rows]]:
    """The values of a column as they are, in bins, and the weekdays of times."""
    if column.listed and not column.ordered:
        yield column.name, _number(values)
        return
    yield from _with_bins(column.name, values)
    if column.temporal:
        yield f"weekday of {column.name}", _number(np.floor(values / _DAY) % 7)


def _with_bins(name: str, values: Floats) -> Iterator[tuple[str, Rows]]:
    """Numbers as they are, and in bins where there are many different ones."""
    exact = _number(values)
    yield name, exact
    for bins in BINS:
        if exact.max(initial=-1) >= bins:
            yield f"{name} in {bins} bins", _cut(values, bins)


def _number(values: Floats) -> Rows:
    """Number the different values from 0; -1 where there is none."""
    numbers: Rows = np.full(len(values), -1)
    there = ~np.isnan(values)
    numbers[there] = np.unique(values[there], return_inverse=True)[1]
    return numbers


def _cut(values: Floats, bins: int) -> Rows:
    """Number the bins, which have about as many values each; -1 where there is none."""
    there = ~np.isnan(values)
    edges = np.quantile(values[there], np.arange(1, bins) / bins)
    return np.where(there, np.searchsorted(np.unique(edges), values, side="right"), -1)


def _coarse(values: Floats) -> Rows:
    """Values as they are if they are few, else in bins."""
    exact = _number(values)
    return exact if exact.max(initial=-1) < _MOST_PAIRED else _cut(values, BINS[0])


def _entropy(numbers: Rows) -> float:
    counts = np.bincount(numbers + 1).astype(np.float64)
    shares = counts[counts > 0] / max(1, len(numbers))
    return float(-(shares * np.log(shares)).sum())


def _join(one: Rows, other: Rows) -> Rows:
    """Number the pairs of values that occur; -1 where one of the two is missing."""
    pairs = one * (int(other.max(initial=0)) + 1) + other
    numbers: Rows = np.full(len(pairs), -1)
    there = (one >= 0) & (other >= 0)
    numbers[there] = np.unique(pairs[there], return_inverse=True)[1]
    return numbers


def _gaps(side: Branch, name: str) -> Floats:
    """The days since the row before of the same person; NaN for first rows."""
    index = side.index()
    times = _values((side, side), side.rows.schema[name])[: len(side)][index.order]
    days = np.floor(times / _DAY)
    gaps = np.full(len(side), np.nan)
    later = np.diff(side.person[index.order], prepend=-1) == 0
    gaps[index.order[later]] = np.diff(days, prepend=0)[later]
    return gaps


# --- scores ---


def weigh(traits: Sequence[Trait]) -> list[_Weights]:
    """For each trait two matrices; the sum of their products has the scores.

    It is the score of each person beside each pseudonym. The known person has a value k times and
    n rows, the pseudonym has it s times and m rows, and p is its mean share among pseudonyms. In an
    urn with u balls, the Bayes factor has the logarithm f(k, s, p) for each value, less f(n, m, 1),
    with f(k, s, p) = sum of log(1 + s / (u p + i)) for i = 0 ... k - 1. The steps i are columns
    here; from the eighth on, several share one.
    """
    return [_weigh_counts(trait.known, trait.shown, trait.urn) for trait in traits]


def _weigh_counts(known: csr_array, shown: csr_array, urn: float) -> _Weights:
    rows, drawn = (np.asarray(side.sum(axis=1)).ravel() for side in (shown, known))
    each = np.repeat(1 / np.maximum(rows, 1), np.diff(shown.indptr))
    sums = np.bincount(shown.indices, shown.data * each, shown.shape[1])
    share: Floats = sums / max(1, int((rows > 0).sum()))
    owners = [_row_of_each(side) for side in (known, shown)]
    left, right = _StepCells(known.shape[0]), _StepCells(shown.shape[0])
    width = 0
    for first, end in _steps(int(drawn.max(initial=0))):
        middle = (first + end - 1) / 2
        left.add(None, width, np.clip(drawn - first, 0, end - first))
        right.add(None, width, -np.log1p(rows / (urn + middle)).astype(np.float32))
        width += 1
        more = known.data > first
        values = known.indices[more]
        there = np.zeros(known.shape[1], np.bool_)
        there[values] = True
        place = np.cumsum(there, dtype=np.int32) + np.int32(width - 1)
        left.add(owners[0][more], place[values], np.clip(known.data[more] - first, 0, end - first))
        more = there[shown.indices]
        values = shown.indices[more]
        weights = np.log1p(shown.data[more] / (urn * share[values] + middle)).astype(np.float32)
        right.add(owners[1][more], place[values], weights)
        width += int(there.sum())
    return left.matrix(width), right.matrix(width)


def _row_of_each(matrix: csr_array) -> Rows:
    """The row of each cell that is not 0."""
    return np.repeat(np.arange(matrix.shape[0], dtype=np.int32), np.diff(matrix.indptr))


class _StepCells:
    """Cells of a matrix, a few columns at a time: much faster than to stack many small matrices."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._cells: list[tuple[Rows, Rows, Singles]] = []

    def add(self, row: Rows | None, column: Rows | int, cells: Singles) -> None:
        """Add cells; without rows, those of a whole column, of which zeros are left out."""
        if row is None:
            row = np.flatnonzero(cells).astype(np.int32)
            cells = cells[row]
        if isinstance(column, int):
            column = np.full(len(row), column, np.int32)
        self._cells.append((row, column, cells))

    def matrix(self, columns: int) -> csr_array:
        """The matrix of all cells."""
        from scipy.sparse import csr_array

        row, column, cells = (np.concatenate(parts) for parts in zip(*self._cells, strict=True))
        return csr_array((cells, (row, column)), shape=(self._rows, columns))


def _steps(most: int) -> Iterator[tuple[int, int]]:
    """Steps from 0 on, one by one at first, then together.

    >>> list(_steps(20))[6:]
    [(6, 7), (7, 8), (8, 12), (12, 18), (18, 27)]
    """
    first = 0
    while first < max(1, most):
        end = first + 1 if first < _SINGLE_STEPS else first * 3 // 2
        yield first, end
        first = end


@dataclass(frozen=True, slots=True, eq=False)
class TopTwo:
    """For each row of scores the place of the highest one, its score, and the second highest."""

    place: Rows
    best: Singles
    second: Singles

    @classmethod
    def of(cls, scores: Singles) -> TopTwo:
        """Find them; of equal scores, the first place.

        Three passes are faster than a partition. The scores are changed for a moment.

        >>> top = TopTwo.of(np.array([[3, 1, 3], [0, 2, 1]], np.float32))
        >>> top.place.tolist(), top.best.tolist(), top.second.tolist()
        ([0, 1], [3.0, 2.0], [3.0, 1.0])
        """
        rows = np.arange(len(scores))
        place: Rows = scores.argmax(axis=1)
        best = scores[rows, place]
        scores[rows, place] = -np.inf
        second = scores.max(axis=1)
        scores[rows, place] = best
        return cls(place, best, second)

    @property
    def clear(self) -> Mask:
        """Whether one score is alone at the top."""
        return self.best > self.second


def standing_out(scores: Singles, top: TopTwo) -> tuple[Floats, Floats]:
    """For each row the highest score and its margin; see :class:`Recognition`.

    >>> scores = np.array([[0.0, 2, 4]], np.float32)
    >>> [float(x[0].round(3)) for x in standing_out(scores, TopTwo.of(scores))]
    [4.0, 1.225]
    """
    best, second = top.best.astype(np.float64), top.second.astype(np.float64)
    spread = scores.std(axis=1, dtype=np.float64)
    return best, _margins(best, second, spread, scores.shape[1])


def _margins(first: Floats, second: Floats, spread: Floats, pseudonyms: int) -> Floats:
    """How far first scores are above second ones, or above that of nobody."""
    informed = spread > 1e-6 * np.maximum(np.abs(first), 1e-9)  # less is rounding
    above = first - np.maximum(second, np.log(pseudonyms))
    return np.where(informed, above / np.where(informed, spread, 1), _UNTOLD)


def choose_traits(
    traits: Iterable[Trait], *, rng: np.random.Generator, cells: int = _CELLS, least: int = 1
) -> list[Trait]:
    """The traits by which both halves of the rows lead to the same pseudonym most often.

    The best one comes first; others follow as long as they help. Some people drawn at random
    decide. Traits of a table with one row per person are in one half alone: they help if this half
    then agrees more often with the other one. Where there are no other traits, nothing can tell,
    and all are taken.

    Parameters
    ----------
    cells : how many pairs of people and pseudonyms decide, about.
    least : how many traits are chosen even if they do not help, if there are so many that tell
        about as much alone. One trait may tell a few people apart, and not enough to find somebody
        among very many.
    """
    traits = iter(traits)
    head = list(islice(traits, 2))
    if len(head) < 2 or head[0].shown.shape[0] < 2:
        return [*head, *traits]
    people, pseudonyms = head[0].known.shape[0], head[0].shown.shape[0]
    count = min(people, max(_FEWEST, cells // pseudonyms))
    targets = rng.choice(people, count, replace=False)
    kept: list[tuple[float, Trait, tuple[Singles, Singles]]] = []
    single: list[Trait] = []
    for trait in chain(head, traits):
        if not trait.dealt:
            single = [*single, trait][:_MOST_OF_ROOT]
            continue
        halves = _half_scores(trait, targets)
        kept.append((_agreement(halves), trait, halves))
        # Traits are large where people are many, so those that are not needed are let go.
        kept = sorted(kept, key=lambda own: -own[0])[:_MOST_CHOSEN]
    if not kept:
        return single
    options = [*(trait for _, trait, _ in kept), *single]
    both_halves = [halves for _, _, halves in kept] + [_half_scores(t, targets) for t in single]
    scores = dict(enumerate(both_halves))
    chosen = [0]
    total, value = scores.pop(0), kept[0][0]
    telling = {i for i, (alone, _, _) in enumerate(kept) if alone >= _TELLS * value}
    while scores:
        needed = [i for i in scores if i in telling] if len(chosen) < least else []
        values = {i: _agreement(_add_halves(total, scores[i])) for i in needed or scores}
        best = max(values, key=lambda i: values[i])
        if not needed and values[best] < value + _GAIN:
            break
        chosen.append(best)
        total, value = _add_halves(total, scores.pop(best)), values[best]
    return [options[i] for i in chosen]


def _half_scores(trait: Trait, targets: Rows) -> tuple[Singles, Singles]:
    """The scores of some people beside all pseudonyms, by each half of the rows."""
    scores = []
    for half in trait.halves:
        left, right = _weigh_counts(trait.known[targets], half, trait.urn)
        scores.append((left @ right.T).toarray())
    return scores[0], scores[1]


def _add_halves(
    one: tuple[Singles, Singles], other: tuple[Singles, Singles]
) -> tuple[Singles, Singles]:
    """The scores by the traits of both."""
    return one[0] + other[0], one[1] + other[1]


def _agreement(scores: tuple[Singles, Singles]) -> float:
    """The share of people for whom both halves have the same pseudonym alone at the top.

    Both halves of a trait in which everybody is equal, such as times of a fixed schedule, may lead
    everybody to one pseudonym. That is not a person who is recognised. So the share is taken off
    that would agree if the two halves had nothing to do with each other.
    """
    one, other = (TopTwo.of(half) for half in scores)
    size = scores[0].shape[1]
    shares = [np.bincount(top.place, minlength=size) / len(top.place) for top in (one, other)]
    by_chance = float(shares[0] @ shares[1])
    return float(((one.place == other.place) & one.clear & other.clear).mean()) - by_chance


def _compare_all(
    weights: Sequence[_Weights], names: tuple[str, ...], rng: np.random.Generator
) -> Recognition:
    """Compare everybody with every pseudonym, some people at a time."""
    people, pseudonyms = weights[0][0].shape[0], weights[0][1].shape[0]
    first = np.zeros(people, np.int64)
    best, margin = np.zeros(people), np.zeros(people)
    highest = np.full(pseudonyms, -np.inf, np.float32)
    across = _turn(weights)
    step = max(1, _BLOCK // pseudonyms)
    for start in range(0, people, step):
        part = slice(start, min(people, start + step))
        scores = _all_scores(across, part)
        top = TopTwo.of(scores)
        best[part], margin[part] = standing_out(scores, top)
        first[part] = _pick_highest(scores, top, rng)
        np.maximum(highest, scores.max(axis=0), out=highest)
    return Recognition(first, best, margin, best >= highest[first], names)


def _turn(weights: Sequence[_Weights]) -> list[_Weights]:
    """The same with the second ones, such as pseudonyms, in columns."""
    return [(left, right.T.tocsr()) for left, right in weights]


def _all_scores(across: Sequence[_Weights], people: slice | Rows) -> Singles:
    """The scores of some people, or pseudonyms, beside all those in columns."""
    products = (left[people] @ right for left, right in across)
    total: Singles = next(products).toarray()
    for product in products:
        total += product.toarray()
    return total


def _pick_highest(scores: Singles, top: TopTwo, rng: np.random.Generator) -> Rows:
    """The place of the highest score in each row; of equal ones, one at random."""
    chosen = top.place.copy()
    for row in np.flatnonzero(~top.clear):
        chosen[row] = rng.choice(np.flatnonzero(scores[row] == top.best[row]))
    return chosen


# --- many people: pseudonyms that share rare values with somebody ---


@dataclass(frozen=True, slots=True, eq=False)
class CandidatePairs:
    """CandidatePairs of a known person and a pseudonym, ordered by person."""

    person: Rows
    pseudonym: Rows


def rare_pairs(traits: Sequence[Trait], *, rng: np.random.Generator) -> CandidatePairs:
    """For each person the pseudonyms that share most of their rare tokens.

    Each person has tokens: their rarest values of the most telling traits, and the pairs and
    triples of these. Tokens that many pseudonyms have are left out, so the work per person does not
    grow with the number of people.
    """
    from scipy.sparse import hstack

    sides = zip(*(_token_weights(trait) for trait in traits[:_TELLING]), strict=True)
    known, shown = (hstack(side).tocsr() for side in sides)
    across = shown.T.tocsr()
    step = 256  # everything that they share is there at once
    parts = [
        most_shared(known[start : start + step] @ across, start, rng)
        for start in range(0, known.shape[0], step)
    ]
    return CandidatePairs(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _token_weights(trait: Trait) -> tuple[csr_array, csr_array]:
    """People by tokens with the weights of these, and pseudonyms by tokens, by one trait."""
    from scipy.sparse import csr_array

    shown, token = _tokens(trait.shown, trait)
    names, number, holders = np.unique(token, return_inverse=True, return_counts=True)
    rare = holders <= _HOLDERS
    known, token = _tokens(trait.known, trait)
    place = np.minimum(np.searchsorted(names, token), len(names) - 1)
    there = rare[place] & (names[place] == token)
    known, place = known[there], place[there]
    pseudonyms, size = trait.shown.shape[0], (trait.known.shape[0], len(names))
    weight = np.log((1 + pseudonyms) / holders).astype(np.float32)
    shown, number = shown[rare[number]], number[rare[number]]
    return (
        csr_array((weight[place], (known, place)), shape=size),
        csr_array((np.ones(len(shown), np.float32), (shown, number)), shape=(pseudonyms, size[1])),
    )


def _tokens(counts: csr_array, trait: Trait) -> tuple[Rows, Rows]:
    """The tokens of people or pseudonyms with these values: somebody and a key each."""
    size = trait.shown.shape[1]
    holders = np.bincount(trait.shown.indices, minlength=size)
    person = np.repeat(np.arange(counts.shape[0], dtype=np.int32), np.diff(counts.indptr))
    common = holders[counts.indices] > 0
    person, value = person[common], counts.indices[common]
    order = np.lexsort((value, holders[value], person))
    person, value = person[order], value[order]
    place = np.arange(len(person)) - np.searchsorted(person, person)
    rare = place < _RARE
    table = np.full((counts.shape[0], _RARE), -1, np.int64)
    table[person[rare], place[rare]] = value[rare]
    rarest, table = np.sort(table[:, :_TRIPLED], axis=1), np.sort(table, axis=1)
    persons, keys = [], []
    for values, together in ((table, 1), (table, 2), (rarest, 3)):
        for places in combinations(range(values.shape[1]), together):
            token = values[:, places]
            there = np.flatnonzero((token >= 0).all(axis=1)).astype(np.int32)
            persons.append(there)
            keys.append(_mix(token[there], size + 1))
    return np.concatenate(persons), np.concatenate(keys)


def _mix(tokens: Rows, everything: int) -> Rows:
    """One number for several values; triples of very many values may share one by chance."""
    key = np.zeros(len(tokens), np.int64)
    for value in tokens.T:
        key = key * everything + value + 1  # an overflow wraps around, the same on both sides
    return key


def most_shared(shared: csr_array, first: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """The pseudonyms with the largest sums of each row, the largest first; equal ones at random."""
    # Less than the step to the next number: it decides between equal sums, and no others.
    luck = rng.random(shared.nnz) * np.spacing(shared.data) / 2
    sums = shared.data.astype(np.float64) - luck
    kept = []
    for start, end in pairwise(shared.indptr.tolist()):
        places = np.arange(start, end)
        if len(places) > CANDIDATES:  # to sort all takes most of the time of an audit of many
            places = places[np.argpartition(sums[start:end], -CANDIDATES)[-CANDIDATES:]]
        kept.append(places[np.argsort(-sums[places])])
    place = np.concatenate(kept)
    person = np.repeat(np.arange(len(kept)), [len(rows) for rows in kept])
    return person + first, shared.indices[place].astype(np.int64)


def _compare_pairs(
    weights: Sequence[_Weights],
    pairs: CandidatePairs,
    names: tuple[str, ...],
    rng: np.random.Generator,
) -> Recognition:
    """Compare people with their candidates; a few random pseudonyms say how scores spread.

    The weights of each trait stay apart: together they would take as much memory once more.
    """
    people, pseudonyms = weights[0][0].shape[0], weights[0][1].shape[0]
    sample = rng.choice(pseudonyms, min(_SPREAD, pseudonyms), replace=False)
    few = _turn([(left, right[sample]) for left, right in weights])
    mean, spread = np.zeros(people), np.zeros(people)
    step = max(1, _BLOCK // len(sample))
    for start in range(0, people, step):
        part = slice(start, min(people, start + step))
        scores = _all_scores(few, part)
        mean[part], spread[part] = scores.mean(axis=1), scores.std(axis=1)
    score = _pair_scores(weights, pairs)
    order = np.lexsort((rng.random(len(score)), -score, pairs.person))
    person = pairs.person[order]
    place = np.arange(len(person)) - np.searchsorted(person, person)
    first = rng.integers(pseudonyms, size=people)
    two = np.stack([mean, mean], axis=1)  # somebody without candidates does not stand out
    for rank in (0, 1):
        chosen = order[place == rank]
        two[pairs.person[chosen], rank] = score[chosen]
        if rank == 0:
            first[pairs.person[chosen]] = pairs.pseudonym[chosen]
    two = np.maximum(two, mean[:, None])
    margin = _margins(two[:, 0], two[:, 1], spread, pseudonyms)
    highest = np.full(pseudonyms, -np.inf)
    np.maximum.at(highest, pairs.pseudonym, score)
    lost = _lost_share(weights, two[:, 0], rng)
    return Recognition(first, two[:, 0], margin, two[:, 0] >= highest[first], names, lost)


def _pair_scores(weights: Sequence[_Weights], pairs: CandidatePairs) -> Floats:
    """The score of each pair."""
    scores = np.zeros(len(pairs.person))
    step = 20_000  # the products of a step are in memory at once, and each has many cells
    for start in range(0, len(scores), step):
        part = slice(start, start + step)
        for left, right in weights:
            product = left[pairs.person[part]].multiply(right[pairs.pseudonym[part]])
            scores[part] += np.asarray(product.sum(axis=1)).ravel()
    return scores


def _lost_share(weights: Sequence[_Weights], best: Floats, rng: np.random.Generator) -> float:
    """The share of random people for whom some pseudonym fits better than every candidate."""
    people, pseudonyms = weights[0][0].shape[0], weights[0][1].shape[0]
    count = min(people, 1_000, max(_FEWEST, 20 * _BLOCK // pseudonyms))
    chosen = rng.choice(people, count, replace=False)
    # People are in columns here, as to turn the weights of all pseudonyms takes much memory.
    turned = _turn([(right, left[chosen]) for left, right in weights])
    highest = np.full(count, -np.inf, np.float32)
    step = max(1, _BLOCK // count)
    for start in range(0, pseudonyms, step):
        scores = _all_scores(turned, slice(start, start + step))
        np.maximum(highest, scores.max(axis=0), out=highest)
    better = highest > best[chosen] + 1e-3 * np.maximum(1, np.abs(highest))
    return float(better.mean())
