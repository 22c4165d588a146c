"""Population uniques: how many people share their values with nobody in the whole population.

A sample shows who is alone in the sample. Many of them have a double outside of it. How many is a
question to a model of how values are spread over a population.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Table
from quintain.data.arrays import Array, Floats, Ints
from quintain.measures.intervals import normal_quantile
from quintain.measures.measure import Readings
from quintain.measures.privacy.disclosure.known_columns import KnownColumnsMeasure, class_sizes
from quintain.measures.reading import Direction, Reading
from quintain.registry import register

METHOD = "Pitman's model (Hoshino 2001), delta method on the logit"
_STEP = 1e-3
_WIDEST = 20.0
"""An interval that is wider than this on the scale of the logit says nothing."""


@register("population-uniques-v1")
class PopulationUniques(KnownColumnsMeasure):
    """The share of people who are alone with their known values in the whole population.

    People of the original and of the test data are taken as one random sample of a population, and
    Pitman's model says how many of them are alone in it. Lower is better. The release plays no part
    in it: the reading says how much an attacker gains who finds a record that is right.

    Parameters
    ----------
    population : how many people there are, those of the data included.
    knows : the columns that attackers know; by default all.

    References
    ----------
    Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal of
    Official Statistics 17 (2001).

    Examples
    --------
    Of 228 jobs, 120 are held by one person of the sample each, and 8 by forty people each:

    >>> import quintain as q
    >>> schema = q.Schema(columns=(q.Column(name="job", kind="integer", low=0, high=227),))
    >>> jobs = np.repeat(np.arange(228), [1] * 120 + [2] * 60 + [5] * 40 + [40] * 8)
    >>> people = q.Table.of(schema, {"job": jobs})
    >>> readings = q.measure("population-uniques", people, people, population=10_000)
    >>> print(readings["population_uniques"])
    0.0437 [0.02836, 0.06678]
    """

    within: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {"population_uniques": "lower"}

    population: Annotated[int, Field(ge=1)]

    @classmethod
    def examples(cls) -> list[Self]:
        """All columns known, and two of them."""
        return [cls(population=10_000), cls(population=5_000, knows=("colour", "size"))]

    def compare(
        self, original: Table, release: Table, test: Table | None, names: tuple[str, ...]
    ) -> Readings:
        """Fit the model to the classes of all people."""
        people = original.select(names)
        sizes = class_sizes(people if test is None else people.concat(test.select(names)))
        if self.population < sizes.sum():
            note = "the population is smaller than the data"
            return {"population_uniques": Reading.missing("lower", note)}
        return {"population_uniques": population_uniques(sizes, self.population)}


def population_uniques(sizes: Ints, population: int | None) -> Reading:
    """The share of people who are alone in the population, estimated from a random sample of it.

    The model is Pitman's two-parameter partition, as Hoshino proposed it for disclosure risk. It
    assumes that the sample is drawn at random, and that values spread as in the model: a new person
    has a new combination of values with probability (theta + alpha x combinations) / (theta +
    people). Then a person is alone among N with the probability
    Gamma(theta + alpha + N - 1) Gamma(theta + 1) / (Gamma(theta + alpha) Gamma(theta + N)).

    Parameters
    ----------
    sizes : how many people of the sample share each combination of values.
    population : how many people there are, those of the sample included; None if nobody knows.

    References
    ----------
    Pitman, Exchangeable and partially exchangeable random partitions, Probability Theory and
    Related Fields 102 (1995). Hoshino, Applying Pitman's sampling formula to microdata disclosure
    risk assessment, Journal of Official Statistics 17 (2001).

    >>> reading = population_uniques(np.array([1] * 120 + [2] * 60 + [5] * 40 + [40] * 8), 100_000)
    >>> reading.low < reading.value < reading.high
    True
    >>> population_uniques(np.array([1, 1]), None).note
    'nobody said how large the population is'
    """
    people = int(sizes.sum())
    if population is None:
        return Reading.missing("lower", "nobody said how large the population is")
    if (sizes == 1).all():
        return Reading.missing("lower", "no two people of the sample share their values")
    if not (sizes == 1).any():
        return Reading.missing("lower", "nobody is alone in the sample, so the model does not fit")
    fitted = _fit(sizes)
    bounds = None if fitted is None else _bounds(sizes, fitted, population)
    if bounds is None:
        return Reading.missing("lower", "many models explain the sample equally well")
    value, low, high = bounds
    return Reading(value=value, low=low, high=high, n=people, better="lower", method=METHOD)


def log_likelihood(sizes: Ints, alpha: float, theta: float) -> float:
    """The logarithm of the probability of a partition, up to what no parameter changes."""
    from scipy.special import gammaln

    classes, people = len(sizes), int(sizes.sum())
    new = np.log(theta + alpha * np.arange(1, classes)).sum()
    shared = (gammaln(sizes - alpha) - gammaln(1 - alpha)).sum()
    return float(new + shared - gammaln(theta + people) + gammaln(theta + 1))


def share_alone(alpha: float, theta: float, population: int) -> float:
    """The logit of the probability that a person is alone in the population."""
    from scipy.special import gammaln

    log = gammaln(theta + alpha + population - 1) - gammaln(theta + alpha)
    log += gammaln(theta + 1) - gammaln(theta + population)
    return float(log - math.log(-math.expm1(min(log, -1e-12))))


def _fit(sizes: Ints) -> Floats | None:
    """The most probable parameters, alpha as a logit and theta as a logarithm."""
    from scipy.optimize import minimize

    fit = minimize(_loss, np.zeros(2), (sizes,), method="Nelder-Mead", options={"maxiter": 2000})
    return np.asarray(fit.x) if fit.success else None


def _loss(place: Array, sizes: Ints) -> float:
    alpha, theta = _parameters(place)
    return -log_likelihood(sizes, alpha, theta)


def _parameters(place: Array) -> tuple[float, float]:
    logit, log = np.clip(place, -12, 12)
    return float(1 / (1 + np.exp(-logit))), float(np.exp(log))


def _bounds(sizes: Ints, place: Floats, population: int) -> tuple[float, float, float] | None:
    """Estimate and interval; None if the likelihood is too flat for one."""
    steps = _STEP * np.eye(2)

    def curvature(one: Floats, other: Floats) -> float:
        around = [(one + other, 1), (one - other, -1), (other - one, -1), (-one - other, 1)]
        return sum(sign * _loss(place + step, sizes) for step, sign in around) / (4 * _STEP**2)

    information = np.array([[curvature(step, other) for other in steps] for step in steps])
    slopes = np.array(
        [_logit(place + s, population) - _logit(place - s, population) for s in steps]
    )
    slopes /= 2 * _STEP
    try:
        variance = float(slopes @ np.linalg.solve(information, slopes))
    except np.linalg.LinAlgError:
        return None
    reach = normal_quantile(6) * math.sqrt(variance) if variance > 0 else math.inf
    if not reach < _WIDEST / 2 or np.linalg.eigvalsh(information).min() <= 0:
        return None
    middle = _logit(place, population)
    ends = (middle, middle - reach, middle + reach)
    value, low, high = (1 / (1 + math.exp(-end)) for end in ends)
    return value, low, high


def _logit(place: Array, population: int) -> float:
    return share_alone(*_parameters(place), population)
