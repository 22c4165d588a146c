"""AIM: synthetic records from the marginals that a workload needs most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import comb
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.accounting.budget import Budget
from quintain.accounting.split import Account
from quintain.accounting.zcdp import (
    exponential_epsilon,
    exponential_rho,
    gaussian_rho,
    gaussian_sigma,
    rho_for,
)
from quintain.data import Column, Schema, Table
from quintain.data.arrays import Floats, Ints, Mask
from quintain.data.column import optional_field
from quintain.errors import PartError
from quintain.jobs.progress import report
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.synthesizer import Arrays, Synthesizer
from quintain.sanitizers.synthetic.counted_columns import (
    NOISE_ERROR,
    CountedColumns,
    LevelModel,
    count_values,
    varying,
)
from quintain.sanitizers.synthetic.pgm import MOST_CELLS, Domain, Measurement
from quintain.sanitizers.synthetic.pgm.all_pairs import MOST_PAIR_CELLS, AllPairs
from quintain.sanitizers.synthetic.pgm.junction_tree import CliqueSearch, JunctionTree
from quintain.sanitizers.synthetic.pgm.refit import Crossing, Refit

# Workload: the marginals that a release should preserve, and those worth measuring for them.


Marginal = tuple[str, ...]
"""The columns that are counted together."""

MOST_CANDIDATES = 20_000
"""The most candidates that are compared in every round."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The marginals that a round may choose from.

    Parameters
    ----------
    marginals : the columns of each, in the order of the domain.
    weights : how much each matters for the workload.
    cells : how many cells each has.
    wanted : how many marginals the workload has.
    """

    marginals: Sequence[Marginal]
    weights: Floats
    cells: Ints
    wanted: int

    @classmethod
    def of(cls, workload: Mapping[Marginal, float], domain: Domain) -> Candidates:
        """List all parts of the marginals of a workload.

        A candidate is weighted by the columns that it shares with each marginal of the workload,
        times the weight of this marginal.

        >>> domain = Domain.of({"a": 2, "b": 3, "c": 4})
        >>> found = Candidates.of({("a", "b"): 1.0, ("b", "c"): 2.0}, domain)
        >>> for marginal, weight in zip(found.marginals, found.weights):
        ...     print(marginal, weight)
        ('a',) 1.0
        ('b',) 3.0
        ('c',) 2.0
        ('a', 'b') 4.0
        ('b', 'c') 5.0
        """
        sorted_ = {domain.sort(marginal): weight for marginal, weight in workload.items()}
        parts = {part for marginal in sorted_ for part in _parts(marginal)}
        by_place = sorted(parts, key=lambda part: (len(part), [domain.place(c) for c in part]))
        column = dict.fromkeys(domain.names, 0.0)
        for marginal, weight in sorted_.items():
            for name in marginal:
                column[name] += weight
        weights = [sum(column[name] for name in part) for part in by_place]
        cells = [domain.cells(part) for part in by_place]
        return cls(by_place, np.array(weights), np.array(cells), len(sorted_))


def all_marginals(names: Sequence[str], ways: int) -> dict[Marginal, float]:
    """List all marginals of so many columns, each with weight one."""
    return dict.fromkeys(combinations(names, min(ways, len(names))), 1.0)


def fitting_ways(columns: int, ways: int) -> int:
    """Lower the number of ways until there are not too many candidates.

    >>> fitting_ways(15, 3), fitting_ways(100, 3)
    (3, 2)
    """
    while ways > 1 and sum(comb(columns, k) for k in range(1, ways + 1)) > MOST_CANDIDATES:
        ways -= 1
    return ways


def _parts(marginal: Marginal) -> chain[Marginal]:
    sizes = range(1, len(marginal) + 1)
    return chain.from_iterable(combinations(marginal, size) for size in sizes)


# Offers: the candidates of a round, and how badly the model fits each of them.
#
# The score of a candidate r with n_r cells is its error in the model, less the error that its own
# noise would bring:
#
# $$ w_r (|M_r(D) - M_r(p)|_1 - sqrt(2 / pi) sigma n_r) $$
#
# One record more or less changes one count of M_r(D) by one. The model p is already private. So the
# score changes by at most w_r, whatever p is.


_KEPT_CELLS = 2**25
"""The most private counts that are kept from one round to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredMarginal:
    """The candidates of one round with their scores.

    Parameters
    ----------
    numbers : the places of the offered marginals among all candidates.
    marginals : the offered marginals.
    scores : how badly the model fits each; private, without noise.
    sensitivity : how much one record can move any score.
    expected_counts : gives the counts of a candidate in the model.
    """

    numbers: Ints
    marginals: Sequence[Marginal]
    scores: Floats
    sensitivity: float
    expected_counts: Callable[[int], Floats]


