"""Questions: what a notebook asks an attack about the targets in a data frame."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from quintain.api.inputs import recoded
from quintain.attacks.attack import Attack
from quintain.data import Data, Schema, Table
from quintain.errors import KnowledgeError
from quintain.guesses import Question
from quintain.guesses.attribute import Attribute, AttributeQuestion
from quintain.guesses.goal import target_table
from quintain.guesses.membership import MembershipQuestion
from quintain.guesses.published_row import RELEASE_ROWS, PublishedRow, PublishedRowQuestion

GoalName = Literal["membership", "attribute", "published-row"]
"""The goals that a notebook can ask about."""
_QUESTIONS: dict[GoalName, type[Question]] = {
    "membership": MembershipQuestion,
    "attribute": AttributeQuestion,
    "published-row": PublishedRowQuestion,
}


def fitting_goal(attack: Attack, goal: GoalName | None, secret: str) -> GoalName:
    """The goal as it was given, or the one that the secret and the attack suggest."""
    if goal is not None and goal not in _QUESTIONS:
        available = ", ".join(_QUESTIONS)
        raise KnowledgeError(f"unknown goal {goal!r} for data frames; available: {available}")
    fitting = [one for one, kind in _QUESTIONS.items() if issubclass(kind, attack.answers)]
    suggested: GoalName = "attribute" if secret else next(iter(fitting), "membership")
    goal = goal or suggested
    if (goal == "attribute") != bool(secret):
        raise KnowledgeError(
            "secret= names the column to infer, for questions about attribute alone"
            if secret
            else f"{attack.id} infers a column: name it in secret="
        )
    return goal


def make_question(
    goal: GoalName,
    targets: Any,
    release: Data,
    secret: str,
    known: list[str] | None,
) -> Question:
    """The question about the targets, under the schema of the release."""
    schema = release.schema
    if goal == "membership":
        if known is not None:
            raise KnowledgeError("known= is for secrets and published rows, not for membership")
        return MembershipQuestion(_numbered(recoded(targets, schema)))
    _require_names(schema, secret, known)
    names = [n for n in schema.names if n != secret and (known is None or n in known)]
    if not names:
        raise KnowledgeError("the attacker knows no column of the targets: name some in known")
    table = _numbered(recoded(targets, schema.select(names)), secret)
    if goal == "attribute":
        return Attribute(column=secret).question(table, schema)
    rows = np.full(len(table), len(release))
    columns = {**table.columns, RELEASE_ROWS.name: rows}
    numbered = PublishedRow(knows=tuple(names)).question_schema(schema)
    return PublishedRowQuestion(Table(numbered, {n: columns[n] for n in numbered.names}))


def _require_names(schema: Schema, secret: str, known: list[str] | None) -> None:
    available = ", ".join(schema.names)
    if secret and secret not in schema:
        raise KnowledgeError(f"unknown column to infer {secret!r}; available: {available}")
    unknown = sorted(set(known or ()) - set(schema.names))
    if unknown:
        raise KnowledgeError(
            f"unknown columns {', '.join(unknown)} in known; available: {available}"
        )


def _numbered(records: Data, hidden: str = "") -> Table:
    numbers = np.arange(len(records))
    return target_table(records, numbers, numbers, hidden)
