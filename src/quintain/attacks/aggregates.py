"""Aggregates: every attack on tables plays on people, each of whom is one row of aggregates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from quintain.attacks.attack import Attack
from quintain.attacks.nearest import Nearest
from quintain.attacks.row_linkage import RowLinkage
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_trees
from quintain.errors import Rejected
from quintain.guesses import (
    Guess,
    MembershipQuestion,
    NamingQuestion,
    PublishedRowQuestion,
    Question,
)
from quintain.guesses.goal import TARGET
from quintain.guesses.published_row import RELEASE_ROWS
from quintain.kernels.aggregates import aggregate
from quintain.registry import Part, build, register
from quintain.releases import Release


def _build_attack(table: Any) -> Any:
    """Build the attack from its table; pydantic reports one sentence, so all faults are joined."""
    if isinstance(table, Part):
        return table
    if not isinstance(table, str | Mapping):
        raise ValueError('an attack is written { use = "..." }')
    try:
        return build(Attack.family, table)
    except Rejected as error:
        raise ValueError("; ".join(str(fault) for fault in error.faults)) from None


TableAttack = Annotated[
    Attack,
    BeforeValidator(_build_attack),
    PlainSerializer(lambda attack: attack.spec()),
    WithJsonSchema({"x-part": Attack.family}),
]
"""An attack inside another one, written as an edition file writes an attack."""


@register("aggregates-v1")
class Aggregates(Attack):
    """Lets an attack on tables play on people: each person becomes one row of aggregates.

    The aggregates are numbers of rows, means, extremes, most frequent values and shares. Targets,
    pseudonyms and the population, if it is known, are aggregated together. For membership, the
    attack sees one row per target; for naming, it looks for the row of the release that is the
    target's, and that row's pseudonym is the answer.

    Parameters
    ----------
    attack : the attack on tables, as an edition file writes it: ``{ use = "tree-ratio" }``. It must
        answer questions about membership, or about published rows where pseudonyms are asked for.
        By default it is ``nearest`` for membership and ``row-linkage`` for pseudonyms.

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("naming"), "people")
    >>> attack = q.part("attack/aggregates")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = guess.table.columns["pseudonym"] == truth.table.columns["pseudonym"]
    >>> f"{right.sum()} of {len(right)} people named"
    '10 of 10 people named'
    """

    shapes: ClassVar[tuple[str, ...]] = ("people",)
    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion, NamingQuestion)

    attack: TableAttack | None = None

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Aggregate all sides, and let the attack on tables answer."""
        shown, question = as_trees(release.data), knowledge.question
        if isinstance(question, NamingQuestion):
            known = question.people(shown.schema)
        else:
            known = knowledge.question_as(MembershipQuestion).people(shown.schema)
        base = () if knowledge.base is None else (as_trees(knowledge.base).people.loose(),)
        targets, released, *others = aggregate(known, shown.people.loose(), *base)
        seen = replace(
            knowledge,
            question=_question_about(targets, question, len(released)),
            base=others[0] if others else None,
            parameters=None,
            code=None,  # the sanitizer takes people, not their aggregates
        )
        rows = Release(released, methods=release.methods, claim=release.claim)
        inner = self.attack or (RowLinkage() if isinstance(question, NamingQuestion) else Nearest())
        inner.require_facts(seen, rows)
        guess = inner.infer(seen, rows, rng=rng)
        if not isinstance(question, NamingQuestion):
            return guess
        assert shown.people.keys is not None  # trees have keys
        row = guess.table.columns["row"]
        return question.answer(np.where(row >= 0, shown.people.keys[row], ""))


def _question_about(targets: Table, question: Question, released: int) -> Question:
    """The question about one row of aggregates per target."""
    names = np.unique(question.table.columns["target"].astype(np.str_))
    columns = {TARGET.name: names, **targets.columns}
    if not isinstance(question, NamingQuestion):
        return MembershipQuestion(Table(targets.schema.extended(TARGET), columns))
    columns[RELEASE_ROWS.name] = np.full(len(names), released)
    schema = targets.schema.extended(TARGET, RELEASE_ROWS)
    return PublishedRowQuestion(Table(schema, columns), question.absent)