def _one(model: Crossing, marginal: Marginal) -> Floats:
    return model.counts(marginal, int(model.meetings([marginal])[0]))


def _many_pairs(domain: Domain, candidates: Candidates) -> bool:
    """Say whether one table of all pairs of columns costs less than a table per candidate."""
    cells = sum(domain.sizes) ** 2
    pairs_only = all(len(marginal) <= 2 for marginal in candidates.marginals)
    return pairs_only and cells <= min(MOST_PAIR_CELLS, 8 * int(candidates.cells.sum()))


class Offers:
    """All candidates, and their private counts.

    Where the candidates are single columns and many pairs, all pairs are counted once and computed
    together in every round. Else each candidate is counted and computed by itself.
    """

    def __init__(self, columns: CountedColumns, candidates: Candidates) -> None:
        self.columns, self.candidates = columns, candidates
        self._counts: dict[Marginal, Ints] = {}
        self._kept = 0
        self._pairs: AllPairs | None = None
        if _many_pairs(columns.domain, candidates):
            self._pairs = AllPairs.count(columns.domain, columns.codes)

    def cross(self, marginal: Marginal) -> Ints:
        """Count the records in each cell of a marginal; this is private data, without noise."""
        if self._pairs is not None:
            return self._pairs.counts(marginal)
        counts = self._counts.get(marginal)
        if counts is None:
            counts = self.columns.cross(marginal)
            if self._kept + counts.size <= _KEPT_CELLS:
                self._counts[marginal] = counts
                self._kept += counts.size
        return counts

    def score(self, fit: Refit, sigma: float) -> ScoredMarginal:
        """Score the candidates for a round with this noise."""
        offered = self._worthwhile(fit.total, sigma)
        marginals = [self.candidates.marginals[n] for n in offered]
        gaps, expected_counts = self._compare(fit, marginals)
        weights = self.candidates.weights[offered]
        noise = NOISE_ERROR * sigma * self.candidates.cells[offered]
        scores = weights * (gaps - noise)
        return ScoredMarginal(offered, marginals, scores, float(weights.max()), expected_counts)

    def _compare(
        self, fit: Refit, marginals: Sequence[Marginal]
    ) -> tuple[Floats, Callable[[int], Floats]]:
        """How far the model is from the counts of each marginal, and its own counts of each."""
        model = Crossing(fit.calibration, fit.tables)
        if self._pairs is not None:
            domain = fit.domain
            ends = [(domain.place(m[0]), domain.place(m[-1])) for m in marginals]
            first, last = np.array(ends).T
            pairs = AllPairs.of_model(domain, fit.calibration.tree, fit.tables)
            return self._pairs.gaps(pairs)[first, last], lambda n: _one(model, marginals[n])
        meetings = model.meetings(marginals)

        def expected_counts(number: int) -> Floats:
            return model.counts(marginals[number], int(meetings[number]))

        gaps = [
            np.abs(self.cross(marginal) - expected_counts(number)).sum()
            for number, marginal in enumerate(marginals)
        ]
        return np.array(gaps), expected_counts

    def _worthwhile(self, total: float, sigma: float) -> Ints:
        """Leave out candidates whose noise is larger than any error; the data are not read."""
        noise = NOISE_ERROR * sigma * self.candidates.cells
        kept = np.flatnonzero(noise < 2 * total)
        return kept if len(kept) else np.flatnonzero(noise == noise.min())


# Rounds: choose the marginal that the model fits worst, count it with noise, and fit again.
#
# Each round spends a little of the budget. If the model moves less than the noise alone would
# move it, more rounds with this noise teach nothing, so the next ones have half the noise. The
# last round spends the rest.


