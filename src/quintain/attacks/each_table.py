"""Each table: a person is a member if released rows are near to theirs, table by table."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_trees
from quintain.data.arrays import Array, Floats
from quintain.data.columns import Columns
from quintain.data.people import People
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.distances import gower
from quintain.kernels.neighbours import nearest
from quintain.registry import register
from quintain.releases import Release


@register("each-table-v1")
class EachTable(Attack):
    """Takes people for members whose rows have a near released row in each table.

    For each table by itself, the score of a target is the mean distance from its rows to the
    nearest released row. The scores of all tables are added up, each in standard deviations; a
    target without rows in a table is an average one there. Who a released row belongs to does not
    matter, so the attack also sees what generators memorise that keep no person together.

    >>> import quintain as q
    >>> from quintain.guesses.membership import members_and_scores
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("membership"), "people")
    >>> attack = q.part("attack/each-table")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> members, scores = members_and_scores(truth, guess)
    >>> bool(scores[members].mean() > scores[~members].mean() + 0.2)
    True
    """

    shapes: ClassVar[tuple[str, ...]] = ("people",)
    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Add up the nearness of released rows over the tables."""
        shown, targets = as_trees(release.data), knowledge.question_as(MembershipQuestion)
        return targets.answer_by_rank(nearness(targets.people(shown.schema), shown.people))


def nearness(known: People, shown: People) -> Floats:
    """How near released rows are to the rows of each person, added up over the tables."""
    total = np.zeros(known.size)
    for name, branch in known.tables.items():
        own, released = (_attributes(side.rows) for side in (branch, shown.tables[name]))
        if len(own) and len(released) and own.schema.columns:
            distance, _ = nearest(own, released, gower(own.schema, [own, released]))
            total += _standardised_means(-distance, branch.person, known.size)
    return total


def _attributes(rows: Columns) -> Table:
    table = Table(rows.schema, rows.columns)
    return table.select([column.name for column in rows.schema.attributes])


def _standardised_means(values: Floats, person: Array, people: int) -> Floats:
    """The mean of each person's values, in standard deviations from the mean of all who have any.

    >>> _standardised_means(np.array([1.0, 3.0, 6.0]), np.array([0, 0, 2]), 3).tolist()
    [-1.0, 0.0, 1.0]
    """
    number = np.bincount(person, minlength=people)
    means = np.bincount(person, values, people) / np.maximum(number, 1)
    some = number > 0
    spread = means[some].std()
    if spread == 0:
        return np.zeros(people)
    return np.where(some, (means - means[some].mean()) / spread, 0.0)
