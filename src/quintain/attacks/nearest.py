"""Nearest record: targets most like a released record are guessed to be members."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.membership.neighbour_ratios import found_before, search_key
from quintain.attacks.remembered import Remembered
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Rows
from quintain.guesses import (
    AttributeQuestion,
    Guess,
    HiddenColumnsQuestion,
    LinkabilityQuestion,
    MembershipQuestion,
    MembershipSetQuestion,
    PublishedRowQuestion,
    Question,
)
from quintain.kernels.distances import gower
from quintain.kernels.neighbours import Distance, nearest, nearest_but_one
from quintain.registry import register
from quintain.releases import Release


@register("nearest-v1")
class Nearest(Attack):
    """Trusts the released record that is nearest to a target, over columns of mixed kinds.

    For membership, the nearer a target's records are to the release, the more likely it is a
    member. For a set of rows, the attack names the rows of the population that are nearest to
    released records. For hidden values, it guesses those of the nearest released record. For
    a published row, it names the nearest one, even if several targets get the same row. For two
    halves of records, it goes from the left half to the nearest released record, and from there to
    the nearest right half.

    Parameters
    ----------
    distance : "euclidean" uses numbers without scaling and times in seconds, and a differing
        category counts as the square root of two (categories as full dummy variables); "manhattan"
        adds differences and counts differing categories; "gower" scales every column to one. The
        range of a number or time comes from the schema, or else from all that the attacker sees:
        the release, the targets and, if known, the base data. Under every distance two missing
        values agree, and a missing value differs from any other as two categories do.

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"sex": ["f", "m", "m"], "age": [30, 61, 44]})
    >>> targets = pa.table({"sex": ["m", "f", "f"], "age": [61, 45, 31]})
    >>> guess = q.attack("nearest", release, targets=targets, seed=0)
    >>> guess.table.columns["probability"].round(2).tolist()  # the first target was released
    [0.83, 0.17, 0.5]
    """

    answers: ClassVar[tuple[type[Question], ...]] = (
        MembershipQuestion,
        MembershipSetQuestion,
        AttributeQuestion,
        HiddenColumnsQuestion,
        PublishedRowQuestion,
        LinkabilityQuestion,
    )

    distance: Literal["euclidean", "manhattan", "gower"] = "gower"

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Search the release or the population for the nearest records."""
        question, released = knowledge.question, as_table(release.data)
        if isinstance(question, MembershipQuestion):
            records = question.records().select(released.schema.names)
            metric = self._metric(knowledge, released, records)
            away = found_before(records, released, metric)
            if away is None:
                away, _ = nearest(records, released, metric)
            return question.answer_by_rank(-question.by_target(away))
        if isinstance(question, LinkabilityQuestion):
            metric_of = partial(self._metric, knowledge, released)
            return question.answer(nearest_halves(question, released, metric_of))
        if isinstance(question, AttributeQuestion | HiddenColumnsQuestion | PublishedRowQuestion):
            rows = self._nearest_rows(knowledge, released, question.records())
            return _answer(question, released, rows)
        question = knowledge.question_as(MembershipSetQuestion)
        base = knowledge.population().select(released.schema.names)
        away, rows = nearest(released, base, self._metric(knowledge, released, base))
        near = rows[np.argsort(away, kind="stable")]
        _, first = np.unique(near, return_index=True)
        distinct = near[np.sort(first)]
        rest = rng.permutation(np.setdiff1d(np.arange(len(base)), distinct))
        return question.answer(np.concatenate([distinct, rest])[: question.guesses])

    def _nearest_rows(self, knowledge: Knowledge, released: Table, known: Table) -> Rows:
        """For every target the released record most like it in the known columns."""
        metric = self._metric(knowledge, released, known)
        base = released.select(known.schema.names)
        rows = _ahead.find(search_key(known, base, metric))
        return nearest(known, base, metric)[1] if rows is None else rows

    def _metric(self, knowledge: Knowledge, released: Table, compared: Table) -> Distance:
        """The distance; columns without bounds in the schema are scaled by their public range."""
        if self.distance != "gower":
            return Distance(self.distance)
        tables = [released, compared]
        if knowledge.base is not None:
            tables.append(self.see(knowledge.base))
        return gower(compared.schema, tables)


def _answer(
    question: AttributeQuestion | HiddenColumnsQuestion | PublishedRowQuestion,
    released: Table,
    rows: Rows,
) -> Guess:
    """Answer with one released record per target: its number, or its values."""
    if isinstance(question, PublishedRowQuestion):
        return question.answer(rows)
    if isinstance(question, AttributeQuestion):
        return question.answer(released.columns[question.secret.name][rows])
    return question.answer({s.name: released.columns[s.name][rows] for s in question.secrets})


_ahead = Remembered[Rows](1_000)  # of some thousand targets each


def search_ahead(targets: Table, released: Table) -> None:
    """Search for the records nearest to targets by all columns but one, for each column at once.

    An attack that then guesses a hidden column of these targets gives the same answer as without
    this, in a small part of the time. Only distances that scale every column to one are known.
    """
    metric = gower(released.schema, [released, targets])
    for name, rows in nearest_but_one(targets, released, metric).items():
        known, base = targets.drop(name), released.drop(name)
        weights = {column: w for column, w in metric.weights.items() if column != name}
        _ahead.keep(search_key(known, base, Distance("gower", weights)), rows)


def nearest_halves(
    question: LinkabilityQuestion, released: Table, metric: Callable[[Table], Distance]
) -> Rows:
    """Find the right half nearest to the released record that is nearest to each left half."""
    left, right = question.left_halves(), question.right_halves()
    _, rows = nearest(left, released.select(question.left), metric(left))
    other_halves = released.select(question.right).take(rows)
    return nearest(other_halves, right, metric(right))[1]