COLUMN_SHARE, MOST_COLUMN_SHARE = 0.2, 0.7
"""The part of the budget for the counts of single columns, before the rounds."""
COLUMN_ERROR = 0.04
"""The noise that single columns may have before they are counted again.

Where they have more, the rounds have so little budget that they see hardly any dependence.
"""
LEAST_ROUNDS, MOST_ROUNDS = 1, 4
"""How many rounds per column the budget would last if all were like the first.

Between these there is one round for each marginal of the workload.
"""
_SPENT = 1e-9
"""A budget of which so little is left is spent."""
CHOICE_SHARE = 0.1
"""The part of a round's budget for the choice; the counts get the rest."""
_MANY_CANDIDATES, _SURVEY_ROUNDS = 1000, 10
"""With more candidates, the sizes of all of them are found in advance, once in so many rounds."""
_CROWDED = 0.8
"""The part of the room for the model from which on many candidates are too large."""
_TOLERANCE, _STEPS = 0.2, 15
"""How exact a fit between rounds is; see :meth:`Refit.fit`."""
_LAST_TOLERANCE, _LAST_STEPS = 0.02, 300


class Rounds:
    """One run: the model so far, and the noise of the next round.

    Parameters
    ----------
    columns : the columns with their noisy counts; the only access to private data.
    candidates : the marginals that a round may choose.
    budget : pays for every answer.
    most_cells : the most cells of the model at the end; before, in proportion to what is spent.
    """

    def __init__(
        self, columns: CountedColumns, candidates: Candidates, budget: Budget, most_cells: int
    ) -> None:
        self.budget, self.most_cells = budget, most_cells
        self.offers = Offers(columns, candidates)
        self.sizes = ModelSizes(columns.domain, candidates.marginals, most_cells)
        self.fit = Refit(columns.domain, columns.counts)
        self.fit.fit(tolerance=_TOLERANCE, steps=_STEPS)
        self.chosen: list[Marginal] = []
        count = len(columns.codes)
        rounds = min(max(candidates.wanted, LEAST_ROUNDS * count), MOST_ROUNDS * count)
        self.over = budget.left <= _SPENT * budget.rho
        if not self.over:
            self._divide(budget.left / rounds)

    def run(self, noise: Noise) -> Iterator[float]:
        """Run all rounds; after each, give the part of the budget that is spent."""
        last = self.over
        while not last:
            last = self.budget.left < 2 * self._cost()
            if last:
                self._divide(self.budget.left)
            self._play(noise)
            yield self.budget.spent / self.budget.rho

    def finish(self) -> None:
        """Fit the model to all measurements once more, more exactly."""
        self.fit.fit(tolerance=_LAST_TOLERANCE, steps=_LAST_STEPS)

    def _divide(self, rho: float) -> None:
        self.epsilon = exponential_epsilon(CHOICE_SHARE * rho)
        self.sigma = gaussian_sigma((1 - CHOICE_SHARE) * rho)

    def _cost(self) -> float:
        return exponential_rho(self.epsilon) + gaussian_rho(self.sigma)

    def _play(self, noise: Noise) -> None:
        marginal, before = self._choose(noise)
        noisy = self.budget.count(self.offers.cross(marginal), self.sigma, noise)
        self.fit.add(Measurement.of(marginal, noisy, self.sigma**2), before)
        self.fit.fit(tolerance=_TOLERANCE, steps=_STEPS)
        self.sizes.add(marginal)
        self.chosen.append(marginal)
        moved = np.abs(self.fit.counts(marginal) - before).sum()
        if moved <= NOISE_ERROR * self.sigma * before.size:
            self.sigma, self.epsilon = self.sigma / 2, self.epsilon * 2

    def _choose(self, noise: Noise) -> tuple[Marginal, Floats]:
        """Choose a marginal that fits badly; give its expected counts, too.

        The exponential mechanism chooses among the candidates that keep the model small enough. It
        would take long to test all of them. So it draws from all, and draws again if the candidate
        is too large. That gives the same probabilities, and the size does not depend on the data.
        Where many would be refused, it draws only from those that were small enough lately.
        """
        limit = self.most_cells * min(1.0, (self.budget.spent + self._cost()) / self.budget.rho)
        round_ = self.offers.score(self.fit, self.sigma)
        self._survey(limit)
        small = self.sizes.small(self.fit.calibration.tree, limit)
        scores = np.where(small[round_.numbers], round_.scores, -np.inf)
        pick = self.budget.choose(scores, self.epsilon, round_.sensitivity, noise)
        while not self._small(round_.marginals[pick], limit):
            scores[pick] = -np.inf
            pick = noise.choose(scores, self.epsilon, round_.sensitivity)
        return round_.marginals[pick], round_.expected_counts(pick)

    def _survey(self, limit: float) -> None:
        """Find sizes in advance where that is worth its time: for many candidates and little room.

        This reads what was published only. It must not follow from candidates that were drawn and
        refused, because these draws were not paid.
        """
        many = len(self.offers.candidates.marginals) > _MANY_CANDIDATES
        if not many or len(self.chosen) % _SURVEY_ROUNDS:
            return
        tree, domain = self.fit.calibration.tree, self.fit.domain
        cells = sum(domain.cells(clique) for clique in tree.cliques)
        if cells > _CROWDED * limit:
            self.sizes.survey(tree)
        else:
            self.sizes.forget()

    def _small(self, marginal: Marginal, limit: float) -> bool:
        """Say whether the model stays small; a marginal inside a clique adds nothing."""
        inside = self.fit.calibration.tree.home(marginal) >= 0
        return inside or self.sizes.cells_with(marginal, int(limit)) <= limit


