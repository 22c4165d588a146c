"""Neighbour ratios: is a record nearer to the release than to other people, and by how much?

All of these attacks read the same distances. Searching for them takes most of the time of each
attack, so the latest results are remembered. They are small: a few numbers per record.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.attacks.remembered import Remembered
from quintain.data import Table
from quintain.data.arrays import Floats, Mask, Rows
from quintain.kernels.distances import Distance, gower
from quintain.kernels.neighbours import Neighbours
from quintain.registry import register

NEAREST = 5
"""How many nearest records are searched for at least, so that attacks can share them."""

_ROUNDING = 1e-9
"""By so much equal distances may differ."""

_searches = Remembered[tuple[Floats, Rows]](4)  # two per release, for a pair of releases


@register("dcr-difference-v1")
class DcrDifference(RecordScores):
    r"""Scores a record by how much nearer a released record is than the nearest other person.

    $$ d(x, base) - d(x, release) $$

    The distance to the closest record (DCR) alone is small for everybody with common values. The
    distance to other people of the population corrects for that. Distances are sums over columns
    of mixed kinds, each between 0 and 1 (Gower). A record of the base data is not its own
    neighbour.

    References
    ----------
    Gower, A general coefficient of similarity and some of its properties, Biometrics 27 (1971).

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("dcr-difference", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.69; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Compare the distances to the nearest released record and the nearest other person."""
        released, others = closest(release, base, records)
        return others - released


@register("dcr-ratio-v1")
class DcrRatio(RecordScores):
    r"""Scores a record by how many times nearer a released record is than the nearest other person.

    $$ log (d(x, base) + c) - log (d(x, release) + c) $$

    So a person whom nobody resembles, and whose record is almost in the release, gets the highest
    score. Distances are sums over columns of mixed kinds, each between 0 and 1 (Gower). A record
    of the base data is not its own neighbour.

    Parameters
    ----------
    smoothing : the c, in columns; with less of it, exact copies count more.

    References
    ----------
    Gower, A general coefficient of similarity and some of its properties, Biometrics 27 (1971).

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("dcr-ratio", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.69; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    smoothing: Annotated[float, Field(gt=0)] = 0.025

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Compare the logarithms of the two distances."""
        released, others = (d + self.smoothing for d in closest(release, base, records))
        return np.asarray(np.log(others) - np.log(released))


@register("knn-ratio-v1")
class KnnRatio(RecordScores):
    r"""Scores a record by how many of its nearest neighbours are released records.

    $$ log ((r + 1/2) / m) - log ((a + 1/2) / n) $$

    where r of the k nearest neighbours are among the m released records and a among the n people of
    the base data; records as far away as the k-th neighbour count, too. Distances are sums over
    columns of mixed kinds, each between 0 and 1 (Gower). A record of the base data is not its own
    neighbour.

    Parameters
    ----------
    k : how many neighbours.

    References
    ----------
    Ward, Wang and Cheng, Data Plagiarism Index: Characterizing the Privacy Risk of Data-Copying in
    Tabular Generative Models, 2024.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("knn-ratio", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.75; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    k: Annotated[int, Field(ge=1, le=1000)] = 3

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Count both kinds of neighbours within the distance of the k-th one."""
        if not len(release) or not len(base):
            return np.zeros(len(records))
        near = surroundings(release, base, records, self.k)
        both = np.sort(np.hstack([near.released, near.others]), axis=1)
        reach = both[:, min(self.k, both.shape[1]) - 1][:, None]
        shares = [
            ((away <= reach).sum(axis=1) + 0.5) / size
            for away, size in ((near.released, len(release)), (near.others, len(base)))
        ]
        return np.asarray(np.log(shares[0]) - np.log(shares[1]))


@register("local-density-ratio-v1")
class LocalDensityRatio(RecordScores):
    r"""Scores a record by the density of the release around it, divided by that of other people.

    $$ log (1/m \sum_{s} e^{-d(x, s) / h}) - log (1/n \sum_{a \neq x} e^{-d(x, a) / h}) $$

    The sums go over the k nearest records, because farther ones add next to nothing. Distances are
    sums over columns of mixed kinds, each between 0 and 1 (Gower). A record of the base data does
    not count for its own density. So in a population that contains the targets this attack is
    sharper than density-ratio.

    Parameters
    ----------
    k : how many of the nearest records count.
    bandwidth : the h, in columns.

    References
    ----------
    Van Breugel, Sun, Qian and van der Schaar, Membership Inference Attacks against Synthetic Data
    through Overfitting Detection (DOMIAS), AISTATS 2023.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> known = {"targets": everybody, "population": everybody}
    >>> guess = q.attack("local-density-ratio", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.78; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    k: Annotated[int, Field(ge=1, le=1000)] = 5
    bandwidth: Annotated[float, Field(gt=0)] = 0.25

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Sum the kernels of the nearest records on both sides."""
        if not len(release) or not len(base):
            return np.zeros(len(records))
        near = surroundings(release, base, records, self.k)
        here = self._log_sum(near.released) - np.log(len(release))
        there = self._log_sum(near.others) - np.log(len(base))
        return np.asarray(here - there)

    def _log_sum(self, away: Floats) -> Floats:
        """The logarithm of the sum of kernels; the nearest record comes first, so none underflows.

        Without any record it is as if there were one that differs in everything.
        """
        if not away.shape[1]:
            return np.full(len(away), -1 / self.bandwidth)
        top = -away[:, :1] / self.bandwidth
        rest = np.exp(-away / self.bandwidth - top).sum(axis=1)
        return np.asarray(top[:, 0] + np.log(rest))


@register("gen-lra-v1")
class GenLra(RecordScores):
    r"""Scores a record by how much it raises the likelihood of the released records near it.

    $$ \sum_{s} log (1 + K(s, x) / (c + \sum_{a \neq x} K(s, a))), K(s, a) = e^{-d(s, a) / h} $$

    The sum goes over the k released records s that are nearest to x. The density of the population
    at s is a kernel estimate over the people a near s, with and without x. With a fixed bandwidth
    one person changes it in closed form, so no density is estimated again for every target.
    Distances are sums over columns of mixed kinds, each between 0 and 1 (Gower).

    Parameters
    ----------
    k : how many of the nearest released records count.
    reach : how many of the nearest people count for the density at a released record.
    bandwidth : the h, in columns.
    smoothing : the c; with more of it, lonely released records count less.

    References
    ----------
    Ward, Wang and Cheng, Privacy Auditing Synthetic Data Release through Local Likelihood Attacks
    (Gen-LRA), 2025.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("gen-lra", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.73; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    k: Annotated[int, Field(ge=1, le=1000)] = 5
    reach: Annotated[int, Field(ge=1, le=1000)] = 10
    bandwidth: Annotated[float, Field(gt=0)] = 0.25
    smoothing: Annotated[float, Field(gt=0)] = 0.001

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Add the gains of the nearest released records."""
        if not len(release) or not len(base):
            return np.zeros(len(records))
        release = sorted_by_content(release)
        near = surroundings(release, base, records, self.k)
        metric = gower(records.schema, [release, base, records])
        away = search(release, base, self.reach, metric)[0] * len(records.schema.attributes)
        people, farthest = self._kernel(away).sum(axis=1), away[:, -1]
        own = self._kernel(near.released)
        # A person who is among the people near s must not count beside themselves.
        counted = near.inside[:, None] & (near.released <= farthest[near.rows] + _ROUNDING)
        rest = np.maximum(people[near.rows] - np.where(counted, own, 0.0), 0.0)
        return np.asarray(np.log1p(own / (self.smoothing + rest)).sum(axis=1))

    def _kernel(self, away: Floats) -> Floats:
        return np.asarray(np.exp(-away / self.bandwidth))


def closest(release: Table, base: Table, records: Table) -> tuple[Floats, Floats]:
    """The distances of each record to the release and to other people of the base data.

    Where there is nothing to compare with, the distance is the number of columns, the largest
    there is.
    """
    farthest = np.full((len(records), 1), float(len(records.schema.attributes)))
    if not len(release) or not len(base):
        return farthest[:, 0], farthest[:, 0]
    near = surroundings(release, base, records, 1)
    return near.released[:, 0], np.hstack([near.others, farthest])[:, 0]


class Surroundings(NamedTuple):
    """What is near each record; distances are sums over columns, each between 0 and 1.

    Parameters
    ----------
    released : the distances to the nearest released records, in order.
    rows : the rows of these released records, if the release is sorted by content.
    others : the distances to the nearest other people of the base data, in order. A record that
        is in the base data is not its own neighbour: one record equal to it is left out.
    inside : which records are in the base data.
    """

    released: Floats
    rows: Rows
    others: Floats
    inside: Mask


def surroundings(release: Table, base: Table, records: Table, k: int) -> Surroundings:
    """The k nearest released records and the k nearest other people of each record.

    If there are fewer than k of either, all of them are given.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="age", kind="integer", low=0, high=100),))
    >>> release, base = (Table.of(schema, {"age": ages}) for ages in ([30, 80], [30, 31, 90]))
    >>> near = surroundings(release, base, base, 1)
    >>> near.released.tolist(), near.others.tolist()
    ([[0.0], [0.01], [0.1]], [[0.01], [0.01], [0.59]])
    """
    release = sorted_by_content(release)
    metric = gower(records.schema, [release, base, records])
    width = len(records.schema.attributes)
    released, rows = search(records, release, k, metric)
    away, _ = search(records, base, k + 1, metric)
    inside = away[:, 0] == 0
    # Of k + 1 neighbours leave out the record itself, or else the farthest.
    others = np.where(inside[:, None], away[:, 1:], away[:, :-1])
    if away.shape[1] <= k and not inside.any():
        others = away  # the whole base data are fewer than k + 1 other people
    return Surroundings(released * width, rows, others * width, inside)


def sorted_by_content(table: Table) -> Table:
    """The same records, so that of equally near ones the choice does not depend on their order."""
    return table.take(table.order())


def search(queries: Table, base: Table, k: int, metric: Distance) -> tuple[Floats, Rows]:
    """Find the k nearest base records of each query, or all if there are fewer."""
    searched = min(max(k, NEAREST + 1), len(base))
    away, rows = _searches.get(
        (*search_key(queries, base, metric), searched),
        lambda: Neighbours(base, metric).k_nearest(queries, searched),
    )
    return away[:, :k], rows[:, :k]


def found_before(queries: Table, base: Table, metric: Distance) -> Floats | None:
    """The distance from each query to the nearest base record, if attacks of this file know it."""
    key = search_key(queries, sorted_by_content(base), metric)
    known = _searches.find((*key, min(NEAREST + 1, len(base))))
    return None if known is None else known[0][:, 0]


def search_key(queries: Table, base: Table, metric: Distance) -> tuple[str, str, str]:
    """A search by the content of both tables."""
    return queries.digest(), base.digest(), f"{metric.kind} {sorted(metric.weights.items())}"
