"""Exported: the goals that the scoring program of a bundle knows, and what it knows about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quintain.contests import Track
from quintain.guesses import MembershipSetQuestion, Question, Truth
from quintain.guesses.linkage import LinkageQuestion
from quintain.guesses.published_row import PublishedRowQuestion
from quintain.guesses.singling_out import SinglingOutQuestion
from quintain.kit.codabench.scored import (
    ATTRIBUTE,
    HIDDEN_COLUMNS,
    LINKABILITY,
    LINKAGE,
    MEMBERSHIP,
    MEMBERSHIP_SET,
    PUBLISHED_ROW,
    SINGLING_OUT,
    Scored,
)

Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExportedGoal:
    """A goal on CodaBench.

    Parameters
    ----------
    module : the file of the scoring program that checks and measures its guesses.
    facts : of a question, what a guess is checked against; nothing secret.
    about : the key of the facts that lists what the truth is about; empty if no list is public.
    answer : how to answer, for the evaluation page.
    measures : the measures that the scoring program computes, by id.
    fields : the parameters of the goal that the check needs, beside the facts of the question.
    luck : for goals whose guesses have conditions on the columns of the data, what luck explains
        of each number of matches; it depends on the sizes of the truth alone.
    """

    module: str
    facts: Callable[[Question], Facts]
    about: str
    answer: str
    measures: Mapping[str, Scored]
    fields: tuple[str, ...] = ()
    luck: Callable[[Truth], dict[str, list[float]]] | None = None


def _targets(question: Question) -> Facts:
    names = np.unique(question.table.columns["target"].astype(np.str_))
    return {"targets": names.tolist()}


def _rows(question: Question) -> Facts:
    assert isinstance(question, MembershipSetQuestion)
    return {"population": question.population, "guesses": question.guesses}


def _targets_and_rows(question: Question) -> Facts:
    assert isinstance(question, PublishedRowQuestion)
    return {**_targets(question), "published": question.published}


def _targets_and_halves(question: Question) -> Facts:
    return {**_targets(question), "halves": len(question.table)}


def _predicates(question: Question) -> Facts:
    assert isinstance(question, SinglingOutQuestion)
    return {"predicates": question.predicates}


def _isolation_luck(truth: Truth) -> dict[str, list[float]]:
    from scipy.stats import hypergeom

    members = int((truth.table.columns["member"] == 1).sum())
    others = len(truth.table) - members
    chances = hypergeom.pmf(1, others, np.arange(others + 1), members)
    return {f"{members}/{others}": chances.tolist()}


def _persons(question: Question) -> Facts:
    assert isinstance(question, LinkageQuestion)
    return {"persons": question.persons().tolist()}


EXPORTED: Mapping[str, ExportedGoal] = {
    "goal/membership-v1": ExportedGoal(
        "membership",
        _targets,
        "targets",
        "List every target of the task once, with the probability that its records were in the "
        "private data.",
        MEMBERSHIP,
    ),
    "goal/membership-set-v1": ExportedGoal(
        "membership_set",
        _rows,
        "",
        "List rows of the population that were in the private data, counted from 0: as many as the "
        "question asks for, all different.",
        MEMBERSHIP_SET,
    ),
    "goal/attribute-v1": ExportedGoal(
        "attribute",
        _targets,
        "targets",
        "List every target of the task once, with its hidden value.",
        ATTRIBUTE,
    ),
    "goal/published-row-v1": ExportedGoal(
        "published_row",
        _targets_and_rows,
        "targets",
        "List every target of the task once, with the row of the release that is about it, counted "
        "from 0. If a target may have no row, an empty cell says so.",
        PUBLISHED_ROW,
    ),
    "goal/linkability-v1": ExportedGoal(
        "linkability",
        _targets_and_halves,
        "targets",
        "List every target of the task once, with the number of the right half that belongs to it.",
        LINKABILITY,
    ),
    "goal/singling-out-v1": ExportedGoal(
        "singling_out",
        _predicates,
        "",
        "List predicates, each of which should fit exactly one private record. A row is a "
        "condition: the number of its predicate, a column, and the values from one end to the "
        "other. A predicate may have several rows.",
        SINGLING_OUT,
        luck=_isolation_luck,
    ),
    "goal/hidden-columns-v1": ExportedGoal(
        "hidden_columns",
        _targets,
        "targets",
        "List every target of the task once, with its hidden values.",
        HIDDEN_COLUMNS,
    ),
    "goal/linkage-v1": ExportedGoal(
        "linkage",
        _persons,
        "persons",
        "List every person once, with the pseudonym of each month, or the mark for none.",
        LINKAGE,
        fields=("guesses",),
    ),
}


def exported(track: Track) -> ExportedGoal:
    """What the bundle knows about the goal of a track."""
    return EXPORTED[track.goal.id]


def scored(track: Track) -> Scored:
    """The first measure of guesses of a track, as the leaderboard shows it."""
    return exported(track).measures[track.guess_measures[0].measure.id]


def parameters(track: Track) -> dict[str, Any]:
    """The parameters of the first measure of guesses, as ``plan.json`` has them."""
    return track.guess_measures[0].measure.model_dump(mode="json")