class ModelSizes:
    """How large the model would be with each candidate.

    Parameters
    ----------
    domain : the columns.
    marginals : the candidates.
    most_cells : the most cells at the end; a candidate that needs more is refused for good.
    """

    def __init__(self, domain: Domain, marginals: Sequence[Marginal], most_cells: int) -> None:
        self.marginals, self.most_cells = marginals, most_cells
        self._needed = np.zeros(len(marginals))
        self._cliques = CliqueSearch(domain, [])

    def add(self, marginal: Marginal) -> None:
        """Put a marginal into the model."""
        self._cliques.add(marginal)

    def cells_with(self, marginal: Marginal, most_cells: int) -> int:
        """Count the cells of the model with one more marginal, until there are too many."""
        return self._cliques.cells_with(marginal, most_cells=most_cells)

    def survey(self, tree: JunctionTree) -> None:
        """Find the sizes for all candidates; for those that may never fit, once only."""
        inside = self._inside(tree)
        for number in np.flatnonzero(~inside & (self._needed <= self.most_cells)).tolist():
            self._needed[number] = self.cells_with(self.marginals[number], self.most_cells)

    def forget(self) -> None:
        """Forget the sizes, so that all candidates are small until they are tested."""
        self._needed[:] = 0

    def small(self, tree: JunctionTree, limit: float) -> Mask:
        """Say which candidates fitted when they were tested last, or are inside a clique now."""
        fitting = self._needed <= limit
        return fitting if fitting.all() else fitting | self._inside(tree)

    def _inside(self, tree: JunctionTree) -> Mask:
        widths = {len(marginal) for marginal in self.marginals}
        parts = {part for c in tree.cliques for width in widths for part in combinations(c, width)}
        return np.array([marginal in parts for marginal in self.marginals])


