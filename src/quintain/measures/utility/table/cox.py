"""Cox: do the coefficients of a proportional hazards model survive in the release?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from pydantic import Field

from quintain.data import Column, Data, Schema, Table
from quintain.data.arrays import Floats, Mask
from quintain.errors import PartError
from quintain.measures.intervals import normal_quantile
from quintain.measures.measure import Readings
from quintain.measures.reading import Direction
from quintain.measures.utility.table.jackknife import GROUPS, groups_of, jackknife
from quintain.measures.utility.table.survival_times import SurvivalMeasure, SurvivalTimes
from quintain.registry import register

_STEPS = 40
_CLOSE = 1e-9


class CoxFit(NamedTuple):
    """A fitted proportional hazards model.

    Parameters
    ----------
    coefficients : the logarithm of the hazard ratio for each covariate.
    errors : their standard errors.
    likelihood : the logarithm of the partial likelihood.
    """

    coefficients: Floats
    errors: Floats
    likelihood: float

    def intervals(self) -> tuple[Floats, Floats]:
        """The ends of the confidence intervals of the coefficients."""
        reach = normal_quantile(6) * self.errors
        return self.coefficients - reach, self.coefficients + reach


class _Likelihood:
    """The partial likelihood of Cox, with Efron's account of events at the same time.

    The rows are sorted from the longest time to the shortest, so everybody at risk at a time is in
    the rows up to some place. Of m events at one time, the i-th has left i/m of their weight.
    """

    def __init__(self, time: Floats, event: Mask, covariates: Floats) -> None:
        order = np.argsort(-time, kind="stable")
        self.x = covariates[order]
        late = -time[order]
        self.dead = np.flatnonzero(event[order])
        self.last = np.searchsorted(late, late[self.dead], side="right") - 1
        _, self.starts, self.tie, ties = np.unique(
            late[self.dead], return_index=True, return_inverse=True, return_counts=True
        )
        self.share = (np.arange(len(self.dead)) - self.starts[self.tie]) / ties[self.tie]

    def at(self, coefficients: Floats) -> tuple[float, Floats, Floats]:
        """The logarithm of the likelihood, its gradient, and the information (minus the Hessian).

        The second moment over everybody at risk is a sum over events and people. It is computed
        per person: with the sum of 1 / weight over all events at which the person was at risk.
        """
        x, dead, share = self.x, self.dead, self.share
        score = x @ coefficients
        score -= score.max()
        weight = np.exp(score)
        weighted = weight[:, None] * x
        total = np.cumsum(weight)[self.last]
        total -= share * np.add.reduceat(weight[dead], self.starts)[self.tie]
        mean = np.cumsum(weighted, axis=0)[self.last]
        mean -= share[:, None] * np.add.reduceat(weighted[dead], self.starts)[self.tie]
        mean /= total[:, None]
        likelihood = float(score[dead].sum() - np.log(total).sum())
        gradient = x[dead].sum(axis=0) - mean.sum(axis=0)
        hazard = np.cumsum(np.bincount(self.last, 1 / total, len(x))[::-1])[::-1].copy()
        hazard[dead] -= np.bincount(self.tie, share / total)[self.tie]
        information = (weighted * hazard[:, None]).T @ x - mean.T @ mean
        return likelihood, gradient, information


def fit_cox(time: Floats, event: Mask, covariates: Floats) -> CoxFit:
    """Fit a proportional hazards model by Newton's method, with Efron's account of ties.

    >>> time, event = np.array([1.0, 1, 6, 6, 8, 9]), np.array([1, 0, 1, 1, 0, 1]) == 1
    >>> fit = fit_cox(time, event, np.array([[1.0], [1], [1], [0], [0], [0]]))
    >>> round(float(fit.coefficients[0]), 6)
    1.676857
    """
    model = _Likelihood(time, event, covariates)
    coefficients = np.zeros(covariates.shape[1])
    likelihood, gradient, information = model.at(coefficients)
    for _ in range(_STEPS):
        step = _solve(information, gradient)
        while True:
            tried = model.at(coefficients + step)
            if tried[0] >= likelihood - _CLOSE * abs(likelihood):
                break
            step = step / 2  # too far: the likelihood fell
        coefficients = coefficients + step
        likelihood, gradient, information = tried
        if np.abs(step).max() <= _CLOSE * (1 + np.abs(coefficients).max()):
            errors = np.sqrt(np.diag(_solve(information, np.eye(len(step)))))
            return CoxFit(coefficients, errors, likelihood)
    raise PartError("a coefficient has no finite value: a covariate decides who has the event")


def _solve(information: Floats, right: Floats) -> Floats:
    """Solve with the information matrix; it has an inverse only if the covariates differ enough."""
    scale = np.sqrt(np.maximum(np.diag(information), 0))
    if (scale < 1e-7).any():
        raise PartError("a covariate says nothing about the events, or decides all of them")
    scaled = information / np.outer(scale, scale)
    if np.linalg.cond(scaled) > 1e12:
        raise PartError("two covariates say the same")
    return np.asarray(np.linalg.solve(information, right))


@register("cox-v1")
class Cox(SurvivalMeasure):
    r"""Whether a proportional hazards model of the release says what that of the original says.

    $$ h(t | x) = h_0(t) \exp(\beta_1 x_1 + \beta_2 x_2 + \dots) $$

    Both tables get the same model, fitted by Newton's method with Efron's account of events at the
    same time. Three readings compare the coefficients: their mean absolute difference (0 means
    equal, lower is better), the share that have the same sign, and how far the 95 % intervals
    overlap on average (1 means the same interval, 0 that they are apart; higher is better). A
    number counts in standard deviations of the original, so that coefficients have one scale. A
    category has a coefficient for each value that at least ten private records have, against the
    most common one. Records with a missing value are left out. The interval of each reading is a
    jackknife that leaves out each of ten groups of records.

    Parameters
    ----------
    time : the column with the time for which a person was watched, a number.
    event : the column that says whether the event ended that time.
    happened : the value of that column if it did; every other value means censored.
    covariates : the columns of the model, numbers or categories.

    References
    ----------
    Cox, Regression models and life-tables, Journal of the Royal Statistical Society B 34 (1972).
    Efron, The efficiency of Cox's likelihood function for censored data, Journal of the American
    Statistical Association 72 (1977). Karr et al., A framework for evaluating the utility of data
    altered to protect confidentiality, The American Statistician 60 (2006): overlap of intervals.

    Examples
    --------
    Two samples of the same population have nearly the same model:

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> original, release = (people(example_table(rows=300, seed=s)) for s in (0, 1))
    >>> model = {"time": "size", "event": "flag", "happened": "yes", "covariates": ["colour"]}
    >>> print(q.measure("cox", original, release, **model)["cox_overlap"])
    0.8074 [0.04379, 1]
    """

    within: ClassVar[tuple[float, float]] = (0.0, np.inf)
    reads: ClassVar[Mapping[str, Direction]] = {
        "cox_difference": "lower",
        "cox_signs": "higher",
        "cox_overlap": "higher",
    }
    captions: ClassVar[Mapping[str, str]] = {
        "cox_difference": "How far coefficients of a Cox model are off, on average.",
        "cox_signs": "The share of coefficients of a Cox model that keep their sign.",
        "cox_overlap": "How far the 95 % intervals of a Cox model's coefficients overlap, from 0 "
        "to 1.",
    }

    covariates: Annotated[tuple[str, ...], Field(min_length=1)]

    @classmethod
    def examples(cls) -> list[Self]:
        """A category of the example table."""
        return [cls(time="size", event="flag", happened="yes", covariates=("colour",))]

    def require(self, schema: Schema) -> None:
        """The covariates are numbers or categories, and not the time or the event themselves."""
        super().require(schema)
        for name in self.covariates:
            if name in (self.time, self.event):
                raise PartError(f"{self.id}: {name!r} is time or event; it cannot be a covariate")
            if not (schema[name].listed or schema[name].numeric):
                raise PartError(f"{self.id}: the covariate {name!r} must be a number or a category")

    def other_columns(self) -> tuple[str, ...]:
        """The columns of the model."""
        return self.covariates

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Fit both models, with all records and without each group of them."""
        both = {
            "original": self.known_times(original),
            "release": self.known_times(release),
        }
        note = self.too_little(both)
        if note:
            return self.not_measured(note)
        rows, private = [], both["original"].table
        parts = {table: groups_of(len(people.time), rng=rng) for table, people in both.items()}
        for left_out in (None, *range(GROUPS)):
            fits = []
            for table, people in both.items():
                try:
                    fits.append(self._fit(people.take(parts[table] != left_out), private))
                except PartError as error:
                    return self.not_measured(f"no model of the {table} can be fitted: {error}")
            rows.append(_compare(*fits))
        n = sum(len(people.time) for people in both.values())
        highest = {"cox_difference": np.inf, "cox_signs": 1.0, "cox_overlap": 1.0}
        return {
            name: jackknife(whole, without, n, better, within=(0.0, highest[name]))
            for (name, better), (whole, *without) in zip(
                self.reads.items(), zip(*rows, strict=True), strict=True
            )
        }

    def _fit(self, people: SurvivalTimes, original: Table) -> CoxFit:
        columns = [_covariate(people.table, original, name) for name in self.covariates]
        return fit_cox(people.time, people.event, np.column_stack(columns))


def _covariate(table: Table, original: Table, name: str) -> Floats:
    """The columns of the model that stand for one column of a table."""
    column: Column = original.schema[name]
    if not column.listed:
        private = original.numbers(name)
        spread = private.std()
        if spread == 0:
            raise PartError(f"{name} is the same for everybody in the original")
        return np.asarray((table.numbers(name) - private.mean()) / spread)[:, None]
    counts = np.bincount(original.columns[name], minlength=column.size)
    values = [v for v in np.flatnonzero(counts >= GROUPS).tolist() if v != counts.argmax()]
    return np.asarray(table.columns[name][:, None] == values, np.float64)


def _compare(original: CoxFit, release: CoxFit) -> tuple[float, float, float]:
    """The mean absolute difference, the share of equal signs, and the mean overlap."""
    before, after = original.coefficients, release.coefficients
    lows, highs = zip(original.intervals(), release.intervals(), strict=True)
    shared = np.maximum(np.minimum(*highs) - np.maximum(*lows), 0)
    overlap = (shared / (highs[0] - lows[0]) + shared / (highs[1] - lows[1])) / 2
    return (
        float(np.abs(after - before).mean()),
        float((np.sign(after) == np.sign(before)).mean()),
        float(overlap.mean()),
    )