# AIM: choose marginals for a workload one by one, and draw records from the model they give.


Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@dataclass(frozen=True, eq=False)
class AimModel(LevelModel):
    """Tables over levels that fit all measured marginals, and the list of these marginals."""

    kind: ClassVar[str] = "aim"

    chosen: tuple[Marginal, ...] = ()

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List the marginals that the rounds chose, and columns that are in none of them."""
        return _focal_points(self.chosen, list(self.levels))

    def arrays(self) -> Arrays:
        """Give the tables, the values of each level, and the chosen marginals."""
        places = [[self.schema.names.index(name) for name in names] for names in self.chosen]
        marginals = {f"chosen_{n}": np.array(place) for n, place in enumerate(places)}
        return {**super().arrays(), **marginals}

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> Self:
        """Make a model from what :meth:`arrays` gave."""
        count = sum(name.startswith("chosen_") for name in arrays)
        places = [arrays[f"chosen_{number}"] for number in range(count)]
        chosen = tuple(tuple(schema.names[place] for place in row) for row in places)
        return replace(super().from_arrays(schema, size, arrays), chosen=chosen)


@register("aim-v1")
class Aim(Synthesizer):
    """Draws records from noisy marginals, each chosen because the model fitted it worst.

    The part counts every column with Gaussian noise, and merges the values that do not stand out
    from the noise. Then it works in rounds. Each round chooses one marginal that the model fits
    badly and that matters for the workload (exponential mechanism), counts it with Gaussian noise,
    and fits a graphical model to all noisy counts. If a round has moved the model less than noise
    alone would, the next rounds have half the noise. The last round spends the rest of the budget.
    Records are drawn from the last model.

    The workload is the list of marginals that the release should preserve. Candidates are all its
    parts: a workload of three columns also offers pairs and single columns.

    Every answer is paid from one budget in zCDP; a round costs epsilon**2 / 8 for the choice and 1
    / (2 sigma**2) for the counts. Only the schema's domain is used, and the number of records is
    estimated from the noisy counts.

    In six points the part differs from the publication. A fifth of the budget goes to the columns,
    not a sixteenth, and up to seven tenths as long as the noise would move more than 4 % of the
    records of a column. The first rounds are at least four times larger, so that a table of few
    columns has one round for each marginal; these were tuned on two census tables. Rare values are
    merged, as in MST. Candidates whose noise is larger than any possible error are not offered. If
    the workload has single columns only, as that of 200 columns has, there are no rounds: all of
    the budget goes to the columns. The fit prefers models near to uniform a little. The publication
    finds in every round which candidates keep the model small enough; here, a candidate that is
    drawn and too large is drawn again, which gives the same probabilities. With more than 1,000
    candidates, most are too large in the end. So from the time when four fifths of the room are
    used, every tenth round finds the sizes of all, and what is too large waits until there is more
    room, or until the next such round.

    Parameters
    ----------
    epsilon, delta : the total privacy loss.
    ways : the workload has all marginals of so many columns: 2, as in other implementations, or 3,
        as in the experiments of the publication, which takes longer. If this gives more than 20,000
        candidates, as three columns of 50 do, the workload has marginals of fewer columns, and the
        release says so.
    workload : the marginals of the workload, each a list of columns, instead of all.
    weights : the weight of each marginal of ``workload``; by default all have the weight 1.
    most_cells : the most cells of the model. More cells allow more dependences, and need more time
        and memory.

    In the example table, size and flag depend on colour, and AIM counts these pairs first:

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> aim = Aim(epsilon=10, ways=2)
    >>> aim.play(table, noise=q.Noise.for_test(1)).chosen
    [('colour', 'size'), ('colour', 'flag'), ('size', 'flag')]

    References
    ----------
    McKenna, Mullins, Sheldon and Miklau (2022), "AIM: An Adaptive and Iterative Mechanism for
    Differentially Private Synthetic Data".
    """

    most_values: ClassVar[int | None] = MOST_CELLS
    account: ClassVar[Account] = "zcdp"

    epsilon: Annotated[float, Field(gt=0, lt=1e6, allow_inf_nan=False)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 1e-9
    ways: Annotated[int, Field(ge=1, le=3)] = 2
    workload: tuple[Annotated[Marginal, Field(min_length=1, max_length=3)], ...] | None = (
        optional_field()
    )
    weights: tuple[Weight, ...] | None = optional_field()
    most_cells: Annotated[int, Field(ge=1, le=MOST_CELLS)] = 2**18

    @model_validator(mode="after")
    def _weights_match(self) -> Self:
        if self.weights is not None and len(self.weights) != len(self.workload or ()):
            raise ValueError("give one weight for each marginal of the workload")
        if self.workload is not None and not self.workload:
            raise ValueError("the workload is empty; leave it out to preserve all marginals")
        return self

    @classmethod
    def examples(cls) -> list[Self]:
        """List one sanitizer with much noise and one with little."""
        return [cls(), cls(epsilon=100.0, ways=3, rows=50)]

    def claim(self) -> Claim:
        """Claim approximate differential privacy."""
        return Claim(epsilon=self.epsilon, delta=self.delta)

    def require(self, schema: Schema) -> None:
        """A workload may name only columns of the table."""
        super().require(schema)
        unknown = {name for names in self.workload or () for name in names} - set(schema.names)
        if unknown:
            raise PartError(
                f"{self.id}: the workload has unknown columns: {', '.join(sorted(unknown))}; "
                f"available: {', '.join(schema.names)}"
            )

    def detail(self, schema: Schema) -> str:
        """Say which workload the model was made for."""
        if self.workload is not None:
            return f"{self.summary()}; the workload has {len(self.workload)} marginals"
        columns = len(varying(self, schema))
        ways = fitting_ways(columns, self.ways)
        text = f"{self.summary()}; the workload has all marginals of {min(ways, columns)} columns"
        if ways < self.ways:
            text += f", because {self.ways} would give more than {MOST_CANDIDATES:,} candidates"
        return text

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> AimModel:
        """Run all rounds, then fit the model once more."""
        rounds = self.play(data, noise=noise)
        rounds.finish()
        graph, levels = rounds.fit.model(), rounds.offers.columns.levels
        return AimModel(data.schema, round(graph.total), graph, levels, tuple(rounds.chosen))

    def structure(self, data: Table, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give only the marginals that one run chooses."""
        rounds = self.play(data, noise=noise)
        return _focal_points(rounds.chosen, rounds.fit.domain.names)

    def play(self, data: Table, *, noise: Noise) -> Rounds:
        """Count the columns, then run all rounds; nothing else reads the data."""
        columns = varying(self, data.schema)
        budget = Budget(rho_for(self.epsilon, self.delta))
        workload = self._workload([column.name for column in columns])
        share = 1.0 if self._singles_only(workload) else COLUMN_SHARE
        counted = _count_well(data, columns, share, budget, noise)
        rounds = Rounds(counted, Candidates.of(workload, counted.domain), budget, self.most_cells)
        for share in rounds.run(noise):
            report("measuring marginals", round(100 * share), 100)
        return rounds

    def _singles_only(self, workload: Mapping[Marginal, float]) -> bool:
        """Say whether there is nothing to choose, because every column alone is all that matters.

        Rounds would spend most of the budget on a few columns, and a part of it on the choice.
        """
        return self.workload is None and all(len(marginal) == 1 for marginal in workload)

    def _workload(self, names: list[str]) -> dict[Marginal, float]:
        """Give the marginals of columns that vary, with their weights."""
        if self.workload is None:
            return all_marginals(names, fitting_ways(len(names), self.ways))
        out: dict[Marginal, float] = {}
        weights = self.weights or (1.0,) * len(self.workload)
        for marginal, weight in zip(self.workload, weights, strict=True):
            varied = tuple(sorted(set(marginal).intersection(names)))
            if varied:
                out[varied] = out.get(varied, 0.0) + weight
        return out or all_marginals(names, 1)


def _count_well(
    data: Table, columns: Sequence[Column], share: float, budget: Budget, noise: Noise
) -> CountedColumns:
    """Count the columns for a share of the budget, and for more of it if they have much noise.

    The squared noise falls with the share. How much more is needed follows from the noisy counts.
    """
    sigma = gaussian_sigma(share * budget.rho / len(columns))
    counted = count_values(data, columns, sigma=sigma, budget=budget, noise=noise)
    needed = min(MOST_COLUMN_SHARE, share * (counted.error / COLUMN_ERROR) ** 2)
    if needed > share:
        sigma = gaussian_sigma((needed - share) * budget.rho / len(columns))
        counted = counted.count_again(sigma, budget, noise)
    return counted.merge_rare()


def _focal_points(chosen: Sequence[Marginal], names: Sequence[str]) -> tuple[FocalPoint, ...]:
    """List what was counted, without marginals that are part of a larger one."""
    sets = {frozenset(marginal) for marginal in [*chosen, *((name,) for name in names)]}
    largest = [columns for columns in sets if not any(columns < other for other in sets)]
    return tuple(sorted(FocalPoint(tuple(sorted(columns))) for columns in largest))
